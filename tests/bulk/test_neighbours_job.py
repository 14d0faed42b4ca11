"""The neighbours of every word are those that the space finds for each."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
neighbours = partial(bulk.neighbours, partition_size=32)


def test_a_poodle_entails_what_a_dog_does(toys: EntailmentSpace, tmp_path: Path) -> None:
    neighbours(toys, tmp_path / "up.parquet", "up", k=3, specificity=0)
    found = [row for row in pq.read_table(tmp_path / "up.parquet").to_pylist() if row["word"] == "poodle"]
    assert [(row["rank"], row["neighbour"]) for row in found] == [(1, "unk"), (2, "animal"), (3, "dog")]
    assert list(found[0]) == ["word", "rank", "neighbour", "score"]


@pytest.mark.parametrize("specificity", [None, 0.0, 0.5])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_all_words_have_the_answers_of_a_search(
    space: EntailmentSpace, tmp_path: Path, direction: str, specificity: float | None
) -> None:
    done = neighbours(space, tmp_path / "all.parquet", direction, k=7, specificity=specificity)
    search = space.hypernyms if direction == "up" else space.hyponyms
    expected = search(list(space.vocabulary.words), k=7, specificity=specificity)
    found = pq.read_table(tmp_path / "all.parquet")
    assert found["neighbour"].to_pylist() == [word for words in expected.words for word in words]
    assert found["word"].to_pylist() == [word for word in space.vocabulary.words for _ in range(7)]
    assert found["rank"].to_pylist() == list(range(1, 8)) * len(space)
    np.testing.assert_allclose(found["score"].to_numpy(), expected.scores.ravel(), rtol=1e-12)
    np.testing.assert_allclose(found["probability"].to_numpy(), expected.probabilities.ravel(), rtol=1e-12)
    assert done.rows == 7 * len(space)


@pytest.mark.parametrize("operator", ["factorised", "weighted_cosine"])
def test_operators_without_exact_maps_are_searched_too(space: EntailmentSpace, tmp_path: Path, operator: str) -> None:
    other = EntailmentSpace.from_vectors(space.vectors, interpretation="unk_dup", operator=operator)
    neighbours(other, tmp_path / "up.parquet", k=3)
    expected = other.hypernyms(list(space.vocabulary.words), k=3)
    found = pq.read_table(tmp_path / "up.parquet")
    assert found["neighbour"].to_pylist() == [word for words in expected.words for word in words]


def test_words_are_read_as_strings(toys: EntailmentSpace, tmp_path: Path) -> None:
    neighbours(toys, tmp_path / "up.parquet")
    schema = pq.read_schema(tmp_path / "up.parquet")
    assert [schema.field(name).type for name in ("word", "neighbour")] == [pa.string()] * 2


def test_a_small_vocabulary_has_fewer_rows_than_wanted(toys: EntailmentSpace, tmp_path: Path) -> None:
    done = neighbours(toys, tmp_path / "up.parquet", k=100)
    assert done.rows == len(toys) * (len(toys) - 1)


def test_no_neighbours_are_a_file_without_rows(toys: EntailmentSpace, tmp_path: Path) -> None:
    assert neighbours(toys, tmp_path / "up.parquet", k=0).rows == 0
    assert pq.read_table(tmp_path / "up.parquet").num_rows == 0


def test_a_device_finds_the_same(saved: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    neighbours(saved, tmp_path / "a.parquet", k=5)
    neighbours(saved, tmp_path / "b.parquet", k=5, device="cpu")
    expected, found = (pq.read_table(tmp_path / name) for name in ("a.parquet", "b.parquet"))
    assert found.select(["word", "rank", "neighbour"]).equals(expected.select(["word", "rank", "neighbour"]))
    np.testing.assert_allclose(found["score"].to_numpy(), expected["score"].to_numpy(), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"direction": "left"}, "direction is 'left', expected up"),
        ({"k": -1}, "k is -1, expected a whole number"),
        ({"specificity": float("nan")}, "specificity"),
        ({"processes": 2, "device": "cpu"}, "a device is used by one process"),
        ({"cluster": "tcp://127.0.0.1:1", "device": "cpu"}, "a device is used by one process"),
    ],
)
def test_what_makes_no_sense_is_refused(
    toys: EntailmentSpace, tmp_path: Path, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        neighbours(toys, tmp_path / "up.parquet", **options)
    assert list(tmp_path.iterdir()) == []
