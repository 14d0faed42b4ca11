"""Trees of nouns to recover: parts of WordNet's hierarchy among the words of the bundled vectors.

A tree is a word in one sense and all lower-case nouns whose first sense is below it. `TEST` trees were chosen before
anything was measured. Constants were fitted on `TUNING` trees, which have no word of a test tree. The map of
`entvec.bundled.held_out_map` was learned without the words of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from entvec.array_types import Mask
from entvec.bundled import IsA, isa
from entvec.errors import InvalidInput
from entvec.graphs.structure import Links

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
"""Drawn at random from all roots of 20 to 150 words with some depth."""
ROOTS = {"test": TEST, "tuning": TUNING}


@dataclass(frozen=True, eq=False)
class Tree:
    """Words, the root first, and which words are the ancestors of which."""

    words: tuple[str, ...]
    ancestors: Mask
    """True where the word of the column is an ancestor of the word of the row."""

    @property
    def edges(self) -> Mask:
        """Return the ancestors that no other ancestor implies."""
        return transitive_reduction(self.ancestors)


def trees(which: str = "test") -> tuple[Tree, ...]:
    """Return the trees to measure on ("test"), or those to fit constants on ("tuning").

    >>> found = trees()
    >>> len(found), found[1].words[:5], int(found[1].edges.sum())
    (30, ('instrument', 'guitar', 'piano', 'bones', 'drum'), 28)
    """
    if which not in ROOTS:
        raise InvalidInput(f"no trees {which!r}, expected one of {', '.join(ROOTS)}")
    return _trees(which)


@cache
def _trees(which: str) -> tuple[Tree, ...]:
    without = words_of(_trees("test")) if which == "tuning" else set()
    roots = [name.split() for name in ROOTS[which]]
    return tuple(_tree(isa(), word, int(sense), without) for word, sense in roots)


def words_of(trees: Iterable[Tree]) -> set[str]:
    """Return the words of some trees."""
    return {word for tree in trees for word in tree.words}


def words_held_out() -> set[str]:
    """Return the words of all trees."""
    return words_of(tree for which in ROOTS for tree in trees(which))


def transitive_reduction(ancestors: Mask) -> Mask:
    """Return the transitive reduction of a relation that is its own transitive closure."""
    steps = ancestors.astype(np.float32)
    return np.asarray(ancestors & ~(steps @ steps > 0))


def transitive_closure(edges: Mask) -> Mask:
    """Return the transitive closure of a relation, without self loops."""
    up = Links(len(edges), *np.nonzero(edges))
    found = np.zeros(edges.shape, dtype=bool)
    for node, above in enumerate(found):
        above[list(up.reached(node))] = True
    np.fill_diagonal(found, val=False)
    return np.asarray(found)


def _tree(table: IsA, root: str, sense: int, without: set[str]) -> Tree:
    first = table.select("is-a", max_hypo_sense=1)
    top = table.words.index(root)
    below = np.unique(first.hypo[(first.hyper == top) & (first.hyper_sense == sense)]).tolist()
    kept = [i for i in below if i != top and table.words[i].islower() and table.words[i] not in without]
    numbers = [top, *kept]
    position = np.full(len(table.words), -1)
    position[numbers] = np.arange(len(numbers))
    hypo, hyper = position[first.hypo], position[first.hyper]
    meant = first.hyper_sense == np.where(hyper == 0, sense, 1)
    inside = (hypo > 0) & (hyper >= 0) & meant  # the root has nothing above it here
    ancestors = np.zeros((len(numbers), len(numbers)), dtype=bool)
    ancestors[hypo[inside], hyper[inside]] = True
    return Tree(tuple(table.words[i] for i in numbers), ancestors)
