"""The measures of the paper and of the hypernymy benchmarks.

Scores are higher for what is more probable; labels are True for entailments. Nothing here looks at words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Interval(NamedTuple):
    """A measured value and its confidence interval."""

    value: float
    low: float
    high: float


def accuracy_at_half(scores: ArrayLike, labels: ArrayLike) -> float:
    """The paper's 50% Acc: the accuracy if the better half of the scores is called entailment.

    >>> accuracy_at_half([0.9, 0.8, 0.2, 0.1], [True, False, True, False])
    0.5

    The threshold is set after seeing the scores but not the labels. Scores equal to it count as if a coin decided.
    """
    return float(right_at_half(scores, labels).mean())


def right_at_half(scores: ArrayLike, labels: ArrayLike) -> Floats:
    """For each pair, the probability that the better half is right about it: 0 or 1, but for ties at the threshold."""
    values, wanted = _checked(scores, labels)
    n_positive = len(values) // 2
    threshold = np.sort(values)[::-1][n_positive - 1] if n_positive else np.inf
    above, tied = values > threshold, values == threshold
    share = (n_positive - above.sum()) / max(1, tied.sum())
    called = above + tied * share
    return np.asarray(np.where(wanted, called, 1 - called))


def direction_accuracy(scores: ArrayLike, reversed_scores: ArrayLike, labels: ArrayLike | None = None) -> float:
    """The paper's Dir Acc: how often an entailment scores higher than the same pair the other way round.

    Only the pairs that are entailments count; equal scores count half.

    >>> direction_accuracy([0.9, 0.5, 0.3], [0.1, 0.5, 0.4])
    0.5
    """
    there, back = (np.asarray(side, dtype=np.float64) for side in (scores, reversed_scores))
    there, flags = _checked(there, np.ones(len(there), dtype=bool) if labels is None else labels)
    if back.shape != there.shape:
        raise InvalidInput(f"{len(there)} scores and {len(back)} of the pairs reversed, expected as many of both")
    if not flags.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    return float(np.mean(np.sign(there - back)[flags] / 2 + 0.5))


def average_precision(scores: ArrayLike, labels: ArrayLike, *, first: int | None = None) -> float:
    """The mean of the precisions at each entailment, in the order of the scores; of the `first` pairs only if given.

    >>> round(average_precision([0.9, 0.8, 0.7, 0.6], [True, False, True, False]), 4)
    0.8333

    With `first`, as in AP@100, the mean is over the entailments that could be among them.
    """
    values, wanted = _checked(scores, labels)
    if not wanted.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    order = np.argsort(-values, kind="stable")
    if first is not None:
        if first < 1:
            raise InvalidInput(f"first is {first}, expected 1 or more")
        hits = wanted[order][:first]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        return float((precision * hits).sum() / min(first, wanted.sum()))
    # Equal scores stand at one place, as in scikit-learn, which takes ten times as long for it.
    ranked = values[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    found = np.cumsum(wanted[order])[last]
    return float(np.sum(np.diff(found, prepend=0) * found / (last + 1)) / found[-1])


def best_threshold(scores: ArrayLike, labels: ArrayLike) -> float:
    """The score above which calling pairs entailments is right most often; choose it on other pairs than you use it on.

    >>> best_threshold([0.9, 0.8, 0.2, 0.1], [True, True, False, False])
    0.5
    """
    values, wanted = _checked(scores, labels)
    order = np.argsort(values, kind="stable")
    ordered, flags = values[order], wanted[order]
    # Right if the first i in this order are called none: what is no entailment among them, and what is one after them.
    right = np.concatenate([[0], np.cumsum(~flags)]) + np.concatenate([np.cumsum(flags[::-1])[::-1], [0]])
    between = np.concatenate([[-np.inf], (ordered[:-1] + ordered[1:]) / 2, [np.inf]])
    possible = np.concatenate([[True], ordered[:-1] < ordered[1:], [True]])
    return float(between[np.argmax(np.where(possible, right, -1))])


def bootstrap(
    measure: Callable[[NDArray[np.int64]], float], n: int, *, seed: int = 0, resamples: int = 1000, level: float = 0.95
) -> Interval:
    """The measure of all n pairs, and the interval that most of its values fall into if the pairs are drawn again.

    `measure` is given the rows of the pairs to measure on.

    >>> right = np.array([True] * 80 + [False] * 20)
    >>> found = bootstrap(lambda rows: right[rows].mean(), 100)
    >>> float(found.value), 0.7 < found.low < 0.75, 0.85 < found.high < 0.9
    (0.8, True, True)
    """
    rng = np.random.default_rng(seed)
    drawn = [measure(rng.integers(0, n, size=n)) for _ in range(resamples)]
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])  # NaN: nothing to measure in that draw
    return Interval(float(measure(np.arange(n))), float(low), float(high))


def mcnemar(right: ArrayLike, other_right: ArrayLike) -> float:
    """How probable a difference as large as this is by chance, if two methods are equally good (McNemar, exact).

    Of the pairs on which only one of the methods is right, each should have half: a two-sided binomial test. Halves,
    from ties, are left out.

    >>> mcnemar([True] * 10 + [False] * 2, [False] * 10 + [True] * 2) < 0.05
    True
    """
    from scipy.stats import binomtest

    a, b = (np.asarray(side, dtype=np.float64) for side in (right, other_right))
    if a.shape != b.shape:
        raise InvalidInput(f"{len(a)} and {len(b)} pairs, expected the same pairs for both")
    only_a, only_b = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
    return float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0


def _checked(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, Flags]:
    values, wanted = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    if values.ndim != 1 or values.shape != wanted.shape or not len(values):
        raise InvalidInput(f"scores of shape {values.shape} and labels of {wanted.shape}, expected as many of both")
    if np.isnan(values).any():
        raise InvalidInput("a score is NaN, expected numbers")
    return values, wanted
