"""Tables of pairs are cut into blocks that have every row once, in order; what is no such table is told."""

import io
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bulk.tables import ParquetTable, TextTable, open_table
from entvec.errors import PairsFileError, PairsFileNotFound


def read_all(table: ParquetTable | TextTable) -> pa.Table:
    return pa.concat_tables(table.read(block) for block in table.partitions())  # type: ignore[arg-type]


def pairs(rows: int) -> pa.Table:
    schema = pa.schema([("hypo", pa.string()), ("hyper", pa.string()), ("n", pa.int64())])
    return pa.table({"hypo": [f"dog {i}" for i in range(rows)], "hyper": ["animal"] * rows, "n": range(rows)}, schema)


# Parquet


@pytest.mark.parametrize("group", [1, 3, 10, 14, 16, 1000])
def test_small_row_groups_go_together_and_large_ones_are_divided(tmp_path: Path, group: int) -> None:
    pq.write_table(pairs(57), tmp_path / "pairs.parquet", row_group_size=group)
    table = ParquetTable(str(tmp_path / "pairs.parquet"), partition_size=10, batch_rows=4)
    assert read_all(table).equals(pairs(57))
    sizes = [block.size for block in table.partitions()]
    assert sum(sizes) == 57
    assert max(sizes) <= 15
    assert len(sizes) <= 7


def test_row_groups_without_rows_are_left_out(tmp_path: Path) -> None:
    with pq.ParquetWriter(tmp_path / "pairs.parquet", pairs(0).schema) as writer:
        for rows in (0, 3, 0, 25, 0):
            writer.write_table(pairs(rows))
    table = ParquetTable(str(tmp_path / "pairs.parquet"), partition_size=10, batch_rows=4)
    assert [block.size for block in table.partitions()] == [3, 10, 10, 5]
    assert read_all(table).num_rows == 28


def test_long_rows_make_blocks_of_few_rows(tmp_path: Path) -> None:
    long = pairs(100).append_column("text", pa.array([f"{i}" * 500 for i in range(100)]))
    pq.write_table(long, tmp_path / "pairs.parquet", use_dictionary=False)
    table = ParquetTable(str(tmp_path / "pairs.parquet"), partition_bytes=10_000)
    assert max(block.size for block in table.partitions()) < 20
    assert read_all(table).equals(long)


def test_a_table_without_rows_has_one_block_without_rows(tmp_path: Path) -> None:
    pq.write_table(pairs(0), tmp_path / "pairs.parquet")
    (tmp_path / "pairs.tsv").write_text("hypo\thyper\n")
    for name in ("pairs.parquet", "pairs.tsv"):
        table = open_table(tmp_path / name, "hypo", "hyper")
        assert len(table.partitions()) == 1
        assert read_all(table).num_rows == 0


# Text


VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=12)


@given(st.lists(st.tuples(VALUES, VALUES.filter(bool)), min_size=1, max_size=30), st.integers(1, 60))
@settings(max_examples=60)
def test_a_csv_has_the_same_rows_wherever_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], size: int
) -> None:
    path = tmp_path_factory.mktemp("csv") / "pairs.csv"
    quoted = [["hypo", "hyper"], *([value.replace('"', '""') for value in row] for row in rows)]
    path.write_bytes("".join(f'"{hypo}","{hyper}"\n' for hypo, hyper in quoted).encode())
    table: Any = open_table(path, "hypo", "hyper", size)
    assert [tuple(row.values()) for row in read_all(table).to_pylist()] == rows
    assert sum(block.size for block in table.partitions()) == path.stat().st_size - len('"hypo","hyper"\n')


def test_a_block_knows_the_number_of_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text('hypo,hyper\n"a\nb",c\nlonger than twenty bytes,animal\nx,y\n')
    table = open_table(tmp_path / "pairs.csv", "hypo", "hyper", 20)
    blocks: Any = table.partitions()
    assert [block.line for block in blocks] == [2, 5]


def test_words_of_a_tsv_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(
        '\ufeffhypo\thyper\tnote\r\n"dog\tanimal\t\r\n"a, b"\t"\tNA\r\nnull\tthing\t1\r\n'
    )
    table = open_table(tmp_path / "pairs.tsv", "hypo", "hyper", 20)
    assert read_all(table).to_pylist() == [
        {"hypo": '"dog', "hyper": "animal", "note": ""},
        {"hypo": '"a, b"', "hyper": '"', "note": "NA"},
        {"hypo": "null", "hyper": "thing", "note": "1"},
    ]


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("hypo,hyper\ndog,animal\ncat,animal")
    assert read_all(open_table(tmp_path / "pairs.csv", "hypo", "hyper")).num_rows == 2


