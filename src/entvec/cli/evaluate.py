"""`entvec evaluate`: how well operators do on a benchmark of labelled pairs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from entvec.cli.options import ExtraVectorsFile, VectorsFile, chosen_vectors
from entvec.cli.progress import track

if TYPE_CHECKING:
    from entvec.evaluate.benchmark import Benchmark
    from entvec.evaluate.detection import Result, Scores
    from entvec.vectors import Vectors

InterpretationName = Literal["log_odds", "dup", "unk_dup"]
OperatorName = Literal["forward", "backward", "factorised", "dot", "cosine", "difference", "weighted_cosine"]

MEASURES = {
    "accuracy_at_half": "50% Acc",
    "direction_accuracy": "Dir Acc",
    "average_precision": "AP",
    "accuracy_three_ways": "3-way Acc",
    "spearman": "Spearman",
}
"""Those that the table shows, if the benchmark has them; the other formats have all."""


def evaluate(
    benchmark: Annotated[
        str,
        typer.Argument(help="wordnet (bundled), weeds-bless or baroni2012 (fetched if need be), or a file of pairs."),
    ],
    vectors: VectorsFile = None,
    extra_vectors: ExtraVectorsFile = None,
    interpretation: Annotated[
        InterpretationName | None, typer.Option(help="How vectors are read as log-odds; the paper's rows if none.")
    ] = None,
    operator: Annotated[
        OperatorName | None, typer.Option(help="The score of a pair; the paper's rows if none.")
    ] = None,
    map_file: Annotated[
        Path | None,
        typer.Option("--map", readable=False, help="A map to measure, as EntailmentMap.save wrote it."),
    ] = None,
    layout: Annotated[Literal["table", "tsv", "json"], typer.Option("--format", help="How to print.")] = "table",
) -> None:
    """Measure how well operators detect entailments, on labelled pairs of words.

    50% Acc calls the better half of the pairs entailments; Dir Acc compares an entailment with the pair reversed; AP is
    average precision. Beside them stand 95% intervals. A star marks a 50% Acc that differs significantly from the row
    before (McNemar's exact test, p < 0.05). The rows `second word only` and `frequency only` compare no vectors: what
    they reach is no sign of understanding. Pairs with a word that has no vector are left out, and counted.

    Files: JSON `[[hypo, hyper, 1 or 0], ...]`, or lines `word1 word2 label [relation] [fold]` with tabs between. Labels
    of -1 (BIBLESS: the other way round) add 3-way Acc; a column `score` (HyperLex) is measured by rank correlation. A
    map must not have been fitted to words of the benchmark, or its numbers mean little.

    Examples:

    * `entvec evaluate weeds-bless`
    * `entvec evaluate pairs.tsv --vectors glove.6B.300d.txt --interpretation unk_dup --operator backward`
    * `entvec evaluate wordnet --map learned.safetensors`
    * `entvec evaluate baroni2012 --format json`
    """
    from entvec.evaluate import detection
    from entvec.evaluate.benchmark import find_benchmark

    if map_file is not None and (interpretation or operator):
        raise typer.BadParameter("a map has its own operator; leave --interpretation and --operator out")
    pairs = find_benchmark(benchmark)
    table = chosen_vectors(vectors, extra_vectors)
    covered = pairs.covered_by(table)
    detection.check_measurable(covered)
    if map_file is None:
        scored = [detection.score(covered, table, *names) for names in _rows(interpretation, operator)]
    else:
        scored = [_mapped(covered, table, map_file)]
    baselines = [detection.second_word(covered), detection.frequency(covered, table)]
    compared = [*zip(scored, [None, *scored], strict=False), *((row, None) for row in baselines)]
    results = [detection.measure(covered, row, before) for row, before in track(compared, "measuring")]
    _print(pairs, covered, results, layout)


def _mapped(covered: "Benchmark", table: "Vectors", map_file: Path) -> "Scores":
    from entvec.evaluate import mapped
    from entvec.learn import EntailmentMap

    learned = EntailmentMap.load(map_file)
    if learned.n_features_in_ != table.dimension:
        raise typer.BadParameter(
            f"{map_file} maps vectors of {learned.n_features_in_} dimensions, those here have {table.dimension}"
        )
    return mapped.score(covered, table, learned, "map")


def _rows(interpretation: str | None, operator: str | None) -> list[tuple[str, str]]:
    """The rows of the paper; those that were asked for; or the one row that it does not have."""
    from entvec.evaluate.paper import UNSUPERVISED

    rows = [(row.interpretation, row.operator) for row in UNSUPERVISED]
    found = [row for row in rows if interpretation in (None, row[0]) and operator in (None, row[1])]
    return found or [(interpretation or "unk_dup", operator or "backward")]


def _print(pairs: "Benchmark", covered: "Benchmark", results: "list[Result]", layout: str) -> None:
    rows = [result.as_dict() for result in results]
    if layout == "json":
        told = {"benchmark": pairs.name, "pairs": len(covered), "skipped": len(pairs) - len(covered), "rows": rows}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    if layout == "tsv":
        typer.echo("\t".join(rows[0]))
        for row in rows:
            typer.echo("\t".join("" if value is None else str(value) for value in row.values()))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    measures = [name for name in MEASURES if name in results[0].measures]
    for name in measures:
        table.add_column(MEASURES[name], justify="right", no_wrap=True)
    for result in results:
        cells = (_cell(result, name) for name in measures)
        table.add_row(result.name, *cells, style="dim" if result.interpretation == "-" else "")
    console = Console(highlight=False, markup=False)
    true = "" if pairs.kind == "graded" else f" ({int(covered.positive.sum()):,} entailments)"
    skipped = f"{len(pairs) - len(covered):,} left out for want of a vector"
    console.print(f"{pairs.name}: {len(covered):,} pairs{true}, {skipped}")
    console.print(table)


def _cell(result: "Result", name: str) -> str:
    measured = result.measures[name]
    if name == "spearman":
        return f"{measured.value:.2f} ({measured.low:.2f} to {measured.high:.2f})"
    value, interval = measured.percent.split()
    return f"{value}{result.star if name == 'accuracy_at_half' else ''} {interval:>6}"
