"""Detection of entailment: the toy world is solved, and the reference numbers of the real benchmarks are met."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark, Kind, read_benchmark
from entvec.evaluate.detection import DetectionResult, Scores, frequency, measure, score, second_word
from entvec.evaluate.metrics import (
    accuracy_at_half,
    average_precision,
    direction_accuracy,
    right_three_ways,
    right_validated,
    spearman,
)
from entvec.vectors import Vectors, read

# 50% Acc and Dir Acc in percent, computed independently on the same vectors: with the bundled words, and with the
# words of an extra file.
REFERENCE = {
    ("log_odds", "forward"): ((54.6, 54.9), (54.0, 54.7)),
    ("log_odds", "dot"): ((57.9, 50.0), (57.6, 50.0)),
    ("log_odds", "difference"): ((57.4, 59.8), (57.4, 59.7)),
    ("log_odds", "factorised"): ((58.4, 59.8), (57.1, 59.7)),
    ("log_odds", "backward"): ((62.2, 63.8), (61.4, 64.4)),
    ("dup", "backward"): ((66.9, 79.4), (66.6, 80.2)),
    ("unk_dup", "factorised"): ((71.7, 79.4), (72.3, 80.2)),
    ("unk_dup", "backward"): ((72.0, 79.4), (72.4, 80.2)),
}
PRECISION = {
    ("unk_dup", "backward"): (0.8503, 0.8496),
    ("unk_dup", "factorised"): (0.8668, 0.8652),
    ("dup", "backward"): (0.8323, 0.8294),
    ("log_odds", "dot"): (0.7226, 0.7184),
}
MEASURES = {
    "detection": [
        "accuracy_at_half",
        "direction_accuracy",
        "average_precision",
        "average_precision_at_100",
        "accuracy_validated",
    ],
    "graded": ["spearman"],
}
MEASURES["direction"] = [*MEASURES["detection"], "accuracy_three_ways"]
KINDS: tuple[Kind, ...] = ("detection", "direction", "graded")


@pytest.fixture(scope="module")
def both(shared_data: Path) -> tuple[Vectors, Vectors]:
    """The bundled vectors, and those with the words of the extra file."""
    bundled, extra = google_news(), read(shared_data / "google-news-extra.txt")
    return bundled, Vectors([*bundled, *extra], np.concatenate([bundled.matrix, extra.matrix]))


@pytest.mark.parametrize(("interpretation", "operator"), REFERENCE)
def test_weeds_bless(shared_data: Path, both: tuple[Vectors, Vectors], interpretation: str, operator: str) -> None:
    benchmark = read_benchmark(shared_data / "weeds-bless.json")
    for vectors, pairs, expected in zip(both, (1219, 1348), REFERENCE[interpretation, operator], strict=True):
        covered = benchmark.covered_by(vectors)
        assert len(covered) == pairs
        scored = score(covered, vectors, interpretation, operator)
        found = (
            100 * accuracy_at_half(scored.there, covered.positive),
            100 * direction_accuracy(scored.there, scored.back, covered.positive),
        )
        assert found == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("interpretation", "operator"), PRECISION)
def test_baroni(shared_data: Path, both: tuple[Vectors, Vectors], interpretation: str, operator: str) -> None:
    benchmark = read_benchmark(shared_data / "baroni2012.tsv")
    for vectors, pairs, expected in zip(both, (2029, 2068), PRECISION[interpretation, operator], strict=True):
        covered = benchmark.covered_by(vectors)
        assert len(covered) == pairs
        there = score(covered, vectors, interpretation, operator).there
        assert average_precision(there, covered.positive) == pytest.approx(expected, abs=1e-4)


@pytest.fixture
def toy() -> tuple[Benchmark, Vectors]:
    world = toy_world()
    hypo, hyper = zip(*world.pairs(), strict=True)
    labels = np.array([float(world.entails(*pair)) for pair in world.pairs()])
    return Benchmark("toy", hypo, hyper, labels), Vectors(world.words, world.log_odds())


@pytest.mark.parametrize("operator", ["backward", "forward", "factorised"])
def test_the_toy_world_has_every_direction_right(toy: tuple[Benchmark, Vectors], operator: str) -> None:
    benchmark, vectors = toy
    row = measure(benchmark, score(benchmark, vectors, "log_odds", operator))
    assert row.measures["direction_accuracy"].value == 1
    assert row.measures["average_precision"].value == pytest.approx(1)
    assert row.p_value is None


def test_rows_are_compared_with_the_one_before(toy: tuple[Benchmark, Vectors]) -> None:
    benchmark, vectors = toy
    same = score(benchmark, vectors, "log_odds", "backward")
    assert measure(benchmark, same, before=same).p_value == 1
    opposite = measure(benchmark, replace(same, there=-same.there), before=same).p_value
    assert opposite is not None
    assert opposite < 0.05


def test_a_row_for_json_has_numbers_alone(toy: tuple[Benchmark, Vectors]) -> None:
    benchmark, vectors = toy
    told = measure(benchmark, score(benchmark, vectors, "log_odds", "backward")).as_dict()
    assert told["accuracy_at_half_low"] <= told["accuracy_at_half"] <= told["accuracy_at_half_high"]
    assert {type(value) for value in told.values()} == {str, int, float, type(None)}


def benchmark_of(kind: Kind, n: int = 110, seed: int = 0) -> Benchmark:
    """Pairs of words that occur in no other pair, with labels as they are in files of this kind."""
    rng = np.random.default_rng(seed)
    labels = {
        "detection": rng.integers(0, 2, size=n),
        "direction": rng.integers(-1, 2, size=n),
        "graded": rng.integers(0, 61, size=n) / 10,
    }
    hypo, hyper = (tuple(f"{side}{i}" for i in range(n)) for side in ("y", "x"))
    return Benchmark("made up", hypo, hyper, labels[kind].astype(np.float64), kind)


def scores_of(benchmark: Benchmark, shape: tuple[int, ...], folds: np.ndarray | None = None, seed: int = 0) -> Scores:
    """Scores that know something, many of them equal."""
    rng = np.random.default_rng(seed)
    there, back = (
        np.round(2 * sign * benchmark.labels + rng.normal(scale=2, size=shape)).astype(np.float64) for sign in (1, -1)
    )
    return Scores("backward", "mapped", "some", there, back, folds)


@cache
def measured(kind: Kind) -> tuple[Benchmark, Scores, DetectionResult]:
    benchmark = benchmark_of(kind)
    row = scores_of(benchmark, (len(benchmark),))
    return benchmark, row, measure(benchmark, row)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_benchmark_has_its_measures(kind: Kind) -> None:
    benchmark, row, found = measured(kind)
    assert list(found.measures) == MEASURES[kind]
    labels, there, back = benchmark.labels, row.there, row.back
    expected = {"spearman": spearman(there, labels)}
    if kind != "graded":
        expected = {
            "accuracy_at_half": accuracy_at_half(there, labels > 0),
            "direction_accuracy": direction_accuracy(there, back, labels > 0),
            "average_precision": average_precision(there, labels > 0),
            "average_precision_at_100": average_precision(there, labels > 0, first=100),
            "accuracy_validated": right_validated(there, labels > 0).mean(),
        }
    if kind == "direction":
        expected["accuracy_three_ways"] = right_three_ways(there, back, labels).mean()
    assert {name: interval.value for name, interval in found.measures.items()} == pytest.approx(expected)
    for value, low, high in found.measures.values():
        assert 0 < low < value < high < 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_for_json_has_the_measures_of_its_kind(kind: Kind) -> None:
    told = measured(kind)[-1].as_dict()
    numbers = [name + end for name in MEASURES[kind] for end in ("", "_low", "_high")]
    assert list(told) == ["operator", "interpretation", "supervision", *numbers, "repetitions", "p_value"]
    assert (told["operator"], told["interpretation"], told["supervision"]) == ("backward", "mapped", "some")
    assert (told["repetitions"], told["p_value"]) == (1, None)
    assert all(type(told[name]) is float for name in numbers)


@pytest.mark.parametrize("kind", KINDS)
def test_only_labels_have_a_significance_and_only_beside_another_row(kind: Kind) -> None:
    benchmark, row, alone = measured(kind)
    assert alone.p_value is None
    before = scores_of(benchmark, (len(benchmark),), seed=1)
    compared = measure(benchmark, row, before).p_value
    if kind == "graded":
        assert compared is None
    else:
        assert compared is not None
        assert 0 < compared <= 1
        assert measure(benchmark, before, row).p_value == compared


@pytest.mark.parametrize("kind", KINDS)
def test_a_repetition_alone_is_a_row_without_repetitions(kind: Kind) -> None:
    benchmark, row, found = measured(kind)
    assert measure(benchmark, replace(row, there=row.there[None], back=row.back[None])) == found


def test_each_fold_has_its_own_half() -> None:
    """Scores of the second fold are all higher, so one half for both folds would call all of it entailments."""
    benchmark = replace(benchmark_of("detection", 8), labels=np.array([1.0, 1, 0, 0, 1, 1, 0, 0]))
    there = np.array([4.0, 3, 2, 1, 14, 13, 12, 11])
    folds = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    row = Scores("o", "i", "s", there, np.zeros(8), folds)
    assert measure(benchmark, row).measures["accuracy_at_half"].value == 1
    assert measure(benchmark, replace(row, folds=None)).measures["accuracy_at_half"].value == 0.5
    again = replace(row, there=np.stack([there, -there]), back=np.zeros((2, 8)), folds=np.stack([folds] * 2))
    assert measure(benchmark, again).measures["accuracy_at_half"].value == 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_repetitions_and_folds_are_averaged(kind: Kind) -> None:
    benchmark = benchmark_of(kind)
    n = len(benchmark)
    labels, positive = benchmark.labels, benchmark.positive
    folds = np.array([np.random.default_rng(seed).integers(0, 3, size=n) for seed in range(2)])
    row = scores_of(benchmark, (2, n), folds)
    at_half = [
        sum(accuracy_at_half(there[fold == k], positive[fold == k]) * (fold == k).sum() for k in range(3)) / n
        for there, fold in zip(row.there, folds, strict=True)
    ]
    both = list(zip(row.there, row.back, strict=True))
    expected = {
        "accuracy_at_half": at_half,
        "direction_accuracy": [direction_accuracy(there, back, positive) for there, back in both],
        "average_precision": [average_precision(there, positive) for there, _ in both],
        "average_precision_at_100": [average_precision(there, positive, first=100) for there, _ in both],
        "accuracy_validated": [right_validated(there, positive).mean() for there, _ in both],
        "accuracy_three_ways": [right_three_ways(there, back, labels).mean() for there, back in both],
        "spearman": [spearman(there, labels) for there, _ in both],
    }
    found = measure(benchmark, row)
    assert found.repetitions == 2
    for name, (value, low, high) in found.measures.items():
        assert value == pytest.approx(np.mean(expected[name]))
        assert low < value < high


def test_the_interval_of_a_rank_correlation_is_of_pairs_drawn_again() -> None:
    """The pairs agree but for one: if it is not drawn, the correlation is perfect."""
    benchmark = replace(benchmark_of("graded", 20), labels=np.arange(20.0))
    there = np.arange(20.0)
    there[19] = -1
    value, low, high = measure(benchmark, Scores("o", "i", "s", there, there)).measures["spearman"]
    assert value == pytest.approx(spearman(there, benchmark.labels))
    assert low < value < 1
    assert high == pytest.approx(1)


def test_the_toy_world_has_three_ways(toy: tuple[Benchmark, Vectors]) -> None:
    world, (benchmark, vectors) = toy_world(), toy
    labels = [float(world.entails(*pair)) - world.entails(*pair[::-1]) for pair in world.pairs()]
    assert set(labels) == {1, 0, -1}
    three = replace(benchmark, labels=np.array(labels), kind="direction")
    row = score(three, vectors, "log_odds", "backward")
    found = measure(three, row).measures
    assert found["direction_accuracy"].value == 1
    assert found["average_precision"].value == pytest.approx(1)
    wrong = measure(three, replace(row, there=row.back, back=row.there)).measures
    assert wrong["direction_accuracy"].value == 0
    assert found["accuracy_three_ways"].value > wrong["accuracy_three_ways"].value + 0.2


def test_the_second_word_is_judged_by_other_pairs_only() -> None:
    words = tuple(f"w{i}" for i in range(100))
    hyper = ("animal",) * 50 + ("piano",) * 50
    benchmark = Benchmark("b", words, hyper, np.array([1.0] * 50 + [0.0] * 50))
    assert accuracy_at_half(second_word(benchmark).there, benchmark.positive) == 1
    alone = Benchmark("b", words, words[::-1], benchmark.labels)
    assert set(second_word(alone).there) == {0.5}


def test_the_second_word_has_the_mean_grade_of_other_pairs() -> None:
    words = tuple(f"w{i}" for i in range(100))
    labels = np.array([6.0] * 50 + [1.0] * 50)
    benchmark = Benchmark("b", words, ("animal",) * 50 + ("piano",) * 50, labels, "graded")
    row = second_word(benchmark)
    seen = 50 - np.arange(50)  # how many of the 50 may be in other folds, and two pairs in the middle besides
    assert set(row.there[:50]) <= set((6 * seen + 2 * 3.5) / (seen + 2))
    assert set(row.there[50:]) <= set((1 * seen + 2 * 3.5) / (seen + 2))
    assert row.there[:50].min() > 5.5
    assert row.there[50:].max() < 1.5
    assert set(row.back) == {3.5}
    assert measure(benchmark, row).measures["spearman"].value > 0.8
    alone = Benchmark("b", words, words[::-1], labels, "graded")
    assert set(second_word(alone).there) == {3.5}


def test_frequent_words_are_thought_general() -> None:
    vectors = Vectors(["animal", "dog", "poodle"], np.eye(3))
    benchmark = Benchmark("b", ("dog", "animal"), ("animal", "poodle"), np.array([1.0, 0.0]))
    assert (frequency(benchmark, vectors).there > 0).tolist() == [True, False]


def test_mistakes_are_told(toy: tuple[Benchmark, Vectors]) -> None:
    with pytest.raises(InvalidInput, match="no interpretation 'odds', expected one of log_odds, dup, unk_dup"):
        score(*toy, "odds", "backward")
    with pytest.raises(InvalidInput, match="no operator 'sideways', expected one of forward, backward"):
        score(*toy, "dup", "sideways")
