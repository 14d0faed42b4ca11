"""Progress bars on stderr, if that is a terminal."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bars
from rich.progress import ProgressColumn, SpinnerColumn, TimeElapsedColumn

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


def _progress(*columns: ProgressColumn) -> Bars:
    console = Console(stderr=True)
    return Bars(*columns, console=console, transient=True, disable=not console.is_terminal)
