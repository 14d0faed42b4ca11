"""Whoever does the blocks, the file is the same to the last bit; a process that dies costs its block only."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

import entvec
from entvec import bulk
from entvec.bulk.execution import in_threads, parts_in_order
from entvec.bulk.jobs import Part, Partition
from entvec.bulk.processes import in_processes
from entvec.errors import InvalidInput, WorkerLost
from entvec.runtime import blas_threads
from entvec.space import EntailmentSpace

neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A job whose blocks say what is to be done."""
    monkeypatch.syspath_prepend(Path(__file__).parent)  # other processes look for packages where this one does
    return import_module("odd_job").Odd(str(tmp_path))


def test_pieces_come_in_the_order_of_the_blocks(odd: Any, tmp_path: Path) -> None:
    with in_processes(odd, 2) as executor:
        made = [piece.content.split()[0] for piece in parts_in_order(executor, range(50))]
    assert made == [str(i).encode() for i in range(50)]
    assert 1 <= len(list(tmp_path.glob("opened by *"))) <= 2


def test_a_bounded_number_of_blocks_is_under_way() -> None:
    asked: list[int] = []

    def blocks() -> Iterator[int]:
        for i in range(100):
            asked.append(i)
            yield i

    def work(block: Partition) -> Part:
        return Part(b"", block)

    with in_threads(work, threads=3) as executor:
        for i, piece in enumerate(parts_in_order(executor, blocks())):
            assert piece.rows == i
            assert len(asked) <= i + 3


def test_this_process_may_be_one_of_them(odd: Any, tmp_path: Path) -> None:
    with in_processes(odd, 2, odd.made) as executor:
        made = [piece.content.split() for piece in parts_in_order(executor, range(200))]
    assert [int(block) for block, *_ in made] == list(range(200))
    assert str(os.getpid()).encode() in {pid for *_, pid in made}
    assert len(list(tmp_path.glob("opened by *"))) <= 1


def test_a_process_that_dies_costs_its_block_only(odd: Any, tmp_path: Path) -> None:
    with in_processes(odd, 2) as executor:
        made = [piece.content.split(b" by ")[0] for piece in parts_in_order(executor, [1, 2, "die once", 3, 4, 5])]
    assert made == [b"1", b"2", b"die once", b"3", b"4", b"5"]
    assert (tmp_path / "died").exists()


def test_a_block_that_kills_every_process_is_an_error(odd: Any) -> None:
    with in_processes(odd, 2) as executor, pytest.raises(WorkerLost, match="the last with the code -9"):
        list(parts_in_order(executor, ["die"]))


def test_an_error_in_a_process_is_an_error_here(odd: Any) -> None:
    with in_processes(odd, 1) as executor:
        with pytest.raises(InvalidInput, match="this block makes no sense"):
            list(parts_in_order(executor, ["err"]))
        with pytest.raises(ZeroDivisionError) as error:
            list(parts_in_order(executor, ["bug"]))
        assert "in made" in error.value.__notes__[0]  # where it was
        assert next(parts_in_order(executor, ["print"])).content.startswith(b"print by")


def test_a_worker_that_does_not_see_the_files_says_so(odd: Any, tmp_path: Path) -> None:
    with (
        in_processes(replace(odd, folder=str(tmp_path / "elsewhere")), 1) as executor,
        pytest.raises(InvalidInput, match=r"does not see .*elsewhere; put the space, the table and the output"),
    ):
        list(parts_in_order(executor, [1]))


def test_processes_end_with_the_job_and_no_thread_is_left(odd: Any) -> None:
    before = threading.active_count()
    with in_processes(odd, 2) as executor:
        begun = [executor.submit(i) for i in range(20)]
        made = begun[0]()
    pid = int(made.content.split()[-1])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert threading.active_count() == before


def test_a_script_needs_no_guard_to_start_processes(saved: Path, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "typing.py").write_text("raise ImportError('not this one')")  # what lies in the folder is not imported
    script = (
        "from entvec.bulk import score_table\n"
        f"print(score_table({str(saved)!r}, {str(pairs)!r}, 'scored.parquet', processes=2, partition_size=400).rows)"
    )
    told = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (told.stdout, told.stderr) == ("1000\n", "")


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("operator", ["backward", "factorised"])
def test_the_scores_of_processes_are_those_of_one(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, operator: str
) -> None:
    other = space if operator == "backward" else EntailmentSpace.from_vectors(space.vectors, operator=operator)
    score_table(other, pairs, tmp_path / "one.parquet", processes=1)
    score_table(other, pairs, tmp_path / "two.parquet", processes=2)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.usefixtures("one_process")
