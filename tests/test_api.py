"""The API page lists exactly what the rooms declare as public."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
ROOMS = ["bundled", "bulk", "evidence", "explore", "graphs", "learn", "model", "pairs", "search", "space", "stores"]
ROOMS += ["text", "vectors"]


def listed(room: str) -> dict[str, set[str]]:
    """Each module of a room on the page, and the names that are listed; those of its `__all__` if none are."""
    found = re.findall(rf"automodule:: (entvec\.{room}(?:\.\w+)?)\n   :members:(.*)", PAGE)
    return {
        module: set(filter(None, re.split(r"[,\s]+", names))) or set(import_module(module).__all__)
        for module, names in found
    }


@pytest.mark.parametrize("room", ROOMS)
def test_the_page_lists_what_a_room_declares(room: str) -> None:
    assert set.union(*listed(room).values()) == set(import_module(f"entvec.{room}").__all__)


def test_taxonomy_has_the_names_of_graphs_too() -> None:
    names = set.union(*listed("taxonomy").values()) | set(import_module("entvec.graphs").__all__)
    assert names == set(import_module("entvec.taxonomy").__all__)


def test_theory_is_on_the_page() -> None:
    modules = [import_module(module) for module in re.findall(r"automodule:: (entvec\.theory\.\w+)", PAGE)]
    for name in import_module("entvec.theory").__all__:
        assert any(hasattr(module, name) for module in modules), name


def test_the_modules_of_evaluate_are_on_the_page() -> None:
    assert {name.rpartition(".")[2] for name in listed("evaluate")} == set(import_module("entvec.evaluate").__all__)


@pytest.mark.parametrize("module", sorted(listed("evaluate")))
def test_a_public_name_is_there_and_documented(module: str) -> None:
    for name in listed("evaluate")[module]:
        member = getattr(import_module(module), name)
        assert not callable(member) or member.__doc__
