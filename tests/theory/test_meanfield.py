import itertools
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from optional_torch import torch
from scipy.optimize import minimize_scalar

from entvec.errors import InvalidInput, NotLogOdds
from entvec.theory import backward, factorised, forward, meanfield
from entvec.theory.meanfield import entropy, objective, update_backward, update_forward

TERMS = ["exact", "forward", "backward", "factorised"]
NONE = np.zeros(2)

often = settings(derandomize=True, deadline=None, max_examples=100)


def vectors(n: int, limit: float = 8) -> st.SearchStrategy[Any]:
    """n vectors with the same number of features."""
    elements = st.floats(-limit, limit, allow_subnormal=False)
    return st.integers(1, 4).flatmap(lambda k: hnp.arrays(float, (n, k), elements=elements))


leaks = st.floats(1e-12, 0.999)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def exact_log_entailment(y: Any, x: Any, leak: float) -> Any:
    """The log-probability that bits y entail bits x if each feature is excused with probability `leak`."""
    return np.log(1 - (1 - leak) * (1 - y) * x).sum()


def test_forward_adds_what_the_entailing_vector_lets_be_known() -> None:
    np.testing.assert_allclose(update_forward(np.array([0.5, 0.5]), np.array([0.0, 30.0])), [0.5 - np.log(2), 0.5])


def test_backward_adds_what_the_entailed_vector_demands() -> None:
    np.testing.assert_allclose(update_backward(np.array([0.5, 0.5]), np.array([0.0, -30.0])), [0.5 + np.log(2), 0.5])


def test_certainty_passes_through_both_updates() -> None:
    certain = np.array([1e4, -1e4])
    np.testing.assert_allclose(update_forward(NONE, certain), [0, -1e4])
    np.testing.assert_allclose(update_backward(NONE, certain), [1e4, 0])


@often
@given(vectors(3, limit=5))
def test_forward_update_minimises_the_forward_objective(given_vectors: Any) -> None:
    y, prior_y, prior_x = given_vectors[:, :1]

    def loss(x: float) -> float:
        return float(objective(y, np.array([x]), prior_y, prior_x, term="forward"))

    best = minimize_scalar(loss, bracket=(-1.0, 1.0))
    assert best.x == pytest.approx(update_forward(prior_x, y)[0], abs=1e-3)


@often
@given(vectors(3, limit=5))
def test_backward_update_minimises_the_backward_objective(given_vectors: Any) -> None:
    x, prior_y, prior_x = given_vectors[:, :1]

    def loss(y: float) -> float:
        return float(objective(np.array([y]), x, prior_y, prior_x, term="backward"))

    best = minimize_scalar(loss, bracket=(-1.0, 1.0))
    assert best.x == pytest.approx(update_backward(prior_y, x)[0], abs=1e-3)


@often
@given(vectors(3), st.floats(0.01, 3), st.sampled_from([-1, 1]))
def test_no_coordinate_can_be_moved_to_a_better_place(given_vectors: Any, size: float, sign: int) -> None:
    other, prior_y, prior_x = given_vectors
    x, y = update_forward(prior_x, other), update_backward(prior_y, other)
    for step in sign * size * np.eye(len(other)):
        moved = objective(other, x + step, prior_y, prior_x, term="forward")
        assert moved >= objective(other, x, prior_y, prior_x, term="forward") - 1e-12
        moved = objective(y + step, other, prior_y, prior_x, term="backward")
        assert moved >= objective(y, other, prior_y, prior_x, term="backward") - 1e-12


@often
@given(vectors(4), leaks)
def test_jensen_orders_the_objectives(given_vectors: Any, leak: float) -> None:
    loss = {term: objective(*given_vectors, term=term, leak=leak) for term in TERMS}
    slack = 1e-9 * (1 + abs(loss["exact"]))
    for middle in ("forward", "backward"):
        assert loss["factorised"] <= loss[middle] + slack
        assert loss[middle] <= loss["exact"] + slack


def test_the_order_is_strict_where_something_is_undecided() -> None:
    half = np.zeros(1)
    loss = {term: float(objective(half, half, half, half, term=term, leak=0.1)) for term in TERMS}
    assert loss["factorised"] < loss["forward"] < loss["exact"]
    assert loss["factorised"] < loss["backward"] < loss["exact"]


@pytest.mark.parametrize("term", ["forward", "backward", "factorised"])
def test_a_certain_violation_costs_its_log_odds(term: str) -> None:
    y, x, undecided = np.array([-1e4]), np.array([1e4]), np.zeros(1)
    assert objective(y, x, undecided, undecided, term=term) == pytest.approx(1e4, abs=1)
    assert objective(y, x, undecided, undecided, term=term, leak=0.01) == pytest.approx(-np.log(0.01))


