"""Words in context: the score of section 3, and the gradients that explain Word2Vec."""

from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as array_of
from optional_torch import torch

from entvec.errors import InvalidInput, NotLogOdds
from entvec.theory.context import (
    context_gradient,
    gradient,
    hidden,
    score,
    word2vec_gradient,
    word2vec_score,
)
from entvec.theory.elementwise import known, log_unknown, unknown
from entvec.theory.interpret import INTERPRETATIONS
from entvec.theory.operators import backward

every_interpretation = pytest.mark.parametrize("name", INTERPRETATIONS)
properties = settings(derandomize=True, deadline=None)
word_pairs = array_of(float, (2, 4), elements=st.floats(-5, 5))

MIDDLE, CONTEXT = np.random.default_rng(0).normal(scale=1.5, size=(2, 6, 5))


def contexts(name: str, context: Any) -> Any:
    """X'_c for each copy of the dimensions: the copy that is known to be false has the opposite one."""
    return context if name == "log_odds" else np.concatenate([context, -context], axis=-1)


@every_interpretation
@properties
@given(pair=word_pairs)
def test_score_is_the_papers_sum_of_operators(name: str, pair: Any) -> None:
    middle, context = pair
    x, x_c = INTERPRETATIONS[name](middle), contexts(name, context)
    y = x_c - log_unknown(x)
    written_out = backward(y, x) - (unknown(y) * x_c).sum(-1)
    assert score(middle, context, interpretation=name) == pytest.approx(written_out, rel=1e-12, abs=1e-13)
    np.testing.assert_allclose(hidden(middle, context, interpretation=name), y, rtol=1e-14, atol=1e-15)


def test_unk_dup_with_the_papers_shift_is_the_default() -> None:
    for function in (hidden, score, gradient, context_gradient):
        np.testing.assert_array_equal(
            function(MIDDLE, CONTEXT), function(MIDDLE, CONTEXT, interpretation="unk_dup", shift=1.0)
        )


def test_a_shift_of_zero_makes_unk_dup_dup() -> None:
    for function in (hidden, score, gradient, context_gradient):
        np.testing.assert_array_equal(
            function(MIDDLE, CONTEXT, interpretation="unk_dup", shift=0.0),
            function(MIDDLE, CONTEXT, interpretation="dup"),
        )


@every_interpretation
def test_leading_axes_broadcast(name: str) -> None:
    for function in (hidden, score, gradient, context_gradient):
        table = function(MIDDLE[:, None], CONTEXT, interpretation=name)
        single = function(MIDDLE[2], CONTEXT[3], interpretation=name)
        np.testing.assert_allclose(table[2, 3], single, rtol=1e-14)


def slopes(function: Callable[[Any], Any], at: Any) -> Any:
    """Central differences of a score, coordinate by coordinate."""
    step = 1e-5
    return np.array([(function(at + e) - function(at - e)) / (2 * step) for e in step * np.eye(len(at))])


@every_interpretation
@pytest.mark.parametrize("middle", MIDDLE[:3])
@pytest.mark.parametrize("context", CONTEXT[:3])
def test_gradients_are_the_slopes_of_the_score(name: str, middle: Any, context: Any) -> None:
    by_middle = slopes(lambda m: score(m, context, interpretation=name), middle)
    by_context = slopes(lambda c: score(middle, c, interpretation=name), context)
    np.testing.assert_allclose(gradient(middle, context, interpretation=name), by_middle, atol=1e-9)
    np.testing.assert_allclose(context_gradient(middle, context, interpretation=name), by_context, atol=1e-9)


@pytest.mark.parametrize("middle", MIDDLE[:3])
@pytest.mark.parametrize("context", CONTEXT[:3])
def test_word2vec_gradient_is_the_slope_of_its_score(middle: Any, context: Any) -> None:
    expected = slopes(lambda m: word2vec_score(m, context), middle)
    np.testing.assert_allclose(word2vec_gradient(middle, context), expected, atol=1e-9)


