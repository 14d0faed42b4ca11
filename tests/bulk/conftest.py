"""A space of toys and one of random vectors, tables of pairs of their words, ."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from threadpoolctl import threadpool_limits

from entvec.bulk import placement
from entvec.bundled import toy_world
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORDS = 300
DIMENSIONS = 24


@pytest.fixture(autouse=True)
def one_blas_thread() -> Iterator[None]:
    """As in commands, so that jobs are done in this process and no test waits for others to start."""
    with threadpool_limits(1, user_api="blas"):
        yield


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
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no processes, which take a second, unless a test asks for them."""
    monkeypatch.setattr(placement, "WORTH_PROCESSES", 1000)