def test_without_a_leak_the_exact_objective_is_infinite() -> None:
    assert objective(np.array([3.0]), np.array([-3.0]), np.zeros(1), np.zeros(1)) == np.inf


def test_the_exact_objective_is_infinite_for_certain_vectors_too() -> None:
    assert objective(np.array([1e4]), np.array([-1e4]), np.zeros(1), np.zeros(1)) == np.inf


@often
@given(vectors(4))
def test_a_vanishing_leak_is_no_leak(given_vectors: Any) -> None:
    for term in ("forward", "backward", "factorised"):
        without = objective(*given_vectors, term=term)
        assert objective(*given_vectors, term=term, leak=1e-14) == pytest.approx(without, rel=1e-6, abs=1e-9)


def test_a_tiny_leak_keeps_the_factorised_objective_finite() -> None:
    loss = objective(np.array([-1e4]), np.array([1e4]), np.zeros(1), np.zeros(1), term="factorised", leak=1e-20)
    assert loss == pytest.approx(-np.log(1e-20))


@often
@given(vectors(4), leaks)
def test_each_term_is_the_jensen_bound_it_names(given_vectors: Any, leak: float) -> None:
    y, x = sigmoid(given_vectors[0]), sigmoid(given_vectors[1])
    by_definition = {
        "exact": (1 - y) * x * np.log(leak),
        "forward": x * np.log(y + (1 - y) * leak),
        "backward": (1 - y) * np.log(1 - x + x * leak),
        "factorised": np.log(1 - (1 - leak) * (1 - y) * x),
    }
    free = objective(*given_vectors, term="factorised") + factorised(*given_vectors[:2])
    for term, terms in by_definition.items():
        assert objective(*given_vectors, term=term, leak=leak) == pytest.approx(free - terms.sum(), rel=1e-6, abs=1e-6)


@often
@given(vectors(4))
def test_the_terms_are_the_operators_of_the_same_name(given_vectors: Any) -> None:
    y, x, prior_y, prior_x = given_vectors
    p, q = sigmoid(y), sigmoid(x)
    alone = (p * np.log(p) + (1 - p) * np.log(1 - p) - p * prior_y).sum()
    alone += (q * np.log(q) + (1 - q) * np.log(1 - q) - q * prior_x).sum()
    for term, operator in (("forward", forward), ("backward", backward), ("factorised", factorised)):
        assert objective(y, x, prior_y, prior_x, term=term) == pytest.approx(alone - operator(y, x), rel=1e-9, abs=1e-9)


@often
@given(vectors(4, limit=4).filter(lambda v: v.shape[1] <= 3), st.floats(0.01, 0.9))
def test_exact_objective_is_the_kl_divergence(given_vectors: Any, leak: float) -> None:
    """Up to log Z, which is a constant of the priors: D(Q || P) by enumeration of all pairs of bit vectors."""
    y, x, prior_y, prior_x = given_vectors
    divergence = 0.0
    states = [np.array(bits) for bits in itertools.product([0.0, 1.0], repeat=len(y))]
    for bits_y, bits_x in itertools.product(states, states):
        q = np.prod(np.where(bits_y, sigmoid(y), sigmoid(-y))) * np.prod(np.where(bits_x, sigmoid(x), sigmoid(-x)))
        log_p = bits_y @ prior_y + bits_x @ prior_x + exact_log_entailment(bits_y, bits_x, leak)
        divergence += q * (np.log(q) - log_p)
    assert objective(y, x, prior_y, prior_x, leak=leak) == pytest.approx(divergence, rel=1e-8, abs=1e-8)


def test_the_entailing_and_the_entailed_vector_are_not_interchangeable() -> None:
    poodle, animal = np.array([4.0, 4.0]), np.array([4.0, -4.0])
    for term in TERMS:
        right = objective(poodle, animal, NONE, NONE, term=term, leak=0.01)
        assert right < objective(animal, poodle, NONE, NONE, term=term, leak=0.01) - 1


def test_each_vector_is_held_to_its_own_prior() -> None:
    y, x = np.array([9.0, 9.0]), np.array([-9.0, -9.0])
    fits = objective(y, x, prior_y=y, prior_x=x, term="factorised")
    assert fits < objective(y, x, prior_y=x, prior_x=y, term="factorised") - 30


@often
@given(hnp.arrays(float, 3, elements=st.floats(-30, 30)))
def test_entropy_is_that_of_a_coin(x: Any) -> None:
    p = sigmoid(x)
    np.testing.assert_allclose(entropy(x), -p * np.log(p) - sigmoid(-x) * np.log(sigmoid(-x)), atol=1e-14)


