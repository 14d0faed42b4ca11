"""The exact model that everything else approximates: entailment between vectors of known bits.

A bit says that a feature is known (1) or unknown (0), and y entails x if every bit of x is also in y
(the paper, section 2). Nothing is approximated here, so time and memory are of order 2^K. Use this module
with small K, to learn how the model works and as the reference that the approximations are tested against.

A prior is the array of the probabilities of all 2^K bit vectors, in the order of `bit_vectors(K)`, so
features may depend on each other in any way.

>>> import numpy as np
>>> unk, f, g, not_f = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
>>> table = np.array([unk, f, g, not_f])
>>> entails(table[:, None], table).astype(int)  # the paper's Table 1: row entails column
array([[1, 0, 0, 0],
       [1, 1, 0, 0],
       [1, 0, 1, 0],
       [1, 0, 0, 1]])

The features f and not f are never known together. A prior that excludes this combination gives another probability of
entailment than independent features do:

>>> undecided = np.array([0.0, 0.0])  # f and not f, log-odds 0 each
>>> free, exclusive = independent(undecided), mutual_exclusion(undecided, [(0, 1)])
>>> bit_vectors(2).astype(int).tolist()
[[0, 0], [1, 0], [0, 1], [1, 1]]
>>> exclusive.round(3)
array([0.333, 0.333, 0.333, 0.   ])
>>> round(probability(free, free), 3), round(probability(exclusive, exclusive), 3)
(0.562, 0.556)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.theory.arrays import check_features

Bits: TypeAlias = NDArray[np.bool_]

MOST_BITS = 20
"""The largest K. Enumerating 2^20 states takes about a second, and each further bit doubles the time."""
MOST_JOINT_BITS = 12
"""The largest K for a joint distribution of two vectors, which has 4^K entries."""


def entails(y: ArrayLike, x: ArrayLike) -> Bits:
    """Return whether every bit of x is also in y: prod_k (1 - (1 - y_k) x_k). Leading axes broadcast."""
    y_bits, x_bits = _bits(y=y), _bits(x=x)
    check_features(y=y_bits.astype(float), x=x_bits.astype(float))
    return np.asarray(np.all(y_bits | ~x_bits, axis=-1))


def bit_vectors(n_features: int) -> Bits:
    """Return all 2^K vectors of K bits. The bits of row i are the binary digits of i, the lowest first."""
    _check_count(n_features, MOST_BITS, "bits")
    return (np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1).astype(bool)


def prior(n_features: int, log_weight: Callable[[Bits], ArrayLike]) -> Floats:
    """Return the prior whose unnormalised log-probabilities `log_weight` computes.

    `log_weight` is called with all bit vectors, an array of shape (2^K, K). A weight of -inf forbids a vector.

    >>> import numpy as np
    >>> prior(2, lambda bits: np.where(bits[:, 0] == bits[:, 1], 0.0, -np.inf))  # both bits or neither
    array([0.5, 0. , 0. , 0.5])
    """
    return _normalise(_log_weights(log_weight, bit_vectors(n_features)))


def independent(log_odds: ArrayLike) -> Floats:
    """Return the prior in which each feature is known with its own log-odds, independently of the others."""
    theta = _vector(log_odds)
    return prior(len(theta), lambda bits: bits @ theta)


def mutual_exclusion(log_odds: ArrayLike, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Return the prior of `independent`, conditioned on that no pair of features is known together (such as f and not
    f).
    """
    theta = _vector(log_odds)
    both = np.array(list(pairs), dtype=int).reshape(-1, 2)
    if both.size and (both.min() < 0 or both.max() >= len(theta)):
        raise InvalidInput(f"pairs name feature {both.min()} to {both.max()}, expected 0 to {len(theta) - 1}")
    if (both[:, 0] == both[:, 1]).any():
        raise InvalidInput("a pair names the same feature twice, expected two different features")
    return prior(
        len(theta),
        lambda bits: np.where((bits[:, both[:, 0]] & bits[:, both[:, 1]]).any(axis=1), -np.inf, bits @ theta),
    )


def joint(prior_y: ArrayLike, prior_x: ArrayLike) -> Floats:
    """Return P(x, y, y => x) for every pair of bit vectors: entry [i, j] is for y = i and x = j."""
    p_y, p_x, n_features = _priors(prior_y, prior_x)
    _check_count(n_features, MOST_JOINT_BITS, "bits for a table of 4^K pairs")
    bits = bit_vectors(n_features)
    return np.asarray(np.outer(p_y, p_x) * entails(bits[:, None], bits))


def probability(prior_y: ArrayLike, prior_x: ArrayLike) -> float:
    """Return P(y => x), equation 1: the sum of `joint`, computed without that array.

    The vectors x that y entails are the subsets of its bits. Summing a function over the subsets of every set
    takes K passes over 2^K numbers instead of 4^K products.
    """
    p_y, p_x, n_features = _priors(prior_y, prior_x)
    return float(p_y @ _sum_over(p_x, n_features, subsets=True))


def marginals(probabilities: ArrayLike) -> Floats:
    """Return the probability of each bit under a distribution over bit vectors."""
    p = np.asarray(probabilities, dtype=float)
    return np.asarray(p @ bit_vectors(_n_features(p, "probabilities")))


