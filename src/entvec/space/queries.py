"""Checks queries: one word or vector, or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput
from entvec.model.model import Floats
from entvec.vectors.vocabulary import Rows, Vocabulary

QueryLike: TypeAlias = str | Sequence[str] | ArrayLike
"""A word, several words, a vector, or a matrix with a row for each vector."""


@dataclass(frozen=True, eq=False)
class Query:
    """Words with their rows in a vocabulary, or vectors alone."""

    words: Sequence[str | None]
    source: Vocabulary | NDArray[np.float64]
    rows: Rows | None
    several: bool
    """False for a single word or vector, which gets a single answer instead of a batch."""

    def __len__(self) -> int:
        return len(self.words)

    def name_of(self, i: int) -> str:
        """Return the name of query i in error messages; a single query stands beside all of the other side."""
        word = self.words[i if len(self) > 1 else 0]
        return "a vector" if word is None else repr(word)

    def vectors(self, some: slice = slice(None)) -> NDArray[np.float64]:
        """Return vectors in float64. They are copied on demand, since there may be millions."""
        return np.asarray(self.stored(some), dtype=np.float64)

    def stored(self, some: slice) -> Floats:
        """Return vectors in the dtype that the vocabulary stores, which is faster to copy."""
        if isinstance(self.source, np.ndarray):
            return self.source[some]
        return self.source.take(np.asarray(self.rows)[some]).matrix


def parse(vocabulary: Vocabulary, query: QueryLike, name: str) -> Query:
    """Return the words or vectors of a query, or raise WordNotFound or InvalidInput.

    Parameters
    ----------
    vocabulary
        The words and their vectors.
    query
        One word or vector, or several.
    name
        The name of the query in error messages.
    """
    if isinstance(query, str):
        if not query.strip():
            raise InvalidInput(f"{name} is an empty word, expected one of the vocabulary")
        return Query([query], vocabulary, np.array([vocabulary.row(query)]), several=False)
    if isinstance(query, np.ndarray) and query.dtype.kind in "OTU":  # words, or a mixture of objects
        return parse(vocabulary, query.tolist(), name)
    if isinstance(query, Sequence) and any(isinstance(word, str) for word in query):
        words = list(query)
        return Query(list(words), vocabulary, vocabulary.rows_of_all(words), several=True)
    try:
        given = np.asarray(query)
        if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
            raise TypeError
        vectors = given.astype(np.float64, copy=False)
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
    return Query([None] * len(vectors), vectors, None, several)


def check_k(k: int) -> int:
    """Return k as an int, or raise InvalidInput."""
    if not (isinstance(k, int | np.integer) and not isinstance(k, bool)) or k < 0:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 0 or more")
    return int(k)
