"""Errors as the command line tells them."""

import errno
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from entvec import cli
from entvec.cli import app
from entvec.cli.trouble import REMEDIES, message, note
from entvec.errors import EntvecError, InvalidInput, Remedy
from entvec.graphs import Taxonomy, write
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors


def test_the_command_line_has_words_for_each_remedy() -> None:
    assert set(REMEDIES) == set(Remedy)


@pytest.mark.parametrize("remedy", Remedy)
def test_the_remedies_of_the_command_line_are_its_own(remedy: Remedy) -> None:
    error = InvalidInput("it is so", where="here", remedy=remedy)
    assert str(error) == f"here: it is so; {remedy}"
    assert message(error) == f"here: it is so; {REMEDIES[remedy]}"


def test_the_options_of_remedies_are_there() -> None:
    from typer.main import get_command

    group: Any = get_command(app)
    commands = [group.get_command(None, name) for name in group.list_commands(None)]
    options = {option for command in commands for each in command.params for option in each.opts}
    named = {option for text in REMEDIES.values() for option in re.findall(r"--[a-z-]+", text)}
    assert named <= options


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InvalidInput("k is -1"), "k is -1"),
        (EntvecError("k is -1", remedy="use 1"), "k is -1; use 1"),
        (OSError(errno.ENOSPC, "No space left on device", "x.txt"), "x.txt: No space left on device"),
        (OSError(errno.ENOSPC, "No space left on device"), "the output: No space left on device"),
        (OSError("odd"), "odd"),
    ],
)
def test_other_errors_are_told_as_they_are(error: Exception, text: str) -> None:
    assert message(error) == text


TITLE = "\x1b]0;title\x07\nentvec: forged"


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: (folder / "v.txt", f"dog 1 2\ncat 1 {TITLE}\n"),
        lambda folder: (folder / f"{TITLE}.txt", "dog 1 2\ncat 1\n"),
        lambda folder: (folder / f"{TITLE}.txt", None),
    ],
    ids=["content", "name", "no such file"],
)
def test_what_comes_from_outside_stays_in_its_line(tmp_path: Path, make: Any) -> None:
    path, content = make(tmp_path)
    if content is not None:
        path.write_text(content)
    done = CliRunner().invoke(app, ["info", str(path)])
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_an_error_of_the_system_stays_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    note(f"entvec: {message(OSError(errno.ENOENT, 'No such file', TITLE))}")
    assert capsys.readouterr().err == "entvec: \\x1b]0;title\\x07\\nentvec: forged: No such file\n"


def test_commands_print_on_stderr_in_one_place() -> None:
    """`note` escapes; whatever prints beside it may forget to."""
    files = Path(cli.__file__).parent.rglob("*.py")
    assert [path.name for path in files if ", err=True" in path.read_text(encoding="utf-8")] == ["trouble.py"]


HOSTILE = "dog\x1b]0;title\x07\t\x9b31m\u202e"


@pytest.mark.parametrize("layout", ["table", "tsv", "json"])
@pytest.mark.parametrize("command", ["hypernyms", "hyponyms", "score", "explain", "common", "group", "place", "audit"])
def test_words_from_outside_are_printed_escaped(tmp_path: Path, command: str, layout: str) -> None:
    words = (HOSTILE, "animal", "cat")
    space = EntailmentSpace.from_vectors(Vectors(words, np.eye(3, dtype=np.float32) - 0.1))
    space.with_calibration(Calibration.platt(scale=1.0, intercept=0.0)).save(tmp_path / "space")
    arguments: dict[str, tuple[str, ...]] = {
        "score": words[:2],
        "explain": words[:2],
        "common": words[1:],
        "group": words,
    }
    room = [] if command in ("hypernyms", "hyponyms", "score", "explain") else ["taxonomy"]
    if command == "audit":
        write(Taxonomy.from_edges([(HOSTILE, "animal"), ("animal", HOSTILE)]), tmp_path / "t.json")
        arguments["audit"] = (str(tmp_path / "t.json"), "--fail-on", "none")
    given = arguments.get(command, words[:1])
    done = CliRunner().invoke(
        app, [*room, command, *given, "--space", str(tmp_path / "space"), "--format", layout], env={"COLUMNS": "300"}
    )
    assert done.exit_code == 0, done.output
    printed = done.stdout.replace("\t", "") if layout == "tsv" else done.stdout
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", printed)
    if (command, layout) != ("explain", "tsv"):  # which has the sources of evidence, and no words
        assert "x1b" in printed or "u001b" in printed
    if layout == "json":
        assert HOSTILE in str(json.loads(done.stdout)) or repr(HOSTILE) in str(json.loads(done.stdout))
