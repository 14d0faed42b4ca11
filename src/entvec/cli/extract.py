"""`entvec extract`: is-a pairs out of your own text, counted, with example sentences."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from entvec.cli.bulk import Cluster, Processes, Restart, at_work, report
from entvec.cli.trouble import note

NAMED = 10
"""How many of the files that were skipped are named."""
LARGEST_LIST = 1 << 28


class Format(StrEnum):
    """The formats of `entvec.text.extraction.documents.FORMATS`."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    JSONL = "jsonl"
    PARQUET = "parquet"


def extract(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files and folders; `-` for standard input.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.")],
    terms: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Nouns and phrases of your own, one a line.")
    ] = None,
    patterns: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Patterns of your own: a name, a tab and a template a line.")
    ] = None,
    knowledge: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A taxonomy whose terms are known beside those of WordNet; may be repeated."),
    ] = None,
    format: Annotated[  # noqa: A002
        Format | None, typer.Option("--format", help="The format of all files; what their names say if none.")
    ] = None,
    column: Annotated[str, typer.Option(help="The field or column with the text, in JSON Lines and Parquet.")] = "text",
    processes: Processes = None,
    cluster: Cluster = None,
    restart: Restart = False,
) -> None:
    """Which is-a pairs does your text name, how often, and in which sentences?

    Reads plain text, Markdown, HTML, JSON Lines and Parquet with a column of text, packed or not (.gz .bz2 .xz .zst),
    and folders of them. Finds pairs by patterns such as *X such as Y*, *Y and other X*, *Y is a kind of X*, and by the
    definitions of dictionaries and glossaries. Writes a row for each narrower term, broader term and pattern: the
    number of sentences, the number of documents, and up to three of the sentences with their file and offset.

    Files that cannot be read are skipped and named. A run that was stopped goes on where it was.

    Examples:

    * `entvec extract manual.txt -o evidence.parquet`
    * `entvec extract papers/ handbook.md.gz -o evidence.parquet --terms products.txt`
    * `entvec extract tickets.jsonl -o evidence.parquet --column body --processes 4`
    * `xz -dc dump.txt.xz | entvec extract - -o evidence.parquet`
    """
    from entvec import bulk
    from entvec.bundled import bundled_knowledge
    from entvec.files import read_whole
    from entvec.knowledge.sources import gathered
    from entvec.text import read_patterns

    own = read_whole(terms, LARGEST_LIST).decode(errors="replace").splitlines() if terms else []
    known = gathered(bundled_knowledge(), knowledge) if knowledge else None
    with at_work(output, "rows") as progress:
        done = bulk.extract(
            "-" if files == ["-"] else files,
            output,
            knowledge=known,
            terms=own,
            patterns=read_patterns(patterns) if patterns else (),
            format=format.value if format else None,
            column=column,
            processes=processes,
            cluster=cluster,
            restart=restart,
            progress=progress,
        )
    report(done, output, "rows")
    if done.skipped:
        note(f"entvec: {len(done.skipped):,} {'file was' if len(done.skipped) == 1 else 'files were'} skipped:")
        for reason in done.skipped[:NAMED]:
            note(f"  {reason}")
        if len(done.skipped) > NAMED:
            note(f"  and {len(done.skipped) - NAMED:,} more")
