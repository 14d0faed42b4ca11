"""Docstrings, as the API page and `help()` show them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "entvec"


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name, ast.get_docstring(node) or ""


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_examples_stand_before_the_parameters(path: Path) -> None:
    """After them, they would be taken for parameters."""
    for name, text in docstrings(path):
        _, _, parameters = text.partition("\nParameters\n----------\n")
        section = parameters.partition("\n----")[0]
        assert not any(line.startswith((">>> ", "Example::")) for line in section.splitlines()), name
