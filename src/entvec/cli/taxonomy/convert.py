"""`entvec taxonomy convert`: a taxonomy from one file format to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entvec.cli.taxonomy.reading import read_taxonomy
from entvec.taxonomy.formats import FORMATS, FormatName, ReadableName

if TYPE_CHECKING:
    from entvec.taxonomy.taxonomy import Taxonomy


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", readable=False, help="The file to read; - is what is piped in.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", readable=False, help="The file to write; - is the standard output.")
    ],
    read_as: Annotated[
        ReadableName | None, typer.Option("--from", help="Format to read, if neither name nor content tell it.")
    ] = None,
    to: Annotated[FormatName | None, typer.Option(help="Format to write, if OUT does not tell it.")] = None,
) -> None:
    """Read a taxonomy in one format and write it in another.

    The names tell the formats: .tsv, .csv (edges), .outline (an indented list), .ttl (SKOS), .obo, .graphml, .json
    (node-link), and, for OUT alone, .mmd (Mermaid) and .dot (Graphviz); .gz .bz2 .xz or .zst after it compresses. What
    OUT has no place for is left out, and said. OUT is written whole or not at all.

    Examples:

    * `entvec taxonomy convert wine.ttl wine.obo`
    * `entvec taxonomy convert edges.tsv - --to mermaid`
    * `zcat go.obo.gz | entvec taxonomy convert - go.json`
    """
    from entvec.files import check_writable
    from entvec.taxonomy.writing import check_format, to_text

    piped = str(target) == "-"
    if piped and to is None:
        raise typer.BadParameter(
            f"the standard output has no name; choose one of {', '.join(FORMATS)}", param_hint="--to"
        )
    if not piped:
        check_writable(target)
    name = check_format(target, to)
    taxonomy = read_taxonomy(source, read_as)
    if piped:
        typer.echo(to_text(taxonomy, name), nl=False)
        tell_left_out(taxonomy, name)
    else:
        write_taxonomy(taxonomy, target, name)


def write_taxonomy(taxonomy: "Taxonomy", path: Path, name: FormatName) -> None:
    """Write a file, and say what is in it and what is not."""
    from entvec.taxonomy.writing import write

    write(taxonomy, path, format=name)
    typer.echo(f"written: {path} ({len(taxonomy):,} terms, {len(taxonomy.hypo):,} edges)", err=True)
    tell_left_out(taxonomy, name)


def tell_left_out(taxonomy: "Taxonomy", name: FormatName) -> None:
    """Say what a format has no place for."""
    from entvec.taxonomy.writing import left_out

    for what, n in left_out(taxonomy, name).items():
        typer.echo(f"{name} cannot hold {n:,} {what}: left out", err=True)
