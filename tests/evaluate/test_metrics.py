"""The measures, against their definitions written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from entvec.errors import InvalidInput
from entvec.evaluate.metrics import (
    Interval,
    accuracy_at_half,
    average_precision,
    best_threshold,
    bootstrap,
    direction_accuracy,
    mcnemar,
    right_at_half,
)

SCORES = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=8)


@given(SCORES)
def test_accuracy_at_half_is_the_mean_over_all_ways_to_break_ties(scored: list[tuple[int, bool]]) -> None:
    scores, labels = zip(*scored, strict=True)
    n, half = len(scores), len(scores) // 2
    best = sum(sorted(scores, reverse=True)[:half])
    found = [
        np.mean([(i in chosen) == labels[i] for i in range(n)])
        for chosen in combinations(range(n), half)
        if sum(scores[i] for i in chosen) == best
    ]
    assert accuracy_at_half(scores, labels) == pytest.approx(np.mean(found))


def test_of_an_odd_number_the_smaller_half_is_positive() -> None:
    assert right_at_half([3, 2, 1], [True, True, True]).tolist() == [1, 0, 0]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1))
def test_the_two_directions_add_up_to_one(pairs: list[tuple[int, int]]) -> None:
    there, back = zip(*pairs, strict=True)
    assert direction_accuracy(there, back) + direction_accuracy(back, there) == pytest.approx(1)


def test_only_entailments_have_a_direction() -> None:
    assert direction_accuracy([1, 0], [0, 1], [True, False]) == 1


def test_a_symmetric_score_has_no_direction() -> None:
    assert direction_accuracy([1, 2], [1, 2]) == 0.5


@given(SCORES.filter(lambda scored: any(label for _, label in scored)))
def test_average_precision_is_that_of_scikit_learn(scored: list[tuple[int, bool]]) -> None:
    scores, labels = zip(*scored, strict=True)
    assert average_precision(scores, labels) == pytest.approx(average_precision_score(labels, scores))


def test_average_precision_of_the_first_few() -> None:
    scores, labels = [5, 4, 3, 2, 1], [True, False, True, False, True]
    assert average_precision(scores, labels) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert average_precision(scores, labels, first=3) == pytest.approx((1 + 2 / 3) / 3)
    assert average_precision(scores, labels, first=1) == 1


@given(SCORES)
def test_no_other_threshold_is_right_more_often(scored: list[tuple[int, bool]]) -> None:
    scores, labels = (np.array(side) for side in zip(*scored, strict=True))

    def right(threshold: float) -> float:
        return float(((scores > threshold) == labels).mean())

    assert right(best_threshold(scores, labels)) == max(right(t) for t in (-1, *range(6)))


def test_the_interval_shrinks_with_more_pairs() -> None:
    rng = np.random.default_rng(1)
    few, many = (rng.random(n) < 0.7 for n in (50, 5000))

    def interval(right: np.ndarray) -> Interval:
        return bootstrap(lambda draws: draws @ right / len(right), len(right))

    intervals = [interval(few), interval(many)]
    assert all(found.low < found.value < found.high for found in intervals)
    assert intervals[0].high - intervals[0].low > 5 * (intervals[1].high - intervals[1].low)


def test_equal_methods_do_not_differ() -> None:
    assert mcnemar([1, 0, 1], [1, 0, 1]) == 1
    assert mcnemar([1, 0.5, 0], [0, 0.5, 1]) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accuracy_at_half([], []), "expected as many of both"),
        (lambda: accuracy_at_half([1, 2], [True]), "expected as many of both"),
        (lambda: accuracy_at_half([1, np.nan], [True, False]), "a score is NaN"),
        (lambda: average_precision([1, 2], [False, False]), "no entailment among the labels"),
        (lambda: average_precision([1, 2], [True, False], first=0), "first is 0"),
        (lambda: direction_accuracy([1], [1], [False]), "no entailment among the labels"),
        (lambda: direction_accuracy([1], [1, 2]), "expected as many of both"),
        (lambda: mcnemar([1], [1, 0]), "expected the same pairs for both"),
    ],
)
def test_mistakes_are_told(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InvalidInput, match=message):
        call()
