"""Single log-odds: exact within a few units in the last place, from 1e-8 to 1e4, without a warning."""

from typing import Any

import array_api_strict
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optional_torch import torch

from entvec.theory import arrays
from entvec.theory.elementwise import known, log_entailed, log_known, log_unknown, unknown

both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_function = pytest.mark.parametrize("function", [known, unknown, log_known, log_unknown])
properties = settings(derandomize=True, deadline=None)
any_log_odds = st.floats(-1e4, 1e4)

LOG_ODDS = [0.0, *(sign * size for size in (1e-8, 0.1, 1, 5, 40, 90, 700, 1e4) for sign in (1, -1))]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def log_sigmoid(x: Any) -> Any:
    return -mpmath.log1p(mpmath.exp(-x))


def assert_within_units(got: Any, truth: Any, units: float, smallest: float) -> None:
    """Relative accuracy down to `smallest`; below that only the size and the sign are certain."""
    if abs(truth) >= smallest:
        assert abs(got - truth) <= units * np.finfo(got.dtype).eps * abs(truth)
    else:
        assert abs(got) <= 1.01 * smallest
        assert got * truth >= 0


@both_dtypes
@pytest.mark.parametrize(
    ("function", "exact"),
    [
        (known, sigmoid),
        (unknown, lambda x: sigmoid(-x)),
        (log_known, log_sigmoid),
        (log_unknown, lambda x: log_sigmoid(-x)),
    ],
    ids=["known", "unknown", "log_known", "log_unknown"],
)
def test_two_units_in_the_last_place(function: Any, exact: Any, dtype: Any) -> None:
    log_odds = np.array(LOG_ODDS, dtype=dtype)
    results = function(log_odds)
    assert np.isfinite(results).all()
    with mpmath.workdps(50):
        for x, result in zip(log_odds.tolist(), results, strict=True):
            assert_within_units(result, exact(mpmath.mpf(x)), 2, float(np.finfo(dtype).smallest_normal))


@both_dtypes
def test_log_entailed_is_exact_down_to_the_root_of_the_smallest_number(dtype: Any) -> None:
    y, x = np.meshgrid(np.array(LOG_ODDS, dtype=dtype), np.array(LOG_ODDS, dtype=dtype))
    results = log_entailed(y, x)
    assert np.isfinite(results).all()
    # e^y and e^-x stop growing there, so that their product is still a number
    smallest = float(np.finfo(dtype).smallest_normal) ** 0.5
    with mpmath.workdps(50):
        for a, b, result in zip(y.ravel().tolist(), x.ravel().tolist(), results.ravel(), strict=True):
            odds = mpmath.exp(a) + mpmath.exp(-b) + mpmath.exp(mpmath.mpf(a) - b)
            assert_within_units(result, -mpmath.log1p(1 / odds), 2, smallest)


@properties
@given(y=any_log_odds, x=any_log_odds)
def test_log_entailed_is_the_log_of_the_products_complement(y: float, x: float) -> None:
    with mpmath.workdps(50):
        truth = -mpmath.log1p(1 / (mpmath.exp(y) + mpmath.exp(-x) + mpmath.exp(mpmath.mpf(y) - x)))
        assert_within_units(log_entailed(np.array(y), np.array(x)), truth, 3, float(np.finfo(float).tiny) ** 0.5)


@properties
@given(y=any_log_odds, x=any_log_odds)
def test_log_entailed_does_not_change_when_both_are_negated_and_swapped(y: float, x: float) -> None:
    forth, back = log_entailed(np.array(y), np.array(x)), log_entailed(np.array(-x), np.array(-y))
    assert forth == pytest.approx(back, rel=1e-14, abs=0)


@properties
@given(x=any_log_odds)
def test_known_and_unknown_are_complements(x: float) -> None:
    values = np.array(x)
    assert known(values) + unknown(values) == pytest.approx(1, rel=1e-15)
    assert known(values) == pytest.approx(unknown(-values), rel=1e-15, abs=0)
    assert log_known(values) == log_unknown(-values)


@properties
@given(x=any_log_odds)
def test_the_two_logarithms_differ_by_the_log_odds(x: float) -> None:
    values = np.array(x)
    assert log_known(values) - log_unknown(values) == pytest.approx(x, rel=1e-14, abs=1e-15)


@every_function
@both_dtypes
def test_long_arrays_give_what_short_ones_do(function: Any, dtype: Any) -> None:
    values = np.random.default_rng(0).normal(size=(3, 500, 40)).astype(dtype)
    assert values.size > arrays.BLOCK
    result = function(values)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, [[function(row) for row in rows] for rows in values])


@every_function
@pytest.mark.parametrize("convert", [array_api_strict.asarray, torch.asarray])
def test_every_library_gives_the_same_answer(function: Any, convert: Any) -> None:
    values = np.array(LOG_ODDS)
    result = function(convert(values))
    assert type(result) is type(convert(values))
    np.testing.assert_allclose(np.from_dlpack(result), function(values), rtol=1e-14, atol=1e-300)
