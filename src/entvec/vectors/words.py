"""A compact list of words with fast lookup: one UTF-8 text, one word per line, and an index of hashes.

A Python list and dict of three million words take half a gigabyte of memory and seconds to build. The text is what a
file stores anyway; it can be memory-mapped, and array operations look up millions of words in it at once.

>>> words = Words.of(["dog", "cat", "piano"])
>>> words[2], len(words), "cat" in words, "bird" in words
('piano', 3, True, False)
>>> words.rows(Words.of(["piano", "bird", "dog"]))
array([ 2, -1,  0])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, cycle
from operator import mul
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import InvalidInput

NEWLINE = ord("\n")
BYTES_AT_ONCE = 1 << 17
PLACES = 1 << 16  # the most bytes of a word in a file: if factors repeated, words with exchanged letters would collide
# Each process draws new factors, so that nobody can write a file whose words all have the same hash.
FACTORS = np.random.default_rng().integers(0, 2**64, size=PLACES, dtype=np.uint64)
FACTOR_LIST = FACTORS.tolist()


class Words(Sequence[str]):
    """An immutable sequence of words. `text` has each of them in UTF-8, followed by a newline."""

    def __init__(self, text: NDArray[np.uint8]) -> None:
        self.text = text

    @classmethod
    def of(cls, words: Iterable[str]) -> Words:
        """Make words of strings, none of which may contain a line break."""
        words = list(words)
        try:
            made = cls(as_text(word.encode() for word in words))
        except UnicodeEncodeError as error:
            what = f"the word {error.object!r} cannot be written in UTF-8"
            raise InvalidInput(f"{what}, expected a string or a list of strings") from None
        except AttributeError as error:
            raise InvalidInput(f"{error.obj!r} is no word, expected a string or a list of strings") from None
        if len(made) != len(words):
            broken = next(word for word in words if "\n" in word)
            raise InvalidInput(f"the word {broken!r} has a line break in it, expected one line a word")
        return made

    @cached_property
    def _starts(self) -> Rows:
        """The offset of each word in the text, and finally the length of the text."""
        starts = np.flatnonzero(self.text == NEWLINE)
        starts += 1
        return np.concatenate([[0], starts])

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Words: ...
    def __getitem__(self, row: int | slice) -> str | Words:
        if isinstance(row, slice):
            return self.take(np.arange(*row.indices(len(self))))
        return self._bytes(range(len(self))[row]).decode()

    def _bytes(self, row: int) -> bytes:
        return self.text[self._starts[row] : self._starts[row + 1] - 1].tobytes()

    def __iter__(self) -> Iterator[str]:
        for first, last in self._blocks():
            text = self.text[self._starts[first] : self._starts[last] - 1].tobytes()
            yield from text.decode().split("\n")

    def split(self) -> list[bytes]:
        """Return the words as bytes, which need not be UTF-8."""
        return self.text[: self._starts[-1]].tobytes().split(b"\n")[:-1]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5]))
        return f"Words({shown}{', ...' if len(self) > 5 else ''}; {len(self):,})"

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row(word) is not None

    def __getstate__(self) -> dict[str, Any]:  # other processes have other factors, so the index is left out
        return {name: value for name, value in self.__dict__.items() if name not in ("_hashes", "_index", "_starts")}

    def take(self, rows: NDArray[np.integer[Any]]) -> Words:
        """Return the words of these rows, in this order."""
        if len(rows) == 0:
            return Words(self.text[:0])
        rows = rows.astype(np.int64, copy=False)
        if rows.min() < 0:  # -1 stands for a missing word, not for the last row
            raise IndexError(f"row {rows.min()}, expected 0 or more")
        if consecutive(rows):  # without a copy, so that a mapped file stays mapped
            return Words(self.text[self._starts[rows[0]] : self._starts[rows[-1] + 1]])
        return Words(self.text[spans(self._starts[rows], self._lengths(rows))])

    # Lookup

    def _lengths(self, rows: NDArray[Any]) -> Rows:
        """Return the lengths in bytes, including the newline."""
        return np.asarray(self._starts[rows + 1] - self._starts[rows])

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of rows with about BYTES_AT_ONCE bytes of text."""
        first = 0
        while first < len(self):
            wanted = self._starts[first] + BYTES_AT_ONCE
            last = max(first + 1, int(np.searchsorted(self._starts, wanted, side="right")) - 1)
            yield first, last
            first = last

    @cached_property
    def _hashes(self) -> NDArray[np.uint64]:
        """A hash of each word: the sum of its bytes, each multiplied by the random factor of its position."""
        found = np.empty(len(self), dtype=np.uint64)
        for first, last in self._blocks():
            starts = self._starts[first : last + 1] - self._starts[first]
            text = self.text[self._starts[first] : self._starts[last]]
            lengths = np.diff(starts)
            place = np.arange(len(text)) - np.repeat(starts[:-1], lengths)
            if lengths.max() > PLACES:
                place %= PLACES
            found[first:last] = np.add.reduceat(text * FACTORS[place], starts[:-1])
        return found

    @cached_property
    def _index(self) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        """The sorted hashes and the row of each; equal hashes in the order of their rows."""
        hashes = self._hashes
        order = np.argsort(hashes)  # a stable sort takes four times as long, and hardly any hashes are equal
        ordered = hashes[order]
        if (ordered[1:] == ordered[:-1]).any():
            order = np.argsort(hashes, kind="stable")
        return ordered, order.astype(np.int32 if len(self) < 2**31 else np.int64)

    def row(self, word: str) -> int | None:
        """Return the first row of the word, or None."""
        try:
            wanted = word.encode() + b"\n"
        except UnicodeEncodeError:  # half of a surrogate pair, which no file can contain
            return None
        hashes, order = self._index
        total = sum(map(mul, wanted, cycle(FACTOR_LIST))) % 2**64
        at = int(np.searchsorted(hashes, np.uint64(total)))
        while at < len(hashes) and int(hashes[at]) == total:
            row = int(order[at])
            if self._bytes(row) == wanted[:-1]:
                return row
            at += 1
        return None

    def rows(self, wanted: Words) -> Rows:
        """Return the first row of each word of `wanted`, -1 for missing ones."""
        found = np.full(len(wanted), -1, dtype=np.int64)
        if len(self) == 0:
            return found
        hashes, order = self._index
        sought = wanted._hashes
        at = np.searchsorted(hashes, sought)
        open_ = np.arange(len(wanted))
        while len(open_):  # once, unless different words have the same hash
            open_ = open_[at[open_] < len(hashes)]
            open_ = open_[hashes[at[open_]] == sought[open_]]
            rows = order[at[open_]]
            same = self._same(rows, wanted, open_)
            found[open_[same]] = rows[same]
            open_ = open_[~same]
            at[open_] += 1
        return found

    def _same(self, rows: NDArray[Any], other: Words, other_rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each word in `rows` equals the word of `other` in the corresponding row."""
        lengths = self._lengths(rows)
        same = lengths == other._lengths(other_rows)
        here, there = self._starts[rows[same]], other._starts[other_rows[same]]
        if len(here):
            lengths = lengths[same]
            equal = self.text[spans(here, lengths)] == other.text[spans(there, lengths)]
            same[same] = np.logical_and.reduceat(equal, np.cumsum(lengths) - lengths)
        return np.asarray(same)

    def repeated(self) -> Rows:
        """Return the rows of words that also occur earlier."""
        hashes, order = self._index
        twin = hashes[1:] == hashes[:-1]
        suspects = np.sort(order[1:][twin])  # equal hashes are sorted by row, so this skips the first of each
        return np.asarray(suspects[self.rows(self.take(suspects)) != suspects], dtype=np.int64)

    def folded(self, *, case: bool, space: bool) -> Words:
        """Return the same words in lower case, or with spaces for `_`, or both."""
        folded = fold(self.text.tobytes().decode(), case=case, space=space)
        return Words(np.frombuffer(folded.encode(), dtype=np.uint8))


def fold(word: str, *, case: bool, space: bool) -> str:
    """Return the form in which a lookup compares words when it ignores case, or the difference between `_` and
    a space.
    """
    folded = word.casefold() if case else word
    return folded.replace("_", " ") if space else folded


def consecutive(rows: NDArray[np.integer[Any]]) -> bool:
    """Return whether the rows are consecutive, so that a slice takes them without a copy."""
    return len(rows) == 0 or bool(rows[-1] - rows[0] == len(rows) - 1 and np.all(np.diff(rows) == 1))


def as_text(words: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return words in UTF-8 as one text, with a newline after each."""
    return np.frombuffer(b"\n".join(chain(words, [b""])), dtype=np.uint8)


def spans(starts: Rows, lengths: Rows) -> Rows:
    """Return the numbers from each start on, as many as the corresponding length, concatenated."""
    found = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    found += np.arange(len(found))
    return found
