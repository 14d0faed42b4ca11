"""Console blocks of the README and of the pages that people follow step by step: commands print what is shown there.

`$ cat FILE` shows a file, which is written if it is not there. A line `...` stands for any lines. Numbers may differ a
little: they are fitted again now and then, and the pages show what they mean rather than their last digits.
"""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from entvec.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d+")
"""A number with decimals; counts and names have to be the same."""


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a page, with the lines that are shown below it."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            while command.endswith("\\"):  # continued on the next line
                command = command[:-1] + shown.pop(0)
            yield command, shown


def same(shown: str, printed: str) -> bool:
    """Whether two lines are equal but for small differences of their numbers."""
    one, other = (" ".join(NUMBER.sub("#", line).split()) for line in (shown, printed))
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=False)
    return one == other and all(abs(float(a) - float(b)) <= max(0.15, abs(float(b)) / 5) for a, b in pairs)


def first_difference(shown: list[str], printed: list[str]) -> str | None:
    """The first line that is shown and was not printed in this place; None if there is none."""
    rest = [line for line in printed if line.strip()]
    anywhere = False
    for line in filter(str.strip, shown):
        if line.strip() == "...":
            anywhere = True
            continue
        found = next((i for i, each in enumerate(rest) if same(line, each)), None)
        if found is None or (found and not anywhere):
            return line
        rest, anywhere = rest[found + 1 :], False
    return None if anywhere or not rest else f"(printed, and not shown: {rest[0]})"


def run(command: str) -> list[str]:
    """Run a command of entvec, which may have < FILE or > FILE at its end; return the lines of both streams."""
    program, *arguments = shlex.split(command)
    assert program == "entvec", command
    target = source = None
    while len(arguments) > 2 and arguments[-2] in "<>":
        sign, name = arguments[-2:]
        source, target = (name, target) if sign == "<" else (source, name)
        arguments = arguments[:-2]
    typed = None if source is None else Path(source).read_text(encoding="utf-8")
    told = CliRunner().invoke(app, arguments, input=typed, env={"COLUMNS": "80", "TERM": "dumb"})
    if target is not None:
        Path(target).write_text(told.stdout, encoding="utf-8")
        return told.stderr.splitlines()
    return told.output.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    if not BLOCK.search(text):
        pytest.skip("no commands on this page")
    monkeypatch.chdir(tmp_path)
    for command, shown in commands(text):
        if command.startswith("cat "):
            file = Path(command.removeprefix("cat "))
            if file.exists():
                assert first_difference(shown, file.read_text(encoding="utf-8").splitlines()) is None, command
            file.write_text("\n".join([*shown, ""]), encoding="utf-8")
            continue
        printed = run(command)
        difference = first_difference(shown, printed)
        assert difference is None, f"{command}\n{difference}\n-- printed:\n" + os.linesep.join(printed)


def test_a_page_that_shows_something_else_is_noticed() -> None:
    printed = ["dog is a kind of", "  animal 0.95", "  pet 0.80"]
    assert first_difference(["dog is a kind of", "  animal  0.91", "..."], printed) is None
    assert first_difference(["...", "pet 0.8"], printed) is None
    assert first_difference(["dog is a kind of", "pet 0.80"], printed) == "pet 0.80"
    assert first_difference(["dog is a kind of", "animal 0.55", "..."], printed) == "animal 0.55"
    assert first_difference(["dog is a kind of"], printed) == "(printed, and not shown:   animal 0.95)"
