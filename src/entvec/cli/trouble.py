"""What becomes of an error: one line on stderr and an exit code, or the traceback if that is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from entvec.errors import EntvecError, Remedy, shown

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C has stopped."""
REMEDIES: dict[str, str] = {
    Remedy.SKIP_LINES: "`--on-error skip` leaves such lines out",
    Remedy.NAME_COLUMNS: "`--hypo NAME --hyper NAME` says which columns have the words",
    Remedy.RESTART: "start anew with `--restart`, which removes what was done so far",
    Remedy.GO_ON: "go on as it was begun, or start anew with `--restart`, which removes what was done so far",
    Remedy.REPLACE: "choose another name, or replace it with `--restart`",
    Remedy.CALIBRATE: "calibrate it in Python with `space.calibrated(hypo, hyper, labels)`, and name it with `--space`",
    Remedy.TRUST_PICKLE: (
        "if you made this file or trust who did, `entvec convert --trust-pickle` reads it; "
        "or have gensim write it with save_word2vec_format and read that"
    ),
    Remedy.REPLACE_BYTES: "`entvec convert --undecodable replace` puts U+FFFD for such bytes",
    Remedy.ASK_DATABASE: "name one with `--space URL`",
    Remedy.KNOW_WORDNET: "leave `--knowledge none` out, or name a file after it",
    Remedy.FIT_ENCODER: "`entvec fit --encoder small -o FOLDER` makes a space that has one; name it with `--space`",
    Remedy.MISSING_NAN: "leave these words out",
    Remedy.CHOOSE_DUPLICATE: "`entvec convert --duplicates first`, or `last`, keeps one of them",
}
"""What to do about an error, in the words of the command line."""


class Commands(TyperGroup):
    """A group of commands; one that fails has the exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with _in_one_line(ctx, exit_code=1):
            return super().invoke(ctx)


class Check(TyperCommand):
    """A command whose exit code 1 is an answer, so that 2 says that it failed."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _in_one_line(ctx, exit_code=2):
            return super().invoke(ctx)


@contextmanager
def _in_one_line(ctx: Any, *, exit_code: int) -> Iterator[None]:
    """Turn expected errors into one line on stderr and an exit code."""
    try:
        yield
    except typer.BadParameter as error:
        error.message = shown(error.message)  # an argument may be the name of a file from outside
        raise
    except (EntvecError, OSError) as error:
        if ctx.find_root().params["debug"] or isinstance(error, BrokenPipeError):
            raise
        note(f"entvec: {message(error)}")
        raise typer.Exit(exit_code) from None


def note(text: str) -> None:
    """Print a message on stderr, as one line: control characters and line breaks in it are escaped.

    If it cannot be printed, as on a full disk, the command goes on.
    """
    with suppress(OSError):
        typer.echo(shown(text), err=True)


def message(error: Exception) -> str:
    """Return an error in the words of the command line; errors of the system lose their number."""
    if isinstance(error, EntvecError):
        return error.message(REMEDIES.get(error.remedy or "", error.remedy))
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return f"{error.filename or 'the output'}: {error.strerror}"
