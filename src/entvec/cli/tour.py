"""`entvec tour`: five commands on real words, one after the other."""

import shlex
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from entvec.cli.trouble import note
from entvec.errors import CannotWrite

CATALOGUE = """\
clothing
  jacket
    rain jacket
  footwear
    sandals
    sneakers
      shoe
food
  bread
  baguette
kitchen appliance
  blender
  cookbook
furniture
  chair
"""
"""A catalogue with three mistakes: shoes below sneakers, the baguette beside bread, a cookbook as an appliance."""
NEW = "hoodie\ncroissant\nsofa\nSneaker\n"
"""Terms that the catalogue lacks; one of them it has under another name."""
FILES = {"catalogue.txt": CATALOGUE, "new.txt": NEW}
REVIEW = "review.csv"
"""The file that a command of the tour writes."""


@dataclass(frozen=True)
class Stop:
    """Commands that answer one question."""

    question: str
    commands: tuple[str, ...]


STOPS = (
    Stop("Ask: what kind of thing is a hoodie? Nearest answers first.", ("hypernyms hoodie -k 3",)),
    Stop("Relate: what is a wheel to a car?", ("relation wheel car",)),
    Stop(
        "Build: a tree of a list of words.",
        ('taxonomy build clothing footwear sneakers sandals "rain jacket" jacket food bread croissant',),
    ),
    Stop(
        "Place: where do new products belong in a catalogue? catalogue.txt is a list with indentation.",
        (
            f"taxonomy place new.txt --taxonomy catalogue.txt -o {REVIEW}",
            f"taxonomy apply {REVIEW} --taxonomy catalogue.txt --accept-above 0.7",
        ),
    ),
    Stop(
        "Audit: the catalogue has shoes below sneakers, a baguette beside bread, a cookbook as an appliance.",
        ("taxonomy audit catalogue.txt",),
    ),
)


def tour(
    ctx: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Keep the files of the tour here; a temporary folder if none."
        ),
    ] = None,
) -> None:
    """Ask, relate, place, build and audit: the main commands on real words, in a few seconds.

    Each command is printed before its answer, and can be typed as it stands. Those of a catalogue read and write small
    files; `-o DIR` keeps them to go on with. Files of these names that are there are never overwritten.

    Examples:

    * `entvec tour`
    * `entvec tour -o tour && cd tour`
    """
    root = ctx.find_root().command
    begun = time.perf_counter()
    with _folder(output) as folder, chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        for number, stop in enumerate(STOPS, 1):
            typer.secho(f"{number}. {stop.question}", bold=True)
            for command in stop.commands:
                typer.secho(f"$ entvec {command}", dim=True)
                code = root.main(shlex.split(command), prog_name="entvec", standalone_mode=False)
                if code:
                    raise typer.Exit(code)
            typer.echo()
    typer.echo("Next: the same with your own words; `entvec --help` lists all commands.")
    if output is not None:
        note(f"written: {', '.join(str(output / name) for name in (*FILES, REVIEW))}")
    note(f"entvec: the tour took {time.perf_counter() - begun:.1f} s")


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """Yield the folder of the files: a new or an existing one that has none of these names, or a temporary one."""
    if output is None:
        with TemporaryDirectory(prefix="entvec-tour-") as made:
            yield Path(made)
        return
    there = [name for name in (*FILES, REVIEW) if (output / name).exists()]
    if there:
        raise CannotWrite(output, f"{', '.join(there)} there already; choose another folder")
    output.mkdir(parents=True, exist_ok=True)
    yield output
