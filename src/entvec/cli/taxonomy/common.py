"""`entvec taxonomy common` and `entvec taxonomy group`: what words have in common, and which of them have something."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated
from warnings import catch_warnings, simplefilter

import typer
from rich.console import Console
from rich.table import Column, Table

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import Words, WordsFile, chosen_words
from entvec.cli.trouble import note
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.taxonomy.common_names import Group

NAMED = 5
"""The number of words of which nothing is known that are named."""
LISTED = 8
"""The number of words that are named before a table of their names."""


@takes_options
def common(
    words: Words = None,
    file: WordsFile = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many names to list.")] = 10,
    share: Annotated[
        float,
        typer.Option(min=0.01, max=1.0, help="Which part of the words must entail a name; the others are strays."),
    ] = 1.0,
    group: Annotated[
        bool, typer.Option("--group/--no-group", help="Whether forms of a word, fruit and fruits, are listed as one.")
    ] = True,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Layout = "table",
) -> None:
    """What words have in common: the least general concepts that all of them entail, the best first.

    That is what a list of the words is called. The probability is the mean over the words. Words of which nothing is
    known are named on stderr with the reason, and stand under `unplaced` in json.

    Examples:

    * `entvec taxonomy common apple banana cherry`
    * `entvec taxonomy common violin piano drum stone --share 0.75 -k 3`
    * `entvec taxonomy common --file column.txt --format tsv`
    * `cut -f 3 table.tsv | entvec taxonomy common`
    """
    from entvec.taxonomy.common_names import common as name
    from entvec.taxonomy.evidence import UnknownWords

    asked = chosen_words(words, file)
    chosen = space.in_memory()
    with catch_warnings():
        simplefilter("ignore", UnknownWords)  # said below, with reasons
        found = name(asked, chosen, k, share=share, group=group)
    lines: list[Sequence[object]] = [("name", "probability", "entailed_by", "words")]
    lines += [(one.word, one.probability, one.entailed_by, len(found.words)) for one in found.names]

    def draw(console: Console) -> None:
        console.print(f"{_listed(found.words)} {'entails' if len(found.words) == 1 else 'entail'}")
        console.print(_table(found))

    show(layout, found.to_dict, lines, draw)
    _tell(found.unplaced)


@takes_options
def group(
    words: Words = None,
    file: WordsFile = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="How many groups to make; the root of the number of words if none.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many names of each group to list.")] = 3,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Layout = "table",
) -> None:
    """Words in groups, each with names of what its words have in common; the largest group first.

    No word is lost: those of which nothing is known are in a last group without names, with the reason.

    Examples:

    * `entvec taxonomy group dog cat horse car truck bus -n 2`
    * `entvec taxonomy group --file tags.txt -n 20 --format tsv > tags.tsv`
    """
    from entvec.taxonomy.common_names import abstractions
    from entvec.taxonomy.evidence import UnknownWords

    asked = chosen_words(words, file)
    chosen = space.in_memory()
    with bar("grouping"), catch_warnings():
        simplefilter("ignore", UnknownWords)  # said below, with reasons
        made = n or max(1, round(len({*asked}) ** 0.5))
        found = abstractions(asked, chosen, made, k=k)
    named = [one for one in found if one.names]

    def draw(console: Console) -> None:
        for i, one in enumerate(named):
            console.print(("\n" if i else "") + shown(", ".join(one.words)))
            console.print(_table(one))

    show(layout, lambda: [one.to_dict() for one in found], _group_lines(found), draw)
    for one in found:
        _tell(one.unplaced)
    if len(named) < made:
        note(f"entvec: the words make no more than {len(named):,} of the {made:,} groups")


def _tell(unplaced: "Mapping[str, str]") -> None:
    """Name the words of which nothing is known."""
    for word, why in list(unplaced.items())[:NAMED]:
        note(f"unplaced: {word}: {why}")
    if len(unplaced) > NAMED:
        note(f"unplaced: {len(unplaced) - NAMED:,} more words; --format json lists all of them")


def _group_lines(groups: "Sequence[Group]") -> Iterator[tuple[object, ...]]:
    yield "word", "group", "names", "why_unplaced"
    for i, group in enumerate(groups, start=1):
        names = " ".join(name.word for name in group.names)
        yield from ((word, i if names else None, names, group.unplaced.get(word)) for word in group.words)


def _listed(words: tuple[str, ...]) -> str:
    if len(words) == 1:
        return shown(words[0])
    if len(words) > LISTED:
        return f"{shown(', '.join(words[: LISTED - 1]))} and {len(words) - LISTED + 1:,} more"
    return shown(f"{', '.join(words[:-1])} and {words[-1]}")


def _table(found: "Group") -> Table:
    calibrated = any(name.probability is not None for name in found.names)
    table = plain_table(Column("name", overflow="fold"), *(["probability", "entailed by"] if calibrated else []))
    for name in found.names:
        cells = [f"{name.probability:.2f}", f"{name.entailed_by} of {len(found.words)}"] if calibrated else []
        table.add_row(shown(name.word), *cells)
    return table
