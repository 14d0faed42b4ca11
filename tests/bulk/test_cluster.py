"""Jobs on a Dask cluster: the file is that of one process, also when a worker is killed; what is wrong is told."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.bulk.cluster import _compute_in_one_thread, _result, check_workers, connected, on_cluster
from entvec.bulk.dataset import Dataset
from entvec.bulk.execution import parts_in_order
from entvec.bulk.jobs import VERSION
from entvec.bulk.score_job import ScoreJob
from entvec.errors import ClusterError, InvalidInput, MissingExtra
from entvec.space import EntailmentSpace

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.server, pytest.mark.usefixtures("one_process")]
neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two processes."""
    command = [sys.executable, str(Path(__file__).parent / "local_cluster.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def test_the_file_is_that_of_one_process(
    address: str, space: EntailmentSpace, saved: Path, pairs: Path, tmp_path: Path
) -> None:
    score_table(space, pairs, tmp_path / "here.parquet", processes=1)
    score_table(saved, pairs, tmp_path / "there.parquet", cluster=address)
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()
    neighbours(saved, tmp_path / "up.parquet", k=3)
    neighbours(space.with_dtype(space.backend.dtype), tmp_path / "up-there.parquet", k=3, cluster=address)
    assert (tmp_path / "up.parquet").read_bytes() == (tmp_path / "up-there.parquet").read_bytes()


def test_text_is_extracted_on_a_cluster(address: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Guitars, lutes and other instruments were sold.\n\n" * 4000)
    for name, options in (("there", {"cluster": address}), ("here", {"processes": 1})):
        bulk.extract(tmp_path / "a.txt", tmp_path / f"{name}.parquet", partition_size=1 << 16, **options)
    assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()


def test_a_worker_that_is_killed_costs_its_block_only(address: str, saved: Path, pairs: Path, tmp_path: Path) -> None:
    with distributed.Client(address, set_as_default=False) as client:
        workers = client.run(os.getpid)
    killed: list[int] = []

    def kill(progress: JobProgress) -> None:
        if progress.rows >= 300 and not killed:
            killed.append(next(iter(workers.values())))
            os.kill(killed[0], signal.SIGKILL)

    score_table(saved, pairs, tmp_path / "here.parquet", processes=1)
    done = score_table(saved, pairs, tmp_path / "there.parquet", cluster=address, progress=kill)
    assert killed
    assert done.rows == 1000
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()


def test_a_run_that_was_stopped_here_goes_on_there(address: str, saved: Path, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "there.parquet"

    def stop(progress: JobProgress) -> None:
        if progress.rows == 400:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        score_table(saved, pairs, output, processes=1, progress=stop)
    assert score_table(saved, pairs, output, cluster=address).earlier == 400
    score_table(saved, pairs, tmp_path / "here.parquet", processes=1)
    assert (tmp_path / "here.parquet").read_bytes() == output.read_bytes()


def test_a_worker_that_does_not_see_the_files_says_so(address: str, pairs: Path) -> None:
    job = ScoreJob("/nowhere/space", Dataset((str(pairs),), "hypo", "hyper"), "arrow")
    with (
        connected(address) as client,
        pytest.raises(InvalidInput, match="does not see /nowhere/space; put the space, the table and the output where"),
    ):
        list(parts_in_order(on_cluster(client, job, address), job.table.partitions()))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://somewhere", "127.0.0.1:port"])
def test_a_scheduler_that_does_not_answer_is_told_in_one_line(
    saved: Path, pairs: Path, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("entvec.bulk.cluster.SECONDS", 0.2)
    with pytest.raises(ClusterError) as error:
        score_table(saved, pairs, tmp_path / "scored.parquet", cluster=address)
    assert str(error.value) == (
        f"no Dask scheduler answers at {address}; expected where `dask scheduler` runs, as in tcp://HOST:8786"
    )


def test_a_worker_whose_blas_has_several_threads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.bulk.cluster.blas_threads", lambda: 4)
    nothing: Any = None
    with pytest.raises(ClusterError, match=r"has 4 threads, expected one; start it with OMP_NUM_THREADS=1"):
        _compute_in_one_thread(nothing, nothing)


class Workers:
    """A client of workers that have these versions of the package."""

    def __init__(self, **versions: Any) -> None:
        self.versions = versions

    def run(self, *_: Any, on_error: str) -> dict[str, Any]:
        return self.versions


@pytest.mark.parametrize(
    ("versions", "problem"),
    [
        ({}, "the cluster at head has no workers; start some with: dask worker head"),
        (
            {"one": VERSION, "two": PackageNotFoundError("entvec")},
            f"the worker two has no entvec; install it where workers run: pip install 'entvec[cluster]=={VERSION}'",
        ),
        ({"one": "0.0.1"}, f"the worker one has entvec 0.0.1, expected {VERSION}; install it where workers run"),
    ],
)
def test_workers_that_cannot_do_it_are_told(versions: dict[str, Any], problem: str) -> None:
    with pytest.raises(ClusterError) as error:
        check_workers(Workers(**versions), "head")
    assert str(error.value).startswith(problem)


class Failed:
    """A block that had an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def result(self) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (
            ModuleNotFoundError("no entvec", name="entvec"),
            "a worker of head has no entvec; install it where workers run",
        ),
        (
            distributed.scheduler.KilledWorker("made", None, 3),
            "4 workers of head ended while they did one partition; if memory is short",
        ),
        (distributed.client.FutureCancelledError("made", "lost"), "the scheduler at head has gone; start it"),
        (distributed.comm.CommClosedError("closed"), "the scheduler at head has gone; start it"),
    ],
)
def test_what_happens_to_workers_on_the_way_is_told(error: Exception, problem: str) -> None:
    with pytest.raises(ClusterError, match=problem):
        _result(Failed(error), "head")


def test_without_dask_one_line_says_what_to_install(
    saved: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"a cluster needs distributed; install it with: pip install distributed"):
        score_table(saved, pairs, tmp_path / "scored.parquet", cluster="tcp://127.0.0.1:1")
