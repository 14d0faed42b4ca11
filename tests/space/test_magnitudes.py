"""Vectors of any size: each score is right within its bound, or an error names the word and says why.

The reference is computed with the formulas of the operators in extended precision, where nothing here overflows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.vectors import Vectors

pytestmark = pytest.mark.skipif(
    float(np.finfo(np.longdouble).maxexp) < 10_000, reason="this machine has no floating-point type with a wide range"
)

Long = NDArray[np.longdouble]
WORDS = [f"word_{i}" for i in range(9)]
DIRECTIONS = np.random.default_rng(3).normal(size=(len(WORDS), 4))
MAGNITUDES = (1e-300, 1e-160, 1e-60, 1e-42, 1e-25, 1e-8, 1.0, 1e3, 1e7, 1e20, 1e45, 1e160, 1e300)
ROUNDING = {"float64": 1e-12, "float32": 1e-6, "float16": 4e-3, "bfloat16": 3e-2}
"""The bound of a score in a search, as a part of the sum of the sizes of its terms: keys are rounded to the dtype."""


def long_log_known(z: Long) -> Long:
    return np.minimum(z, 0) - np.log1p(np.exp(-np.abs(z)))


def long_cosine(y: Long, x: Long) -> tuple[Long, Long]:
    lengths = np.sqrt((y * y).sum(-1) * (x * x).sum(-1))
    terms = y * x / np.where(lengths == 0, 1, lengths)[..., None]
    return terms.sum(-1), np.ones_like(lengths)


def reference(operator: str, y: Long, x: Long) -> tuple[Long, Long]:
    """Return the score of each pair, and the sum of the sizes of its terms."""
    if operator == "forward":
        terms = np.exp(long_log_known(x)) * long_log_known(y)
    elif operator == "backward":
        terms = np.exp(long_log_known(-y)) * long_log_known(-x)
    elif operator == "factorised":  # log(1 - s(-y) s(x)), of which 1 - ab = (1 - a) + a (1 - b)
        a, known_y, unknown_x = long_log_known(-y), long_log_known(y), long_log_known(-x)
        broken = a + long_log_known(x)
        terms = np.where(broken < -1, np.log1p(-np.exp(np.minimum(broken, -1))), np.logaddexp(known_y, a + unknown_x))
    elif operator == "dot":
        terms = y * x
    elif operator == "cosine":
        return long_cosine(y, x)
    elif operator == "difference":
        terms = np.concatenate(np.broadcast_arrays(y, -x), axis=-1)
    else:
        here, there = x[..., :, None], x[..., None, :]
        order = (there > here).sum(-1) + ((there == here).sum(-1) + 1) / np.longdouble(2)
        weight = 0.5 + 0.5 * (1 - order / np.longdouble(x.shape[-1] + 1))
        return long_cosine(y * weight, x * weight)
    return terms.sum(-1), np.abs(terms).sum(-1)


def slack(operator: str, odds: Long, dtype: str = "float64") -> Any:
    """Return the error of probabilities that are nearly 0: the smallest number of the dtype, times a log-odds."""
    smallest = np.finfo("float32" if dtype == "bfloat16" else dtype).smallest_normal
    if operator in ("forward", "backward"):
        return smallest * (1 + 2 * np.abs(odds).sum(-1).max())
    return 16 * np.sqrt(smallest) if operator == "factorised" else np.finfo(np.float64).tiny


def interpreted(interpretation: str, vectors: NDArray[Any]) -> Long:
    v = np.asarray(vectors, dtype=np.longdouble)
    if interpretation == "log_odds":
        return v
    shift = 0 if interpretation == "dup" else 1
    return np.concatenate([v - shift, -v - shift], axis=-1)


def space_of(matrix: NDArray[Any], operator: str, interpretation: str, **options: Any) -> EntailmentSpace:
    vectors = Vectors(WORDS[: len(matrix)], matrix)
    return EntailmentSpace.from_vectors(vectors, operator=operator, interpretation=interpretation, **options)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def check_refusal(error: InvalidInput, size: float) -> None:
    """Check that the error names a word, and that it is told of vectors that are far from usual."""
    assert "word_" in str(error), error
    assert not 1e-4 <= size < 1e3, error


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("interpretation", INTERPRETATIONS)
def test_scores_of_pairs(operator: str, interpretation: str) -> None:
    for size in MAGNITUDES:
        matrix = DIRECTIONS * size
        space = space_of(matrix, operator, interpretation)
        odds = interpreted(interpretation, matrix)
        expected, terms = reference(operator, odds[:, None], odds[None])
        hypo, hyper = (list(map(str, each.ravel())) for each in np.meshgrid(WORDS, WORDS, indexing="ij"))
        try:
            batch = space.score(hypo, hyper)
        except InvalidInput as error:
            check_refusal(error, size)
            assert operator == "dot"
            assert size >= 1e155
            continue
        bound = (1e-12 * terms + slack(operator, odds)).ravel()
        assert (np.abs(batch - expected.ravel()) <= bound).all(), size
        singles = np.array([space.score(*pair) for pair in zip(hypo, hyper, strict=True)])
        assert (np.abs(batch - singles) <= 2 * bound).all(), size
        by_vector = space.score(np.repeat(matrix, len(WORDS), axis=0), np.tile(matrix, (len(WORDS), 1)))
        assert (np.abs(by_vector - singles) <= 2 * bound).all(), size


def check_ranking(space: EntailmentSpace, operator: str, interpretation: str, matrix: NDArray[Any], dtype: str) -> None:
    odds = interpreted(interpretation, matrix)
    expected, terms = reference(operator, odds[:, None], odds[None])
    for side, table, sizes in (("hypernyms", expected, terms), ("hyponyms", expected.T, terms.T)):
        found = getattr(space, side)(WORDS, k=4, specificity=0, exclude_self=False)
        bound = ROUNDING[dtype] * sizes.max(axis=1) + slack(operator, odds, dtype)
        right = np.take_along_axis(table, found.indices, axis=1)
        assert (np.abs(found.scores - right) <= bound[:, None]).all(), side
        kth_best = np.sort(table, axis=1)[:, -4]
        assert (right[:, -1] >= kth_best - 2 * bound).all(), side


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("interpretation", INTERPRETATIONS)
def test_searches_in_memory(operator: str, interpretation: str, dtype: str) -> None:
    for size in MAGNITUDES:
        matrix = DIRECTIONS * size
        try:
            space = space_of(matrix, operator, interpretation, dtype=dtype)
            check_ranking(space, operator, interpretation, matrix, dtype)
            assert np.isfinite(space.hypernyms(WORDS, k=4).scores).all()
        except InvalidInput as error:
            check_refusal(error, size)


@pytest.mark.parametrize("backend", ["scan", "device"])
@pytest.mark.parametrize("operator", [name for name, row in OPERATORS.items() if row.maps != "none"])
@pytest.mark.parametrize("interpretation", ["log_odds", "unk_dup"])
def test_searches_of_backends(operator: str, interpretation: str, backend: str) -> None:
    options = {}
    if backend == "device":
        pytest.importorskip("torch")
        options["device"] = "cpu"
    for size in MAGNITUDES:
        matrix = DIRECTIONS * size
        space = space_of(matrix, operator, interpretation)
        if not space.model.indexable:
            continue
        try:
            moved = space.with_backend(backend, sides=("hypo", "hyper"), **options)
            check_ranking(moved, operator, interpretation, matrix, "float32")
        except InvalidInput as error:
            check_refusal(error, size)


@settings(max_examples=40, deadline=None)
@given(
    exponents=st.lists(st.integers(-300, 300), min_size=2, max_size=6),
    operator=st.sampled_from(list(OPERATORS)),
    interpretation=st.sampled_from(list(INTERPRETATIONS)),
)
def test_words_of_different_sizes(exponents: list[int], operator: str, interpretation: str) -> None:
    matrix = DIRECTIONS[: len(exponents)] * np.power(10.0, exponents)[:, None]
    space = space_of(matrix, operator, interpretation)
    odds = interpreted(interpretation, matrix)
    words = WORDS[: len(matrix)]
    for i, hypo in enumerate(words):
        expected, terms = reference(operator, odds[i], odds)
        bound = 1e-12 * terms + slack(operator, odds)
        try:
            assert (np.abs(space.score(hypo, words) - expected) <= bound).all()
        except InvalidInput as error:
            check_refusal(error, 10.0 ** max(exponents, key=abs))


@pytest.mark.parametrize("operator", [name for name, row in OPERATORS.items() if row.parts is not None])
def test_explanations_and_generality(operator: str) -> None:
    for size in MAGNITUDES:
        space = space_of(DIRECTIONS * size, operator, "log_odds")
        for ask in (
            lambda space: space.explain("word_0", "word_1").score - space.score("word_0", "word_1"),
            lambda space: [pair.score for pair in space.compare("word_0", "word_1")],
            lambda space: space.generality(WORDS),
        ):
            try:
                assert np.isfinite(ask(space)).all()
            except InvalidInput as error:
                check_refusal(error, size)
