"""Detection of entailment: the toy world is solved, and the reference numbers of the real benchmarks are met."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark, read_benchmark
from entvec.evaluate.detection import frequency, measure, score, second_word
from entvec.evaluate.metrics import accuracy_at_half, average_precision, direction_accuracy
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


def test_the_second_word_is_judged_by_other_pairs_only() -> None:
    words = tuple(f"w{i}" for i in range(100))
    hyper = ("animal",) * 50 + ("piano",) * 50
    benchmark = Benchmark("b", words, hyper, np.array([1.0] * 50 + [0.0] * 50))
    assert accuracy_at_half(second_word(benchmark).there, benchmark.positive) == 1
    alone = Benchmark("b", words, words[::-1], benchmark.labels)
    assert set(second_word(alone).there) == {0.5}


def test_frequent_words_are_thought_general() -> None:
    vectors = Vectors(["animal", "dog", "poodle"], np.eye(3))
    benchmark = Benchmark("b", ("dog", "animal"), ("animal", "poodle"), np.array([1.0, 0.0]))
    assert (frequency(benchmark, vectors).there > 0).tolist() == [True, False]


def test_mistakes_are_told(toy: tuple[Benchmark, Vectors]) -> None:
    with pytest.raises(InvalidInput, match="no interpretation 'odds', expected one of log_odds, dup, unk_dup"):
        score(*toy, "odds", "backward")
    with pytest.raises(InvalidInput, match="no operator 'sideways', expected one of forward, backward"):
        score(*toy, "dup", "sideways")
