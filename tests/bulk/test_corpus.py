import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec.bulk.corpus import Partition, corpus_settings, cut, list_files, piped
from entvec.errors import InvalidInput
from entvec.text.extraction.documents import BLOCK


def names(folder: Path) -> list[str]:
    return [Path(entry.name).relative_to(folder).as_posix() for entry in list_files(folder)[0]]


def cut_all(folder: Path, size: int = BLOCK, column: str = "text") -> tuple[list[Partition], list[str]]:
    partitions, sizes, skipped = cut(list_files(folder)[0], folder / "_unpacked", None, column, size)
    assert len(partitions) == len(sizes)
    return partitions, list(map(str, skipped))


def test_folders_are_read_in_the_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/.hidden", "_left/out.txt", ".git/x", "c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["b.txt", "c.md", "a/z.txt"]


def test_files_that_are_not_there_or_there_twice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InvalidInput, match="no file"):
        list_files(tmp_path / "gone.txt")
    with pytest.raises(InvalidInput, match="named twice"):
        list_files([tmp_path, tmp_path / "a.txt"])
    with pytest.raises(InvalidInput, match="got none"):
        list_files([])


def test_a_dangling_link_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone")
    files, skipped = list_files(tmp_path)
    assert files == []
    assert "link.txt: No such file" in str(skipped[0])


def test_pipes_in_a_folder_are_skipped_and_named_ones_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    files, skipped = list_files(tmp_path)
    assert files == []
    assert "pipe.txt: it is a pipe" in str(skipped[0])
    with pytest.raises(InvalidInput, match="pipe text into `-`"):
        list_files(tmp_path / "pipe.txt")


def test_a_folder_that_cannot_be_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "secret").mkdir()
    listed = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("secret"):  # as for other users than root
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    files, skipped = list_files(tmp_path)
    assert [Path(entry.name).name for entry in files] == ["a.txt"]
    assert [str(each) for each in skipped] == [f"{tmp_path}/secret: Permission denied"]


def test_a_corpus_is_another_one_if_a_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    before = corpus_settings(list_files(path)[0])
    assert corpus_settings(list_files(path)[0]) == before
    path.write_text("two")
    os.utime(path, ns=(0, 0))
    assert corpus_settings(list_files(path)[0]) != before


def test_large_files_are_cut_and_small_ones_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_bytes(b"x" * (3 * BLOCK + 1))
    for i in range(4):
        (tmp_path / f"small{i}.txt").write_text("x" * 10)
    partitions, _ = cut_all(tmp_path)
    assert [[(unit.start, unit.stop) for unit in partition] for partition in partitions[:3]] == [
        [(i * BLOCK, (i + 1) * BLOCK)] for i in range(3)
    ]
    assert len(partitions[3]) == 5


def test_packed_files_are_unpacked_once_and_damaged_ones_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.md.gz").write_bytes(gzip.compress(b"Dogs and other pets."))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Dogs and other pets.")[:-9])
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(1 << 26)))
    ((unit,),), skipped = cut_all(tmp_path)
    assert (Path(unit.path).read_bytes(), unit.format, unit.stop) == (b"Dogs and other pets.", "markdown", 20)
    assert unit.name == str(tmp_path / "a.md.gz")
    assert len(skipped) == 2
    assert "damaged or cut off" in skipped[0]
    written = Path(unit.path).stat().st_mtime_ns
    cut_all(tmp_path)
    assert Path(unit.path).stat().st_mtime_ns == written


def test_row_groups_are_units_and_other_tables_are_skipped(tmp_path: Path) -> None:
    pq.write_table(pa.table({"body": ["x"] * 5}), tmp_path / "a.parquet", row_group_size=2)
    ((*units,),), _ = cut_all(tmp_path, column="body")
    assert [(unit.start, unit.stop) for unit in units] == [(0, 1), (1, 2), (2, 3)]
    partitions, skipped = cut_all(tmp_path)
    assert partitions == []
    assert "no column 'text', but body" in skipped[0]


def test_a_pipe_is_copied_for_as_long_as_it_is_needed(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    with piped(target, io.BytesIO(b"text")) as entry, piped(tmp_path / "b.parquet", io.BytesIO(b"text")) as same:
        assert Path(entry.path).read_bytes() == b"text"
        assert (entry.name, entry.size, entry.changed) == ("-", 4, same.changed)
    assert list(tmp_path.iterdir()) == []
