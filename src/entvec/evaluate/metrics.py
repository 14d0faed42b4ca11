"""The measures of the paper and of the hypernymy benchmarks.

Scores are higher for what is more probable; labels are True for entailments. Nothing here looks at words.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Draws = NDArray[np.float64]
"""How often each pair was drawn: a column for each pair, a row for each draw."""
NUMBERS_AT_ONCE = 1 << 20


class Interval(NamedTuple):
    """A measured value and its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def percent(self) -> str:
        """The value in percent, and the interval, rounded outwards."""
        return f"{100 * self.value:.1f} {floor(100 * self.low)}-{ceil(100 * self.high)}"


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
    there, back = _both_ways(scores, reversed_scores)
    _, flags = _checked(there, np.ones(len(there), dtype=bool) if labels is None else labels)
    if not flags.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    return float(np.mean(np.sign(there - back)[flags] / 2 + 0.5))


def average_precision(scores: ArrayLike, labels: ArrayLike, *, first: int | None = None) -> float:
    """The mean of the precisions at each entailment, in the order of the scores; of the `first` pairs only if given.

    >>> round(average_precision([0.9, 0.8, 0.7, 0.6], [True, False, True, False]), 4)
    0.8333

    With `first`, as in AP@100, the mean is over the entailments that could be among them. Equal scores stand at one
    place, as in scikit-learn.
    """
    values, wanted = _checked(scores, labels)
    if not wanted.any():
        raise InvalidInput("no entailment among the labels, expected at least one")
    return float(average_precision_drawn(values, wanted, np.ones((1, len(values))), first=first)[0])


def average_precision_drawn(scores: Floats, labels: Flags, draws: Draws, *, first: int | None = None) -> Floats:
    """The average precision of each draw of the pairs: a sort for all of them; NaN for a draw without an entailment."""
    if first is not None and first < 1:
        raise InvalidInput(f"first is {first}, expected 1 or more")
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of those at one place
    drawn = draws[:, order]
    seen = np.cumsum(drawn, axis=1)[:, last]
    found = np.cumsum(drawn * labels[order], axis=1)[:, last]
    total = found[:, -1]
    if first is not None:  # of those at the place where the first end, a part that fits
        before = np.roll(seen, 1, axis=1)
        before[:, 0] = 0
        part = np.clip((first - before) / np.maximum(1, seen - before), 0, 1)
        found = np.cumsum(np.diff(found, axis=1, prepend=0) * part, axis=1)
        seen, total = np.minimum(seen, first), np.minimum(total, first)
    precision = found / np.maximum(1, seen)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.diff(found, axis=1, prepend=0) * precision).sum(axis=1) / total)


def spearman(scores: ArrayLike, grades: ArrayLike) -> float:
    """The rank correlation of scores with graded judgements, as on HyperLex.

    >>> round(spearman([0.1, 0.5, 0.9], [2, 1, 9]), 2)
    0.5
    """
    from scipy.stats import rankdata  # spearmanr would test its significance too, a thousand times in a bootstrap

    a, b = (np.asarray(side, dtype=np.float64) for side in (scores, grades))
    _checked(b, b)
    _checked(a, b)
    a, b = rankdata(a), rankdata(b)
    a, b = a - a.mean(), b - b.mean()
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.clip(a @ b / size, -1, 1)) if size else 0.0


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
    middle = ordered[:-1] / 2 + ordered[1:] / 2
    middle = np.where(middle < ordered[1:], middle, ordered[:-1])  # between neighbours there is no middle
    between = np.concatenate([[-np.inf], middle, [np.inf]])
    possible = np.concatenate([[True], ordered[:-1] < ordered[1:], [True]])
    return float(between[np.argmax(np.where(possible, right, -1))])


def right_validated(
    scores: ArrayLike, labels: ArrayLike, *, share: float = 0.02, draws: int = 1000, seed: int = 0
) -> Floats:
    """For each pair, how often it is judged right with a threshold that a small share of the other pairs chooses.

    That is the usual way to measure accuracy on WBLESS: a threshold from 2% of the pairs, the mean of 1,000 draws.
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
    """For each pair, how often it is rightly called an entailment (1), one the other way round (-1), or none (0).

    As is usual on BIBLESS: the better of the two directions must pass a threshold, chosen as in `right_validated`, and
    then the direction is the better one. Equal scores in both directions are right half of the time.
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
    values: Floats, wanted: Flags, right: Callable[[float], NDArray[Any]], share: float, draws: int, seed: int
) -> Floats:
    """The mean over the draws in which a pair did not help to choose the threshold."""
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
    """How far probabilities are from what they promise (ECE).

    In bins of equal width, how far the mean probability is from the share of entailments, weighted by the pairs in it.

    >>> round(expected_calibration_error([0.9, 0.9, 0.9, 0.1], [True, True, False, False]), 3)
    0.2
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
    measure: Callable[[Draws], Floats],
    groups: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The measure of all pairs, and the interval that most of its values fall into if groups of them are drawn again.

    Pairs with a word in common are not independent, so what is drawn are groups: `groups` tells of each pair which it
    belongs to. `measure` is given how often each pair was drawn, a row for each draw, and tells its value for each.

    >>> right = np.array([True] * 80 + [False] * 20)
    >>> found = bootstrap(lambda draws: draws @ right / draws.sum(axis=1), range(100))
    >>> float(found.value), 0.7 < found.low < 0.75, 0.85 < found.high < 0.9
    (0.8, True, True)
    """
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    n, m = len(group), len(names)
    if n < 1 or resamples < 1:
        raise InvalidInput(f"{resamples} draws of {n} pairs, expected at least one of both")
    rng = np.random.default_rng(seed)
    at_once = max(1, NUMBERS_AT_ONCE // n)
    values = []
    for first in range(0, resamples, at_once):
        count = min(at_once, resamples - first)
        drawn = rng.integers(0, m, size=(count, m)) + m * np.arange(count)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=count * m).reshape(count, m)
        values.append(measure(counts[:, group].astype(np.float64)))
    low, high = np.nanquantile(np.concatenate(values), [(1 - level) / 2, (1 + level) / 2])  # NaN: nothing to measure
    return Interval(float(measure(np.ones((1, n)))[0]), float(low), float(high))


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


def _both_ways(scores: ArrayLike, reversed_scores: ArrayLike) -> tuple[Floats, Floats]:
    there, back = (np.asarray(side, dtype=np.float64) for side in (scores, reversed_scores))
    if there.ndim != 1 or back.shape != there.shape:
        raise InvalidInput(f"{there.size} scores and {back.size} of the pairs reversed, expected as many of both")
    if np.isnan(back).any():
        raise InvalidInput("a score is NaN, expected numbers")
    return there, back


def _checked(scores: ArrayLike, labels: ArrayLike) -> tuple[Floats, Flags]:
    values, wanted = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    if values.ndim != 1 or values.shape != wanted.shape or not len(values):
        raise InvalidInput(f"scores of shape {values.shape} and labels of {wanted.shape}, expected as many of both")
    if np.isnan(values).any():
        raise InvalidInput("a score is NaN, expected numbers")
    return values, wanted
