"""Libraries and typefaces of others are the files that are described, and each is listed with its licence."""

import re
from hashlib import sha256
from importlib.resources import files

import pytest

PAGE = files("entvec.explore") / "page"
README = "README.txt"
FOLDERS = pytest.mark.parametrize("name", ["vendor", "fonts"])


def listed(folder: str) -> dict[str, dict[str, str]]:
    """What the file README lists: a file name, and below it a few facts."""
    found: dict[str, dict[str, str]] = {}
    text = (PAGE / folder / README).read_text(encoding="utf-8")
    for part in re.split(r"\n(?=\S+\n  )", text)[1:]:
        name, *rows = part.strip().split("\n")
        found[name] = dict(row.split(maxsplit=1) for row in rows)
    return found


@FOLDERS
def test_each_file_is_the_one_that_is_described(name: str) -> None:
    hashes = {each: facts["sha256"] for each, facts in listed(name).items()}
    assert hashes == {each: sha256((PAGE / name / each).read_bytes()).hexdigest() for each in hashes}


@FOLDERS
def test_each_has_a_version_and_a_licence_that_is_there(name: str) -> None:
    for facts in listed(name).values():
        assert re.search(r"\d+\.\d+\.\d+", facts["package"])
        licence = facts["licence"].split()[-1]
        assert "Copyright" in (PAGE / name / licence).read_text(encoding="utf-8")


@FOLDERS
def test_nothing_else_is_there(name: str) -> None:
    found = listed(name)
    names = {*found, *(facts["licence"].split()[-1] for facts in found.values()), README}
    assert {entry.name for entry in (PAGE / name).iterdir()} == names


def test_the_typeface_earns_its_bytes() -> None:
    content = (PAGE / "fonts" / "besley.woff2").read_bytes()
    assert content[:4] == b"wOF2"
    assert len(content) < 30_000
