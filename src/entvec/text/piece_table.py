"""The table of pieces of an encoder: rows are unpacked as they are used.

A table is stored in one of two ways, which the type of `words` tells apart:

int8   a number in a byte, and a scale for each row: `words.scales`
uint8  two numbers of four bits in a byte, that of the left half of a row in the low bits and that of the right half in
       the high ones, and scales for equal groups of columns: `words.groups` (pieces, groups). The 16 levels of a group
       are -7.5, -6.5, ... 7.5 times its scale: none of them is zero, and none is lost.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s

Parts = Mapping[str, NDArray[Any]]

MIDDLE = np.float32(7.5)


def width(parts: Parts) -> int:
    """Return how many numbers a piece has.

    >>> width({"words": np.zeros((10, 12), np.uint8)}), width({"words": np.zeros((10, 12), np.int8)})
    (24, 12)
    """
    return int(parts["words"].shape[1]) * (2 if is_packed(parts) else 1)


def is_packed(parts: Parts) -> bool:
    """Return whether a byte holds two numbers."""
    return parts["words"].dtype == np.uint8


def packed(table: Float32s, groups: int) -> dict[str, NDArray[Any]]:
    """Return a table in four bits.

    >>> parts = packed(np.array([[7.5, -0.5, 1.5, 15.0]], np.float32), 2)
    >>> parts["words"], PieceTable(parts)(np.array([0]))
    (array([[143, 247]], dtype=uint8), array([[ 7.5, -0.5,  1. , 15. ]], dtype=float32))

    Parameters
    ----------
    table
        A row for each piece.
    groups
        How many scales a row has; divides its length.
    """
    n, columns = table.shape
    parts = table.reshape(n, groups, -1)
    scales = (np.maximum(np.abs(parts).max(axis=2), 1e-6) / MIDDLE).astype(np.float16)
    levels = np.clip(np.floor(parts / scales[:, :, None].astype(np.float32)), -8, 7) + 8
    left, right = np.split(levels.reshape(n, columns).astype(np.uint8), 2, axis=1)
    return {"words": left | right << 4, "words.groups": scales}


class PieceTable:
    """Rows of a table by the numbers of pieces.

    Parameters
    ----------
    parts
        `words` with `words.scales`, or packed with `words.groups`.
    """

    def __init__(self, parts: Parts) -> None:
        self.words, self._packed, self.width = parts["words"], is_packed(parts), width(parts)
        self.scales = parts["words.groups" if self._packed else "words.scales"]

    def __call__(self, pieces: NDArray[np.int64]) -> Float32s:
        """Return the rows of pieces in float32."""
        found: Float32s
        if not self._packed:
            found = self.words[pieces].astype(np.float32)
            found *= self.scales[pieces][:, None]
            return found
        rows = self.words[pieces]
        found = np.empty((len(rows), self.width), np.float32)
        found[:, : rows.shape[1]] = rows & 15
        found[:, rows.shape[1] :] = rows >> 4
        found -= MIDDLE
        grouped = found.reshape(len(rows), self.scales.shape[1], -1)
        grouped *= self.scales[pieces].astype(np.float32)[:, :, None]
        return found
