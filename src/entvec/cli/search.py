"""`entvec hypernyms` and `entvec hyponyms`: what a word entails, and what entails it."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, spelled, takes_space
from entvec.cli.trouble import note
from entvec.errors import WordNotFound, shown

if TYPE_CHECKING:
    from entvec.space import BatchMatches, EntailmentSpace, Match, Matches

Words = Annotated[
    list[str], typer.Argument(metavar="WORD...", help="Words; several are answered in turn, unknown ones are told.")
]
HowMany = Annotated[int, typer.Option("-k", min=0, help="How many words to list.")]
Specificity = Annotated[
    float | None, typer.Option(help="How much general words lose; 0: the surest first. That of the space if none.")
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a space in a database: a condition on words and their columns: rank < 1000 and kind = 'noun'.",
    ),
]
Group = Annotated[bool, typer.Option("--group", help="List forms of a word, dog and dogs, as one.")]


@takes_space
def hypernyms(
    words: Words,
    k: HowMany = 10,
    group: Group = False,
    specificity: Specificity = None,
    space: SpaceOptions = DEFAULT_SPACE,
    where: Where = None,
    layout: Layout = "table",
) -> None:
    """What a word entails: the words of the vocabulary that are best as its hypernyms, best first.

    A dog is an animal, so animal is a hypernym of dog. Higher scores are surer; the probability is that of an
    entailment where half of the pairs in question are some. The order is that of scores less what general words lose,
    so the surest need not be the first. Very general words entail nothing in particular: they are
    entailed by everything, and `--specificity` says how much they lose for it.

    A name of several words is one argument: `"ice cream"` finds `ice_cream`.

    Examples:

    * `entvec hypernyms dog`
    * `entvec hypernyms guitar piano "ice cream" -k 5 --group`
    * `entvec hypernyms dog --vectors glove.6B.300d.txt --format tsv`
    * `entvec hypernyms dog --space postgresql:words --where "rank < 1000"`
    """
    with space.asked() as asked, answering(asked, words) as names:
        found = asked.hypernyms(names, k, specificity=specificity, group=group, where=where)
        _print(found, layout, "entails")


@takes_space
def hyponyms(
    words: Words,
    k: HowMany = 10,
    group: Group = False,
    specificity: Specificity = None,
    space: SpaceOptions = DEFAULT_SPACE,
    where: Where = None,
    layout: Layout = "table",
) -> None:
    """What entails a word: the words of the vocabulary that are best as its hyponyms, best first.

    A poodle is a dog, so poodle is a hyponym of dog. Here `--specificity` says how much words lose that entail
    anything.

    Examples:

    * `entvec hyponyms dog`
    * `entvec hyponyms instrument vehicle -k 20 --group`
    * `entvec hyponyms dog --space glove-space --format json`
    """
    with space.asked() as asked, answering(asked, words) as names:
        found = asked.hyponyms(names, k, specificity=specificity, group=group, where=where)
        _print(found, layout, "is entailed by")


@contextmanager
def answering(space: "EntailmentSpace", words: Sequence[str]) -> Iterator[list[str]]:
    """The words that have a vector, to be answered; the others are told, and then the exit code is 1."""
    found, missing = [], []
    for word in words:
        try:
            found.append(spelled(space, word))
        except WordNotFound as error:
            missing.append(error)
    if missing and not found:
        raise missing[0]
    yield found
    for each in missing:
        note(f"entvec: {each}")
    if missing:
        raise typer.Exit(1)


def _print(found: "BatchMatches", layout: str, relation: str) -> None:
    if layout == "json":
        told = [{"query": one.query, "matches": [_record(match) for match in one]} for one in found]
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    elif layout == "tsv":
        typer.echo("\n".join(_lines(found)))
    else:
        _print_tables(found, relation)


def _record(match: "Match") -> dict[str, Any]:
    return match._asdict() | {"variants": list(match.variants)}


def _lines(found: "Sequence[Matches]") -> list[str]:
    lines = ["query\tword\tscore\tprobability\tvariants"]
    for one in found:
        for match in one:
            probability = "" if match.probability is None else f"{match.probability:.4f}"
            lines.append(f"{one.query}\t{match.word}\t{match.score:.4f}\t{probability}\t{' '.join(match.variants)}")
    return lines


def _print_tables(found: "BatchMatches", relation: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    for i, one in enumerate(found):
        console.print(("\n" if i else "") + f"{shown(str(one.query))} {relation}")
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("word", overflow="fold")
        if found.probabilities is not None:
            table.add_column("probability", justify="right")
        table.add_column("score", justify="right")
        if found.variants:
            table.add_column("also", style="dim")
        for match in one:
            cells = [shown(match.word)]
            if match.probability is not None:
                cells.append(f"{match.probability:.2f}")
            cells.append(f"{match.score:.2f}")
            if found.variants:
                cells.append(shown(" ".join(match.variants)))
            table.add_row(*cells)
        console.print(table)
