"""The measures, against their definitions written out."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score

from entvec.errors import InvalidInput
from entvec.evaluate.metrics import (
    Interval,
    accuracy_at_half,
    average_precision,
    average_precision_drawn,
    best_threshold,
    bootstrap,
    direction_accuracy,
    expected_calibration_error,
    flattened,
    mcnemar,
    mean_interval,
    rank_measures,
    ratio_interval,
    right_at_half,
    right_three_ways,
    right_validated,
    spearman,
)

SCORES = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=8)
TWO_OF_THREE = 0.67


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


@given(
    st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=9, unique_by=lambda pair: pair[0]),
    st.integers(1, 10),
)
def test_average_precision_of_the_first_is_its_definition(scored: list[tuple[int, bool]], first: int) -> None:
    scores, labels = zip(*scored, strict=True)
    assume(any(labels))
    ranked = [label for _, label in sorted(scored, reverse=True)]
    precisions = [sum(ranked[: k + 1]) / (k + 1) for k, label in enumerate(ranked[:first]) if label]
    expected = sum(precisions) / min(first, sum(labels))
    assert average_precision(scores, labels, first=first) == pytest.approx(expected)


def test_of_equal_scores_where_the_first_end_a_part_counts() -> None:
    # One place for the two at the end, of which one fits: half an entailment more, at precision (1 + 1/2) / 2.
    assert average_precision([2, 1, 1], [True, True, False], first=2) == pytest.approx((1 + 0.5 * 0.75) / 2)
    # Two of four fit, so half of the one entailment: precision 1/4, and one could be among the first two.
    assert average_precision([1, 1, 1, 1], [True, False, False, False], first=2) == pytest.approx(0.5 * 0.25)
    # The place ends just where the first do.
    assert average_precision([2, 2, 1], [True, False, True], first=2) == pytest.approx((1 * 0.5) / 2)


@given(SCORES.filter(lambda scored: any(label for _, label in scored)), st.integers(0, 3))
def test_the_first_of_at_least_all_are_all(scored: list[tuple[int, bool]], more: int) -> None:
    scores, labels = zip(*scored, strict=True)
    found = average_precision(scores, labels, first=len(scores) + more)
    assert found == pytest.approx(average_precision(scores, labels))


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3), st.integers(0, 3)), min_size=2))
def test_average_precision_of_draws_is_that_of_scikit_learn(pairs: list[tuple[int, bool, int, int]]) -> None:
    scores, labels, *draws = (np.array(column) for column in zip(*pairs, strict=True))
    assume(all((drawn * labels).any() for drawn in draws))
    expected = [average_precision_score(labels, scores, sample_weight=drawn) for drawn in draws]
    np.testing.assert_allclose(average_precision_drawn(scores, labels, np.array(draws, dtype=float)), expected)


@given(SCORES.filter(lambda scored: any(label for _, label in scored)), st.integers(1, 9), st.data())
def test_a_pair_drawn_twice_is_two_pairs(scored: list[tuple[int, bool]], first: int, data: st.DataObject) -> None:
    scores, labels = (np.array(side) for side in zip(*scored, strict=True))
    drawn = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(scores), max_size=len(scores))))
    found = average_precision_drawn(scores, labels, drawn[None].astype(float), first=first)
    assert found == pytest.approx(average_precision(scores.repeat(drawn), labels.repeat(drawn), first=first))


@pytest.mark.parametrize("first", [None, 1, 2])
def test_a_draw_without_an_entailment_has_no_average_precision(first: int | None) -> None:
    draws = np.array([[0.0, 2.0], [1.0, 1.0]])
    found = average_precision_drawn(np.array([2.0, 1.0]), np.array([True, False]), draws, first=first)
    np.testing.assert_array_equal(found, [np.nan, 1])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 2)), min_size=2))
def test_the_rank_correlation_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    scores, grades = zip(*pairs, strict=True)
    assume(len(set(scores)) > 1)
    assume(len(set(grades)) > 1)
    assert spearman(scores, grades) == pytest.approx(spearmanr(scores, grades).statistic)


def test_equal_scores_correlate_with_nothing() -> None:
    assert spearman([1, 1, 1], [1, 2, 3]) == spearman([1, 2, 3], [1, 1, 1]) == 0


@given(SCORES)
def test_no_other_threshold_is_right_more_often(scored: list[tuple[int, bool]]) -> None:
    scores, labels = (np.array(side) for side in zip(*scored, strict=True))

    def right(threshold: float) -> float:
        return float(((scores > threshold) == labels).mean())

    assert right(best_threshold(scores, labels)) == max(right(t) for t in (-1, *range(6)))


def test_the_other_pairs_choose_the_threshold() -> None:
    # One pair alone calls all pairs what it is itself.
    assert right_validated([2, 1], [True, False], share=0.5).tolist() == [0, 0]
    assert right_validated([2, 1], [True, True], share=0.5).tolist() == [1, 1]
    # The other two choose the thresholds 1.5, 2, and, both being entailments, one that all pass.
    assert right_validated([3, 2, 1], [True, True, False], share=TWO_OF_THREE).tolist() == [1, 0, 0]
    assert right_validated([4, 3, 0], [True, True, False], share=TWO_OF_THREE).tolist() == [1, 1, 0]


def test_three_ways_by_hand() -> None:
    labels = [1, -1, 0]
    assert right_three_ways([4, 0, 0], [0, 3, 0], labels, share=TWO_OF_THREE).tolist() == [1, 1, 0]
    # The better direction is the wrong one.
    assert right_three_ways([0, 0, 0], [4, 3, 0], labels, share=TWO_OF_THREE).tolist() == [0, 1, 0]
    assert right_three_ways([4, 3, 0], [0, 0, 0], labels, share=TWO_OF_THREE).tolist() == [1, 0, 0]
    # Both directions are equally good.
    assert right_three_ways([4, 0, 0], [4, 3, 0], labels, share=TWO_OF_THREE).tolist() == [0.5, 1, 0]
    # Two unrelated pairs choose a threshold that none passes.
    assert right_three_ways([4, 1, 0], [0, 1, 0], [1, 0, 0], share=TWO_OF_THREE).tolist() == [0, 1, 1]


def test_perfect_scores_are_right_on_all_three_labels() -> None:
    labels = np.repeat([1, 0, -1], 20)
    there, back = (labels == 1) * 1.0, (labels == -1) * 1.0
    assert right_three_ways(there, back, labels, share=0.5).tolist() == [1] * 60
    assert right_validated(there, labels, share=0.5).tolist() == [1] * 60
    # The other way round, what has a direction is wrong, and the rest is still seen to have none.
    assert right_three_ways(back, there, labels, share=0.5).tolist() == [0] * 20 + [1] * 20 + [0] * 20


def test_equal_scores_in_both_directions_are_right_half_of_the_time() -> None:
    labels = np.repeat([1, 0, -1], 20)
    related = np.abs(labels) * 1.0
    assert right_three_ways(related, related, labels, share=0.5).tolist() == [0.5] * 20 + [1] * 20 + [0.5] * 20


@pytest.mark.parametrize("seed", range(3))
def test_validation_is_the_mean_over_all_choices_of_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, size = 7, 3
    there, back = rng.integers(0, 4, size=(2, n)).astype(float)
    labels = rng.integers(-1, 2, size=n)

    def mean(values: np.ndarray, wanted: np.ndarray, credit: np.ndarray) -> list[float]:
        """What a pair deserves if it is called related (first column) or not, over all choices of other pairs."""
        found: list[list[float]] = [[] for _ in range(n)]
        for chosen in map(list, combinations(range(n), size)):
            threshold = best_threshold(values[chosen], wanted[chosen])
            for i in set(range(n)) - set(chosen):
                found[i].append(credit[i][0 if values[i] > threshold else 1])
        return [float(np.mean(each)) for each in found]

    positive = labels > 0
    credit = np.stack([positive, ~positive], axis=1).astype(float)
    judged = right_validated(there, labels, share=size / n, draws=2000)
    np.testing.assert_allclose(judged, mean(there, positive, credit), atol=0.05)

    way = np.where(there == back, 0.5, (there > back) == (labels > 0))
    credit = np.stack([np.where(labels == 0, 0, way), labels == 0], axis=1)
    judged = right_three_ways(there, back, labels, share=size / n, draws=2000)
    np.testing.assert_allclose(judged, mean(np.maximum(there, back), labels != 0, credit), atol=0.05)


def test_validation_has_a_seed() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.random(50), rng.random(50) < 0.5
    first, again, other = (right_validated(scores, labels, draws=20, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_calibration_error_by_hand() -> None:
    probabilities, labels = [0.05, 0.15, 0.95, 1.0], [False, True, True, True]
    assert expected_calibration_error(probabilities, labels) == pytest.approx((0.05 + 0.85 + 0.05) / 4)
    assert expected_calibration_error(probabilities, labels, bins=2) == pytest.approx((0.8 + 0.05) / 4)
    assert expected_calibration_error(probabilities, labels, bins=1) == pytest.approx(0.85 / 4)


def test_certainty_that_is_right_has_no_calibration_error() -> None:
    assert expected_calibration_error([0, 1, 1], [False, True, True]) == 0
    assert expected_calibration_error([0.5, 0.5], [False, True]) == 0
    assert expected_calibration_error([0, 1], [True, False]) == 1


def test_the_interval_shrinks_with_more_pairs() -> None:
    rng = np.random.default_rng(1)
    few, many = (rng.random(n) < 0.7 for n in (50, 5000))

    def interval(right: np.ndarray) -> Interval:
        return bootstrap(lambda draws: draws @ right / len(right), range(len(right)))

    intervals = [interval(few), interval(many)]
    assert all(found.low < found.value < found.high for found in intervals)
    assert intervals[0].high - intervals[0].low > 5 * (intervals[1].high - intervals[1].low)


def test_a_draw_has_as_many_pairs_as_there_are() -> None:
    seen: list[np.ndarray] = []

    def measure(draws: np.ndarray) -> np.ndarray:
        seen.append(draws)
        return draws[:, 0]

    found = bootstrap(measure, range(7), resamples=300)
    *resamples, whole = seen
    draws = np.concatenate(resamples)
    assert draws.shape == (300, 7)
    assert set(draws.sum(axis=1)) == {7}
    assert (draws == draws.astype(int)).all()
    assert draws.mean(axis=0) == pytest.approx(np.ones(7), abs=0.2)
    assert whole.tolist() == [[1] * 7]
    assert found.value == 1


@pytest.mark.parametrize("numbers", [1, 100, 5 * 37, 10**9])
def test_how_many_draws_are_made_at_once_makes_no_difference(numbers: int) -> None:
    right = np.random.default_rng(0).random(37)
    expected = bootstrap(lambda draws: draws @ right, range(37), resamples=101)
    found = bootstrap(lambda draws: draws @ right, range(37), resamples=101, block_size=numbers)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("level", "deviations"), [(0.95, 1.96), (0.5, 0.674)])
def test_the_interval_of_a_binomial_is_about_right(level: float, deviations: float) -> None:
    n, p = 1000, 0.3
    right = np.arange(n) < p * n
    found = bootstrap(lambda draws: draws @ right / n, range(n), resamples=2000, level=level)
    half = deviations * sqrt(p * (1 - p) / n)
    assert found == pytest.approx((p, p - half, p + half), abs=0.15 * half)


def test_draws_with_nothing_to_measure_are_left_out_of_the_interval() -> None:
    values = np.array([1.0, 2.0, 3.0])

    def measure(draws: np.ndarray) -> np.ndarray:
        return np.where(draws[:, 0] > 0, draws @ values / 3, np.nan)

    found = bootstrap(measure, range(3))
    assert found.value == 2
    assert 1 <= found.low < 2 < found.high
    assert found.high < 2.4  # 1, which must be drawn, and twice 3: 7 / 3


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
        (lambda: spearman([1, 2], [1, 2, 3]), "expected as many of both"),
        (lambda: right_validated([1], [True]), "1 pair, expected at least 2"),
        (lambda: right_three_ways([1], [0], [-1]), "1 pair, expected at least 2"),
        (lambda: right_three_ways([1, np.nan], [0, 0], [1, 0]), "a score is NaN"),
        (lambda: expected_calibration_error([0.5, 1.1], [True, False]), "a probability is not between 0 and 1"),
        (lambda: expected_calibration_error([-0.1, 0.5], [True, False]), "a probability is not between 0 and 1"),
        (lambda: expected_calibration_error([np.nan], [True]), "a score is NaN"),
        (lambda: expected_calibration_error([0.5], [True, False]), "expected as many of both"),
    ],
)
def test_mistakes_are_told(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InvalidInput, match=message):
        call()


def test_pairs_of_a_group_are_drawn_together() -> None:
    seen: list[np.ndarray] = []

    def measure(draws: np.ndarray) -> np.ndarray:
        seen.append(draws)
        return np.asarray(draws.mean(axis=1))

    bootstrap(measure, ["animal", "plant", "animal", "thing"], resamples=50)
    draws = seen[0]
    np.testing.assert_array_equal(draws[:, 0], draws[:, 2])
    assert set((draws[:, 0] + draws[:, 1] + draws[:, 3]).tolist()) == {3.0}  # as many groups as there are
    assert len(np.unique(draws, axis=0)) > 5


def test_groups_make_intervals_wider() -> None:
    right = np.repeat(np.random.default_rng(0).random(40) < 0.7, 10)

    def share(draws: np.ndarray) -> np.ndarray:
        return np.asarray(draws @ right / draws.sum(axis=1))

    alone, together = bootstrap(share, range(400)), bootstrap(share, np.repeat(range(40), 10))
    assert alone.value == together.value
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_ranks_become_measures_and_measures_intervals() -> None:
    measures = rank_measures(np.array([1.0, 2.0, np.nan, 20.0]), (1, 5))  # NaN: no right answer
    assert measures["mrr"].tolist() == [1, 0.5, 0.05]
    assert (measures["hit_at_1"].tolist(), measures["hit_at_5"].tolist()) == ([1, 0, 0], [1, 1, 0])
    mean = mean_interval(np.array([0.0, 1.0] * 50))
    assert mean.value == 0.5
    assert 0.3 < mean.low < 0.45 < 0.55 < mean.high < 0.7
    assert mean_interval(np.array([0.0, 1.0] * 50), [0] * 100) == (0.5, 0.5, 0.5)  # one group is always drawn
    assert ratio_interval(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == pytest.approx((2, 2, 2))
    assert flattened({"a": Interval(2, 1, 3)}, "x_") == {"x_a": 2, "x_a_low": 1, "x_a_high": 3}