def posterior(prior_y: ArrayLike, prior_x: ArrayLike) -> tuple[Floats, Floats]:
    """Return the probability of each bit of y and of x, given that y entails x. Mean-field inference approximates
    these.
    """
    p_y, p_x, n_features = _priors(prior_y, prior_x)
    weight_y = p_y * _sum_over(p_x, n_features, subsets=True)
    weight_x = p_x * _sum_over(p_y, n_features, subsets=False)
    total = weight_y.sum()
    if total == 0:
        raise InvalidInput("P(y => x) is 0 under these priors, so there is no posterior; expected some possible pair")
    return marginals(weight_y / total), marginals(weight_x / total)


def graph_posterior(
    log_odds: ArrayLike,
    entailments: Sequence[tuple[int, int]] = (),
    negated: Sequence[tuple[int, int]] = (),
    log_weight: Callable[[Bits], ArrayLike] | None = None,
) -> Floats:
    """Return the probability of each bit of each node of an entailment graph, by enumerating all states (section 2.2).

    >>> import numpy as np
    >>> graph_posterior(np.zeros((2, 1)), entailments=[(0, 1)]).round(3).tolist()  # node 0 entails node 1
    [[0.667], [0.333]]

    Parameters
    ----------
    log_odds
        The prior log-odds of the nodes, shape (nodes, features).
    entailments
        Edges as pairs of node numbers (hypo, hyper).
    negated
        Pairs (hypo, hyper) for which the hypo does not entail the hyper.
    log_weight
        An additional log-weight of each state, for correlations between features or nodes. It is called with the bits
        of all states, shape (states, nodes, features).
    """
    theta = np.asarray(log_odds, dtype=float)
    if theta.ndim != 2:
        raise InvalidInput(f"log_odds has shape {theta.shape}, expected (nodes, features)")
    bits = bit_vectors(theta.size).reshape(-1, *theta.shape)
    weights = np.einsum("snk,nk->s", bits, theta)
    if log_weight is not None:
        weights = weights + _log_weights(log_weight, bits)
    for edges, wanted in ((entailments, True), (negated, False)):
        for hypo, hyper in edges:
            if not (0 <= hypo < len(theta) and 0 <= hyper < len(theta)):
                raise InvalidInput(f"an edge names nodes {hypo} and {hyper}, expected 0 to {len(theta) - 1}")
            weights = np.where(entails(bits[:, hypo], bits[:, hyper]) == wanted, weights, -np.inf)
    return marginals(_normalise(weights)).reshape(theta.shape)


def _log_weights(log_weight: Callable[[Bits], ArrayLike], bits: Bits) -> Floats:
    weights = np.asarray(log_weight(bits), dtype=float)
    if weights.shape != bits.shape[:1]:
        raise InvalidInput(f"log_weight returned shape {weights.shape}, expected {bits.shape[:1]}")
    return weights


def _normalise(log_weights: Floats) -> Floats:
    highest = log_weights.max()
    if not np.isfinite(highest):
        raise InvalidInput(
            f"the largest log-weight is {highest}, expected at least one possible state and no inf or NaN"
        )
    weights = np.exp(log_weights - highest)
    return np.asarray(weights / weights.sum())


def _sum_over(values: Floats, n_features: int, *, subsets: bool) -> Floats:
    """Return, for every set of bits, the sum of `values` over its subsets, or over its supersets."""
    sums = values.copy()
    for k in range(n_features):
        by_bit = sums.reshape(-1, 2, 2**k)  # [:, 0] are the vectors without bit k, [:, 1] those with it
        if subsets:
            by_bit[:, 1] += by_bit[:, 0]
        else:
            by_bit[:, 0] += by_bit[:, 1]
    return sums


def _bits(**named: ArrayLike) -> Bits:
    ((name, given),) = named.items()
    values = np.asarray(given)
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        raise InvalidInput(f"{name} holds values other than 0 and 1, expected bits: 1 for known, 0 for unknown")
    if values.ndim == 0:
        raise InvalidInput(f"{name} is a single number, expected an array whose last axis holds the features")
    return values.astype(bool)


def _vector(log_odds: ArrayLike) -> Floats:
    theta = np.asarray(log_odds, dtype=float)
    if theta.ndim != 1 or not np.isfinite(theta).all():
        raise InvalidInput(f"log_odds is {log_odds!r}, expected one finite number for each feature")
    return theta


def _priors(prior_y: ArrayLike, prior_x: ArrayLike) -> tuple[Floats, Floats, int]:
    p_y, p_x = np.asarray(prior_y, dtype=float), np.asarray(prior_x, dtype=float)
    n_y, n_x = _n_features(p_y, "prior_y"), _n_features(p_x, "prior_x")
    if n_y != n_x:
        raise InvalidInput(f"prior_y is over {n_y} features and prior_x over {n_x}, expected the same number")
    return p_y, p_x, n_y


def _n_features(p: NDArray[Any], name: str) -> int:
    n_features = max(p.size, 1).bit_length() - 1
    if p.ndim != 1 or p.size != 2**n_features:
        raise InvalidInput(f"{name} has shape {p.shape}, expected one probability for each of the 2^K bit vectors")
    if not (p >= 0).all() or abs(p.sum() - 1) > 1e-9:
        raise InvalidInput(f"{name} sums to {p.sum():g}, expected probabilities that sum to 1 and are not negative")
    return n_features


def _check_count(n_features: int, most: int, unit: str) -> None:
    if not 0 <= n_features <= most:
        raise InvalidInput(
            f"{n_features} {unit} asked for, expected at most {most}: enumeration doubles with every bit; "
            "use the mean-field approximation (entvec.theory.meanfield, EntailmentGraph) for more"
        )
