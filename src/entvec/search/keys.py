"""The vocabulary as keys of a search: computed once, a block at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from entvec.model.model import Floats, Side, first
from entvec.runtime import in_threads
from entvec.search.exact import Keys, Rows
from entvec.theory.arrays import Array, namespace
from entvec.vectors.dtypes import DTYPES, decode, encode

if TYPE_CHECKING:
    from entvec.space.space import EntailmentSpace

ROWS_AT_ONCE = 2048


class Prepared(NamedTuple):
    """The keys of one side, hubness in the last column, and the length of the longest."""

    keys: Keys
    longest: float

    def hubness(self, rows: Rows) -> Floats:
        """How readily everything entails these words, or they entail everything."""
        return decode(self.keys.stored[rows, -1], self.keys.dtype).astype(np.float64)


def prepare(space: EntailmentSpace, side: Side) -> Prepared:
    """Map all words of a space as hypos or as hypers."""
    # What low-rank maps promise is for float64.
    exact: Any = np.float64 if space.dtype == "float64" or space.model.low_rank is not None else np.float32

    def make(vectors: Floats) -> Floats:
        made: Floats = keys_of(space, side, vectors.astype(exact, copy=False))
        return made

    return prepare_by(make, space, side, ROWS_AT_ONCE)


def keys_of(space: EntailmentSpace, side: Side, vectors: Array) -> Array:
    """The keys of some words, in the precision and the place of their vectors."""
    mapped = space.model.mapped(side, vectors)
    return namespace(mapped).concat([mapped, space.hubness(side, vectors, mapped)[:, None]], axis=1)


def prepare_by(make: Callable[[Floats], Floats], space: EntailmentSpace, side: Side, at_once: int) -> Prepared:
    """The keys of all words, made by a function of the vectors of some."""
    vectors = space.vectors
    stored = np.empty((len(vectors), space.width(side)), dtype=DTYPES[space.dtype].stored)
    space.hubness(side, first(vectors))  # whatever it keeps is made before the threads begin

    def fill(start: int) -> float:
        rows = slice(start, start + at_once)
        made = make(vectors.take(np.arange(*rows.indices(len(vectors)))).matrix)
        stored[rows] = encode(made, space.dtype)
        return float(np.einsum("ij,ij->i", made, made, dtype=np.float64).max())

    squares = in_threads(fill, range(0, len(vectors), at_once))
    longest = float(np.sqrt(max(squares, default=0.0))) * (1 + 2.0**-7)  # 16 bits may round upwards
    return Prepared(Keys(stored, space.dtype), longest)
