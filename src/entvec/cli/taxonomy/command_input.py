"""The input of several commands: words, files of taxonomies, and names of formats."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from entvec.cli.options import PIPE, AskingOptions, opened
from entvec.cli.progress import bar
from entvec.cli.word_lists import words_of
from entvec.graphs.formats import readable_formats

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy
    from entvec.space import EntailmentSpace

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORD", help="Words; if there are none, or for -, those that are piped in."),
]
WordsFile = Annotated[
    Path | None, typer.Option("--file", "-f", readable=False, help="A file of more words, one a line.")
]


def choice(*flags: str, names: Callable[[], Iterable[str]], help: str) -> Any:  # noqa: A002 - as Typer calls it
    """Return an option whose values are the names of a table, as they are when the command runs."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in names():
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, names()))}.")
        return value

    return typer.Option(*flags, metavar=f"[{'|'.join(names())}]", callback=check, help=help)


ReadAs = Annotated[
    str | None,
    choice("--from", names=readable_formats, help="Format to read, if neither name nor content tell it."),
]

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NARROWER,BROADER",
        help="For tables: the columns of the narrower and the broader term, by title, or by number without a header.",
    ),
]


ReaderOption = Annotated[
    Literal["small", "static"],
    typer.Option(
        "--reader",
        help="The encoder that reads unknown terms: small, or static, which is faster and makes more mistakes.",
    ),
]


def space_of(options: AskingOptions, reader: str) -> "EntailmentSpace":
    """Return the space of these options in memory, with this reader of unknown terms."""
    space = options.in_memory()
    return space.with_reader("static") if reader == "static" else space


def chosen_words(words: list[str] | None, file: Path | None, others: Sequence[str] = ()) -> list[str]:
    """Return the words of the arguments and of the file, or those of the standard input if there are no others.

    Raises a usage error if there are none, unless there are `others` to work on.
    """
    named = [word.strip() for word in words or []]
    if "" in named:
        raise typer.BadParameter("an empty word, expected names that are not empty", param_hint="WORD")
    if not named and file is None and not sys.stdin.isatty():
        named = [PIPE]
    found: list[str] = []
    for word in named:
        found += words_of(Path(PIPE)) if word == PIPE else [word]
    if file is not None:
        found += words_of(file)
    if not found and not others:
        raise typer.BadParameter(
            'no words, expected some: as arguments ("ice cream" is one), in a --file, or piped in, one a line',
            param_hint="WORD",
        )
    return found


def read_taxonomy(path: Path, read_as: str | None = None, columns: str | None = None) -> "Taxonomy":
    """Read the taxonomy of a file, or of the standard input for -."""
    from entvec.graphs import read

    chosen = None if columns is None else [column.strip() for column in columns.split(",")]
    with bar("reading") as progress:
        return read(opened(path), format=read_as, columns=chosen, progress=progress)
