"""Tables of numbers, as several commands print them."""

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table


def number_table(first: str, columns: Iterable[str], **settings: Any) -> Table:
    """Return an empty table: a first column of names with this title, then columns of numbers aligned to the right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, **settings)
    table.add_column(first, no_wrap=True)
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    return table
