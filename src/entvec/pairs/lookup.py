"""Rows of words that lie somewhere in a text: tens of millions a second, without taking the text apart.

A word of at most 15 bytes (or 31) is two (or four) numbers of 64 bits, its length in the last byte, and two words are
equal if these are. The words of a vocabulary lie sorted by a hash, and a table says where those begin whose hashes
begin alike: nearly always it leads to the word at once. Words that are longer, or differ from the vocabulary's in the
case of a letter that is not ASCII, are left to `Vectors.rows`, which takes a microsecond each.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.vectors import Vectors
from entvec.vectors.vectors import EXACT
from entvec.vectors.words import Words

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint64]
Rows = NDArray[np.int64]

PIECES = (2, 4)
"""Most words have 15 bytes at most; names of several words seldom more than 31."""
LONGEST = 8 * PIECES[-1] - 1
AT_ONCE = 1 << 14
NOT_ASCII = np.uint64(0x8080808080808080)
# The bytes of each piece that belong to a word of each length.
MASKS = np.array(
    [[256 ** min(max(length - 8 * i, 0), 8) - 1 for length in range(LONGEST + 2)] for i in range(PIECES[-1])],
    dtype=np.uint64,
)
# New ones in each process: nobody can make words whose hashes are all alike.
FACTORS = np.random.default_rng().integers(0, 2**63, size=PIECES[-1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def padded(text: bytes) -> Bytes:
    """The text as numbers, with room after it for the last word's last piece."""
    return np.frombuffer(text + bytes(8 * PIECES[-1]), dtype=np.uint8)


