"""The interface of a format, and the blocks of words and numbers that its reader yields."""

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
"""In bytes. A file with a longer word is considered damaged."""


class Block(NamedTuple):
    """Some words of a file in its order, as bytes, with their numbers and their positions in the file."""

    words: Sequence[bytes]
    values: NDArray[Any]
    places: Sequence[int] | NDArray[Any]
    counts: NDArray[Any] | None = None
    ranks: NDArray[Any] | None = None
    metadata: Mapping[str, str] | None = None


def opening(dimension: int, dtype: Any, metadata: Mapping[str, str] | None = None) -> Block:
    """Return the first block of a file, which has no words: it says what the blocks will be like, even if there are
    none.
    """
    return Block([], np.empty((0, dimension), dtype=dtype), [], metadata=metadata)


class Wanted(NamedTuple):
    """The options of a reader. It may yield more words than `limit`, but should not spend time on them."""

    limit: int | None = None
    double: bool = False
    trust_pickle: bool = False


class Unwritable(Exception):
    """Raised when a format cannot store something in the vectors."""


class Format(NamedTuple):
    """A row of the table of formats."""

    title: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Return whether a file that begins with these bytes has this format."""
    blocks: Callable[[Source, Wanted], Iterator[Block]] | None
    """Yield the content of the file. None for entvec's own format, which is opened as a whole instead."""
    write: Callable[[Vectors, BinaryIO, Callable[[int], None]], None] | None
    """Write the vectors to a file, and call the callback with the number of words written so far. None if it is only
    read.
    """
    places: Literal["line", "byte", "word"] = "word"
    """The unit of the positions in a block."""
    dtypes: Sequence[DtypeName] = tuple(DTYPES)
    """The number types that the format can store."""
    keeps_metadata: bool = False
    library: Callable[[], object] = lambda: None
    """Import the library that the format needs, or raise MissingExtra. It is called before any other work is done."""


def in_blocks(
    source: Source, words: Sequence[bytes], matrix: NDArray[Any], counts: NDArray[Any] | None
) -> Iterator[Block]:
    """Yield blocks of vectors that a library has read as a whole."""
    dimension = check_dimension(source, matrix.shape[1])
    yield opening(dimension, matrix.dtype)
    step = rows_at_once(dimension)
    for first in range(0, len(words), step):
        rows = slice(first, min(first + step, len(words)))
        part = None if counts is None else counts[rows]
        yield Block(words[rows], matrix[rows], range(first + 1, rows.stop + 1), part)


def check_dimension(source: Source, dimension: int, *, line: int | None = None) -> int:
    """Return the dimension, or raise an error if a vector cannot have it."""
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise source.error(f"expected vectors of 1 to {LARGEST_DIMENSION:,} numbers, found {dimension:,}", line=line)
    return dimension
