"""The vocabulary of a space in a database, with a cache of recently used words in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import StoreError, WordNotFound, not_found
from entvec.interchange import word_list
from entvec.model.model import Side
from entvec.stores.conditions import storable
from entvec.stores.contract import StoredRow, Tables, in_blocks
from entvec.vectors import Vectors
from entvec.vectors.forms import variants
from entvec.vectors.spelling import similar_spellings
from entvec.vectors.words import Words, fold

ROWS_AT_ONCE, BYTES_AT_ONCE = 1 << 12, 1 << 24
"""Rows are fetched in blocks, so that a message stays small: a server of Milvus takes 64 MB."""
CACHED_BYTES = 1 << 26
"""The size of the cache. General words are candidates of many queries, so it saves most fetches."""
SUGGESTED_FROM = 5000
"""How many words of the database are compared to suggest a spelling."""
SUGGESTED = 5
"""How many words are suggested."""


class RemoteWords(Sequence[str]):
    """The words by row; each access fetches what the cache does not have."""

    def __init__(self, vocabulary: RemoteVocabulary) -> None:
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return len(self._vocabulary)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        rows = np.arange(len(self))[row]
        words = self._vocabulary.words_at(np.atleast_1d(rows))
        return [words[each] for each in rows.tolist()] if isinstance(row, slice) else words[int(rows)]

    def __iter__(self) -> Iterator[str]:
        for some in in_blocks(len(self), ROWS_AT_ONCE):
            yield from self[some]


class RemoteVocabulary:
    """The words and vectors of one version of a space in a database."""

    def __init__(self, tables: Tables, bytes_at_once: int = BYTES_AT_ONCE) -> None:
        self._tables = tables
        self._at_once = max(1, min(ROWS_AT_ONCE, bytes_at_once // (4 * self.dimension)))
        self._sides = tuple(tables.manifest.widths)
        self._cache: OrderedDict[int, StoredRow] = OrderedDict()
        self._most = max(1, CACHED_BYTES // (4 * self.dimension + 200))
        self._lock = threading.Lock()

    @property
    def words(self) -> RemoteWords:
        """The words, by row."""
        return RemoteWords(self)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._tables.manifest.dimension

    def __len__(self) -> int:
        return self._tables.manifest.n_words

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and int(self.rows([word])[0]) >= 0

    def row(self, word: str) -> int:
        """Return the row of a word, or raise WordNotFound with suggestions."""
        return int(self.rows_of_all([word])[0])

    def rows_of_all(self, words: Iterable[str]) -> Rows:
        """Return the row of each word, or raise `not_found` for those that are missing."""
        several = word_list(words)
        rows = self.rows(several)
        if len(missing := np.flatnonzero(rows < 0)):
            raise self.not_found(several[row] for row in missing.tolist())
        return rows

    def rows(self, words: Iterable[str]) -> Rows:
        """Return the row of each word, -1 if it is missing: as written, else with `_` for a space, else folded."""
        words = word_list(words)
        forms = {word: (word.replace(" ", "_"), fold(word, case=True, space=True)) for word in words if _possible(word)}
        if not forms:
            return np.full(len(words), -1, dtype=np.int64)
        underscored_words, folded = map(set, zip(*forms.values(), strict=True))
        found = self._tables.find(sorted({*forms, *underscored_words}), sorted(folded))

        def row(word: str) -> int:
            if word not in forms:
                return -1
            underscored, form = forms[word]
            places = (found.written.get(word), found.written.get(underscored), found.folded.get(form))
            return next((place for place in places if place is not None), -1)

        return np.array([row(word) for word in words], dtype=np.int64)

    def not_found(self, words: Iterable[str]) -> WordNotFound:
        """Return the error for missing words: it names all of them, and suggests others."""
        missing = list(dict.fromkeys(words))
        return not_found(missing, len(self), lambda some: [self._similar(word) for word in some], looked_at_all=False)

    def _similar(self, word: str) -> list[str]:
        """Return forms of the word, wherever they are, then words that begin like it and look like it."""
        if not _possible(word):
            return []
        forms = [form for form in variants(word) if _possible(form)]
        try:
            found = self._tables.find([], sorted(forms)).folded
            rows = [found[form] for form in forms if form in found]
            words = self.words_at(np.array(rows, dtype=np.int64))
            near = self._tables.near(fold(word, case=True, space=True), SUGGESTED_FROM)
        except StoreError:  # the space was closed, or the database has gone; that the word is missing is still true
            return []
        best = [*(words[row] for row in rows), *similar_spellings(word, Words.of(near), SUGGESTED)]
        return list(dict.fromkeys(best))[:SUGGESTED]

    def take(self, rows: Rows) -> Vectors:
        """Return the words and vectors of these rows."""
        entries = self._fetch(rows)
        matrix = np.array([each.vector for each in entries], dtype=np.float32).reshape(len(entries), self.dimension)
        return Vectors.of_stored(Words.of(each.word for each in entries), matrix, "float32")

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield all vectors in order, some rows at a time, without caching them."""
        for some in in_blocks(len(self), self._at_once):
            rows = self._tables.words(np.arange(some.start, some.stop))
            yield some.start, np.array([each.vector for each in rows], dtype=np.float32)

    def vectors_and_hubness(self, rows: Rows, side: Side) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the vectors of these rows, and their hubness on one side."""
        entries, column = self._fetch(rows), self._sides.index(side)
        vectors = np.array([each.vector for each in entries], dtype=np.float64).reshape(len(entries), self.dimension)
        return vectors, np.array([each.hubness[column] for each in entries], dtype=np.float64)

    def words_at(self, rows: Rows) -> dict[int, str]:
        """Return the words of these rows."""
        several = np.unique(rows)
        return {row: each.word for row, each in zip(several.tolist(), self._fetch(several), strict=True)}

    def _fetch(self, rows: Rows) -> list[StoredRow]:
        wanted = rows.tolist()
        with self._lock:
            entries = {row: self._cache[row] for row in wanted if row in self._cache}
            for row in entries:
                self._cache.move_to_end(row)
        missing = np.array(sorted(set(wanted) - entries.keys()), dtype=np.int64)
        for some in in_blocks(len(missing), self._at_once):
            entries |= zip(missing[some].tolist(), self._tables.words(missing[some]), strict=True)
        with self._lock:
            for row in missing.tolist():
                self._cache[row] = entries[row]
            while len(self._cache) > self._most:
                self._cache.popitem(last=False)
        return [entries[row] for row in wanted]


def _possible(word: str) -> bool:
    """Return whether a vocabulary may have this word: not empty, no line break, and nothing that databases refuse."""
    return bool(word) and "\n" not in word and storable(word)
