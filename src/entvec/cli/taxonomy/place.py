"""`entvec taxonomy place`: where a term belongs, by what is known of it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, Defined, Layout, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.taxonomy.command_input import Columns, ReaderOption, read_taxonomy, space_of
from entvec.cli.taxonomy.review import place_file
from entvec.errors import shown
from entvec.files import check_writable

if TYPE_CHECKING:
    from entvec.space import Matches
    from entvec.taxonomy.placing import Placement

SAID = {
    "own": "it has a vector",
    "composed_of": "its name is composed of",
    "entails": "it entails",
    "entailed_by": "it is entailed by",
    "like": "it is like",
    "not_entails": "it does not entail",
}
"""The words that introduce the facts of each relation."""


@takes_options
def place(
    term: Annotated[
        str, typer.Argument(metavar="TERM", help="What to place; it needs no vector. With -o: a file of terms.")
    ],
    entails: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="What it is a kind of; may be said more than once.")
    ] = None,
    entailed_by: Annotated[list[str] | None, typer.Option(metavar="WORD", help="What is a kind of it.")] = None,
    like: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="What has a parent in common with it, as cat and dog have.")
    ] = None,
    not_entails: Annotated[list[str] | None, typer.Option(metavar="WORD", help="What it is no kind of.")] = None,
    own: Annotated[bool, typer.Option("--own/--no-own", help="Whether its own vector, if it has one, counts.")] = True,
    definition: Defined = None,
    taxonomy: Annotated[
        Path | None,
        typer.Option(readable=False, help="A file of a taxonomy: only its terms are parents and children."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Place all terms of a file, and write a review: .csv, .tsv or .sssom.tsv."),
    ] = None,
    columns: Columns = None,
    k: Annotated[
        int | None, typer.Option("-k", min=0, help="How many parents and children to list; 10, or 3 in a review.")
    ] = None,
    vector: Annotated[bool, typer.Option("--vector", help="With json: the inferred vector too.")] = False,
    space: AskingOptions = DEFAULT_ASKING,
    reader: ReaderOption = "small",
    layout: Layout = "table",
) -> None:
    """Where a term belongs: the words that are best as its parents, and as its children.

    A vector is inferred from what is known of the term, even if it is new to the vocabulary. Its own vector, if it has
    one, is one more fact, unless `--no-own` says that it misleads. A name of several words that has none of its own is
    composed of theirs; an encoder reads any other name, and a `--definition` with it, by default that of the taxonomy.
    With `--taxonomy`, the facts must not contradict it. The order is that of `entvec hypernyms` and
    `hyponyms`: general words lose for being entailed by everything, so the most probable need not be the first.

    With `-o`, TERM is a file of terms, a list or a table with definitions, and all of them are placed: a row for each
    of the three best parents, for a term that is the same, for children that it belongs above, and for none of these.
    `entvec taxonomy apply` reads the rows back.

    Examples:

    * `entvec taxonomy place theremin --like violin --like piano`
    * `entvec taxonomy place apple --entails company --not-entails fruit --no-own`
    * `entvec taxonomy place sofrito --definition "a sauce of onion and garlic in olive oil"`
    * `entvec taxonomy place "bass guitar" --taxonomy instruments.ttl -k 3 --format tsv`
    * `entvec taxonomy place new.csv --taxonomy shop.ttl -o review.csv`
    """
    from entvec.taxonomy.placing import place as placed

    if output is not None:
        said: dict[str, object] = {
            "--entails": entails,
            "--entailed-by": entailed_by,
            "--like": like,
            "--not-entails": not_entails,
        }
        said |= {"--definition": definition, "--no-own": not own, "--vector": vector}
        if others := [name for name, value in said.items() if value]:
            raise typer.BadParameter(f"not with -o, which places a file: {', '.join(others)}", param_hint="-o")
        if taxonomy is None or k == 0:
            raise typer.BadParameter("expected a --taxonomy to place them in, and -k of 1 or more", param_hint="-o")
        check_writable(output)
        place_file(Path(term), taxonomy, output, space_of(space, reader), k=k or 3, columns=columns)
        return

    if space.evidence:
        raise typer.BadParameter(
            "a single term is placed by its vector; texts count where a file of terms is placed, with -o",
            param_hint="--evidence",
        )
    if vector and layout != "json":
        raise typer.BadParameter("a vector is only printed with --format json", param_hint="--vector")
    among = None if taxonomy is None else read_taxonomy(taxonomy, columns=columns)
    found = placed(
        term,
        space_of(space, reader),
        entails=entails or [],
        entailed_by=entailed_by or [],
        like=like or [],
        not_entails=not_entails or [],
        own=own,
        definition=definition,
        taxonomy=among,
        k=10 if k is None else k,
    )
    show(layout, partial(_record, found, vector=vector), _lines(found), partial(_draw, found))


def _record(found: "Placement", *, vector: bool) -> dict[str, Any]:
    told = found.to_dict()
    for side in ("parents", "children"):
        matches: Matches = getattr(found, side)
        told[side] = [{"word": m.word, "score": m.score, "probability": m.probability} for m in matches]
    return told if vector else {name: value for name, value in told.items() if name != "vector"}


def _lines(found: "Placement") -> Iterator[tuple[object, ...]]:
    yield "term", "relation", "word", "probability", "score"
    for relation, matches in (("parent", found.parents), ("child", found.children)):
        for match in matches:
            yield found.term, relation, match.word, match.probability, match.score


def _draw(found: "Placement", console: Console) -> None:
    term = shown(found.term)
    console.print(f"What is known of {term}:")
    for sentence in _facts(found):
        console.print(f"  {sentence}")
    for relation, matches in (("entails", found.parents), ("is entailed by", found.children)):
        console.print(f"\n{term} {relation}")
        console.print(_table(matches) if len(matches) else "  nothing that was found")


def _facts(found: "Placement") -> list[str]:
    said: dict[str, list[str]] = {}
    for word, relation, weight in found.facts:
        words = said.setdefault(relation, [])
        if relation != "own":
            words.append(shown(word) if weight == 1 else f"{shown(word)} (counts {weight:g})")
    if found.not_entails:
        said["not_entails"] = [shown(word) for word in found.not_entails]
    return [f"{SAID[relation]} {', '.join(words)}".rstrip() for relation, words in said.items()]


def _table(matches: "Matches") -> Table:
    table = plain_table(Column("word", overflow="fold"), *([] if matches.probabilities is None else ["probability"]))
    for match in matches:
        probability = [] if match.probability is None else [f"{match.probability:.2f}"]
        table.add_row(shown(match.word), *probability)
    return table
