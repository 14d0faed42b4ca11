"""Score given pairs of words, a few or millions: map each word once; the score of a pair is an inner product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.model.model import OTHER, Model, Side
from entvec.runtime import blocks, in_threads
from entvec.search.key_table import KeyTable
from entvec.vectors.vocabulary import Vocabulary, first

NUMBERS_AT_ONCE = 1 << 17
"""The numbers of each side that are gathered at once: 0.5 MB of float32 stay in the cache until they are multiplied."""
BLOCKS_A_TASK = 8
"""To hand a block to a thread takes a third of the time that it takes to score it, so a thread gets several."""
WORDS = 1024
"""Words that are mapped at once: temporary arrays of this many stay in the cache."""
BYTES_NEAR = 1 << 20
"""Pairs are sorted into groups whose hypers have this many bytes, which stay in the cache of a core."""


class Scorer:
    """Scores pairs of rows. It maps each word once, when a pair first has it, and stores the mapped vector.

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

    Parameters
    ----------
    model, vocabulary
        The model that scores, and the words whose rows make the pairs.
    dtype
        The dtype of the computation. Scores in float32 differ from those in float64 by rounding, by at most 1e-5 of
        their size in the tests.
    keys
        A key table; float32 keys that it has computed are used instead of mapping the words again.
    tables
        The mapped vectors of all words of both sides. With them the scorer stores nothing: threads may
        share it, and scores do not depend on earlier calls.
    """

    def __init__(
        self,
        model: Model,
        vocabulary: Vocabulary,
        dtype: Any = np.float32,
        *,
        keys: KeyTable | None = None,
        tables: Mapping[Side, AnyFloats] | None = None,
    ) -> None:
        self._model = model
        self._inner_products = model.operator.maps == "exact"
        self._columns = slice(-1 if tables is not None and self._inner_products else None)  # the last one is hubness
        # Plain arrays: a part of a memory map is one too, which takes as long as to gather a few rows.
        self._tables = None if tables is None else {side: np.asarray(table) for side, table in tables.items()}
        usable = self._inner_products and keys is not None and keys.dtype == "float32" and dtype == np.float32
        self._sides = {
            side: _MappedWords(model, vocabulary, side, np.dtype(dtype), keys if usable else None) for side in OTHER
        }

    def score(self, hypo: Rows, hyper: Rows) -> NDArray[np.float64]:
        """Return the scores, in the order of the pairs."""
        result = np.empty(len(hypo))
        if not len(hypo):
            return result
        ys, y_at = self._places("hypo", hypo)
        xs, x_at = self._places("hyper", hyper)
        # Sorted by groups of hypers and then by hypo, so that rows to gather are in the cache already.
        near = max(1, BYTES_NEAR // xs[:1].nbytes)
        order = np.argsort(x_at // near * np.int64(len(ys)) + y_at)
        y_at, x_at = y_at[order], x_at[order]

        at_once = min(len(hypo), max(1, NUMBERS_AT_ONCE // ys.shape[1]))

        def fill(task: slice) -> None:
            gathered = np.empty((2, at_once, ys.shape[1]), ys.dtype)
            for start in range(task.start, task.stop, at_once):
                block = slice(start, min(start + at_once, task.stop))
                y, x = gathered[:, : block.stop - start]
                ys.take(y_at[block], 0, y, "clip")  # the mode that needs no copy; no row is out of range
                xs.take(x_at[block], 0, x, "clip")
                y, x = y[:, self._columns], x[:, self._columns]
                result[order[block]] = np.vecdot(y, x) if self._inner_products else self._by_operator(y, x)

        in_threads(fill, blocks(len(hypo), at_once * BLOCKS_A_TASK))
        return result

    def _places(self, side: Side, rows: Rows) -> tuple[AnyFloats, Rows]:
        return self._sides[side].places(rows) if self._tables is None else (self._tables[side], rows)

    def _by_operator(self, y: AnyFloats, x: AnyFloats) -> AnyFloats:
        return np.asarray(self._model.operator.score(y[:, :-1], x[:, :-1]) + y[:, -1] + x[:, -1])


class _MappedWords:
    """A table of mapped words of one side, which grows with each new word."""

    def __init__(
        self, model: Model, vocabulary: Vocabulary, side: Side, dtype: np.dtype[Any], keys: KeyTable | None
    ) -> None:
        self._model, self._vocabulary, self._side, self._dtype, self._keys = model, vocabulary, side, dtype, keys
        self._at = np.full(len(vocabulary), -1, dtype=np.intp)
        self._table = np.empty((0, 0), dtype=dtype)
        self._n = 0

    def places(self, rows: Rows) -> tuple[AnyFloats, NDArray[np.intp]]:
        """Return the table, and the position in it of each of these rows of the vocabulary."""
        at = self._at[rows]
        if at.min() < 0:
            self._add(np.unique(rows[at < 0]))
            at = self._at[rows]
        return self._table, at

    def _add(self, new: Rows) -> None:
        """Map words and append them to the table; allocate twice the size if it is full."""
        width = self._mapped(new[:1]).shape[1]
        needed = self._n + len(new)
        table = self._table
        if needed > len(table):
            table = np.empty((min(max(needed, 2 * len(table)), len(self._at)), width), dtype=self._dtype)
            table[: self._n] = self._table[: self._n].reshape(self._n, width)

        added = table[self._n : needed]

        def fill(rows: slice) -> None:
            added[rows] = self._mapped(new[rows])

        in_threads(fill, blocks(len(new), WORDS))
        self._at[new] = np.arange(self._n, needed)
        self._table, self._n = table, needed

    def _mapped(self, rows: Rows) -> AnyFloats:
        if self._keys is not None and self._side in self._keys.computed:
            return self._keys[self._side].decoded(rows)[:, :-1]
        vectors = self._vocabulary.take(rows).matrix.astype(self._dtype, copy=False)
        if self._model.operator.maps == "exact":
            return np.asarray(self._model.mapped(self._side, vectors))
        return self._model.log_odds_and_offset(self._side, vectors)


def fill_table(model: Model, vocabulary: Vocabulary, side: Side, make: Callable[[int], AnyFloats]) -> None:
    """Fill a table for `Scorer(tables=...)` with all words of a side, for an operator whose maps are not exact.

    Parameters
    ----------
    model, vocabulary
        The model that maps, and the words.
    side
        The side of the words.
    make
        Returns an empty table with a given number of columns.
    """
    table = make(model.log_odds_and_offset(side, first(vocabulary)).shape[1])

    def fill(rows: slice) -> None:
        vectors = vocabulary.take(np.arange(rows.start, rows.stop)).matrix.astype(table.dtype, copy=False)
        table[rows] = model.log_odds_and_offset(side, vectors)

    in_threads(fill, blocks(len(vocabulary), WORDS))
