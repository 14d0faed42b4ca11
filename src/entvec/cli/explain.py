"""`entvec explain`: why one word entails another, or why not."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, spelled, takes_options
from entvec.cli.printing import plain_table, show
from entvec.errors import shown
from entvec.theory.elementwise import known

if TYPE_CHECKING:
    from entvec.space.explain import Explanation


@takes_options
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
    show(layout, found.to_dict, _lines(found), partial(_draw, found))


def _lines(found: "Explanation") -> Iterator[tuple[object, ...]]:
    yield "side", "dimension", "gain", "hypo", "hyper", "words"
    for side, rows in (("for", found.carrying), ("against", found.breaking)):
        for row in rows:
            yield side, row.number, row.gain, row.hypo, row.hyper, " ".join(row.words)


def _draw(found: "Explanation", console: Console) -> None:
    probability = "" if found.probability is None else f", probability {found.probability:.2f}"
    hypo, hyper = shown(str(found.hypo)), shown(str(found.hyper))
    console.print(f"Does {hypo} entail {hyper}? Score {found.score:.2f}{probability}.")
    console.print(f"An average word in the place of {hypo} has {found.average:.2f}; the difference is made by these:")
    titles = ("gain", f"known of\n{hypo}", f"and of\n{hyper}")
    numbers = (Column(title, justify="right", no_wrap=True) for title in titles)
    table = plain_table(*numbers, Column("feature, by the words of which it is surest"))
    for rows, style in ((found.carrying, "green"), (found.breaking, "red")):
        for row in rows:
            cells = (f"{row.gain:+.2f}", _percent(row.hypo), _percent(row.hyper), shown(", ".join(row.words)))
            table.add_row(*cells, style=style)
    table.add_row(f"{found.rest:+.2f}", "", "", "all other dimensions", style="dim")
    if found.offset:
        table.add_row(f"{found.offset:+.2f}", "", "", "what the map adds for the hypo itself", style="dim")
    console.print(table)


def _percent(log_odds: float) -> str:
    return f"{known(np.float64(log_odds)):.0%}"