def test_entropy_is_largest_for_the_undecided_and_nothing_for_the_certain() -> None:
    np.testing.assert_allclose(entropy(np.array([-1e4, 0.0, 1e4])), [0, np.log(2), 0], atol=1e-300)


def test_one_loss_for_each_pair() -> None:
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    losses = objective(y, x, np.zeros(3), np.ones(3), term="backward")
    assert losses.shape == (5, 4)
    assert losses[2, 3] == pytest.approx(objective(y[2, 0], x[3], np.zeros(3), np.ones(3), term="backward"))


@pytest.mark.parametrize("convert", [torch.asarray, array_api_strict.asarray])
@pytest.mark.parametrize("leak", [0.0, 0.2])
def test_every_array_library_gives_the_same_answer(convert: Any, leak: float) -> None:
    rows = np.random.default_rng(0).normal(size=(4, 2, 3))
    theirs = [convert(row) for row in rows]
    for function, n in ((update_forward, 2), (update_backward, 2), (entropy, 1)):
        result = function(*theirs[:n])
        assert type(result) is type(theirs[0])
        np.testing.assert_allclose(np.asarray(result), function(*rows[:n]), rtol=1e-12)
    for term in TERMS:
        result = objective(*theirs, term=term, leak=leak)
        assert type(result) is type(theirs[0])
        np.testing.assert_allclose(np.asarray(result), objective(*rows, term=term, leak=leak), rtol=1e-12)


@pytest.mark.parametrize("term", TERMS)
def test_single_precision_stays_single(term: str) -> None:
    rows = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    loss = objective(*rows, term=term, leak=0.1)
    assert loss.dtype == update_forward(*rows[:2]).dtype == entropy(rows).dtype == np.float32
    assert loss == pytest.approx(objective(*rows.astype(float), term=term, leak=0.1), rel=1e-5)


def test_the_default_objective_is_the_definition() -> None:
    half = np.zeros(1)
    assert objective(half, half, half, half, leak=0.5) == objective(half, half, half, half, term="exact", leak=0.5)
    assert set(meanfield.ENTAILMENT_TERMS) == set(TERMS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: update_forward(np.zeros(2), np.zeros(3)), r"prior of shape \(2,\) and y of shape \(3,\)"),
        (lambda: update_backward(np.zeros(2), np.zeros(3)), r"prior of shape \(2,\) and x of shape \(3,\)"),
        (lambda: update_forward(NONE, np.array([0.0, np.nan])), "y holds 1 NaN"),
        (lambda: update_forward(np.array([np.inf, np.nan]), NONE), "prior holds 2 NaN"),
        (lambda: update_backward(NONE, np.array([np.inf, 0.0])), "x holds 1 NaN"),
        (lambda: update_backward(np.array([np.inf, 0.0]), NONE), "prior holds 1 NaN"),
        (lambda: entropy(np.array([np.nan])), "x holds 1 NaN"),
        (lambda: entropy(np.array(1.0)), "x is a single number"),
        (lambda: objective(np.array([np.nan, 0]), NONE, NONE, NONE), "y holds 1 NaN"),
        (lambda: objective(NONE, np.array([np.nan, 0]), NONE, NONE), "x holds 1 NaN"),
        (lambda: objective(NONE, NONE, np.array([np.nan, 0]), NONE), "prior_y holds 1 NaN"),
        (lambda: objective(NONE, NONE, NONE, np.array([np.nan, 0])), "prior_x holds 1 NaN"),
        (lambda: objective(NONE, NONE, np.zeros(3), NONE), r"prior_y of shape \(3,\)"),
        (lambda: objective(NONE, np.zeros(1), NONE, NONE), r"x of shape \(1,\)"),
        (
            lambda: objective(NONE, NONE, NONE, NONE, term="sideways"),
            "^term is 'sideways', expected one of exact, forward, backward, factorised$",
        ),
        (
            lambda: objective(NONE, NONE, NONE, NONE, leak=1.0),
            r"^leak is 1.0, expected a probability, 0 <= leak < 1$",
        ),
        (lambda: objective(NONE, NONE, NONE, NONE, leak=-0.1), "leak is -0.1"),
        (lambda: objective(NONE, NONE, NONE, NONE, leak=float("nan")), "leak is nan"),
    ],
)
def test_refuses(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize("function", [update_forward, update_backward])
def test_refuses_what_is_no_log_odds(function: Any) -> None:
    with pytest.raises(NotLogOdds, match="prior holds int64"):
        function(np.array([0, 1]), NONE)
    with pytest.raises(NotLogOdds, match="arrays of one library"):
        function([0.0, 1.0], NONE)
