"""The vocabulary as keys of a search: computed once, a block at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from entvec.space.reading import Floats, Side, first
from entvec.space.search import Keys, Rows, in_threads
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
    vectors = space.vectors
    stored = np.empty((len(vectors), space.width(side)), dtype=DTYPES[space.dtype].stored)
    # What low-rank maps promise is for float64.
    exact: Any = np.float64 if space.dtype == "float64" or space.reading.low_rank is not None else np.float32
    space.hubness(side, first(vectors))  # whatever it keeps is made before the threads begin

    def fill(start: int) -> float:
        rows = slice(start, start + ROWS_AT_ONCE)
        block = vectors.take(np.arange(*rows.indices(len(vectors)))).matrix.astype(exact, copy=False)
        mapped = space.reading.mapped(side, block)
        made = np.concatenate([mapped, space.hubness(side, block, mapped)[:, None]], axis=1)
        stored[rows] = encode(made, space.dtype)
        return float(np.einsum("ij,ij->i", made, made, dtype=np.float64).max())

    squares = in_threads(fill, range(0, len(vectors), ROWS_AT_ONCE))
    longest = float(np.sqrt(max(squares, default=0.0))) * (1 + 2.0**-7)  # 16 bits may round upwards
    return Prepared(Keys(stored, space.dtype), longest)
