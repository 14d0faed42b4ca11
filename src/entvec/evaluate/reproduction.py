"""The paper's experiments, run again: every row of its table with the paper's numbers, and a few rows more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entvec.errors import CannotFetch, InvalidInput
from entvec.evaluate import detection, gradients, learned_maps, paper
from entvec.evaluate.benchmark import Benchmark, find_benchmark
from entvec.evaluate.detection import DetectionResult, Scores
from entvec.evaluate.paper import Reported
from entvec.progress import StageProgress
from entvec.vectors import Vectors

__all__ = ["Line", "Reproduction", "Table", "reproduce"]

STAND_IN = "wordnet"
STAND_IN_REPETITIONS = 3
BEYOND = {
    "nested": "C is chosen anew in each training set, by folds within it, instead of being fixed beforehand.",
    "WordNet": "Fitted to WordNet's pairs that have no word of this benchmark, whose own pairs are not used.",
    "both": "The map of the row before, fitted further to the training sets of the folds.",
}
BASELINES = {
    "second word only": "Told how often the second word was entailed in other pairs; it never looks at the first.",
    "frequency only": "Calls the more frequent word the more general one; it never looks at the vectors.",
}
NESTED_SHARE = 5  # nested folds take twenty times as long, so they are repeated only a fifth as often


@dataclass(frozen=True)
class Line:
    """A measured row of a group, with the numbers of the paper and our comment.

    >>> from entvec.evaluate.metrics import Interval
    >>> result = DetectionResult("backward", "unk_dup", "none", {"accuracy_at_half": Interval(0.7, 0.6, 0.8)})
    >>> Line("unsupervised", result, "as in the paper").result.name
    'unk_dup backward'

    Parameters
    ----------
    group
        The group of rows: unsupervised, mapped, beyond or baselines.
    result
        Our measures.
    comment
        Our comment.
    reported
        The row of the paper, if it has one.
    calibration
        The calibration errors by method, for cross-validated rows.
    """

    group: str
    result: DetectionResult
    comment: str
    reported: Reported | None = None
    calibration: dict[str, float] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one benchmark.

    >>> from entvec.evaluate.benchmark import find_benchmark
    >>> Table(find_benchmark("wordnet"), skipped=0, lines=[]).benchmark.name
    'wordnet'

    Parameters
    ----------
    benchmark
        The pairs whose two words have vectors.
    skipped
        The number of other pairs.
    lines
        The rows.
    """

    benchmark: Benchmark
    skipped: int
    lines: list[Line]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The measured tables and Figure 1.

    >>> found = Reproduction([], gradients.gradients(), "Google News", missing="")
    >>> round(found.figure.mismatch("unk_dup"), 2)
    0.2

    Parameters
    ----------
    tables
        A table for each benchmark.
    figure
        The gradients of Figure 1.
    vectors
        A description of the vectors.
    missing
        Why a benchmark of the paper could not be used; empty if all were.
    """

    tables: list[Table]
    figure: gradients.Gradients
    vectors: str
    missing: str

    @property
    def stands_in(self) -> bool:
        """Return whether the bundled benchmark stands in for that of the paper's table."""
        return self.tables[0].benchmark.name == STAND_IN


