"""A space of toys and one of random vectors, tables of pairs of their words, and jobs of small blocks."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec.bulk import neighbouring, tables, where
from entvec.bundled import toy_world
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORDS = 300
DIMENSIONS = 24


@pytest.fixture(scope="session")
def toys() -> EntailmentSpace:
    """Whose answers can be checked by eye."""
    world = toy_world()
    return EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")


@pytest.fixture(scope="session")
def space() -> EntailmentSpace:
    """With a learned map, whose products are rounded in as many ways as there are ways to make them, and calibrated."""
    rng = np.random.default_rng(0)
    vectors = Vectors([f"word_{i}" for i in range(WORDS)], rng.normal(size=(WORDS, DIMENSIONS)).astype(np.float32))
    weights = rng.normal(size=(2, DIMENSIONS, DIMENSIONS)) / 3
    bias = rng.normal(size=(2, DIMENSIONS))
    learned = FittedMap("backward", weights[0], bias[0], weights[1], bias[1], scale=0.3, intercept=1.0)
    return EntailmentSpace.from_vectors(vectors, map=learned)


@pytest.fixture(scope="session")
def saved(space: EntailmentSpace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same space in a folder, with keys."""
    path = tmp_path_factory.mktemp("saved") / "space"
    for side in ("hyper", "hypo"):
        space.keys[side]
    space.save(path)
    return path


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of a thousand pairs, of which some have a word without a vector."""
    rng = np.random.default_rng(1)
    hypo, hyper = (pa.array([f"word_{i}" for i in rng.integers(WORDS + 3, size=1000)]) for _ in range(2))
    path = tmp_path_factory.mktemp("pairs") / "pairs.parquet"
    pq.write_table(pa.table({"n": range(1000), "hypo": hypo, "hyper": hyper}), path)
    return path


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten blocks where there would be one."""
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(tables, "TEXT_AT_ONCE", 2000)
    monkeypatch.setattr(neighbouring, "WORDS_AT_ONCE", 32)
    monkeypatch.setattr(where, "WORTH_PROCESSES", 1000)  # which take a second to start
