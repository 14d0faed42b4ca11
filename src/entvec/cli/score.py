"""`entvec score`: whether one word entails another; for one pair, or for lines and lines of them."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.progress import TimeElapsedColumn

from entvec.cli.bulk import Cluster, Processes, Restart, at_work, note_unknown, report
from entvec.cli.options import DEFAULT_SPACE, SpaceOptions, spelled, standard_input, takes_options
from entvec.cli.printing import show
from entvec.cli.progress import counted
from entvec.cli.trouble import INTERRUPTED, note
from entvec.errors import InvalidInput, shown

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace

PRECISION = 0.9
LONGEST_EXAMPLE = 30
TABLES = (".parquet", ".csv", ".tsv")
WAITING = 0.005
"""Seconds in which more of a pipe may come before what is there is scored."""


@takes_options
def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="HYPO HYPER | - | TABLE...",
            help="Two words; or - for lines of the standard input; or, with -o, tables: Parquet, .csv or .tsv.",
        ),
    ],
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Annotated[
        Literal["table", "tsv", "json"] | None,
        typer.Option("--format", help="How to print: table if none, tsv with -."),
    ] = None,
    on_error: Annotated[
        Literal["fail", "skip"] | None,
        typer.Option(help="With -: stop at a line that is not two words (fail), or leave it out (skip); fail if none."),
    ] = None,
    header: Annotated[
        bool, typer.Option("--header", help="With -: the first line has the titles of the columns.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Of a table: the Parquet file to write; a name without an ending: a folder of them."
        ),
    ] = None,
    hypo_column: Annotated[
        str | None, typer.Option("--hypo", metavar="NAME", help="Of a table: the column of hypos; hypo if none.")
    ] = None,
    hyper_column: Annotated[
        str | None, typer.Option("--hyper", metavar="NAME", help="Of a table: the column of hypers; hyper if none.")
    ] = None,
    processes: Processes = None,
    cluster: Cluster = None,
    restart: Restart = False,
) -> None:
    """Does the first word entail the second? A dog is an animal, so dog entails animal.

    With `-`, each line of the standard input has two words, a tab between, and is written with a tab and its score
    and, if the space has probabilities, a tab and its probability. Further columns are carried along before them. A
    word without a vector leaves these fields empty. A line that is not UTF-8, has no tab or an empty word stops the
    command with the number of the line, or is left out with `--on-error skip`. There may be any number of lines, also
    such as come slowly from a pipe; how many are done is shown on stderr. All is done on one core.

    With `-o`, a table of any size is scored by several processes, or by a cluster: a Parquet file, or a .csv or .tsv
    whose first line names the columns; or several such files, or a folder of them. All columns are carried along, and
    score and, if the space has probabilities, probability are added; they are null for a pair with a word without a
    vector. A run that was stopped goes on where it was when the same command is given again; until all is done the work
    lies in a folder OUTPUT.job.

    Examples:

    * `entvec score dog animal`
    * `entvec score "ice cream" food --format json`
    * `entvec score - < pairs.tsv > scored.tsv`
    * `cut -f 2,5 things.tsv | entvec score - --on-error skip > scored.tsv`
    * `entvec score pairs.parquet -o scored.parquet`
    * `entvec score pairs/ -o scored.parquet`
    * `entvec score pairs.csv -o scored.parquet --hypo child --hyper parent --processes 4`
    * `entvec score /shared/pairs.parquet -o /shared/scored.parquet --space /shared/news --cluster tcp://head:8786`
    """
    if output is not None:
        if layout is not None or on_error is not None or header:
            raise typer.BadParameter(
                "--format, --on-error and --header are for words and lines, not for a table with -o"
            )
        names = {"hypo": hypo_column or "hypo", "hyper": hyper_column or "hyper"}
        options = {**names, "processes": processes, "cluster": cluster, "restart": restart}
        _score_table(space.folder or space.in_memory(), words, output, options)
        return
    if hypo_column or hyper_column or processes or cluster or restart:
        raise typer.BadParameter(
            "--hypo, --hyper, --processes, --cluster and --restart are for a table; name the file to write with -o"
        )
    if words == ["-"]:
        if layout not in (None, "tsv"):
            raise typer.BadParameter(
                f"{layout} is for one pair; lines are answered with lines, tsv", param_hint="--format"
            )
        _score_lines(space.in_memory(), on_error or "fail", header)
        return
    if all(word.lower().endswith(TABLES) for word in words) or (len(words) == 1 and _is_table(words[0])):
        raise typer.BadParameter(f"{words[0]} is a table; name the file to write: -o scored.parquet")
    if len(words) != 2 or "-" in words:
        raise typer.BadParameter(
            f"expected two words, or - for lines of the standard input, got {len(words)}: {' '.join(words)}; "
            'a name of several words is one argument, "ice cream"'
        )
    if on_error or header:
        raise typer.BadParameter("--on-error and --header are for lines of the standard input, -")
    hypo, hyper = words
    with space.asked() as asked:
        _score_pair(asked, hypo, hyper, layout or "table")


# One pair


def _score_pair(space: "EntailmentSpace", hypo: str, hyper: str, layout: str) -> None:
    y, x = spelled(space, hypo), spelled(space, hyper)
    there, back = space.score(y, x), space.score(x, y)
    calibrated = space.calibration is not None
    told: dict[str, Any] = {
        "hypo": y,
        "hyper": x,
        "score": there,
        "probability": space.probability(y, x) if calibrated else None,
        "verdict": space.verdict(y, x, precision=PRECISION) if calibrated else None,
        "reversed_score": back,
    }
    show(layout, lambda: told, [told, told.values()], lambda _: _print(told))


def _print(told: dict[str, Any]) -> None:
    y, x, there, back = (told[name] for name in ("hypo", "hyper", "score", "reversed_score"))
    rows = {"question": f"does {y} entail {x}?"}
    if told["probability"] is None:
        rows["verdict"] = "none: scores of this space are not calibrated, so they only rank"
    else:
        meaning = {
            "yes": f"a probability of {PRECISION} or more",
            "no": f"a probability of {1 - PRECISION:.1f} or less",
            "unknown": f"the probability is between {1 - PRECISION:.1f} and {PRECISION}",
        }
        rows["verdict"] = f"{told['verdict']} ({meaning[told['verdict']]})"
        rows["probability"] = f"{told['probability']:.3f} where half of the pairs in question are entailments"
    rows["score"] = f"{there:.2f}"
    if told["verdict"] == "no":
        rows["direction"] = f"neither, it seems; the reverse has the score {back:.2f}"
    elif there > back:
        rows["direction"] = f"{y} → {x}; the reverse has the score {back:.2f}"
    elif there < back:
        rows["direction"] = f"rather the reverse: {x} → {y} has the score {back:.2f}"
    else:
        rows["direction"] = "neither: the reverse has the same score"
    for title, text in rows.items():
        typer.echo(f"{title:<12} {shown(text)}")


# A table


def _is_table(word: str) -> bool:
    return word.lower().endswith(TABLES) or os.path.exists(word)  # noqa: PTH110 - Path.exists fails for a long text


def _score_table(space: "EntailmentSpace | Path", words: list[str], output: Path, options: dict[str, Any]) -> None:
    from entvec import bulk

    if "-" in words or not any(map(_is_table, words)):
        raise typer.BadParameter(
            f"expected a table, Parquet, .csv or .tsv, for the output {output}, got {' '.join(words)}"
        )
    with at_work(output, "pairs") as tell:
        done = bulk.score_table(space, words, output, **options, progress=tell)
    report(done, output, "pairs")


# Lines


def _score_lines(space: "EntailmentSpace", on_error: Any, header: bool) -> None:
    from entvec.pairs.lines import score_lines

    standard_input()
    source, out = sys.stdin.buffer.fileno(), sys.stdout.buffer
    if os.isatty(source):
        note("entvec: two words a line, with a tab between; Ctrl-D ends")
    try:
        with (
            counted("pairs", TimeElapsedColumn(), hidden=sys.stdout.isatty()) as update,
            _whole_writes(out.write, out.flush) as write,
        ):
            tally = score_lines(
                space.keys,
                _arriving(source),
                write,
                on_error=on_error,
                header=header,
                progress=lambda tally: update(tally.pairs, 0, 0.0),
            )
    except InvalidInput as error:
        error.where = ", ".join(filter(None, ("standard input", error.where)))
        raise
    except KeyboardInterrupt:
        note("entvec: stopped; what is written is whole up to its last line")
        raise typer.Exit(INTERRUPTED) from None
    if tally.unknown:
        note_unknown(tally.unknown, tally.pairs, [_shortened(word) for word in tally.examples], "empty")
    if tally.skipped:
        note(f"entvec: {tally.skipped:,} of {tally.lines:,} lines are not two words, and were left out")


def _shortened(word: str) -> str:
    text = shown(word)
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 1]}…"


def _arriving(source: int) -> Iterator[bytes]:
    """What comes from a file or pipe, in large blocks if it comes fast."""
    from entvec.pairs.lines import BYTES_AT_ONCE

    while block := os.read(source, BYTES_AT_ONCE):
        parts, size = [block], len(block)
        while size < BYTES_AT_ONCE and _ready(source) and (block := os.read(source, BYTES_AT_ONCE - size)):
            parts.append(block)
            size += len(block)
        yield b"".join(parts)


def _ready(source: int) -> bool:
    try:
        return bool(select.select([source], [], [], WAITING)[0])
    except OSError:  # a system on which only sockets can be asked
        return True


@contextmanager
def _whole_writes(write: Callable[[bytes], object], flush: Callable[[], object]) -> Iterator[Callable[[bytes], None]]:
    """A function that writes and flushes, and that Ctrl-C stops before or after a text, not within; twice, at once."""
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
