"""Many Parquet files, one after the other, become one by a last footer that has the row groups of all of them.

A footer says where in its file the pages of each column are. So nothing is read again or written twice: the row groups
get other offsets, and the footers between them are bytes that nobody reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from entvec.bulk.thrift import BINARY, I64, LIST, STRUCT, Field, Items, Struct, read_struct, write_struct
from entvec.errors import InvalidInput

MARK = b"PAR1"
ENDING = 8
"""The length of the footer and the mark."""

# The numbers of fields in parquet.thrift.
SCHEMA, NUM_ROWS, ROW_GROUPS, KEY_VALUES = 2, 3, 4, 5  # FileMetaData
KEY, VALUE = 1, 2  # KeyValue
COLUMNS, GROUP_OFFSET, ORDINAL = 1, 5, 7  # RowGroup
META_DATA = 3  # ColumnChunk
CHUNK_OFFSETS = (2, 4, 6)  # file_offset, offset_index_offset, column_index_offset
PAGE_OFFSETS = (9, 10, 11, 14)  # data_page_offset, index_page_offset, dictionary_page_offset, bloom_filter_offset


def footer_of(content: bytes) -> bytes:
    """The footer of a whole Parquet file, without its length and mark."""
    if len(content) < ENDING + len(MARK) or content[:4] != MARK or content[-4:] != MARK:
        raise InvalidInput(f"{len(content):,} bytes are no Parquet file")
    size = int.from_bytes(content[-8:-4], "little")
    if size > len(content) - ENDING - len(MARK):
        raise InvalidInput(f"a footer of {size:,} bytes in a Parquet file of {len(content):,}")
    return content[-ENDING - size : -ENDING]


def joined(footers: Iterable[tuple[int, bytes]], metadata: Mapping[str, str] | None = None) -> bytes:
    """The end of a file in which Parquet files stand at these offsets, each with this footer: what makes it one.

    `metadata` are told by it beside what the first footer tells.
    """
    whole: Struct = {}
    groups: list[bytes] = []
    rows = 0
    for offset, footer in footers:
        told = read_struct(footer)
        whole = whole or told
        if told.keys() != whole.keys() or told[SCHEMA] != whole[SCHEMA]:
            raise InvalidInput("Parquet files of different columns cannot be joined")
        rows += told[NUM_ROWS].value
        for group in told[ROW_GROUPS].value.values:
            _shift_group(group, offset)
            groups.append(write_struct(group))
    if not whole:
        raise InvalidInput("no Parquet files to join, expected one at least")
    whole[NUM_ROWS] = Field(I64, rows)
    whole[ROW_GROUPS] = Field(LIST, Items(STRUCT, groups))
    told_already = whole[KEY_VALUES].value.values if KEY_VALUES in whole else []
    added = [
        {KEY: Field(BINARY, key.encode()), VALUE: Field(BINARY, value.encode())}
        for key, value in (metadata or {}).items()
    ]
    if told_already or added:
        whole[KEY_VALUES] = Field(LIST, Items(STRUCT, [*told_already, *added]))
    whole = dict(sorted(whole.items()))
    footer = write_struct(whole)
    return footer + len(footer).to_bytes(4, "little") + MARK


def _shift_group(group: Struct, offset: int) -> None:
    group.pop(ORDINAL, None)  # it need not be there, and of 16 bits there would not be enough
    _shift(group, (GROUP_OFFSET,), offset)
    for column in group[COLUMNS].value.values:
        _shift(column, CHUNK_OFFSETS, offset)
        _shift(column[META_DATA].value, PAGE_OFFSETS, offset)


def _shift(struct: Struct, numbers: tuple[int, ...], offset: int) -> None:
    for number in numbers:
        if number in struct and struct[number].value:  # writers put 0 where there is no such thing
            struct[number] = Field(struct[number].kind, struct[number].value + offset)
