"""Options that several commands have, and what they stand for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from entvec.cli.progress import bar
from entvec.theory import INTERPRETATIONS, OPERATORS

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace
    from entvec.vectors import Vectors

if TYPE_CHECKING:
    InterpretationName: TypeAlias = str
    OperatorName: TypeAlias = str
else:  # the rows of the tables are the choices
    InterpretationName, OperatorName = Literal[*INTERPRETATIONS], Literal[*OPERATORS]

VectorsFile = Annotated[Path | None, typer.Option(readable=False, help="A file of vectors; the bundled ones if none.")]
ExtraVectorsFile = Annotated[
    Path | None, typer.Option(readable=False, help="A file with vectors of words that the others lack.")
]
SpacePlace = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="FOLDER|URL[#NAME]",
        help="A folder that `entvec space` wrote, or the database of `entvec export`; the default space if none.",
    ),
]
MapFile = Annotated[
    Path | None, typer.Option("--map", readable=False, help="A learned map, as `entvec fit` writes it.")
]
Interpretation = Annotated[
    InterpretationName | None, typer.Option(help="How vectors are read as log-odds, if there is no map.")
]
OperatorOption = Annotated[
    OperatorName | None, typer.Option("--operator", help="The score of a pair; a map has its own.")
]
Layout = Annotated[Literal["table", "tsv", "json"], typer.Option("--format", help="How to print.")]

PIPE = "-"
"""What is piped in, in the place of a file."""


def chosen_vectors(vectors: Path | None, extra_vectors: Path | None = None) -> "Vectors":
    """The vectors of the file or the bundled ones, and those of words that they lack."""
    from entvec.bundled.news import google_news
    from entvec.runtime import dedicate_process
    from entvec.vectors import read

    dedicate_process()
    with bar("reading") as progress:
        table = google_news() if vectors is None else read(vectors, progress=progress)
        return table if extra_vectors is None else table.joined(read(extra_vectors))


@contextmanager
def asked_space(
    space: str | None,
    vectors: Path | None = None,
    map_file: Path | None = None,
    interpretation: str | None = None,
    operator: str | None = None,
    **settings: Any,
) -> "Iterator[EntailmentSpace]":
    """Yield the space of a folder or a database, or of these vectors and this map or interpretation.

    The default space is yielded if nothing is named. A database is asked where it is.
    """
    import entvec
    from entvec.runtime import dedicate_process
    from entvec.space import EntailmentSpace
    from entvec.stores.urls import is_url

    dedicate_process()
    given = {"--vectors": vectors, "--map": map_file, "--interpretation": interpretation, "--operator": operator}
    named = [name for name, value in given.items() if value is not None]
    if space is not None:
        if named:
            raise typer.BadParameter(
                f"a saved space has its own; leave {' and '.join(named)} out", param_hint="--space"
            )
        with EntailmentSpace.open(*url_and_name(space)) if is_url(space) else entvec.load(space) as opened:
            yield opened
        return
    if map_file is not None and (interpretation or operator):
        raise typer.BadParameter("a map has its own; leave --interpretation and --operator out", param_hint="--map")
    if not named and not settings:
        yield entvec.load()
        return
    if named and vectors is None and map_file is None:
        typer.echo("entvec: the default map is not used, since another way to read the vectors is named", err=True)
    made: dict[str, Any] = {"map": map_file, "interpretation": interpretation, "operator": operator}
    if not named:
        made["map"] = entvec.bundled.default_map()
    yield EntailmentSpace.from_vectors(chosen_vectors(vectors), **made, **settings)


def chosen_space(
    space: str | None = None,
    vectors: Path | None = None,
    map_file: Path | None = None,
    interpretation: str | None = None,
    operator: str | None = None,
    **settings: Any,
) -> "EntailmentSpace":
    """Return the same space with all words in memory, for commands that look at all of them."""
    with asked_space(space, vectors, map_file, interpretation, operator, **settings) as asked:
        return asked.in_memory()


def url_and_name(text: str) -> tuple[str, str]:
    """The URL of a database, and the name of a space in it after a #."""
    url, sign, name = text.rpartition("#")
    if not sign or "@" in name:  # that # is in a password, which no message may show
        return text, "entvec"
    return url, name


def spelled(space: "EntailmentSpace", word: str) -> str:
    """The word as the vocabulary has it: in its case, and with `_` in names of several words."""
    if not word.strip():
        raise typer.BadParameter("an empty word, expected one of the vocabulary")
    return space.spelled(word)


def opened(path: Path) -> Path:
    """The file that is meant: the standard input has a name of its own."""
    return Path("/dev/stdin") if str(path) == PIPE and not path.exists() else path
