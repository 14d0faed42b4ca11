"""The interface that a space requires of its words: `Vectors` in memory, or the tables of a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import WordNotFound
from entvec.vectors.vectors import Vectors

SAMPLE = 8192
"""The size of the sample of words over which means of the whole vocabulary are estimated."""


class WordTable(Protocol):
    """Words by their rows."""

    def __getitem__(self, row: int, /) -> str: ...


class Vocabulary(Protocol):
    """Words in a fixed order, each with a row number and a vector."""

    @property
    def words(self) -> Sequence[str]:
        """The words, by row."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    def __len__(self) -> int: ...

    def __contains__(self, word: object, /) -> bool: ...

    def row(self, word: str, /) -> int:
        """Return the row of a word, or raise WordNotFound."""
        ...

    def rows(self, words: Iterable[str], /) -> Rows:
        """Return the row of each word, -1 for missing ones."""
        ...

    def rows_of_all(self, words: Iterable[str], /) -> Rows:
        """Return the row of each word, or raise `not_found` for missing ones."""
        ...

    def not_found(self, words: Iterable[str], /) -> WordNotFound:
        """Return the error for missing words, which names all of them and suggests others."""
        ...

    def take(self, rows: Rows, /) -> Vectors:
        """Return the words and vectors of these rows."""
        ...

    def words_at(self, rows: Rows, /) -> WordTable:
        """Return a table for looking up the words of these rows."""
        ...

    def blocks(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield all vectors in order as matrices of some rows each, with the number of the first row."""
        ...


def sample(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Return the vectors, in float64, of a reproducible sample of words from the whole vocabulary."""
    n = len(vocabulary)
    rows = np.arange(min(n, SAMPLE)) * n // max(1, min(n, SAMPLE))
    return vocabulary.take(rows).matrix.astype(np.float64)


def first(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Return a matrix with the first vector, to try a function on; it has no rows if there are no words."""
    return vocabulary.take(np.arange(len(vocabulary))[:1]).matrix.astype(np.float64)
