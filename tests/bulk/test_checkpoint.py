"""A job that was stopped, by whatever, goes on where it was; the file is the one of a run that was never stopped."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec import bulk
from entvec.bulk import JobProgress, checkpoint
from entvec.errors import CannotWrite, InvalidInput
from entvec.runtime import SINGLE_THREADED_BLAS
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)

# A job of ten blocks in a process of its own, which does something after some of them.
SCRIPT = """
import os, resource, signal, sys
from pathlib import Path
from entvec.bulk import score_table
from entvec.errors import EntvecError
space, pairs, output, processes = sys.argv[1:5]
def write_children():
    found = [file.read_text() for file in Path(f"/proc/{os.getpid()}/task").glob("*/children")]
    Path(output + ".children").write_text(" ".join(found))
def after(progress):
    if progress.rows == 400:
        STOP
try:
    score_table(space, pairs, output, processes=int(processes), progress=after, partition_size=100)
except EntvecError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


class Stopped(Exception):
    """Somewhere in the middle."""


def stop_at(rows: int) -> Callable[[JobProgress], None]:
    def tell(progress: JobProgress) -> None:
        if progress.rows >= rows:
            raise Stopped

    return tell


@pytest.fixture(scope="module")
def whole(space: EntailmentSpace, pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run that was never stopped writes."""
    output = tmp_path_factory.mktemp("whole") / "scored.parquet"
    score_table(space, pairs, output, processes=1)
    return output.read_bytes()


def run(stop: str, saved: Path, pairs: Path, output: Path, processes: int = 1) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", SCRIPT.replace("STOP", stop), str(saved), str(pairs), str(output), str(processes)]
    environment = {**os.environ, **SINGLE_THREADED_BLAS}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603


def manifest(output: Path) -> list[bytes]:
    return (output.with_name(f"{output.name}.job") / "manifest").read_bytes().splitlines()


@pytest.fixture
def stopped(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> Path:
    """The output of a job that was stopped after four of its ten blocks."""
    output = tmp_path / "scored.parquet"
    with pytest.raises(Stopped):
        score_table(space, pairs, output, progress=stop_at(400))
    assert len(manifest(output)) == 4
    return output


def go_on(space: Any, pairs: Path, output: Path, whole: bytes, **options: Any) -> list[int]:
    """Finish the job; how many rows there were at each step."""
    told: list[JobProgress] = []
    done = score_table(space, pairs, output, progress=told.append, **options)
    assert output.read_bytes() == whole
    assert done.rows == 1000
    assert done.earlier == told[0].rows
    assert not output.with_name(f"{output.name}.job").exists()
    return [progress.rows for progress in told]


def test_what_is_done_is_not_done_again(space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes) -> None:
    assert not stopped.exists()
    assert go_on(space, pairs, stopped, whole) == [400, 500, 600, 700, 800, 900, 1000]


def test_unknown_words_of_earlier_runs_are_told_too(space: EntailmentSpace, pairs: Path, stopped: Path) -> None:
    done = score_table(space, pairs, stopped)
    fresh = score_table(space, pairs, stopped, restart=True)
    assert (done.unknown, done.examples) == (fresh.unknown, fresh.examples)


def test_a_job_may_be_stopped_again_and_again(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    output = tmp_path / "scored.parquet"
    for rows in (100, 200, 300, 700, 1000):
        with pytest.raises(Stopped):
            score_table(space, pairs, output, progress=stop_at(rows))
    assert go_on(space, pairs, output, whole) == [1000]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_that_is_killed_loses_nothing_that_was_done(
    saved: Path, pairs: Path, tmp_path: Path, whole: bytes, processes: int
) -> None:
    output = tmp_path / "scored.parquet"
    told = run("write_children(); os.kill(os.getpid(), signal.SIGKILL)", saved, pairs, output, processes)
    assert told.returncode == -signal.SIGKILL
    assert not output.exists()
    orphans = Path(f"{output}.children").read_text().split()
    assert len(orphans) == processes - 1
    give_up = time.monotonic() + 20
    while any(_is_running(pid) for pid in orphans) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert not any(_is_running(pid) for pid in orphans)
    assert go_on(saved, pairs, output, whole, processes=1)[0] == 400


def _is_running(pid: str) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_a_full_disk_is_told_in_one_line_and_the_job_goes_on_when_there_is_room(
    saved: Path, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    output = tmp_path / "scored.parquet"
    room = len(whole) // 2
    told = run(f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))", saved, pairs, output)
    assert told.returncode == 1
    assert told.stderr.startswith(f"CannotWrite: cannot write {output}: File too large; ")
    assert "parts are done and kept in scored.parquet.job: make room, and run the same again to go on\n" in told.stderr
    assert told.stderr.count("\n") == 1
    rows = go_on(saved, pairs, output, whole)
    assert 400 <= rows[0] <= 1000  # a thread compresses, so all parts may be there before it meets the limit


def test_no_room_for_a_space_is_told(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    space.with_dtype(space.backend.dtype).save(
        tmp_path / "space"
    )  # without keys, so that these must be written somewhere
    script = SCRIPT.replace("try:", "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\ntry:", 1)
    arguments = [str(tmp_path / "space"), str(pairs), str(tmp_path / "scored.parquet"), "2"]
    command = [sys.executable, "-c", script.replace("STOP", "pass"), *arguments]
    told = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert told.stderr == (
        f"CannotWrite: cannot write {tmp_path / 'scored.parquet'}: File too large; nothing is done yet: "
        "run the same again to go on\n"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"space"}


def test_a_full_disk_is_known_as_the_cause_of_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="nothing is done yet: make room, and run the same again"):  # noqa: SIM117
        with checkpoint._resumable(tmp_path / "o.parquet.job", tmp_path / "o.parquet"):
            raise CannotWrite("space", "No space left") from OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
def test_a_run_that_is_stopped_while_the_output_is_finished_goes_on(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    def fail(_: int) -> None:
        raise error

    output = tmp_path / "scored.parquet"
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises((KeyboardInterrupt, CannotWrite)):
            score_table(space, pairs, output)
    assert not output.exists()
    assert go_on(space, pairs, output, whole) == [1000]


# What a crash of the machine leaves behind


@pytest.mark.parametrize("cut", [1, 8, 2000])
def test_a_piece_that_is_not_whole_is_done_again(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes, cut: int
) -> None:
    part = stopped.with_name("scored.parquet.job") / "parts" / "part-00003.arrow"
    os.truncate(part, part.stat().st_size - cut)
    assert go_on(space, pairs, stopped, whole)[0] == 300


def test_a_piece_that_has_changed_is_done_again_and_all_after_it(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes
) -> None:
    part = stopped.with_name("scored.parquet.job") / "parts" / "part-00001.arrow"
    content = bytearray(part.read_bytes())
    content[50] ^= 1
    part.write_bytes(content)
    assert go_on(space, pairs, stopped, whole)[0] == 100


@pytest.mark.parametrize(
    "line", [b"", b"\x00" * 30, b"[1, 2", b"[1, 2, 3, 4, 5]\n", b'["x", 1, 1, 1, 1, []]\n', b"7\n", b"null\n"]
)
def test_a_manifest_is_read_up_to_what_is_damaged(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes, line: bytes
) -> None:
    lines = manifest(stopped)
    path = stopped.with_name("scored.parquet.job") / "manifest"
    path.write_bytes(b"\n".join(lines[:2]) + b"\n" + line + b"\n".join(lines[2:]))
    expected = 400 if not line else 200
    path.write_bytes(path.read_bytes() + (b"" if line else b"\n"))
    assert go_on(space, pairs, stopped, whole)[0] == expected


def test_what_was_written_after_the_last_whole_piece_is_cut_off(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes
) -> None:
    job = stopped.with_name("scored.parquet.job")
    (job / "parts" / "part-00004.arrow").write_bytes(b"half of a pa")
    (job / "output").write_bytes(b"half of an outp")
    with (job / "manifest").open("ab") as file:
        file.write(b"half of a li")
    assert go_on(space, pairs, stopped, whole)[0] == 400


def test_a_run_that_was_stopped_before_anything_was_written_begins(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    job = tmp_path / "scored.parquet.job"
    job.mkdir()
    (job / "lock").touch()
    (job / "job.json.new").write_text("{")
    assert go_on(space, pairs, tmp_path / "scored.parquet", whole)[0] == 0


def test_a_run_that_was_stopped_before_its_checkpoint_was_removed_goes_on(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        score_table(space, pairs, stopped)
    assert stopped.exists()
    assert go_on(space, pairs, stopped, whole) == [1000]


# Another job


def test_another_job_is_not_mixed_with_it(space: EntailmentSpace, pairs: Path, stopped: Path, tmp_path: Path) -> None:
    job = stopped.with_name("scored.parquet.job")
    with pytest.raises(InvalidInput) as error:
        score_table(space, pairs, stopped, hypo="hyper", hyper="hypo")
    assert str(error.value) == (
        f"{job} has another job, begun with hypo hypo, now hyper; go on as it was begun, or start anew with "
        "restart=True, which removes what was done so far"
    )
    with pytest.raises(InvalidInput, match="begun with job score, now neighbours"):
        neighbours(space, stopped)
    _stop_neighbours(space, tmp_path / "up.parquet")
    with pytest.raises(InvalidInput, match=r"begun with specificity 0\.5, now 0\.75"):
        neighbours(space, tmp_path / "up.parquet", specificity=0.75)
    assert len(manifest(stopped)) == 4


def _stop_neighbours(space: EntailmentSpace, output: Path) -> None:
    with pytest.raises(Stopped):
        neighbours(space, output, specificity=0.5, progress=stop_at(1))


def test_another_space_is_another_job(space: EntailmentSpace, pairs: Path, stopped: Path) -> None:
    vectors = space.vectors
    turned = type(vectors)(list(vectors.words), vectors.matrix[:, ::-1].copy())
    for other in (
        space.with_calibration(None),
        space.with_vocabulary(turned),
        space.with_vocabulary(vectors.take(np.arange(100))),
        EntailmentSpace.from_vectors(vectors, interpretation="unk_dup"),
    ):
        with pytest.raises(InvalidInput, match="begun with another space, or other options"):
            score_table(other, pairs, stopped)


def test_a_table_that_has_changed_is_another_job(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    table, output = tmp_path / "pairs.parquet", tmp_path / "scored.parquet"
    shutil.copy(pairs, table)
    with pytest.raises(Stopped):
        score_table(space, table, output, progress=stop_at(400))
    stat = table.stat()
    content = bytearray(table.read_bytes())
    content[100] ^= 1
    table.write_bytes(content)
    os.utime(table, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(InvalidInput, match="table has changed since it was begun; start anew"):
        score_table(space, table, output)
    shutil.copy(pairs, table)  # at another time, with the same content
    assert score_table(space, table, output).earlier == 400


def test_a_space_and_its_folder_are_the_same(saved: Path, pairs: Path, stopped: Path, whole: bytes) -> None:
    assert go_on(saved, pairs, stopped, whole)[0] == 400


def test_a_restart_forgets_what_was_done(
    space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stopped.with_name("scored.parquet.job")
    (job / "space").mkdir()
    (job / "job.json").write_text("[")
    with pytest.raises(InvalidInput, match=r"job.json is damaged; start anew with restart=True"):
        score_table(space, pairs, stopped)
    assert go_on(space, pairs, stopped, whole, restart=True)[0] == 0


def test_a_job_that_has_done_nothing_leaves_nothing_and_is_in_nobodys_way(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, whole: bytes
) -> None:
    output = tmp_path / "scored.parquet"
    with pytest.raises(Stopped):
        score_table(space, pairs, output, progress=stop_at(0))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Stopped):  # it has written tables of all words, to go on from
        score_table(
            EntailmentSpace.from_vectors(space.vectors, operator="factorised"), pairs, output, progress=stop_at(0)
        )
    assert output.with_name("scored.parquet.job").exists()
    assert go_on(space, pairs, output, whole)[0] == 0


def test_a_folder_of_that_name_that_no_job_has_made_is_left_alone(
    space: EntailmentSpace, pairs: Path, tmp_path: Path
) -> None:
    job = tmp_path / "scored.parquet.job"
    job.mkdir()
    (job / "letter.txt").write_text("dear job")
    for restart in (False, True):
        with pytest.raises(CannotWrite, match="is in the way, and no job has made it"):
            score_table(space, pairs, tmp_path / "scored.parquet", restart=restart)
    assert (job / "letter.txt").read_text() == "dear job"


def test_two_runs_at_once_are_refused(space: EntailmentSpace, pairs: Path, stopped: Path, whole: bytes) -> None:
    refused: list[str] = []

    def begin_another(progress: JobProgress) -> None:
        with pytest.raises(CannotWrite) as error:
            score_table(space, pairs, stopped, restart=True)
        refused.append(str(error.value))

    score_table(space, pairs, stopped, progress=begin_another)
    assert set(refused) == {f"cannot write {stopped}: another run of this job is at work; wait until it is done"}
    assert stopped.read_bytes() == whole


def test_the_kept_space_of_a_job_that_needs_one_is_found_again(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "scored.parquet"
    with pytest.raises(Stopped):
        score_table(copy(space), pairs, output, processes=2, progress=stop_at(400))
    kept = output.with_name("scored.parquet.job") / checkpoint.SPACE
    before = kept.stat().st_mtime_ns
    seen: list[int] = []
    score_table(space, pairs, output, processes=2, progress=lambda _: seen.append(kept.stat().st_mtime_ns))
    assert set(seen) == {before}
    assert output.read_bytes() == whole
