"""`entvec reproduce`: once as a process, as a person runs it; else in this one, which has its libraries already."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from entvec.cli import app


@pytest.mark.slow
def test_one_command_writes_the_report(small_world: Path, tmp_path: Path) -> None:
    vectors = small_world / "vectors.safetensors"
    given = ("--vectors", vectors, "--benchmark-dir", small_world, "--repetitions", "1", "--jobs", "1")
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", "reproduce", "-o", tmp_path / "report", *given],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "weeds-bless: 60 pairs" in done.stdout
    assert "80.1 / 90.0" in done.stdout
    assert "report.html" in done.stdout.replace("\n", "")
    assert "…" not in done.stdout
    names = {path.name for path in (tmp_path / "report").iterdir()}
    assert names == {"report.html", "table.md", "table.json", "figure1.png", "figure1.svg"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "{file}"], 1, "there is a file of that name"),
        (["-o", "{folder}/new", "--benchmark-dir", "{folder}/none"], 2, "is not a folder"),
        (["-o", "{folder}/new", "--vectors", "{folder}/none.txt"], 1, "there is no such file"),
        (["-o", "{folder}/new", "--repetitions", "0"], 2, "greater than or equal to 1"),
        ([], 2, "Missing option '--output'"),
    ],
)
def test_mistakes_are_told_before_any_work(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "file").touch()
    given = [part.format(file=tmp_path / "file", folder=tmp_path) for part in arguments]
    done = CliRunner().invoke(app, ["reproduce", *given], env={"COLUMNS": "80"})
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
