"""L-BFGS: the steps of SciPy's, and minima of functions that are known."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize, rosen, rosen_der

from entvec.learn.lbfgs import CORRECTIONS, minimise

Floats = NDArray[np.floating[Any]]


def quadratic(n: int, largest: float) -> Any:
    curvature = np.geomspace(1.0, largest, n)
    return lambda x: (float((curvature * (x - 1) ** 2).sum() / 2), curvature * (x - 1))


def logistic(x: Floats) -> tuple[float, Floats]:
    points = np.random.default_rng(0).normal(size=(50, len(x)))
    margin = points @ x + 1
    loss = np.logaddexp(0, -margin).mean() + x @ x / 20
    return float(loss), -points.T @ (1 / (1 + np.exp(margin))) / len(points) + x / 10


def rosenbrock(x: Floats) -> tuple[float, Floats]:
    return float(rosen(x)), np.asarray(rosen_der(x))


@pytest.mark.parametrize("steps", [1, 2, CORRECTIONS, 2 * CORRECTIONS])
def test_steps_are_those_of_scipy_where_the_first_trial_is_taken(steps: int) -> None:
    options: Any = {"maxiter": steps, "ftol": 0.0, "gtol": 0.0, "maxcor": CORRECTIONS}
    theirs = minimize(logistic, np.zeros(20), jac=True, method="L-BFGS-B", options=options)
    assert theirs.nfev == steps + 1
    ours = minimise(logistic, np.zeros(20), max_iter=steps, tol=0)
    assert ours.n_iter == theirs.nit
    assert ours.loss == pytest.approx(theirs.fun, rel=1e-9)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-7)


@pytest.mark.parametrize("loss", [quadratic(30, 100.0), rosenbrock])
def test_the_minimum_is_found(loss: Any) -> None:
    found = minimise(loss, np.full(30, -1.0), max_iter=1000, tol=1e-14)
    assert found.n_iter < 1000
    np.testing.assert_allclose(found.x, 1, atol=1e-4)
    assert found.loss == loss(found.x)[0]


def test_it_stops_at_a_minimum_after_few_steps_or_when_a_step_gains_little() -> None:
    loss = quadratic(10, 100.0)
    assert minimise(loss, np.ones(10), max_iter=5, tol=0).n_iter == 0
    assert minimise(loss, np.zeros(10), max_iter=3, tol=0).n_iter == 3
    losses = [minimise(loss, np.zeros(10), max_iter=100, tol=tol) for tol in (1e-1, 1e-3, 1e-6)]
    assert [found.n_iter for found in losses] == sorted({found.n_iter for found in losses})


def test_a_step_does_not_go_where_the_loss_is_infinite_or_no_number() -> None:
    def barrier(x: Floats) -> tuple[float, Floats]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(-np.log(x).sum() + 10 * x.sum()), -1 / x + 10

    np.testing.assert_allclose(minimise(barrier, np.ones(3), max_iter=100, tol=1e-12).x, 0.1, atol=1e-4)


def test_a_gradient_that_is_wrong_ends_the_search() -> None:
    found = minimise(lambda x: (float((x**2).sum()), -2 * x), np.ones(2), max_iter=100, tol=0)
    assert found.n_iter == 0
    np.testing.assert_array_equal(found.x, 1)
