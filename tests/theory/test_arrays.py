"""The checks that every function shares, and the blocks in which long NumPy arrays are worked through."""

import sys
from types import SimpleNamespace
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes
from hypothesis.extra.numpy import arrays as array_of
from optional_torch import torch

from entvec.errors import EntvecError, InvalidInput, NotLogOdds
from entvec.theory.arrays import (
    BLOCK,
    blockwise,
    check_features,
    check_finite,
    check_vectors,
    is_traced,
    namespace,
    running_max,
    score_linear,
    score_pairs,
)

properties = settings(derandomize=True, deadline=None)


# Which library


def test_namespace_of_numpy_is_numpy_itself() -> None:
    assert namespace(np.ones(2), np.float32(1)) is np


@pytest.mark.parametrize("library", [array_api_strict, torch])
def test_namespace_of_other_libraries_follows_the_standard(library: Any) -> None:
    xp = namespace(library.ones(2))
    assert xp.sum(xp.concat([library.ones(2), library.ones(3)], axis=-1)) == 5


def test_namespace_names_what_it_was_given() -> None:
    with pytest.raises(NotLogOdds, match=r"got numpy\.ndarray, torch\.Tensor in this order; convert them first"):
        namespace(np.ones(2), torch.ones(2))
    with pytest.raises(NotLogOdds, match=r"got builtins\.str"):
        namespace("dog")


# Checks


@pytest.mark.parametrize("library", [np, array_api_strict])
def test_check_vectors_returns_the_library(library: Any) -> None:
    assert check_vectors(v=library.zeros((2, 3))) is library


def test_check_vectors_calls_the_argument_by_its_name() -> None:
    with pytest.raises(InvalidInput, match="context holds 1 NaN or infinite values among 2"):
        check_vectors(middle=np.zeros(2), context=np.array([0.0, np.nan]))
    with pytest.raises(NotLogOdds, match="context holds int64"):
        check_vectors(middle=np.zeros(2), context=np.array([0, 1]))
    with pytest.raises(InvalidInput, match="context is a single number"):
        check_vectors(middle=np.zeros(2), context=np.array(0.0))


def test_errors_are_caught_by_those_who_expect_the_built_in_ones() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(NotLogOdds, TypeError)
    assert issubclass(InvalidInput, EntvecError)
    assert issubclass(NotLogOdds, EntvecError)


def test_large_values_are_finite_though_their_sum_is_not() -> None:
    check_finite(v=np.full(4, np.finfo(float).max))
    check_finite(v=np.array([np.finfo(np.float32).max] * 2, dtype=np.float32))


def test_checking_a_tensor_that_requires_a_gradient_does_not_warn() -> None:
    torch.set_warn_always(True)  # otherwise only the first such tensor of a process would
    try:
        check_finite(v=torch.ones(3, requires_grad=True))
    finally:
        torch.set_warn_always(False)


def test_infinities_that_cancel_to_nan_in_the_sum_are_counted() -> None:
    with pytest.raises(InvalidInput, match="v holds 2 NaN or infinite values among 4"):
        check_finite(v=np.array([np.inf, 1.0, -np.inf, 1.0]))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (2, 4)), r"got y of shape \(2, 3\) and x of shape \(2, 4\), expected the same number of features"),
        (((2, 1), (2, 4)), "expected the same number of features in the last axis"),
        (((2, 3), (5, 3)), r"got y of shape \(2, 3\) and x of shape \(5, 3\), expected leading axes that broadcast"),
    ],
)
def test_check_features_says_the_shapes(shapes: Any, message: str) -> None:
    y, x = map(np.zeros, shapes)
    with pytest.raises(InvalidInput, match=message):
        check_features(y=y, x=x)


def test_check_features_leaves_values_alone() -> None:
    assert check_features(y=np.full((4, 1, 3), np.nan), x=np.zeros((5, 3))) is np


# JAX's stand-ins for arrays


def test_without_jax_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    assert not is_traced(np.ones(2))


def test_with_jax_only_its_tracers_are_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tracer:
        pass

    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(core=SimpleNamespace(Tracer=Tracer)))
    assert is_traced(Tracer())
    assert not is_traced(np.ones(2))


def test_values_inside_jit_are_not_looked_at() -> None:
    jax = pytest.importorskip("jax")
    jax.jit(lambda v: check_finite(v=v))(jax.numpy.ones(2))


# Blocks


