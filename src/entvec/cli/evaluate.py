"""`entvec evaluate`: how well operators, maps and spaces detect entailments, or discover hypernyms."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from entvec.cli.evaluate_results import print_results, said, seen_by_map
from entvec.cli.options import DEFAULT_ASKING, AskingOptions, ExtraVectorsFile, Layout, chosen_vectors, takes_options
from entvec.cli.printing import number_table
from entvec.cli.progress import track

if TYPE_CHECKING:
    from entvec.evaluate.benchmark import Benchmark
    from entvec.evaluate.detection import DetectionResult
    from entvec.space import EntailmentSpace
    from entvec.vectors import Vectors

DISCOVERY, TAXONOMY = "discovery", "taxonomy"
MEASURES = {
    "accuracy_at_half": "50% Acc",
    "direction_accuracy": "Dir Acc",
    "average_precision": "AP",
    "accuracy_three_ways": "3-way Acc",
    "spearman": "Spearman",
}
"""The measures that the table shows, if the benchmark has them; the other formats have all."""


@takes_options
def evaluate(
    benchmark: Annotated[
        str,
        typer.Argument(
            help="wordnet (bundled), weeds-bless or baroni2012 (fetched if need be), or a file of pairs: detection. "
            "Or discovery, or taxonomy."
        ),
    ],
    space: AskingOptions = DEFAULT_ASKING,
    extra_vectors: ExtraVectorsFile = None,
    specificity: Annotated[
        float | None, typer.Option(help="Discovery: how much general words lose; that of the space if none.")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            help="Discovery: what to ask about, a benchmark's words or a file with one a line; wordnet if none."
        ),
    ] = None,
    isa: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="Discovery: nouns and their hypernyms, by tools/build_isa.py; the bundled if none."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Taxonomy: this study alone; may be repeated. All if none.", metavar="STUDY"),
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            metavar="NAME",
            help="Taxonomy: a public benchmark: texeval, wordnet-subtrees, task14, semeval-food or mesh.",
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", readable=False, help="Taxonomy: a file of that benchmark; may be repeated."),
    ] = None,
    layout: Layout = "table",
) -> None:
    """Measure how well entailments are detected, on labelled pairs of words; how well hypernyms are discovered; or how
    well taxonomies are built, extended, named and audited.

    **Detection.** The rows of the paper are measured, unless a space, a map, an interpretation or an operator is named.
    50% Acc calls the better half of the pairs entailments; Dir Acc compares an entailment with the pair
    reversed; AP is average precision. Beside them stand 95% intervals. A star marks a 50% Acc that differs
    significantly from the row before (McNemar's exact test, p < 0.05). The rows `second word only` and `frequency only`
    compare no vectors: what they reach is no sign of understanding. Pairs with a word that has no vector are left out,
    and counted.

    With `--evidence` four more rows rest on texts alone: the counts of a pair (PPMI), those of words used like both
    (`smoothed`), of a low-rank approximation (`SVD`), and the sum of smoothed counts and `unk_dup backward` (`fused`).

    Files: JSON `[[hypo, hyper, 1 or 0], ...]`, or lines `word1 word2 label [relation] [fold]` with tabs between. Labels
    of -1 (BIBLESS: the other way round) add 3-way Acc; a column `score` (HyperLex) is measured by rank correlation. A
    map must not have been fitted to words of the benchmark, or its numbers mean little.

    **Discovery.** All nouns are ranked as hypernyms of each word; WordNet's first senses say which are right. MRR is
    the mean reciprocal place of the first right one; hit@10 is how often it is among the first ten. `specific`
    counts hypernyms at most 4 steps up that are not too general; `all` counts every hypernym, and *entity* is always
    one, so it is nearly trivial. `similarity only` ranks by cosine; `generality only` and `frequency only` give all
    words the same answer. Words that have no vector, or no hypernym, are left out, and counted.

    **Taxonomy.** Trees of WordNet's nouns that the map has not seen: how much of them is recovered (`induction`), where
    hidden nouns are placed (`placement`), what two words make together (`phrases`), what denials are worth
    (`negations`), what lists are called (`common`), and how many errors are found (`audit`); in three minutes. With
    `--benchmark` the files of a public benchmark are measured by the default space instead, facts about their terms
    hidden and known, beside what others report.

    Examples:

    * `entvec evaluate weeds-bless`
    * `entvec evaluate pairs.tsv --vectors glove.6B.300d.txt --interpretation unk_dup --operator backward`
    * `entvec evaluate wordnet --map learned.safetensors`
    * `entvec evaluate baroni2012 --format json`
    * `entvec evaluate weeds-bless --evidence evidence.parquet`
    * `entvec evaluate discovery --words weeds-bless`
    * `entvec evaluate discovery --interpretation unk_dup --specificity 0.5`
    * `entvec evaluate taxonomy`
    * `entvec evaluate taxonomy --only induction --only audit --format tsv`
    * `entvec evaluate taxonomy --benchmark texeval --file environment_eurovoc_en.taxo`
    """
    from entvec.evaluate.benchmark import find_benchmark, find_words

    if space.evidence and (benchmark in (TAXONOMY, DISCOVERY) or space.space or space.map_file):
        raise typer.BadParameter(
            "texts are measured by rows of their own, beside those of the paper, on labelled pairs; leave --space and "
            "--map out",
            param_hint="--evidence",
        )
    if benchmark == TAXONOMY:
        from entvec.cli.evaluate_taxonomy import evaluate_benchmark, evaluate_taxonomy

        _only_for({"--words": words, "--specificity": specificity, "--isa": isa}, DISCOVERY)
        if public is not None:
            _refused({"--only": only}, "it is for the studies; leave it out beside --benchmark")
            evaluate_benchmark(public, files or [], _space(space, extra_vectors), layout)
            return
        _refused({"--file": files}, "it is for --benchmark; leave it out, or name the benchmark")
        evaluate_taxonomy(None if space == DEFAULT_ASKING else _space(space, extra_vectors), only, layout)
        return
    _only_for({"--only": only, "--benchmark": public, "--file": files}, TAXONOMY)
    if benchmark == DISCOVERY:
        from entvec.cli.evaluate_discovery import evaluate_discovery

        asked = find_words(words or "wordnet")
        evaluate_discovery(asked, _space(space, extra_vectors), isa, specificity, layout)
        return
    _only_for({"--words": words, "--specificity": specificity, "--isa": isa}, DISCOVERY)
    pairs = find_benchmark(benchmark)
    if space.space is None and space.map_file is None:
        table = chosen_vectors(space.vectors, extra_vectors)
        _detect(pairs, table, None, _rows(space.interpretation, space.operator), layout, space.texts)
    else:
        chosen = _space(space, extra_vectors)
        _detect(pairs, chosen.vectors.with_lookup(), chosen, [], layout)


def _only_for(options: dict[str, object], benchmark: str) -> None:
    _refused(options, f"it is for `entvec evaluate {benchmark}`; leave it out")


def _refused(options: dict[str, object], why: str) -> None:
    for name, given in options.items():
        if given is not None:
            raise typer.BadParameter(why, param_hint=name)


def _space(options: AskingOptions, extra_vectors: Path | None) -> "EntailmentSpace":
    """Return the space of these options, with the extra vectors."""
    from entvec.space import EntailmentSpace
    from entvec.vectors import read

    space = options.in_memory()
    if extra_vectors is None:
        return space
    return EntailmentSpace.from_vectors(
        space.vectors.joined(read(extra_vectors)),
        map=space.model.map,
        interpretation=space.model.interpretation,
        operator=space.operator,
        specificity=space.specificity,
        dtype=space.backend.dtype,
    ).with_knowledge(space.knowledge)


# Detection


def _detect(
    pairs: "Benchmark",
    table: "Vectors",
    space: "EntailmentSpace | None",
    rows: Sequence[tuple[str, str]],
    layout: str,
    texts: Sequence[Path] = (),
) -> None:
    """Measure the space, or the rows of interpretations and operators if there is none, and print the results."""
    from entvec.evaluate import detection

    covered = pairs.covered_by(table)
    detection.check_measurable(covered)
    if space is None:
        scored = [detection.score(covered, table, *row) for row in rows]
        if texts:
            from entvec.evaluate.text_rows import text_scores
            from entvec.text import TextEvidence

            scored += text_scores(covered, table, TextEvidence.of(*texts))
    else:
        scored = [detection.score_in(space, covered)]
    baselines = [detection.second_word(covered), detection.frequency(covered, table)]
    compared = [*zip(scored, [None, *scored], strict=False), *((row, None) for row in baselines)]
    results = [detection.measure(covered, row, before) for row, before in track(compared, "measuring")]
    seen = {} if space is None else seen_by_map(space, {*covered.hypo, *covered.hyper})
    head = {"benchmark": pairs.name, "pairs": len(covered), "skipped": len(pairs) - len(covered), **seen}
    true = "" if pairs.kind == "graded" else f" ({int(covered.positive.sum()):,} entailments)"
    skipped = f"{len(pairs) - len(covered):,} left out for want of a vector"
    heading = [f"{pairs.name}: {len(covered):,} pairs{true}, {skipped}", *said(seen)]
    print_results(head, heading, results, layout, [_detection_table(results)])


def _rows(interpretation: str | None, operator: str | None) -> list[tuple[str, str]]:
    """Return the rows of the paper that these options select, or the one row that the paper does not have."""
    from entvec.evaluate.paper import UNSUPERVISED

    rows = [(row.interpretation, row.operator) for row in UNSUPERVISED]
    found = [row for row in rows if interpretation in (None, row[0]) and operator in (None, row[1])]
    return found or [(interpretation or "unk_dup", operator or "backward")]


def _detection_table(results: "Sequence[DetectionResult]") -> Table:
    measures = [name for name in MEASURES if name in results[0].measures]
    table = number_table("", (MEASURES[name] for name in measures))
    for result in results:
        cells = (_cell(result, name) for name in measures)
        table.add_row(result.name, *cells, style="dim" if result.interpretation == "-" else "")
    return table


def _cell(result: "DetectionResult", name: str) -> str:
    measured = result.measures[name]
    if name == "spearman":
        return f"{measured.value:.2f} ({measured.low:.2f} to {measured.high:.2f})"
    value, interval = measured.percent.split()
    return f"{value}{result.star if name == 'accuracy_at_half' else ''} {interval:>6}"
