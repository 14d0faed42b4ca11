"""The decompressed size of a Parquet file, computed from its page headers before anything is decoded.

A run of a billion equal numbers takes a few bytes, and the metadata at the end of a file may be wrong. The
header of each page has the number of its values and its decompressed size, and decoders rely on those numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

HEADER_SIZES = (1 << 12, 1 << 24)
"""How many bytes to read for a header. Nearly all take a few, but some contain the minimum and maximum value."""
DEEPEST = 16
PADDING = 100
"""Decoders read this many additional bytes of old files, whose sizes are too small."""
WIDTHS = {"BOOLEAN": 1, "FIXED_LEN_BYTE_ARRAY": 2, "INT64": 8, "DOUBLE": 8, "INT96": 12}
"""The smallest size of a value in bytes; 4 for other types. The characters of strings are counted separately."""
DICTIONARY_PAGE, DELTA_BYTE_ARRAY = 2, 7
# Field numbers in Parquet's Thrift definition: of the file, a row group, a column chunk and its metadata,
ROW_GROUPS, COLUMNS, COLUMN = 4, 1, 3
N_IN_ALL, SIZE, FIRST_PAGE, FIRST_DICTIONARY = 5, 7, 9, 11
# of a page header, and of the data page header.
KIND, UNPACKED, PACKED, DATA, DICTIONARY, DATA_V2 = 1, 2, 3, 5, 7, 8
N_VALUES, ENCODING, ENCODING_V2 = 1, 2, 4
# Type codes of Thrift's compact protocol.
TRUE, FALSE, BYTE, INTEGERS, DOUBLE, BINARY, LISTS, STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12


class Growth(NamedTuple):
    """The decompressed size of some columns."""

    size: int
    """In bytes, at least; strings with shared prefixes may take more."""
    longest: int
    """The largest size of a single string that takes hardly any space in the file."""


def growth(file: BinaryIO, schema: Any, columns: list[str]) -> Growth:
    """Return the decompressed size of columns; raise ValueError, LookupError or TypeError if the file is damaged.

    Parameters
    ----------
    file
        The file, open at any position.
    schema
        Its schema, from pyarrow: `ParquetFile.schema`.
    columns
        Names of top-level columns.
    """
    size = longest = 0
    wanted = {name.partition(".")[0] for name in columns}
    leaves = [schema.column(i) for i in range(len(schema))]
    for group in _contents(file).get(ROW_GROUPS, []):
        for leaf, chunk in zip(leaves, group[COLUMNS], strict=True):
            if leaf.path.partition(".")[0] not in wanted:
                continue
            width = WIDTHS.get(leaf.physical_type, 4)
            for page in _pages(file, chunk[COLUMN]):
                size += max(page.unpacked, width * page.n_values)
                longest = max(longest, page.unpacked if page.shares else 0)
    return Growth(size, longest)


def _contents(file: BinaryIO) -> dict[int, Any]:
    """Return the file's metadata. pyarrow's own parser ends the process on some damaged files."""
    end = file.seek(-8, os.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(end - length)
    return _struct(file.read(length), 0)[0]


class _Page(NamedTuple):
    unpacked: int
    n_values: int
    shares: bool
    """True if the page stores strings once and uses them often: a dictionary, or strings without their shared
    prefixes.
    """


def _pages(file: BinaryIO, column: dict[int, Any]) -> Iterator[_Page]:
    """Yield the pages of a column chunk that a decoder would read: until it has all values or reaches the end."""
    start = at = min(filter(None, (column.get(FIRST_DICTIONARY), column[FIRST_PAGE])), default=0)
    n_left = column[N_IN_ALL]
    while n_left > 0 and at < start + column[SIZE] + PADDING:
        header, end = _header(file, at)
        data = header.get(DATA) or header.get(DATA_V2) or header.get(DICTIONARY) or {}
        n_values = data.get(N_VALUES, 0)
        if min(header[PACKED], header[UNPACKED], n_values) < 0:
            raise ValueError("expected sizes and numbers of values in the header of a page, found negative ones")
        dictionary = header[KIND] == DICTIONARY_PAGE
        encoding = data.get(ENCODING_V2 if DATA_V2 in header else ENCODING)
        yield _Page(header[UNPACKED], n_values, dictionary or encoding == DELTA_BYTE_ARRAY)
        n_left -= 0 if dictionary else n_values
        at = end + header[PACKED]


def _header(file: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the page header at a position, and the position after it."""
    for size in HEADER_SIZES:
        file.seek(at)
        data = file.read(size)
        try:
            fields, length = _struct(data, 0)
        except IndexError:
            if size == HEADER_SIZES[-1] or len(data) < size:  # reading more bytes would not help
                raise
        else:
            break
    return fields, at + length


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a structure of Thrift's compact protocol by number, and the position after it."""
    fields: dict[int, Any] = {}
    number = 0
    while kind := data[at]:
        step, kind = kind >> 4, kind & 15
        at += 1
        if step:
            number += step
        else:
            number, at = _signed(data, at)
        if kind in (TRUE, FALSE):
            fields[number] = kind == TRUE
        else:
            fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return a value, and the position after it. For a string the value is its length."""
    if kind in INTEGERS:
        return _signed(data, at)
    if kind == BINARY:
        length, at = _unsigned(data, at)
        return length, at + length
    if depth > DEEPEST:
        raise ValueError("expected at most a few structures within each other, found more")
    if kind == STRUCT:
        return _struct(data, at, depth + 1)
    if kind in LISTS:
        n, kind = data[at] >> 4, data[at] & 15
        n, at = (n, at + 1) if n < 15 else _unsigned(data, at + 1)
        values = []
        for _ in range(n):
            value, at = _value(data, at, BYTE if kind in (TRUE, FALSE) else kind, depth + 1)
            values.append(value)
        return values, at
    if kind in (BYTE, DOUBLE):
        return data[at], at + (1 if kind == BYTE else 8)
    raise ValueError(f"expected fields of a Parquet file, found one of kind {kind}")


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("expected a number of 64 bits, found a larger one")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at
