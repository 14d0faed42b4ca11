"""A static encoder: a vector for each piece, and their sum, weighted by the place of the piece in its text."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s
from entvec.text.piece_table import PieceTable
from entvec.text.transformer import unit

TEXTS_AT_ONCE = 1024


class StaticTable:
    """Sums the vectors of pieces, each times gains for its place from the start and from the end of the text.

    Parameters
    ----------
    parts
        The table of pieces, and `gains`: logarithms for each place from the start, then from the end. The last one
        holds for all places farther away.
    """

    def __init__(self, parts: Mapping[str, NDArray[Any]]) -> None:
        self.words = PieceTable(parts)
        start, end = np.exp(parts["gains"])
        self._apart = len(start)
        self._gains = (start[:, None] * end).reshape(self._apart**2, -1)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.words.width

    def __call__(self, texts: Sequence[Sequence[int]]) -> Float32s:
        """Return vectors of unit length of texts that are given as pieces; that of a text without any is zero."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        for first in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[first : first + TEXTS_AT_ONCE]
            lengths = np.fromiter(map(len, some), np.int64, len(some))
            full = np.flatnonzero(lengths)
            if len(full):
                found[first + full] = self._sums(some, lengths[full])
        return unit(found)

    def _sums(self, texts: Sequence[Sequence[int]], lengths: NDArray[np.int64]) -> Float32s:
        ends = np.cumsum(lengths)
        starts = ends - lengths
        pieces = np.fromiter((piece for text in texts for piece in text), np.int64, int(ends[-1]))
        at = np.arange(len(pieces))
        last = self._apart - 1
        from_start = np.minimum(at - np.repeat(starts, lengths), last)
        from_end = np.minimum(np.repeat(ends, lengths) - 1 - at, last)
        vectors = self._gains[from_start * self._apart + from_end]
        vectors *= self.words(pieces)
        return np.asarray(np.add.reduceat(vectors, starts, axis=0))
