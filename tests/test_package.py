"""Importing is cheap and has no side effects."""

import subprocess
import sys

import pytest

import entvec.theory


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stderr == ""
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_else() -> None:
    assert not loaded_by("import entvec") & {"numpy", "scipy", "rich", "matplotlib"}


def test_the_operators_do_not_wait_for_scipy() -> None:
    assert not loaded_by("from entvec.theory import backward") & {"scipy", "matplotlib", "torch", "jax"}


def test_the_graph_is_found_where_it_is_documented() -> None:
    for name in entvec.theory.__all__:
        assert getattr(entvec.theory, name) is not None
        assert name in dir(entvec.theory)


def test_a_name_that_is_not_there_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sideways'"):
        entvec.theory.sideways  # noqa: B018
