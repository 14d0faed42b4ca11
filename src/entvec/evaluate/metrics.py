"""The measures of the paper and of the hypernymy benchmarks, and their confidence intervals.

Scores are arrays of numbers, higher for pairs that are more probably entailments; labels are True for entailments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Floats, Mask
from entvec.errors import InvalidInput

__all__ = [
    "Interval", "accuracy_at_half", "average_precision", "best_threshold", "bootstrap", "direction_accuracy",
    "expected_calibration_error", "mcnemar", "spearman",
]  # fmt: skip


class Interval(NamedTuple):
    """A measured value and its confidence interval.

    >>> Interval(0.5, 0.4, 0.6).percent
    '50.0 40-60'

    Parameters
    ----------
    value
        The measured value.
    low, high
        The ends of the interval.
    """

    value: float
    low: float
    high: float

    @property
    def percent(self) -> str:
        """Return the value in percent and the interval, its ends rounded outwards."""
        return f"{100 * self.value:.1f} {floor(100 * self.low)}-{ceil(100 * self.high)}"


def flattened(measures: Mapping[str, Interval], prefix: str = "") -> dict[str, float]:
    """Return the measures as one dictionary of numbers: each name with its value, and with _low and _high.

    >>> flattened({"mrr": Interval(0.5, 0.4, 0.6)})
    {'mrr': 0.5, 'mrr_low': 0.4, 'mrr_high': 0.6}
    """
    ends = ("", "_low", "_high")
    return {
        f"{prefix}{name}{end}": value
        for name, interval in measures.items()
        for end, value in zip(ends, interval, strict=True)
    }


def accuracy_at_half(scores: ArrayLike, labels: ArrayLike) -> float:
    """Return the paper's 50% Acc: the accuracy if the better half of the scores is called entailment.

    >>> accuracy_at_half([0.9, 0.8, 0.2, 0.1], [True, False, True, False])
    0.5

    The threshold depends on the scores but not on the labels. Ties at the threshold count as if a coin decided.
    """
    return float(right_at_half(scores, labels).mean())


def right_at_half(scores: ArrayLike, labels: ArrayLike) -> Floats:
    """Return for each pair the probability that `accuracy_at_half` judges it right: 0 or 1, except at ties."""
    values, wanted = _checked(scores, labels)
    n_positive = len(values) // 2
    threshold = np.sort(values)[::-1][n_positive - 1] if n_positive else np.inf
    above, tied = values > threshold, values == threshold
    share = (n_positive - above.sum()) / max(1, tied.sum())
    called = above + tied * share
    return np.asarray(np.where(wanted, called, 1 - called))


def direction_accuracy(scores: ArrayLike, reversed_scores: ArrayLike, labels: ArrayLike | None = None) -> float:
    """Return the paper's Dir Acc: how often an entailment scores higher than the same pair reversed.

    >>> direction_accuracy([0.9, 0.5, 0.3], [0.1, 0.5, 0.4])
    0.5

    Parameters
    ----------
    scores
        The score of each pair.
    reversed_scores
        The score of each pair with its words exchanged; equal scores count half.
    labels
        Which pairs are entailments; only these count. All of them if None.
    """
    there, back = _both_ways(scores, reversed_scores)
    _, flags = _checked(there, np.ones(len(there), dtype=bool) if labels is None else labels)
    if not flags.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    return float(np.mean(np.sign(there - back)[flags] / 2 + 0.5))


def average_precision(scores: ArrayLike, labels: ArrayLike, *, first: int | None = None) -> float:
    """Return the mean of the precisions at each entailment, in falling order of the scores.

    >>> round(average_precision([0.9, 0.8, 0.7, 0.6], [True, False, True, False]), 4)
    0.8333

    Parameters
    ----------
    scores, labels
        The score of each pair, and whether it is an entailment. Equal scores share a rank, as in scikit-learn.
    first
        Count only this many pairs, as in AP@100; the mean is then over the entailments that could be among them.
    """
    values, wanted = _checked(scores, labels)
    if not wanted.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    return float(average_precision_drawn(values, wanted, np.ones((1, len(values))), first=first)[0])


def average_precision_drawn(scores: Floats, labels: Mask, draws: Floats, *, first: int | None = None) -> Floats:
    """Return the average precision of each resample with one sort for all; NaN for a resample without an entailment.

    >>> average_precision_drawn(np.array([0.9, 0.8]), np.array([False, True]), np.array([[1.0, 1.0], [0.0, 2.0]]))
    array([0.5, 1. ])
    """
    if first is not None and first < 1:
        raise InvalidInput(f"first is {first}, expected 1 or more")
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # the last of each run of equal scores
    drawn = draws[:, order]
    seen = np.cumsum(drawn, axis=1)[:, last]
    found = np.cumsum(drawn * labels[order], axis=1)[:, last]
    total = found[:, -1]
    if first is not None:  # of the run of equal scores that crosses the limit, a part counts
        before = np.roll(seen, 1, axis=1)
        before[:, 0] = 0
        part = np.clip((first - before) / np.maximum(1, seen - before), 0, 1)
        found = np.cumsum(np.diff(found, axis=1, prepend=0) * part, axis=1)
        seen, total = np.minimum(seen, first), np.minimum(total, first)
    precision = found / np.maximum(1, seen)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.diff(found, axis=1, prepend=0) * precision).sum(axis=1) / total)


def spearman(scores: ArrayLike, grades: ArrayLike) -> float:
    """Return Spearman's rank correlation of scores with graded judgements, as on HyperLex.

    >>> round(spearman([0.1, 0.5, 0.9], [2, 1, 9]), 2)
    0.5
    """
    from scipy.stats import rankdata  # spearmanr also tests significance, which is slow in a bootstrap

    a, b = (np.asarray(side, dtype=np.float64) for side in (scores, grades))
    _checked(b, b)
    _checked(a, b)
    a, b = rankdata(a), rankdata(b)
    a, b = a - a.mean(), b - b.mean()
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.clip(a @ b / size, -1, 1)) if size else 0.0


def best_threshold(scores: ArrayLike, labels: ArrayLike) -> float:
    """Return the threshold with the highest accuracy on these pairs; apply it to other pairs than these.

    >>> best_threshold([0.9, 0.8, 0.2, 0.1], [True, True, False, False])
    0.5
    """
    values, wanted = _checked(scores, labels)
    order = np.argsort(values, kind="stable")
    ordered, flags = values[order], wanted[order]
    # right[i]: how many are judged right if the i lowest scores are called no entailment.
    right = np.concatenate([[0], np.cumsum(~flags)]) + np.concatenate([np.cumsum(flags[::-1])[::-1], [0]])
    middle = ordered[:-1] / 2 + ordered[1:] / 2
    middle = np.where(middle < ordered[1:], middle, ordered[:-1])  # adjacent floats have no number between them
    between = np.concatenate([[-np.inf], middle, [np.inf]])
    possible = np.concatenate([[True], ordered[:-1] < ordered[1:], [True]])
    return float(between[np.argmax(np.where(possible, right, -1))])


def right_validated(
    scores: ArrayLike, labels: ArrayLike, *, share: float = 0.02, draws: int = 1000, seed: int = 0
) -> Floats:
    """Return for each pair how often it is judged right by a threshold that was chosen on a few of the other pairs.

    This is the usual accuracy on WBLESS: a threshold from 2% of the pairs, the mean of 1,000 random choices.

    >>> round(float(right_validated([0.9, 0.8, 0.2, 0.1], [True, True, False, False], share=0.5).mean()), 1)
    0.7
    """
    values, wanted = _checked(scores, labels)
    return _validated(values, wanted, lambda threshold: (values > threshold) == wanted, share, draws, seed)


def right_three_ways(
    scores: ArrayLike,
    reversed_scores: ArrayLike,
    labels: ArrayLike,
    *,
    share: float = 0.02,
    draws: int = 1000,
    seed: int = 0,
) -> Floats:
    """Return for each pair how often it is rightly called an entailment (1), a reversed one (-1), or none (0).

    This is the usual accuracy on BIBLESS: the higher of the two scores must pass a threshold, chosen as in
    `right_validated`, and then decides the direction. Equal scores in both directions are right half of the time.

    >>> right_three_ways([0.9, 0.2, 0.1], [0.1, 0.8, 0.1], [1, -1, 0], share=0.5)
    array([1., 1., 0.])
    """
    there, back = _both_ways(scores, reversed_scores)
    wanted = np.sign(np.asarray(labels, dtype=np.float64))
    either, related = _checked(np.maximum(there, back), np.abs(wanted))
    direction = np.where(there == back, 0.5, np.sign(there - back) == wanted)

    def right(threshold: float) -> Floats:
        passed = either > threshold
        return np.asarray(np.where(passed, np.where(related, direction, 0.0), ~related))

    return _validated(either, related, right, share, draws, seed)


def _validated(
    values: Floats, wanted: Mask, right: Callable[[float], NDArray[Any]], share: float, draws: int, seed: int
) -> Floats:
    """Return for each pair the mean over the draws in which it did not help to choose the threshold."""
    rng = np.random.default_rng(seed)
    n = len(values)
    if n < 2:
        raise InvalidInput(f"{n} pair, expected at least 2: one to choose a threshold, one to judge")
    if not 0 <= share < 1 or draws < 1:
        raise InvalidInput(f"a share of {share} and {draws} draws, expected a part of the pairs and at least one draw")
    size = min(n - 1, max(1, round(share * n)))
    total, counted = np.zeros(n), np.zeros(n)
    for _ in range(draws):
        chosen = rng.choice(n, size=size, replace=False, shuffle=False)
        judged = right(best_threshold(values[chosen], wanted[chosen])).astype(np.float64)
        judged[chosen] = 0
        total += judged
        counted += 1
        counted[chosen] -= 1
    return total / np.maximum(1, counted)


def expected_calibration_error(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> float:
    """Return the expected calibration error (ECE) of probabilities.

    In each bin of equal width the mean probability is compared with the share of entailments; the bins are weighted by
    their pairs.

    >>> round(expected_calibration_error([0.9, 0.9, 0.9, 0.1], [True, True, False, False]), 3)
    0.2

    Parameters
    ----------
    probabilities, labels
        The probability that each pair is an entailment, and whether it is one.
    bins
        The number of bins between 0 and 1.
    """
    values, wanted = _checked(probabilities, labels)
    if bins < 1:
        raise InvalidInput(f"{bins} bins, expected at least one")
    if ((values < 0) | (values > 1)).any():
        raise InvalidInput("a probability is not between 0 and 1")
    at = np.minimum((values * bins).astype(int), bins - 1)
    gaps = np.bincount(at, values - wanted, minlength=bins)
    return float(np.abs(gaps).sum() / len(values))


def bootstrap(
    measure: Callable[[Floats], Floats],
    groups: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
    block_size: int = 1 << 20,
) -> Interval:
    """Return a measure of all pairs and its bootstrap confidence interval.

    Pairs with a word in common are not independent, so whole groups of pairs are drawn.

    >>> right = np.array([True] * 80 + [False] * 20)
    >>> found = bootstrap(lambda draws: draws @ right / draws.sum(axis=1), range(100))
    >>> float(found.value), 0.7 < found.low < 0.75, 0.85 < found.high < 0.9
    (0.8, True, True)

    Parameters
    ----------
    measure
        A function that takes how often each pair was drawn, a row a resample, and returns one value a resample.
    groups
        The group of each pair, as any label.
    seed, resamples, level
        The seed of the random numbers, the number of resamples, and the share of their values inside the interval.
    block_size
        The most numbers in one array of draws, which limits memory.
    """
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    n, m = len(group), len(names)
    if n < 1 or resamples < 1:
        raise InvalidInput(f"{resamples} draws of {n} pairs, expected at least one of both")
    rng = np.random.default_rng(seed)
    at_once = max(1, block_size // n)
    values = []
    for first in range(0, resamples, at_once):
        count = min(at_once, resamples - first)
        drawn = rng.integers(0, m, size=(count, m)) + m * np.arange(count)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=count * m).reshape(count, m)
        values.append(measure(counts[:, group].astype(np.float64)))
    low, high = np.nanquantile(np.concatenate(values), [(1 - level) / 2, (1 + level) / 2])  # NaN: nothing to measure
    return Interval(float(measure(np.ones((1, n)))[0]), float(low), float(high))


def mean_interval(values: NDArray[Any], groups: ArrayLike | None = None) -> Interval:
    """Return the mean of the values and its 95% interval; values of one group are drawn together."""
    drawn = range(len(values)) if groups is None else groups
    return bootstrap(lambda draws: np.asarray(draws @ values / draws.sum(axis=1)), drawn)


def ratio_interval(values: NDArray[Any], others: NDArray[Any]) -> Interval:
    """Return the ratio of two means over the same items and its 95% interval."""
    return bootstrap(lambda draws: np.asarray(draws @ values / (draws @ others)), range(len(values)))


def rank_measures(ranks: NDArray[Any], hits: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return what each query adds to MRR and to hit@k, from the rank of its first right answer; NaN ranks are left out.

    >>> rank_measures(np.array([1.0, 4.0]), hits=[1])
    {'mrr': array([1.  , 0.25]), 'hit_at_1': array([1., 0.])}
    """
    ranks = ranks[~np.isnan(ranks)]
    return {"mrr": 1 / ranks, **{f"hit_at_{k}": (ranks <= k).astype(np.float64) for k in hits}}


