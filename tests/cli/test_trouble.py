"""Errors as the command line tells them."""

import errno
import re
from typing import Any

import pytest

from entvec.cli import app
from entvec.cli.trouble import REMEDIES, message
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
