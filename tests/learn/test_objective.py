"""The loss that maps are fitted to: its scores are the operators', its gradient is that of its scores."""

from typing import Any

import numpy as np
import pytest

from entvec.array_types import AnyFloats
from entvec.learn import objective
from entvec.learn.objective import LEARNABLE, Pairs, scores
from entvec.theory import OPERATORS

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(7, 4)) * 3
PAIRS = Pairs(np.array([0, 1, 2, 2, 5, 0]), np.array([1, 0, 3, 3, 6, 0]), len(Z))


@pytest.fixture(params=[1, 1 << 20], ids=["block by block", "at once"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objective, "NUMBERS_AT_ONCE", request.param)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_scores_are_those_of_the_table_of_operators(operator: str, blocks: None) -> None:
    found, _ = scores(operator, Z, PAIRS)
    np.testing.assert_allclose(found, OPERATORS[operator].score(Z[PAIRS.hypo], Z[PAIRS.hyper]), rtol=1e-12)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_the_way_back_is_the_derivative(operator: str, blocks: None) -> None:
    weights = RNG.normal(size=len(PAIRS.hypo))
    _, back = scores(operator, Z, PAIRS)

    def total(z: AnyFloats) -> float:
        return float(weights @ scores(operator, z, PAIRS)[0])

    step = 1e-6
    expected = np.zeros_like(Z)
    for at in np.ndindex(*Z.shape):
        nudge = np.zeros_like(Z)
        nudge[at] = step
        expected[at] = (total(Z + nudge) - total(Z - nudge)) / (2 * step)
    np.testing.assert_allclose(back(weights), expected, atol=1e-7)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_float32_gives_nearly_the_gradient_of_float64(operator: str, blocks: None) -> None:
    weights = np.random.default_rng(1).normal(size=len(PAIRS.hypo))
    found, back = scores(operator, Z.astype(np.float32), PAIRS)
    expected, expected_back = scores(operator, Z, PAIRS)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(back(weights), expected_back(weights), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("operator", LEARNABLE)
def test_the_gradient_has_the_precision_of_the_log_odds(operator: str, dtype: type[Any], blocks: None) -> None:
    _, back = scores(operator, Z.astype(dtype), PAIRS)
    by_z = back(np.ones(len(PAIRS.hypo)))
    assert by_z.dtype == dtype
    assert by_z.shape == Z.shape


@pytest.mark.parametrize("operator", LEARNABLE)
def test_scores_are_float64_whatever_the_log_odds(operator: str) -> None:
    assert scores(operator, Z.astype(np.float32), PAIRS)[0].dtype == np.float64


@pytest.mark.parametrize("operator", LEARNABLE)
def test_words_without_pairs_have_no_gradient(operator: str, blocks: None) -> None:
    _, back = scores(operator, Z, PAIRS)
    by_z = back(np.ones(len(PAIRS.hypo)))
    np.testing.assert_array_equal(by_z[4], 0)
    assert np.abs(by_z[[2, 3, 5, 6]]).max(axis=1).min() > 0


@pytest.mark.parametrize("operator", LEARNABLE)
def test_pairs_that_are_there_twice_count_twice(operator: str, blocks: None) -> None:
    twice = Pairs(np.tile(PAIRS.hypo, 2), np.tile(PAIRS.hyper, 2), PAIRS.n_words)
    weights = np.random.default_rng(1).normal(size=len(PAIRS.hypo))
    once = scores(operator, Z, PAIRS)[1](weights)
    np.testing.assert_allclose(scores(operator, Z, twice)[1](np.tile(weights, 2)), 2 * once, atol=1e-12)


EXTREME = np.array([[1e4, -1e4], [-1e4, 1e4], [0.0, 1e4]])
EXTREME_PAIRS = Pairs(np.array([0, 1, 2]), np.array([1, 0, 0]), 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("operator", LEARNABLE)
def test_extreme_log_odds_stay_finite(operator: str, dtype: type[Any]) -> None:
    found, back = scores(operator, EXTREME.astype(dtype), EXTREME_PAIRS)
    assert np.isfinite(found).all()
    assert np.isfinite(back(np.ones(3))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_large_weight_of_extreme_log_odds_stays_finite(dtype: type[Any]) -> None:
    _, back = scores("factorised", EXTREME.astype(dtype), EXTREME_PAIRS)
    np.testing.assert_allclose(back(np.full(3, 100.0)), 100 * back(np.ones(3)), rtol=1e-5)