def mcnemar(right: ArrayLike, other_right: ArrayLike) -> float:
    """Return the p-value of McNemar's exact test that two methods are equally accurate on the same pairs.

    A two-sided binomial test of the pairs on which only one method is right; pairs that count half are left out.

    >>> mcnemar([True] * 10 + [False] * 2, [False] * 10 + [True] * 2) < 0.05
    True
    """
    from scipy.stats import binomtest

    a, b = (np.asarray(side, dtype=np.float64) for side in (right, other_right))
    if a.shape != b.shape:
        raise InvalidInput(f"{len(a)} and {len(b)} pairs, expected the same pairs for both")
    only_a, only_b = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
    return float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0


def _both_ways(scores: ArrayLike, reversed_scores: ArrayLike) -> tuple[Floats, Floats]:
    there, back = (np.asarray(side, dtype=np.float64) for side in (scores, reversed_scores))
    if there.ndim != 1 or back.shape != there.shape:
        raise InvalidInput(f"{there.size} scores and {back.size} of the pairs reversed, expected as many of both")
    if np.isnan(back).any():
        raise InvalidInput("a score is NaN, expected numbers")
    return there, back


def _checked(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, Mask]:
    values, wanted = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    if values.ndim != 1 or values.shape != wanted.shape or not len(values):
        raise InvalidInput(f"scores of shape {values.shape} and labels of {wanted.shape}, expected as many of both")
    if np.isnan(values).any():
        raise InvalidInput("a score is NaN, expected numbers")
    return values, wanted
