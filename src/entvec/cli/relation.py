"""`entvec relation`: what one word is to another, how surely, and why; for one pair, or for many."""

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.misspelled import note_misspelled
from entvec.cli.options import DEFAULT_ASKING, AskingOptions, Defined, takes_options
from entvec.cli.pairs import (
    DEFAULT_PAIRS,
    PRECISION,
    PairArguments,
    PairLayout,
    PairOptions,
    answer_stdin,
    answer_table,
)
from entvec.cli.printing import cell, plain_table, show
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.evidence.judge import Judge
    from entvec.evidence.relations import Relation

BYTES_AT_ONCE = 1 << 13
"""The size of blocks of lines: a few hundred pairs, which take less than a second."""
BAR = 24
EIGHTHS = " ▏▎▍▌▋▊▉"
UNKNOWN_AS = {"lacking": "that is neither known nor has a vector", "fields": "relations"}


@takes_options
def relation(
    words: PairArguments,
    space: AskingOptions = DEFAULT_ASKING,
    layout: PairLayout = None,
    definition: Defined = None,
    precision: Annotated[
        float, typer.Option(min=0.5, max=1, help="The least probability of a relation that is answered.")
    ] = PRECISION,
    base_rate: Annotated[
        list[str] | None,
        typer.Option(
            "--base-rate",
            metavar="RELATION=SHARE",
            help="The share of a relation among all pairs that you ask about; may be repeated.",
        ),
    ] = None,
    options: PairOptions = DEFAULT_PAIRS,
) -> None:
    """What is the first word to the second: narrower, broader, same, sibling, part, whole, something other, unknown?

    A poodle is narrower than a dog, a cat is a sibling of it, and a wheel is a part of a car. For two known words what
    is known decides, with what the vectors say; for a new word its vector, and what is known of words that are used
    like it. The answer is unknown if no relation has the probability that `--precision` asks for.

    Probabilities assume that narrower and broader are 15% each of all pairs that you ask about, same and sibling 10%,
    part and whole 5%, and other 40%. If yours are different, say so with `--base-rate`.

    With `-`, each line of the standard input has two words, a tab between, and is written with its relation, the
    probability of it, those of all seven relations, situation, what siblings share, and the reason. With `-o`, a table
    gets these columns: Parquet, or a .csv or .tsv whose first line names its columns. A word that is neither known nor
    has a vector leaves them empty. Both take lines and tables as `entvec score` does. A pair takes about a
    millisecond for each process; a table that was stopped goes on where it was.

    Examples:

    * `entvec relation poodle dog`
    * `entvec relation cat dog --precision 0.9 --format json`
    * `entvec relation hoodie garment --knowledge shop.tsv --base-rate narrower=0.5`
    * `entvec relation sofrito sauce --definition "onion and garlic, fried in olive oil"`
    * `entvec relation - < pairs.tsv > related.tsv`
    * `entvec relation pairs.parquet -o related.parquet --processes 4`
    """
    from entvec.space.relating import parsed_rates

    asking: dict[str, Any] = {"precision": precision, "base_rates": parsed_rates(base_rate) if base_rate else None}
    kind = options.kind(words, layout, "related.parquet", definition)
    if kind == "table":
        from entvec import bulk

        answer_table(partial(bulk.relate_table, space.in_memory(), **asking), words, options, **UNKNOWN_AS)
    elif kind == "lines":
        _relate_lines(space.in_memory().judge, asking, options)
    else:
        if not all(word.strip() for word in words):
            raise typer.BadParameter("an empty word, expected two words")
        with space.asked() as asked:
            _show(
                asked.judge,
                asked.relation(*words, definition=definition, **asking),
                asking["base_rates"],
                layout or "table",
            )
            note_misspelled(asked, words if definition is None else words[1:])


def _show(judge: "Judge", found: "Relation", base_rates: dict[str, float] | None, layout: str) -> None:
    from entvec.space.relating import assumed_rates

    row, rates = found.to_dict(), assumed_rates(judge, base_rates)
    show(layout, lambda: row | {"base_rates": rates}, [row, row.values()], partial(_draw, found, rates))


def _draw(found: "Relation", rates: dict[str, float], console: Console) -> None:
    console.print(shown(found.sentence))
    if not math.isnan(found.probability):
        table = plain_table(Column("relation"), Column("", no_wrap=True), "probability")
        for name, share in found.probabilities.items():
            table.add_row(name, _bar(share), f"{share:.2f}", style="bold" if name == found.relation else None)
        console.print(table)
    rows = {"situation": found.situation, "reason": found.reason, "shared": found.shared}
    rows["assumed"] = ", ".join(f"{name} {rate:.0%}" for name, rate in rates.items()) + " of the pairs asked"
    for title, text in rows.items():
        if text is not None:
            typer.echo(f"{title:<12} {shown(text)}")


def _bar(share: float) -> str:
    """Return a bar as long as a probability is large.

    >>> _bar(0.5), _bar(0.03), _bar(0.001)
    ('████████████', '▊', '')
    """
    whole, eighths = divmod(round(share * BAR * 8), 8)
    return ("█" * whole + EIGHTHS[eighths]).rstrip()


def _relate_lines(judge: "Judge", asking: dict[str, Any], options: PairOptions) -> None:
    from entvec.evidence.relations import COLUMNS
    from entvec.pairs.lines import answer_lines
    from entvec.space.relating import answers_to

    def answer(first: list[str], second: list[str]) -> tuple[list[list[str] | None], list[str]]:
        found, there, missing = answers_to(judge, first, second, **asking)
        rows = zip((each.to_dict() for each in found), there.tolist(), strict=True)
        return [[cell(row[name]) for name in COLUMNS] if whole else None for row, whole in rows], missing

    answer_stdin(partial(answer_lines, answer, COLUMNS), BYTES_AT_ONCE, options, **UNKNOWN_AS)
