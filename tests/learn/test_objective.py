"""The loss that maps are fitted to: its scores are the operators', its gradient is that of its scores."""

import numpy as np
import pytest

from entvec.learn import objective
from entvec.learn.objective import LEARNABLE, Floats, Pairs, scores
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

    def total(z: Floats) -> float:
        return float(weights @ scores(operator, z, PAIRS)[0])

    step = 1e-6
    expected = np.zeros_like(Z)
    for at in np.ndindex(*Z.shape):
        nudge = np.zeros_like(Z)
        nudge[at] = step
        expected[at] = (total(Z + nudge) - total(Z - nudge)) / (2 * step)
    np.testing.assert_allclose(back(weights), expected, atol=1e-7)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_extreme_log_odds_stay_finite(operator: str) -> None:
    z = np.array([[1e4, -1e4], [-1e4, 1e4], [0.0, 1e4]])
    pairs = Pairs(np.array([0, 1, 2]), np.array([1, 0, 0]), 3)
    found, back = scores(operator, z, pairs)
    assert np.isfinite(found).all()
    assert np.isfinite(back(np.ones(3))).all()
