"""Completion: words that begin with some letters, the frequent ones first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from entvec.vectors.words import Words


class Completion:
    """A vocabulary sorted alphabetically; case is ignored, and `_` counts as a space.

    >>> Completion(Words.of(["guitar", "Guinea", "ice_cream", "guide"])).words("gui", 2)
    ['guitar', 'Guinea']
    >>> Completion(Words.of(["guitar", "ice_cream"])).words("Ice c", 5)
    ['ice_cream']
    """

    def __init__(self, words: Words) -> None:
        self._vocabulary = words
        folded = [_folded(word) for word in words]
        rows = sorted(range(len(folded)), key=folded.__getitem__)
        self._rows = np.array(rows, dtype=np.int64)
        self._folded = [folded[row] for row in rows]

    def words(self, start: str, k: int) -> list[str]:
        """Return the first k words that begin with `start`, in the order of the vocabulary: frequent ones first."""
        beginning = _folded(start)
        first = bisect_left(self._folded, beginning)
        end = bisect_right(self._folded, beginning, first, key=lambda word: word[: len(beginning)])
        here = self._rows[first:end]
        if len(here) > k:
            here = np.partition(here, k - 1)[:k]
        return [self._vocabulary[row] for row in np.sort(here).tolist()]


def _folded(word: str) -> str:
    return word.replace("_", " ").casefold()
