"""`entvec demo`: the toy world, scored by every operator."""

from itertools import product
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from entvec.bundled import ToyWorld, toy_world
from entvec.theory import OPERATORS

TELLING = {
    ("dog", "animal"),
    ("poodle", "animal"),
    ("cat", "unk"),
    ("animal", "dog"),
    ("animal", "poodle"),
    ("unk", "cat"),
    ("cat", "dog"),
    ("stone", "animal"),
}


def demo(
    strength: Annotated[
        float, typer.Option(min=0.01, max=100.0, help="Log-odds of a known feature; an unknown one has minus that.")
    ] = 4.0,
    all_pairs: Annotated[bool, typer.Option("--all", help="Show all 30 pairs, not only the telling ones.")] = False,
) -> None:
    """Score a toy world of six things with every operator.

    Entailment there is plain to see: y entails x if all features known in x are known in y. The table shows how
    each operator scores pairs that are entailments and pairs that are not. The last line counts, over all pairs,
    how often an entailment scores higher than a non-entailment (ties count half).

    Examples:

    * `entvec demo`
    * `entvec demo --all --strength 1.5`
    """
    world = toy_world()
    console = Console(highlight=False)
    console.print("What is known of each thing:\n")
    console.print(_world_table(world))
    console.print("\nDoes the first entail the second? Higher is more probable; ✓ marks what is true.")
    console.print(_score_table(world, strength, all_pairs=all_pairs))


def _world_table(world: ToyWorld) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for feature in world.features:
        table.add_column(feature, justify="center")
    for word, bits in zip(world.words, world.bits, strict=True):
        table.add_row(word, *("[bold]●[/bold]" if known else "[dim]·[/dim]" for known in bits))
    return table


def _score_table(world: ToyWorld, strength: float, *, all_pairs: bool) -> Table:
    pairs = world.pairs()
    true = np.array([world.entails(*pair) for pair in pairs])
    y, x = (np.array([world.log_odds(word, strength=strength) for word in side]) for side in zip(*pairs, strict=True))
    scores = {name: operator.score(y, x) for name, operator in OPERATORS.items()}
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_footer=True)
    table.add_column("", footer="\n  ranked right", no_wrap=True)
    for name, values in scores.items():
        table.add_column(name.replace("_", "_\n"), justify="right", footer=f"\n{_ranked_right(values, true):.0%}")
    for i, pair in enumerate(pairs):
        if all_pairs or pair in TELLING:
            style = "green" if true[i] else "dim"
            mark = "✓" if true[i] else " "
            cells = (f"{values[i].round(2) + 0.0:.2f}" for values in scores.values())
            table.add_row(f"{mark} {pair[0]} → {pair[1]}", *cells, style=style)
    return table


def _ranked_right(scores: np.ndarray, true: np.ndarray) -> float:
    """How often a true pair scores higher than a false one; equal scores count half."""
    wins = [np.sign(high - low) / 2 + 0.5 for high, low in product(scores[true].round(9), scores[~true].round(9))]
    return float(np.mean(wins))
