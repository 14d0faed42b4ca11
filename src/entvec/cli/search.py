"""`entvec hypernyms` and `entvec hyponyms`: what a word entails, and what entails it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, spelled, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.trouble import note
from entvec.errors import WordNotFound, shown

if TYPE_CHECKING:
    from entvec.space import BatchMatches, EntailmentSpace

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


@takes_options
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


@takes_options
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
    records = [{"query": one.query, "matches": [match._asdict() for match in one]} for one in found]
    lines: list[Sequence[object]] = [("query", "word", "score", "probability", "variants")]
    lines += [(one.query, *match[:3], " ".join(match.variants)) for one in found for match in one]
    show(layout, lambda: records, lines, lambda console: _draw(console, found, relation))


def _draw(console: Console, found: "BatchMatches", relation: str) -> None:
    titles = ["score"] if found.probabilities is None else ["probability", "score"]
    for i, one in enumerate(found):
        console.print(("\n" if i else "") + f"{shown(str(one.query))} {relation}")
        also = [Column("also", style="dim")] if found.variants else []
        table = plain_table(Column("word", overflow="fold"), *titles, *also)
        for match in one:
            numbers = [f"{value:.2f}" for value in (match.probability, match.score) if value is not None]
            variants = [shown(" ".join(match.variants))] if found.variants else []
            table.add_row(shown(match.word), *numbers, *variants)
        console.print(table)
