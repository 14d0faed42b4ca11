"""Pairs of words in lines of the standard input, and in tables: what the commands about pairs have in common."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from rich.progress import TimeElapsedColumn

from entvec.cli.bulk import Cluster, Processes, Restart, at_work, note_unknown, report
from entvec.cli.options import standard_input
from entvec.cli.progress import counted
from entvec.cli.trouble import INTERRUPTED, note
from entvec.errors import InvalidInput, shown

if TYPE_CHECKING:
    from entvec.bulk import Done
    from entvec.pairs.lines import Tally

PRECISION = 0.7
"""The probability from which on an answer is given, as in `EntailmentSpace.relation`."""
LONGEST_EXAMPLE = 30
TABLES = (".parquet", ".csv", ".tsv")
WAITING = 0.005
"""Seconds in which more of a pipe may come before what is there is answered."""

PairArguments = Annotated[
    list[str],
    typer.Argument(
        metavar="FIRST SECOND | - | TABLE...",
        help="Two words; or - for lines of the standard input; or, with -o, tables: Parquet, .csv or .tsv.",
    ),
]
PairLayout = Annotated[
    Literal["table", "tsv", "csv", "json"] | None,
    typer.Option("--format", help="How to print: table if none, tsv with -."),
]


@dataclass(frozen=True)
class PairOptions:
    """The options of lines and of tables of pairs."""

    on_error: Annotated[
        Literal["fail", "skip"] | None,
        typer.Option(help="With -: stop at a line that is not two words (fail), or leave it out (skip); fail if none."),
    ] = None
    header: Annotated[bool, typer.Option("--header", help="With -: the first line has the titles of the columns.")] = (
        False
    )
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Of a table: the file to write, .parquet, .csv or .tsv; without an ending: a folder of .parquet.",
        ),
    ] = None
    hypo_column: Annotated[
        str | None,
        typer.Option(
            "--hypo",
            metavar="NAME",
            help="Of a table: the column of first words; if none, the one called hypo, child, narrower or the like.",
        ),
    ] = None
    hyper_column: Annotated[
        str | None,
        typer.Option("--hyper", metavar="NAME", help="Of a table: the column of second words; likewise."),
    ] = None
    processes: Processes = None
    cluster: Cluster = None
    restart: Restart = False

    def kind(
        self, words: list[str], layout: str | None, written: str, definition: str | None
    ) -> Literal["pair", "lines", "table"]:
        """Return what the words of the command line are; refuse options of another kind.

        Parameters
        ----------
        words, layout, definition
            What was given.
        written
            The name of an output, as an example.
        """
        found = self._kind(words, layout, written)
        if definition is not None and found != "pair":
            raise typer.BadParameter("a definition is one of two words", param_hint="--definition")
        return found

    def _kind(self, words: list[str], layout: str | None, written: str) -> Literal["pair", "lines", "table"]:
        if self.output is not None:
            if layout is not None or self.on_error is not None or self.header:
                raise typer.BadParameter(
                    "--format, --on-error and --header are for words and lines, not for a table with -o"
                )
            return "table"
        if self.hypo_column or self.hyper_column or self.processes or self.cluster or self.restart:
            raise typer.BadParameter(
                "--hypo, --hyper, --processes, --cluster and --restart are for a table; name the file to write with -o"
            )
        if words == ["-"]:
            if layout not in (None, "tsv"):
                raise typer.BadParameter(
                    f"{layout} is for one pair; lines are answered with lines, tsv", param_hint="--format"
                )
            return "lines"
        if all(word.lower().endswith(TABLES) for word in words) or (len(words) == 1 and _is_table(words[0])):
            raise typer.BadParameter(f"{words[0]} is a table; name the file to write: -o {written}")
        if len(words) != 2 or "-" in words:
            raise typer.BadParameter(
                f"expected two words, or - for lines of the standard input, got {len(words)}: {' '.join(words)}; "
                'a name of several words is one argument, "ice cream"'
            )
        if self.on_error or self.header:
            raise typer.BadParameter("--on-error and --header are for lines of the standard input, -")
        return "pair"


DEFAULT_PAIRS = PairOptions()


# A table


def _is_table(word: str) -> bool:
    return word.lower().endswith(TABLES) or os.path.exists(word)  # noqa: PTH110 - Path.exists fails for a long text


def answer_table(job: "Callable[..., Done]", words: list[str], options: PairOptions, **report_as: str) -> None:
    """Run a job of `entvec.bulk` over a table, and say what was done.

    Parameters
    ----------
    job
        Called with the tables, the output and the options of the job.
    words
        The tables.
    options
        Those of the command line.
    report_as
        How pairs with a missing word are reported, for `note_unknown`.
    """
    output = cast("Path", options.output)  # or it would not be a table
    if "-" in words or not any(map(_is_table, words)):
        raise typer.BadParameter(
            f"expected a table, Parquet, .csv or .tsv, for the output {output}, got {' '.join(words)}"
        )
    names = {"hypo": options.hypo_column, "hyper": options.hyper_column}
    where = {"processes": options.processes, "cluster": options.cluster, "restart": options.restart}
    with at_work(output, "pairs") as tell:
        done = job(words, output, **names, **where, progress=tell)
    report(done, output, "pairs", **report_as)


# Lines


def answer_stdin(answer: "Callable[..., Tally]", at_once: int, options: PairOptions, **report_as: str) -> None:
    """Answer the lines of the standard input, and say what was skipped.

    Parameters
    ----------
    answer
        `score_lines` or `answer_lines` of `entvec.pairs.lines`, but for its last arguments.
    at_once
        How many bytes are answered together.
    options
        Those of the command line.
    report_as
        How pairs with a missing word are reported, for `note_unknown`.
    """
    standard_input()
    source, out = sys.stdin.buffer.fileno(), sys.stdout.buffer
    if os.isatty(source):
        note("entvec: two words a line, with a tab between; Ctrl-D ends")
    try:
        with (
            counted("pairs", TimeElapsedColumn(), hidden=sys.stdout.isatty()) as update,
            whole_writes(out.write, out.flush) as write,
        ):
            tally = answer(
                arriving(source, at_once),
                write,
                on_error=options.on_error or "fail",
                header=options.header,
                progress=lambda tally: update(tally.pairs, 0, 0.0),
            )
    except InvalidInput as error:
        error.where = ", ".join(filter(None, ("standard input", error.where)))
        raise
    except KeyboardInterrupt:
        note("entvec: stopped; what is written is whole up to its last line")
        raise typer.Exit(INTERRUPTED) from None
    if tally.unknown:
        examples = [_shortened(word) for word in tally.examples]
        note_unknown(tally.unknown, tally.pairs, examples, "empty", **report_as)
    if tally.skipped:
        note(f"entvec: {tally.skipped:,} of {tally.lines:,} lines are not two words, and were left out")


def _shortened(word: str) -> str:
    text = shown(word)
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 1]}…"


def arriving(source: int, at_once: int) -> Iterator[bytes]:
    """What comes from a file or pipe, in blocks of so many bytes if it comes fast."""
    while block := os.read(source, at_once):
        parts, size = [block], len(block)
        while size < at_once and _ready(source) and (block := os.read(source, at_once - size)):
            parts.append(block)
            size += len(block)
        yield b"".join(parts)


def _ready(source: int) -> bool:
    try:
        return bool(select.select([source], [], [], WAITING)[0])
    except OSError:  # a system on which only sockets can be asked
        return True


@contextmanager
def whole_writes(write: Callable[[bytes], object], flush: Callable[[], object]) -> Iterator[Callable[[bytes], None]]:
    """Yield a function that writes a text and flushes it.

    Ctrl-C waits until a text is written; pressed a second time, it does not.
    """
    writing = interrupted = False

    def stop(*_: Any) -> None:
        nonlocal interrupted
        if not writing or interrupted:
            raise KeyboardInterrupt
        interrupted = True

    def write_whole(text: bytes) -> None:
        nonlocal writing
        writing = True
        try:
            write(text)
            flush()
        finally:
            writing = False
        if interrupted:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # where signals cannot be set
        yield write_whole
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield write_whole
    finally:
        signal.signal(signal.SIGINT, before)
