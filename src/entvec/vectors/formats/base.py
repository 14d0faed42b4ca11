"""What a format is, and what a file of vectors yields: blocks of words with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.vectors.dtypes import DTYPES, DtypeName
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors, rows_at_once

LARGEST_DIMENSION = 100_000
LONGEST_WORD = 1 << 16
"""In bytes. A file in which a word seems to be longer is broken."""


class Block(NamedTuple):
    """Some words of a file, in its order: each as bytes, with its numbers and its place in the file."""

    words: Sequence[bytes]
    values: NDArray[Any]
    places: Sequence[int] | NDArray[Any]
    counts: NDArray[Any] | None = None
    ranks: NDArray[Any] | None = None
    metadata: Mapping[str, str] | None = None


def opening(dimension: int, dtype: Any, metadata: Mapping[str, str] | None = None) -> Block:
    """The first block of a file: no words yet, but what they will be like, even if there are none."""
    return Block([], np.empty((0, dimension), dtype=dtype), [], metadata=metadata)


class Wanted(NamedTuple):
    """What a reader is asked for; it may yield more words than `limit`, but should not work for them."""

    limit: int | None = None
    double: bool = False
    trust_pickle: bool = False


class Unwritable(Exception):
    """Something in the vectors that a format cannot hold."""


class Format(NamedTuple):
    """A row of the table of formats."""

    title: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Whether a file that begins with these bytes is of this format."""
    blocks: Callable[[Source, Wanted], Iterator[Block]] | None
    """What the file holds; our own files are opened as a whole instead."""
    write: Callable[[Vectors, BinaryIO, Callable[[int], None]], None] | None
    """Write the vectors to a file, and tell the number of words written so far."""
    places: Literal["line", "byte", "word"] = "word"
    """What the places of a block count."""
    dtypes: Sequence[DtypeName] = tuple(DTYPES)
    """The kinds of numbers it can hold."""
    keeps_metadata: bool = False
    library: Callable[[], object] = lambda: None
    """Load what reading and writing need, or raise MissingExtra: to be told before any work is done."""


def in_blocks(
    source: Source, words: Sequence[bytes], matrix: NDArray[Any], counts: NDArray[Any] | None
) -> Iterator[Block]:
    """What a library has read as a whole."""
    dimension = check_dimension(source, matrix.shape[1])
    yield opening(dimension, matrix.dtype)
    step = rows_at_once(dimension)
    for first in range(0, len(words), step):
        rows = slice(first, min(first + step, len(words)))
        part = None if counts is None else counts[rows]
        yield Block(words[rows], matrix[rows], range(first + 1, rows.stop + 1), part)


def check_dimension(source: Source, dimension: int, *, line: int | None = None) -> int:
    """The dimension, if a vector can have it."""
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise source.error(f"expected vectors of 1 to {LARGEST_DIMENSION:,} numbers, found {dimension:,}", line=line)
    return dimension
