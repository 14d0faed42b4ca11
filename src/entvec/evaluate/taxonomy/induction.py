"""How much of a known tree is recovered from its words alone.

A recovered tree is measured by its edges, and by its ancestors: the pairs that follow from the edges. The numbers are
means over the trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Mask
from entvec.evaluate.metrics import ratio_interval
from entvec.evaluate.taxonomy.knowing import NEW, STRICT, hidden_words, knowing
from entvec.evaluate.taxonomy.results import StudyResult, columns
from entvec.evaluate.taxonomy.wordnet_trees import Tree, transitive_closure, transitive_reduction
from entvec.space import EntailmentSpace
from entvec.taxonomy import Taxonomy, induce
from entvec.taxonomy.evidence import directions

STUDY = "induction"
SHORTEST = 3
"""The least number of letters of a word that counts as the end of another."""

Method = Callable[[EntailmentSpace, Sequence[str]], Mask]


def induced(shape: str) -> Method:
    """Return a method: the edges of `entvec.taxonomy.induce`."""

    def edges(space: EntailmentSpace, words: Sequence[str]) -> Mask:
        return matrix(induce(words, space, shape=shape), words)

    return edges


def nearest_frequent(space: EntailmentSpace, words: Sequence[str]) -> Mask:
    """Return the edges of a baseline: from each word to the nearest, by cosine, of the more frequent words."""
    rows = space.vocabulary.rows(list(words))
    near = directions(space.vocabulary.take(rows).matrix.astype(np.float64))
    cosine = near @ near.T
    ranks = space.vectors.ranks[rows]
    cosine[ranks[None] >= ranks[:, None]] = -np.inf
    found = np.zeros(cosine.shape, dtype=bool)
    below = np.flatnonzero(np.isfinite(cosine).any(axis=1))
    found[below, cosine[below].argmax(axis=1)] = True
    return found


def contained(_space: EntailmentSpace, words: Sequence[str]) -> Mask:
    """Return the edges of a baseline: from each word to those that it ends with or that are one of its words."""
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
"""Ways to recover a tree, and whether each is a baseline."""


def evaluate(space: EntailmentSpace, trees: Sequence[Tree]) -> list[StudyResult]:
    """Return a row for each method and, if the space knows nothing, for the tree in each world that knows something.

    The last row is the ratio of the tree to the better baseline.
    """
    values = {
        name: columns([compare(method(space, tree.words), tree) for tree in trees])
        for name, (method, _) in METHODS.items()
    }
    baselines = [values[name] for name, (_, baseline) in METHODS.items() if baseline]
    ratios = {
        measure: ratio_interval(numbers, max((other[measure] for other in baselines), key=np.mean))
        for measure, numbers in values["tree"].items()
        if measure.endswith("f1")
    }
    rows = [StudyResult.of_means(STUDY, name, values[name], baseline=METHODS[name][1]) for name in METHODS]
    for world in (NEW, STRICT) if space.knowledge is None else ():
        cases = [_in_world(space, tree, world) for tree in trees]
        rows.append(StudyResult.of_means(STUDY, f"tree, {world}", columns(cases)))
    return [*rows, StudyResult(STUDY, "tree / better baseline", len(trees), ratios)]


def _in_world(space: EntailmentSpace, tree: Tree, world: str) -> dict[str, float]:
    return compare(induced("tree")(knowing(space, hidden_words(tree, world)), tree.words), tree)


def compare(edges: Mask, tree: Tree) -> dict[str, float]:
    """Return precision, recall and F1 of the ancestors that follow from the edges, and of the edges themselves."""
    ancestors = transitive_closure(edges)
    pairs: dict[str, tuple[Mask, Mask]] = {
        "ancestor": (ancestors, tree.ancestors),
        "edge": (transitive_reduction(ancestors), tree.edges),
    }
    return {f"{what}_{name}": value for what, each in pairs.items() for name, value in _f1(*each).items()}


def _f1(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> dict[str, float]:
    both = int((found & true).sum())
    precision, recall = both / max(1, int(found.sum())), both / max(1, int(true.sum()))
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(1e-12, precision + recall)}


def matrix(taxonomy: Taxonomy, words: Sequence[str]) -> Mask:
    """Return the edges of a taxonomy between some words."""
    at = {word: i for i, word in enumerate(words)}
    found = np.zeros((len(words), len(words)), dtype=bool)
    for edge in taxonomy.edges():
        found[at[edge.hypo], at[edge.hyper]] = True
    return found
