"""Scores of given pairs, a few or millions, by the mapped vectors of their words; and the plain scan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import OTHER, Floats, Model, Side, score_sides
from entvec.runtime import in_threads
from entvec.search.exact import Hits, Rows

if TYPE_CHECKING:
    from entvec.space.space import EntailmentSpace

NUMBERS_AT_ONCE = 1 << 16
"""Of each side: 0.25 MB, so that what was gathered is still in the cache when it is multiplied."""
BYTES_NEAR = 1 << 20
"""Of hypers: so many stay in the cache of a core and are read again and again, while the hypos pass by once."""
MAPPED_AT_ONCE = 2048
SCANNED_AT_ONCE = 1 << 12
SCORES_AT_ONCE = 1 << 22
"""Of a scan: as many queries as have so many scores are answered together."""


def score(space: EntailmentSpace, hypo: Rows, hyper: Rows) -> NDArray[np.float64]:
    """The scores of pairs of rows: a few in float64, many in the precision of the keys."""
    many = len(hypo) >= len(space) and space.dtype != "float64"
    return Scorer(space, np.float32 if many else np.float64).score(hypo, hyper)


class Scorer:
    """Scores of pairs of rows, in one precision; each word is mapped when it is first met, and kept.

    What it keeps is as large as the words that it has met. With `whole` tables, which have all words of both sides,
    nothing is mapped or kept, so that the scores do not depend on what was asked before, and threads may share it.

    >>> import entvec
    >>> from entvec.bundled import toy_world
    >>> world = toy_world()
    >>> toys = entvec.Vectors(world.words, world.log_odds())
    >>> space = entvec.EntailmentSpace.from_vectors(toys, interpretation="log_odds")
    >>> dog, animal = toys.rows(["dog", "animal"])
    >>> there, back = Scorer(space).score(np.array([dog, animal]), np.array([animal, dog]))
    >>> bool(there > back)
    True
    """

    def __init__(
        self, space: EntailmentSpace, dtype: Any = np.float32, *, whole: Mapping[Side, Floats] | None = None
    ) -> None:
        self.space = space
        self._exact = space.model.operator.maps == "exact"
        self._whole = whole
        self._sides = {side: _Met(space, side, np.dtype(dtype), inner_products=self._exact) for side in OTHER}

    def score(self, hypo: Rows, hyper: Rows) -> NDArray[np.float64]:
        """The scores, in the order of the pairs."""
        found = np.empty(len(hypo))
        if not len(hypo):
            return found
        ys, y_at = self._places("hypo", hypo)
        xs, x_at = self._places("hyper", hyper)
        # Neighbours share their hypo, and their hypers are near each other: what is gathered is in the cache already,
        # where random rows would not be.
        near = max(1, BYTES_NEAR // xs[:1].nbytes)
        order = np.argsort(x_at // near * np.int64(len(ys)) + y_at)
        y_at, x_at = y_at[order], x_at[order]
        step = max(1, NUMBERS_AT_ONCE // ys.shape[1])
        y_block, x_block = (np.empty((min(step, len(hypo)), ys.shape[1]), ys.dtype) for _ in OTHER)
        scores = np.empty(len(hypo), ys.dtype)
        for first in range(0, len(hypo), step):
            some = slice(first, first + step)
            y, x = y_block[: len(y_at[some])], x_block[: len(y_at[some])]
            np.take(ys, y_at[some], axis=0, out=y, mode="clip")  # the mode that needs no buffer; none is out of range
            np.take(xs, x_at[some], axis=0, out=x, mode="clip")
            scores[some] = self._products(y, x) if self._exact else self._by_operator(y, x)
        found[order] = scores
        return found

    def _places(self, side: Side, rows: Rows) -> tuple[Floats, Rows]:
        return self._sides[side].places(rows) if self._whole is None else (self._whole[side], rows)

    def _products(self, y: Floats, x: Floats) -> Floats:
        """The last column of a whole table of keys is hubness."""
        return np.asarray(np.vecdot(y, x) if self._whole is None else np.vecdot(y[:, :-1], x[:, :-1]))

    def _by_operator(self, y: Floats, x: Floats) -> Floats:
        """For what is no inner product; the last column is the offset."""
        return np.asarray(self.space.model.operator.score(y[:, :-1], x[:, :-1]) + y[:, -1] + x[:, -1])


class _Met:
    """The words that were met on one side, mapped: a table that grows."""

    def __init__(self, space: EntailmentSpace, side: Side, dtype: np.dtype[Any], *, inner_products: bool) -> None:
        self.space, self.side, self.dtype, self.inner_products = space, side, dtype, inner_products
        self._at = np.full(len(space), -1, dtype=np.intp)
        self._table = np.empty((0, 0), dtype=dtype)
        self._n = 0

    def places(self, rows: Rows) -> tuple[Floats, NDArray[np.intp]]:
        """A table, and where in it each of these rows of the vocabulary is."""
        at = self._at[rows]
        if at.min() < 0:
            self._add(np.unique(rows[at < 0]))
            at = self._at[rows]
        return self._table, at

    def _add(self, new: Rows) -> None:
        """Map words and put them after the others; a table that is too small makes way for one twice as large."""
        width = self._mapped(new[:1]).shape[1]
        needed = self._n + len(new)
        table = self._table
        if needed > len(table):
            table = np.empty((min(max(needed, 2 * len(table)), len(self.space)), width), dtype=self.dtype)
            table[: self._n] = self._table[: self._n].reshape(self._n, width)

        def fill(first: int) -> None:
            some = new[first : first + MAPPED_AT_ONCE]
            table[self._n + first : self._n + first + len(some)] = self._mapped(some)

        in_threads(fill, range(0, len(new), MAPPED_AT_ONCE))
        self._at[new] = np.arange(self._n, needed)
        self._table, self._n = table, needed

    def _mapped(self, rows: Rows) -> Floats:
        reading = self.space.model
        exact = self.space.dtype == "float32"  # keys of 16 bits have lost digits
        if self.inner_products and exact and self.dtype != np.float64 and self.space.is_prepared_for(self.side):
            return self.space.prepared(self.side).keys.decoded(rows)[:, :-1]  # the last column is hubness
        vectors = self.space.vectors.take(rows).matrix.astype(self.dtype, copy=False)
        if self.inner_products:
            return np.asarray(reading.mapped(self.side, vectors))
        return _odds(reading, self.side, vectors)


def _odds(reading: Model, side: Side, vectors: Floats) -> Floats:
    """Log-odds, and the offset in the last column."""
    return np.concatenate([reading.log_odds(side, vectors), reading.offset(side, vectors)[:, None]], axis=1)


def fill_whole(space: EntailmentSpace, side: Side, make: Callable[[int], Floats]) -> None:
    """Put all words of a side into the table that `make` makes, for an operator whose maps are not exact.

    How many columns it must have depends on the operator, so `make` is told.
    """
    some = space.vectors.take(np.arange(min(1, len(space)))).matrix
    table = make(_odds(space.model, side, some).shape[1])

    def fill(start: int) -> None:
        rows = np.arange(start, min(start + MAPPED_AT_ONCE, len(space)))
        vectors = space.vectors.take(rows).matrix.astype(table.dtype, copy=False)
        table[start : start + len(rows)] = _odds(space.model, side, vectors)

    in_threads(fill, range(0, len(space), MAPPED_AT_ONCE))


def scan(space: EntailmentSpace, side: Side, vectors: Floats, k: int, among: Rows | None, specificity: float) -> Hits:
    """The best words by the operator itself, for what its maps cannot tell: slow, and always right."""
    vectors = vectors.astype(np.float64, copy=False)
    rows = np.arange(len(space)) if among is None else among
    k = min(k, len(rows))
    found = Hits(np.full((len(vectors), k), -1, np.int64), np.full((len(vectors), k), -np.inf))
    hubness = space.prepared(OTHER[side]).hubness(rows) if specificity and space.model.indexable else None

    def scores_of(several: Floats) -> Floats:
        scores = np.empty((len(several), len(rows)))

        def fill(first: int) -> None:
            some = rows[first : first + SCANNED_AT_ONCE]
            block = space.vectors.take(some).matrix.astype(np.float64)
            for i, vector in enumerate(several):
                into = scores[i, first : first + SCANNED_AT_ONCE]
                into[:] = score_sides(space.model, side, vector[None], block)
                if hubness is not None:
                    into -= specificity * hubness[first : first + SCANNED_AT_ONCE]

        in_threads(fill, range(0, len(rows), SCANNED_AT_ONCE))
        return scores

    at_once = max(1, SCORES_AT_ONCE // max(1, len(rows)))
    for first in range(0, len(vectors), at_once):
        for i, scores in enumerate(scores_of(vectors[first : first + at_once]), start=first):
            best = np.argsort(-scores, kind="stable")[:k]
            found.rows[i], found.scores[i] = rows[best], scores[best]
    return found
