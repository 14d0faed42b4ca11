"""`entvec explain`: why one word entails another, or why not."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.misspelled import note_misspelled
from entvec.cli.options import DEFAULT_ASKING, AskingOptions, Layout, spelled, takes_options
from entvec.cli.printing import plain_table, show
from entvec.errors import shown
from entvec.theory.elementwise import known

if TYPE_CHECKING:
    from entvec.space.explain import Explanation

BAR = 24
STYLES = {"for": "green", "against": "red", "neither": "dim"}


@takes_options
def explain(
    hypo: Annotated[str, typer.Argument(metavar="HYPO", help="The word that may entail the other.")],
    hyper: Annotated[str, typer.Argument(metavar="HYPER", help="The word that may be entailed.")],
    k: Annotated[int, typer.Option("-k", min=0, help="How many dimensions to list on each side.")] = 5,
    dimensions: Annotated[
        bool,
        typer.Option("--dimensions", help="Also list the dimensions of the vectors that decide; JSON always does."),
    ] = False,
    space: AskingOptions = DEFAULT_ASKING,
    layout: Layout = "table",
) -> None:
    """Why the first word entails the second, or why not: what is known, what similar words are, what the vectors say.

    What each of them adds is listed in log-odds; their sum is the evidence by which `entvec hypernyms` ranks. The
    probability weighs all evidence, as that of `entvec relation` does.

    A dimension of the vectors is a feature that may be known of a word, as having fur is known of a dog. Dimensions
    have no names: each is shown by the words that most probably have its feature. The first word entails the second
    if all that is known of the second is known of the first. A dimension speaks against it if its feature is known of
    the second word and not of the first. Its gain is what it adds to the score, compared with an average word in the
    place of the first. A space that is not calibrated, or knows nothing besides its vectors, has only dimensions to
    show.

    Examples:

    * `entvec explain dog animal`
    * `entvec explain tomato fruit --dimensions -k 10`
    * `entvec explain dog animal --format json`
    """
    with space.asked() as asked:
        names = spelled(asked, [hypo, hyper], missing="nan")
        y, x = (name or word for name, word in zip(names, (hypo, hyper), strict=True))
        found = asked.explain(y, x, k if dimensions or layout == "json" else 0)
        if found.reasoning is None and not dimensions:
            dimensions, found = True, asked.explain(y, x, k)
        lines = _lines(found) if dimensions else _parts(found)
        show(layout, found.to_dict, lines, partial(_draw_dimensions if found.reasoning is None else _draw, found))
        note_misspelled(asked, [hypo, hyper])


def _parts(found: "Explanation") -> Iterator[tuple[object, ...]]:
    yield "source", "log_odds"
    if found.reasoning is not None:
        yield from found.reasoning.parts


def _lines(found: "Explanation") -> Iterator[tuple[object, ...]]:
    yield "side", "dimension", "gain", "hypo", "hyper", "words"
    for side, rows in (("for", found.carrying), ("against", found.breaking)):
        for row in rows:
            yield side, row.number, row.gain, row.hypo, row.hyper, " ".join(row.words)


def _draw(found: "Explanation", console: Console) -> None:
    reasoning: Any = found.reasoning
    console.print(shown(reasoning.headline))
    for reason in reasoning.reasons:
        console.print(f"  {reason.side:<8} {shown(reason.text)}", style=STYLES[reason.side], soft_wrap=True)
    if reasoning.parts:
        table = plain_table(Column("evidence"), Column("", no_wrap=True), "log-odds")
        for part, bar in zip(reasoning.parts, _waterfall([part.log_odds for part in reasoning.parts]), strict=True):
            side = "for" if part.log_odds > 0 else "against" if part.log_odds < 0 else "neither"
            table.add_row(part.source, bar, f"{part.log_odds:+.2f}", style=STYLES[side])
        table.add_row("in all", "", f"{reasoning.evidence:+.2f}", style="bold")
        console.print(table)
    if found.carrying or found.breaking:
        _draw_dimensions(found, console)


def _waterfall(steps: list[float]) -> list[str]:
    """Return a bar for each step of a sum, from where the sum was to where it is.

    >>> [bar.rstrip() for bar in _waterfall([-2.0, 1.0, 0.0])]
    ['████████████████████████', '████████████', '']
    """
    sums = list(accumulate(steps, initial=0.0))
    least, most = min(sums), max(sums)
    places = [round((each - least) / (most - least or 1.0) * BAR) for each in sums]
    bars = [" " * min(pair) + "█" * abs(pair[0] - pair[1]) for pair in pairwise(places)]
    return [bar.ljust(BAR) if step else "" for bar, step in zip(bars, steps, strict=True)]


def _draw_dimensions(found: "Explanation", console: Console) -> None:
    probability = "" if found.probability is None else f", probability {found.probability:.2f}"
    hypo, hyper = shown(str(found.hypo)), shown(str(found.hyper))
    if found.reasoning is None:
        console.print(f"Does {hypo} entail {hyper}? Score {found.score:.2f}{probability}.")
    else:
        console.print(f"By the vectors alone, the score is {found.score:.2f}.")
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
