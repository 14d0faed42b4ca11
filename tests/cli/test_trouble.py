"""Errors as the command line tells them."""

import errno
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from entvec import cli
from entvec.cli import app
from entvec.cli.trouble import REMEDIES, message, note
from entvec.errors import EntvecError, InvalidInput, Remedy


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
