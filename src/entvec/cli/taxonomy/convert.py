"""`entvec taxonomy convert`: a taxonomy from one file format to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entvec.cli.taxonomy.command_input import Columns, ReadAs, choice, read_taxonomy
from entvec.cli.trouble import note
from entvec.graphs.formats import FORMATS

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy

FORMAT_LIST = "Formats: " + "; ".join(
    f"`{' '.join(row.suffixes)}` {row.title}{'' if row.read else ' (only written)'}" for row in FORMATS.values()
)

WITH_URIS = ("skos", "owl")
"""The formats whose terms are URIs."""


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", readable=False, help="The file to read; - is what is piped in.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", readable=False, help="The file to write; - is the standard output.")
    ],
    read_as: ReadAs = None,
    columns: Columns = None,
    to: Annotated[
        str | None, choice(names=lambda: FORMATS, help="The format to write, if the name of OUT does not show it.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="URI", help="For skos and owl: how the URIs of terms begin that are only words."),
    ] = None,
) -> None:
    """Read a taxonomy in one format and write it in another.

    The suffixes of the names decide the formats, which are listed below; .gz .bz2 .xz or .zst after it compresses. A
    message says what OUT cannot represent. OUT is written completely or not at all.

    Examples:

    * `entvec taxonomy convert wine.ttl wine.obo`
    * `entvec taxonomy convert edges.tsv - --to mermaid`
    * `entvec taxonomy convert shop.csv shop.ttl --base https://example.org/shop/`
    * `zcat go.obo.gz | entvec taxonomy convert - go.json`
    """
    from entvec.files import check_writable
    from entvec.graphs.identifiers import with_uris
    from entvec.graphs.taxonomy_files import check_format, format_of_origin

    output = None if str(target) == "-" else target
    if output is not None:
        check_writable(output)
    elif to is None:
        raise typer.BadParameter(
            f"the standard output has no name; choose one of {', '.join(FORMATS)}", param_hint="--to"
        )
    name = check_format(target, to)
    if base is not None and name not in WITH_URIS:
        raise typer.BadParameter(f"{name} has no URIs, expected {' or '.join(WITH_URIS)}", param_hint="--base")
    taxonomy = read_taxonomy(source, read_as, columns)
    if to is None:
        name = format_of_origin(taxonomy, target) or name
    write_taxonomy(taxonomy if base is None else with_uris(taxonomy, base), output, name)


def write_taxonomy(taxonomy: "Taxonomy", path: Path | None, name: str) -> None:
    """Write a file, or to stdout without a path, and report what the format cannot represent."""
    from entvec.graphs import left_out, write
    from entvec.graphs.taxonomy_files import to_text

    if path is None:
        typer.echo(to_text(taxonomy, name), nl=False)
    else:
        write(taxonomy, path, format=name)
        note(f"written: {path} ({len(taxonomy):,} terms, {len(taxonomy.hypo):,} edges)")
    for what, n in left_out(taxonomy, name).items():
        note(f"{name} cannot hold {n:,} {what}: left out")
