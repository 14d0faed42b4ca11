"""Progress bars on stderr, if that is a terminal."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bars
from rich.progress import ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

from entvec.errors import shown
from entvec.progress import Progress, StageProgress

T = TypeVar("T")


def track(items: Sequence[T], description: str) -> Iterator[T]:
    """Yield the items, and show how many are done."""
    with _progress() as progress:
        yield from progress.track(items, description=_plain(description))


@contextmanager
def bar(description: str) -> Iterator[Progress]:
    """Show a bar, and give the progress callback that moves it."""
    with _progress() as progress:
        task = progress.add_task(_plain(description), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)


@contextmanager
def stages() -> Iterator[StageProgress]:
    """Show a bar with the name of the current stage, and give the progress callback that moves it."""
    with _progress(SpinnerColumn(), *Bars.get_default_columns()[:3], TimeElapsedColumn()) as progress:
        task = progress.add_task("starting", total=1.0)
        yield lambda what, done: progress.update(task, description=_plain(what), completed=done)


def _plain(text: str) -> str:
    """Return text from outside without what a terminal or rich would obey."""
    return escape(shown(text))


@contextmanager
def counted(what: str, *columns: ProgressColumn, hidden: bool = False) -> Iterator[Callable[[int, int, float], None]]:
    """Show how many rows are done and how many a second, before other columns.

    The callback takes the number of rows, how many of them earlier runs have done, and the fraction of all work.
    """
    start = time.monotonic()
    with _progress(TextColumn("{task.description}"), *columns, hidden=hidden) as progress:
        task = progress.add_task("starting", total=1.0)

        def update(rows: int, earlier: int, part: float) -> None:
            speed = (rows - earlier) / max(time.monotonic() - start, 1e-3)
            done = f"{rows:,} {what}" + (f", {speed:,.0f} a second" if speed else "")
            progress.update(task, completed=part, description=done)

        yield update


def _progress(*columns: ProgressColumn, hidden: bool = False) -> Bars:
    console = Console(stderr=True)
    return Bars(*columns, console=console, transient=True, disable=hidden or not console.is_terminal)
