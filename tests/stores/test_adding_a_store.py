"""A further database is a further row of the table: a store in memory, used like the others."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.bundled import toy_world
from entvec.errors import InvalidInput, StoreError
from entvec.model.model import Side
from entvec.space import EntailmentSpace
from entvec.stores import open_store
from entvec.stores.conditions import Comparison
from entvec.stores.contract import FLAT, Filter, Loading, Manifest, RowBatch, Store, StoredRow, WordRows
from entvec.stores.urls import STORES, StoreKind, expected_urls
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(
    Vectors(WORLD.words, WORLD.log_odds().astype(np.float32)), interpretation="log_odds", specificity=0
)
SPACES: dict[str, "MemoryTables"] = {}


class MemoryTables:
    """The rows of a version, in lists."""

    most: int | None = None

    def __init__(self, manifest: Manifest, name: str) -> None:
        self.manifest = manifest
        self.name = name
        self.batches: list[RowBatch] = []

    def efforts(self, side: Side) -> Sequence[int]:
        return (1,)

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        keys = np.concatenate([batch.keys[side].coordinates for batch in self.batches])
        distances = np.linalg.norm(queries[:, None] - keys[None], axis=2)
        if only is not None and only.rows is not None:
            distances[:, np.setdiff1d(np.arange(len(keys)), only.rows)] = np.inf
        if only is not None and only.condition is not None:
            assert isinstance(only.condition, Comparison)
            assert only.condition.operator == "<"
            column = np.concatenate([batch.columns[only.condition.column] for batch in self.batches])
            distances[:, column >= only.condition.value] = np.inf
        rows = np.argsort(distances, axis=1, kind="stable")[:, :n]
        return np.where(np.isinf(np.take_along_axis(distances, rows, axis=1)), -1, rows)

    def words(self, rows: Rows) -> list[StoredRow]:
        stored = [
            StoredRow(batch.words[i], batch.vectors[i], tuple(batch.keys[side].hubness[i] for side in batch.keys))
            for batch in self.batches
            for i in range(len(batch.words))
        ]
        return [stored[row] for row in rows]

    def find(self, words: Sequence[str], folded: Sequence[str]) -> WordRows:
        rows = [(word, form) for batch in self.batches for word, form in zip(batch.words, batch.folded, strict=True)]
        written = {word: row for row, (word, _) in enumerate(rows) if word in words}
        return WordRows(written, {form: row for row, (_, form) in reversed(list(enumerate(rows))) if form in folded})

    def near(self, folded: str, n: int) -> list[str]:
        return [word for batch in self.batches for word in batch.words if word[:2] == folded[:2]][:n]

    def write(self, batch: RowBatch) -> None:
        self.batches.append(batch)

    def index(self, kind: str) -> None:
        assert kind == FLAT

    def serve(self, description: Mapping[str, Any]) -> None:
        self.manifest = replace(self.manifest, description=description)
        SPACES[self.name] = self


class MemoryStore:
    """Versions in a dict."""

    kinds: Sequence[str] = (FLAT,)
    widest = 1000

    def __init__(self, url: str, name: str) -> None:
        self.where = url
        self.name = name

    def current(self) -> MemoryTables | None:
        return SPACES.get(self.name)

    @contextmanager
    def loading(self, manifest: Manifest) -> Iterator[Loading]:
        yield MemoryTables(manifest, self.name)

    def names(self) -> list[str]:
        return sorted(SPACES)

    def size(self) -> int:
        return 0

    def remove(self) -> None:
        SPACES.pop(self.name, None)

    def close(self) -> None:
        pass


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a database that one row of the table adds."""
    module = ModuleType("memory_store")
    module.open = MemoryStore  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "memory_store", module)
    monkeypatch.setitem(STORES, "memory", StoreKind("memory_store", ("memory:NAME",)))
    SPACES.clear()
    return "memory:words"


def test_a_row_adds_a_store(memory: str) -> None:
    store: Store = open_store(memory, "toys")
    assert store.where == memory
    assert expected_urls().endswith("milvus:FILE.db or memory:NAME")
    with pytest.raises(InvalidInput, match=r"expected postgresql.* or memory:NAME"):
        EntailmentSpace.open("elsewhere://host")


def test_a_space_is_exported_to_it_and_asked_there(memory: str) -> None:
    done = TOYS.export(memory, name="toys", columns={"rank": range(6)})
    assert (done.loaded, min(done.recall.values())) == (True, 1.0)
    assert not TOYS.export(memory, name="toys", columns={"rank": range(6)}).loaded
    with EntailmentSpace.open(memory, "toys") as there:
        for verb in ("hypernyms", "hyponyms"):
            local, stored = (getattr(each, verb)(list(WORLD.words), k=6) for each in (TOYS, there))
            assert [set(each) for each in stored.words] == [set(each) for each in local.words]  # some scores are equal
            np.testing.assert_allclose(stored.scores, local.scores, rtol=1e-6)
        assert there.score("dog", "animal") == TOYS.score("dog", "animal")
        assert there.spelled("DOG") == "dog"
        assert len(there.hypernyms("poodle", where="rank < {most}", values={"most": 2}, exclude_self=False)) == 2
        assert there.hypernyms("poodle", among=["dog"]).words == ["dog"]
    with pytest.raises(StoreError, match="memory:words: no space was exported under the name 'cats'; there are toys"):
        EntailmentSpace.open(memory, "cats")


def test_a_damaged_part_is_named_without_the_temporary_file_that_it_was_read_from(memory: str) -> None:
    TOYS.export(memory, name="toys")
    tables = SPACES["toys"]
    tables.manifest = replace(tables.manifest, parts=dict.fromkeys(tables.manifest.parts, b"qqq"))
    with pytest.raises(
        StoreError, match=r"memory:words: the part 'coordinates-hypo' cannot be read: expected"
    ) as caught:
        EntailmentSpace.open(memory, "toys")
    assert "part.safetensors" not in str(caught.value)
