"""What the commands of large jobs have in common: where they run, how far they are, and how they end."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entvec.cli.trouble import note
from entvec.errors import CannotWrite, shown
from entvec.runtime import dedicate_process

if TYPE_CHECKING:
    from entvec.bulk import Done, JobProgress

Processes = Annotated[
    int | None, typer.Option(min=1, help="How many processes of this machine do the work; as many as help if none.")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler whose workers do the work: tcp://HOST:8786.")
]
Restart = Annotated[
    bool, typer.Option("--restart", help="Begin anew, and forget what a run that was stopped has done.")
]

INTERRUPTED = 130


@contextmanager
def at_work(output: Path, what: str) -> "Iterator[Callable[[JobProgress], None]]":
    """Show the progress of a job, and say how to go on with one that is stopped."""
    dedicate_process()
    try:
        with _bar(what) as tell, _without_logs():
            yield tell
    except CannotWrite as error:
        error.where = str(output)  # as it was given
        raise
    except KeyboardInterrupt:
        _leave(f"stopped; {_kept(output, what)}", INTERRUPTED)
    except SystemExit as error:
        _leave(f"ended; {_kept(output, what)}", int(error.code or 0))


def _kept(output: Path, what: str) -> str:
    from entvec.bulk.checkpoint import checkpointed_rows

    rows = checkpointed_rows(output)
    if not rows:
        ready = Path(f"{output}.job").exists()
        return "nothing was done yet" + (f", but what was made ready is kept in {output}.job" if ready else "")
    return f"{rows:,} {what} are done and kept in {output}.job: run the same command again to go on"


@contextmanager
def _without_logs() -> Iterator[None]:
    """Dask logs what an error says already, over many lines."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)


def _leave(message: str, code: int) -> None:
    """End at once: threads that are in the middle of a block would be waited for, and what is done is kept already."""
    note(f"entvec: {message}")
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(code)


@contextmanager
def _bar(what: str) -> "Iterator[Callable[[JobProgress], None]]":
    """How much is done, how fast, and how long it will take; on stderr if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    start = time.monotonic()
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=1.0)

        def tell(progress: "JobProgress") -> None:
            speed = (progress.rows - progress.earlier) / max(time.monotonic() - start, 1e-3)
            told = f"{progress.rows:,} {what}" + (f", {speed:,.0f} a second" if speed else "")
            bar.update(task, completed=progress.part, description=told)

        yield tell


def report(done: "Done", output: Path, what: str) -> None:
    """What was written, in one line, and what to do with it."""
    if not done.seconds:
        note(f"nothing to do: {output} has these {done.rows:,} {what} already")
        return
    earlier = f", {done.earlier:,} of them by earlier runs" if done.earlier else ""
    note(f"written: {output} ({done.rows:,} {what}{earlier}, {done.size / 1e6:,.1f} MB, {done.seconds:,.1f} s)")
    if done.unknown:
        words = ", ".join(map(shown, done.examples)) + (", ..." if done.unknown > len(done.examples) else "")
        which = f" ({words})" if done.examples else ""
        note(
            f"entvec: {done.unknown:,} of {done.rows:,} pairs have a word without a vector{which}; "
            "their scores are null"
        )
