"""No command ends with a traceback: not at a signal, wherever it comes, nor with streams that are closed or full."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from entvec.cli.process import DEFECT

# Does something when a module is imported for the first time, then runs the command line.
PROGRAM = """
import atexit, signal, sys
from entvec.__main__ import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it

class Here:
    def find_spec(self, name, path, target=None):
        if name == NAME:
            sys.meta_path.remove(self)
            ACTION

class Dying:
    def __init__(self, number): self.number = number
    def __del__(self): signal.raise_signal(self.number)

sys.meta_path.insert(0, Here())
if NAME == "signal":
    del sys.modules[NAME]
main()
"""


def run(name: str, action: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    program = PROGRAM.replace("NAME", repr(name)).replace("ACTION", action)
    command = [sys.executable, "-c", program, *(arguments or ("score", "dog", "animal"))]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def in_shell(line: str, **options: object) -> "subprocess.CompletedProcess[str]":
    """Run a line of the shell, which can close streams; $E is the command."""
    script = line.replace("$E", f"{sys.executable} -m entvec")
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]  # noqa: S603, S607


# Signals


@pytest.mark.parametrize(
    "module", ["signal", "typer", "entvec.cli.trouble", "entvec.cli.score", "rich.progress", "entvec.space"]
)
@pytest.mark.parametrize(
    ("number", "codes"),
    [
        (signal.SIGINT, (130, -signal.SIGINT)),
        (signal.SIGTERM, (143, -signal.SIGTERM)),
        (signal.SIGHUP, (143, -signal.SIGHUP)),
    ],
    ids=["INT", "TERM", "HUP"],
)
def test_a_signal_during_an_import_leaves_no_traceback(
    module: str, number: signal.Signals, codes: tuple[int, int]
) -> None:
    done = run(module, f"signal.raise_signal({number:d})")
    assert done.stderr == ""
    assert done.returncode in codes


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"])
def test_a_signal_in_a_destructor_is_not_lost(number: signal.Signals, code: int) -> None:
    done = run("entvec.space", f"Dying({number:d})")
    assert (done.returncode, done.stderr) == (code, "")


def test_a_signal_that_is_lost_again_changes_the_exit_code() -> None:
    never = "import entvec.cli.process as process; process.SOON = 3600; Dying(signal.SIGINT)"
    assert run("entvec.space", never).returncode == 130


def test_a_signal_after_the_end_leaves_no_traceback() -> None:
    done = run("entvec.space", "atexit.register(signal.raise_signal, signal.SIGINT)")
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert done.stdout.startswith("question")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=["INT", "HUP"])
def test_a_signal_that_is_ignored_stays_ignored(number: signal.Signals) -> None:
    ignored = f"signal.signal({number:d}, signal.SIG_IGN)"
    program = f"import os, signal; {ignored}; from entvec import cli; from entvec.cli import process\n"
    program += f"process.run(lambda: (signal.raise_signal({number:d}), print('alive')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")


# Streams


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("$E score - <&-", 1, "entvec: the standard input: it is closed\n"),
        ("$E taxonomy build <&-", 1, "entvec: the standard input: it is closed\n"),
        ("$E taxonomy audit - <&-", 2, "entvec: the standard input: it is closed\n"),
        ("$E info - <&-", 1, "entvec: the standard input: it is closed\n"),
        ("$E score dog animal <&-", 0, ""),
        ("$E score dog animal >&-", 1, "entvec: the output: Bad file descriptor\n"),
        ("$E taxonomy build dog animal >&-", 1, "entvec: the output: Bad file descriptor\n"),
        ("printf 'dog\\tanimal\\n' | $E score - >&-", 1, "entvec: the output: Bad file descriptor\n"),
        ("$E convert google-news - --to glove --limit 3 >&-", 1, "entvec: the standard output: it is closed\n"),
        ("$E --version >&-", 1, "entvec: the output: Bad file descriptor\n"),
        ("$E --version >/dev/full", 1, "entvec: the output: No space left on device\n"),
        ("$E hypernyms bank#99 2>&-", 1, ""),
        ("$E convert google-news v.npz --limit 3 2>/dev/full", 0, ""),
        ("$E score dog animal <&- >&- 2>&-", 1, ""),
    ],
)
def test_streams_that_are_closed_or_full(tmp_path: Path, line: str, code: int, message: str) -> None:
    done = in_shell(line, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (code, message)


def test_a_reader_that_has_enough_is_no_error() -> None:
    done = in_shell("$E hypernyms dog cat horse -k 500 --format tsv | head -1")
    assert (done.stdout, done.stderr) == ("query\tword\tscore\tprobability\tvariants\tevidence\treason\tsense\n", "")


# Defects


def test_an_error_that_nobody_expected_is_one_line() -> None:
    done = run("entvec.space", "raise RuntimeError('odd\\nthing')")
    assert done.stderr == f"entvec: RuntimeError: odd\\nthing; {DEFECT}\n"
    assert done.returncode == 1
    debugged = run("entvec.space", "raise RuntimeError('odd')", "--debug", "score", "dog", "animal")
    assert "Traceback" in debugged.stderr


def test_numpy_does_not_warn_on_a_terminal() -> None:
    odd = "import numpy; numpy.float32(1e38) * numpy.float32(1e38)"
    assert run("entvec.space", odd).stderr == ""
    assert "RuntimeWarning: overflow" in run("entvec.space", odd, "--debug", "score", "dog", "animal").stderr
