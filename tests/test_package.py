"""Importing is cheap and has no side effects; only what other packages offer is used."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import entvec.bulk
import entvec.space
import entvec.text
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


def test_a_space_does_not_wait_for_what_it_does_not_use() -> None:
    loaded = loaded_by("import entvec; entvec.load().hypernyms('dog')")
    assert not loaded & {"entvec.text.extraction", "entvec.text.http_api", "scipy", "pandas", "sklearn"}


def test_a_job_does_not_wait_for_other_jobs() -> None:
    loaded = loaded_by("from entvec.bulk import score_table")
    assert not loaded & {"entvec.text.extraction", "entvec.bulk.extract_job", "entvec.bulk.neighbours_job"}


@pytest.mark.parametrize("room", [entvec.bulk, entvec.space, entvec.text])
def test_names_that_are_imported_on_first_use_are_found(room: ModuleType) -> None:
    for name in room.__all__:
        assert getattr(room, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'sideways'"):
        room.sideways  # noqa: B018


def test_a_name_that_is_not_there_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sideways'"):
        entvec.theory.sideways  # noqa: B018


PUBLIC = {"os._exit"}
"""Documented, in spite of its name."""
ISOLATED = {"PostgresServer._instances"}
"""No public way is known; the tests of its module say what broke."""


def private_names_of_others(tree: ast.Module) -> set[str]:
    nodes = list(ast.walk(tree))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    imported = {(alias.name, alias.asname) for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(f"{node.module}.{alias.name}", alias.asname or alias.name) for node in froms for alias in node.names}
    others = {name: bound or name.partition(".")[0] for name, bound in imported if not name.startswith("entvec")}
    used = [ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)]
    used = [*others, *(name for name in used if name.partition(".")[0] in others.values())]
    return {name for name in used if re.fullmatch(r"[\w.]+", name) and re.search(r"\b_\w*[^_.](?=\.|$)", name)}


def test_nothing_private_of_other_packages_is_used() -> None:
    sources = sorted(Path(entvec.theory.__file__).parents[1].rglob("*.py"))
    found = {name for path in sources for name in private_names_of_others(ast.parse(path.read_text("utf-8")))}
    assert found <= PUBLIC | ISOLATED


def test_private_names_are_seen() -> None:
    source = "import pickle, a._b\nfrom c import D, _e\npickle._Unpickler(1); D._f.g; D.__name__; self._own"
    assert private_names_of_others(ast.parse(source)) == {"a._b", "c._e", "pickle._Unpickler", "D._f", "D._f.g"}
