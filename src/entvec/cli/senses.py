"""`entvec senses`: what a word can mean."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.trouble import note
from entvec.errors import InvalidInput, shown

if TYPE_CHECKING:
    from entvec.evidence.senses import DescribedSense
    from entvec.space import EntailmentSpace

NEAREST = 2
"""How many concepts above a sense a table shows."""


@takes_options
def senses(
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="Words, answered in turn.")],
    context: Annotated[
        str | None, typer.Option(help="A sentence, or words around it, that tell which sense is meant.")
    ] = None,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Layout = "table",
) -> None:
    """What a word can mean: its senses, the most probable first, with what each is a kind of.

    The name of a sense, such as `bank#2` for a noun or `bank#v1` for a verb, can stand for the word in other commands;
    so can `bank:institution`, the sense that is an institution, and "to bank", all senses of the verb. Weights are
    shares in tagged text or, with `--context`, how probable each sense is beside these words.

    Examples:

    * `entvec senses bank`
    * `entvec senses bank --context "we sat on the grass by the river"`
    * `entvec senses crane:bird --format json`
    """
    with space.asked() as asked:
        found = {word: asked.senses(word, context=context) for word in words}
        new = [word for word, listed in found.items() if not listed]
        if len(new) == len(found):
            raise InvalidInput(_unknown(asked, new))
        known = {word: listed for word, listed in found.items() if listed}
        records = [{"word": word, "senses": [each.to_dict() for each in listed]} for word, listed in known.items()]
        show(layout, lambda: records, _lines(known), partial(_draw, known))
        if new:
            note(f"entvec: skipped {len(new):,}: {_unknown(asked, new)}")


def _unknown(space: "EntailmentSpace", words: list[str]) -> str:
    """Return why words have no senses: they are adjectives and adverbs, or not known."""
    from entvec.knowledge.facts import no_hierarchy

    known = space.judge.evidence.meanings.known
    new = ", ".join(repr(word) for word in words if not known.is_flat(word))
    return "; ".join(filter(None, (no_hierarchy(known, *words), f"nothing is known of {new}" if new else None)))


def _lines(found: "dict[str, list[DescribedSense]]") -> Iterator[Sequence[object]]:
    yield "word", "sense", "weight", "synonyms", "above", "gloss"
    for word, listed in found.items():
        for each in listed:
            above = "; ".join(name for _, name, _ in each.above)
            yield word, each.sense, each.weight, "; ".join(each.synonyms), above, each.gloss


def _draw(found: "dict[str, list[DescribedSense]]", console: Console) -> None:
    for i, (word, listed) in enumerate(found.items()):
        console.print(("\n" if i else "") + shown(word))
        names = (
            Column("sense", no_wrap=True),
            "weight",
            Column("a kind of"),
            Column("meaning"),
            Column("also", style="dim"),
        )
        table = plain_table(*names)
        for each in listed:
            above = ", ".join(name for _, name, _ in each.above[:NEAREST])
            cells = (str(each.sense), f"{each.weight:.2f}", above, each.definition, ", ".join(each.synonyms))
            table.add_row(*map(shown, cells))
        console.print(table)
