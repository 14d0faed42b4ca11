"""The contract that every row of OPERATORS keeps, and what is special about some of them."""

import itertools
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import array_api_strict
import mpmath
import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as array_of
from optional_torch import THERE, torch

from entvec.errors import InvalidInput, NotLogOdds
from entvec.theory import arrays, binary
from entvec.theory.lowrank import LowRankMaps
from entvec.theory.operators import (
    OPERATORS,
    WIDE,
    Operator,
    backward,
    cosine,
    descending_ranks,
    difference,
    dot,
    exact_operator,
    factorised,
    forward,
    unit,
    weighted_cosine,
)

every_operator = pytest.mark.parametrize("row", OPERATORS.values(), ids=OPERATORS)
every_map = pytest.mark.parametrize("row", [row for row in OPERATORS.values() if row.query], ids=lambda row: row.name)
entailment_operators = pytest.mark.parametrize("score", [forward, backward, factorised])
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
properties = settings(derandomize=True, deadline=None)

SYMMETRIC = {"dot", "cosine"}


def vectors(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    """Log-odds such as word vectors have, some of them strong, within the reach of the default maps."""
    values = np.random.default_rng(seed).normal(scale=1.5, size=shape)
    return np.clip(values, WIDE.low, WIDE.high).astype(dtype)


def weighted_cosine_in_words(y: Any, x: Any, floor: float = 0.5) -> Any:
    rank = scipy.stats.rankdata(-x, axis=-1)
    z = (1 - floor) * (1 - rank / (x.shape[-1] + 1)) + floor
    return cosine_in_words(z * y, z * x)


def cosine_in_words(y: Any, x: Any) -> Any:
    return (y * x).sum(-1) / (np.linalg.norm(y, axis=-1) * np.linalg.norm(x, axis=-1))


def known(log_odds: Any) -> Any:
    return scipy.special.expit(log_odds)


FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "forward": lambda y, x: (known(x) * np.log(known(y))).sum(-1),
    "backward": lambda y, x: (known(-y) * np.log(known(-x))).sum(-1),
    "factorised": lambda y, x: np.log(1 - known(-y) * known(x)).sum(-1),
    "dot": lambda y, x: (y * x).sum(-1),
    "cosine": cosine_in_words,
    "difference": lambda y, x: (y - x).sum(-1),
    "weighted_cosine": weighted_cosine_in_words,
}


# The contract


@every_operator
def test_score_is_the_formula_of_the_table(row: Operator) -> None:
    y, x = vectors(8, 20, seed=1), vectors(8, 20, seed=2)
    np.testing.assert_allclose(row.score(y, x), FORMULAS[row.name](y, x), rtol=1e-12, atol=1e-13)


@every_operator
def test_key_in_the_table_is_the_name_of_the_row(row: Operator) -> None:
    assert OPERATORS[row.name] is row
    assert (row.query is None) == (row.key is None) == (row.maps == "none")


@every_operator
def test_batch_equals_loop_of_singles(row: Operator) -> None:
    y, x = vectors(6, 9, seed=1), vectors(6, 9, seed=2)
    singles = [row.score(a, b) for a, b in zip(y, x, strict=True)]
    assert all(np.shape(single) == () for single in singles)
    np.testing.assert_allclose(row.score(y, x), singles, rtol=1e-13, atol=1e-13)


@every_operator
def test_leading_axes_broadcast(row: Operator) -> None:
    y, x = vectors(4, 1, 9, seed=1), vectors(3, 9, seed=2)
    table = [[row.score(a[0], b) for b in x] for a in y]
    np.testing.assert_allclose(row.score(y, x), table, rtol=1e-13, atol=1e-13)


@every_operator
@both_dtypes
def test_dtype_is_kept(row: Operator, dtype: Any) -> None:
    y, x = vectors(5, 9, seed=1, dtype=dtype), vectors(5, 9, seed=2, dtype=dtype)
    results = [row.score(y, x), row.score(y[:, None], x), row.score(y[0], x[0])]
    if row.query and row.key:
        results += [row.query(y), row.key(x)]
    assert {result.dtype for result in results} == {np.dtype(dtype)}


