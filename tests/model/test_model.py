"""How vectors are read: the inner product of what they become is the score."""

from typing import Any

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.learn import FittedMap
from entvec.model import model as module
from entvec.model.model import OTHER, Model, choose
from entvec.theory import INTERPRETATIONS, OPERATORS
from entvec.theory.lowrank import WIDEST
from entvec.vectors import Vectors

RANDOM = np.random.default_rng(8)
TABLE = RANDOM.normal(size=(30, 4))
VECTORS = Vectors([f"word{i}" for i in range(30)], TABLE)
PARTS: list[Any] = [RANDOM.normal(size=shape) / 2 for shape in ((4, 3), 3, (4, 3), 3, 5, 5, 5)]


def readings() -> dict[str, Model]:
    read = {
        f"{name} {operator}": choose(VECTORS, operator=operator, interpretation=name)
        for name in INTERPRETATIONS
        for operator in OPERATORS
        if operator != "weighted_cosine"
    }
    learned = {
        f"map {operator} {n}": choose(VECTORS, map=FittedMap(operator, *PARTS[:n]))
        for operator in ("backward", "forward", "factorised", "difference")
        for n in (2, 4, 7)
    }
    return read | learned


READINGS = readings()


@pytest.mark.parametrize("name", READINGS)
def test_a_score_is_one_inner_product(name: str) -> None:
    read = READINGS[name]
    assert read.indexable
    hypo, hyper = read.mapped("hypo", TABLE), read.mapped("hyper", TABLE)
    expected = read.score(np.repeat(TABLE, 30, axis=0), np.tile(TABLE, (30, 1))).reshape(30, 30)
    np.testing.assert_allclose(hypo @ hyper.T, expected, atol=read.error(4) + 1e-9)


@pytest.mark.parametrize("name", READINGS)
def test_low_rank_maps_are_the_ones_that_err(name: str) -> None:
    read = READINGS[name]
    assert (read.error(4) > 0) == ("factorised" in name) == (read.low_rank is not None)
    assert read.error(4) <= module.LARGEST_ERROR


@pytest.mark.parametrize("side", OTHER)
def test_maps_hold_for_all_words_and_for_what_lies_between(side: Any) -> None:
    read = READINGS["log_odds factorised"]
    assert read.in_range(side, TABLE).all()
    assert read.in_range(side, TABLE.astype(np.float32)).all()
    assert read.in_range(side, TABLE[:0]).shape == (0,)
    assert read.in_range(side, TABLE[:1] * 0.5).all()
    low, high = np.full((1, 4), TABLE.min()), np.full((1, 4), TABLE.max())
    assert read.in_range(side, np.vstack([low, high])).all()
    for outside in (low - 0.1, high + 0.1):
        inside = read.in_range(side, np.vstack([TABLE, outside]))
        assert inside[: len(TABLE)].all()
        assert not inside[len(TABLE) :].any()
    assert READINGS["log_odds backward"].in_range(side, TABLE * 1e9).all()


def test_both_sides_of_a_map_count_for_the_range() -> None:
    sides = FittedMap("factorised", np.eye(4), np.full(4, -5.0), np.eye(4), np.full(4, 5.0))
    low_rank = choose(VECTORS, operator="factorised", map=sides).low_rank
    assert low_rank is not None
    assert low_rank.low < TABLE.min() - 5
    assert low_rank.high > TABLE.max() + 5


@pytest.mark.parametrize(("widest", "maps"), [(4.0, True), (8.0, False), (WIDEST, False)])
def test_words_too_far_apart_have_no_maps_that_err_little(widest: float, maps: bool) -> None:
    vectors = Vectors(["low", "high"], [[-widest] * 300, [widest] * 300])
    read = choose(vectors, operator="factorised", interpretation="log_odds")
    assert (read.low_rank is not None) == read.indexable == maps


def test_the_range_is_that_of_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.vectors.vectors.ROW_BYTES_AT_ONCE", 1)
    low_rank = choose(VECTORS, operator="factorised", interpretation="log_odds").low_rank
    assert low_rank == READINGS["log_odds factorised"].low_rank


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0])
def test_words_that_are_all_equal_have_maps(value: float) -> None:
    read = choose(Vectors(["a", "b"], np.full((2, 3), value)), operator="factorised", interpretation="log_odds")
    vector = np.full((1, 3), value)
    product = read.mapped("hypo", vector) @ read.mapped("hyper", vector).T
    assert product.item() == pytest.approx(read.score(vector, vector).item(), abs=module.LARGEST_ERROR)


def test_without_words_there_is_no_range() -> None:
    assert choose(Vectors([], np.empty((0, 3))), operator="factorised").low_rank is None


def test_weighted_cosine_is_no_inner_product() -> None:
    read = choose(VECTORS, operator="weighted_cosine", interpretation="dup")
    assert not read.indexable
    assert read.score(TABLE[:1], TABLE[:1]) == pytest.approx(1.0)


def test_the_kind_of_number_is_kept() -> None:
    for read in READINGS.values():
        assert read.mapped("hypo", TABLE.astype(np.float32)).dtype == np.float32
        assert read.offset("hyper", TABLE.astype(np.float32)).dtype == np.float32


def test_what_cannot_be_read_is_told() -> None:
    with pytest.raises(InvalidInput, match="no operator 'up', expected one of forward, backward, factorised"):
        choose(VECTORS, operator="up", interpretation="dup")
    with pytest.raises(InvalidInput, match="no interpretation 'odds', expected one of log_odds, dup, unk_dup"):
        choose(VECTORS, operator="dot", interpretation="odds")
    with pytest.raises(InvalidInput, match="the map takes vectors of 4 numbers, these have 5"):
        choose(Vectors(*_toy()), map=FittedMap("backward", *PARTS))


def _toy() -> tuple[Any, Any]:
    world = toy_world()
    return world.words, world.log_odds()
