"""How well learned maps detect entailments between words that they have not seen.

In cross-validation the training set of each fold loses every pair that shares a word with the fold (LexicalKFold). A
map fitted to WordNet's pairs is fitted without all words of the benchmark.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import labelled_pairs
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.detection import Scores, check_measurable
from entvec.evaluate.metrics import accuracy_at_half, expected_calibration_error
from entvec.learn import EntailmentMap, LexicalKFold, calibrate
from entvec.progress import Progress
from entvec.theory import OPERATORS
from entvec.theory.elementwise import known
from entvec.vectors import Vectors

__all__ = ["calibration_errors", "cross_validated", "fitted_to_wordnet", "score"]

REPETITIONS = 10
STRENGTHS = (0.003, 0.01, 0.03, 0.1)
"""The values of C that nested folds choose from."""
INNER_FOLDS = 5
ROUGH_TOLERANCE = 1e-3


def score(benchmark: Benchmark, vectors: Vectors, learned: EntailmentMap, supervision: str) -> Scores:
    """Return the scores of a map on a benchmark that it was not fitted to.

    >>> from entvec.bundled import toy_world
    >>> world = toy_world()
    >>> vectors = Vectors(world.words, world.log_odds())
    >>> dog, animal = vectors.rows(["dog", "animal"])
    >>> learned = EntailmentMap().fit_rows(vectors.matrix, [[dog, animal], [animal, dog]], [1, 0])
    >>> pairs = Benchmark("pairs", ("poodle", "animal"), ("dog", "cat"), np.array([1.0, 0.0]))
    >>> found = score(pairs, vectors, learned, "two pairs")
    >>> found.supervision, found.there.shape
    ('two pairs', (2,))

    Parameters
    ----------
    benchmark, vectors
        Pairs, and vectors of all of their words.
    learned
        A fitted map.
    supervision
        What the map was fitted to, stored in the result.
    """
    both = (benchmark.hypo, benchmark.hyper)
    y, x = (learned.transform(vectors[list(side)].astype(np.float64)) for side in both)
    operator = OPERATORS[learned.operator]
    return Scores(learned.operator, "mapped", supervision, operator.score(y, x), operator.score(x, y))


def fitted_to_wordnet(
    benchmark: Benchmark, vectors: Vectors, operator: str = "backward", *, seed: int = 0
) -> EntailmentMap:
    """Return a map fitted to WordNet's pairs without any word of the benchmark. It takes about half a minute.

    >>> from entvec.bundled import google_news
    >>> from entvec.evaluate.benchmark import find_benchmark
    >>> learned = fitted_to_wordnet(find_benchmark("weeds-bless"), google_news())  # doctest: +SKIP

    Parameters
    ----------
    benchmark
        The whole benchmark, also the pairs without vectors.
    vectors
        Word vectors.
    operator
        The operator of the map.
    seed
        The seed of the random numbers: which pairs are drawn, and where the fit starts.
    """
    pairs = labelled_pairs(hold_out={*benchmark.hypo, *benchmark.hyper}, seed=seed)
    rows = vectors.rows(pairs.words)
    both = np.stack([rows[pairs.hypo], rows[pairs.hyper]], axis=1)
    # If the lookup ignores case, a held-out word may share its vector with a word that is not held out.
    held = vectors.rows([*benchmark.hypo, *benchmark.hyper])
    covered = (both >= 0).all(axis=1) & ~np.isin(both, held).any(axis=1)
    if not pairs.labels[covered].any():
        raise InvalidInput(f"no entailment of WordNet is left to learn from among {len(vectors):,} words")
    used, at = np.unique(both[covered], return_inverse=True)
    table = vectors.take(used).matrix
    return EntailmentMap(operator, random_state=seed).fit_rows(table, at.reshape(-1, 2), pairs.labels[covered])


def cross_validated(
    benchmark: Benchmark,
    vectors: Vectors,
    operator: str = "backward",
    *,
    supervision: str = "cross-entropy",
    repetitions: int = REPETITIONS,
    nested: bool = False,
    start: EntailmentMap | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Return scores by cross-validation in ten folds; each map is fitted without the words of the fold it scores.

    >>> from entvec.bundled import google_news
    >>> from entvec.evaluate.benchmark import find_benchmark
    >>> from entvec.evaluate.detection import measure
    >>> pairs = find_benchmark("weeds-bless").covered_by(google_news())  # doctest: +SKIP
    >>> result = measure(pairs, cross_validated(pairs, google_news(), repetitions=2))  # doctest: +SKIP

    Parameters
    ----------
    benchmark, vectors
        Pairs, and vectors of all of their words.
    operator
        The operator of the maps.
    supervision
        The name of the method, stored in the result.
    repetitions
        How often the cross-validation is done, each time with another seed.
    nested
        Whether the regularisation `C` is chosen by cross-validation within each training set.
    start
        A map from which each fit starts.
    jobs
        The number of processes; None for one per processor.
    progress
        A callback, called with the number of folds that are done and the number of all folds.
    """
    from joblib import Parallel, delayed

    check_measurable(benchmark)
    if benchmark.kind == "graded":
        raise InvalidInput(f"{benchmark.name} is graded, expected pairs that are entailments or not, to learn from")
    if repetitions < 1:
        raise InvalidInput(f"repetitions is {repetitions}, expected 1 or more")
    words, rows = np.unique(benchmark.pairs, return_inverse=True)
    pairs, labels = rows.reshape(-1, 2), benchmark.positive
    task: Any = {"table": vectors[words.tolist()], "pairs": pairs, "labels": labels, "nested": nested, "start": start}
    folds = [
        (seed, number, train, test)
        for seed in range(repetitions)
        for number, (train, test) in enumerate(LexicalKFold(random_state=seed).split(pairs))
    ]
    for _, number, train, _ in folds:
        if not 0 < labels[train].sum() < len(train):
            raise InvalidInput(f"{len(benchmark)} pairs are too few: fold {number} leaves {len(train)} to learn from")
    runs = Parallel(n_jobs=jobs or -1, return_as="generator")(
        delayed(_fold)(**task, train=train, test=test, settings={"operator": operator, "random_state": seed})
        for seed, _, train, test in folds
    )
    there, back = np.empty((2, repetitions, len(pairs)))
    numbers = np.empty((repetitions, len(pairs)), dtype=np.int64)
    for done, ((seed, number, _, test), scores) in enumerate(zip(folds, runs, strict=True), start=1):
        there[seed, test], back[seed, test] = scores
        numbers[seed, test] = number
        if progress is not None:
            progress(done, len(folds))
    return Scores(operator, "mapped", supervision, there, back, numbers)


