"""Scores to probabilities: rising, between 0 and 1, and nearer to the truth on pairs that were not seen."""

import subprocess
import sys
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.evaluate.metrics import expected_calibration_error
from entvec.learn import Calibration, calibrate
from entvec.learn.calibration import Method
from entvec.theory.elementwise import known

METHODS: tuple[Method, ...] = get_args(Method)
of_either_method = pytest.mark.parametrize("method", METHODS)
few = settings(derandomize=True, deadline=None, max_examples=15)

Simulated = tuple[NDArray[np.float64], NDArray[np.bool_]]
SCORED = st.lists(st.tuples(st.integers(-20, 20), st.booleans()), min_size=2, max_size=12).filter(
    lambda scored: len({label for _, label in scored}) == 2
)


def simulated(seed: int, *, slope: float = 3.0, intercept: float = 1.0, n: int = 3000) -> Simulated:
    """Scores and labels whose probabilities are s(slope * score + intercept)."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    return scores, rng.random(n) < known(slope * scores + intercept)


@of_either_method
@given(SCORED, st.integers(1, 1000).map(lambda unit: unit / 100), st.integers(-50, 50))
@few
def test_probabilities_rise_and_are_between_0_and_1(
    method: Method, scored: list[tuple[int, bool]], unit: float, offset: int
) -> None:
    scores, labels = zip(*scored, strict=True)
    found = calibrate(np.array(scores) * unit + offset, labels, method)
    probabilities = found.probability(np.linspace(-1000, 1000, 501))
    assert np.all(np.diff(probabilities) > -1e-15)  # a rounding error of the sigmoid
    assert probabilities.min() >= 0
    assert probabilities.max() <= 1


@of_either_method
@pytest.mark.parametrize(("slope", "intercept"), [(3.0, 1.0), (0.3, -1.0), (1.0, 2.0)])
def test_probabilities_are_nearer_to_the_truth_on_pairs_that_were_not_seen(
    method: Method, slope: float, intercept: float
) -> None:
    found = calibrate(*simulated(0, slope=slope, intercept=intercept), method)
    scores, labels = simulated(1, slope=slope, intercept=intercept)
    before = expected_calibration_error(known(scores), labels)
    after = expected_calibration_error(found.probability(scores), labels)
    assert before > 0.05
    assert after < 0.04
    assert np.abs(found.probability(scores) - known(slope * scores + intercept)).mean() < 0.04


@of_either_method
@pytest.mark.parametrize(("unit", "offset"), [(1e-3, 0.0), (1.0, -30.0), (1e3, 100.0)])
def test_the_unit_and_the_offset_of_the_scores_do_not_matter(method: Method, unit: float, offset: float) -> None:
    scores, labels = simulated(0, n=200)
    plain = calibrate(scores, labels, method).probability(scores)
    moved = (scores + offset) * unit
    np.testing.assert_allclose(calibrate(moved, labels, method).probability(moved), plain, atol=2e-3)


def test_a_far_offset_does_not_matter_either() -> None:
    scores, labels = simulated(0, n=500)
    found = calibrate(scores + 1e4, labels).probability(scores + 1e4)
    np.testing.assert_allclose(found, calibrate(scores, labels).probability(scores), atol=2e-3)


def test_isotonic_follows_a_curve_that_is_no_sigmoid() -> None:
    def staircase(seed: int) -> Simulated:
        rng = np.random.default_rng(seed)
        scores = rng.uniform(-1, 1, size=3000)
        return scores, rng.random(3000) < np.where(scores < 0, 0.4, np.where(scores < 0.5, 0.5, 0.95))

    scores, labels = staircase(1)
    errors = {
        method: expected_calibration_error(calibrate(*staircase(0), method).probability(scores), labels)
        for method in METHODS
    }
    assert errors["isotonic"] < 0.03
    assert errors["platt"] > 1.5 * errors["isotonic"]


def test_the_sigmoid_that_made_the_labels_is_found() -> None:
    found = calibrate(*simulated(0, n=20_000), "platt")
    assert found.scale == pytest.approx(3.0, abs=0.15)
    assert found.intercept == pytest.approx(1.0, abs=0.1)


def test_a_sigmoid_is_made_of_two_numbers_and_known_by_them() -> None:
    found = Calibration.platt(3.0, 1.0)
    assert (found.method, found.scale, found.intercept) == ("platt", 3.0, 1.0)
    assert found == Calibration.platt(3, 1) != Calibration.platt(3, 2)
    np.testing.assert_array_equal(found.probability([-1.0, 2.0]), known(np.array([-2.0, 7.0])))
    with pytest.raises(InvalidInput, match="the calibration is isotonic, expected platt"):
        _ = calibrate(*simulated(0, n=50), "isotonic").scale


def test_only_fitting_needs_scikit_learn() -> None:
    program = """
