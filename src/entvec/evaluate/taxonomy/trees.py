"""Trees of nouns to recover: parts of WordNet's hierarchy among the words of the bundled vectors.

A tree is a word in one sense and all that entails it, by its first sense and in small letters. `TEST` trees were
named before anything was measured. On `TUNING` trees, which have no word of a test tree, constants were fitted. The map
of `entvec.bundled.held_out_map` was learned without the words of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import IsA, isa
from entvec.errors import InvalidInput

Matrix = NDArray[np.bool_]

TEST = (
    "animal 1", "instrument 6", "vehicle 1", "food 2", "beverage 1", "illness 1", "professional 1", "worker 1",
    "furniture 1", "clothing 1", "plant 2", "building 1", "weapon 1", "sport 1", "metal 1", "musician 1", "athlete 1",
    "emotion 1", "science 1", "crime 1", "organ 1", "leader 1", "relative 1", "room 1", "criminal 1", "drug 1",
    "machine 1", "symptom 1", "fabric 1", "institution 1",
)  # fmt: skip
TUNING = (
    "conception 1", "nutrient 1", "guardian 1", "assets 1", "covering 2", "criterion 1", "communicator 1", "chemical 1",
    "creation 2", "papers 1", "status 1", "acquiring 1", "surface 1", "intellectual 1", "bourgeois 1", "occupation 1",
    "commerce 1", "arts 1", "program 1", "alteration 1", "language 2", "advocate 1", "struggle 2", "outlay 2",
)  # fmt: skip
"""Drawn by lot from all roots of 20 to 150 words with some depth."""
ROOTS = {"test": TEST, "tuning": TUNING}


@dataclass(frozen=True, eq=False)
class Tree:
    """Words, the root first, and which of them are the ancestors of which."""

    words: tuple[str, ...]
    ancestors: Matrix
    """A row a hypo, a column a hyper."""

    @property
    def edges(self) -> Matrix:
        """The ancestors that no other ancestor implies."""
        return reduced(self.ancestors)


def trees(which: str = "test") -> tuple[Tree, ...]:
    """The trees to measure with, or those to tune on.

    >>> found = trees()
    >>> len(found), found[1].words[:5], int(found[1].edges.sum())
    (30, ('instrument', 'guitar', 'piano', 'bones', 'drum'), 28)
    """
    if which not in ROOTS:
        raise InvalidInput(f"no trees {which!r}, expected one of {', '.join(ROOTS)}")
    return _trees(which)


@cache
def _trees(which: str) -> tuple[Tree, ...]:
    without = frozenset(word for tree in _trees("test") for word in tree.words) if which == "tuning" else frozenset()
    roots = [name.split() for name in ROOTS[which]]
    return tuple(_tree(isa(), word, int(sense), without) for word, sense in roots)


def words_held_out() -> set[str]:
    """The words of all trees."""
    return {word for which in ROOTS for tree in trees(which) for word in tree.words}


def reduced(ancestors: Matrix) -> Matrix:
    """Without what follows: the transitive reduction of a relation that holds all that follows."""
    steps = ancestors.astype(np.float32)
    return np.asarray(ancestors & ~(steps @ steps > 0))


def closed(edges: Matrix) -> Matrix:
    """With all that follows: the transitive closure, without what leads back to itself."""
    found = edges.copy()
    while True:
        steps = found.astype(np.float32)
        more = found | (steps @ steps > 0)
        if (more == found).all():
            np.fill_diagonal(found, val=False)
            return found
        found = more


def _tree(table: IsA, root: str, sense: int, without: frozenset[str]) -> Tree:
    first = table.select("is-a", max_hypo_sense=1)
    top = table.words.index(root)
    below = np.unique(first.hypo[(first.hyper == top) & (first.hyper_sense == sense)]).tolist()
    kept = [i for i in below if i != top and table.words[i].islower() and table.words[i] not in without]
    numbers = [top, *kept]
    place = np.full(len(table.words), -1)
    place[numbers] = np.arange(len(numbers))
    hypo, hyper = place[first.hypo], place[first.hyper]
    meant = first.hyper_sense == np.where(hyper == 0, sense, 1)
    inside = (hypo > 0) & (hyper >= 0) & meant  # the root has nothing above it here
    ancestors = np.zeros((len(numbers), len(numbers)), dtype=bool)
    ancestors[hypo[inside], hyper[inside]] = True
    return Tree(tuple(table.words[i] for i in numbers), ancestors)
