"""The fingerprint of a space changes with everything that decides its answers, and with nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.bundled import default_map, google_news
from entvec.learn.fitted import FittedMap
from entvec.model.fingerprint import fingerprint
from entvec.search import key_table
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors
from entvec.vectors.words import Words

N = 20_000
RNG = np.random.default_rng(0)
WORDS = [f"word_{i}" for i in range(N)]
MATRIX = RNG.normal(size=(N, 4)).astype(np.float32)
MAP = FittedMap("backward", RNG.normal(size=(4, 4)), np.zeros(4))
SPACE = EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=MAP)


def changed(array: Any, row: int) -> Any:
    other = array.copy()
    other[row] += 1
    return other


@pytest.mark.parametrize("row", [0, 1, 7_777, N - 1])
def test_one_vector_of_many_counts(row: int) -> None:
    other = EntailmentSpace.from_vectors(Vectors(WORDS, changed(MATRIX, row)), map=MAP)
    assert other.fingerprint != SPACE.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        EntailmentSpace.from_vectors(Vectors([*WORDS[:-1], "other"], MATRIX), map=MAP),
        EntailmentSpace.from_vectors(Vectors(WORDS[:-1], MATRIX[:-1]), map=MAP),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=replace(MAP, hypo_bias=changed(MAP.hypo_bias, 3))),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=replace(MAP, hypo_offset=np.ones(5))),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=replace(MAP, scale=2.0)),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=MAP, specificity=0.1),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), map=MAP, dtype="float16"),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX)),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), operator="forward"),
        EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX), interpretation="dup"),
    ],
    ids=["word", "fewer", "map", "offset", "scale", "specificity", "dtype", "unmapped", "operator", "interpretation"],
)
def test_every_part_counts(other: EntailmentSpace) -> None:
    assert other.fingerprint != SPACE.fingerprint


def test_a_saved_space_has_the_fingerprint_that_it_had(tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    assert EntailmentSpace.load(tmp_path / "space").fingerprint == SPACE.fingerprint


def test_a_fingerprint_is_computed_once_unless_vectors_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def note(*parts: Any) -> str:
        hashed.append(len(parts[1]))
        return fingerprint(*parts)

    monkeypatch.setattr(key_table, "fingerprint", note)
    frozen = EntailmentSpace.from_vectors(google_news(), map=default_map())
    assert frozen.fingerprint == frozen.fingerprint
    assert len(hashed) == 1
    matrix = np.random.default_rng(0).normal(size=(5, 3))
    space = EntailmentSpace.from_vectors(Vectors.of_stored(Words.of(list("abcde")), matrix, "float64"))
    before = space.fingerprint
    matrix[4, 2] += 1e-9
    assert space.fingerprint != before
