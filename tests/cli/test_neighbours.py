"""`entvec neighbours --all`, and what happens to a large job that a person stops."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.bulk import JobProgress
from entvec.bundled import toy_world
from entvec.cli import app
from entvec.cli.bulk import at_work
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved space."""
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.save(path)
    return str(path)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["neighbours", *arguments], env={"COLUMNS": "200", "TERM": "dumb"})


def test_every_word_is_answered_and_what_was_done_is_said(toys: str) -> None:
    told = ask("--all", "-k", "2", "--specificity", "0", "-o", "up.parquet", "--space", toys)
    assert told.exit_code == 0, told.output
    assert told.stdout == ""
    written, after = told.stderr.splitlines()
    assert written.startswith(f"written: up.parquet ({2 * len(TOYS)} rows, 0.0 MB, ")
    assert after == "next: python -c \"import pandas; print(pandas.read_parquet('up.parquet'))\""
    again = ask("--all", "-k", "2", "--specificity", "0", "-o", "up.parquet", "--space", toys)
    assert again.stderr.startswith(f"nothing to do: up.parquet has these {2 * len(TOYS)} rows already\n")
    found = pq.read_table("up.parquet").to_pylist()
    assert [row["neighbour"] for row in found if row["word"] == "poodle"] == ["unk", "animal"]


def test_down_are_hyponyms(toys: str) -> None:
    assert ask("--all", "--direction", "down", "-k", "3", "-o", "down.parquet", "--space", toys).exit_code == 0
    found = pq.read_table("down.parquet").to_pylist()
    assert [row["neighbour"] for row in found if row["word"] == "animal"] == TOYS.hyponyms("animal", k=3).words


def test_processes_and_a_device_are_chosen_by_options(toys: str) -> None:
    pytest.importorskip("torch")
    ask("--all", "-o", "one.parquet", "--space", toys)
    for chosen in ["--processes", "2"], ["--device", "cpu", "--dtype", "float32"]:
        told = ask("--all", "-o", "other.parquet", "--space", toys, *chosen)
        assert told.exit_code == 0, told.output
        expected, found = pq.read_table("one.parquet"), pq.read_table("other.parquet")
        assert found.drop(["score"]).equals(expected.drop(["score"]))
        np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "expected --all, the whole vocabulary; for some words there are entvec hypernyms and entvec hyponyms"),
        (["--all", "--dtype", "tf32"], "it is for a device"),
        (["--all", "--device", "cpu", "--processes", "2"], "a device is used by one process"),
        (["--all", "--device", "cpu", "--cluster", "tcp://head:8786"], "a device is used by one process"),
        (["--all", "-k", "0"], "Invalid value for '-k'"),
        (["--all", "--direction", "sideways"], "is not one of 'up', 'down'"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(toys: str, arguments: list[str], problem: str) -> None:
    told = ask(*arguments, "-o", "up.parquet", "--space", toys)
    assert told.exit_code == 2
    assert problem in told.stderr
    assert list(Path().iterdir()) == []


def test_a_device_that_is_not_there_is_one_line(toys: str) -> None:
    pytest.importorskip("torch")
    told = ask("--all", "--device", "abacus", "-o", "up.parquet", "--space", toys)
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1
    assert "abacus" in told.stderr


def save_many_words() -> None:
    """Save a space whose neighbours take a while."""
    rng = np.random.default_rng(0)
    words = [f"word_{i}" for i in range(30_000)]
    space = EntailmentSpace.from_vectors(Vectors(words, rng.normal(size=(30_000, 16)).astype(np.float32)))
    space.keys["hyper"]
    space.save("space")


def test_ctrl_c_while_workers_start_is_one_line() -> None:
    save_many_words()
    command = [sys.executable, "-m", "entvec", "neighbours", "--all", "-o", "up.parquet", "--space", "space"]
    with subprocess.Popen(  # noqa: S603
        [*command, "--processes", "3"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=accept_interrupts,
    ) as process:
        give_up = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < give_up:
            workers = [int(pid) for pid in children(process.pid)]
            if workers and all(os.getsid(worker) != process.pid for worker in workers):
                break  # Ctrl-C does not reach them
            time.sleep(0.001)
        assert time.monotonic() < give_up
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        message = process.communicate()[1]
    assert process.returncode == 130
    assert message.startswith("entvec: stopped; ")
    assert message.count("\n") == 1


def children(pid: int) -> Iterator[str]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from task.read_text().split()


def accept_interrupts() -> None:
    """A job of a shell's background ignores Ctrl-C, and so would a process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("stop", "processes", "code", "verb"),
    [
        (signal.SIGINT, "1", 130, "stopped"),
        (signal.SIGINT, "2", 130, "stopped"),
        (signal.SIGTERM, "1", 143, "ended"),
        (signal.SIGHUP, "2", 143, "ended"),
    ],
)
def test_a_run_that_a_person_stops_says_how_it_goes_on(
    stop: signal.Signals, processes: str, code: int, verb: str
) -> None:
    save_many_words()
    command = [sys.executable, "-m", "entvec", "neighbours", "--all", "-o", "up.parquet", "--space", "space"]
    command += ["-k", "1", "--processes", processes]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=accept_interrupts) as process:  # noqa: S603
        manifest = Path("up.parquet.job/manifest")
        while not (manifest.exists() and manifest.read_bytes()) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(stop)
        told = process.communicate()[1]
    assert process.returncode == code, told
    rows, rest = told.removeprefix(f"entvec: {verb}; ").split(" ", 1)
    assert int(rows.replace(",", "")) % 4096 == 0
    assert rest == "rows are done and kept in up.parquet.job: run the same command again to go on\n"
    assert 1 <= len(manifest.read_bytes().splitlines()) < 8
    assert not Path("up.parquet").exists()


def test_the_bar_tells_how_far_and_how_fast(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    with at_work(Path("scored.parquet"), "pairs") as tell:
        tell(JobProgress(0.25, 1000, 1000))
        time.sleep(0.01)
        tell(JobProgress(0.5, 2000, 1000))
        time.sleep(0.2)
    told = capsys.readouterr().err
    assert "2,000 pairs" in told
    assert "a second" in told
    assert "50%" in told