def _fold(
    *,
    table: NDArray[Any],
    pairs: NDArray[np.int64],
    labels: NDArray[np.bool_],
    nested: bool,
    start: EntailmentMap | None,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    settings: dict[str, Any],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of the tested pairs and of these reversed, as log-odds, which are comparable between maps."""
    if nested:
        settings = {**settings, "C": best_strength(table, pairs[train], labels[train], settings, start)}
    learned = EntailmentMap(**settings).fit_rows(table, pairs[train], labels[train], start=start)
    tested = table[pairs[test]]
    return learned.decision_function(tested), learned.decision_function(tested[:, ::-1])


def best_strength(
    table: NDArray[Any],
    pairs: NDArray[np.int64],
    labels: NDArray[np.bool_],
    settings: dict[str, Any],
    start: EntailmentMap | None = None,
) -> float:
    """Return the `C` of STRENGTHS that has the best accuracy in cross-validation; the folds share no words."""
    inner = list(LexicalKFold(INNER_FOLDS, random_state=settings["random_state"]).split(pairs))
    inner = [(train, test) for train, test in inner if 0 < labels[train].sum() < len(train)]
    reached = []
    for strength in STRENGTHS:
        right = 0.0
        for train, test in inner:
            learned = EntailmentMap(**{**settings, "C": strength, "tol": ROUGH_TOLERANCE})
            learned.fit_rows(table, pairs[train], labels[train], start=start)
            right += len(test) * accuracy_at_half(learned.pair_score(table[pairs[test]]), labels[test])
        reached.append(right)
    return STRENGTHS[int(np.argmax(reached))]


def calibration_errors(benchmark: Benchmark, row: Scores) -> dict[str, float]:
    """Return the calibration errors of cross-validated scores: as fitted, and after each method of calibration.

    The scores of even folds are calibrated on odd folds, and those of odd folds on even folds.
    """
    labels = benchmark.positive
    errors: dict[str, list[float]] = {"as fitted": [], "platt": [], "isotonic": []}
    if row.folds is None:
        return {}
    for scores, folds in zip(np.atleast_2d(row.there), np.atleast_2d(row.folds), strict=True):
        errors["as fitted"].append(expected_calibration_error(known(scores), labels))
        for method in ("platt", "isotonic"):
            probabilities = np.empty(len(scores))
            for part in (0, 1):
                fitted, used = folds % 2 != part, folds % 2 == part
                probabilities[used] = calibrate(scores[fitted], labels[fitted], method).probability(scores[used])
            errors[method].append(expected_calibration_error(probabilities, labels))
    return {name: float(np.mean(found)) for name, found in errors.items()}