# What is wrong


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("pairs.csv", b"", "it is empty, expected a line with the names"),
        (
            "pairs.csv",
            b"dog,animal\ncat,animal\n",
            "expected a column hypo in its first line, found dog, animal; hypo='NAME'",
        ),
        (
            "pairs.csv",
            b"hypo,hyper,hyper\na,b,c\n",
            "expected a different name for each column, found hypo, hyper, hyper",
        ),
        ("pairs.csv", b"hypo,hyper,score\na,b,c\n", "it has a column score already"),
        ("pairs.tsv", b"hypo\thyper\tprobability\n", "it has a column probability already"),
        (
            "pairs.csv",
            b"hypo,hyper\n" + b"dog,animal\n" * 7 + b"cat\n",
            "line 9: expected 2 values, as the first line has, found 1",
        ),
        ("pairs.csv", b"hypo,hyper\n" + b"dog,animal\n" * 7 + b"c\xe4t,animal\n", "line 9: expected UTF-8"),
        ("pairs.csv", b"h\xffpo,hyper\n", "line 1: expected UTF-8"),
        ("pairs.csv.gz", b"\x1f\x8b", "it is packed"),
        ("pairs.parquet", b"PAR1 and nothing more", "no Parquet file that can be read"),
        ("pairs.parquet", b"hypo,hyper\n", "it is no Parquet file; a text has a name that ends in .csv or .tsv"),
        ("pairs.txt", b"dog\tanimal\n", "it is no Parquet file; a text has a name that ends in .csv or .tsv"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PairsFileError) as error:
        read_all(open_table(tmp_path / name, "hypo", "hyper", 20, ("score", "probability")))
    assert problem in str(error.value)
    assert str(tmp_path / name) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_quotation_mark_without_its_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("hypo,hyper\n" + "dog,animal\n" * 500 + '"' + "dog,animal\n" * 50_000)
    table = TextTable(str(tmp_path / "pairs.csv"), ",", 1 << 10, longest=1 << 16)
    with pytest.raises(PairsFileError, match="a quotation mark without its end, here or in a line after it"):
        table.partitions()
    (tmp_path / "pairs.tsv").write_text("hypo\thyper\n" + "x" * 100_000)
    with pytest.raises(PairsFileError, match="line 2: a line of more than 1,024 bytes"):
        TextTable(str(tmp_path / "pairs.tsv"), "\t", 1 << 10, longest=1 << 10).partitions()


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (pa.table({"hypo": ["dog"], "parent": ["animal"]}), "expected a column hyper, found hypo, parent"),
        (pa.table({"hypo": ["dog"], "hyper": [1]}), "expected words in the column hyper, found int64"),
        (pa.table({"hypo": [b"dog"], "hyper": ["animal"]}), "expected words in the column hypo, found binary"),
        (pa.table({f"c{i}": [1] for i in range(20)}), "found c0, c1, c2, c3, c4, c5, c6, c7, ...;"),
    ],
)
def test_a_parquet_file_without_the_columns_is_told(tmp_path: Path, table: pa.Table, problem: str) -> None:
    pq.write_table(table, tmp_path / "pairs.parquet")
    with pytest.raises(PairsFileError, match=problem):
        open_table(tmp_path / "pairs.parquet", "hypo", "hyper")


def test_a_damaged_row_group_is_told(tmp_path: Path) -> None:
    sink = io.BytesIO()
    pq.write_table(pairs(1000), sink, compression="zstd")
    content = bytearray(sink.getvalue())
    content[8:400] = bytes(392)
    (tmp_path / "pairs.parquet").write_bytes(content)
    with pytest.raises(PairsFileError, match="row group 0 is damaged"):
        read_all(open_table(tmp_path / "pairs.parquet", "hypo", "hyper"))


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pairs.csv")
    with pytest.raises(PairsFileError, match="it is a pipe or a device, expected a file"):
        open_table(tmp_path / "pairs.csv", "hypo", "hyper")


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(PairsFileNotFound, match="there is no such file"):
        open_table(tmp_path / "pairs.csv", "hypo", "hyper")