@every_operator
def test_two_dtypes_give_the_wider_one(row: Operator) -> None:
    y, x = vectors(5, 9, seed=1, dtype=np.float32), vectors(5, 9, seed=2)
    scores = row.score(y, x)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, row.score(y.astype(float), x), rtol=1e-6, atol=1e-6)


@every_operator
def test_float32_is_close_to_float64(row: Operator) -> None:
    y, x = vectors(50, 20, seed=1, dtype=np.float32), vectors(50, 20, seed=2, dtype=np.float32)
    wide = row.score(y.astype(float), x.astype(float))
    np.testing.assert_allclose(row.score(y, x), wide, rtol=2e-6, atol=1e-5)


def in_strict(values: Any) -> Any:
    return array_api_strict.asarray(values)


def in_torch(values: Any) -> Any:
    return torch.asarray(values)


def in_jax(values: Any) -> Any:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(values)


every_library = pytest.mark.parametrize("convert", [in_strict, in_torch, in_jax])


@pytest.fixture(autouse=True)
def _the_oldest_standard_with_all_we_use() -> Any:
    with array_api_strict.ArrayAPIStrictFlags(api_version="2024.12"):
        yield


@every_operator
@every_library
@both_dtypes
def test_every_library_gives_the_same_score(row: Operator, convert: Callable[[Any], Any], dtype: Any) -> None:
    y, x = vectors(4, 1, 9, seed=1, dtype=dtype), vectors(3, 9, seed=2, dtype=dtype)
    x[:, 4] = x[:, 7]  # a tie
    scores = row.score(convert(y), convert(x))
    assert type(scores) is type(convert(y))
    tolerance = 20 * np.finfo(dtype).eps
    np.testing.assert_allclose(np.from_dlpack(scores), row.score(y, x), rtol=tolerance, atol=tolerance)


@every_map
@every_library
@both_dtypes
def test_every_library_gives_the_same_maps(row: Operator, convert: Callable[[Any], Any], dtype: Any) -> None:
    values = vectors(4, 9, dtype=dtype)
    tolerance = 20 * np.finfo(dtype).eps
    for mapped in (row.query, row.key):
        assert mapped is not None
        result = np.from_dlpack(mapped(convert(values)))
        np.testing.assert_allclose(result, mapped(values), rtol=tolerance, atol=tolerance)


@every_operator
def test_results_stay_on_the_device_of_the_vectors(row: Operator) -> None:
    elsewhere = array_api_strict.Device("device1")
    y, x = (array_api_strict.asarray(vectors(4, 9, seed=seed), device=elsewhere) for seed in (1, 2))
    results = [row.score(y, x)]
    if row.query and row.key:
        results += [row.query(y), row.key(x)]
    assert {result.device for result in results} == {elsewhere}


@every_operator
def test_works_inside_jit(row: Operator) -> None:
    jax = pytest.importorskip("jax")
    y, x = vectors(4, 9, seed=1), vectors(4, 9, seed=2)
    np.testing.assert_allclose(jax.jit(row.score)(in_jax(y), in_jax(x)), row.score(y, x), rtol=1e-12)


@every_operator
def test_gradients_flow_through_torch(row: Operator) -> None:
    y, x = (torch.tensor(vectors(3, 4, seed=seed), requires_grad=True) for seed in (1, 2))
    assert torch.autograd.gradcheck(row.score, (y, x))


@every_map
def test_inner_product_of_the_maps_is_the_score(row: Operator) -> None:
    assert row.query is not None
    assert row.key is not None
    y, x = vectors(50, 20, seed=1), vectors(50, 20, seed=2)
    y[0], x[1] = 0, 0
    products = (row.query(y) * row.key(x)).sum(-1)
    error = 20 * row.low_rank.error if row.low_rank else 0
    np.testing.assert_allclose(products, row.score(y, x), rtol=1e-13, atol=error + 1e-13)


@every_operator
def test_arguments_swap_only_for_symmetric_operators(row: Operator) -> None:
    y, x = vectors(8, 20, seed=1), vectors(8, 20, seed=2)
    scores, swapped = row.score(y, x), row.score(x, y)
    if row.name in SYMMETRIC:
        np.testing.assert_allclose(scores, swapped, rtol=1e-14, atol=1e-14)
    else:
        assert (np.abs(scores - swapped) > 1e-6 * np.abs(scores)).all()


