"""`entvec export`: a space in a database, to be asked there."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from entvec.cli.options import DEFAULT_SPACE, SIDES, SpaceOptions, takes_options
from entvec.cli.progress import stages
from entvec.cli.trouble import INTERRUPTED, note
from entvec.errors import InvalidInput
from entvec.files import open_to_read

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace

BOOLEANS = {"true": True, "false": False}


@takes_options
def export(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL[#NAME]",
            help="postgresql://USER@HOST/DATABASE or milvus://HOST:PORT; postgresql:FOLDER or milvus:FILE.db need no "
            "server. Under another name than entvec if one is given.",
        ),
    ],
    space: SpaceOptions = DEFAULT_SPACE,
    keys: Annotated[
        Literal["both", "hypernyms", "hyponyms"] | None,
        typer.Option(help="What can be searched for there; all that the operator allows if none."),
    ] = None,
    index: Annotated[
        Literal["hnsw", "ivf", "flat"] | None,
        typer.Option(help="A graph, clusters, or none: every key is looked at. One that suits if none is named."),
    ] = None,
    recall: Annotated[
        float, typer.Option(help="The share of the ten best words that a search should find; more takes longer.")
    ] = 0.98,
    columns: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="A table (.tsv) with a word a line and further columns, to choose words by: --where."
        ),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove what is in the database under this name, and load nothing.")
    ] = False,
) -> None:
    """Load a space into a database: PostgreSQL with pgvector, or Milvus.

    `entvec hypernyms --space URL` then asks it there. What is in the database under the same name serves until all is
    loaded, also if this is stopped or killed; if it is the same, nothing is done. A password is taken from the
    environment (PGPASSWORD, ~/.pgpass; MILVUS_PASSWORD) or from the URL, and never shown.

    The first line of a table of columns has their titles, and each other line a word and its values: whole numbers,
    numbers, true and false, or texts. A word without a line has 0, false or an empty text.

    Examples:

    * `entvec export postgresql:words`
    * `entvec export postgresql://me@db.example.org/words#glove --space glove-space`
    * `entvec export milvus:words.db --vectors crawl-300d-2M.vec --keys hypernyms --columns frequencies.tsv`
    * `entvec export postgresql:words#old --remove`
    """
    from entvec.stores import check_place
    from entvec.stores.export import remove_space
    from entvec.stores.urls import shown_url, url_and_name, url_without_password

    there, name = url_and_name(url)
    check_place(there, name)  # before vectors are read, which may take long
    if remove:
        if space != DEFAULT_SPACE or any((keys, index, columns)):
            raise typer.BadParameter("nothing is loaded, so only the URL is needed", param_hint="--remove")
        remove_space(there, name)
        note(f"removed: {shown_url(url)}")
        return
    asked = space.in_memory()
    further = None if columns is None else _columns(columns, asked)
    sides = None if keys is None else SIDES[keys]
    try:
        with stages() as tell:
            done = asked.export(
                there, name=name, sides=sides, columns=further, index=index, recall=recall, progress=tell
            )
    except KeyboardInterrupt:
        note("entvec: stopped; what was there before, if anything, still serves")
        raise typer.Exit(INTERRUPTED) from None
    shown = shown_url(url)
    size = f", {done.size / 1e6:,.0f} MB" if done.size else ""
    if done.loaded:
        note(f"loaded: {shown} ({done.n_words:,} words in {done.seconds:,.1f} s{size})")
    else:
        note(f"nothing to do: {shown} has the same already ({done.n_words:,} words{size})")
    for side, measured in done.recall.items():
        note(f"a search there finds {measured:.1%} of the ten best {side}nyms")
    if done.lost:
        note(f"entvec: the version before had the columns {', '.join(done.lost)}; this one has not")
    verb = "hypernyms WORD" if "hyper" in done.recall else "hyponyms WORD" if done.recall else "score HYPO HYPER"
    note(f"next: entvec {verb} --space '{url_without_password(url)}'")


def _columns(path: Path, space: "EntailmentSpace") -> dict[str, list[Any]]:
    """The columns of a table, a value for each word of the space."""
    try:
        with open_to_read(path) as file:
            lines = file.read().decode().removesuffix("\n").split("\n")  # words may have other line breaks
    except UnicodeDecodeError:
        raise InvalidInput("it is not UTF-8", where=str(path)) from None
    except OSError as error:
        raise InvalidInput(error.strerror or str(error), where=str(path)) from None
    titles = lines[0].split("\t")
    if len(titles) < 2 or len(set(titles)) < len(titles):
        raise InvalidInput(f"{path}, line 1: expected titles, those of the words first, with tabs between")
    rows: dict[str, list[str]] = {}
    for number, line in enumerate(lines[1:], start=2):
        word, *cells = line.split("\t")
        if len(cells) != len(titles) - 1:
            raise InvalidInput(f"{path}, line {number:,}: expected {len(titles)} fields, found {len(cells) + 1}")
        if word in rows:
            raise InvalidInput(f"{path}, line {number:,}: expected each word once, found {word!r} again")
        rows[word] = cells
    found = [rows.pop(word, None) for word in space.vocabulary.words]
    if missing := found.count(None):
        note(f"entvec: {missing:,} of {len(found):,} words have no line in {path}")
    if rows:
        note(f"entvec: {len(rows):,} lines of {path} are of words without a vector")
    several = ([None if cells is None else cells[i] for cells in found] for i in range(len(titles) - 1))
    return dict(zip(titles[1:], map(_values, several), strict=True))


def _values(cells: list[str | None]) -> list[Any]:
    """What a column says, in the simplest kind that all of it has."""
    kinds: list[tuple[Any, Any]] = [(BOOLEANS.__getitem__, False), (int, 0), (float, 0.0)]
    for kind, nothing in kinds:
        try:
            return [nothing if cell is None else kind(cell) for cell in cells]
        except (KeyError, ValueError):
            continue
    return [cell or "" for cell in cells]
