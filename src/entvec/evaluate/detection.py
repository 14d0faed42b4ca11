"""How well operators detect entailments and their direction, beside baselines that never look at a pair.

In the benchmarks of this field the second word alone nearly decides the label, so every table has two rows more:
what the second word tells by itself, and what the frequency of words tells.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark, check_kind
from entvec.evaluate.metrics import (
    Floats,
    Interval,
    average_precision,
    bootstrap,
    direction_accuracy,
    mcnemar,
    right_at_half,
)
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.vectors import Vectors

FOLDS = 10
PAPER = (
    ("log_odds", "forward"),
    ("log_odds", "weighted_cosine"),
    ("log_odds", "cosine"),
    ("log_odds", "dot"),
    ("log_odds", "difference"),
    ("log_odds", "factorised"),
    ("log_odds", "backward"),
    ("dup", "backward"),
    ("unk_dup", "factorised"),
    ("unk_dup", "backward"),
)
"""The rows of the paper's table (and cosine, of its footnote)."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What a method says of each pair, and of each pair the other way round."""

    operator: str
    interpretation: str
    supervision: str
    there: Floats
    back: Floats


@dataclass(frozen=True)
class Result:
    """A measured row: values are between 0 and 1, each with its 95% interval from 1,000 resamples of the pairs."""

    operator: str
    interpretation: str
    supervision: str
    accuracy_at_half: Interval
    direction_accuracy: Interval
    average_precision: Interval
    p_value: float | None = None
    """How probable the difference of accuracy from the row before is by chance (McNemar's exact test)."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = asdict(self)
        for name in ("accuracy_at_half", "direction_accuracy", "average_precision"):
            value, low, high = told[name]
            told |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return told


def score(benchmark: Benchmark, vectors: Vectors, interpretation: str, operator: str) -> Scores:
    """The scores of an operator on word vectors under an interpretation; nothing is learned."""
    if interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"no interpretation {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if operator not in OPERATORS:
        raise InvalidInput(f"no operator {operator!r}, expected one of {', '.join(OPERATORS)}")
    interpret, row = INTERPRETATIONS[interpretation], OPERATORS[operator]
    y, x = (interpret(vectors[list(side)].astype(np.float64)) for side in (benchmark.hypo, benchmark.hyper))
    return Scores(operator, interpretation, "none", row.score(y, x), row.score(x, y))


def second_word(benchmark: Benchmark, *, seed: int = 0) -> Scores:
    """A baseline that looks at the second word alone: how often it was entailed in the other nine tenths of pairs."""
    folds = np.random.default_rng(seed).permutation(np.arange(len(benchmark)) % FOLDS)
    labels = benchmark.positive

    def rates(words: tuple[str, ...]) -> Floats:
        found = np.empty(len(words))
        hypers = np.array(benchmark.hyper)
        for i, word in enumerate(words):
            seen = labels[(hypers == word) & (folds != folds[i])]
            found[i] = (seen.sum() + 1) / (len(seen) + 2)  # one half for a word that was never second
        return found

    return Scores("second word only", "-", "labels", rates(benchmark.hyper), rates(benchmark.hypo))


def frequency(benchmark: Benchmark, vectors: Vectors) -> Scores:
    """A baseline that looks at frequency alone: frequent words are general, so a frequent hyper is likely."""
    y, x = (np.log1p(vectors.ranks[vectors.rows(side)]) for side in (benchmark.hypo, benchmark.hyper))
    return Scores("frequency only", "-", "none", y - x, x - y)


def measure(benchmark: Benchmark, row: Scores, before: Scores | None = None) -> Result:
    """The measures of a row of scores, with intervals, and whether it differs significantly from the row before."""
    check_kind(benchmark, "detection", "direction")
    labels = benchmark.positive
    right = right_at_half(row.there, labels)

    def accuracy(chosen: NDArray[np.int64]) -> float:
        return float(right[chosen].mean())

    def direction(chosen: NDArray[np.int64]) -> float:
        if not labels[chosen].any():
            return np.nan
        return direction_accuracy(row.there[chosen], row.back[chosen], labels[chosen])

    def precision(chosen: NDArray[np.int64]) -> float:
        return average_precision(row.there[chosen], labels[chosen]) if labels[chosen].any() else np.nan

    return Result(
        row.operator,
        row.interpretation,
        row.supervision,
        accuracy_at_half=bootstrap(accuracy, len(labels)),
        direction_accuracy=bootstrap(direction, len(labels)),
        average_precision=bootstrap(precision, len(labels)),
        p_value=None if before is None else mcnemar(right, right_at_half(before.there, labels)),
    )
