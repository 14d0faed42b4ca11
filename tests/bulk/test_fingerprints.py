"""A job is another one if anything of its space or its table has changed, however little."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.errors import CannotWrite, InvalidInput, PairsFileError
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

pytestmark = pytest.mark.usefixtures("one_process")
neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)
N = 9_000
MATRIX = np.random.default_rng(0).normal(size=(N, 4)).astype(np.float32)


def space_of(matrix: np.ndarray) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(Vectors([f"word_{i}" for i in range(N)], matrix), dtype="float32")


@pytest.fixture(scope="module")
def before() -> EntailmentSpace:
    return space_of(MATRIX)


@pytest.fixture(scope="module")
def after() -> EntailmentSpace:
    """The same space, but for one vector."""
    changed = MATRIX.copy()
    changed[7_776] += 1
    return space_of(changed)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table({"hypo": ["word_7776"] * 300, "hyper": ["word_1"] * 300}), path)
    return path


def stop(progress: JobProgress) -> None:
    if progress.rows:
        raise InterruptedError


def test_scores_of_a_space_of_which_one_vector_has_changed_are_not_the_old_ones(
    before: EntailmentSpace, after: EntailmentSpace, table: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scored.parquet"
    score_table(before, table, output)
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        score_table(after, table, output)
    assert score_table(before, table, output).earlier == 300


def test_neighbours_of_a_space_of_which_one_vector_has_changed_are_not_the_old_ones(
    before: EntailmentSpace, after: EntailmentSpace, tmp_path: Path
) -> None:
    output = tmp_path / "up.parquet"
    neighbours(before, output, k=1, partition_size=N)
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        neighbours(after, output, k=1, partition_size=N)


def test_a_job_does_not_go_on_with_a_space_of_which_one_vector_has_changed(
    before: EntailmentSpace, after: EntailmentSpace, table: Path, tmp_path: Path
) -> None:
    with pytest.raises(InterruptedError):
        score_table(before, table, tmp_path / "scored.parquet", progress=stop)
    with pytest.raises(InvalidInput, match="begun with another space, or other options of it"):
        score_table(after, table, tmp_path / "scored.parquet")
    with pytest.raises(InterruptedError):
        neighbours(before, tmp_path / "up.parquet", k=1, progress=stop)
    with pytest.raises(InvalidInput, match="begun with another space, or other options of it"):
        neighbours(after, tmp_path / "up.parquet", k=1)


def test_another_backend_is_another_job_for_neighbours_only(
    space: EntailmentSpace, pairs: Path, tmp_path: Path
) -> None:
    indexed = space.with_backend("faiss", index="flat")
    score_table(space, pairs, tmp_path / "scored.parquet")
    assert score_table(indexed, pairs, tmp_path / "scored.parquet").earlier == 1000
    neighbours(space, tmp_path / "up.parquet", k=1)
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        neighbours(indexed, tmp_path / "up.parquet", k=1)


def swap(file: Path) -> None:
    """Write other words of the same length, and restore the date of the file."""
    stat = file.stat()
    file.write_bytes(file.read_bytes().replace(b"word_1\n", b"word_2\n"))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (stat.st_size, stat.st_mtime_ns)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A table in three files."""
    named = [tmp_path / f"{i}.csv" for i in range(3)]
    for file in named:
        file.write_text("hypo,hyper\n" + "word_0,word_1\n" * 200)
    return named


def test_a_file_that_has_changed_at_the_same_size_and_date_is_noticed(
    space: EntailmentSpace, files: list[Path], tmp_path: Path
) -> None:
    score_table(space, files, tmp_path / "scored.parquet")
    with pytest.raises(InterruptedError):
        score_table(space, files, tmp_path / "stopped.parquet", progress=stop)
    swap(files[1])
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        score_table(space, files, tmp_path / "scored.parquet")
    with pytest.raises(InvalidInput, match="table has changed since it was begun"):
        score_table(space, files, tmp_path / "stopped.parquet")


def test_a_file_that_changes_meanwhile_at_the_same_size_and_date_is_noticed(
    space: EntailmentSpace, files: list[Path], tmp_path: Path
) -> None:
    def change(progress: JobProgress) -> None:
        if progress.part == 1:
            swap(files[2])

    with pytest.raises(PairsFileError, match="it has changed while it was scored"):
        score_table(space, files, tmp_path / "scored.parquet", progress=change)
    assert not (tmp_path / "scored.parquet").exists()


def test_a_file_that_is_touched_meanwhile_has_not_changed(
    space: EntailmentSpace, files: list[Path], tmp_path: Path
) -> None:
    done = score_table(space, files, tmp_path / "scored.parquet", progress=lambda _: files[0].touch())
    assert done.rows == 600


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"PAR1"), "other"])
def test_a_folder_that_lacks_a_part_is_not_done(
    space: EntailmentSpace, files: list[Path], tmp_path: Path, damage: Any
) -> None:
    folder = tmp_path / "scored"
    score_table(space, files, folder)
    part = folder / "part-00001.parquet"
    if damage == "other":  # a part of another table
        pq.write_table(pq.read_table(part).slice(1), part)
    else:
        damage(part)
    with pytest.raises(CannotWrite, match="it is there already, with something else"):
        score_table(space, files, folder)
    assert score_table(space, files, folder, restart=True).earlier == 0
    assert score_table(space, files, folder).earlier == 600


def test_another_calibration_is_another_job(space: EntailmentSpace, files: list[Path], tmp_path: Path) -> None:
    for i, job in enumerate((partial(score_table, table=files), partial(neighbours, k=1))):
        output = tmp_path / f"{i}.parquet"
        job(space, output=output)
        with pytest.raises(CannotWrite, match="it is there already, with something else"):
            job(space.with_calibration(Calibration.platt(scale=3.0, intercept=1.0)), output=output)