@every_operator
def test_order_of_the_features_does_not_matter(row: Operator) -> None:
    y, x = vectors(8, 20, seed=1), vectors(8, 20, seed=2)
    order = np.random.default_rng(3).permutation(20)
    np.testing.assert_allclose(row.score(y[:, order], x[:, order]), row.score(y, x), rtol=1e-12, atol=1e-12)


# Long arrays, which are worked through in blocks

LONG_SHAPES = {
    "pairs": ((3001, 20), (3001, 20)),
    "pairs in a grid": ((7, 500, 20), (7, 500, 20)),
    "one y, many x": ((20,), (3001, 20)),
    "all y with all x": ((61, 1, 20), (50, 20)),
    "all x with all y": ((1, 61, 20), (50, 1, 20)),
    "rows of the table longer than a block": ((3, 1, 20), (2001, 20)),
    "one row": ((1, 1, 20), (1, 3001, 20)),
    "few very long vectors": ((3, 40_000), (3, 40_000)),
    "one very long vector": ((40_000,), (40_000,)),
}
long_shapes = pytest.mark.parametrize(("y_shape", "x_shape"), LONG_SHAPES.values(), ids=LONG_SHAPES)


@every_operator
@long_shapes
def test_long_arrays_give_the_plain_formula(row: Operator, y_shape: Any, x_shape: Any) -> None:
    y, x = vectors(*y_shape, seed=1), vectors(*x_shape, seed=2)
    expected = FORMULAS[row.name](y, x)
    assert np.broadcast(y, x).size > arrays.BLOCK
    scores = row.score(y, x)
    assert np.shape(scores) == expected.shape
    np.testing.assert_allclose(scores, expected, rtol=1e-11, atol=1e-11)


def test_factorised_of_all_pairs_never_holds_all_their_features() -> None:
    y, x = vectors(200, 1, 100), vectors(200, 100)
    tracemalloc.start()
    factorised(y, x)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 200 * 200 * 100 * y.itemsize / 4


@every_map
def test_maps_of_long_arrays_are_those_of_their_rows(row: Operator) -> None:
    assert row.query is not None
    assert row.key is not None
    values = vectors(3, 700, 20)
    for mapped in (row.query, row.key):
        np.testing.assert_allclose(mapped(values)[1, 350], mapped(values[1, 350]), rtol=1e-13, atol=1e-15)
        assert mapped(values).shape[:-1] == (3, 700)


@every_operator
@long_shapes
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_one_bad_value_hidden_in_a_long_array_is_found(row: Operator, y_shape: Any, x_shape: Any, bad: float) -> None:
    y, x = vectors(*y_shape, seed=1), vectors(*x_shape, seed=2)
    x.flat[2 * x.size // 3] = bad
    with pytest.raises(InvalidInput, match=f"x holds 1 NaN or infinite values among {x.size}, expected finite"):
        row.score(y, x)


@every_operator
def test_the_message_counts_all_bad_values_not_those_of_a_block(row: Operator) -> None:
    y, x = vectors(3001, 20, seed=1), vectors(3001, 20, seed=2)
    y[100, 3], y[1500, 4], y[2900, 5] = np.nan, np.inf, -np.inf
    with pytest.raises(InvalidInput, match="y holds 3 NaN or infinite values among 60020"):
        row.score(y, x)


# Input that means nothing

GOOD = np.array([[1.0, -2.0, 3.0]])
BAD_INPUT: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "NaN in y": (np.array([1.0, np.nan, 3.0]), GOOD, InvalidInput, "y holds 1 NaN or infinite values among 3"),
    "NaN in x": (GOOD, np.array([np.nan, np.nan, 3.0]), InvalidInput, "x holds 2 NaN or infinite values among 3"),
    "infinity": (np.array([np.inf, 1.0, 3.0]), GOOD, InvalidInput, "y holds 1 NaN or infinite"),
    "infinity beside zeros": (np.array([np.inf, 0, 0]), np.zeros(3), InvalidInput, "y holds 1 NaN or infinite"),
    "NaN beside no knowledge": (np.full(3, -1e4), np.array([1, np.nan, 1]), InvalidInput, "x holds 1 NaN or infinite"),
    "infinities that cancel": (np.full(3, np.inf), np.full(3, np.inf), InvalidInput, "y holds 3 NaN or infinite"),
    "integers in y": (np.array([1, 2, 3]), GOOD, NotLogOdds, "y holds int64, expected real floating-point"),
    "integers in x": (GOOD, np.array([1, 2, 3]), NotLogOdds, "x holds int64, expected real floating-point"),
    "complex numbers": (GOOD, GOOD + 1j, NotLogOdds, "x holds complex128, expected real floating-point"),
    "truth values": (GOOD > 0, GOOD, NotLogOdds, "y holds bool, expected real floating-point"),
    "a list": (
        [1.0, -2.0, 3.0],
        GOOD,
        NotLogOdds,
        "got builtins.list, numpy.ndarray in this order; convert them first",
    ),
    "two lists": ([1.0], [2.0], NotLogOdds, "got builtins.list, builtins.list in this order; convert them first"),
    "an array without axes": (GOOD, np.array(1.0), InvalidInput, "x is a single number, expected an array whose last"),
    "different features": (GOOD, np.ones((1, 4)), InvalidInput, r"x of shape \(1, 4\), expected the same number of"),
    "one feature for all": (np.ones((1, 1)), GOOD, InvalidInput, r"y of shape \(1, 1\) and .* the same number of feat"),
    "leading axes": (np.ones((2, 3)), np.ones((4, 3)), InvalidInput, "expected leading axes that broadcast"),
}
if THERE:
    BAD_INPUT |= {
        "two libraries": (torch.ones(3), GOOD, NotLogOdds, "arrays of one library .* got torch.Tensor, numpy.ndarray"),
        "NaN in a tensor": (torch.ones(3), torch.full((3,), torch.nan), InvalidInput, "x holds 3 NaN or infinite"),
    }


