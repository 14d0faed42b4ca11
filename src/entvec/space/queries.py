"""Checks queries: one word or vector, or several; this is where words become vectors.

A word has the vector of the vocabulary. If the space has an encoder, a text that the vocabulary lacks is encoded, and
so is a word with a definition; `Query.encoded` has these vectors, apart from those of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput, Remedy, WordNotFound, WordsNotFound
from entvec.evidence import definitions
from entvec.interchange import word_list
from entvec.text import Encoder, encoded
from entvec.vectors.vocabulary import Vocabulary

QueryLike: TypeAlias = str | Sequence[str] | ArrayLike
"""A word, several words, a vector, or a matrix with a row for each vector."""
Missing: TypeAlias = Literal["error", "nan"]
"""What to do about words that are missing: raise an error that names all of them, or leave them without an answer."""

EvidenceUsed: TypeAlias = Literal["all", "vectors"]
"""What a ranking rests on: all evidence, or the vectors alone."""
Definition: TypeAlias = str | Sequence[str | None] | None
"""What a word means, in a sentence; for several words one for each, None or blank where there is none."""


class Encoded(NamedTuple):
    """The vectors that an encoder has made for some of the queries."""

    at: Rows
    """The row of each query in `vectors`; -1 if the vector of the vocabulary counts, or none."""
    vectors: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Query:
    """Words with their rows in a vocabulary, or vectors alone."""

    words: Sequence[str | None]
    source: Vocabulary | NDArray[np.float64]
    rows: Rows | None
    """-1 for a word that is missing; None for vectors."""
    several: bool
    """False for a single word or vector, which gets a single answer instead of a batch."""
    encoded: Encoded | None = None
    """What an encoder has read; None if all vectors are those of the vocabulary."""

    def __len__(self) -> int:
        return len(self.words)

    @property
    def found(self) -> NDArray[np.bool_]:
        """True for each query that can be answered: False for words that are missing."""
        if self.rows is None:
            return np.ones(len(self), dtype=bool)
        return self.rows >= 0 if self.encoded is None else (self.rows >= 0) | (self.encoded.at >= 0)

    def where(self, kept: NDArray[np.bool_]) -> Query:
        """Return the queries that a mask keeps; a single query, which stands beside all of the other side, stays."""
        if kept.all() or len(kept) != len(self):
            return self
        source = self.source[kept] if isinstance(self.source, np.ndarray) else self.source
        rows = None if self.rows is None else self.rows[kept]
        read = None if self.encoded is None else self.encoded._replace(at=self.encoded.at[kept])
        return Query(list(compress(self.words, kept.tolist())), source, rows, self.several, read)

    def name_of(self, i: int) -> str:
        """Return the name of query i in error messages; a single query stands beside all of the other side."""
        word = self.words[i if len(self) > 1 else 0]
        return "a vector" if word is None else repr(word)

    def vectors(self, some: slice = slice(None)) -> NDArray[np.float64]:
        """Return vectors in float64. They are copied on demand, since there may be millions."""
        return np.asarray(self.stored(some), dtype=np.float64)

    def stored(self, some: slice) -> AnyFloats:
        """Return vectors in the dtype that the vocabulary stores, which is faster to copy."""
        if isinstance(self.source, np.ndarray):
            return self.source[some]
        rows = np.asarray(self.rows)[some]
        if self.encoded is None:
            return self.source.take(rows).matrix
        at = self.encoded.at[some]
        found = np.empty((len(rows), self.source.dimension), np.float32)
        found[at >= 0] = self.encoded.vectors[at[at >= 0]]
        found[at < 0] = self.source.take(rows[at < 0]).matrix
        return found


def parse(
    vocabulary: Vocabulary,
    missing: Missing,
    encoder: Encoder | None = None,
    definition: Definition = None,
    **asked: QueryLike,
) -> list[Query]:
    """Return the words or vectors of each query.

    Words that are missing raise WordNotFound or, if they are several, WordsNotFound; what is neither words nor vectors
    raises InvalidInput.

    Parameters
    ----------
    vocabulary
        The words and their vectors.
    missing
        With "nan", `Query.found` is False for missing words, and nothing is raised for them.
    encoder
        Reads words that the vocabulary lacks; each distinct text of all queries once.
    definition
        What the words of the first query mean: the encoder reads them together.
    asked
        The queries, each one word or vector or several, by their names in error messages.
    """
    check_missing(missing)
    queries = [_parse(vocabulary, query, name, nulls=missing == "nan") for name, query in asked.items()]
    told = check_definition(definition, queries[0], reads=encoder is not None)
    if encoder is not None:
        none: list[list[str | None]] = [[None] * len(query) for query in queries[1:]]
        queries = _read(queries, encoder, [told, *none])
    if missing == "error" and not all(query.found.all() for query in queries):
        error = vocabulary.not_found(str(word) for query in queries for word in compress(query.words, ~query.found))
        if isinstance(error, WordsNotFound) and any(query.several for query in queries):
            error.remedy = Remedy.MISSING_NAN
        raise error
    return queries


def with_definitions(vocabulary: Vocabulary, asked: QueryLike, definition: Definition) -> Any:
    """Return words as the evidence takes them with their definitions: one text or several.

    Parameters
    ----------
    vocabulary
        The words and their vectors.
    asked
        One word or several.
    definition
        What they mean; None or blank where a word has none.
    """
    [query] = parse(vocabulary, "nan", words=asked)
    told = check_definition(definition, query, reads=True)
    texts = [definitions.defined(str(word), meaning) for word, meaning in zip(query.words, told, strict=True)]
    return texts if query.several else texts[0]


def check_definition(definition: Definition, query: Query, *, reads: bool) -> list[str | None]:
    """Return a definition for each word of a query, None for those that have none, or raise InvalidInput.

    Parameters
    ----------
    definition, query
        What is asked.
    reads
        Whether the space has an encoder that reads definitions.
    """
    if definition is None:
        return [None] * len(query)
    if not reads:
        raise InvalidInput("a definition, but this space has no encoder to read it", remedy=Remedy.FIT_ENCODER)
    if isinstance(definition, str) == query.several or query.rows is None:
        wanted = "one for each of several words" if query.several else "one text for one word, and none for vectors"
        raise InvalidInput(f"definition is {definition!r:.60}, expected {wanted}")
    found = [definition] if isinstance(definition, str) else list(definition)
    if len(found) != len(query) or not all(each is None or isinstance(each, str) for each in found):
        raise InvalidInput(f"{len(found):,} definitions of {len(query):,} words, expected a text or None for each")
    return [each.strip() or None if each else None for each in found]


def defined(word: str, definition: str | None) -> str:
    """Return what an encoder reads: the word, or the word and its definition.

    >>> defined("pad_thai", "a dish of noodles"), defined("dog", None)
    ('pad_thai: a dish of noodles', 'dog')
    """
    return f"{word}: {definition}" if definition is not None and word.strip() else word


def _read(queries: list[Query], encoder: Encoder, definitions: list[list[str | None]]) -> list[Query]:
    """Return queries with vectors of the encoder for all words that have no other, or have a definition."""
    wanted = [
        [] if query.rows is None else [
            (at, defined(str(query.words[at]), meaning))
            for at, (row, meaning) in enumerate(zip(query.rows.tolist(), of_each, strict=True))
            if (row < 0 or meaning is not None) and str(query.words[at]).strip()
        ]
        for query, of_each in zip(queries, definitions, strict=True)
    ]  # fmt: skip
    texts = list(dict.fromkeys(text for several in wanted for _, text in several))
    if not texts:
        return queries
    vectors, place = encoded(encoder, texts), {text: row for row, text in enumerate(texts)}
    found = []
    for query, several in zip(queries, wanted, strict=True):
        at = np.full(len(query), -1)
        at[[number for number, _ in several]] = [place[text] for _, text in several]
        found.append(replace(query, encoded=Encoded(at, vectors)) if several else query)
    return found


def _parse(vocabulary: Vocabulary, query: QueryLike, name: str, *, nulls: bool) -> Query:
    if isinstance(query, str):
        return _word(vocabulary, query, name)
    try:
        given = query if isinstance(query, Sequence) else np.asarray(query)
        if not _has_words(given):
            return _vectors(np.asarray(given), vocabulary.dimension, name)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{query!r:.60} is neither words nor vectors, expected one of them as {name}") from None
    words = word_list(given, name, nulls=nulls)
    return Query(words, vocabulary, vocabulary.rows(words), several=True)


def _word(vocabulary: Vocabulary, word: str, name: str) -> Query:
    if not word.strip():
        raise InvalidInput(f"{name} is an empty word, expected one of the vocabulary")
    try:
        row = vocabulary.row(word)  # faster than `rows` for one
    except WordNotFound:
        row = -1
    return Query([word], vocabulary, np.array([row]), several=False)


def _vectors(given: NDArray[Any], dimension: int, name: str) -> Query:
    if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
        raise TypeError
    vectors = given.astype(np.float64, copy=False)
    if vectors.shape == (0,):  # an empty list, of words or of vectors
        vectors = vectors.reshape(0, dimension)
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != dimension:
        raise InvalidInput(
            f"{name} has shape {vectors.shape}, expected a vector of {dimension} numbers, "
            "or a matrix with a row for each vector"
        )
    if not np.isfinite(vectors).all():
        raise InvalidInput(f"{name} has NaN or infinite entries, expected finite numbers")
    several = vectors.ndim == 2
    vectors = np.atleast_2d(vectors)
    return Query([None] * len(vectors), vectors, None, several)


def _has_words(given: Any) -> bool:
    """Return whether there are words in a list or array; it may have other things beside them."""
    if isinstance(given, np.ndarray):
        return given.dtype.kind in "OTUS" and any(isinstance(word, str | bytes) for word in given.flat)
    return any(isinstance(word, str | bytes) for word in given)


def rows_of(vocabulary: Vocabulary, missing: Missing, words: Any, name: str) -> Rows:
    """Return the row of each word; words that are missing have -1, or raise an error that names all of them.

    Parameters
    ----------
    vocabulary
        The words to look in.
    missing
        With "nan", nothing is raised for words that are missing.
    words, name
        The words to look for, and what error messages call them.
    """
    listed = word_list(words, name)
    return vocabulary.rows(listed) if check_missing(missing) == "nan" else vocabulary.rows_of_all(listed)


def check_missing(missing: Missing) -> Missing:
    """Return the value of `missing`; raise InvalidInput if it is neither "error" nor "nan"."""
    if missing not in get_args(Missing):
        raise InvalidInput(f"missing is {missing!r}, expected 'error' or 'nan'")
    return missing


def check_k(k: int) -> int:
    """Return k as an int, or raise InvalidInput."""
    if not (isinstance(k, int | np.integer) and not isinstance(k, bool)) or k < 0:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 0 or more")
    return int(k)
