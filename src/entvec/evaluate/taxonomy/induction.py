"""How much of a known tree is recovered from its words alone.

Every tree gives its words. An answer is measured by its edges, and by its ancestors: the
pairs that follow from the edges, against those that are true. The numbers are means over the trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from entvec.evaluate.taxonomy.measured import Floats, Row, ratio, row
from entvec.evaluate.taxonomy.trees import Matrix, Tree, closed, reduced
from entvec.space import EntailmentSpace
from entvec.taxonomy import Taxonomy, induce
from entvec.taxonomy.evidence import directions

STUDY = "induction"
SHORTEST = 3
"""The letters that a word must have to be found at the end of another."""

Method = Callable[[EntailmentSpace, Sequence[str]], Matrix]


def induced(shape: str) -> Method:
    """The edges of `entvec.taxonomy.induce`."""

    def edges(space: EntailmentSpace, words: Sequence[str]) -> Matrix:
        return matrix(induce(words, space, shape=shape), words)

    return edges


def nearest_frequent(space: EntailmentSpace, words: Sequence[str]) -> Matrix:
    """A baseline: each word hangs under the nearest of those that are more frequent, by cosine."""
    rows = space.vectors.rows(list(words))
    near = directions(space.vectors.take(rows).matrix.astype(np.float64))
    cosine = near @ near.T
    ranks = space.vectors.ranks[rows]
    cosine[ranks[None] >= ranks[:, None]] = -np.inf
    found = np.zeros(cosine.shape, dtype=bool)
    below = np.flatnonzero(np.isfinite(cosine).any(axis=1))
    found[below, cosine[below].argmax(axis=1)] = True
    return found


def contained(_space: EntailmentSpace, words: Sequence[str]) -> Matrix:
    """A baseline: a word hangs under those that it ends with, or that are one of its words."""
    found = np.zeros((len(words), len(words)), dtype=bool)
    for i, word in enumerate(words):
        for j, other in enumerate(words):
            ends = len(other) >= SHORTEST and word.endswith(other)
            found[i, j] = i != j and (ends or other in word.split("_"))
    return found


METHODS: dict[str, tuple[Method, bool]] = {
    "tree": (induced("tree"), False),
    "dag": (induced("dag"), False),
    "nearest more frequent word": (nearest_frequent, True),
    "string containment": (contained, True),
}
"""How trees are recovered, and whether that is a baseline."""


def evaluate(space: EntailmentSpace, trees: Sequence[Tree]) -> list[Row]:
    """A row a method, and how many times the better baseline the tree is."""
    columns: dict[str, dict[str, Floats]] = {}
    for name, (method, _) in METHODS.items():
        measured = [compare(method(space, tree.words), tree) for tree in trees]
        columns[name] = {each: np.array([measures[each] for measures in measured]) for each in measured[0]}
    baselines = [columns[name] for name, (_, baseline) in METHODS.items() if baseline]
    times = {
        each: ratio(values, max((other[each] for other in baselines), key=np.mean))
        for each, values in columns["tree"].items()
        if each.endswith("f1")
    }
    rows = [row(STUDY, name, columns[name], baseline=baseline) for name, (_, baseline) in METHODS.items()]
    return [*rows, Row(STUDY, "tree / better baseline", len(trees), times)]


def compare(edges: Matrix, tree: Tree) -> dict[str, float]:
    """Precision, recall and F1 of the ancestors that follow from the edges, and of the edges themselves."""
    ancestors = closed(edges)
    pairs: dict[str, tuple[Matrix, Matrix]] = {
        "ancestor": (ancestors, tree.ancestors),
        "edge": (reduced(ancestors), tree.edges),
    }
    return {f"{what}_{name}": value for what, each in pairs.items() for name, value in _f1(*each).items()}


def _f1(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> dict[str, float]:
    both = int((found & true).sum())
    precision, recall = both / max(1, int(found.sum())), both / max(1, int(true.sum()))
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(1e-12, precision + recall)}


def matrix(taxonomy: Taxonomy, words: Sequence[str]) -> Matrix:
    """The edges of a taxonomy between some words."""
    place = {word: i for i, word in enumerate(words)}
    found = np.zeros((len(words), len(words)), dtype=bool)
    for edge in taxonomy.edges():
        found[place[edge.hypo], place[edge.hyper]] = True
    return found