@every_operator
@pytest.mark.parametrize(("y", "x", "error", "message"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_refused(row: Operator, y: Any, x: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        row.score(y, x)


@every_operator
@pytest.mark.parametrize("number", [1.0, None])
def test_a_number_beside_an_array_is_refused(row: Operator, number: Any) -> None:
    with pytest.raises(NotLogOdds, match="expected arrays of one library"):
        row.score(GOOD, number)


@every_operator
@pytest.mark.parametrize("convert", [np.asarray, in_torch])
def test_nothing_to_score_gives_no_scores(row: Operator, convert: Callable[[Any], Any]) -> None:
    no_pairs = convert(np.zeros((0, 3)))
    assert tuple(row.score(no_pairs, no_pairs).shape) == (0,)
    assert tuple(row.score(no_pairs, convert(np.ones(3))).shape) == (0,)


@every_operator
@pytest.mark.parametrize("convert", [np.asarray, in_torch])
def test_vectors_without_features_score_zero(row: Operator, convert: Callable[[Any], Any]) -> None:
    no_features = convert(np.zeros((2, 0)))
    assert row.score(no_features, no_features).tolist() == [0, 0]


# Accuracy

LOG_ODDS = [0.0, *(sign * size for size in (1e-8, 0.1, 1, 5, 40, 90, 700, 1e4) for sign in (1, -1))]
PAIRS = list(itertools.product(LOG_ODDS, repeat=2))


def exact_forward(y: Any, x: Any) -> Any:
    return -mpmath.log1p(mpmath.exp(-y)) / (1 + mpmath.exp(-x))


def exact_backward(y: Any, x: Any) -> Any:
    return -mpmath.log1p(mpmath.exp(x)) / (1 + mpmath.exp(y))


def exact_factorised(y: Any, x: Any) -> Any:
    return -mpmath.log1p(1 / (mpmath.exp(y) + mpmath.exp(-x) + mpmath.exp(y - x)))


@both_dtypes
@pytest.mark.parametrize(
    ("score", "exact", "smallest"),
    # A probability stops shrinking at the smallest normal number, and is multiplied by a logarithm of up to
    # 1 + |y| or 1 + |x|; within `factorised`, e^y and e^-x stop growing at the root of its inverse.
    [
        (forward, exact_forward, lambda tiny, y, x: tiny * (1 + abs(y))),
        (backward, exact_backward, lambda tiny, y, x: tiny * (1 + abs(x))),
        (factorised, exact_factorised, lambda tiny, y, x: tiny**0.5),
    ],
)
def test_few_units_in_the_last_place_at_any_log_odds(score: Any, exact: Any, smallest: Any, dtype: Any) -> None:
    pairs = np.array(PAIRS, dtype=dtype)
    scores = score(pairs[:, :1], pairs[:, 1:])
    assert np.isfinite(scores).all()
    with mpmath.workdps(50):
        for (y, x), got in zip(pairs.tolist(), scores.tolist(), strict=True):
            truth = exact(mpmath.mpf(y), mpmath.mpf(x))
            floor = smallest(float(np.finfo(dtype).smallest_normal), y, x)
            if abs(truth) >= floor:
                assert abs(got - truth) <= 3 * np.finfo(dtype).eps * abs(truth), (y, x)
            else:
                assert -1.01 * floor <= got <= 0, (y, x)


@both_dtypes
@entailment_operators
def test_the_largest_numbers_are_finite_log_odds(score: Any, dtype: Any) -> None:
    largest = np.array([np.finfo(dtype).max, np.finfo(dtype).max], dtype=dtype)
    assert score(largest, largest) == pytest.approx(0, abs=20)
    assert np.isfinite(score(-largest / 2, largest / 2))


# Properties

CERTAIN = 1e4


@st.composite
def pairs(draw: st.DrawFn, strongest: float = CERTAIN, fewest: int = 1, most: int = 6) -> Any:
    n_features = draw(st.integers(fewest, most))
    return draw(array_of(float, (2, n_features), elements=st.floats(-strongest, strongest)))


def rounding(score: float) -> float:
    return 1e-13 * (1 + abs(score))


@entailment_operators
@properties
@given(pair=pairs())
def test_is_a_log_probability(score: Any, pair: Any) -> None:
    assert -np.inf < score(*pair) <= 0


@entailment_operators
@properties
@given(pair=pairs(), feature=st.integers(0, 5), more=st.floats(0, 100))
def test_knowing_more_in_y_helps_and_in_x_hurts(score: Any, pair: Any, feature: int, more: float) -> None:
    y, x = pair
    raise_one = np.where(np.arange(len(y)) == feature % len(y), more, 0.0)
    before = score(y, x)
    assert score(y + raise_one, x) >= before - rounding(before)
    assert score(y, x + raise_one) <= before + rounding(before)


@properties
@given(pair=pairs())
def test_forward_is_backward_of_the_negated_vectors_swapped(pair: Any) -> None:
    y, x = pair
    assert forward(y, x) == pytest.approx(backward(-x, -y), rel=1e-14, abs=0)


@properties
@given(pair=pairs())
def test_factorised_is_bounded_by_both_inference_operators(pair: Any) -> None:
    # Jensen's inequality: they take an expectation out of the logarithm.
    bound = max(forward(*pair), backward(*pair))
    assert factorised(*pair) >= bound - rounding(bound)


@properties
@given(pair=pairs(strongest=30, fewest=1, most=5))
def test_factorised_is_the_sum_over_all_bit_vectors(pair: Any) -> None:
    y, x = pair
    probability = binary.probability(binary.independent(y), binary.independent(x))
    assert np.exp(factorised(y, x)) == pytest.approx(probability, rel=1e-12)


@properties
@given(bits=array_of(bool, (2, 4)))
def test_factorised_of_certain_features_is_set_inclusion(bits: Any) -> None:
    y, x = np.where(bits, 30.0, -30.0)
    assert np.exp(factorised(y, x)) == pytest.approx(float(binary.entails(*bits)), abs=1e-12)


@properties
@given(pair=pairs())
def test_cosines_lie_between_minus_one_and_one(pair: Any) -> None:
    assert abs(cosine(*pair)) <= 1 + 1e-14
    assert abs(weighted_cosine(*pair)) <= 1 + 1e-14


@properties
@given(pair=pairs())
def test_swapping_changes_only_the_sign_of_difference(pair: Any) -> None:
    y, x = pair
    assert difference(x, y) == -difference(y, x)
    assert dot(x, y) == dot(y, x)
    assert cosine(x, y) == cosine(y, x)


small_integers = array_of(float, (2, 3, 7), elements=st.integers(-2, 2).map(float))


@properties
@given(pair=small_integers)
def test_weighted_cosine_shares_the_ranks_of_equal_values(pair: Any) -> None:
    y, x = pair
    y[:, 0], x[:, 0] = 3, 3  # none is the zero vector
    np.testing.assert_allclose(weighted_cosine(y, x), weighted_cosine_in_words(y, x), rtol=1e-13, atol=1e-14)


@properties
@given(pair=small_integers)
def test_ranks_are_those_of_scipy(pair: Any) -> None:
    np.testing.assert_array_equal(descending_ranks(pair), scipy.stats.rankdata(-pair, axis=-1))


@properties
@given(pair=pairs())
def test_weighted_cosine_with_floor_one_is_the_cosine(pair: Any) -> None:
    assert weighted_cosine(*pair, floor=1.0) == pytest.approx(cosine(*pair), rel=1e-13, abs=1e-14)


# What the operators mean

TOY_WORLD = {
    #          animal, barks, curly, meows
    "unk": [0, 0, 0, 0],
    "animal": [1, 0, 0, 0],
    "dog": [1, 1, 0, 0],
    "poodle": [1, 1, 1, 0],
    "cat": [1, 0, 0, 1],
}


@entailment_operators
def test_in_the_toy_world_entailment_is_set_inclusion(score: Any) -> None:
    features = np.array(list(TOY_WORLD.values()))
    log_odds = np.where(features, 4.0, -4.0)
    entailed = binary.entails(features[:, None], features)
    scores = score(log_odds[:, None], log_odds)
    assert scores[entailed].min() > -0.3
    assert scores[~entailed].max() < -3


@pytest.mark.parametrize("score", [forward, backward, factorised, difference])
def test_a_dog_is_an_animal_rather_than_the_reverse(score: Any) -> None:
    dog, animal = (np.where(TOY_WORLD[name], 4.0, -4.0) for name in ("dog", "animal"))
    assert score(dog, animal) > score(animal, dog)


def test_weighted_cosine_weighs_by_the_entailed_vector() -> None:
    narrow, broad = np.array([1.0, 1.0]), np.array([2.0, 1.0])
    # broad ranks its features 1 and 2 of 2, so they weigh 0.5 + 0.5 * 2/3 and 0.5 + 0.5 * 1/3
    a, b = (5 / 6) ** 2, (4 / 6) ** 2
    assert weighted_cosine(narrow, broad) == pytest.approx((2 * a + b) / np.sqrt((a + b) * (4 * a + b)), rel=1e-14)


@pytest.mark.parametrize("score", [cosine, weighted_cosine])
def test_nothing_is_similar_to_the_zero_vector(score: Any) -> None:
    zero, some = np.zeros((2, 3)), np.ones((2, 3))
    for pair in ((zero, some), (some, zero), (zero, zero)):
        assert score(*pair).tolist() == [0, 0]


def test_unit_leaves_the_zero_vector_and_makes_others_length_one() -> None:
    units: list[list[float]] = unit(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist()
    assert units == [[0, 0], pytest.approx([0.6, 0.8], rel=1e-15)]


def test_default_maps_reach_as_far_as_word_vectors_do() -> None:
    assert LowRankMaps(low=-4.0, high=4.0, rank=6) == WIDE
    assert WIDE.error < 1e-4


@pytest.mark.parametrize("row", [row for row in OPERATORS.values() if row.maps != "none"], ids=lambda row: row.name)
@pytest.mark.parametrize("side", ["query", "key"])
def test_maps_refuse_what_scores_refuse(row: Operator, side: str) -> None:
    mapping = getattr(row, side)
    with pytest.raises(InvalidInput, match="1 NaN or infinite values among 2"):
        mapping(np.array([0.5, np.nan]))
    with pytest.raises(NotLogOdds, match="holds int64"):
        mapping(np.array([1, 2]))
    with pytest.raises(NotLogOdds, match="expected arrays of one library"):
        mapping([0.5, 1.0])


@pytest.mark.parametrize("name", ["forward", "backward", "factorised"])
def test_gradients_are_right_at_the_zero_vector(name: str) -> None:
    """Zeros are what one starts training from, and where the parts of the formulas have corners."""
    y, x = torch.zeros(3, dtype=torch.float64, requires_grad=True), torch.zeros(3, dtype=torch.float64)
    OPERATORS[name].score(y, x).backward()
    step = 1e-6
    at = OPERATORS[name].score
    numeric = (at(np.full(3, step), np.zeros(3)) - at(np.full(3, -step), np.zeros(3))) / (2 * step) / 3
    assert y.grad is not None
    np.testing.assert_allclose(y.grad.numpy(), numeric, rtol=1e-6)
    x = x.clone().requires_grad_()
    OPERATORS[name].score(y.detach(), x).backward()
    numeric = (at(np.zeros(3), np.full(3, step)) - at(np.zeros(3), np.full(3, -step))) / (2 * step) / 3
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), numeric, rtol=1e-6)


@pytest.mark.parametrize("name", ["cosine", "weighted_cosine"])
def test_the_zero_vector_has_a_finite_gradient(name: str) -> None:
    y, x = torch.zeros(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
    OPERATORS[name].score(y, x).backward()
    assert y.grad is not None
    assert torch.isfinite(y.grad).all()


@every_operator
def test_rows_can_be_pickled(row: Operator) -> None:
    again = pickle.loads(pickle.dumps(row))  # noqa: S301
    y, x = vectors(4, seed=1), vectors(4, seed=2)
    assert again.score(y, x) == row.score(y, x)
    if row.query is not None:
        np.testing.assert_array_equal(again.query(y), row.query(y))


@pytest.mark.parametrize("floor", [-0.1, 1.1, np.nan])
def test_the_floor_of_the_weighted_cosine_is_a_share(floor: float) -> None:
    with pytest.raises(InvalidInput, match=r"floor is .*, expected 0 to 1"):
        weighted_cosine(np.ones(2), np.ones(2), floor=floor)


@pytest.mark.parametrize("floor", [0.0, 0.3, 1.0])
def test_the_floor_of_the_weighted_cosine_can_be_chosen(floor: float) -> None:
    y, x = vectors(5, 6, seed=1), vectors(5, 6, seed=2)
    np.testing.assert_allclose(weighted_cosine(y, x, floor=floor), weighted_cosine_in_words(y, x, floor), rtol=1e-12)


@pytest.mark.parametrize("name", OPERATORS)
def test_what_the_features_add_is_the_score(name: str) -> None:
    y, x = np.random.default_rng(2).normal(size=(2, 5, 4))
    found = OPERATORS[name].by_feature(y, x)
    if name == "weighted_cosine":
        assert found is None
    else:
        assert found.shape == (5, 4)
        np.testing.assert_allclose(found.sum(axis=-1), OPERATORS[name].score(y, x), rtol=1e-12)


@both_dtypes
@pytest.mark.parametrize("row", [row for row in OPERATORS.values() if row.slopes], ids=lambda row: row.name)
def test_slopes_are_the_maps_and_their_derivatives(row: Operator, dtype: Any) -> None:
    near: Any = {"rtol": 10 * np.finfo(dtype).eps, "atol": 2 * np.finfo(dtype).tiny}
    z = np.concatenate([vectors(60, dtype=dtype), np.array([-1e4, 0.0, 1e4], dtype)])
    assert row.slopes is not None
    assert row.query is not None
    assert row.key is not None
    for mapped, function in zip(row.slopes(z), (row.query, row.key), strict=True):
        assert mapped.value.dtype == mapped.slope.dtype == dtype
        np.testing.assert_array_equal(mapped.value, function(z))
        at = torch.tensor(z.astype(np.float64), requires_grad=True)
        function(at).sum().backward()
        assert at.grad is not None
        np.testing.assert_allclose(mapped.slope, at.grad.numpy(), **near)


def test_an_operator_with_exact_maps_has_maps_that_check_what_they_are_given() -> None:
    row = exact_operator("half", "Y / 2 · X", dot, np.exp, np.negative, parts=np.multiply)
    assert row == Operator("half", "Y / 2 · X", dot, row.query, row.key, "exact", parts=np.multiply)
    assert row.query is not None
    assert row.key is not None
    np.testing.assert_array_equal(row.query(np.array([1.0, 2.0])), np.exp([1.0, 2.0]))
    np.testing.assert_array_equal(row.key(np.array([1.0, 2.0])), [-1.0, -2.0])
    for function in (row.query, row.key):
        with pytest.raises(NotLogOdds):
            function(np.array([1, 2]))