def test_the_neighbours_of_processes_are_those_of_one(space: EntailmentSpace, tmp_path: Path) -> None:
    neighbours(space.with_dtype(space.backend.dtype), tmp_path / "one.parquet", "down")
    neighbours(space.with_dtype(space.backend.dtype), tmp_path / "two.parquet", "down", processes=2)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


@pytest.mark.usefixtures("one_process")
def test_processes_are_used_by_themselves_when_there_are_many_blocks(
    saved: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def refuse(job: object, n: int, work: object) -> None:
        started.append(n)
        raise InvalidInput("enough")

    monkeypatch.setattr("entvec.bulk.placement.in_processes", refuse)
    monkeypatch.setattr("entvec.bulk.placement.available_threads", lambda: 4)
    score_table(saved, pairs, tmp_path / "scored.parquet")
    monkeypatch.setattr("entvec.bulk.placement.WORTH_PROCESSES", 10)
    with pytest.raises(InvalidInput, match="enough"):
        score_table(saved, pairs, tmp_path / "scored.parquet", restart=True)
    assert started == [4]


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_a_blas_of_several_threads_makes_no_difference(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    fresh = space.with_dtype(space.backend.dtype)
    factorised = EntailmentSpace.from_vectors(space.vectors, operator="factorised")
    for name, threads in (("one", 1), ("two", 2)):
        with threadpool_limits(threads, user_api="blas"):
            score_table(fresh, pairs, tmp_path / f"scored-{name}.parquet", processes=1)
            score_table(factorised, pairs, tmp_path / f"factorised-{name}.parquet", processes=1)
            neighbours(fresh, tmp_path / f"up-{name}.parquet", k=3)
            assert blas_threads() == threads  # nobody has changed it
        fresh = space.with_dtype(space.backend.dtype)
    for job in ("scored", "factorised", "up"):
        assert (tmp_path / f"{job}-one.parquet").read_bytes() == (tmp_path / f"{job}-two.parquet").read_bytes()


def test_processes_share_the_processors(odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.runtime.available_threads", lambda: 7)
    with in_processes(odd, 2) as executor:
        assert next(parts_in_order(executor, ["threads"])).rows == 3


# Other threads of the process set their own umask and number of BLAS threads once, and look at them all the time.
STRESS = """
import os, sys, threading
from pathlib import Path
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
from entvec.bulk import neighbours, score_table
from entvec.runtime import blas_threads
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors, write

os.umask(0o027)
threadpool_limits(2, user_api="blas")
folder, pairs = Path(sys.argv[1]), sys.argv[2]
vectors = Vectors([f"word_{i}" for i in range(300)], np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32))
space = EntailmentSpace.from_vectors(vectors)
odd, done = [], threading.Event()

def look():
    for i in range(10**9):
        if done.is_set():
            return
        file = folder / f"probe-{i}"
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o666))
        if file.stat().st_mode & 0o777 != 0o640 or blas_threads() != 2:
            odd.append((oct(file.stat().st_mode), blas_threads()))
        file.unlink()

watcher = threading.Thread(target=look)
watcher.start()
for i in range(2):
    score_table(space, pairs, folder / f"{i}.parquet", partition_size=200)
    neighbours(space, folder / f"up-{i}", k=2, partition_size=100)
    space.save(folder / "space")
    write(vectors, folder / "vectors.npz")
    space.hypernyms(vectors.words[:50])
done.set()
watcher.join()
modes = {file.stat().st_mode & 0o777 for file in folder.rglob("*") if file.is_file()}
print(odd[:3], sorted(map(oct, modes)), oct(os.umask(0)), blas_threads())
"""


@pytest.mark.slow
def test_jobs_leave_the_umask_and_the_blas_of_the_process_alone(pairs: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STRESS, str(tmp_path), str(pairs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.stdout, done.stderr) == ("[] ['0o640'] 0o27 2\n", "")


def test_no_other_module_changes_the_umask_or_the_number_of_threads() -> None:
    found = [
        (path.name, word)
        for path in Path(entvec.__file__).parent.rglob("*.py")
        for word in ("umask(", "threadpool_limits", ".limit(")
        if word in path.read_text(encoding="utf-8")
    ]
    assert found == [("runtime.py", ".limit(")]