class Lookup:
    """Finds the rows of words in texts, as the vectors would: as written, else in another case or with `_`."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    @cached_property
    def _as_written(self) -> list[_Table]:
        return _tables(self.vectors.words)

    @cached_property
    def _folded(self) -> list[_Table]:
        return _tables(self.vectors.words.folded(**self.vectors.lookup._asdict()))

    def rows(self, text: Bytes, starts: Rows, lengths: Rows) -> Rows:
        """The row of each word of a padded text, -1 for those that the vectors do not have."""
        rows = _find(self._as_written, text, starts, lengths)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            words = words_of(text, starts[missing], lengths[missing])
            rows[missing] = self._otherwise(words, lengths[missing])
        return rows

    def _otherwise(self, words: Words, lengths: Rows) -> Rows:
        """The rows of words that are not there as they are written."""
        found = np.full(len(lengths), -1, dtype=np.int64)
        text = padded(words.text.tobytes())
        starts = np.cumsum(lengths + 1) - (lengths + 1)
        if self.vectors.lookup != EXACT:
            found = _find(self._folded, self._fold(text), starts, lengths)
        difficult = np.flatnonzero((found < 0) & _difficult(text, starts, lengths))
        if len(difficult):
            found[difficult] = self.vectors.rows(words.take(difficult))
        return found

    def _fold(self, text: Bytes) -> Bytes:
        """The text with its ASCII letters small, and `_` made a space, so that everything stays where it is."""
        case, space = self.vectors.lookup
        folded = text.tobytes()
        folded = folded.lower() if case else folded
        return np.frombuffer(folded.replace(b"_", b" ") if space else folded, dtype=np.uint8)


class _Table:
    """Words of at most so many pieces, sorted by hash."""

    def __init__(self, text: Bytes, starts: Rows, lengths: Rows, rows: Rows, pieces: int) -> None:
        self.pieces = pieces
        keys = _pieces(text, starts, lengths, pieces)
        self._shift = np.uint64(64 - max(1, 2 + len(rows).bit_length()))  # four times as many places as words
        hashes = _hash(keys)
        order = np.argsort(hashes, kind="stable")  # of words that are folded into one, the first row is met first
        # One more at the end, for hashes that are greater than all: compared, and never equal unless they should be.
        self._rows = np.append(rows[order], -1)
        self._keys = [np.append(key[order], np.uint64(0)) for key in keys]
        places = np.arange((1 << (64 - int(self._shift))) + 1, dtype=np.uint64)
        self._begin = np.searchsorted(hashes[order] >> self._shift, places)

    def rows(self, text: Bytes, starts: Rows, lengths: Rows) -> Rows:
        """The row of each word, -1 if it is not in the table."""
        keys = _pieces(text, starts, lengths, self.pieces)
        place = (_hash(keys) >> self._shift).astype(np.intp)
        at = self._begin[place]
        same = self._same(at, keys)
        found = np.where(same, self._rows[at], -1)
        end = self._begin[place + 1]
        at += 1
        open_ = np.flatnonzero(~same & (at < end))
        while len(open_):  # other words have the same place
            same = self._same(at[open_], [key[open_] for key in keys])
            found[open_[same]] = self._rows[at[open_[same]]]
            at[open_] += 1
            open_ = open_[~same & (at[open_] < end[open_])]
        return found

    def _same(self, at: NDArray[Any], keys: list[Numbers]) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self._keys[0][at] == keys[0]
        for mine, asked in zip(self._keys[1:], keys[1:], strict=True):
            same &= mine[at] == asked
        return same


def _tables(words: Words) -> list[_Table]:
    """A table for short words and one for longer ones."""
    text = padded(words.text.tobytes())
    ends = np.flatnonzero(words.text == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    made, shortest = [], 0
    for pieces in PIECES:
        rows = np.flatnonzero((ends - starts >= shortest) & (ends - starts < 8 * pieces))
        made.append(_Table(text, starts[rows], (ends - starts)[rows], rows, pieces))
        shortest = 8 * pieces
    return made


def _find(tables: list[_Table], text: Bytes, starts: Rows, lengths: Rows) -> Rows:
    """A few thousand words at a time, so that all that is computed stays in the cache."""
    found = np.empty(len(starts), dtype=np.int64)
    short, longer = tables
    for first in range(0, len(starts), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        begin, size = starts[some], lengths[some]
        found[some] = short.rows(text, begin, size)
        long = np.flatnonzero(size >= 8 * short.pieces)
        if len(long):
            rows = longer.rows(text, begin[long], size[long])
            found[some][long] = np.where(size[long] <= LONGEST, rows, -1)
    return found


def _pieces(text: Bytes, starts: Rows, lengths: Rows, n: int) -> list[Numbers]:
    """The first bytes of each word as n numbers, 0 after its end, and its length as the last byte."""
    overlapping = np.ndarray((len(text) - 7,), np.dtype("<u8"), text.data, strides=(1,))
    lengths = np.minimum(lengths, LONGEST + 1)
    found = [overlapping[starts + 8 * i] & MASKS[i][lengths] for i in range(n)]  # a piece may begin in the padding
    found[-1] |= lengths.astype(np.uint64) << np.uint64(56)
    return found


def _hash(keys: list[Numbers]) -> Numbers:
    hashes: Numbers = keys[0] * FACTORS[0]
    for key, factor in zip(keys[1:], FACTORS[1:], strict=False):
        hashes += key * factor
    return hashes


def _difficult(text: Bytes, starts: Rows, lengths: Rows) -> NDArray[np.bool_]:
    """Which words the tables cannot tell about: long ones, and those with letters that are not ASCII."""
    difficult = lengths > LONGEST
    for piece in _pieces(text, starts, np.minimum(lengths, LONGEST), PIECES[-1]):
        difficult |= (piece & NOT_ASCII) != 0
    return np.asarray(difficult)


def words_of(text: Bytes, starts: Rows, lengths: Rows) -> Words:
    """The words that lie in a text, each followed there by a byte that is none of it."""
    taken = text[spans(starts, lengths + 1)]
    taken[np.cumsum(lengths + 1) - 1] = ord("\n")
    return Words(taken)


def spans(starts: Rows, lengths: Rows) -> Rows:
    """The numbers from each start on, as many as the length beside it, one span after the other."""
    ends = np.cumsum(lengths)
    found = np.repeat(starts - (ends - lengths), lengths)
    found += np.arange(len(found))
    return found
