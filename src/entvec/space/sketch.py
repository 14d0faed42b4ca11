"""Keys in a quarter of the memory, for one query at a time: reading all keys is what takes the time then.

A key k is rounded to whole numbers from -127 to 127 of a step for each column, around the mean of the keys, so that
k = mean + step * coarse + error. With the mean query c, whose products with all keys are kept exactly,

    q . k = c . k + (q - c) . (mean + step * coarse) + (q - c) . error

of which only the last term is not known; it is at most |q - c| times the length of the longest error. That is small,
because queries are much like each other. So the sketch decides nearly everything, and exact scores the rest: the
answers are those of the keys.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.space.search import Floats, Keys, in_threads, units_of

ROWS_AT_ONCE = 4096
PRODUCTS_AT_ONCE = 512
"""Rows that become floats at a time: 0.6 MB of 300 columns, which stays in the cache for the product."""
LARGEST = 127


class Sketch(NamedTuple):
    """Coarse keys, in the place of `Keys` for a search; `translated` makes queries for it."""

    coarse: NDArray[np.int8]
    step: NDArray[np.float64]
    mean: NDArray[np.float64]
    centre: NDArray[np.float64]
    rest: NDArray[np.float32]
    """The last columns as they are, and the product of the key with the mean query."""
    longest_error: float
    longest_rest: float

    def __len__(self) -> int:
        return len(self.coarse)

    @property
    def computed(self) -> np.dtype[Any]:
        """The kind of number that products are computed in."""
        return np.dtype(np.float32)

    def translated(self, queries: Floats) -> tuple[Floats, Floats]:
        """Queries for the sketch, and how far its products may be from those of the keys."""
        width = len(self.step)
        off_centre = queries[:, :width] - self.centre
        constant = off_centre @ self.mean
        asked = np.column_stack([off_centre * self.step, queries[:, width:], np.ones(len(queries)), constant])
        lengths = np.linalg.norm(asked[:, :width], axis=1) * LARGEST * np.sqrt(width)
        lengths += np.linalg.norm(asked[:, width:-1], axis=1) * self.longest_rest + np.abs(constant)
        slack = np.linalg.norm(off_centre, axis=1) * self.longest_error + units_of(asked.shape[1] + 1) * lengths
        return asked, slack

    def products(self, queries: Floats, rows: slice, out: Floats) -> Floats:
        """The products of translated queries with the keys of these rows, nearly."""
        width = len(self.step)
        here, rest = queries[:, :width], queries[:, width:-1]
        buffer = np.empty((PRODUCTS_AT_ONCE, width), dtype=np.float32)
        np.matmul(rest, self.rest[rows].T, out=out)
        for first in range(rows.start, rows.stop, PRODUCTS_AT_ONCE):
            coarse = self.coarse[first : min(first + PRODUCTS_AT_ONCE, rows.stop)]
            block = buffer[: len(coarse)]
            np.copyto(block, coarse)
            out[:, first - rows.start : first - rows.start + len(coarse)] += here @ block.T
        out += queries[:, -1:]
        return out


def sketch(keys: Keys, centre: NDArray[np.float64]) -> Sketch:
    """A sketch of keys, whose first columns are asked for with queries around `centre`; the others are kept."""
    n, width = len(keys), len(centre)
    starts = range(0, n, ROWS_AT_ONCE)

    def sums(first: int) -> tuple[Floats, Floats, Floats]:
        block = keys.decoded(slice(first, first + ROWS_AT_ONCE))[:, :width]
        return block.sum(axis=0, dtype=np.float64), block.min(axis=0), block.max(axis=0)

    totals, lows, highs = (np.stack(column) for column in zip(*in_threads(sums, starts), strict=True))
    mean = totals.sum(axis=0) / n
    reach = np.maximum(highs.max(axis=0) - mean, mean - lows.min(axis=0))
    step = np.where(reach > 0, reach, 1.0) / LARGEST
    coarse = np.empty((n, width), dtype=np.int8)
    rest = np.empty((n, keys.stored.shape[1] - width + 1), dtype=np.float32)

    def fill(first: int) -> tuple[float, ...]:
        rows = slice(first, first + ROWS_AT_ONCE)
        block = keys.decoded(rows)
        rest[rows] = np.column_stack([block[:, width:], block[:, :width].astype(np.float64) @ centre])
        error = block[:, :width] - narrow_mean
        whole = error / narrow_step
        np.rint(whole, out=whole)
        coarse[rows] = whole
        error -= narrow_step * whole
        return (*(float(np.vecdot(part, part).max()) for part in (block, error, rest[rows])),)

    narrow_mean, narrow_step = mean.astype(keys.computed), step.astype(keys.computed)
    squares = np.array(in_threads(fill, starts)).max(axis=0)
    longest, longest_error, longest_rest = np.sqrt(squares) * (1 + 2.0**-10)  # of products in float32
    # The error itself was computed with a few roundings.
    return Sketch(coarse, step, mean, centre, rest, longest_error + units_of(8) * longest, longest_rest)
