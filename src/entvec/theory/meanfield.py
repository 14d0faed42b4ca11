"""The mean-field approximation of one entailment (the paper, section 2.1).

Given priors over x and y and the fact that y entails x, the posterior is approximated by independent
features with log-odds X and Y. Inferring one vector while the other is fixed is a single sum:

>>> import numpy as np
>>> dog, animal = np.array([2.0, 2.0]), np.array([2.0, -2.0])
>>> update_backward(np.zeros(2), animal).round(2)  # what entails an animal has at least its known feature
array([2.13, 0.13])
>>> update_forward(np.zeros(2), dog).round(2)  # what a dog entails has at most the features of a dog
array([-0.13, -0.13])

Each update minimises an approximation of the objective

    L = -H(Q) - s(X).theta_x - s(Y).theta_y - E_Q log P(y => x | x, y)

in which the last term, the log-probability of the entailment, has one expectation or both moved inside
the logarithm. Jensen's inequality, E log <= log E, then orders them for every X and Y:

    L with "factorised"  <=  L with "forward" or "backward"  <=  L with "exact".

The paper introduces the forward and the backward form as upper bounds of L. They are upper bounds of the
factorised objective; the exact one lies above them. For an entailment without exceptions the exact objective is
infinite, because independent features always leave some probability that x knows a feature and y does not. A
`leak` > 0, the probability that a feature is excused, makes it finite, so that the order can be observed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from entvec.errors import InvalidInput
from entvec.theory.arrays import Array, check_vectors, namespace
from entvec.theory.elementwise import known, log_entailed, log_known, log_unknown, unknown


def update_forward(prior: Array, y: Array) -> Array:
    """Return the X that minimises L with the "forward" term, given Y (equation 3): X = theta_x + log s(Y)."""
    check_vectors(prior=prior, y=y)
    return prior + log_known(y)


def update_backward(prior: Array, x: Array) -> Array:
    """Return the Y that minimises L with the "backward" term, given X (equation 5): Y = theta_y - log s(-X)."""
    check_vectors(prior=prior, x=x)
    return prior - log_unknown(x)


def entropy(x: Array) -> Array:
    """Return the entropy of each feature, -s(X) log s(X) - s(-X) log s(-X), in nats."""
    check_vectors(x=x)
    return -(known(x) * log_known(x) + unknown(x) * log_unknown(x))


def objective(y: Array, x: Array, prior_y: Array, prior_x: Array, *, term: str = "exact", leak: float = 0.0) -> Array:
    """Return the objective L without the constant log Z, summed over the features (equations 2 and 4).

    >>> import numpy as np
    >>> dog, animal, prior = np.array([2.0, 2.0]), np.array([2.0, -2.0]), np.zeros(2)
    >>> for term in ("factorised", "backward", "exact"):
    ...     print(term, round(float(objective(dog, animal, prior, prior, term=term, leak=0.01)), 2))
    factorised -1.34
    backward -1.2
    exact -0.91

    Parameters
    ----------
    y, x
        The log-odds of the entailing and of the entailed side.
    prior_y, prior_x
        Their prior log-odds, theta_y and theta_x.
    term
        How the log-probability of the entailment is computed, a name in `ENTAILMENT_TERMS`: "exact" as
        in the definition of L; "forward", "backward" or "factorised" as in the operators of the same name.
    leak
        The probability that a feature need not obey the entailment, from 0 to below 1.
    """
    check_vectors(y=y, x=x, prior_y=prior_y, prior_x=prior_x)
    if term not in ENTAILMENT_TERMS:
        raise InvalidInput(f"term is {term!r}, expected one of {', '.join(ENTAILMENT_TERMS)}")
    if not 0 <= leak < 1:
        raise InvalidInput(f"leak is {leak}, expected a probability, 0 <= leak < 1")
    entailment = ENTAILMENT_TERMS[term](y, x, leak)
    return namespace(y).sum(_free(y, prior_y) + _free(x, prior_x) - entailment, axis=-1)


def _free(x: Array, prior: Array) -> Array:
    """Return the terms of L that depend on x alone: its negative entropy, and its distance from its prior."""
    return -entropy(x) - known(x) * prior


# A feature obeys the entailment with probability 1 - (1 - leak)(1 - y_k) x_k, and the arguments of the
# logarithms are sums of positive numbers, so that no digits are lost however small the leak.


def _exact(y: Array, x: Array, leak: float) -> Array:
    violated = unknown(y) * known(x)  # positive, though it may underflow to 0
    return violated * math.log(leak) if leak else namespace(violated).full_like(violated, -math.inf)


def _forward(y: Array, x: Array, leak: float) -> Array:
    return known(x) * (namespace(y).log(known(y) + leak * unknown(y)) if leak else log_known(y))


def _backward(y: Array, x: Array, leak: float) -> Array:
    return unknown(y) * (namespace(x).log(unknown(x) + leak * known(x)) if leak else log_unknown(x))


def _factorised(y: Array, x: Array, leak: float) -> Array:
    obeyed = log_entailed(y, x)
    return namespace(y).logaddexp(obeyed, math.log(leak) + log_unknown(y) + log_known(x)) if leak else obeyed


ENTAILMENT_TERMS: dict[str, Callable[[Array, Array, float], Array]] = {
    "exact": _exact,
    "forward": _forward,
    "backward": _backward,
    "factorised": _factorised,
}
