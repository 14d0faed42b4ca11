"""The key table: the keys of a vocabulary in memory, computed once, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.model.fingerprint import fingerprint
from entvec.model.hubness import Hubness
from entvec.model.model import OTHER, Model, Side
from entvec.runtime import blocks, in_threads
from entvec.search.exact import rounding_bound
from entvec.search.key_cache import KeyCache
from entvec.search.keys import Keys
from entvec.search.request import Request
from entvec.theory.arrays import Array, namespace
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DTYPES, DtypeName, encode
from entvec.vectors.vocabulary import first

QUERIES_AT_ONCE = 1024
WORDS = 2048
"""Words whose keys are computed at once: temporary arrays of this many stay in the cache."""
USUAL = (1e-4, 1e2)
"""Between these sizes of the largest number of a vector, float32 computes keys nearly as well as float64."""
NEGLIGIBLE = 1e-12
"""A column of keys may be lost if its numbers are this part of those of the vectors, or of their squares."""
CHECKED = 16
"""How many words have their keys computed and compared before cached keys are used."""


class KeyTable:
    """The keys of a vocabulary in memory under a model: those of a side are computed when they are first needed.

    >>> from entvec.bundled import toy_world
    >>> from entvec.model import choose
    >>> toys = Vectors(toy_world().words, toy_world().log_odds())
    >>> table = KeyTable(choose(toys, interpretation="log_odds"), toys)
    >>> table["hyper"].stored.shape == (len(toys), table.width("hyper"))
    True

    Parameters
    ----------
    model
        Maps vectors to keys.
    vocabulary
        The words and their vectors.
    dtype
        The dtype of the stored keys: 16 bits take half the memory of float32, and lose digits.
    keys
        Keys that were computed before.
    cache
        Stores keys for other processes; keys that it has are not computed again.
    """

    def __init__(
        self,
        model: Model,
        vocabulary: Vectors,
        dtype: DtypeName = "float32",
        keys: Mapping[Side, Keys] | None = None,
        *,
        cache: KeyCache | None = None,
    ) -> None:
        self.model, self.vocabulary, self.dtype = model, vocabulary, dtype
        self.hubness = Hubness(model, vocabulary)
        self._cache = cache
        self._fingerprint: str | None = None
        self.computed: dict[Side, Keys] = dict(keys or {})
        """The keys that were computed or loaded so far, by side."""

    def with_model(self, model: Model) -> KeyTable:
        """Return the same keys under a model with the same scores, but other probabilities or another specificity."""
        table = KeyTable(model, self.vocabulary, self.dtype, cache=self._cache)
        table.hubness, table.computed = self.hubness, self.computed
        return table

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def fingerprint(self) -> str:
        """A hash of all words, vectors and settings, computed once if nobody can change vectors or map in place."""
        learned = () if self.model.map is None else vars(self.model.map).values()
        if self._fingerprint is None or any(map(_writable, (self.vocabulary.stored, *learned))):
            self._fingerprint = fingerprint(self.model, self.vocabulary, self.dtype)
        return self._fingerprint

    def __getitem__(self, side: Side) -> Keys:
        self.model.check_indexable("words have no keys; hypernyms and hyponyms are found by a scan")
        if side not in self.computed and not self._load(side):
            # The error bound of low-rank maps is proven for float64.
            exact = self.dtype == "float64" or self.model.low_rank is not None
            dtype = np.float64 if exact else np.float32
            self.compute(side, lambda vectors: self.keys_of(side, vectors.astype(dtype, copy=False)))
            if self._cache is not None:
                self._cache.save(side, self.computed[side])
        return self.computed[side]

    def _load(self, side: Side) -> bool:
        """Return whether the cache has the keys that are now computed for a few words: the code may have changed."""
        keys = None if self._cache is None else self._cache.load(side, self.dtype)
        if keys is None or keys.stored.shape != (len(self), self.width(side)):
            return False
        rows = np.linspace(0, len(self) - 1, min(CHECKED, len(self))).astype(np.int64)
        expected: Any = self.keys_of(side, self.vocabulary.take(rows).matrix.astype(np.float64))
        if not np.allclose(keys.decoded(rows), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max(initial=0.0)):
            return False
        self.computed[side] = keys
        return True

    def width(self, side: Side) -> int:
        """Return the number of columns of a key."""
        return self._widths[side]

    @cached_property
    def _widths(self) -> dict[Side, int]:
        vector = first(self.vocabulary)
        return {side: 1 + int(self.model.mapped(side, vector).shape[1]) for side in OTHER}

    def keys_of(self, side: Side, vectors: Array) -> Array:
        """Return the keys of some vectors, in the dtype and on the device of the vectors."""
        mapped = self.model.mapped(side, vectors)
        return namespace(mapped).concat([mapped, self.hubness.of(side, vectors, mapped)[:, None]], axis=1)

    def compute(self, side: Side, keys_of: Callable[[AnyFloats], AnyFloats], at_once: int | None = None) -> None:
        """Compute and store all keys of one side, with another function than `keys_of`.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> table = KeyTable(choose(toys, interpretation="log_odds"), toys)
        >>> table.compute("hyper", lambda vectors: table.keys_of("hyper", vectors))
        >>> len(table["hyper"].stored) == len(toys)
        True

        Parameters
        ----------
        side
            The side of the keys.
        keys_of
            Returns the keys of some vectors. Several threads call it.
        at_once
            How many words each call gets.
        """
        vectors = self.vocabulary
        stored = np.empty((len(vectors), self.width(side)), dtype=DTYPES[self.dtype].stored)

        def store(rows: slice, keys: AnyFloats) -> float:
            stored[rows] = encode(keys, self.dtype)
            return float(np.einsum("ij,ij->i", keys, keys, dtype=np.float64).max())

        def fill(rows: slice) -> float:
            block = vectors.take(np.arange(rows.start, rows.stop)).matrix
            sizes = np.abs(block).max(axis=1, initial=0.0)
            if ((sizes == 0) | ((sizes >= USUAL[0]) & (sizes <= USUAL[1]))).all():
                with suppress(InvalidInput):  # the mean of all words, which is in every key, may be unusual
                    return store(rows, keys_of(block))
            return store(rows, self._careful(side, block, rows.start))

        with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
            self.hubness.of(side, first(vectors))  # computes the mean that all threads use before they start
            squares = in_threads(fill, blocks(len(vectors), at_once or WORDS))
        longest = float(np.sqrt(max(squares, default=0.0))) * (1 + 2.0**-7)  # 16 bits may round up
        self.computed[side] = Keys(stored, self.dtype, longest)

    def _careful(self, side: Side, vectors: AnyFloats, first_row: int) -> AnyFloats:
        """Return the keys of vectors of any size; raise InvalidInput if the dtype of the table cannot store one."""
        keys: AnyFloats = self.keys_of(side, vectors.astype(np.float64))
        limits = np.finfo(np.float32 if self.dtype == "bfloat16" else self.dtype)
        sizes, numbers = np.abs(vectors).max(axis=1, initial=0.0), np.abs(keys)
        large = ~(numbers.max(axis=1) <= limits.max)
        if large.any():
            self._refuse(first_row + int(np.argmax(large)), sizes[large][0], f"above {limits.max:.3g}")
        nothing = np.zeros((1, vectors.shape[1]))
        if self.model.score(nothing, nothing)[0] == 0:  # scores are as small as the vectors: no column may be lost
            columns, size = numbers.max(axis=0), float(sizes.max())
            negligible = NEGLIGIBLE * size * min(1.0, size)
            if ((columns < limits.smallest_normal) & (columns > negligible)).any():
                self._refuse(first_row + int(np.argmax(sizes)), size, f"below {limits.smallest_normal:.3g}")
        return keys

    def _refuse(self, row: int, size: float, numbers: str) -> NoReturn:
        raise InvalidInput(
            f"the vector of {self.vocabulary.words[row]!r} has numbers up to {size:.2g}, and its key under "
            f"{self.model.name} numbers {numbers}, which {self.dtype} cannot store; scale the vectors, or choose "
            "another dtype of keys"
        )

    # Queries

    def queries(self, request: Request) -> AnyFloats:
        """Return the mapped queries: their products with the keys of the other side are the scores that order words."""
        queries = np.empty((len(request), self.width(OTHER[request.side])))
        queries[:, -1] = -request.specificity

        def fill(block: slice) -> None:
            vectors = request.vectors[block].astype(np.float64, copy=False)
            with np.errstate(over="ignore"):
                queries[block, :-1] = self.model.mapped(request.side, vectors)

        in_threads(fill, blocks(len(request), QUERIES_AT_ONCE))
        return queries

    def error_bound(self, request: Request, queries: AnyFloats) -> AnyFloats:
        """Return for each query how far a product in float32 may be from the exact score."""
        error = self.model.error(self.vocabulary.dimension)
        longest = self[OTHER[request.side]].longest
        return np.asarray(rounding_bound(queries, longest, np.dtype(np.float32)) + error)

    def rescorer(self, request: Request, queries: AnyFloats) -> Callable[[int | Rows, Rows], AnyFloats]:
        """Return a function of the number of a query, or one for each row, and rows; it returns the exact scores."""
        keys = self[OTHER[request.side]]

        def by_keys(query: int | Rows, rows: Rows) -> AnyFloats:
            # One product per row: the rounding of a matrix product depends on the number of rows.
            return np.asarray(np.vecdot(keys.decoded(rows).astype(np.float64), queries[query]))

        def by_operator(query: int | Rows, rows: Rows) -> AnyFloats:
            here = np.atleast_2d(request.vectors[query]).astype(np.float64)
            there = self.vocabulary.take(rows).matrix.astype(np.float64)
            scores = self.model.score_from(request.side, here, there)
            return np.asarray(scores - request.specificity * keys.hubness(rows))

        return by_keys if self.model.low_rank is None else by_operator


def _writable(array: Any) -> bool:
    """Return whether this array, or one that it is a view of, may be written to."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False
