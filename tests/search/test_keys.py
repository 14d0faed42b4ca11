"""The key table: each row is the key of its word, for any number of blocks and threads."""

from typing import Any

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.learn import FittedMap
from entvec.model.model import OTHER
from entvec.search import key_table
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

RANDOM = np.random.default_rng(8)
TABLE = RANDOM.normal(size=(50, 4))
VECTORS = Vectors([f"word{i}" for i in range(50)], TABLE)
PARTS: list[Any] = [RANDOM.normal(size=shape) / 2 for shape in ((4, 3), 3, (4, 3), 3, 5, 5, 5)]
OPTIONS: dict[str, dict[str, Any]] = {
    "interpretation": {},
    "low rank": {"operator": "factorised"},
    "map": {"map": FittedMap("backward", *PARTS[:2])},
    "generality": {"map": FittedMap("backward", *PARTS)},
}


def space(name: str = "interpretation", **options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(VECTORS, **OPTIONS[name], **options)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("side", OTHER)
def test_a_key_is_the_mapped_word_and_its_hubness(name: str, side: Any) -> None:
    example = space(name)
    keys = example.keys[side]
    decoded = keys.decoded(slice(None))
    assert decoded.shape == (50, example.keys.width(side))
    np.testing.assert_allclose(decoded[:, :-1], example.model.mapped(side, TABLE), atol=1e-5)
    np.testing.assert_allclose(decoded[:, -1], example.keys.hubness.of(side, TABLE), atol=1e-5)
    np.testing.assert_array_equal(keys.hubness(np.array([4, 2])), decoded[[4, 2], -1].astype(np.float64))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("side", OTHER)
def test_no_key_is_longer_than_the_longest(dtype: str, side: Any) -> None:
    keys = space(dtype=dtype).keys[side]
    assert keys.dtype == dtype
    lengths = np.linalg.norm(keys.decoded(slice(None)).astype(np.float64), axis=1)
    assert 0.95 * keys.longest <= lengths.max() <= keys.longest


@pytest.mark.parametrize("name", OPTIONS)
def test_blocks_make_no_difference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = space(name).keys["hyper"]
    monkeypatch.setattr(key_table, "WORDS", 7)
    monkeypatch.setenv("ENTVEC_THREADS", "3")
    parts = space(name).keys["hyper"]
    np.testing.assert_allclose(parts.stored, whole.stored, rtol=1e-5, atol=1e-6)
    assert parts.longest == pytest.approx(whole.longest)


@pytest.mark.parametrize("name", ["interpretation", "low rank", "map"])
@pytest.mark.parametrize("side", OTHER)
def test_hubness_is_the_mean_score_with_all_words_beside_the_average(name: str, side: Any) -> None:
    example = space(name)
    every = example.model.score(np.repeat(TABLE, 50, axis=0), np.tile(TABLE, (50, 1))).reshape(50, 50)
    means = every.mean(axis=0 if side == "hyper" else 1)
    error = example.model.error(4)
    np.testing.assert_allclose(example.keys.hubness.of(side, TABLE), means - means.mean(), atol=2 * error + 1e-9)


def test_a_vocabulary_of_no_words_has_no_keys() -> None:
    keys = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 4)))).keys["hyper"]
    assert keys.stored.shape == (0, 2 * 4 + 3)
    assert keys.longest == 0


def test_keys_that_do_not_fit_in_the_dtype_are_refused() -> None:
    far = Vectors(["a", "b"], [[1e5], [1.0]])
    example = EntailmentSpace.from_vectors(far, interpretation="log_odds", operator="dot", dtype="float16")
    with pytest.raises(InvalidInput, match="float16 cannot store"):
        example.hypernyms("b")
