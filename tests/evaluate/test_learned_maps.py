"""Maps on words that they have never seen: what they are fitted to, and how well they do there."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.bundled import LabelledPairs, google_news, isa, labelled_pairs, toy_world
from entvec.bundled.wordnet import COLUMNS
from entvec.errors import InvalidInput
from entvec.evaluate import learned_maps
from entvec.evaluate.benchmark import Benchmark, read_benchmark
from entvec.evaluate.detection import Scores, measure
from entvec.evaluate.learned_maps import best_strength, calibration_errors, cross_validated, fitted_to_wordnet, score
from entvec.evaluate.metrics import accuracy_at_half, direction_accuracy
from entvec.learn import Calibration, EntailmentMap
from entvec.learn.objective import LEARNABLE
from entvec.vectors import Vectors, read

FEATURES = 4
ROTATION = np.linalg.qr(np.random.default_rng(0).normal(size=(FEATURES, FEATURES)))[0]
WEAK, STRONG = 1e-6, 1.0
World = tuple[Benchmark, Vectors]


def made_up(name: str, seed: int) -> World:
    """100 words, each a set of features behind a rotation that hides them, and 100 pairs, half of them inclusions."""
    rng = np.random.default_rng(seed)
    bits = rng.random((100, FEATURES)) < 0.5
    vectors = np.where(bits, 1.0, -1.0) @ ROTATION + 0.1 * rng.normal(size=bits.shape)
    words = [f"{name}{i}" for i in range(100)]
    includes = (bits[:, None] | ~bits).all(axis=2)
    entailments, others = np.argwhere(includes & ~includes.T), np.argwhere(~includes)
    pairs = np.concatenate([rng.permutation(part)[:50] for part in (entailments, others)])
    hypo, hyper = (tuple(words[i] for i in side) for side in pairs.T)
    return Benchmark(name, hypo, hyper, np.repeat([1.0, 0.0], 50)), Vectors(words, vectors)


@pytest.fixture(scope="module")
def world() -> World:
    return made_up("w", 1)


def vectors_of(benchmark: Benchmark, vectors: Vectors) -> np.ndarray:
    return np.stack([vectors[list(benchmark.hypo)], vectors[list(benchmark.hyper)]], axis=1)


def map_of(benchmark: Benchmark, vectors: Vectors, operator: str = "backward") -> EntailmentMap:
    return EntailmentMap(operator, C=STRONG, random_state=0).fit(vectors_of(benchmark, vectors), benchmark.positive)


@pytest.fixture(scope="module")
def elsewhere() -> EntailmentMap:
    """A map that knows the rotation from other words."""
    return map_of(*made_up("v", 2))


@dataclass
class Fit:
    """What a map was fitted to: hypo, hyper and label of each pair, and with what settings."""

    pairs: set[tuple[str, str, bool]]
    settings: dict[str, Any]
    start: EntailmentMap | None

    @property
    def words(self) -> set[str]:
        return {word for *pair, _ in self.pairs for word in pair}


def watch(monkeypatch: pytest.MonkeyPatch, vectors: Vectors, *, fit: bool = True) -> list[Fit]:
    """Every fit that is made from now on; words are known by their vectors."""
    seen: list[Fit] = []
    names = {vector.tobytes(): word for word, vector in zip(vectors, vectors.matrix, strict=True)}
    fit_rows = EntailmentMap.fit_rows

    def watched(
        self: EntailmentMap, words: Any, pairs: Any, labels: Any, *, start: EntailmentMap | None = None
    ) -> EntailmentMap:
        named = [names[vector.tobytes()] for vector in words]
        told = {(named[y], named[x], bool(label)) for (y, x), label in zip(pairs, labels, strict=True)}
        seen.append(Fit(told, self.get_params(), start))
        return fit_rows(self, words, pairs, labels, start=start) if fit else self

    monkeypatch.setattr(EntailmentMap, "fit_rows", watched)
    return seen


def fold_of(benchmark: Benchmark, row: Scores, repetition: int, number: int) -> tuple[set[str], set[Any]]:
    """The words that are tested in a fold, and all pairs that share none with it."""
    assert row.folds is not None
    tested = benchmark.take(np.flatnonzero(row.folds[repetition] == number))
    words = {*tested.hypo, *tested.hyper}
    pairs = zip(benchmark.hypo, benchmark.hyper, benchmark.positive.tolist(), strict=True)
    return words, {pair for pair in pairs if not words & {*pair[:2]}}


def test_each_pair_is_scored_in_each_repetition(world: World) -> None:
    told: list[tuple[int, int]] = []
    row = cross_validated(*world, repetitions=2, jobs=1, supervision="ours", progress=lambda *done: told.append(done))
    assert (row.operator, row.interpretation, row.supervision) == ("backward", "mapped", "ours")
    assert row.folds is not None
    assert row.there.shape == row.back.shape == row.folds.shape == (2, 100)
    for folds in row.folds:
        assert np.bincount(folds).tolist() == [10] * 10
    assert not np.array_equal(*row.folds)
    assert np.isfinite([row.there, row.back]).all()
    assert told == [(done, 20) for done in range(1, 21)]
    assert measure(world[0], row).repetitions == 2


def test_no_map_has_seen_a_word_that_it_is_tested_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark, vectors = world
    fits = watch(monkeypatch, vectors)
    row = cross_validated(benchmark, vectors, repetitions=2, jobs=1)
    assert len(fits) == 20
    for i, fit in enumerate(fits):
        tested, allowed = fold_of(benchmark, row, *divmod(i, 10))
        assert len(tested) > 10
        assert not tested & fit.words
        assert fit.pairs == allowed
        assert fit.settings == EntailmentMap(random_state=i // 10).get_params()
        assert fit.start is None


def test_scores_are_the_decision_of_the_fold(world: World) -> None:
    benchmark, vectors = world
    row = cross_validated(benchmark, vectors, repetitions=1, jobs=1)
    assert row.folds is not None
    tested = row.folds[0] == 3
    words, allowed = fold_of(benchmark, row, 0, 3)
    trained = np.array([not words & {*pair} for pair in benchmark.pairs.tolist()])
    assert trained.sum() == len(allowed)
    pairs = vectors_of(benchmark, vectors)
    learned = EntailmentMap(random_state=0).fit(pairs[trained], benchmark.positive[trained])
    np.testing.assert_allclose(row.there[0, tested], learned.decision_function(pairs[tested]), rtol=1e-6)
    np.testing.assert_allclose(row.back[0, tested], learned.decision_function(pairs[tested][:, ::-1]), rtol=1e-6)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_scores_are_the_same_again(world: World, operator: str) -> None:
    row, again = (cross_validated(*world, operator, repetitions=1, jobs=1) for _ in range(2))
    assert row.operator == operator
    np.testing.assert_array_equal(row.there, again.there)
    np.testing.assert_array_equal(row.back, again.back)


def test_a_map_to_start_with_is_used(world: World, elsewhere: EntailmentMap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little is learned of so few pairs to undo the rotation, but a map that has undone it helps."""
    benchmark, vectors = world
    fits = watch(monkeypatch, vectors)
    row = cross_validated(benchmark, vectors, repetitions=2, start=elsewhere, jobs=1)
    assert {id(fit.start) for fit in fits} == {id(elsewhere)}
    without = cross_validated(benchmark, vectors, repetitions=2, jobs=1)
    for there, back, before in zip(row.there, row.back, without.there, strict=True):
        assert accuracy_at_half(there, benchmark.positive) > 0.9
        assert direction_accuracy(there, back, benchmark.positive) > 0.9
        assert 0.5 < accuracy_at_half(before, benchmark.positive) < 0.8


