r"""NumPy's archive (.npz): a matrix and its words, never unpickled.

Read: the only two-dimensional array of floats, and the words as an array of strings (`np.array(words)`) or as UTF-8
text with a newline after each. Written: `vectors` and such a text, `words`, because an array of strings gives every
word the room of the longest: `np.load(file)["words"].tobytes().decode().split("\n")` has them back.
"""

import io
import math
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from entvec.vectors.dtypes import DTYPES
from entvec.vectors.formats.base import Block, Wanted, check_dimension, opening
from entvec.vectors.source import ZIP, Source
from entvec.vectors.vectors import Vectors, rows_at_once
from entvec.vectors.words import NEWLINE, Words

VECTORS, WORDS, COUNTS, RANKS = "vectors", "words", "counts", "ranks"
WHEN = (1980, 1, 1, 0, 0, 0)  # a constant time, so that the same vectors make the same file


class Member(NamedTuple):
    """An array of the archive whose header has been read; `data` is positioned at its numbers."""

    name: str
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    data: Any


def matches(head: bytes) -> bool:
    """Return whether the file is a zip archive. (Source unpacks archives that do not hold arrays.)"""
    return head.startswith(ZIP)


def blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words with their rows."""
    # NumPy parses headers with Python's tokenizer, and zipfile trusts what it reads: any exception may be raised.
    with source.converting_errors(Exception, what="a damaged archive of arrays"):
        members = _members(source, zipfile.ZipFile(source.seekable()))
        matrix = _matrix(source, members)
        words = _words(source, members, matrix.shape[0])
        n_words, dimension = matrix.shape[0], check_dimension(source, matrix.shape[1])
        yield opening(dimension, matrix.dtype)
        named = {member.name: member for member in members}
        columns = {name: _column(source, named[name], n_words) for name in (COUNTS, RANKS) if name in named}
        step = rows_at_once(dimension)
        text = _text(source, words, n_words) if words.dtype == np.uint8 else None
        whole = _read(source, matrix, n_words) if matrix.fortran else None
        for first in range(0, n_words if wanted.limit is None else min(n_words, wanted.limit), step):
            rows = slice(first, min(first + step, n_words))
            size = rows.stop - first
            spelled = _strings(_read(source, words, size)) if text is None else text[rows].split()
            values = _read(source, matrix, size) if whole is None else whole[rows]
            parts: dict[str, Any] = {name: column[rows] for name, column in columns.items()}
            yield Block(spelled, values, range(first + 1, rows.stop + 1), **parts)


def member(source: Source, name: str) -> NDArray[Any]:
    """Return an array of an archive by its name."""
    with source.converting_errors(Exception, what="a damaged archive of arrays"):
        found = [each for each in _members(source, zipfile.ZipFile(source.seekable())) if each.name == name]
        if len(found) != 1 or not found[0].shape:
            raise source.error(f"expected one array {name}, found {_listed(found)}")
        return _read(source, found[0], found[0].shape[0])


def _members(source: Source, archive: zipfile.ZipFile) -> list[Member]:
    found = []
    for info in archive.infolist():
        if not info.filename.endswith(".npy"):
            continue
        source.refuse_growth(info.file_size, info.compress_size, of=f"{info.filename}: ")
        data = archive.open(info)
        version = npy.read_magic(data)
        if version not in ((1, 0), (2, 0)):
            raise source.error(f"expected {info.filename} in version 1.0 or 2.0 of NumPy's format, found {version}")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns of headers that Python 2 wrote
            shape, fortran, dtype = read_header(data)
        name = info.filename.removesuffix(".npy")
        if dtype.hasobject:
            raise source.error(
                f"the array {name} holds pickled objects, which could run any program; "
                "save it as np.array(words, dtype=str) and read that"
            )
        if math.prod(shape) * dtype.itemsize > info.file_size:
            raise source.error(
                f"the array {name} promises shape {shape} of {dtype}, more than its {info.file_size:,} bytes"
            )
        found.append(Member(name, shape, fortran, dtype, data))
    return found


def _matrix(source: Source, members: list[Member]) -> Member:
    matrices = [member for member in members if len(member.shape) == 2 and member.dtype.kind == "f"]
    named = [member for member in matrices if member.name == VECTORS] or matrices
    if len(named) != 1:
        raise source.error(f"expected one array of two dimensions with floats, found {_listed(members)}")
    return named[0]


def _words(source: Source, members: list[Member], n_words: int) -> Member:
    lists = [member for member in members if len(member.shape) == 1]
    strings = [member for member in lists if member.dtype.kind in "US"]
    text = [member for member in lists if member.name == WORDS and member.dtype == np.uint8]
    named = [member for member in strings + text if member.name == WORDS] or strings
    if len(named) != 1:
        raise source.error(f"expected one array of strings, the words, found {_listed(members)}")
    if named[0] in strings and named[0].shape[0] != n_words:
        raise source.error(f"expected {n_words:,} words, as many as rows of numbers, found {named[0].shape[0]:,}")
    return named[0]


def _column(source: Source, member: Member, n_words: int) -> NDArray[Any]:
    if member.shape != (n_words,) or member.dtype.kind not in "iu":
        raise source.error(f"expected {n_words:,} whole numbers in {member.name}, found {_listed([member])}")
    return _read(source, member, n_words).astype(np.int64)


def _listed(members: list[Member]) -> str:
    return ", ".join(f"{member.name} {member.shape} {member.dtype}" for member in members[:8]) or "no arrays"


def _text(source: Source, words: Member, n_words: int) -> Words:
    text = _read(source, words, words.shape[0])
    found = Words(text if not len(text) or text[-1] == NEWLINE else np.append(text, np.uint8(NEWLINE)))
    if len(found) != n_words:
        raise source.error(f"expected {n_words:,} words, as many as rows of numbers, found {len(found):,}")
    return found


def _strings(words: NDArray[Any]) -> list[bytes]:
    return words.tolist() if words.dtype.kind == "S" else [word.encode() for word in words.tolist()]


def _read(source: Source, member: Member, rows: int) -> NDArray[Any]:
    """Return the next rows of an array, or all of it if it is stored by columns."""
    shape = (rows, *member.shape[1:])
    size = math.prod(shape) * member.dtype.itemsize
    data = member.data.read(size)
    if len(data) != size:
        raise source.error(f"expected {size:,} more bytes of {member.name}, found {len(data):,}: the file is cut off")
    return np.frombuffer(data, dtype=member.dtype).reshape(shape, order="F" if member.fortran else "C")


def write(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write the arrays without compression, because floats hardly compress."""
    dtype = DTYPES[vectors.dtype].computed if vectors.dtype == "bfloat16" else DTYPES[vectors.dtype].stored
    stream: Any = file if isinstance(file, io.BufferedWriter) else _OneWay(file)
    with zipfile.ZipFile(stream, "w") as archive:
        with archive.open(zipfile.ZipInfo(f"{VECTORS}.npy", WHEN), "w", force_zip64=True) as member:
            header = {"descr": dtype.str, "fortran_order": False, "shape": (len(vectors), vectors.dimension)}
            npy.write_array_header_1_0(member, header)
            for first, values in vectors.blocks():
                member.write(np.ascontiguousarray(values, dtype).data)
                progress(first + len(values))
        columns = {
            WORDS: vectors.words.text,
            COUNTS: vectors.counts,
            RANKS: vectors.ranks if vectors.has_ranks else None,
        }
        for name, column in columns.items():
            if column is not None:
                with archive.open(zipfile.ZipInfo(f"{name}.npy", WHEN), "w", force_zip64=True) as member:
                    npy.write_array(member, np.ascontiguousarray(column), (1, 0), allow_pickle=False)


class _OneWay:
    """A wrapper that reports a file as not seekable: compressed output says that it is, but cannot go back."""

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush
