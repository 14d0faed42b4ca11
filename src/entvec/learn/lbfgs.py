"""L-BFGS: minimises a smooth function of many numbers.

It takes the steps of SciPy's L-BFGS-B without bounds, but computes inner products without the BLAS. In a process whose
BLAS has threads, each inner product of SciPy's wakes all of them, and they take longer to wake than to compute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Loss = Callable[[Floats], tuple[float, Floats]]

CORRECTIONS = 5
"""How many earlier steps an estimate of the curvature is made from."""
DECREASE, CURVATURE = 1e-3, 0.9
"""The strong Wolfe conditions: a step lowers the loss by this part of what its slope promises, and leaves at most this
part of the slope."""
TRIALS = 20


class Minimum(NamedTuple):
    """Where the search ended, the loss there, and after how many steps."""

    x: Floats
    loss: float
    n_iter: int


class _Correction(NamedTuple):
    """A step, the change of the gradient along it, and their inner product."""

    step: Floats
    change: Floats
    inner: float


def minimise(loss: Loss, start: Floats, *, max_iter: int, tol: float) -> Minimum:
    """Return a local minimum of a loss.

    Parameters
    ----------
    loss
        Returns the loss and its gradient at a point.
    start
        Where to start.
    max_iter, tol
        When to stop: after this many steps, or when a step lowers the loss by at most this part of it, or of 1 if the
        loss is smaller.

    >>> found = minimise(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), max_iter=100, tol=1e-9)
    >>> found.x.round(6), found.n_iter
    (array([3., 3.]), 3)
    """
    x, (value, gradient) = start, loss(start)
    corrections: deque[_Correction] = deque(maxlen=CORRECTIONS)
    n_iter = 0
    while n_iter < max_iter and gradient.any():
        direction = _direction(gradient, corrections)
        first = 1.0 if corrections or n_iter else 1 / _inner(direction, direction) ** 0.5
        found = _line_search(loss, x, value, gradient, direction, first)
        if found is None:
            if not corrections:
                break
            corrections.clear()  # the curvature misled; the gradient itself may not
            continue
        n_iter += 1
        step, after, new_gradient = found
        change = new_gradient - gradient
        if (inner := _inner(step, change)) > np.finfo(float).eps * -_inner(gradient, step):
            corrections.append(_Correction(step, change, inner))
        before, x, value, gradient = value, x + step, after, new_gradient
        if before - value <= tol * max(abs(before), abs(value), 1.0):
            break
    return Minimum(x, value, n_iter)


def _direction(gradient: Floats, corrections: deque[_Correction]) -> Floats:
    """Return minus the gradient, multiplied with the estimated inverse of the second derivatives (two loops)."""
    direction = -gradient
    parts = []
    for step, change, inner in reversed(corrections):
        parts.append(_inner(step, direction) / inner)
        direction -= parts[-1] * change
    if corrections:
        _, change, inner = corrections[-1]
        direction *= inner / _inner(change, change)
    for step, change, inner in corrections:
        direction += (parts.pop() - _inner(change, direction) / inner) * step
    return direction


def _line_search(
    loss: Loss, x: Floats, value: float, gradient: Floats, direction: Floats, first: float
) -> tuple[Floats, float, Floats] | None:
    """Return a step that meets the Wolfe conditions, with the loss and the gradient after it; None if none is found."""
    slope = _inner(gradient, direction)
    low, high, length = 0.0, np.inf, first
    for _ in range(TRIALS if slope < 0 else 0):
        step = length * direction
        after, new_gradient = loss(x + step)
        new_slope = _inner(new_gradient, direction)
        if not after <= value + DECREASE * length * slope or new_slope > CURVATURE * -slope:
            high = length
        elif new_slope < CURVATURE * slope:
            low = length
        else:
            return step, after, new_gradient
        length = (low + high) / 2 if high < np.inf else 2 * length
    return None


def _inner(a: Floats, b: Floats) -> float:
    return float(np.einsum("i,i->", a, b))
