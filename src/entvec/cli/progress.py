"""Progress bars on stderr, if that is a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, TimeElapsedColumn

T = TypeVar("T")


def track(items: Sequence[T], description: str) -> Iterator[T]:
    """The items, with a bar that tells how many are done."""
    with _progress() as progress:
        yield from progress.track(items, description=description)


@contextmanager
def bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """A bar, moved by a function of what is done and what there is in all; 0 if that is not known."""
    with _progress() as progress:
        task = progress.add_task(description, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)


@contextmanager
def stages() -> Iterator[Callable[[str, float], None]]:
    """A bar for work of several kinds: told what is being done, and which part of all is done."""
    with _progress(SpinnerColumn(), *Progress.get_default_columns()[:3], TimeElapsedColumn()) as progress:
        task = progress.add_task("starting", total=1.0)
        yield lambda what, done: progress.update(task, description=what, completed=done)


def _progress(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
