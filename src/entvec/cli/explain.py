"""`entvec explain`: why one word entails another, or why not."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, spelled, takes_space
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.space.explain import Dimension, Explanation


@takes_space
def explain(
    hypo: Annotated[str, typer.Argument(metavar="HYPO", help="The word that may entail the other.")],
    hyper: Annotated[str, typer.Argument(metavar="HYPER", help="The word that may be entailed.")],
    k: Annotated[int, typer.Option("-k", min=0, help="How many dimensions to list on each side.")] = 5,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Layout = "table",
) -> None:
    """Why the first word entails the second, or why not: which dimensions of the space speak for it, which against.

    A dimension is a feature that may be known of a word, as having fur is known of a dog; nobody named them, so the
    words of which it is surest stand for a name. The first word entails the second if all that is known of the second
    is known of the first. A dimension speaks against it if its feature is known of the second word and not of the
    first. Its gain is what it adds to the score, compared with an average word in the place of the first.

    Examples:

    * `entvec explain dog animal`
    * `entvec explain animal dog -k 10`
    * `entvec explain dog animal --format json`
    """
    with space.asked() as asked:
        found = asked.explain(spelled(asked, hypo), spelled(asked, hyper), k)
    if layout == "json":
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    elif layout == "tsv":
        typer.echo("side\tdimension\tgain\thypo\thyper\twords")
        for side, rows in _sides(found).items():
            for row in rows:
                numbers = f"{row.number}\t{row.gain:.4f}\t{row.hypo:.4f}\t{row.hyper:.4f}"
                typer.echo(f"{side}\t{numbers}\t{' '.join(row.words)}")
    else:
        _print(found)


def _sides(found: "Explanation") -> "dict[str, tuple[Dimension, ...]]":
    return {"for": found.carrying, "against": found.breaking}


def _print(found: "Explanation") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    probability = "" if found.probability is None else f", probability {found.probability:.2f}"
    hypo, hyper = shown(str(found.hypo)), shown(str(found.hyper))
    console.print(f"Does {hypo} entail {hyper}? Score {found.score:.2f}{probability}.")
    console.print(f"An average word in the place of {hypo} has {found.average:.2f}; the difference is made by these:")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("gain", justify="right", no_wrap=True)
    for title in (f"known of\n{hypo}", f"and of\n{hyper}"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("feature, by the words of which it is surest")
    for rows, style in ((found.carrying, "green"), (found.breaking, "red")):
        for row in rows:
            cells = (f"{row.gain:+.2f}", _percent(row.hypo), _percent(row.hyper), shown(", ".join(row.words)))
            table.add_row(*cells, style=style)
    table.add_row(f"{found.rest:+.2f}", "", "", "all other dimensions", style="dim")
    if found.offset:
        table.add_row(f"{found.offset:+.2f}", "", "", "what the map adds for the hypo itself", style="dim")
    console.print(table)


def _percent(log_odds: float) -> str:
    import numpy as np

    from entvec.theory.elementwise import known

    return f"{known(np.float64(log_odds)):.0%}"
