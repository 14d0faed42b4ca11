"""How well operators detect entailments and their direction, beside baselines that compare no vectors.

In the benchmarks of this field the second word alone nearly decides the label. So every table has two more rows: one
baseline sees only the second word, the other only the frequencies of the words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.metrics import (
    Interval,
    average_precision_drawn,
    bootstrap,
    flattened,
    mcnemar,
    right_at_half,
    right_three_ways,
    right_validated,
    spearman,
)
from entvec.interchange import data_frame
from entvec.space import EntailmentSpace
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.vectors import Vectors

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DetectionResult", "Scores", "check_measurable", "frequency", "measure", "score", "score_in", "second_word"]

Measure = Callable[[Floats], Floats]
FOLDS = 10
SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of a method: an array with one score per pair, or one row per repetition.

    >>> Scores("made up", "-", "none", np.array([0.9, 0.1]), np.array([0.2, 0.2])).there
    array([0.9, 0.1])

    Parameters
    ----------
    operator, interpretation, supervision
        What is measured, for tables.
    there
        Scores of the pairs (hypo, hyper).
    back
        Scores of the reversed pairs (hyper, hypo).
    folds
        The fold in which each pair was tested. Each fold has its own map, so 50% Acc takes the better half of each
        fold.
    """

    operator: str
    interpretation: str
    supervision: str
    there: Floats
    back: Floats
    folds: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class DetectionResult:
    """The measures of a method with 95% intervals, from 1,000 resamples of second words, each with all of its pairs.

    >>> DetectionResult("backward", "unk_dup", "none", {"accuracy_at_half": Interval(0.7, 0.6, 0.8)}).name
    'unk_dup backward'

    Parameters
    ----------
    operator, interpretation, supervision
        What was measured.
    measures
        The measures by name; the kind of the benchmark decides which there are.
    repetitions
        How often cross-validation was repeated.
    p_value
        The p-value of McNemar's exact test that the accuracy differs from that of the previous row.
    """

    operator: str
    interpretation: str
    supervision: str
    measures: dict[str, Interval]
    repetitions: int = 1
    p_value: float | None = None

    @property
    def name(self) -> str:
        """Return the title of the row in tables."""
        return self.operator if self.interpretation == "-" else f"{self.interpretation} {self.operator}"

    @property
    def star(self) -> str:
        """Return a star if the row differs significantly from the row before, else an empty text."""
        return "*" if self.p_value is not None and self.p_value < SIGNIFICANT else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON can hold it."""
        method = {name: getattr(self, name) for name in ("operator", "interpretation", "supervision")}
        return method | flattened(self.measures) | {"repetitions": self.repetitions, "p_value": self.p_value}

    def to_frame(self) -> pd.DataFrame:
        """Return the row as a DataFrame; `pandas.concat` joins those of several results. This needs pandas."""
        return data_frame({name: [value] for name, value in self.as_dict().items()})


def score(benchmark: Benchmark, vectors: Vectors, interpretation: str, operator: str) -> Scores:
    """Return the scores of an operator on word vectors under an interpretation; nothing is learned.

    >>> from entvec.bundled import google_news
    >>> pairs = Benchmark("pairs", ("violin", "violin"), ("instrument", "stone"), np.array([1.0, 0.0]))
    >>> found = score(pairs, google_news(), "unk_dup", "backward")
    >>> bool(found.there[0] > found.there[1])
    True

    Parameters
    ----------
    benchmark
        Pairs whose words all have vectors, see `Benchmark.covered_by`.
    vectors
        Word vectors.
    interpretation, operator
        Names of `entvec.theory.interpret.INTERPRETATIONS` and of `entvec.theory.OPERATORS`.
    """
    if interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"no interpretation {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if operator not in OPERATORS:
        raise InvalidInput(f"no operator {operator!r}, expected one of {', '.join(OPERATORS)}")
    interpret, row = INTERPRETATIONS[interpretation], OPERATORS[operator]
    y, x = (interpret(vectors[list(side)].astype(np.float64)) for side in (benchmark.hypo, benchmark.hyper))
    return Scores(operator, interpretation, "none", row.score(y, x), row.score(x, y))


def score_in(space: EntailmentSpace, benchmark: Benchmark) -> Scores:
    """Return the scores that a space gives to the pairs."""
    y, x = (space.vectors[list(side)].astype(np.float64) for side in (benchmark.hypo, benchmark.hyper))
    name, supervision = (space.model.interpretation, "none") if space.map is None else ("mapped", "map")
    there, back = (np.asarray(space.model.score(*sides), dtype=np.float64) for sides in ((y, x), (x, y)))
    return Scores(space.operator, str(name), supervision, there, back)


def second_word(benchmark: Benchmark, *, seed: int = 0) -> Scores:
    """Return a baseline that sees only the second word: how often it was entailed in the other nine tenths of pairs."""
    folds = np.random.default_rng(seed).permutation(np.arange(len(benchmark)) % FOLDS)
    hypers = np.array(benchmark.hyper)
    middle = (benchmark.labels.min() + benchmark.labels.max()) / 2  # the score of a word that was never second

    def means(words: tuple[str, ...]) -> Floats:
        found = np.empty(len(words))
        for i, word in enumerate(words):
            seen = benchmark.labels[(hypers == word) & (folds != folds[i])]
            found[i] = (seen.sum() + 2 * middle) / (len(seen) + 2)
        return found

    return Scores("second word only", "-", "labels", means(benchmark.hyper), means(benchmark.hypo))


def frequency(benchmark: Benchmark, vectors: Vectors) -> Scores:
    """Return a baseline that sees only frequencies: frequent words are general, so a frequent hyper is likely."""
    y, x = (np.log1p(vectors.ranks[vectors.rows(side)]) for side in (benchmark.hypo, benchmark.hyper))
    return Scores("frequency only", "-", "none", y - x, x - y)


def check_measurable(benchmark: Benchmark) -> None:
    """Raise InvalidInput if the benchmark has nothing to measure."""
    if not len(benchmark):
        raise InvalidInput(f"{benchmark.name} has no pairs, expected some; have their words vectors?")
    if benchmark.kind != "graded" and not benchmark.positive.any():
        raise InvalidInput(f"{benchmark.name} has no entailment among its {len(benchmark):,} pairs, expected some")


def measure(benchmark: Benchmark, row: Scores, before: Scores | None = None) -> DetectionResult:
    """Return the measures of a method with their intervals.

    >>> pairs = Benchmark("pets", ("dog", "cat"), ("animal", "stone"), np.array([1.0, 0.0]))
    >>> found = measure(pairs, Scores("made up", "-", "none", np.array([0.9, 0.1]), np.array([0.2, 0.2])))
    >>> found.measures["accuracy_at_half"].value, found.measures["direction_accuracy"].value
    (1.0, 1.0)

    Parameters
    ----------
    benchmark
        The pairs that were scored.
    row
        The scores of the method.
    before
        The scores of the row before, to test whether the two differ significantly; no test if None.
    """
    check_measurable(benchmark)
    measures = MEASURES_OF[benchmark.kind](benchmark, row)
    p_value = None
    if before is not None and benchmark.kind != "graded":
        p_value = mcnemar(*(_right_at_half(scores, benchmark.positive) for scores in (row, before)))
    return DetectionResult(
        row.operator,
        row.interpretation,
        row.supervision,
        {name: bootstrap(function, benchmark.hyper) for name, function in measures.items()},
        len(np.atleast_2d(row.there)),
        p_value,
    )


def _graded(benchmark: Benchmark, row: Scores) -> dict[str, Measure]:
    def correlation(scores: Floats, *, draws: Floats) -> Floats:
        rows = np.arange(len(scores))
        chosen = [np.repeat(rows, drawn.astype(int)) for drawn in draws]
        return np.array([spearman(scores[some], benchmark.labels[some]) for some in chosen])

    return {"spearman": _of_each(row, correlation)}


def _detection(benchmark: Benchmark, row: Scores) -> dict[str, Measure]:
    labels = benchmark.positive
    there, back = np.atleast_2d(row.there), np.atleast_2d(row.back)
    right_way = np.mean(np.sign(there - back) / 2 + 0.5, axis=0)

    def direction(draws: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # NaN for a draw without an entailment
            return np.asarray(draws @ (right_way * labels) / (draws @ labels))

    return {
        "accuracy_at_half": _mean_of([_right_at_half(row, labels)]),
        "direction_accuracy": direction,
        "average_precision": _of_each(row, partial(average_precision_drawn, labels=labels)),
        "average_precision_at_100": _of_each(row, partial(average_precision_drawn, labels=labels, first=100)),
        "accuracy_validated": _mean_of([right_validated(scores, labels) for scores in there]),
    }


def _direction(benchmark: Benchmark, row: Scores) -> dict[str, Measure]:
    sides = zip(np.atleast_2d(row.there), np.atleast_2d(row.back), strict=True)
    ways = [right_three_ways(there, back, benchmark.labels) for there, back in sides]
    return _detection(benchmark, row) | {"accuracy_three_ways": _mean_of(ways)}


MEASURES_OF = {"detection": _detection, "direction": _direction, "graded": _graded}


def _mean_of(credit: list[Floats]) -> Measure:
    """Return a measure: the mean over the pairs of how often each was right, in all repetitions."""
    of_pair = np.mean(credit, axis=0)
    return lambda draws: np.asarray(draws @ of_pair / draws.sum(axis=1))


def _of_each(row: Scores, one: Callable[..., Floats]) -> Measure:
    """Return a measure: the mean over repetitions of a measure of one ranking."""
    return lambda draws: np.asarray(np.mean([one(scores, draws=draws) for scores in np.atleast_2d(row.there)], axis=0))


def _right_at_half(row: Scores, labels: NDArray[np.bool_]) -> Floats:
    """Return for each pair how often the better half, of all pairs or of its fold, is right about it."""
    there = np.atleast_2d(row.there)
    folds = np.zeros(there.shape, dtype=int) if row.folds is None else np.atleast_2d(row.folds)
    right = np.empty(there.shape)
    for scores, fold, into in zip(there, folds, right, strict=True):
        for number in np.unique(fold):
            members = fold == number
            into[members] = right_at_half(scores[members], labels[members])
    return np.asarray(right.mean(axis=0))
