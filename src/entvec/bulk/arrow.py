"""Words from columns of Arrow and to them, without a string of Python for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.bulk.pieces import some_of
from entvec.space.lookup import Lookup, Rows, padded
from entvec.vectors.formats.parquet import library
from entvec.vectors.words import Words

if TYPE_CHECKING:
    import pyarrow as pa

LOOKED_AT = 100
NEWLINE = ord("\n")


def rows_of(lookup: Lookup, column: pa.ChunkedArray) -> Rows:
    """The row of each word, -1 for those without a vector and where there is no word."""
    parts = [_rows(lookup, chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _rows(lookup: Lookup, array: pa.Array) -> Rows:
    pyarrow = library()
    if pyarrow.types.is_dictionary(array.type):
        of_words = np.append(_rows(lookup, array.dictionary), -1)
        places = array.indices.cast(pyarrow.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(of_words[places])
    text, ends = _text(array.cast(pyarrow.large_string()))
    starts, lengths = ends[:-1], np.diff(ends)
    rows = lookup.rows(text, starts, lengths)
    if array.null_count:
        rows[array.is_null().to_numpy(zero_copy_only=False)] = -1
    return rows


def _text(array: pa.Array) -> tuple[NDArray[np.uint8], Rows]:
    """The words one after the other, and where each begins, and the last ends."""
    _, offsets, content = array.buffers()
    if not len(array) or content is None:
        return padded(b""), np.zeros(len(array) + 1, dtype=np.int64)
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    text = padded(content.slice(int(ends[0]), int(ends[-1] - ends[0])).to_pybytes())
    if (text == NEWLINE).any():  # no word has one, and the lookup takes it for the end of a word
        text = np.where(text == NEWLINE, np.uint8(0), text)
    return text, ends - ends[0]


def strings_of(words: Words) -> pa.Array:
    """Words as a column."""
    pyarrow = library()
    ends = np.flatnonzero(words.text == NEWLINE)
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends - np.arange(len(ends))  # without the newlines before it
    content = words.text[words.text != NEWLINE]
    return pyarrow.StringArray.from_buffers(len(ends), pyarrow.py_buffer(offsets), pyarrow.py_buffer(content))


def examples(columns: list[pa.ChunkedArray], rows: list[Rows]) -> tuple[str, ...]:
    """A few of the words without a row."""
    found: list[str] = []
    for column, its_rows in zip(columns, rows, strict=True):
        unknown = np.flatnonzero(its_rows < 0)[:LOOKED_AT]
        words: list[Any] = column.take(unknown).to_pylist() if len(unknown) else []
        found += [word for word in words if word]
    return some_of(found)
