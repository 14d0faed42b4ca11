"""Scores of given pairs of words, a few or millions: each word is mapped once, and a pair is one inner product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import OTHER, Floats, Model, Side
from entvec.runtime import in_threads
from entvec.search.key_table import KeyTable
from entvec.vectors.vocabulary import Rows, Vocabulary

NUMBERS_AT_ONCE = 1 << 16
"""Numbers of each side that are gathered together: 0.25 MB are still in the cache when they are multiplied."""
BYTES_NEAR = 1 << 20
"""Bytes of hypers that stay in the cache of a core and are read again and again, while the hypos pass by once."""
MAPPED_AT_ONCE = 2048


class Scorer:
    """Scores pairs of rows in one dtype; each word is mapped when it is first met, and its mapped vector is kept.

    Parameters
    ----------
    model, vocabulary
        What scores, and the words whose rows the pairs are made of.
    dtype
        Of the computation. Scores in float32 differ from those in float64 by rounding: tests bound it by 1e-5 of
        their size.
    keys
        Keys that may be there already; those of float32 are used instead of mapping the words again.
    tables
        Tables with all words of both sides. Then nothing is mapped or kept, so that scores do not depend on what was
        asked before, and threads may share the scorer.

    >>> from entvec.bundled import toy_world
    >>> from entvec.model import choose
    >>> from entvec.vectors import Vectors
    >>> world = toy_world()
    >>> toys = Vectors(world.words, world.log_odds())
    >>> dog, animal = toys.rows(["dog", "animal"])
    >>> scorer = Scorer(choose(toys, interpretation="log_odds"), toys)
    >>> there, back = scorer.score(np.array([dog, animal]), np.array([animal, dog]))
    >>> bool(there > back)
    True
    """

    def __init__(
        self,
        model: Model,
        vocabulary: Vocabulary,
        dtype: Any = np.float32,
        *,
        keys: KeyTable | None = None,
        tables: Mapping[Side, Floats] | None = None,
    ) -> None:
        self._model = model
        self._inner_products = model.operator.maps == "exact"
        self._tables = tables
        usable = self._inner_products and keys is not None and keys.dtype == "float32" and dtype == np.float32
        self._sides = {
            side: _MappedWords(model, vocabulary, side, np.dtype(dtype), keys if usable else None) for side in OTHER
        }

    def score(self, hypo: Rows, hyper: Rows) -> NDArray[np.float64]:
        """Return the scores, in the order of the pairs."""
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
            scores[some] = self._products(y, x) if self._inner_products else self._by_operator(y, x)
        found[order] = scores
        return found

    def _places(self, side: Side, rows: Rows) -> tuple[Floats, Rows]:
        return self._sides[side].places(rows) if self._tables is None else (self._tables[side], rows)

    def _products(self, y: Floats, x: Floats) -> Floats:
        # The last column of a table of keys is hubness.
        return np.asarray(np.vecdot(y, x) if self._tables is None else np.vecdot(y[:, :-1], x[:, :-1]))

    def _by_operator(self, y: Floats, x: Floats) -> Floats:
        return np.asarray(self._model.operator.score(y[:, :-1], x[:, :-1]) + y[:, -1] + x[:, -1])


class _MappedWords:
    """The words that were met on one side, mapped: a table that grows."""

    def __init__(
        self, model: Model, vocabulary: Vocabulary, side: Side, dtype: np.dtype[Any], keys: KeyTable | None
    ) -> None:
        self._model, self._vocabulary, self._side, self._dtype, self._keys = model, vocabulary, side, dtype, keys
        self._at = np.full(len(vocabulary), -1, dtype=np.intp)
        self._table = np.empty((0, 0), dtype=dtype)
        self._n = 0

    def places(self, rows: Rows) -> tuple[Floats, NDArray[np.intp]]:
        """Return the table, and where in it each of these rows of the vocabulary is."""
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
            table = np.empty((min(max(needed, 2 * len(table)), len(self._at)), width), dtype=self._dtype)
            table[: self._n] = self._table[: self._n].reshape(self._n, width)

        def fill(first: int) -> None:
            some = new[first : first + MAPPED_AT_ONCE]
            table[self._n + first : self._n + first + len(some)] = self._mapped(some)

        in_threads(fill, range(0, len(new), MAPPED_AT_ONCE))
        self._at[new] = np.arange(self._n, needed)
        self._table, self._n = table, needed

    def _mapped(self, rows: Rows) -> Floats:
        if self._keys is not None and self._side in self._keys.made:
            return self._keys[self._side].decoded(rows)[:, :-1]
        vectors = self._vocabulary.take(rows).matrix.astype(self._dtype, copy=False)
        if self._model.operator.maps == "exact":
            return np.asarray(self._model.mapped(self._side, vectors))
        return _log_odds(self._model, self._side, vectors)


def _log_odds(model: Model, side: Side, vectors: Floats) -> Floats:
    """Return log-odds, and the offset in the last column."""
    return np.concatenate([model.log_odds(side, vectors), model.offset(side, vectors)[:, None]], axis=1)


def fill_table(model: Model, vocabulary: Vocabulary, side: Side, make: Callable[[int], Floats]) -> None:
    """Put all words of a side into a table that a `Scorer` takes, for an operator whose maps are not exact.

    `make` is called with the number of columns, which depends on the operator, and returns the table to fill.
    """
    some = vocabulary.take(np.arange(min(1, len(vocabulary)))).matrix
    table = make(_log_odds(model, side, some).shape[1])

    def fill(start: int) -> None:
        rows = np.arange(start, min(start + MAPPED_AT_ONCE, len(vocabulary)))
        vectors = vocabulary.take(rows).matrix.astype(table.dtype, copy=False)
        table[start : start + len(rows)] = _log_odds(model, side, vectors)

    in_threads(fill, range(0, len(vocabulary), MAPPED_AT_ONCE))
