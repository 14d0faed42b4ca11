"""The paper's experiments, run again: every row of its table, beside what it reports, and beyond it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from entvec.errors import CannotFetch
from entvec.evaluate import detection, gradients, mapped, paper
from entvec.evaluate.benchmark import Benchmark, find_benchmark
from entvec.evaluate.detection import Result, Scores
from entvec.evaluate.paper import Reported
from entvec.vectors import Vectors

Tell = Callable[[str, float], None]
"""What is being done, and which part of all work is done."""

WORDNET = "WordNet"
BEYOND = {
    "nested": "C is chosen anew in each training set, by folds within it, instead of being fixed beforehand.",
    WORDNET: "Fitted to WordNet's pairs that have no word of this benchmark, whose own pairs are not used.",
    "both": "The map of the row before, fitted further to the training sets of the folds.",
}
BASELINES = {
    "second word only": "Told how often the second word was entailed in other pairs; it never looks at the first.",
    "frequency only": "Calls the more frequent word the more general one; it never looks at the vectors.",
}
NESTED_SHARE = 5  # nested folds take twenty times as long, so there are fewer repetitions of them


@dataclass(frozen=True)
class Line:
    """A measured row, in its group, with what the paper reports and what is to be said of it."""

    group: str
    result: Result
    comment: str
    reported: Reported | None = None
    calibration: dict[str, float] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one benchmark."""

    benchmark: Benchmark
    """The pairs whose two words have vectors."""
    skipped: int
    lines: list[Line]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """All that was measured."""

    tables: list[Table]
    figure: gradients.Gradients
    repetitions: int
    missing: str
    """Why the paper's benchmarks could not be used, if they could not; then the bundled one stands in for them."""


def reproduce(
    vectors: Vectors,
    *,
    folder: str | Path | None = None,
    repetitions: int = mapped.REPETITIONS,
    jobs: int | None = None,
    tell: Tell = lambda *_: None,
) -> Reproduction:
    """Run the experiments of section 5 on these vectors; benchmarks are looked for in `folder`, then fetched."""
    tell("looking for the benchmarks", 0.0)
    try:
        main, missing = find_benchmark("weeds-bless", folder=folder), ""
        others = [find_benchmark("baroni2012", folder=folder)]
    except CannotFetch as error:
        main, missing, others = find_benchmark("wordnet"), str(error), []
        # Hardly a pair of it is lost to the test folds, so a fit takes five times as long, and varies less.
        repetitions = max(1, repetitions // 3)
    covered = main.covered_by(vectors)
    detection.check_measurable(covered)
    lines = list(_rows(covered, vectors, repetitions, jobs, tell, comparable=not missing))
    tables = [Table(covered, len(main) - len(covered), lines)]
    for other in others:
        tell(other.name, 0.95)
        covered = other.covered_by(vectors)
        if not covered.positive.any():
            continue
        unsupervised = list(_unsupervised(covered, vectors, comparable=False))
        lines = [*unsupervised, *_baselines(covered, vectors)]
        tables.append(Table(covered, len(other) - len(covered), lines))
    return Reproduction(tables, gradients.gradients(), repetitions, missing)


def _rows(
    benchmark: Benchmark, vectors: Vectors, repetitions: int, jobs: int | None, tell: Tell, *, comparable: bool
) -> Iterator[Line]:
    tell("unsupervised rows", 0.02)
    yield from _unsupervised(benchmark, vectors, comparable=comparable)

    def folds(what: str, begin: float, end: float, operator: str = "backward", **settings: object) -> Scores:
        tell(what, begin)
        return mapped.cross_validated(
            benchmark,
            vectors,
            operator,
            jobs=jobs,
            progress=lambda done, total: tell(what, begin + (end - begin) * done / total),
            **{"repetitions": repetitions, **settings},  # type: ignore[arg-type]
        )

    for i, row in enumerate(paper.MAPPED):
        scores = folds(f"mapped {row.operator}", 0.05 + 0.1 * i, 0.15 + 0.1 * i, row.operator)
        yield _line("mapped", benchmark, scores, row.comment, row if comparable else None)
    rarely = max(1, repetitions // NESTED_SHARE)
    scores = folds("nested folds", 0.45, 0.65, nested=True, supervision="nested folds", repetitions=rarely)
    yield _line("beyond", benchmark, scores, BEYOND["nested"])
    tell("fitting to WordNet", 0.65)
    learned = mapped.of_wordnet(benchmark, vectors)
    yield _line("beyond", benchmark, mapped.score(benchmark, vectors, learned, WORDNET), BEYOND[WORDNET])
    scores = folds("WordNet, then the folds", 0.8, 0.93, start=learned, supervision=f"{WORDNET} + folds")
    yield _line("beyond", benchmark, scores, BEYOND["both"])
    yield from _baselines(benchmark, vectors)


def _unsupervised(benchmark: Benchmark, vectors: Vectors, *, comparable: bool) -> Iterator[Line]:
    before = None
    for row in paper.UNSUPERVISED:
        scores = detection.score(benchmark, vectors, row.interpretation, row.operator)
        result = detection.measure(benchmark, scores, before)
        yield Line("unsupervised", result, row.comment, row if comparable else None)
        before = scores if row.accuracy_at_half else None  # the paper compares with rows of its table only


def _baselines(benchmark: Benchmark, vectors: Vectors) -> Iterator[Line]:
    for scores in (detection.second_word(benchmark), detection.frequency(benchmark, vectors)):
        yield Line("baselines", detection.measure(benchmark, scores), BASELINES[scores.operator])


def _line(group: str, benchmark: Benchmark, scores: Scores, comment: str, reported: Reported | None = None) -> Line:
    errors = mapped.calibration(benchmark, scores) or None
    return Line(group, detection.measure(benchmark, scores), comment, reported, errors)
