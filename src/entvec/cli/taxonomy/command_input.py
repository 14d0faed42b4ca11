"""The input of several commands: words, files of taxonomies, and names of formats."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entvec.cli.options import PIPE, opened, standard_input
from entvec.cli.progress import bar
from entvec.cli.trouble import note
from entvec.errors import InvalidInput
from entvec.files import open_to_read
from entvec.graphs.formats import readable_formats
from entvec.graphs.formats.edge_table import columns_of
from entvec.graphs.formats.headers import ALONE, named

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy

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
        if word == PIPE:
            standard_input()
        found += _words_in(sys.stdin.buffer.read(), "the standard input") if word == PIPE else [word]
    if file is not None:
        try:
            with open_to_read(file) as lines:
                found += _words_in(lines.read(), str(file))
        except OSError as error:
            raise InvalidInput(error.strerror or str(error), where=str(file)) from None
    if not found and not others:
        raise typer.BadParameter(
            'no words, expected some: as arguments ("ice cream" is one), in a --file, or piped in, one a line',
            param_hint="WORD",
        )
    return found


def _words_in(content: bytes, name: str) -> list[str]:
    """Return the words of a list; what is no list of words is refused, and what is left out of it is said."""
    found = []
    content = content.removeprefix(b"\xef\xbb\xbf")
    first = content.split(b"\n", 1)[0].decode(errors="replace")
    if columns := columns_of(content):
        raise InvalidInput(
            f"{name}, line 1: expected one word a line, found columns ({', '.join(columns)}); "
            "leave one of them, or read the table with --edges or --taxonomy"
        )
    if any(line[:1].isspace() for line in content.decode(errors="replace").splitlines() if line.strip()):
        note(f"entvec: lines of {name} are indented: that is not used; --edges takes an indented list as a taxonomy")
    titled = named(first) in ALONE and content.count(b"\n") > 1
    if titled:
        note(f"entvec: {name}, line 1: {first.strip()!r} is taken for the title of the column, since it is no term")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if number == 1 and titled:
            continue
        try:
            word = line.decode().strip()
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"{name}, line {number:,}: expected text in UTF-8, found {line[:40]!r} ({error.reason}); "
                "save it as UTF-8"
            ) from None
        if "\t" in word:
            raise InvalidInput(
                f"{name}, line {number:,}: expected one word, found several columns; `cut -f 1` picks one"
            )
        if word:
            found.append(word)
    return found


def read_taxonomy(path: Path, read_as: str | None = None, columns: str | None = None) -> "Taxonomy":
    """Read the taxonomy of a file, or of the standard input for -."""
    from entvec.graphs import read

    chosen = None if columns is None else [column.strip() for column in columns.split(",")]
    with bar("reading") as progress:
        return read(opened(path), format=read_as, columns=chosen, progress=progress)
