"""The command line: as a process where the process matters, else in this one, which has its libraries already."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import entvec
from entvec.cli import app


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


def invoke(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "100", "TERM": "dumb"})
    return subprocess.CompletedProcess([], done.exit_code, done.stdout, done.stderr)


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"entvec {entvec.__version__}\n")


@pytest.mark.parametrize("command", [(), ("demo",), ("figure", "gradients"), ("figure", "meanfield")])
def test_help_has_examples(command: tuple[str, ...]) -> None:
    done = invoke(*command, "--help")
    assert done.returncode == 0
    assert "Examples:" in done.stdout
    assert " ".join(("entvec", *command)) in done.stdout.split("Examples:")[1]


def test_the_demo_shows_the_world_and_every_operator() -> None:
    done = run("demo")
    assert done.returncode == 0
    assert done.stderr == ""
    for text in ("alive", "✓ dog → animal", "backward", "factorised", "difference", "ranked right", "100%"):
        assert text in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_demo_can_show_all_pairs() -> None:
    few, everything = invoke("demo"), invoke("demo", "--all")
    assert few.stdout.count("→") == 8
    assert everything.stdout.count("→") == 30


def test_the_strength_changes_the_scores() -> None:
    assert invoke("demo", "--strength", "1").stdout != invoke("demo").stdout


def test_debug_shows_the_traceback() -> None:
    done = run("--debug", "figure", "gradients", "-o", "figure.docx")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "CannotWrite" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("command", ["demo", "--help"])
def test_a_terminal_without_our_signs_gets_question_marks(command: str, encoding: str) -> None:
    done = run(command, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", ["--version", "demo"])
def test_a_full_disk_is_one_line(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "entvec", command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("dmeo",),
        ("demo", "--strenght", "1"),
        ("demo", "--strength", "0"),
        ("demo", "--strength", "nan"),
        ("demo", "--strength", "1e5"),
        ("figure", "gradients"),
        ("figure", "gradients", "-o", "x.png", "--range", "-1"),
        ("figure", "meanfield", "-o", "x.png", "--trials", "0"),
    ],
    ids=" ".join,
)
def test_a_command_line_that_makes_no_sense_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = invoke(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_without_a_command_the_help_is_shown() -> None:
    done = run()
    assert "demo" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_figure_gradients_draws_and_prints_the_match(tmp_path: Path) -> None:
    path = tmp_path / "gradients.png"
    done = invoke("figure", "gradients", "-o", str(path))
    assert done.returncode == 0
    assert path.stat().st_size > 10_000
    assert "unk_dup" in done.stdout
    assert "the best shift is 1.14; the paper has 1" in done.stdout
    assert done.stderr == f"written: {path}\n"


def test_figure_meanfield_draws_and_prints_the_distances(tmp_path: Path) -> None:
    path = tmp_path / "meanfield.svg"
    done = invoke("figure", "meanfield", "-o", str(path), "--trials", "5")
    assert done.returncode == 0
    assert path.read_text().startswith("<?xml")
    assert "chain of four" in done.stdout


def test_a_figure_in_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = invoke("figure", "meanfield", "-o", str(tmp_path / "nowhere" / "x.png"), "--trials", "1")
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert "there is no folder" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_figure_without_matplotlib_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    done = run("figure", "gradients", "-o", str(tmp_path / "x.png"), PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "pip install matplotlib" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error_to_tell_of() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "entvec", "demo", "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, stderr = process.communicate()
    assert b"Traceback" not in stderr
