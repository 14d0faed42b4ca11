"""A table in several files is the files one after the other; what does not belong together is told."""

import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.bulk.dataset import Dataset, open_dataset
from entvec.errors import CannotWrite, InvalidInput, PairsFileError, PairsFileNotFound
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
score_table = partial(bulk.score_table, partition_size=100)


@pytest.fixture
def parts(pairs: Path, tmp_path: Path) -> Path:
    """The table of pairs in a folder, as an engine leaves it."""
    folder = tmp_path / "parts"
    folder.mkdir()
    table = pq.read_table(pairs)
    for i, (first, rows) in enumerate([(0, 300), (300, 0), (300, 650), (950, 50)]):
        pq.write_table(table.slice(first, rows), folder / f"part-{i:05}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.parquet.crc").touch()
    return folder


def test_a_folder_is_scored_as_the_whole_table(
    saved: Path, parts: Path, pairs: Path, tmp_path: Path, space: EntailmentSpace
) -> None:
    score_table(space, pairs, tmp_path / "whole.parquet")
    done = score_table(saved, parts, tmp_path / "scored.parquet", processes=2)
    assert done.rows == 1000
    assert pq.read_table(tmp_path / "scored.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))
    score_table(space, sorted(parts.glob("*.parquet")), tmp_path / "named.parquet", processes=1)
    assert pq.read_table(tmp_path / "named.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))


def test_a_table_in_memory_is_sent_to_the_space(space: EntailmentSpace, tmp_path: Path) -> None:
    table = pa.table({"hypo": ["dog"], "hyper": ["animal"]})
    with pytest.raises(InvalidInput, match=r"is a Table, expected a file; `space\.score` scores columns in memory"):
        score_table(space, table, tmp_path / "scored.parquet")


def test_files_come_in_the_order_in_which_they_are_named(space: EntailmentSpace, parts: Path, tmp_path: Path) -> None:
    named = [parts / "part-00003.parquet", parts / "part-00000.parquet"]
    score_table(space, named, tmp_path / "scored.parquet")
    assert pq.read_table(tmp_path / "scored.parquet")["n"].to_pylist() == [*range(950, 1000), *range(300)]


def test_texts_go_together_too(toys: EntailmentSpace, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i, pair in enumerate(["dog,animal", "", "animal,dog"]):
        (folder / f"{i}.csv").write_text(f"hypo,hyper\n{pair}\n")
    done = score_table(toys, folder, tmp_path / "scored.parquet")
    found = pq.read_table(tmp_path / "scored.parquet")
    assert found["hypo"].to_pylist() == ["dog", "animal"]
    assert done.rows == 2


def test_files_without_rows_are_a_table_without_rows(toys: EntailmentSpace, tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("hypo,hyper\n")
    assert score_table(toys, [tmp_path / "0.csv", tmp_path / "1.csv"], tmp_path / "scored.parquet").rows == 0


def test_a_run_that_was_stopped_goes_on(space: EntailmentSpace, parts: Path, tmp_path: Path) -> None:
    def stop(progress: JobProgress) -> None:
        if progress.rows >= 400:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        score_table(space, parts, tmp_path / "scored.parquet", processes=1, progress=stop)
    assert score_table(space, parts, tmp_path / "scored.parquet").earlier >= 400
    score_table(space, parts, tmp_path / "whole.parquet")
    assert (tmp_path / "scored.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert score_table(space, parts, tmp_path / "scored.parquet").earlier == 1000
    pq.write_table(pa.table({"n": [1], "hypo": ["word_1"], "hyper": ["word_2"]}), parts / "part-00009.parquet")
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        score_table(space, parts, tmp_path / "scored.parquet")


def test_what_other_processes_get_is_small(parts: Path) -> None:
    table = open_dataset(parts, "hypo", "hyper")
    table.partitions()
    assert isinstance(table, Dataset)
    assert len(pickle.dumps(replace(table))) < 1000


def test_files_of_other_columns_are_no_parts(toys: EntailmentSpace, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("hypo,hyper\ndog,animal\n")
    (tmp_path / "b.csv").write_text("hypo,hyper,n\ndog,animal,1\n")
    pq.write_table(pa.table({"hypo": ["dog"], "hyper": ["animal"]}), tmp_path / "c.parquet")
    with pytest.raises(PairsFileError, match=r"b\.csv.*expected the columns of .*a\.csv, a text with .*n \(string\)"):
        score_table(toys, [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "scored.parquet")
    with pytest.raises(PairsFileError, match=r"c\.parquet.*found a Parquet file with"):
        score_table(toys, [tmp_path / "a.csv", tmp_path / "c.parquet"], tmp_path / "scored.parquet")


def test_folders_that_are_no_tables(toys: EntailmentSpace, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(PairsFileError, match="it is an empty folder, expected a table"):
        score_table(toys, tmp_path / "empty", tmp_path / "scored.parquet")
    (tmp_path / "years" / "year=2020").mkdir(parents=True)
    with pytest.raises(PairsFileError, match="expected files only, found the folder year=2020"):
        score_table(toys, tmp_path / "years", tmp_path / "scored.parquet")
    with pytest.raises(PairsFileError, match=r"dogs\.csv: it is named twice"):
        score_table(toys, [tmp_path / "dogs.csv", tmp_path / "empty" / ".." / "dogs.csv"], tmp_path / "scored.parquet")
    with pytest.raises(InvalidInput, match="expected a table of pairs, got none"):
        score_table(toys, [], tmp_path / "scored.parquet")
    with pytest.raises(PairsFileNotFound, match="no such file"):
        score_table(toys, [tmp_path / "empty.csv", tmp_path / "none.csv"], tmp_path / "scored.parquet")


def test_the_output_is_no_part_of_the_table(space: EntailmentSpace, parts: Path) -> None:
    with pytest.raises(InvalidInput, match=r"scored\.parquet is in the folder of the table; choose another place"):
        score_table(space, parts, parts / "scored.parquet")
    with pytest.raises(InvalidInput, match=r"part-00000\.parquet is the table itself"):
        score_table(space, sorted(parts.glob("*.parquet")), parts / "part-00000.parquet")
    (parts.parent / "alias.parquet").hardlink_to(parts / "part-00000.parquet")
    with pytest.raises(InvalidInput, match=r"alias\.parquet is the table itself"):
        score_table(space, sorted(parts.glob("*.parquet")), parts.parent / "alias.parquet")
