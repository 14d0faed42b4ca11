"""Questions: words or vectors, one or several, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput
from entvec.search.exact import Floats, Rows
from entvec.vectors import Vectors

Query: TypeAlias = str | Sequence[str] | ArrayLike
"""A word, several words, a vector, or a matrix with a row for each vector."""


class Vocabulary(Protocol):
    """Words that have vectors, wherever they are."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def row(self, word: str, /) -> int:
        """The row of the word; WordNotFound if there is none."""
        ...

    def rows_of_all(self, words: Iterable[str], /) -> Rows:
        """The row of each word; WordNotFound for the first that is not there."""
        ...

    def take(self, rows: Rows, /) -> Vectors:
        """The words and vectors of these rows."""
        ...


@dataclass(frozen=True, eq=False)
class Asked:
    """A question: words with their rows in a vocabulary, or vectors alone."""

    words: Sequence[str | None]
    source: Vocabulary | NDArray[np.float64]
    rows: Rows | None
    several: bool

    def __len__(self) -> int:
        return len(self.words)

    def vectors(self, some: slice = slice(None)) -> NDArray[np.float64]:
        """The vectors of some of the words, or of all: made when they are needed, since there may be millions."""
        return np.asarray(self.stored(some), dtype=np.float64)

    def stored(self, some: slice) -> Floats:
        """The same in the precision that they are kept in, which takes less time to move."""
        if isinstance(self.source, np.ndarray):
            return self.source[some]
        return self.source.take(np.asarray(self.rows)[some]).matrix


def ask(vocabulary: Vocabulary, query: Query, name: str) -> Asked:
    """The words or vectors of a question; `name` is what an error calls it."""
    if isinstance(query, str):
        if not query.strip():
            raise InvalidInput(f"{name} is an empty word, expected one of the vocabulary")
        return Asked([query], vocabulary, np.array([vocabulary.row(query)]), several=False)
    if isinstance(query, np.ndarray) and query.dtype.kind in "OTU":  # words, or whatever is not just numbers
        return ask(vocabulary, query.tolist(), name)
    if isinstance(query, Sequence) and any(isinstance(word, str) for word in query):
        words = list(query)
        return Asked(list(words), vocabulary, vocabulary.rows_of_all(words), several=True)
    try:
        vectors = np.asarray(query, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{query!r:.60} is neither words nor vectors, expected one of them as {name}") from None
    if vectors.shape == (0,):  # an empty list, of words or of vectors
        vectors = vectors.reshape(0, vocabulary.dimension)
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != vocabulary.dimension:
        raise InvalidInput(
            f"{name} has shape {vectors.shape}, expected a vector of {vocabulary.dimension} numbers, "
            "or a matrix with a row for each vector"
        )
    if not np.isfinite(vectors).all():
        raise InvalidInput(f"{name} has NaN or infinite entries, expected finite numbers")
    several = vectors.ndim == 2
    vectors = np.atleast_2d(vectors)
    return Asked([None] * len(vectors), vectors, None, several)
