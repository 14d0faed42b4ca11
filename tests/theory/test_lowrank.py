"""Maps for the factorised operator: the error bound holds everywhere, and is not much more than the error."""

import itertools
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optional_torch import torch

from entvec.errors import InvalidInput, NotLogOdds
from entvec.theory import arrays
from entvec.theory.elementwise import log_entailed
from entvec.theory.lowrank import LowRankMaps
from entvec.theory.operators import factorised

CASES = [
    LowRankMaps(-1.0, 1.0, 3),
    LowRankMaps(-2.0, 2.0, 1),
    LowRankMaps(-2.0, 2.0, 4),
    LowRankMaps(-4.0, 4.0, 6),
    LowRankMaps(-1.0, 5.0, 4),
    LowRankMaps(-9.0, -2.0, 3),
    LowRankMaps(0.0, 0.5, 2),
    LowRankMaps(-16.0, 16.0, 8),
]
every_case = pytest.mark.parametrize("maps", CASES, ids=str)
unit_interval = st.floats(0, 1)


def error_between(maps: LowRankMaps, y: Any, x: Any) -> Any:
    """The error for each y with each x: single numbers, so each is a vector of one feature."""
    return np.abs(maps.query(y[:, None]) @ maps.key(x[:, None]).T - log_entailed(y[:, None], x))


def largest_error(maps: LowRankMaps) -> float:
    # The points of a polynomial of degree 400: dense towards the corners, which are among them.
    points = (maps.low + maps.high) / 2 - (maps.high - maps.low) / 2 * np.cos(np.linspace(0, np.pi, 401))
    points = np.clip(points, maps.low, maps.high)
    assert points[0] == maps.low
    assert points[-1] == maps.high
    return float(error_between(maps, points, points).max())


@every_case
def test_bound_is_above_the_largest_error_but_hardly(maps: LowRankMaps) -> None:
    largest = largest_error(maps)
    assert largest <= maps.error <= 1.1 * largest


@every_case
@settings(derandomize=True, deadline=None)
@given(y=unit_interval, x=unit_interval)
def test_no_point_is_outside_the_bound(maps: LowRankMaps, y: float, x: float) -> None:
    width = maps.high - maps.low
    y_value, x_value = (np.clip(np.array([maps.low + t * width]), maps.low, maps.high) for t in (y, x))
    assert error_between(maps, y_value, x_value) <= maps.error


@pytest.mark.parametrize(
    ("reach", "rank", "error"), [(1.0, 3, 1.3e-5), (2.0, 3, 4.8e-4), (2.0, 4, 3.8e-5), (2.0, 5, 3.0e-6)]
)
def test_errors_of_the_design(reach: float, rank: int, error: float) -> None:
    assert LowRankMaps(-reach, reach, rank).error <= error


@pytest.mark.parametrize("reach", [1.0, 4.0])
def test_more_rank_never_means_more_error(reach: float) -> None:
    errors = [LowRankMaps(-reach, reach, rank).error for rank in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24)]
    rounding = 1e-12
    assert all(more <= less + rounding for less, more in itertools.pairwise(errors))
    assert errors[-1] < 1e-4 * errors[0]


@pytest.mark.parametrize("rank", [16, 40, 64])
def test_high_rank_comes_down_to_rounding(rank: int) -> None:
    maps = LowRankMaps(-2.0, 2.0, rank)
    assert largest_error(maps) <= maps.error < 1e-11


@every_case
def test_error_of_a_vector_is_at_most_that_of_its_features_together(maps: LowRankMaps) -> None:
    y, x = np.random.default_rng(0).uniform(maps.low, maps.high, size=(2, 100, 30))
    products = (maps.query(y) * maps.key(x)).sum(-1)
    assert np.abs(products - factorised(y, x)).max() <= 30 * maps.error


def test_query_and_key_are_not_interchangeable() -> None:
    maps = LowRankMaps(-1.0, 5.0, 4)
    y, x = np.array([4.0, 5.0]), np.array([-1.0, 0.0])
    assert maps.query(y) @ maps.key(x) > -0.1
    assert maps.query(x) @ maps.key(y) < -0.9


def test_each_feature_gets_rank_places_next_to_each_other() -> None:
    maps = LowRankMaps(-2.0, 2.0, 3)
    values = np.array([[0.5, -1.0]])
    assert maps.query(values).shape == maps.key(values).shape == (1, 6)
    np.testing.assert_allclose(maps.query(values)[:, 3:], maps.query(values[:, 1:]), rtol=1e-14)


def test_float32_adds_only_its_rounding() -> None:
    maps = LowRankMaps(-4.0, 4.0, 6)
    y, x = np.random.default_rng(0).uniform(-4, 4, size=(2, 200, 1)).astype(np.float32)
    assert maps.query(y).dtype == maps.key(x).dtype == np.float32
    products = (maps.query(y) * maps.key(x)).sum(-1)
    np.testing.assert_allclose(products, factorised(y.astype(float), x.astype(float)), rtol=0, atol=maps.error + 1e-5)


