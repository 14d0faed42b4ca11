"""Parquet tables: ours are read by pyarrow, and people's are read by us."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec.errors import MissingExtra, VectorFileError
from entvec.vectors import Vectors, read, write
from entvec.vectors import vectors as vectors_module
from entvec.vectors.formats.parquet_pages import growth

WORDS = ["dog", "ice cream", "\u72ac"]
MATRIX = np.array([[0.1, -2], [1e-7, 3e20], [0, 1]], dtype=np.float32)
LISTS = [row.tolist() for row in MATRIX.astype(np.float64)]


def read_table(folder: Path, table: pa.Table | dict[str, Any], **options: Any) -> Vectors:
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), folder / "vectors.parquet")
    return read(folder / "vectors.parquet", **options)


def test_pyarrow_reads_what_we_write(tmp_path: Path) -> None:
    vectors = Vectors(WORDS, MATRIX, counts=[3, 2, 1], ranks=[0, 5, 6], metadata={"made by": "a test"})
    write(vectors, tmp_path / "vectors.parquet")
    table = pq.read_table(tmp_path / "vectors.parquet")
    assert table.column_names == ["word", "vector", "count", "rank"]
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 2)
    assert table["word"].to_pylist() == WORDS
    np.testing.assert_array_equal(np.array(table["vector"].to_pylist(), dtype=np.float32), MATRIX)
    assert table["count"].to_pylist() == [3, 2, 1]
    assert table["rank"].to_pylist() == [0, 5, 6]
    assert table.schema.metadata == {b"made by": b"a test"}


@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize(
    ("vector", "dtype"),
    [
        (pa.array(LISTS, pa.list_(pa.float32())), "float32"),
        (pa.array(LISTS, pa.large_list(pa.float64())), "float64"),
        (pa.array(LISTS, pa.list_(pa.float32(), 2)), "float32"),
        (pa.array([[1.5, 2], [3, 4], [5, 6]], pa.list_(pa.float16())), "float16"),
    ],
)
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_a_column_of_vectors_may_be_of_any_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vector: Any, dtype: str, kind: Any, at_once: int
) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", at_once)
    vectors = read_table(tmp_path, {"token": pa.array(WORDS).cast(kind), "embedding": vector})
    assert list(vectors) == WORDS
    assert vectors.dtype == dtype
    np.testing.assert_array_equal(vectors.matrix, np.array(vector.to_pylist(), dtype=vectors.matrix.dtype))


@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize("word", ["word", "__index_level_0__", "token"])
def test_a_column_for_each_dimension_as_pandas_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, at_once: int
) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", at_once)
    columns = {str(i): pa.array(MATRIX[:, i]) for i in range(2)}
    vectors = read_table(tmp_path, {**columns, word: pa.array(WORDS), "count": pa.array([3, 2, 1])})
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert vectors.counts is not None
    np.testing.assert_array_equal(vectors.counts, [3, 2, 1])
    assert list(read(tmp_path / "vectors.parquet", limit=2)) == WORDS[:2]


def test_columns_of_different_floats_are_read_as_the_widest(tmp_path: Path) -> None:
    columns = {"a": pa.array([1.0, 2, 3], pa.float32()), "b": pa.array([0.1, 0.2, 0.3], pa.float64())}
    vectors = read_table(tmp_path, {"word": WORDS, **columns})
    assert vectors.dtype == "float64"
    np.testing.assert_array_equal(vectors.matrix, [[1, 0.1], [2, 0.2], [3, 0.3]])


def test_other_columns_do_no_harm_beside_those_with_our_names(tmp_path: Path) -> None:
    vectors = read_table(
        tmp_path, {"language": ["en"] * 3, "word": WORDS, "context": LISTS, "vector": LISTS, "weight": [0.5] * 3}
    )
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_row_groups_are_read_one_after_the_other(tmp_path: Path) -> None:
    table = pa.table({"word": [f"w{i}" for i in range(10)], "vector": [[float(i)] for i in range(10)]})
    pq.write_table(table, tmp_path / "vectors.parquet", row_group_size=3)
    vectors = read(tmp_path / "vectors.parquet")
    assert list(vectors) == [f"w{i}" for i in range(10)]
    np.testing.assert_array_equal(vectors.matrix[:, 0], range(10))
    assert list(read(tmp_path / "vectors.parquet", limit=4)) == ["w0", "w1", "w2", "w3"]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (
            {"vector": LISTS},
            "expected one column of strings, the words, and one column of lists of floats, the vectors",
        ),
        ({"word": WORDS}, r"expected one column of strings, .*, found word string$"),
        (
            {"word": WORDS, "vector": [[1, 2]] * 3},
            r"expected one column of strings, .*, found word string, vector list",
        ),
        ({"a": WORDS, "b": WORDS, "vector": LISTS}, "expected one column of strings"),
        ({"word": WORDS, "a": LISTS, "b": LISTS}, "expected one column of strings"),
        (
            {"word": WORDS, "vector": [[1.0], [1.0, 2.0], [3.0]]},
            "expected as many numbers in each vector, found others at word 2",
        ),
        (
            {"word": WORDS, "vector": [[1.0], [1.0], None]},
            "expected as many numbers in each vector, found others at word 3",
        ),
        (
            {"word": WORDS, "vector": [[1.0], [None], [3.0]]},
            "expected as many numbers in each vector, found others at word 2",
        ),
        ({"word": WORDS, "vector": [[]] * 3}, "expected "),
        ({"word": ["dog", None, "cat"], "vector": LISTS}, "expected a word in each row, found none at word 2"),
        ({"word": WORDS, "a": [1.0, 2.0, None], "b": [1.0, 2.0, 3.0]}, "expected a number in each field, found none"),
        (
            {"word": WORDS, "vector": LISTS, "count": ["a", "b", "c"]},
            "expected whole numbers as counts and ranks, found string",
        ),
        ({"word": WORDS, "vector": LISTS, "rank": [1, None, 2]}, "expected whole numbers as counts and ranks, found "),
        (
            {"word": WORDS, "vector": [[1.0], [float("nan")], [3.0]]},
            "word 2: expected finite numbers, found nan as number 1",
        ),
        (
            {"word": ["a", "b", "a"], "vector": LISTS},
            r"word 3: expected each word once, found 'a' again \(first at word 1\)",
        ),
        ({"word": ["a", "b\nc", "d"], "vector": LISTS}, "word 2: expected a word .*, found one with a line break"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_told(tmp_path: Path, columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(VectorFileError, match=rf"vectors\.parquet: {problem}"):
        read_table(tmp_path, columns)


@pytest.mark.parametrize("keep", [4, 8, 100, -8, -1])
def test_a_file_that_is_cut_off_is_told(tmp_path: Path, keep: int) -> None:
    write(Vectors(WORDS, MATRIX), tmp_path / "vectors.parquet")
    content = (tmp_path / "vectors.parquet").read_bytes()
    (tmp_path / "vectors.parquet").write_bytes(content[:keep])
    with pytest.raises(VectorFileError, match=r"vectors\.parquet: a damaged Parquet file \("):
        read(tmp_path / "vectors.parquet")


def test_damaged_pages_are_told(tmp_path: Path) -> None:
    write(Vectors(WORDS, MATRIX), tmp_path / "vectors.parquet")
    content = bytearray((tmp_path / "vectors.parquet").read_bytes())
    content[4:100] = bytes(96)
    (tmp_path / "vectors.parquet").write_bytes(content)
    with pytest.raises(VectorFileError, match=r"vectors\.parquet: a damaged Parquet file \("):
        read(tmp_path / "vectors.parquet")


@pytest.mark.parametrize("use_dictionary", [False, True])
def test_a_table_that_would_explode_is_refused(tmp_path: Path, use_dictionary: bool) -> None:
    zeros = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(5_000_000, np.float32)), 100_000)
    table = pa.table({"word": [f"w{i}" for i in range(50)], "vector": zeros})
    pq.write_table(table, tmp_path / "vectors.parquet", compression="zstd", use_dictionary=use_dictionary)
    assert (tmp_path / "vectors.parquet").stat().st_size < 20_000
    with pytest.raises(
        VectorFileError,
        match=r"its [\d,]+ bytes would become 20,[\d,]+ or more; vectors and texts never compress more than 200",
    ):
        read(tmp_path / "vectors.parquet")


def _one_long_row(n: int) -> pa.Table:
    return pa.table({"word": ["a"], "vector": pa.LargeListArray.from_arrays([0, n], np.zeros(n, np.float32))})


def _repeated(words: pa.Array, n: int) -> pa.Table:
    numbers = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(n, dtype=np.float32)), 1)
    return pa.table({"word": pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), words), "vector": numbers})


def _shared_beginnings(n: int) -> pa.Table:
    return _repeated(pa.array(["x" * 60_000]), n).cast(
        pa.schema([("word", pa.large_string()), ("vector", pa.list_(pa.float32(), 1))])
    )


WHOLE: dict[str, Any] = {"row_group_size": 1 << 40, "data_page_size": 1 << 40}
BOMBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "one row": (lambda: _one_long_row(30_000_000), WHOLE),
    "one row, gzip": (lambda: _one_long_row(30_000_000), {**WHOLE, "compression": "gzip", "use_dictionary": False}),
    "one row, zstd": (lambda: _one_long_row(30_000_000), {**WHOLE, "compression": "zstd", "use_dictionary": False}),
    "one row, pages of version 2": (lambda: _one_long_row(30_000_000), {**WHOLE, "data_page_version": "2.0"}),
    "rows without words": (lambda: _one_long_row(1).take(pa.nulls(20_000_000, pa.int32())), WHOLE),
    "a long word, in a dictionary": (lambda: _repeated(pa.array(["x" * 60_000]), 20_000), {"compression": "zstd"}),
    "a huge word, in a dictionary": (lambda: _repeated(pa.array(["x" * 9_000_000]), 2_000), {"compression": "zstd"}),
    "long words that begin alike": (
        lambda: _shared_beginnings(2_000),
        {"compression": "zstd", "use_dictionary": False, "column_encoding": {"word": "DELTA_BYTE_ARRAY"}},
    ),
    "many columns": (
        lambda: pa.table({"word": ["a"] * 200_000, **{f"x{i}": np.zeros(200_000) for i in range(50)}}),
        {},
    ),
    "a column within": (
        lambda: _repeated(pa.array(["a"]), 2).append_column("word.x", _one_long_row(30_000_000)["vector"].take([0, 0])),
        WHOLE,
    ),
}


READ_BOMBS = """
import resource, sys, pyarrow.parquet
from entvec.errors import VectorFileError
from entvec.vectors import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        read(path, format="parquet")
    except VectorFileError as error:
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, error)
"""


@pytest.mark.slow
def test_bombs_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    """In a process of its own: what a library takes is not seen from Python."""
    paths = {kind: tmp_path / f"{kind}.parquet" for kind in BOMBS}
    for kind, (make, options) in BOMBS.items():
        pq.write_table(make(), paths[kind], **options)
        assert paths[kind].stat().st_size < 800_000
    command = [sys.executable, "-c", READ_BOMBS, *map(str, paths.values()), "/dev/stdin"]
    done = subprocess.run(command, input=paths["one row"].read_bytes(), capture_output=True, check=True)  # noqa: S603 - our own
    told = done.stdout.decode().splitlines()
    assert len(told) == len(BOMBS) + 1
    for line in told:
        assert "vectors and texts never compress more than 200 times" in line
        assert int(line.split()[0]) < 200, line


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_table_of_contents_is_not_believed(tmp_path: Path, version: str) -> None:
    n = 10_000_000
    path = tmp_path / "vectors.parquet"
    pq.write_table(_one_long_row(n), path, data_page_version=version, **WHOLE)
    file = pq.ParquetFile(path)
    with path.open("rb") as content:
        assert growth(content, file.schema, ["vector"]).size >= 4 * n
        assert growth(content, file.schema, ["word"]).size < 100
    lie = path.read_bytes()
    true_number = bytes([0x16, *_varint(2 * n)])  # the fifth field of the description of the column
    at = lie.rindex(true_number)
    path.write_bytes(lie[:at] + bytes([0x16, *_varint(2, len(true_number) - 1)]) + lie[at + len(true_number) :])
    assert pq.read_metadata(path).row_group(0).column(1).num_values == 1
    with pytest.raises(VectorFileError, match=r"its [\d,]+ bytes would become 40,[\d,]+ or more"):
        read(path)


def _varint(number: int, length: int = 0) -> list[int]:
    """The number in groups of seven bits, the least first, padded to a length."""
    groups = [number & 127]
    while number := number >> 7:
        groups.append(number & 127)
    groups += [0] * (length - len(groups))
    return [group | 128 for group in groups[:-1]] + groups[-1:]


@pytest.mark.parametrize("bit", [0x10, 0x20])
def test_contents_that_end_a_process_inside_of_pyarrow_are_told(tmp_path: Path, bit: int) -> None:
    """Where pyarrow looks at a column of the table of contents, an error cannot be caught."""
    path = tmp_path / "vectors.parquet"
    write(Vectors(WORDS, MATRIX), path)
    content = path.read_bytes()
    end = len(content) - 8
    for at in range(end - int.from_bytes(content[end : end + 4], "little"), end):
        path.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
        with suppress(VectorFileError):
            read(path)


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(Vectors(WORDS, MATRIX), tmp_path / "vectors.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        MissingExtra, match=r"reading and writing Parquet needs pyarrow; install it with: pip install pyarrow"
    ):
        read(tmp_path / "vectors.parquet")
    with pytest.raises(MissingExtra, match=r"entvec\[parquet\]"):
        write(Vectors(WORDS, MATRIX), tmp_path / "new.parquet")
    assert not (tmp_path / "new.parquet").exists()
