"""TextLookup: find the rows of the words of a text, tens of millions a second, without splitting the text.

A word of at most 15 (or 31) bytes becomes two (or four) 64-bit numbers, with its length in the last byte. Words are
equal if these numbers are. The words of a vocabulary are sorted by hash. The first bits of a hash choose a bucket, and
nearly always the first word of the bucket is the right one. `Vectors.rows`, which takes a microsecond a word, looks up
longer words, and words that differ from the vocabulary's in the case of a letter that is not ASCII.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.vectors import Vectors
from entvec.vectors.vectors import EXACT
from entvec.vectors.words import Words, spans

Bytes = NDArray[np.uint8]
HashInputs = NDArray[np.uint64]

PIECES = (2, 4)
"""The numbers of 8 bytes: most words have at most 15 bytes, and phrases seldom have more than 31."""
LONGEST = 8 * PIECES[-1] - 1
AT_ONCE = 1 << 14
NOT_ASCII = np.uint64(0x8080808080808080)
# For each piece and each length of a word: a mask of the bytes that belong to the word.
MASKS = np.array(
    [[256 ** min(max(length - 8 * i, 0), 8) - 1 for length in range(LONGEST + 2)] for i in range(PIECES[-1])],
    dtype=np.uint64,
)
# Random in each process, so that nobody can choose words whose hashes collide.
FACTORS = np.random.default_rng().integers(0, 2**63, size=PIECES[-1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def padded(text: bytes) -> Bytes:
    """Return the text as an array, padded so that every piece of the last word is inside."""
    return np.frombuffer(text + bytes(8 * PIECES[-1]), dtype=np.uint8)


class TextLookup:
    """Finds the rows of the words of a text, with the same result as `Vectors.rows`."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    @cached_property
    def _as_written(self) -> list[_Table]:
        return _tables(self.vectors.words)

    @cached_property
    def _folded(self) -> list[_Table]:
        return _tables(self.vectors.words.folded(**self.vectors.lookup._asdict()))

    def rows(self, text: Bytes, starts: Rows, lengths: Rows) -> Rows:
        """Return the row of each word; -1 for words that are not in the vocabulary.

        >>> lookup = TextLookup(Vectors(["dog", "cat"], np.zeros((2, 1))))
        >>> lookup.rows(padded(b"cat dog "), np.array([0, 4]), np.array([3, 3])).tolist()
        [1, 0]

        Parameters
        ----------
        text
            The text, from `padded`.
        starts, lengths
            Where the words are, in bytes. One byte that belongs to no word must follow each of them.
        """
        rows = _find(self._as_written, text, starts, lengths)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            words = words_of(text, starts[missing], lengths[missing])
            rows[missing] = self._in_another_form(words, lengths[missing])
        return rows

    def _in_another_form(self, words: Words, lengths: Rows) -> Rows:
        """Return the rows of words that the vocabulary has in another case or with `_` for a space."""
        rows = np.full(len(lengths), -1, dtype=np.int64)
        text = padded(words.text.tobytes())
        starts = np.cumsum(lengths + 1) - (lengths + 1)
        if self.vectors.lookup != EXACT:
            rows = _find(self._folded, self._fold(text), starts, lengths)
        difficult = np.flatnonzero((rows < 0) & _difficult(text, starts, lengths))
        if len(difficult):
            rows[difficult] = self.vectors.rows(words.take(difficult))
        return rows

    def _fold(self, text: Bytes) -> Bytes:
        """Return the text with ASCII letters in lower case and `_` replaced by a space; no byte moves."""
        case, space = self.vectors.lookup
        folded = text.tobytes()
        folded = folded.lower() if case else folded
        return np.frombuffer(folded.replace(b"_", b" ") if space else folded, dtype=np.uint8)


