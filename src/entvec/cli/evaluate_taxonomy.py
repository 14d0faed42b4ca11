"""`entvec evaluate taxonomy`: how well taxonomies are built, extended, named and audited."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Column, Table

from entvec.cli.printing import plain_table, show
from entvec.cli.progress import stages

if TYPE_CHECKING:
    from entvec.evaluate.metrics import Interval
    from entvec.evaluate.taxonomy import StudyResult
    from entvec.space import EntailmentSpace

TITLES = {
    "induction": "induction: trees recovered from their words",
    "placement": "placement: hidden nouns, and what is known of them",
    "phrases": "phrases: nouns of two words",
    "negations": "negations: hidden nouns with two siblings, and what they do not entail",
    "common": "common: lists of nouns, and their lowest common hypernym",
    "audit": "audit: trees with errors put in",
}
MEASURES = {
    "ancestor_precision": "anc. P",
    "ancestor_recall": "anc. R",
    "ancestor_f1": "anc. F1",
    "edge_f1": "edge F1",
    "mrr": "MRR",
    "hit_at_1": "hit@1",
    "hit_at_5": "hit@5",
    "hit_at_10": "hit@10",
    "neighbour_mrr": "own vector, MRR",
    "precision": "P at the number put in",
    "turned_found": "turned found",
    "added_found": "added found",
    "cycles_named": "cycles named",
    "edge_precision": "edge P",
    "edge_recall": "edge R",
    "wu_palmer": "Wu & Palmer",
    "lemma_matches": "lemma",
    "answered": "answered",
    "position": "position",
}
"""The measures that the table shows; the other formats have all."""
MOST_INTERVALS = 4
INTERVAL = len(".00-.99")


def evaluate_benchmark(name: str, files: "Sequence[Path]", space: "EntailmentSpace", layout: str) -> None:
    """Measure a public benchmark, whose files somebody has, beside what others report."""
    from entvec.evaluate.taxonomy import BENCHMARKS, evaluate_public

    if name not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise typer.BadParameter(f"no benchmark {name!r}, expected one of {known}", param_hint="--benchmark")
    row = BENCHMARKS[name]
    if not row.fewest <= len(files) <= row.most:
        raise typer.BadParameter(f"{name} takes {row.files}", param_hint="--file")
    rows = evaluate_public(name, space, files)
    head = {"benchmark": name, "files": [path.name for path in files], "leakage": row.leakage}

    def draw(console: Console) -> None:
        console.print(_table(row.title, [each for each in rows if each.n]))
        for each in rows:
            if not each.n:
                told = ", ".join(f"{MEASURES[name]} {found.value:.3f}" for name, found in each.measures.items())
                console.print(f"published: {each.name}: {told}", markup=False)
        console.print(f"leakage: {row.leakage}")

    show(layout, lambda: {**head, "rows": [each.as_dict() for each in rows]}, _lines(rows), draw)


def evaluate_taxonomy(space: "EntailmentSpace | None", only: Sequence[str] | None, layout: str) -> None:
    """Run the studies in this space, or in the bundled one whose map was learned without their words."""
    from entvec.evaluate import taxonomy
    from entvec.evaluate.benchmark import held_out_count
    from entvec.evaluate.taxonomy.wordnet_trees import trees, words_of
    from entvec.space.default import held_out_space

    chosen = list(dict.fromkeys(only or taxonomy.STUDIES))
    for study in chosen:
        if study not in taxonomy.STUDIES:
            known = ", ".join(taxonomy.STUDIES)
            raise typer.BadParameter(f"no study {study!r}, expected one of {known}", param_hint="--only")
    used = held_out_space() if space is None else space
    words = words_of(trees())
    missing = [word for word in words if word not in used.vocabulary.words]
    if missing:
        raise typer.BadParameter(
            f"{len(missing):,} of the words of the trees have no vector, {min(missing)} among them"
        )
    with stages() as progress:
        rows = taxonomy.evaluate(used, chosen, progress=progress)
    held_out = held_out_count(used.map, words)
    head = {"benchmark": "taxonomy", "words": len(words), "held_out": held_out}

    def draw(console: Console) -> None:
        unseen = (
            "which of them the map was fitted to is not known" if held_out is None else f"{held_out:,} of them held out"
        )
        console.print(f"taxonomy: {len(trees())} trees of {len(words):,} words, {unseen}")
        for study in chosen:
            console.print(_table(TITLES[study], [row for row in rows if row.study == study]))

    show(layout, lambda: {**head, "rows": [row.as_dict() for row in rows]}, _lines(rows), draw)


def _lines(rows: "Sequence[StudyResult]") -> Iterator[tuple[object, ...]]:
    yield "study", "row", "n", "baseline", "measure", "value", "low", "high"
    for row in rows:
        for name, measured in row.measures.items():
            yield row.study, row.name, row.n, row.baseline, name, *map(str, measured)


def _table(title: str, rows: "Sequence[StudyResult]") -> Table:
    names = [name for name in MEASURES if any(name in row.measures for row in rows)]
    # Six columns with intervals do not fit a terminal: those of precision and recall are in the TSV and the JSON.
    alone = {name for name in names if len(names) > MOST_INTERVALS and not name.endswith("f1")}
    table = plain_table(
        Column("", no_wrap=True),
        *(Column(MEASURES[name], justify="right", min_width=0 if name in alone else INTERVAL) for name in names),
        padding=(0, 1, 0, 0),
        title=f"{title} (n = {rows[0].n})",
        title_justify="left",
    )
    for row in rows:
        cells = (_cell(row.measures[name], alone=name in alone) if name in row.measures else "" for name in names)
        table.add_row(row.name, *cells, style="dim" if row.baseline else "")
    return table


def _cell(measured: "Interval", *, alone: bool) -> str:
    if alone or measured.low == measured.high:  # a single taxonomy
        return f"{measured.value:.3f}"
    ends = (measured.low, measured.high)
    low, high = (f"{end:.1f}" if end >= 1 else f"{end:.2f}".removeprefix("0") for end in ends)
    return f"{measured.value:.3f} {low}-{high}"
