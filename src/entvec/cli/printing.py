"""What commands print on stdout: answers as a table, as TSV, CSV or JSON."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table

from entvec.errors import UNSAFE, shown


def show(
    layout: str,
    record: Callable[[], Any],
    lines: Iterable[Iterable[object]],
    draw: Callable[[Console], object],
) -> None:
    """Print an answer: its record as JSON, its lines of cells as TSV or CSV or, for people, what `draw` prints.

    Words may come from anywhere: JSON, TSV and CSV have escape sequences for what a terminal would obey.
    """
    if layout == "json":
        text = json.dumps(record(), ensure_ascii=False, indent=2)
        typer.echo(UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text))
    elif layout == "tsv":
        for line in lines:
            typer.echo("\t".join(map(cell, line)))
    elif layout == "csv":
        rows = csv.writer(made := io.StringIO(), lineterminator="\n")
        rows.writerows([cell(value) for value in line] for line in lines)
        typer.echo(made.getvalue(), nl=False)
    else:
        draw(Console(highlight=False, markup=False))


def cell(value: object) -> str:
    """Return a value as a field of a table."""
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else shown(str(value))


def plain_table(first: Column, *columns: str | Column, **settings: Any) -> Table:
    """Return an empty table in the style of all commands; columns that are only titles have numbers."""
    others = (Column(each, justify="right") if isinstance(each, str) else each for each in columns)
    return Table(first, *others, box=SIMPLE_HEAD, pad_edge=False, **settings)


def number_table(first: str, columns: Iterable[str], **settings: Any) -> Table:
    """Return an empty table: a first column of names with this title, then columns of numbers aligned to the right."""
    numbers = (Column(title, justify="right", no_wrap=True) for title in columns)
    return plain_table(Column(first, no_wrap=True), *numbers, **settings)
