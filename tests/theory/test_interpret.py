"""Word vectors read as log-odds that features are known."""

from typing import Any

import array_api_strict
import mpmath
import numpy as np
import pytest
from optional_torch import torch

from entvec.errors import InvalidInput, NotLogOdds
from entvec.theory import interpret
from entvec.theory.interpret import INTERPRETATIONS, SHIFT, dup, known, log_odds, unk_dup, unknown_mass

every_interpretation = pytest.mark.parametrize("name", INTERPRETATIONS)
V = np.array([[2.0, -0.5], [0.0, 7.0]])


def test_log_odds_takes_the_vector_as_it_is() -> None:
    np.testing.assert_array_equal(log_odds(V), V)


def test_dup_says_known_to_be_true_then_known_to_be_false() -> None:
    np.testing.assert_array_equal(dup(V), [[2.0, -0.5, -2.0, 0.5], [0.0, 7.0, 0.0, -7.0]])


def test_unk_dup_takes_the_papers_shift_off_both_copies() -> None:
    assert SHIFT == 1
    np.testing.assert_array_equal(unk_dup(V), [[1.0, -1.5, -3.0, -0.5], [-1.0, 6.0, -1.0, -8.0]])


def test_unk_dup_takes_another_shift() -> None:
    np.testing.assert_array_equal(unk_dup(V, shift=0.5), dup(V) - 0.5)
    np.testing.assert_array_equal(unk_dup(V, shift=0), dup(V))


@every_interpretation
def test_copies_say_what_the_interpretation_does(name: str) -> None:
    copies = [sign * V - shifted * SHIFT for sign, shifted in INTERPRETATIONS[name].copies]
    np.testing.assert_array_equal(INTERPRETATIONS[name](V), np.concatenate(copies, axis=-1))


@every_interpretation
@pytest.mark.parametrize("convert", [array_api_strict.asarray, torch.asarray])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_library_and_dtype_is_kept(name: str, convert: Any, dtype: Any) -> None:
    values = convert(V.astype(dtype))
    result = INTERPRETATIONS[name](values)
    assert result.dtype == values.dtype
    np.testing.assert_array_equal(np.from_dlpack(result), INTERPRETATIONS[name](V))


def test_known_is_the_sigmoid() -> None:
    np.testing.assert_allclose(known(V), 1 / (1 + np.exp(-V)), rtol=1e-15)


@pytest.mark.parametrize("shift", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("v", [0.0, 0.5, -0.5, 3.0, 20.0, -50.0, 50.0, 1e4])
def test_unknown_mass_keeps_its_digits_far_from_zero(v: float, shift: float) -> None:
    got = float(unknown_mass(np.array([v]), shift=shift)[0])
    with mpmath.workdps(60):
        a, b = mpmath.mpf(v) - shift, -mpmath.mpf(v) - shift
        # 1 - s(a) - s(b), brought to one fraction: at v = 1e4 no number of digits would survive the difference
        truth = (1 - mpmath.exp(a + b)) / ((1 + mpmath.exp(a)) * (1 + mpmath.exp(b)))
    # exp turns the rounding of its argument, of size |v|, into relative error
    assert abs(got - truth) <= (8 + abs(v)) * np.finfo(float).eps * truth + np.finfo(float).smallest_normal


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 3.0])
def test_true_false_and_unknown_share_all_probability(shift: float) -> None:
    v = np.linspace(-30, 30, 61)
    is_true, is_false = np.split(known(unk_dup(v, shift=shift)), 2)
    np.testing.assert_allclose(is_true + is_false + unknown_mass(v, shift=shift), 1, rtol=1e-14)


def test_unknown_mass_has_the_papers_shift_by_default() -> None:
    np.testing.assert_array_equal(unknown_mass(V), unknown_mass(V, shift=1.0))


def test_without_a_shift_nothing_is_unknown() -> None:
    np.testing.assert_array_equal(unknown_mass(V, shift=0), np.zeros_like(V))


def test_a_large_shift_leaves_everything_unknown() -> None:
    np.testing.assert_allclose(unknown_mass(V, shift=1000.0), 1, rtol=1e-12)


@pytest.mark.parametrize("function", [unk_dup, unknown_mass])
@pytest.mark.parametrize("shift", [-0.5, np.nan, np.inf])
def test_a_shift_that_leaves_no_probability_is_refused(function: Any, shift: float) -> None:
    with pytest.raises(InvalidInput, match=rf"shift is {shift}, expected 0 \(nothing is unknown, as in dup\) or more"):
        function(V, shift=shift)


@pytest.mark.parametrize("function", [log_odds, dup, unk_dup, unknown_mass])
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (np.array([0.5, np.nan]), InvalidInput, "v holds 1 NaN or infinite values among 2"),
        (np.array([1, 2]), NotLogOdds, "v holds int64"),
        ([0.5, 1.0], NotLogOdds, "got builtins.list"),
        (np.array(0.5), InvalidInput, "v is a single number"),
    ],
    ids=["NaN", "integers", "list", "number"],
)
def test_bad_vectors_are_refused(function: Any, bad: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        function(bad)


def test_known_calls_log_odds_x() -> None:
    with pytest.raises(InvalidInput, match="x holds 1 NaN"):
        interpret.known(np.array([np.nan]))
