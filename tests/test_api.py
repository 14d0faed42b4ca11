"""The API page lists exactly what the rooms declare as public."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")


def listed(room: str) -> dict[str, set[str]]:
    """Each module of a room on the page, and the names that are listed; those of its `__all__` if none are."""
    found = re.findall(rf"automodule:: entvec\.{room}\.(\w+)\n   :members:(.*)", PAGE)
    return {
        module: set(filter(None, re.split(r"[,\s]+", names))) or set(import_module(f"entvec.{room}.{module}").__all__)
        for module, names in found
    }


def test_bundled() -> None:
    assert set.union(*listed("bundled").values()) == set(import_module("entvec.bundled").__all__)


def test_evaluate() -> None:
    assert set(listed("evaluate")) == set(import_module("entvec.evaluate").__all__)


@pytest.mark.parametrize("module", sorted(listed("evaluate")))
def test_a_public_name_is_there_and_documented(module: str) -> None:
    for name in listed("evaluate")[module]:
        member = getattr(import_module(f"entvec.evaluate.{module}"), name)
        assert not callable(member) or member.__doc__