@pytest.mark.parametrize("convert", [torch.asarray, array_api_strict.asarray])
def test_every_library_gets_the_same_maps(convert: Any) -> None:
    maps = LowRankMaps(-2.0, 2.0, 4)
    values = np.random.default_rng(0).uniform(-2, 2, size=(3, 5))
    for mapped in (maps.query, maps.key):
        result = mapped(convert(values))
        assert type(result) is type(convert(values))
        np.testing.assert_allclose(np.from_dlpack(result), mapped(values), rtol=1e-12, atol=1e-14)


def test_maps_of_a_long_array_are_those_of_its_rows() -> None:
    maps = LowRankMaps(-2.0, 2.0, 4)
    values = np.random.default_rng(0).uniform(-2, 2, size=(2, 900, 20))
    assert values.size > arrays.BLOCK
    result = maps.query(values)
    assert result.shape == (2, 900, 80)
    np.testing.assert_allclose(result[1, 871], maps.query(values[1, 871]), rtol=1e-13, atol=1e-15)


def test_nothing_is_computed_before_it_is_needed() -> None:
    maps = LowRankMaps(-2.0, 2.0, 4)
    assert "_expansion" not in vars(maps)
    assert maps.error > 0
    assert "_expansion" in vars(maps)


def test_maps_with_the_same_range_and_rank_are_equal() -> None:
    assert LowRankMaps(-2.0, 2.0, 4) == LowRankMaps(-2.0, 2.0, 4) != LowRankMaps(-2.0, 2.0, 5)


def test_no_values_make_no_maps() -> None:
    maps = LowRankMaps(-2.0, 2.0, 4)
    assert maps.query(np.zeros((0, 3))).shape == (0, 12)
    assert maps.key(np.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    ("mapped", "values", "message"),
    [
        ("query", [-1.5, 2.5], r"y reaches from -1.5 to 2.5, but these maps hold for \[-2, 2\]; make LowRankMaps"),
        ("key", [-2.001, 0.0], r"x reaches from -2.001 to 0, but these maps hold for \[-2, 2\]"),
        ("key", [np.nan, 0.0], "x holds 1 NaN or infinite values among 2"),
    ],
)
def test_values_outside_the_range_are_refused(mapped: str, values: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        getattr(LowRankMaps(-2.0, 2.0, 4), mapped)(np.array(values))


def test_the_ends_of_the_range_are_inside() -> None:
    maps = LowRankMaps(-2.0, 2.0, 4)
    assert maps.query(np.array([-2.0, 2.0])).shape == (8,)


def test_integers_are_refused() -> None:
    with pytest.raises(NotLogOdds, match="y holds int64, expected real floating-point"):
        LowRankMaps(-2.0, 2.0, 4).query(np.array([1, 2]))


@pytest.mark.parametrize(
    ("low", "high", "rank", "message"),
    [
        (2.0, -2.0, 4, r"the range is \[2.0, -2.0\], expected finite numbers low < high"),
        (2.0, 2.0, 4, r"the range is \[2.0, 2.0\], expected finite numbers low < high"),
        (-np.inf, 2.0, 4, r"the range is \[-inf, 2.0\], expected finite"),
        (-2.0, np.nan, 4, r"the range is \[-2.0, nan\], expected finite"),
        (-40.0, 40.0, 4, r"the range \[-40.0, 40.0\] is 80.0 wide, expected at most 40"),
        (-2.0, 2.0, 0, "rank is 0, expected a whole number from 1 to 64"),
        (-2.0, 2.0, 2.5, "rank is 2.5, expected a whole number from 1 to 64"),
        (-2.0, 2.0, 65, "rank is 65, expected a whole number from 1 to 64"),
    ],
)
def test_impossible_maps_are_refused(low: float, high: float, rank: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        LowRankMaps(low, high, rank)


@pytest.mark.parametrize(
    ("low", "high", "rank"), [(-20.0, 20.0, 64), (0.0, 40.0, 20), (-15.0, 15.0, 50), (10.0, 20.0, 3), (-2.0, 2.0, 64)]
)
def test_the_bound_holds_down_to_rounding_for_wide_and_one_sided_ranges(low: float, high: float, rank: int) -> None:
    maps = LowRankMaps(low, high, rank)
    grid = np.concatenate([np.linspace(low, high, 401), np.nextafter([low, high], [high, low])])[:, None]
    error = np.abs(maps.query(grid) @ maps.key(grid).T - log_entailed(grid, grid.T)).max()
    assert error <= maps.error


@pytest.mark.parametrize(("limit", "rank"), [(2.0, 4), (8.0, 12), (16.0, 40)])
def test_the_bound_for_float32_holds_in_float32(limit: float, rank: int) -> None:
    maps = LowRankMaps(-limit, limit, rank)
    grid = np.linspace(-limit, limit, 401, dtype=np.float32)[:, None]
    exact = log_entailed(grid.astype(float), grid.T.astype(float))
    error = np.abs((maps.query(grid) @ maps.key(grid).T).astype(float) - exact).max()
    assert error <= maps.error_in(np.float32)
    assert maps.error_in(np.float64) == maps.error < maps.error_in(np.float32)
