"""Reading a file of vectors in any format."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, Remedy, VectorFileError, VectorFileWarning
from entvec.progress import Progress
from entvec.vectors.dtypes import DTYPES, DtypeLike, DtypeName, check_dtype, encode
from entvec.vectors.formats import FORMATS, Block, Format, FormatName, Wanted, native
from entvec.vectors.formats.base import LONGEST_WORD
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors
from entvec.vectors.words import Words

Duplicates = Literal["error", "first", "last"]
Undecodable = Literal["error", "replace"]

STRANGERS = {
    b"<": "a web page or XML; the download may have failed, look at it with a text editor",
    b"{": "JSON; expected a file of word vectors",
    b"\x93NUMPY": "a NumPy array without words; save both with np.savez(file, words=words, vectors=matrix)",
    b"\x89HDF": "an HDF5 file; convert it to a format of word vectors first",
    b"version https://git-lfs": "a pointer to a large file that was not downloaded; run: git lfs pull",
    b"PK\x05\x06": "an empty zip archive",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a rar archive; unpack it first",
    b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}
TAR = slice(257, 262), b"ustar"
COMMAS = re.compile(rb"[^,\n]*(?:,[ ]?[+-]?[\d.][^,\n ]*)++[ \r]*\n")


def read(
    path: str | Path | Source,
    *,
    format: FormatName | None = None,  # noqa: A002
    limit: int | None = None,
    dtype: DtypeLike | None = None,
    duplicates: Duplicates = "error",
    undecodable: Undecodable = "error",
    trust_pickle: bool = False,
    progress: Progress | None = None,
) -> Vectors:
    r"""Read a file of vectors. The format is recognised by the content.

    The file may be compressed (.gz .bz2 .xz .zst .zip). A native file is memory-mapped; its numbers and
    duplicates are not checked until `Vectors.check` is called.

    >>> _ = Path("pets.vec").write_text("2 2\ndog 1.0 2.0\ncat 3.0 4.0\n")
    >>> read("pets.vec")["cat"]
    array([3., 4.], dtype=float32)

    Parameters
    ----------
    path
        The file, or a `Source`: a file that is open already, because it was inspected and may be a pipe.
    format
        A name in `FORMATS`, to read the file in that format whatever it looks like.
    limit
        Read only this many words from the beginning.
    dtype
        The number type to store the vectors in: float64, float32, float16 or bfloat16. None keeps that of the file;
        text is read as float32.
    duplicates
        What to do if a word occurs twice: raise an error, or use the first or the last.
    undecodable
        What to do if a word is not UTF-8: raise an error, or replace the invalid bytes by U+FFFD and warn with
        their number.
    trust_pickle
        Open a pickle (gensim's KeyedVectors). Only for files from people you trust.
    progress
        A callback, called with the number of bytes read so far and in all.
    """
    for name, value, options in (
        ("duplicates", duplicates, get_args(Duplicates)),
        ("undecodable", undecodable, get_args(Undecodable)),
        ("format", format, (None, *FORMATS)),
    ):
        if value not in options:
            raise InvalidInput(f"{name} is {value!r}, expected one of {', '.join(map(str, options))}")
    if limit is not None and (not isinstance(limit, int) or limit < 0):
        raise InvalidInput(f"limit is {limit!r}, expected a whole number, 0 or more")
    kind = None if dtype is None else check_dtype(dtype)
    tell = progress or (lambda *_: None)
    with path if isinstance(path, Source) else Source(path) as source:
        name = format or sniff(source)
        blocks = FORMATS[name].blocks
        if blocks is None:
            tell(source.size, source.size)
            return _native(source, limit, kind, duplicates)
        collected = _Collected(source, FORMATS[name], kind, undecodable, limit)
        done = 0
        for block in blocks(source, Wanted(limit, double=kind == "float64", trust_pickle=trust_pickle)):
            collected.add(block if limit is None else _first(block, limit - collected.n_words))
            done = max(done, source.done())  # an archive is not read in order
            tell(done, source.size)
            if collected.n_words == limit:
                break
        tell(source.size or done, source.size)
        return collected.finish(duplicates)


def _native(source: Source, limit: int | None, kind: DtypeName | None, duplicates: Duplicates) -> Vectors:
    vectors = native.open_(source)
    vectors = vectors if limit is None else vectors.head(limit)
    try:
        vectors = vectors if kind is None else vectors.astype(kind)
    except InvalidInput as error:
        raise source.error(str(error)) from None
    if duplicates != "error" and len(again := vectors.words.repeated()):
        return vectors.take(_kept(vectors.words, again, duplicates))
    return vectors


def sniff(source: Source) -> FormatName:
    """Return the name of a file's format, recognised by its first bytes."""
    head = source.peek()
    if not head:
        raise source.error("the file is empty, expected word vectors")
    if head[TAR[0]] == TAR[1]:
        raise source.error("this is a tar archive; unpack it and read the file in it")
    for name, row in FORMATS.items():
        if row.matches(head):
            return name
    for beginning, what in STRANGERS.items():
        if head.lstrip().startswith(beginning):
            raise source.error(f"this is {what}")
    if COMMAS.match(head):
        raise source.error("this has commas between its numbers; expected spaces or tabs")
    raise source.error(
        f"expected word vectors in one of the formats {', '.join(FORMATS)}, found a file that begins with {head[:40]!r}"
    )


def _first(block: Block, n: int) -> Block:
    counts, ranks = (column if column is None else column[:n] for column in (block.counts, block.ranks))
    return Block(block.words[:n], block.values[:n], block.places[:n], counts, ranks, block.metadata)


class _Collected:
    """The words and rows read so far. Memory grows with the data, and never depends on the sizes in a header."""

    def __init__(
        self, source: Source, row: Format, dtype: DtypeName | None, undecodable: Undecodable, limit: int | None
    ) -> None:
        self.source, self.format, self.undecodable, self.limit = source, row, undecodable, limit
        self.dtype = dtype
        self.n_words = self.n_replaced = 0
        self.text = bytearray()
        self.places: list[tuple[int, Sequence[int] | NDArray[Any]]] = []
        self.columns: dict[str, list[NDArray[Any]]] = {"counts": [], "ranks": []}
        self.matrix: NDArray[Any] | None = None
        self.dimension = 0
        self.metadata: Mapping[str, str] = {}

    def add(self, block: Block) -> None:
        """Check a block and append it."""
        self.dimension = block.values.shape[1]
        self.metadata = block.metadata or self.metadata
        if self.dtype is None:
            name = block.values.dtype.name
            self.dtype = check_dtype(name if name in DTYPES else "float64")
        if not len(block.words):
            return
        self.places.append((self.n_words, block.places))
        self._add_words(list(block.words))
        self._add_values(block.values)
        for name, kept in self.columns.items():
            if (column := getattr(block, name)) is not None:
                kept.append(np.asarray(column, dtype=np.int64))
                if kept[-1].min() < 0:  # also the result of a number too large for 64 bits
                    row = self.n_words + int(kept[-1].argmin())
                    raise self._error(row, f"expected {name} of 0 or more, found {kept[-1].min()}")
        self.n_words += len(block.words)

    def _add_words(self, words: list[bytes]) -> None:
        joined = b"\n".join(words) + b"\n"
        try:
            joined.decode()
        except UnicodeDecodeError:
            joined = b"\n".join(self._decodable(i, word) for i, word in enumerate(words)) + b"\n"
        if joined.count(b"\n") != len(words) or max(map(len, words)) > LONGEST_WORD:
            odd = next(i for i, word in enumerate(words) if b"\n" in word or len(word) > LONGEST_WORD)
            found = "one with a line break" if b"\n" in words[odd] else f"one of {len(words[odd]):,} bytes"
            raise self._error(self.n_words + odd, f"expected a word of at most {LONGEST_WORD:,} bytes, found {found}")
        self.text += joined

    def _decodable(self, i: int, word: bytes) -> bytes:
        try:
            word.decode()
        except UnicodeDecodeError as error:
            if self.undecodable == "error":
                raise self._error(
                    self.n_words + i,
                    f"expected a word in UTF-8, found {word[:40]!r} ({error.reason})",
                    Remedy.REPLACE_BYTES,
                ) from None
            self.n_replaced += 1
        return word.decode(errors="replace").encode()

    def _add_values(self, values: NDArray[Any]) -> None:
        if not (finite := np.isfinite(values)).all():
            row, column = np.argwhere(~finite)[0]
            raise self._error(
                self.n_words + int(row), f"expected finite numbers, found {values[row, column]} as number {column + 1}"
            )
        assert self.dtype is not None  # noqa: S101
        try:
            stored = encode(values, self.dtype)
        except InvalidInput as error:
            raise self._error(self.n_words, f"here or soon after, {error}") from None
        self._room_for(*stored.shape)[self.n_words : self.n_words + len(stored)] = stored

    def _room_for(self, more: int, dimension: int) -> NDArray[Any]:
        """Return the matrix, enlarged for more rows."""
        needed = self.n_words + more
        if self.matrix is None:
            assert self.dtype is not None  # noqa: S101
            # Allocate as many rows as the file probably has: untouched memory costs nothing. The position in the file
            # gives the estimate, if the file is read in order.
            streamed = self.format.places != "word"
            likely = int(1.02 * needed * self.source.size / max(1, self.source.done())) if streamed else 0
            rows = max(needed, likely if self.limit is None else min(likely, self.limit))
            try:
                self.matrix = np.empty((rows, dimension), DTYPES[self.dtype].stored)
            except MemoryError:  # the estimate exceeds the memory, but may be too high
                self.matrix = np.empty((needed, dimension), DTYPES[self.dtype].stored)
        if dimension != self.matrix.shape[1]:
            raise self._error(self.n_words, f"expected {self.matrix.shape[1]} numbers as before, found {dimension}")
        if needed > len(self.matrix):  # in place where the system can, so that there are not two matrices at once
            self.matrix.resize((needed + needed // 10, dimension), refcheck=False)
        return self.matrix

    def finish(self, duplicates: Duplicates) -> Vectors:
        """Return the vectors of all blocks."""
        dtype = self.dtype or "float32"
        matrix = self.matrix if self.matrix is not None else np.empty((0, self.dimension), dtype=DTYPES[dtype].stored)
        matrix.resize((self.n_words, matrix.shape[1]), refcheck=False)
        words = Words(np.frombuffer(bytes(self.text), dtype=np.uint8))
        if self.n_replaced:
            self._warn(f"words that were not UTF-8: {self.n_replaced:,}; the bytes that are not became U+FFFD")
        counts, ranks = (np.concatenate(kept) if kept else None for kept in self.columns.values())
        vectors = Vectors.of_stored(words, matrix, dtype, counts=counts, ranks=ranks, metadata=self.metadata)
        again = words.repeated()
        if not len(again):
            return vectors
        if duplicates == "error":
            row = int(again[0])
            first = words.row(words[row]) or 0
            raise self._error(
                row,
                f"expected each word once, found {words[row]!r} again (first at {self._where(first)})",
                Remedy.CHOOSE_DUPLICATE,
            )
        self._warn(f"words that occurred again: {len(again):,}; the {duplicates} of each was kept")
        return vectors.take(_kept(words, again, duplicates))

    def _place(self, row: int) -> int:
        first, places = self.places[bisect_right(self.places, row, key=lambda block: block[0]) - 1]
        return int(places[row - first])

    def _where(self, row: int) -> str:
        return f"{self.format.places} {self._place(row):,}"

    def _error(self, row: int, problem: str, remedy: Remedy | None = None) -> VectorFileError:
        if self.format.places == "word":
            return self.source.error(f"{self._where(row)}: {problem}", remedy=remedy)
        return self.source.error(problem, remedy=remedy, **{self.format.places: self._place(row)})

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.source.path}: {message}", VectorFileWarning, stacklevel=4)


def _kept(words: Words, again: NDArray[np.int64], duplicates: Duplicates) -> NDArray[np.int64]:
    """Return the rows that remain, of words that occur more than once."""
    keep = np.ones(len(words), dtype=bool)
    if duplicates == "first":
        keep[again] = False
    else:
        rows = words.rows(words)  # the first row of each word
        last = np.zeros(len(words), dtype=np.int64)
        np.maximum.at(last, rows, np.arange(len(words)))
        keep = last[rows] == np.arange(len(words))
    return np.flatnonzero(keep)
