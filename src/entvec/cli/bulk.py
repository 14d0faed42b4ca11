"""What the commands of large jobs have in common: where they run, how far they are, and how they end."""

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from entvec.cli.progress import counted
from entvec.cli.trouble import INTERRUPTED, note
from entvec.errors import CannotWrite, shown

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


@contextmanager
def at_work(output: Path, what: str) -> "Iterator[Callable[[JobProgress], None]]":
    """Show the progress of a job, and say how to go on with one that is stopped."""
    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
    try:
        with counted(what, *columns) as update, _without_logs():
            yield lambda done: update(done.rows, done.earlier, done.part)
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


def report(done: "Done", output: Path, what: str, **unknown_as: str) -> None:
    """What was written, in one line, and what to do with it."""
    if not done.seconds:
        note(f"nothing to do: {output} has these {done.rows:,} {what} already")
        return
    earlier = f", {done.earlier:,} of them by earlier runs" if done.earlier else ""
    note(f"written: {output} ({done.rows:,} {what}{earlier}, {done.size / 1e6:,.1f} MB, {done.seconds:,.1f} s)")
    if done.unknown:
        note_unknown(done.unknown, done.rows, [shown(word) for word in done.examples], "null", **unknown_as)


def note_unknown(
    unknown: int,
    pairs: int,
    examples: list[str],
    instead: str,
    *,
    lacking: str = "without a vector",
    fields: str = "scores",
) -> None:
    """Say how many pairs have a word that is missing, and what stands for their answers.

    Parameters
    ----------
    unknown, pairs
        How many, and of how many.
    examples
        Some of the missing words.
    instead
        What stands for an answer: "null" or "empty".
    lacking
        When a word is missing.
    fields
        What such pairs do not have.
    """
    words = ", ".join(examples) + (", ..." if unknown > len(examples) else "")
    which = f" ({words})" if examples else ""
    note(f"entvec: {unknown:,} of {pairs:,} pairs have a word {lacking}{which}; their {fields} are {instead}")