class _Table:
    """A hash table of words of at most `pieces` pieces."""

    def __init__(self, text: Bytes, starts: Rows, lengths: Rows, rows: Rows, pieces: int) -> None:
        self.pieces = pieces
        keys = _pieces(text, starts, lengths, pieces)
        self._shift = np.uint64(64 - max(1, 2 + len(rows).bit_length()))  # at least four buckets for each word
        hashes = _hash(keys)
        order = np.argsort(hashes, kind="stable")  # stable: words with the same folded form stay in row order
        # One entry more, for hashes above all others. Its row, -1, is right even if its key is equal.
        self._rows = np.append(rows[order], -1)
        self._keys = [np.append(key[order], np.uint64(0)) for key in keys]
        buckets = np.arange((1 << (64 - int(self._shift))) + 1, dtype=np.uint64)
        self._begin = np.searchsorted(hashes[order] >> self._shift, buckets)

    def rows(self, text: Bytes, starts: Rows, lengths: Rows) -> Rows:
        """Return the row of each word; -1 if it is not in the table."""
        keys = _pieces(text, starts, lengths, self.pieces)
        bucket = (_hash(keys) >> self._shift).astype(np.intp)
        at = self._begin[bucket]
        same = self._same(at, keys)
        found = np.where(same, self._rows[at], -1)
        end = self._begin[bucket + 1]
        at += 1
        open_ = np.flatnonzero(~same & (at < end))
        while len(open_):  # the bucket has more words
            same = self._same(at[open_], [key[open_] for key in keys])
            found[open_[same]] = self._rows[at[open_[same]]]
            at[open_] += 1
            open_ = open_[~same & (at[open_] < end[open_])]
        return found

    def _same(self, at: NDArray[Any], keys: list[HashInputs]) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self._keys[0][at] == keys[0]
        for stored, key in zip(self._keys[1:], keys[1:], strict=True):
            same &= stored[at] == key
        return same


def _tables(words: Words) -> list[_Table]:
    """Return a table of short words and one of longer words."""
    text = padded(words.text.tobytes())
    ends = np.flatnonzero(words.text == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    tables, shortest = [], 0
    for pieces in PIECES:
        rows = np.flatnonzero((ends - starts >= shortest) & (ends - starts < 8 * pieces))
        tables.append(_Table(text, starts[rows], (ends - starts)[rows], rows, pieces))
        shortest = 8 * pieces
    return tables


def _find(tables: list[_Table], text: Bytes, starts: Rows, lengths: Rows) -> Rows:
    """Return the rows of words, looked up in blocks so that temporary arrays stay in the cache."""
    found = np.empty(len(starts), dtype=np.int64)
    short, longer = tables
    for first in range(0, len(starts), AT_ONCE):
        block = slice(first, first + AT_ONCE)
        begin, size = starts[block], lengths[block]
        found[block] = short.rows(text, begin, size)
        long = np.flatnonzero(size >= 8 * short.pieces)
        if len(long):
            rows = longer.rows(text, begin[long], size[long])
            found[block][long] = np.where(size[long] <= LONGEST, rows, -1)
    return found


def _pieces(text: Bytes, starts: Rows, lengths: Rows, n: int) -> list[HashInputs]:
    """Return the first bytes of each word as n numbers: 0 after its end, and its length in the last byte."""
    overlapping = np.ndarray((len(text) - 7,), np.dtype("<u8"), text.data, strides=(1,))
    lengths = np.minimum(lengths, LONGEST + 1)
    pieces = [overlapping[starts + 8 * i] & MASKS[i][lengths] for i in range(n)]  # a piece may begin in the padding
    pieces[-1] |= lengths.astype(np.uint64) << np.uint64(56)
    return pieces


def _hash(keys: list[HashInputs]) -> HashInputs:
    hashes: HashInputs = keys[0] * FACTORS[0]
    for key, factor in zip(keys[1:], FACTORS[1:], strict=False):
        hashes += key * factor
    return hashes


def _difficult(text: Bytes, starts: Rows, lengths: Rows) -> NDArray[np.bool_]:
    """Return which words the tables cannot decide: long ones, and those with letters that are not ASCII."""
    difficult = lengths > LONGEST
    for piece in _pieces(text, starts, np.minimum(lengths, LONGEST), PIECES[-1]):
        difficult |= (piece & NOT_ASCII) != 0
    return np.asarray(difficult)


def words_of(text: Bytes, starts: Rows, lengths: Rows) -> Words:
    """Return the words of a text; the byte after each must belong to no word."""
    taken = text[spans(starts, lengths + 1)]
    taken[np.cumsum(lengths + 1) - 1] = ord("\n")
    return Words(taken)
