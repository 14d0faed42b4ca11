"""Which files pytest does not collect doctests from, and the folder in which doctests of `src` write files."""

from importlib.util import find_spec
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"


@pytest.fixture(autouse=True)
def own_folder(request: pytest.FixtureRequest) -> None:
    """Run each doctest of `src` in an empty folder, so that examples can write files."""
    if request.path.is_relative_to(SOURCE):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


collect_ignore = ["docs/conf.py", "docs/_build"]
if find_spec("triton") is None:  # PyTorch brings it along where there may be a GPU
    collect_ignore.append("src/entvec/search/device/kernel.py")
if find_spec("spacy") is None:
    collect_ignore += ["src/entvec/spacy_pipe.py", "docs/how-to/spacy.md"]
for _database, _packages in {"postgres": ("psycopg", "pgvector"), "milvus": ("pymilvus",)}.items():
    if any(find_spec(package) is None for package in _packages):  # each database imports its packages at once
        collect_ignore += [f"src/entvec/stores/{_database}", f"tests/stores/test_{_database}.py"]