def reproduce(
    vectors: Vectors,
    *,
    folder: str | Path | None = None,
    repetitions: int | None = None,
    jobs: int | None = None,
    progress: StageProgress = lambda *_: None,
) -> Reproduction:
    """Run the experiments of the paper's section 5 on these vectors. It takes a minute or two.

    >>> from entvec.bundled import google_news
    >>> found = reproduce(google_news(), folder="benchmarks")  # doctest: +SKIP

    Parameters
    ----------
    vectors
        Word vectors.
    folder
        A folder with files of the paper's benchmarks; missing ones are downloaded. If that fails, the bundled benchmark
        is used instead.
    repetitions
        How often cross-validation is repeated: by default 10 times, or 3 times on the bundled benchmark, whose folds
        lose hardly a pair, so that a fit takes longer and varies less.
    jobs
        The number of processes; None for one per processor.
    progress
        A callback, called with the name of the current stage and the fraction of all work that is done.
    """
    progress("looking for the benchmarks", 0.0)
    main, missing = _found("weeds-bless", folder)
    other, also_missing = _found("baroni2012", folder) if main else (None, "")
    if main is None:
        main, repetitions = find_benchmark(STAND_IN), repetitions or STAND_IN_REPETITIONS
    comparable = main.name != STAND_IN
    covered = main.covered_by(vectors)
    detection.check_measurable(covered)
    repetitions = repetitions or learned_maps.REPETITIONS
    lines = list(_rows(main, covered, vectors, repetitions, jobs, progress, comparable=comparable))
    tables = [Table(covered, len(main) - len(covered), lines)]
    if other is not None and (covered := other.covered_by(vectors)).positive.any():
        progress(other.name, 0.95)
        lines = [*_unsupervised(covered, vectors, comparable=False), *_baselines(covered, vectors)]
        tables.append(Table(covered, len(other) - len(covered), lines))
    name = vectors.metadata.get("name", "")
    used = f"{len(vectors):,} words x {vectors.dimension}{f' ({name})' if name else ''}"
    return Reproduction(tables, gradients.gradients(), used, missing or also_missing)


def _found(name: str, folder: str | Path | None) -> tuple[Benchmark | None, str]:
    """Return the benchmark, or None and the reason why it cannot be had."""
    try:
        return find_benchmark(name, folder=folder), ""
    except CannotFetch as error:
        return None, str(error)


def _rows(
    whole: Benchmark,
    benchmark: Benchmark,
    vectors: Vectors,
    repetitions: int,
    jobs: int | None,
    progress: StageProgress,
    *,
    comparable: bool,
) -> Iterator[Line]:
    progress("unsupervised rows", 0.02)
    yield from _unsupervised(benchmark, vectors, comparable=comparable)

    def folds(what: str, begin: float, end: float, operator: str = "backward", **settings: Any) -> Scores:
        progress(what, begin)
        return learned_maps.cross_validated(
            benchmark,
            vectors,
            operator,
            jobs=jobs,
            progress=lambda done, total: progress(what, begin + (end - begin) * done / total),
            **{"repetitions": repetitions, **settings},
        )

    for i, row in enumerate(paper.MAPPED):
        scores = folds(f"mapped {row.operator}", 0.05 + 0.1 * i, 0.15 + 0.1 * i, row.operator)
        yield _line("mapped", benchmark, scores, row.comment, row if comparable else None)
    rarely = max(1, repetitions // NESTED_SHARE)
    scores = folds("nested folds", 0.45, 0.65, nested=True, supervision="nested folds", repetitions=rarely)
    yield _line("beyond", benchmark, scores, BEYOND["nested"])
    progress("fitting to WordNet", 0.65)
    try:
        learned = learned_maps.fitted_to_wordnet(whole, vectors)
    except InvalidInput:  # a small vocabulary may have no other words
        pass
    else:
        yield _line("beyond", benchmark, learned_maps.score(benchmark, vectors, learned, "WordNet"), BEYOND["WordNet"])
        scores = folds("WordNet, then the folds", 0.8, 0.93, start=learned, supervision="WordNet + folds")
        yield _line("beyond", benchmark, scores, BEYOND["both"])
    yield from _baselines(benchmark, vectors)


def _unsupervised(benchmark: Benchmark, vectors: Vectors, *, comparable: bool) -> Iterator[Line]:
    before = None
    for row in paper.UNSUPERVISED:
        scores = detection.score(benchmark, vectors, row.interpretation, row.operator)
        result = detection.measure(benchmark, scores, before)
        yield Line("unsupervised", result, row.comment, row if comparable else None)
        before = scores


def _baselines(benchmark: Benchmark, vectors: Vectors) -> Iterator[Line]:
    for scores in (detection.second_word(benchmark), detection.frequency(benchmark, vectors)):
        yield Line("baselines", detection.measure(benchmark, scores), BASELINES[scores.operator])


def _line(group: str, benchmark: Benchmark, scores: Scores, comment: str, reported: Reported | None = None) -> Line:
    errors = learned_maps.calibration_errors(benchmark, scores) or None
    return Line(group, detection.measure(benchmark, scores), comment, reported, errors)
