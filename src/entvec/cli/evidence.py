"""`entvec evidence`: what is in files that `entvec extract` wrote, their best pairs, and several files as one."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import Layout, opened
from entvec.cli.printing import plain_table, show
from entvec.cli.trouble import note
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.text import TextEvidence

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="What is in files that `entvec extract` wrote, their best pairs, and several files as one.",
)
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", readable=False, help="Files of `entvec extract`.")]
OFTEN = (1, 2, 3, 10)
"""Of how many pairs are there so many sentences, or more?"""
COLUMNS = ("hypo", "hyper", "sentences", "documents", "patterns", "example", "file", "offset")


@app.command()
def info(files: Files, layout: Layout = "table") -> None:
    """What is in files of evidence: how many pairs, of how many terms, by which patterns, and how often.

    Examples:

    * `entvec evidence info evidence.parquet`
    * `entvec evidence info a.parquet b.parquet --format json`
    """
    facts = _facts(_opened(files))
    patterns = facts["patterns"]
    lines: list[tuple[object, ...]] = [("pattern", "rows", "sentences")]
    lines += [(name, row["rows"], row["sentences"]) for name, row in patterns.items()]
    show(layout, lambda: facts, lines, lambda console: _draw_info(console, facts))


def _opened(files: list[Path]) -> "TextEvidence":
    from entvec.text import TextEvidence

    return TextEvidence.of(*(opened(file) for file in files))


def _facts(text: "TextEvidence") -> dict[str, Any]:
    import numpy as np

    pairs, at = np.unique(np.stack([text.hypo, text.hyper], axis=1), axis=0, return_inverse=True)
    counts = np.bincount(at.ravel(), text.count, minlength=len(pairs)).astype(int)
    rows, sentences = Counter(text.pattern.tolist()), Counter[int]()
    for pattern, count in zip(text.pattern.tolist(), text.count.tolist(), strict=True):
        sentences[pattern] += count
    return {
        "rows": len(text),
        "pairs": len(pairs),
        "terms": len(text.terms),
        "sentences": int(text.count.sum()),
        "pairs_by_sentences": {f"{least} or more": int((counts >= least).sum()) for least in OFTEN},
        "patterns": {
            text.patterns[pattern]: {"rows": rows[pattern], "sentences": n} for pattern, n in sentences.most_common()
        },
    }


def _draw_info(console: Console, facts: dict[str, Any]) -> None:
    console.print(f"{facts['pairs']:,} pairs of {facts['terms']:,} terms, named {facts['sentences']:,} times")
    often = (f"{n:,} {least} times" for least, n in list(facts["pairs_by_sentences"].items())[1:])
    console.print(f"of the pairs {', '.join(often)}")
    table = plain_table(Column("pattern", no_wrap=True), "rows", "sentences")
    for name, row in facts["patterns"].items():
        table.add_row(shown(name), f"{row['rows']:,}", f"{row['sentences']:,}")
    console.print(table)


@app.command()
def top(
    files: Files,
    k: Annotated[int, typer.Option("-k", min=0, help="How many pairs to list.")] = 20,
    word: Annotated[
        list[str] | None, typer.Option(metavar="TERM", help="Only pairs with this term; may be repeated.")
    ] = None,
    layout: Layout = "table",
) -> None:
    """The pairs that most documents name, each with its shortest example.

    Documents count first, then sentences. `--word` finds a term in any case.

    Examples:

    * `entvec evidence top evidence.parquet`
    * `entvec evidence top evidence.parquet --word instrument -k 50 --format tsv`
    """
    found = _best(_opened(files), k, {each.strip().casefold().replace("_", " ") for each in word or ()})
    lines: list[tuple[object, ...]] = [COLUMNS]
    lines += [tuple(", ".join(v) if isinstance(v := row[name], list) else v for name in COLUMNS) for row in found]
    show(layout, lambda: found, lines, lambda console: _draw_top(console, found))


def _best(text: "TextEvidence", k: int, words: set[str]) -> list[dict[str, Any]]:
    import numpy as np

    from entvec.text import Example

    chosen = np.arange(len(text))
    if words:
        wanted = np.array([term.casefold() in words for term in text.terms], dtype=bool)
        chosen = np.flatnonzero(wanted[text.hypo] | wanted[text.hyper])
    pairs, at = np.unique(np.stack([text.hypo[chosen], text.hyper[chosen]], axis=1), axis=0, return_inverse=True)
    at = at.ravel()
    count, documents = (np.bincount(at, each[chosen], minlength=len(pairs)) for each in (text.count, text.documents))
    found = []
    for pair in np.lexsort((-count, -documents))[:k].tolist():
        rows = chosen[at == pair].tolist()
        examples = (each for row in rows for each in text.examples(row))
        example = min(examples, key=lambda each: len(each.sentence), default=Example("", "", 0))
        hypo, hyper = (text.terms[term] for term in pairs[pair].tolist())
        patterns = [text.patterns[text.pattern[row]] for row in rows]
        values = (hypo, hyper, int(count[pair]), int(documents[pair]), patterns)
        found.append(dict(zip(COLUMNS, (*values, *example), strict=True)))
    return found


def _draw_top(console: Console, found: list[dict[str, Any]]) -> None:
    if not found:
        console.print("no such pairs")
        return
    example = Column("example", style="dim", overflow="fold")
    table = plain_table(Column("narrower"), Column("broader"), "sentences", "documents", example)
    for row in found:
        numbers = (f"{row['sentences']:,}", f"{row['documents']:,}")
        table.add_row(shown(row["hypo"]), shown(row["hyper"]), *numbers, shown(row["example"]))
    console.print(table)


@app.command()
def merge(
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", readable=False, help="The Parquet file to write.")
    ],
) -> None:
    """Add the counts of several files, of different texts, and write them as one.

    A text that two of the files have read counts twice. The output is written completely or not at all.

    Examples:

    * `entvec evidence merge manuals.parquet tickets.parquet -o evidence.parquet`
    """
    from entvec.bulk.evidence_files import merge_evidence

    rows = merge_evidence(files, output)
    note(f"written: {output} ({rows:,} rows)")
    note(f"next: entvec hypernyms WORD --evidence {output}")
