"""Libraries of others are what they were when they were published, and each is told with its licence."""

import re
from hashlib import sha256
from importlib.resources import files

FOLDER = files("entvec.explore") / "page" / "vendor"
README = "README.txt"


def told() -> dict[str, dict[str, str]]:
    """What the file README tells of each library: a name, and below it a few facts."""
    found: dict[str, dict[str, str]] = {}
    for part in re.split(r"\n(?=\S+\n  )", (FOLDER / README).read_text(encoding="utf-8"))[1:]:
        name, *rows = part.strip().split("\n")
        found[name] = dict(row.split(maxsplit=1) for row in rows)
    return found


def test_each_library_is_unchanged() -> None:
    hashes = {name: facts["sha256"] for name, facts in told().items()}
    assert hashes == {name: sha256((FOLDER / name).read_bytes()).hexdigest() for name in hashes}


def test_each_has_a_version_and_a_licence_that_is_there() -> None:
    for facts in told().values():
        assert re.search(r"\d+\.\d+\.\d+", facts["package"])
        licence = facts["licence"].split()[-1]
        assert "Copyright" in (FOLDER / licence).read_text(encoding="utf-8")


def test_nothing_else_is_there() -> None:
    listed = {*told(), *(facts["licence"].split()[-1] for facts in told().values()), README}
    assert {entry.name for entry in FOLDER.iterdir()} == listed
