"""Parquet files one after the other are one, with a last footer."""

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bulk.footer import footer_of, joined
from entvec.bulk.thrift import I64, LIST, STRUCT, TRUE, UUID, Field, Items, read_struct, write_struct
from entvec.errors import InvalidInput

WAYS: list[dict[str, Any]] = [
    {},
    {"write_page_index": True},
    {"compression": "zstd", "store_schema": False},
    {"write_statistics": False, "use_dictionary": False},
    {"bloom_filter_options": {"word": {"ndv": 100}}},
]


def table(first: int, rows: int) -> pa.Table:
    numbers = np.arange(first, first + rows)
    return pa.table(
        {
            "word": pa.array([f"word {n % 7}" for n in numbers], pa.string()),
            "number": pa.array([None if n % 5 == 0 else float(n) for n in numbers], pa.float64()),
            "list": pa.array([[int(n)] * (n % 3) for n in numbers], pa.list_(pa.int64())),
        }
    )


def written(content: pa.Table, **how: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(content, sink, **how)
    return sink.getvalue()


def one_after_the_other(files: list[bytes]) -> bytes:
    offsets = np.cumsum([0, *map(len, files)]).tolist()
    return b"".join(files) + joined(zip(offsets[:-1], map(footer_of, files), strict=True))


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_footer_that_is_read_and_written_is_the_same(how: dict[str, Any]) -> None:
    for rows in (0, 1, 1000):
        footer = footer_of(written(table(0, rows), row_group_size=100, **how))
        assert write_struct(read_struct(footer)) == footer


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_joined_files_have_all_rows_in_order(how: dict[str, Any]) -> None:
    whole = one_after_the_other([written(table(100 * i, 100), **how) for i in range(5)])
    assert pq.read_table(io.BytesIO(whole)).equals(table(0, 500))
    assert pq.ParquetFile(io.BytesIO(whole)).metadata.num_row_groups == 5


def test_a_reader_that_skips_row_groups_by_their_statistics_skips_the_right_ones() -> None:
    whole = one_after_the_other([written(table(100 * i, 100), write_page_index=True) for i in range(5)])
    found = pq.read_table(io.BytesIO(whole), filters=[("number", ">", 377.0)])
    assert found.equals(table(0, 500).filter(pa.compute.field("number") > 377.0))


@given(st.lists(st.integers(0, 60), min_size=1, max_size=20), st.integers(1, 40))
@settings(max_examples=25)
def test_files_of_any_sizes_can_be_joined(sizes: list[int], group: int) -> None:
    starts = np.cumsum([0, *sizes]).tolist()
    files = [written(table(start, size), row_group_size=group) for start, size in zip(starts[:-1], sizes, strict=True)]
    assert pq.read_table(io.BytesIO(one_after_the_other(files))).equals(table(0, sum(sizes)))


def test_what_was_joined_can_be_joined_again() -> None:
    once = one_after_the_other([written(table(0, 10)), written(table(10, 10))])
    twice = one_after_the_other([once, written(table(20, 10))])
    assert pq.read_table(io.BytesIO(twice)).equals(table(0, 30))


def test_other_columns_are_refused() -> None:
    with pytest.raises(InvalidInput, match="different columns"):
        one_after_the_other([written(table(0, 10)), written(table(0, 10).drop(["list"]))])
    with pytest.raises(InvalidInput, match="expected one at least"):
        joined([])


def test_what_is_no_parquet_file_is_refused() -> None:
    whole = written(table(0, 10))
    for content in (b"", b"PAR1PAR1", whole[:-1], b"x" + whole[1:], b"PAR1" + b"\xff" * 4 + b"PAR1"):
        with pytest.raises(InvalidInput):
            footer_of(content)


@given(st.data())
@settings(max_examples=120)
def test_a_damaged_footer_is_an_error_or_another_footer_and_never_a_crash(data: st.DataObject) -> None:
    footer = bytearray(footer_of(written(table(0, 20))))
    for _ in range(data.draw(st.integers(1, 4))):
        footer[data.draw(st.integers(0, len(footer) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(footer)))
    try:
        found = read_struct(bytes(footer[: len(footer) - cut // 10]))
    except InvalidInput:
        return
    assert read_struct(write_struct(found)) == found


def test_numbers_lists_and_bare_kinds_of_the_protocol_survive() -> None:
    struct = {
        1: Field(TRUE, True),
        2: Field(I64, -(2**63)),
        3: Field(I64, 2**63 - 1),
        40: Field(UUID, bytes(range(16))),
        41: Field(LIST, Items(TRUE, [1, 2, 1])),
        42: Field(LIST, Items(STRUCT, [{1: Field(I64, i)} for i in range(40)])),
    }
    assert read_struct(write_struct(struct)) == struct


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x1c" * 100 + b"\x00" * 101, "in more than"),
        (b"\x16" + b"\xff" * 10 + b"\x00", "more than 64 bits"),
        (b"\x1e\x00", "kind 14"),
        (b"\x00\x00", "ends at byte 1 of 2"),
        (b"\x18\x7fabc", "ends too early"),
    ],
)
def test_what_the_protocol_does_not_have_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_struct(content)
