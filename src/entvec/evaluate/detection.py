"""How well operators detect entailments and their direction, beside baselines that compare no vectors.

In the benchmarks of this field the second word alone nearly decides the label, so every table has two rows more:
what the second word tells by itself, and what the frequency of words tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.metrics import (
    Draws,
    Floats,
    Interval,
    average_precision_drawn,
    bootstrap,
    mcnemar,
    right_at_half,
    right_three_ways,
    right_validated,
    spearman,
)
from entvec.space import EntailmentSpace
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.vectors import Vectors

Measure = Callable[[Draws], Floats]
FOLDS = 10
SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class Scores:
    """What a method says of each pair, there and the other way round; with repetitions, a row for each of them."""

    operator: str
    interpretation: str
    supervision: str
    there: Floats
    back: Floats
    folds: NDArray[np.int64] | None = None
    """In which fold a pair was tested: scores of different folds are of different maps, so each has its own half."""


@dataclass(frozen=True)
class Result:
    """A measured row, each value with its 95% interval: 1,000 draws of second words, each with all of its pairs."""

    operator: str
    interpretation: str
    supervision: str
    measures: dict[str, Interval]
    """By name; a graded benchmark has others than one of detection."""
    repetitions: int = 1
    p_value: float | None = None
    """How probable the difference of accuracy from the row before is by chance (McNemar's exact test)."""

    @property
    def name(self) -> str:
        """How the row is called in tables."""
        return self.operator if self.interpretation == "-" else f"{self.interpretation} {self.operator}"

    @property
    def star(self) -> str:
        """A star if the row differs significantly from the one before."""
        return "*" if self.p_value is not None and self.p_value < SIGNIFICANT else ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told: dict[str, Any] = {name: getattr(self, name) for name in ("operator", "interpretation", "supervision")}
        for name, (value, low, high) in self.measures.items():
            told |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return told | {"repetitions": self.repetitions, "p_value": self.p_value}


def score(benchmark: Benchmark, vectors: Vectors, interpretation: str, operator: str) -> Scores:
    """The scores of an operator on word vectors under an interpretation; nothing is learned."""
    if interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"no interpretation {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if operator not in OPERATORS:
        raise InvalidInput(f"no operator {operator!r}, expected one of {', '.join(OPERATORS)}")
    interpret, row = INTERPRETATIONS[interpretation], OPERATORS[operator]
    y, x = (interpret(vectors[list(side)].astype(np.float64)) for side in (benchmark.hypo, benchmark.hyper))
    return Scores(operator, interpretation, "none", row.score(y, x), row.score(x, y))


def score_in(space: EntailmentSpace, benchmark: Benchmark) -> Scores:
    """The scores of a space: its operator on log-odds that an interpretation or a map makes, and the map's offsets."""
    y, x = (space.vectors[list(side)].astype(np.float64) for side in (benchmark.hypo, benchmark.hyper))
    name, supervision = (space.model.interpretation, "none") if space.map is None else ("mapped", "map")
    there, back = (np.asarray(space.model.score(*sides), dtype=np.float64) for sides in ((y, x), (x, y)))
    return Scores(space.operator, str(name), supervision, there, back)


def second_word(benchmark: Benchmark, *, seed: int = 0) -> Scores:
    """A baseline that looks at the second word alone: how often it was entailed in the other nine tenths of pairs."""
    folds = np.random.default_rng(seed).permutation(np.arange(len(benchmark)) % FOLDS)
    hypers = np.array(benchmark.hyper)
    middle = (benchmark.labels.min() + benchmark.labels.max()) / 2  # for a word that was never second

    def means(words: tuple[str, ...]) -> Floats:
        found = np.empty(len(words))
        for i, word in enumerate(words):
            seen = benchmark.labels[(hypers == word) & (folds != folds[i])]
            found[i] = (seen.sum() + 2 * middle) / (len(seen) + 2)
        return found

    return Scores("second word only", "-", "labels", means(benchmark.hyper), means(benchmark.hypo))


def frequency(benchmark: Benchmark, vectors: Vectors) -> Scores:
    """A baseline that looks at frequency alone: frequent words are general, so a frequent hyper is likely."""
    y, x = (np.log1p(vectors.ranks[vectors.rows(side)]) for side in (benchmark.hypo, benchmark.hyper))
    return Scores("frequency only", "-", "none", y - x, x - y)


def check_measurable(benchmark: Benchmark) -> None:
    """Refuse a benchmark that has nothing to measure."""
    if not len(benchmark):
        raise InvalidInput(f"{benchmark.name} has no pairs, expected some; have their words vectors?")
    if benchmark.kind != "graded" and not benchmark.positive.any():
        raise InvalidInput(f"{benchmark.name} has no entailment among its {len(benchmark):,} pairs, expected some")


def measure(benchmark: Benchmark, row: Scores, before: Scores | None = None) -> Result:
    """The measures of a row of scores, with intervals, and whether it differs significantly from the row before."""
    check_measurable(benchmark)
    measures = MEASURES_OF[benchmark.kind](benchmark, row)
    p_value = None
    if before is not None and benchmark.kind != "graded":
        p_value = mcnemar(*(_right_at_half(scores, benchmark.positive) for scores in (row, before)))
    return Result(
        row.operator,
        row.interpretation,
        row.supervision,
        {name: bootstrap(function, benchmark.hyper) for name, function in measures.items()},
        len(np.atleast_2d(row.there)),
        p_value,
    )


def _graded(benchmark: Benchmark, row: Scores) -> dict[str, Measure]:
    def correlation(scores: Floats, *, draws: Draws) -> Floats:
        rows = np.arange(len(scores))
        chosen = [np.repeat(rows, drawn.astype(int)) for drawn in draws]
        return np.array([spearman(scores[some], benchmark.labels[some]) for some in chosen])

    return {"spearman": _of_each(row, correlation)}


def _detection(benchmark: Benchmark, row: Scores) -> dict[str, Measure]:
    labels = benchmark.positive
    there, back = np.atleast_2d(row.there), np.atleast_2d(row.back)
    right_way = np.mean(np.sign(there - back) / 2 + 0.5, axis=0)

    def direction(draws: Draws) -> Floats:
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
    """The mean of what was right about the pairs, in all repetitions."""
    of_pair = np.mean(credit, axis=0)
    return lambda draws: np.asarray(draws @ of_pair / draws.sum(axis=1))


def _of_each(row: Scores, one: Callable[..., Floats]) -> Measure:
    """The mean over repetitions of a measure of one ranking."""
    return lambda draws: np.asarray(np.mean([one(scores, draws=draws) for scores in np.atleast_2d(row.there)], axis=0))


def _right_at_half(row: Scores, labels: NDArray[np.bool_]) -> Floats:
    """For each pair, how often the better half is right about it: of all pairs, or of its fold, in each repetition."""
    there = np.atleast_2d(row.there)
    folds = np.zeros(there.shape, dtype=int) if row.folds is None else np.atleast_2d(row.folds)
    right = np.empty(there.shape)
    for scores, fold, into in zip(there, folds, right, strict=True):
        for number in np.unique(fold):
            members = fold == number
            into[members] = right_at_half(scores[members], labels[members])
    return np.asarray(right.mean(axis=0))
