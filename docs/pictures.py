"""Draws the pictures of the gallery: `python docs/pictures.py FOLDER`."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import entvec
from entvec.bundled import everyday_pairs, toy_world
from entvec.evidence import RELATIONS
from entvec.theory import backward, binary

PAIRS = [("poodle", "dog"), ("car", "automobile"), ("cat", "dog"), ("wheel", "car"), ("stone", "idea")]
WORDS = ["poodle", "dog", "cat", "animal", "espresso", "coffee", "beverage", "sneakers", "shoe", "clothing"]
INK = "#0b6b66"


def relations() -> Figure:
    """Return bars of the seven relations for some pairs."""
    found = entvec.load().relation(*map(list, zip(*PAIRS, strict=True)))
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    for axes, (first, second), one in zip(figure.subplots(1, len(PAIRS), sharey=True), PAIRS, found, strict=True):
        axes.barh(RELATIONS, [one.probabilities[name] for name in RELATIONS], color=INK)
        axes.set(title=f"{first}, {second}", xlim=(0, 1), xticks=(0, 1))
    axes.invert_yaxis()
    return figure


def matrix() -> Figure:
    """Return the probability that each of some words is a kind of each other one."""
    space = entvec.load()
    values = np.array([space.probability(word, WORDS) for word in WORDS])
    figure = Figure(figsize=(5.2, 4.6), layout="constrained")
    shown = _cells(figure.subplots(), values, WORDS)
    figure.colorbar(shown, label="probability that the row is a kind of the column")
    return figure


def everyday() -> Figure:
    """Return how often the likeliest relation is right, by its probability."""
    pairs = everyday_pairs("development")
    found = list(entvec.load().relation([pair.first for pair in pairs], [pair.second for pair in pairs]))
    sure = np.array([max(one.probabilities.values()) for one in found])
    right = np.array([pair.accepts(one.likeliest) for pair, one in zip(pairs, found, strict=True)])
    groups = [group for group in np.array_split(np.argsort(sure), 6) if len(group)]
    figure = Figure(figsize=(4, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linestyle="dotted")
    axes.plot([sure[group].mean() for group in groups], [right[group].mean() for group in groups], "o-", color=INK)
    axes.set(xlabel="probability of the likeliest relation", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1.03))
    return figure


def toys() -> Figure:
    """Return what is true in the toy world beside what an operator says."""
    world = toy_world()
    vectors = world.log_odds()
    figure = Figure(figsize=(7.4, 3.4), layout="constrained")
    true, scored = figure.subplots(1, 2)
    _cells(true, binary.entails(world.bits[:, None], world.bits).astype(float), list(world.words))
    _cells(scored, np.exp(backward(vectors[:, None], vectors)), list(world.words))
    true.set_title("the row entails the column")
    scored.set_title("its probability by `backward`")
    return figure


def _cells(axes: Axes, values: np.ndarray, names: list[str]) -> object:
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    return axes.imshow(values, cmap="GnBu", vmin=0, vmax=1)


PICTURES: dict[str, Callable[[], Figure]] = {
    "relations": relations,
    "matrix": matrix,
    "everyday": everyday,
    "toys": toys,
}


def draw(folder: Path) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        picture().savefig(folder / f"{name}.png", dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
