"""`entvec evaluate discovery`: how well hypernyms of words are found among all nouns."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from entvec.cli.evaluate_results import print_results, said, seen_by_map
from entvec.cli.printing import number_table
from entvec.cli.progress import bar

if TYPE_CHECKING:
    from entvec.evaluate.discovery import DiscoveryResult
    from entvec.evaluate.metrics import Interval
    from entvec.space import EntailmentSpace

DISCOVERY_MEASURES = {"mrr": "MRR", "hit_at_1": "hit@1", "hit_at_10": "hit@10"}


def evaluate_discovery(
    words: list[str], space: "EntailmentSpace", isa: Path | None, specificity: float | None, layout: str
) -> None:
    """Rank all nouns as hypernyms of these words, and print how well that is done."""
    from entvec.bundled import IsA
    from entvec.evaluate import discovery

    table = None if isa is None else IsA.load(isa)
    questions = discovery.ask(words, space.vectors, table)
    chosen = space.specificity.hypernyms if specificity is None else specificity
    specificities = [chosen] if chosen == 0 or specificity is not None else [chosen, 0.0]
    with bar("ranking") as progress:
        results = discovery.evaluate(space, questions, specificities, progress=progress)
    counts = {kind: questions.count(kind) for kind in discovery.KINDS}
    seen = seen_by_map(space, questions.words)
    head = {
        "benchmark": "discovery",
        "words": counts,
        "candidates": len(questions.candidates),
        "skipped": questions.left_out,
        **seen,
    }
    heading = [
        f"discovery: {len(questions.candidates):,} nouns ranked for each of {len(questions):,} words, "
        f"{questions.left_out:,} left out",
        *said(seen),
    ]
    print_results(head, heading, results, layout, [_discovery_table(results, counts)])


def _discovery_table(results: "Sequence[DiscoveryResult]", counts: dict[str, int]) -> Table:
    table = number_table("at a specificity", DISCOVERY_MEASURES.values(), padding=(0, 1, 0, 0))
    for kind, count in counts.items():
        table.add_row(f"{kind} ({count:,} words)", style="bold")
        for row in results:
            name = row.name if row.specificity is None else f"{row.name} at {row.specificity:g}"
            cells = (_place(each, row.measures[kind][each]) for each in DISCOVERY_MEASURES)
            table.add_row(name, *cells, style="dim" if row.interpretation == "-" else "")
        table.add_section()
    return table


def _place(name: str, measured: "Interval") -> str:
    if name == "mrr":
        return f"{measured.value:.3f} {measured.low:.2f}-{measured.high:.2f}"
    value, interval = measured.percent.split()
    return f"{value} {interval:>6}"
