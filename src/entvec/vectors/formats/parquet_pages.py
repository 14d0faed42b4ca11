"""How much a Parquet file will grow, judged from the headers of its pages before anything is decoded.

The table of contents at the end of a file may say anything, and a run of a billion equal numbers takes a few bytes. The
header in front of each page counts the values that come out of it and the bytes that it is decompressed to, and those
counts are what a decoder goes by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

HEADER_SIZES = (1 << 12, 1 << 24)
"""How many bytes to look at for a header: nearly all take a few, but some quote the least and the largest value."""
DEEPEST = 8
PADDING = 100
"""Decoders read so many bytes more of old files, which count them wrongly."""
WIDTHS = {"BOOLEAN": 1, "FIXED_LEN_BYTE_ARRAY": 2, "INT64": 8, "DOUBLE": 8, "INT96": 12}
"""The bytes that a value takes at least; 4 if it is not here: those of a string are counted apart."""
DICTIONARY_PAGE, DELTA_BYTE_ARRAY = 2, 7
# The numbers of the fields of a page header, in Parquet's definition.
KIND, UNPACKED, PACKED, DATA, DICTIONARY, DATA_V2 = 1, 2, 3, 5, 7, 8
N_VALUES, ENCODING, ENCODING_V2 = 1, 2, 4


class Growth(NamedTuple):
    """What some columns become."""

    size: int = 0
    """In bytes, at least; strings that share letters may take more."""
    longest: int = 0
    """The most bytes that a single string may become although it takes next to none in the file."""


def growth(file: BinaryIO, metadata: Any, columns: list[str]) -> Growth:
    """Return what the columns of these names become; ValueError if a header is damaged.

    Parameters
    ----------
    file
        The file, to be read anywhere.
    metadata
        Its table of contents, from pyarrow.
    columns
        Names of columns at the top of the schema.
    """
    size = longest = 0
    wanted = {name.partition(".")[0] for name in columns}
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.partition(".")[0] not in wanted:
                continue
            width = WIDTHS.get(column.physical_type, 4)
            for page in _pages(file, column):
                size += max(page.unpacked, width * page.n_values)
                longest = max(longest, page.unpacked if page.shares else 0)
    return Growth(size, longest)


class _Page(NamedTuple):
    unpacked: int
    n_values: int
    shares: bool
    """True if its strings are written once and used often: a dictionary, or strings without their common beginnings."""


def _pages(file: BinaryIO, column: Any) -> Iterator[_Page]:
    """Yield the pages of a part of a column, as many as a decoder reads: until it has all values, or no more bytes."""
    start = at = min(filter(None, (column.dictionary_page_offset, column.data_page_offset)), default=0)
    n_left = column.num_values
    while n_left > 0 and at < start + column.total_compressed_size + PADDING:
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
    """Return the fields of the header at a position, and the position after it."""
    for size in HEADER_SIZES:
        file.seek(at)
        data = file.read(size)
        try:
            fields, length = _struct(data, 0)
        except IndexError:
            if size == HEADER_SIZES[-1] or len(data) < size:  # it is not that the header is longer
                raise
        else:
            break
    return fields, at + length


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a structure in Thrift's compact protocol by their numbers, and the position after it."""
    if depth > DEEPEST:
        raise ValueError("expected the header of a page, found structures within structures")
    fields: dict[int, Any] = {}
    number = 0
    while kind := data[at]:
        step, kind = kind >> 4, kind & 15
        at += 1
        if step:
            number += step
        else:
            number, at = _signed(data, at)
        value: Any = kind == 1  # 1 is true and 2 is false
        if kind in (4, 5, 6):
            value, at = _signed(data, at)
        elif kind == 8:
            length, at = _unsigned(data, at)
            at += length
        elif kind == 12:
            value, at = _struct(data, at, depth + 1)
        elif kind not in (1, 2):
            raise ValueError(f"expected the header of a page, found a field of kind {kind}")
        fields[number] = value
    return fields, at + 1


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
