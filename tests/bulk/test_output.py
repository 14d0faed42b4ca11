"""An output is one Parquet file, or a folder of them; both have the same rows and appear when they are whole."""

import json
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.bulk.output import Columns, FileOutput
from entvec.errors import CannotWrite, InvalidInput
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)


@pytest.fixture(scope="module")
def whole(space: EntailmentSpace, pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scores in one file."""
    path = tmp_path_factory.mktemp("whole") / "scored.parquet"
    score_table(space, pairs, path, processes=1)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_folder_has_the_rows_of_the_file(space: EntailmentSpace, pairs: Path, whole: Path, tmp_path: Path) -> None:
    done = score_table(space, pairs, tmp_path / "scored")
    expected = pq.read_table(whole)
    assert ds.dataset(tmp_path / "scored").to_table().equals(expected)
    assert pq.read_table(tmp_path / "scored").equals(expected)
    names = [f"part-{i:05}.parquet" for i in range(10)]
    assert sorted(contents(tmp_path / "scored")) == ["_manifest.json", *names]
    manifest = json.loads((tmp_path / "scored" / "_manifest.json").read_text())
    assert (manifest["rows"], manifest["files"]) == (1000, dict.fromkeys(names, 100))
    assert (done.path, done.rows) == (str(tmp_path / "scored"), 1000)
    assert done.size == sum(map(len, contents(tmp_path / "scored").values()))
    assert not (tmp_path / "scored.job").exists()
    assert score_table(space, pairs, f"{tmp_path}/scored/").earlier == 1000


def test_a_folder_is_a_table_that_can_be_scored(space: EntailmentSpace, tmp_path: Path) -> None:
    neighbours(space, tmp_path / "up", k=1)
    done = score_table(
        space.with_calibration(None), _without_scores(tmp_path), tmp_path / "scored", hypo="word", hyper="neighbour"
    )
    assert done.rows == len(space)


def _without_scores(folder: Path) -> Path:
    (folder / "words").mkdir()
    for file in (folder / "up").glob("*.parquet"):
        pq.write_table(pq.read_table(file).select(["word", "neighbour"]), folder / "words" / file.name)
    return folder / "words"


def test_a_folder_is_the_same_after_a_stop_and_from_several_processes(saved: Path, pairs: Path, tmp_path: Path) -> None:
    def stop(progress: JobProgress) -> None:
        if progress.rows == 400:
            raise InterruptedError

    score_table(saved, pairs, tmp_path / "one")
    with pytest.raises(InterruptedError):
        score_table(saved, pairs, tmp_path / "two", progress=stop)
    assert not (tmp_path / "two").exists()
    assert score_table(saved, pairs, tmp_path / "two", processes=2).earlier == 400
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_folder_is_replaced_only_if_a_job_has_made_it(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear job")
    with pytest.raises(CannotWrite, match="it is there already, and no job has made it"):
        score_table(space, pairs, tmp_path / "mine", restart=True)
    score_table(space, pairs, tmp_path / "scored")
    other = space.with_calibration(None)
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        score_table(other, pairs, tmp_path / "scored")
    score_table(other, pairs, tmp_path / "scored", restart=True)
    assert "probability" not in pq.read_schema(tmp_path / "scored" / "part-00000.parquet").names
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "scored"}


def test_a_run_that_was_stopped_between_the_old_folder_and_the_new_goes_on(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_table(space, pairs, tmp_path / "scored")
    before = contents(tmp_path / "scored")
    rename = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if target == tmp_path / "scored":
            raise InterruptedError
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(CannotWrite, match=r"10 parts are done and kept in scored\.job"):
            score_table(space, pairs, tmp_path / "scored", restart=True)
    assert not (tmp_path / "scored").exists()
    assert score_table(space, pairs, tmp_path / "scored").earlier == 1000
    assert contents(tmp_path / "scored") == before


def test_a_folder_is_not_written_over_its_own_table(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    neighbours(space, tmp_path / "up", k=1)
    with pytest.raises(InvalidInput, match="up is the table itself"):
        score_table(space, tmp_path / "up", tmp_path / "up", hypo="word", hyper="neighbour")


@pytest.mark.parametrize("name", ["scored.json", "scored.txt"])
def test_other_names_are_refused(space: EntailmentSpace, pairs: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWrite, match=r"ends in \.parquet, \.csv or \.tsv, or one without an ending for a folder"):
        score_table(space, pairs, tmp_path / name)


def test_the_metadata_say_which_job_has_written_a_file(whole: Path) -> None:
    metadata = pq.read_metadata(whole)
    assert metadata.num_row_groups == 10
    assert FileOutput.finished(whole) == (metadata.metadata[b"entvec job"].decode(), 1000)


def test_an_error_of_the_compressing_thread_is_raised(tmp_path: Path) -> None:
    columns = Columns(pa.schema([("n", pa.int64())]), words=(), floats=())
    output = FileOutput(tmp_path / "output", columns, "job", done=0)
    (tmp_path / "part").write_bytes(b"no stream")
    with pytest.raises(pa.ArrowInvalid):  # noqa: PT012 - at once, or when the file is to be finished
        output.add(tmp_path / "part")
        output.finish(tmp_path / "finished.parquet")
    output.close()
    assert not (tmp_path / "finished.parquet").exists()