def test_nested_folds_choose_a_strength_that_undoes_the_rotation(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark, vectors = world
    monkeypatch.setattr(learned_maps, "STRENGTHS", (WEAK, STRONG))
    fits = watch(monkeypatch, vectors)
    row = cross_validated(benchmark, vectors, repetitions=1, nested=True, jobs=1)
    assert accuracy_at_half(row.there[0], benchmark.positive) > 0.85
    assert direction_accuracy(row.there[0], row.back[0], benchmark.positive) > 0.9
    per_fold = 2 * learned_maps.INNER_FOLDS + 1
    assert len(fits) == 10 * per_fold
    for number in range(10):
        *inner, last = fits[number * per_fold : (number + 1) * per_fold]
        tested, allowed = fold_of(benchmark, row, 0, number)
        assert last.settings["C"] in (WEAK, STRONG)
        assert last.pairs == allowed
        assert all(fit.pairs < allowed for fit in inner)  # so no word of the fold decides
        assert not any(tested & fit.words for fit in inner)
    assert [fit.settings["C"] for fit in fits[per_fold - 1 :: per_fold]].count(STRONG) >= 8


def test_the_strength_is_one_of_those_to_choose_from(world: World, elsewhere: EntailmentMap) -> None:
    benchmark, vectors = world
    rows = np.stack([vectors.rows(benchmark.hypo), vectors.rows(benchmark.hyper)], axis=1)
    settings = {"operator": "backward", "random_state": 0}
    for start in (None, elsewhere):
        assert best_strength(vectors.matrix, rows, benchmark.positive, settings, start) in learned_maps.STRENGTHS


@pytest.mark.parametrize("strengths", [(WEAK, STRONG), (STRONG, WEAK)])
def test_the_better_strength_is_chosen(
    world: World, strengths: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, vectors = world
    rows = np.stack([vectors.rows(benchmark.hypo), vectors.rows(benchmark.hyper)], axis=1)
    monkeypatch.setattr(learned_maps, "STRENGTHS", strengths)
    assert (
        best_strength(vectors.matrix, rows, benchmark.positive, {"operator": "backward", "random_state": 0}) == STRONG
    )


def test_a_map_fitted_to_wordnet_has_seen_no_word_of_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every 40th row of the table, which would take seconds."""
    table = replace(isa(), **{name: getattr(isa(), name)[::40] for name in COLUMNS})
    monkeypatch.setattr(learned_maps, "labelled_pairs", partial(labelled_pairs, table))
    missing = {*table.words[::7]}  # have no vectors
    covered = [word for word in table.words if word not in missing]
    vectors = Vectors(covered, np.arange(1.0, len(covered) + 1)[:, None])
    benchmark = Benchmark("b", ("dog", "car"), ("animal", "person"), np.array([1.0, 0.0]))
    held = {"dog", "car", "animal", "person"}

    def told(pairs: LabelledPairs) -> set[tuple[str, str, bool]]:
        columns = zip(pairs.hypo, pairs.hyper, pairs.labels, strict=True)
        found = {(table.words[y], table.words[x], bool(label)) for y, x, label in columns}
        return {pair for pair in found if not missing & {*pair[:2]}}

    assert Fit(told(labelled_pairs(table)), {}, None).words >= held
    fits = watch(monkeypatch, vectors, fit=False)
    fitted_to_wordnet(benchmark, vectors, "forward", seed=3)
    (fit,) = fits
    assert not fit.words & held
    assert fit.pairs == told(labelled_pairs(table, hold_out=held, seed=3))
    assert len(fit.pairs) > 1000
    assert (fit.settings["operator"], fit.settings["random_state"]) == ("forward", 3)


@pytest.mark.parametrize("operator", LEARNABLE)
def test_scores_of_a_map_rank_as_its_decision(world: World, operator: str) -> None:
    benchmark, vectors = world
    learned = map_of(*made_up("v", 2), operator)
    row = score(benchmark, vectors, learned, "elsewhere")
    assert (row.operator, row.interpretation, row.supervision) == (operator, "mapped", "elsewhere")
    assert row.folds is None
    pairs = vectors_of(benchmark, vectors)
    for scores, decision in (
        (row.there, learned.decision_function(pairs)),
        (row.back, learned.decision_function(pairs[:, ::-1])),
    ):
        np.testing.assert_array_equal(np.argsort(scores), np.argsort(decision))
        np.testing.assert_allclose(learned.scale_ * scores + learned.intercept_, decision)


@pytest.fixture(scope="module")
def overconfident() -> tuple[Benchmark, Scores]:
    """Pairs with a known probability of entailment, and scores that are five times its log-odds."""
    n, rng = 4000, np.random.default_rng(0)
    log_odds = rng.normal(size=n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(np.float64)
    words = tuple(f"w{i}" for i in range(n))
    folds = np.array([rng.permutation(n) % 10 for _ in range(2)])
    there = 5 * np.stack([log_odds, log_odds])
    return Benchmark("b", words, words[::-1], labels), Scores("o", "i", "s", there, there, folds)


def test_calibration_mends_overconfident_scores(overconfident: tuple[Benchmark, Scores]) -> None:
    found = calibration_errors(*overconfident)
    assert list(found) == ["as fitted", "platt", "isotonic"]
    assert found["as fitted"] > 0.15
    assert found["platt"] < 0.03
    assert found["isotonic"] < 0.03


def test_the_calibration_error_is_the_mean_of_the_repetitions(overconfident: tuple[Benchmark, Scores]) -> None:
    benchmark, row = overconfident
    assert row.folds is not None
    each = [calibration_errors(benchmark, replace(row, there=row.there[i], folds=row.folds[i])) for i in range(2)]
    assert each[0] != each[1]
    assert calibration_errors(benchmark, row) == pytest.approx(
        {name: (each[0][name] + each[1][name]) / 2 for name in each[0]}
    )


def test_no_fold_is_calibrated_by_itself(
    overconfident: tuple[Benchmark, Scores], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, row = overconfident
    assert row.folds is not None
    fold_of_score = dict(zip(row.there[0].tolist(), row.folds[0].tolist(), strict=True))
    used: list[tuple[set[int], set[int]]] = []

    class Watched(Calibration):
        def probability(self, scores: Any) -> np.ndarray:
            used.append(({fold_of_score[x] for x in self.x}, {fold_of_score[x] for x in scores.tolist()}))
            return np.full(len(scores), 0.5)

    monkeypatch.setattr(learned_maps, "calibrate", lambda scores, labels, method: Watched(method, scores, labels))
    found = calibration_errors(benchmark, replace(row, there=row.there[0], folds=row.folds[0]))
    even, odd = {0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}
    assert used == [(odd, even), (even, odd)] * 2
    assert found["platt"] == found["isotonic"] == pytest.approx(abs(0.5 - benchmark.positive.mean()))


def test_scores_of_one_map_have_no_folds_to_calibrate_on(world: World, elsewhere: EntailmentMap) -> None:
    assert calibration_errors(world[0], score(*world, elsewhere, "elsewhere")) == {}


def test_mistakes_are_told(world: World, elsewhere: EntailmentMap) -> None:
    benchmark, vectors = world
    with pytest.raises(InvalidInput, match="operator is 'dot', expected one of forward"):
        cross_validated(benchmark, vectors, "dot", repetitions=1, jobs=1)
    with pytest.raises(InvalidInput, match="the map to start from is of backward"):
        cross_validated(benchmark, vectors, "forward", start=elsewhere, repetitions=1, jobs=1)
    with pytest.raises(InvalidInput, match="9 pairs, expected at least one for each of 10 folds"):
        cross_validated(benchmark.take(np.arange(9)), vectors, repetitions=1, jobs=1)


def test_a_fold_with_nothing_to_train_on_is_told() -> None:
    """In the toy world every pair shares a word with most folds."""
    toy = toy_world()
    hypo, hyper = zip(*toy.pairs(), strict=True)
    labels = np.array([float(toy.entails(*pair)) for pair in toy.pairs()])
    with pytest.raises(InvalidInput):
        cross_validated(
            Benchmark("toy", hypo, hyper, labels), Vectors(toy.words, toy.log_odds()), repetitions=1, jobs=1
        )


@pytest.mark.slow
def test_weeds_bless(shared_data: Path) -> None:
    bundled, extra = google_news(), read(shared_data / "google-news-extra.txt")
    vectors = Vectors([*bundled, *extra], np.concatenate([bundled.matrix, extra.matrix]))
    benchmark = read_benchmark(shared_data / "weeds-bless.json").covered_by(vectors)
    assert len(benchmark) == 1348
    found = measure(benchmark, cross_validated(benchmark, vectors, "backward", repetitions=2, jobs=1)).measures
    assert found["accuracy_at_half"].value >= 0.79
    assert found["direction_accuracy"].value >= 0.92
