"""Words and numbers from columns of Arrow and to them, without a string of Python for each.

Buffers are taken as they are: `to_numpy`, `array` and `table` import pandas where it is installed, and `cast` what
computes, and that takes as long as half a million pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.bulk.jobs import first_examples
from entvec.pairs.lookup import TextLookup, padded
from entvec.vectors.formats.parquet import library
from entvec.vectors.words import Words

if TYPE_CHECKING:
    import pyarrow as pa

LOOKED_AT = 100
NEWLINE = ord("\n")


def rows_of(lookup: TextLookup, column: pa.ChunkedArray) -> Rows:
    """The row of each word, -1 for those without a vector and where there is no word."""
    parts = [_rows(lookup, chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _rows(lookup: TextLookup, array: pa.Array) -> Rows:
    pyarrow = library()
    if pyarrow.types.is_dictionary(array.type):
        of_words = _rows(lookup, array.dictionary)
        places = _numbers(array.indices, array.indices.type.to_pandas_dtype())[: len(array)]
        valid = _valid(array.indices)
        return of_words[places] if valid is None else np.append(of_words, -1)[np.where(valid, places, -1)]
    if pyarrow.types.is_string_view(array.type):
        array = array.cast(pyarrow.large_string())
    text, ends = _text(array)
    starts, lengths = ends[:-1], np.diff(ends)
    rows = lookup.rows(text, starts, lengths)
    valid = _valid(array)
    return rows if valid is None else np.where(valid, rows, -1)


def _numbers(array: pa.Array, dtype: Any) -> NDArray[Any]:
    """The numbers of a column, or the offsets of one of words, of which there is one more; anything for a null."""
    content = array.buffers()[1]
    return np.frombuffer(content or b"", dtype=dtype)[array.offset :][: len(array) + 1]


def _valid(array: pa.Array) -> NDArray[np.bool_] | None:
    """Where there is a value, if not everywhere."""
    bits = array.buffers()[0]
    if bits is None or not array.null_count:
        return None
    return np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[array.offset :][: len(array)].astype(bool)


def numbers_of(numbers: NDArray[Any], *, unknown: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers as a column, with nulls for those that are unknown."""
    pyarrow = library()
    valid = None if unknown is None else pyarrow.py_buffer(np.packbits(~unknown, bitorder="little"))
    content = pyarrow.py_buffer(np.ascontiguousarray(numbers))
    return pyarrow.Array.from_buffers(pyarrow.from_numpy_dtype(numbers.dtype), len(numbers), [valid, content])


def _text(array: pa.Array) -> tuple[NDArray[np.uint8], Rows]:
    """The words one after the other, and where each begins, and the last ends."""
    content = array.buffers()[2]
    if not len(array) or content is None:
        return padded(b""), np.zeros(len(array) + 1, dtype=np.int64)
    ends = _numbers(array, np.int64 if library().types.is_large_string(array.type) else np.int32).astype(np.int64)
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
    return first_examples(found)
