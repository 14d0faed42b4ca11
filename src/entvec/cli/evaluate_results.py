"""Prints the results of `entvec evaluate`: how many words the map has seen, and tables."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from entvec.cli.printing import show
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace


def seen_by_map(space: "EntailmentSpace", words: Collection[str]) -> dict[str, Any]:
    """Return how many words were asked, and how many of them the map was not fitted to; {} without a map."""
    from entvec.evaluate.benchmark import held_out_count

    return {} if space.map is None else {"held_out": held_out_count(space.map, words), "asked": len(words)}


def said(seen: dict[str, Any]) -> list[str]:
    """Return the result of `seen_by_map` as a line of text; no line without a map."""
    if not seen:
        return []
    if seen["held_out"] is None:
        return ["which of these words the map was fitted to is not known"]
    return [f"the map was fitted without {seen['held_out']:,} of these {seen['asked']:,} words"]


def print_results(
    head: dict[str, Any], heading: list[str], results: Sequence[Any], layout: str, tables: Iterable[Table]
) -> None:
    """Print results as tables below a heading, or as lines or JSON."""
    rows = [result.as_dict() for result in results]
    lines = [list(rows[0]), *([None if value is None else str(value) for value in row.values()] for row in rows)]

    def draw(console: Console) -> None:
        for each in (*map(shown, heading), *tables):
            console.print(each)

    show(layout, lambda: {**head, "rows": rows}, lines, draw)