import sys
sys.modules["sklearn"] = None
from entvec.errors import MissingExtra
from entvec.learn import Calibration, calibrate
assert Calibration.platt(1.0, 0.0).probability(0.0) == 0.5
try:
    calibrate([0.0, 1.0], [0, 1])
except MissingExtra as error:
    assert "pip install scikit-learn" in str(error)
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603


@of_either_method
@pytest.mark.parametrize("offset", [0.0, -100.0])
def test_scores_that_fall_with_the_labels_do_not_make_a_falling_function(method: Method, offset: float) -> None:
    scores, labels = simulated(0, slope=-2.0, n=500)
    found = calibrate(scores + offset, labels, method).probability(np.linspace(-3, 3, 21) + offset)
    np.testing.assert_allclose(found, found[0])


@pytest.mark.parametrize("offset", [0.0, -100.0])
@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_scores_that_fall_with_the_labels_tell_only_how_many_entail(method: Method, offset: float) -> None:
    scores, labels = simulated(0, slope=-2.0, n=500)
    found = calibrate(scores + offset, labels, method).probability([offset])
    assert found == pytest.approx([labels.mean()], abs=0.02)


@of_either_method
def test_labels_above_0_are_entailments(method: Method) -> None:
    scores, labels = simulated(0, n=200)
    expected = calibrate(scores, labels, method).probability(scores)
    for other in (np.where(labels, 1, -1), labels.astype(int), labels.tolist()):
        np.testing.assert_array_equal(calibrate(scores, other, method).probability(scores), expected)


@of_either_method
def test_its_two_columns_are_all_of_it(method: Method) -> None:
    scores, labels = simulated(0, n=200)
    found = calibrate(scores, labels, method)
    again = Calibration(found.method, found.x, found.y)
    assert again == found
    assert len(found.x) == len(found.y)
    np.testing.assert_array_equal(again.probability(scores), found.probability(scores))


@of_either_method
def test_one_score_or_a_table_of_them_keeps_its_shape(method: Method) -> None:
    scores, labels = simulated(0, n=200)
    found = calibrate(scores, labels, method)
    assert found.probability(0.5).shape == ()
    assert found.probability([]).shape == (0,)
    np.testing.assert_array_equal(found.probability(scores.reshape(2, 100)).ravel(), found.probability(scores))


@pytest.mark.parametrize("score", [1.0, 0.1])  # the spread of six times 0.1 is 1e-17
@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_equal_scores_tell_only_how_many_entail(method: Method, score: float) -> None:
    found = calibrate([score] * 6, [1, 0, 0, 0, 0, 0], method)
    assert found.probability([score]) == pytest.approx([1 / 6], abs=0.02)


def test_platt_is_what_one_gets_unasked() -> None:
    assert calibrate(*simulated(0, n=50)).method == "platt"


@pytest.mark.parametrize(
    ("scores", "labels", "method", "message"),
    [
        ([1.0, 2.0], [0, 1, 1], "platt", r"scores of shape \(2,\) for labels of \(3,\), expected as many finite"),
        ([[1.0, 2.0]], [[0, 1]], "platt", r"scores of shape \(1, 2\) for labels of \(1, 2\), expected as many finite"),
        ([1.0, np.nan], [0, 1], "isotonic", "expected as many finite numbers"),
        ([1.0, -np.inf], [0, 1], "platt", "expected as many finite numbers"),
        ([1.0, 2.0], [1, 1], "platt", "labels of one kind only, expected entailments and others"),
        ([1.0, 2.0], [0, -1], "isotonic", "labels of one kind only, expected entailments and others"),
        ([], [], "platt", "labels of one kind only, expected entailments and others"),
        ([1.0, 2.0], [0, 1], "sigmoid", "method is 'sigmoid', expected isotonic or platt"),
    ],
)
def test_mistakes_are_told(scores: Any, labels: Any, method: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        calibrate(scores, labels, method)