class Recorder:
    """A function that remembers the sizes of the arrays it was given."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def double(self, values: Any) -> Any:
        self.sizes.append(values.size)
        return 2 * values

    def twice_each(self, values: Any) -> Any:
        self.sizes.append(values.size)
        return np.repeat(values, 2, axis=-1)

    def score(self, y: Any, x: Any) -> Any:
        self.sizes.append(np.broadcast(y, x).size)
        return (y - 2 * x).sum(-1)


@pytest.mark.parametrize("shape", [(BLOCK // 8 + 1, 8), (2, 3, BLOCK // 4, 2), (5, BLOCK - 1), (BLOCK + 1, 1)])
def test_blockwise_never_hands_over_more_than_a_block(shape: tuple[int, ...]) -> None:
    recorder = Recorder()
    values = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_array_equal(blockwise(recorder.double)(values), 2 * values)
    assert max(recorder.sizes) <= BLOCK
    assert sum(recorder.sizes) == values.size


def test_blockwise_hands_over_at_least_a_row() -> None:
    recorder = Recorder()
    values = np.ones((3, BLOCK + 1))
    np.testing.assert_array_equal(blockwise(recorder.double)(values), 2 * values)
    assert recorder.sizes == [BLOCK + 1] * 3


def test_blockwise_lets_the_function_change_the_number_of_features() -> None:
    recorder = Recorder()
    values = np.random.default_rng(0).normal(size=(4, BLOCK // 8, 3))
    result = blockwise(recorder.twice_each)(values)
    np.testing.assert_array_equal(result, np.repeat(values, 2, axis=-1))
    assert len(recorder.sizes) > 1


@pytest.mark.parametrize("values", [np.ones((BLOCK // 4, 4)), np.zeros((0, 3)), np.zeros((3, 0)), np.array(1.0)])
def test_blockwise_leaves_what_fits_a_block_whole(values: Any) -> None:
    recorder = Recorder()
    np.testing.assert_array_equal(blockwise(recorder.double)(values), 2 * values)
    assert recorder.sizes == [values.size]


def test_blockwise_leaves_other_libraries_whole() -> None:
    handed_over = []

    @blockwise
    def double(values: Any) -> Any:
        handed_over.append(tuple(values.shape))
        return 2 * values

    assert double(torch.ones(2, BLOCK)).sum() == 4 * BLOCK
    assert handed_over == [(2, BLOCK)]


PAIRS_OF_SHAPES = [
    ((BLOCK // 8 + 1, 8), (BLOCK // 8 + 1, 8)),
    ((70, 1, 8), (80, 8)),
    ((1, 80, 8), (70, 1, 8)),
    ((3, 1, 8), (BLOCK // 4, 8)),
    ((1, 1, 8), (3, BLOCK // 4, 8)),
    ((8,), (BLOCK // 4, 8)),
    ((2, 3, 1, BLOCK // 2), (1, 3, BLOCK // 2)),
]


@pytest.mark.parametrize(("y_shape", "x_shape"), PAIRS_OF_SHAPES)
def test_score_that_expands_never_holds_more_than_a_block(y_shape: Any, x_shape: Any) -> None:
    recorder = Recorder()
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=y_shape), rng.normal(size=x_shape)
    scores = score_pairs(recorder.score, y, x, expands=True)
    np.testing.assert_allclose(scores, (y - 2 * x).sum(-1), rtol=1e-12, atol=1e-12)
    assert max(recorder.sizes) <= BLOCK
    assert sum(recorder.sizes) == np.broadcast(y, x).size


def test_pairs_row_by_row_are_scored_in_blocks_and_broadcast_ones_whole() -> None:
    rows, broadcast = Recorder(), Recorder()
    y = np.ones((BLOCK // 4, 8))
    score_pairs(rows.score, y, y)
    score_pairs(broadcast.score, y, np.ones(8))
    assert rows.sizes == [BLOCK, BLOCK]
    assert broadcast.sizes == [2 * BLOCK]


def test_a_vector_longer_than_a_block_is_not_split() -> None:
    recorder = Recorder()
    long = np.ones(BLOCK + 1)
    assert score_pairs(recorder.score, long, long) == -(BLOCK + 1)
    assert recorder.sizes == [BLOCK + 1]


@pytest.mark.parametrize("expands", [True, False])
def test_no_rows_give_no_scores(expands: bool) -> None:
    scores = score_pairs(Recorder().score, np.zeros((0, 1, 3)), np.zeros((5, 3)), expands=expands)
    assert scores.shape == (0, 5)


def test_score_linear_looks_at_its_input_only_when_the_result_is_not_finite() -> None:
    def overflow(y: Any, x: Any) -> Any:
        return (y + x).sum(-1) + np.inf

    assert score_linear(overflow, np.ones(3), np.ones(3)) == np.inf
    with pytest.raises(InvalidInput, match="x holds 1 NaN"):
        score_linear(overflow, np.ones(3), np.array([1.0, np.nan, 1.0]))


# What the standard lacks


@pytest.mark.parametrize("library", [np, array_api_strict, torch])
@properties
@given(values=array_of(np.int64, array_shapes(max_dims=3, min_side=1, max_side=9), elements=st.integers(-3, 3)))
def test_running_max_is_numpys_accumulated_maximum(library: Any, values: Any) -> None:
    result = np.from_dlpack(running_max(library.asarray(values)))
    np.testing.assert_array_equal(result, np.maximum.accumulate(values, axis=-1))