@every_interpretation
@pytest.mark.parametrize("shift", [1.0, 2.5])
def test_gradients_are_those_of_autograd(name: str, shift: float) -> None:
    options: dict[str, Any] = {"interpretation": name}
    if name == "unk_dup":
        options["shift"] = shift
    middle: Any = torch.tensor(MIDDLE, requires_grad=True)
    context: Any = torch.tensor(CONTEXT, requires_grad=True)
    score(middle, context, **options).sum().backward()
    np.testing.assert_allclose(gradient(MIDDLE, CONTEXT, **options), middle.grad, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(context_gradient(MIDDLE, CONTEXT, **options), context.grad, rtol=1e-12, atol=1e-14)


def test_word2vec_gradient_is_that_of_autograd() -> None:
    middle: Any = torch.tensor(MIDDLE, requires_grad=True)
    word2vec_score(middle, torch.tensor(CONTEXT)).sum().backward()
    np.testing.assert_allclose(word2vec_gradient(MIDDLE, CONTEXT), middle.grad, rtol=1e-12, atol=1e-14)


def test_word2vec_score_is_the_log_probability_of_the_pair() -> None:
    products = (MIDDLE * CONTEXT).sum(-1)
    np.testing.assert_allclose(word2vec_score(MIDDLE, CONTEXT), np.log(known(products)), rtol=1e-12)
    assert word2vec_score(MIDDLE[0], CONTEXT[0]) == pytest.approx(word2vec_score(MIDDLE, CONTEXT)[0], rel=1e-14)


ANTISYMMETRIC: dict[str, Callable[[Any, Any], Any]] = {
    "dup": lambda m, c: gradient(m, c, interpretation="dup"),
    "unk_dup": lambda m, c: gradient(m, c, interpretation="unk_dup"),
    "word2vec": word2vec_gradient,
}


@pytest.mark.parametrize("slope", ANTISYMMETRIC.values(), ids=ANTISYMMETRIC)
@properties
@given(pair=word_pairs)
def test_gradient_is_antisymmetric_like_that_of_word2vec(slope: Callable[[Any, Any], Any], pair: Any) -> None:
    middle, context = pair
    np.testing.assert_allclose(slope(-middle, -context), -slope(middle, context), rtol=1e-13, atol=1e-15)


def test_gradient_of_plain_log_odds_is_not_antisymmetric() -> None:
    there = gradient(MIDDLE, CONTEXT, interpretation="log_odds")
    back = gradient(-MIDDLE, -CONTEXT, interpretation="log_odds")
    assert np.abs(there + back).max() > 0.1


@every_interpretation
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certain_log_odds_stay_finite(name: str, dtype: Any) -> None:
    certain = np.array([-1e4, 0.0, 1e4], dtype=dtype)
    middle, context = certain[:, None, None], certain[None, :, None]
    for function in (hidden, score, gradient, context_gradient):
        result = function(middle, context, interpretation=name)
        assert result.dtype == dtype
        assert np.isfinite(result).all()


@every_interpretation
@pytest.mark.parametrize("convert", [array_api_strict.asarray, torch.asarray])
def test_every_library_gives_the_same_answer(name: str, convert: Any) -> None:
    for function in (hidden, score, gradient, context_gradient):
        result = function(convert(MIDDLE), convert(CONTEXT), interpretation=name)
        expected = function(MIDDLE, CONTEXT, interpretation=name)
        np.testing.assert_allclose(np.from_dlpack(result), expected, rtol=1e-13, atol=1e-14)
    for plain in (word2vec_score, word2vec_gradient):
        result = plain(convert(MIDDLE), convert(CONTEXT))
        np.testing.assert_allclose(np.from_dlpack(result), plain(MIDDLE, CONTEXT), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("function", [hidden, score, gradient, context_gradient])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interpretation": "unk"}, "interpretation is 'unk', expected one of log_odds, dup, unk_dup"),
        ({"interpretation": "dup", "shift": 2.0}, "shift=2.0 was given for 'dup', but only 'unk_dup' has a shift"),
        ({"interpretation": "log_odds", "shift": 0.0}, "shift=0.0 was given for 'log_odds', but only 'unk_dup'"),
        ({"shift": -1.0}, "shift is -1.0, expected 0"),
    ],
)
def test_impossible_options_are_refused(function: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        function(MIDDLE, CONTEXT, **options)


@pytest.mark.parametrize("function", [hidden, score, gradient, context_gradient, word2vec_score, word2vec_gradient])
@pytest.mark.parametrize(
    ("middle", "context", "error", "message"),
    [
        (np.array([np.nan, 1.0]), np.ones(2), InvalidInput, "middle holds 1 NaN or infinite values among 2"),
        (np.ones(2), np.array([1.0, np.inf]), InvalidInput, "context holds 1 NaN or infinite values among 2"),
        (
            np.ones(2),
            np.ones(3),
            InvalidInput,
            r"middle of shape \(2,\) and context of shape \(3,\), expected the same",
        ),
        (np.ones(2), np.ones(1), InvalidInput, "expected the same number of features"),
        (np.ones((2, 3)), np.ones((4, 3)), InvalidInput, "expected leading axes that broadcast"),
        (np.ones(2), np.array([1, 2]), NotLogOdds, "context holds int64"),
    ],
    ids=["NaN", "infinity", "features", "one feature", "leading axes", "integers"],
)
def test_bad_words_are_refused(function: Any, middle: Any, context: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        function(middle, context)
