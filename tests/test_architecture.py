"""docs/architecture.md: the files, names and rooms that it names are there, and a question passes its hops in order."""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import entvec
from entvec.bundled import toy_world
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

ROOT = Path(__file__).parent.parent
SOURCE = Path(entvec.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

FILES = sorted(set(re.findall(r"`([\w/]+\.(?:py|js|json))`", PAGE)))
DOTTED = sorted(
    name for name in set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", PAGE)) if (SOURCE / name.split(".")[0]).is_dir()
)
PLACES = sorted(set(re.findall(r"`([\w.]+)` in `([\w/]+\.py)`", PAGE)))


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def file_of(name: str) -> Path:
    return next(
        (path for folder in (ROOT, SOURCE, SOURCE / "explore" / "page") if (path := folder / name).exists()),
        ROOT / name,
    )


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_there(name: str) -> None:
    assert file_of(name).is_file()


@pytest.mark.parametrize("name", DOTTED)
def test_a_dotted_name_is_there(name: str) -> None:
    module, _, attribute = f"entvec.{name}".rpartition(".")
    owners = [__import__(module, fromlist=[attribute]), EntailmentSpace]  # `space.keys` is that of a space
    assert any(hasattr(owner, attribute) for owner in owners)


@pytest.mark.parametrize(("name", "path"), PLACES)
def test_a_name_is_in_its_file(name: str, path: str) -> None:
    tree = ast.parse(file_of(path).read_text(encoding="utf-8"))
    words = {getattr(node, field, None) for node in ast.walk(tree) for field in ("name", "id", "arg", "attr")}
    assert set(name.split(".")) <= words


def test_the_rooms_are_those_of_the_source() -> None:
    listed = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section("The rooms"), re.MULTILINE))))
    there = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert listed == {name for name in there if not name.startswith("_")}


def test_a_question_passes_the_hops_in_their_order() -> None:
    hops = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \|", section("The way of a question"), re.MULTILINE)
    assert len(hops) <= 12
    world = toy_world()
    space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    calls: list[str] = []

    def note(frame: Any, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            calls.append(path.relative_to(SOURCE).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        space.hypernyms("dog", 3)
    finally:
        sys.setprofile(before)
    later = iter(calls)
    assert [hop for hop in hops if hop in later] == hops


def test_the_first_line_of_every_module_says_what_it_is_for() -> None:
    page = SOURCE / "explore" / "page"
    scripts = [path for path in page.rglob("*.js") if "vendor" not in path.parts]
    assert scripts
    for path in [*SOURCE.rglob("*.py"), *scripts]:
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        said = first.lstrip('r"') if path.suffix == ".py" else first.removeprefix("// ")
        assert said not in ("", first), path
        assert len(said.split()) >= 3, path
