"""The key table: a vocabulary in memory as a search needs it. Keys are computed once, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Protocol

import numpy as np

from entvec.model.hubness import Hubness
from entvec.model.model import OTHER, Floats, Model, Side
from entvec.runtime import in_threads
from entvec.search.exact import rounding
from entvec.search.keys import Keys
from entvec.search.request import Request
from entvec.theory.arrays import Array, namespace
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DTYPES, DtypeName, encode
from entvec.vectors.vocabulary import Rows, first

ROWS_AT_ONCE = 2048
QUERIES_AT_ONCE = 1024


class Cache(Protocol):
    """Keeps keys for other processes."""

    def load(self, table: KeyTable, side: Side, /) -> Keys | None:
        """Return the keys of one side, if they are there."""
        ...

    def save(self, side: Side, keys: Keys, /) -> None:
        """Keep the keys of one side."""
        ...


class KeyTable:
    """A vocabulary in memory under a model: the keys of each side, made when they are first needed.

    Parameters
    ----------
    model
        What maps vectors to keys.
    vocabulary
        The words and their vectors.
    dtype
        How keys are stored: 16 bits take half the memory, and lose digits.
    keys
        Keys that were made before.
    cache
        Where keys are looked for before they are made, and kept for other processes.
    """

    def __init__(
        self,
        model: Model,
        vocabulary: Vectors,
        dtype: DtypeName = "float32",
        keys: Mapping[Side, Keys] | None = None,
        *,
        cache: Cache | None = None,
    ) -> None:
        self.model, self.vocabulary, self.dtype = model, vocabulary, dtype
        self.hubness = Hubness(model, vocabulary)
        self._cache = cache
        self.made: dict[Side, Keys] = dict(keys or {})
        """The sides whose keys are there."""

    def with_model(self, model: Model) -> KeyTable:
        """Return the table under a model with the same scores: other probabilities or another default of rankings."""
        table = KeyTable(model, self.vocabulary, self.dtype, cache=self._cache)
        table.hubness, table.made = self.hubness, self.made
        return table

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __getitem__(self, side: Side) -> Keys:
        if side not in self.made and self._cache is not None and (keys := self._cache.load(self, side)) is not None:
            self.made[side] = keys
        if side not in self.made:
            # The error bound of low-rank maps is proven for float64.
            exact = self.dtype == "float64" or self.model.low_rank is not None
            computed = np.float64 if exact else np.float32
            self.make(side, lambda vectors: self.keys_of(side, vectors.astype(computed, copy=False)))
            if self._cache is not None:
                self._cache.save(side, self.made[side])
        return self.made[side]

    def width(self, side: Side) -> int:
        """Return how many numbers a key has."""
        return self._widths[side]

    @cached_property
    def _widths(self) -> dict[Side, int]:
        vector = first(self.vocabulary)
        return {side: 1 + int(self.model.mapped(side, vector).shape[1]) for side in OTHER}

    def keys_of(self, side: Side, vectors: Array) -> Array:
        """Return the keys of some vectors, in their dtype and on their device."""
        mapped = self.model.mapped(side, vectors)
        return namespace(mapped).concat([mapped, self.hubness.of(side, vectors, mapped)[:, None]], axis=1)

    def make(self, side: Side, compute: Callable[[Floats], Floats], at_once: int = ROWS_AT_ONCE) -> None:
        """Make all keys of one side by a function of the vectors of some words, `at_once` words at a time."""
        vectors = self.vocabulary
        stored = np.empty((len(vectors), self.width(side)), dtype=DTYPES[self.dtype].stored)
        self.hubness.of(side, first(vectors))  # computes what the threads share before they begin

        def fill(start: int) -> float:
            rows = slice(start, start + at_once)
            made = compute(vectors.take(np.arange(*rows.indices(len(vectors)))).matrix)
            stored[rows] = encode(made, self.dtype)
            return float(np.einsum("ij,ij->i", made, made, dtype=np.float64).max())

        squares = in_threads(fill, range(0, len(vectors), at_once))
        longest = float(np.sqrt(max(squares, default=0.0))) * (1 + 2.0**-7)  # 16 bits may round upwards
        self.made[side] = Keys(stored, self.dtype, longest)

    # Queries

    def queries(self, request: Request) -> Floats:
        """Return the vectors whose products with the keys of the other side order the words."""
        made = np.empty((len(request), self.width(OTHER[request.side])))
        made[:, -1] = -request.specificity

        def fill(start: int) -> None:
            some = slice(start, start + QUERIES_AT_ONCE)
            vectors = request.vectors[some].astype(np.float64, copy=False)
            made[some, :-1] = self.model.mapped(request.side, vectors)

        in_threads(fill, range(0, len(request), QUERIES_AT_ONCE))
        return made

    def error_bound(self, request: Request, queries: Floats) -> Floats:
        """Return how far a product in float32 may be from the exact score, for each query."""
        error = self.model.error(self.vocabulary.dimension)
        longest = self[OTHER[request.side]].longest
        return np.asarray(rounding(queries, longest, np.dtype(np.float32)) + error)

    def rescorer(self, request: Request, queries: Floats) -> Callable[[int, Rows], Floats]:
        """Return the function that gives the exact scores of a query, by its number, with the words of some rows."""
        keys = self[OTHER[request.side]]

        def by_keys(query: int, rows: Rows) -> Floats:
            # Row by row: a product of many rows is rounded in another way for each number of them.
            return np.asarray(np.vecdot(keys.decoded(rows).astype(np.float64), queries[query]))

        def by_operator(query: int, rows: Rows) -> Floats:
            here = request.vectors[query][None].astype(np.float64)
            there = self.vocabulary.take(rows).matrix.astype(np.float64)
            scores = self.model.score_from(request.side, here, there)
            return np.asarray(scores - request.specificity * keys.hubness(rows))

        return by_keys if self.model.low_rank is None else by_operator
