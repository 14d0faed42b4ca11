"""What becomes of an error: one line on stderr and an exit code, or the traceback if that is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from entvec.errors import EntvecError


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
    except (EntvecError, OSError) as error:
        if ctx.find_root().params["debug"] or isinstance(error, BrokenPipeError):
            raise
        typer.echo(f"entvec: {told(error)}", err=True)
        raise typer.Exit(exit_code) from None


def told(error: Exception) -> str:
    """An error in words; those of the system have a number before them that helps nobody."""
    if isinstance(error, EntvecError) or not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return f"{error.filename or 'the output'}: {error.strerror}"
