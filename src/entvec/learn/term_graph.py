"""What a Knowledge says of its terms, as arrays that a map is learned from and measured with.

A node is a term as an encoder reads it: with spaces, verbs with `to`; terms that differ in case alone are one node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Ints
from entvec.errors import InvalidInput
from entvec.knowledge import Knowledge
from entvec.knowledge.sense_names import PARTS_OF_SPEECH
from entvec.vectors import forms

TERM, NOUN, VERB = range(len(PARTS_OF_SPEECH))
FARTHEST = 4
"""The most steps up to a specific hypernym, as in `entvec evaluate discovery`."""
SPECIFIC = np.array([0, 4, 0])
"""The least depth of a specific hypernym, for terms of taxonomies, nouns and verbs."""
CONCEPTS_A_REPORT = 1 << 12


class Lists:
    """For each owner a list of numbers, with further columns beside it.

    >>> lists = Lists(3, np.array([2, 0, 2]), np.array([7, 8, 9]))
    >>> lists.of(np.array([2, 1]))
    [array([0, 0]), array([7, 9])]

    Parameters
    ----------
    n
        The number of owners.
    owners
        The owner of each entry.
    columns
        The entries, and what else there is to say of each.
    """

    def __init__(self, n: int, owners: Ints, *columns: NDArray[Any]) -> None:
        order = np.argsort(owners, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n))])
        self.columns = [column[order] for column in columns]

    def of(self, owners: Ints) -> list[NDArray[Any]]:
        """Return all entries of some owners: the place of its owner among these for each entry, then the columns."""
        sizes = self.starts[owners + 1] - self.starts[owners]
        place = np.repeat(np.arange(len(owners)), sizes)
        at = np.arange(len(place)) + (self.starts[owners] - np.cumsum(sizes) + sizes)[place]
        return [place, *(column[at] for column in self.columns)]

    def one(self, owners: Ints, rng: np.random.Generator) -> tuple[Ints, NDArray[np.bool_]]:
        """Return one entry of each owner by chance, and whether there is any."""
        sizes = self.starts[owners + 1] - self.starts[owners]
        at = self.starts[owners] + (rng.random(len(owners)) * sizes).astype(np.int64)
        there = sizes > 0
        found = np.zeros(len(owners), np.int64)
        found[there] = self.columns[0][at[there]]
        return found, there

    @property
    def has_any(self) -> NDArray[np.bool_]:
        """True for each owner that has an entry."""
        return np.diff(self.starts) > 0


def joined(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return the places (i, j) of all pairs with left[i] == right[j].

    >>> [place.tolist() for place in joined(np.array([5, 6]), np.array([6, 5, 6]))]
    [[0, 1, 1], [1, 0, 2]]
    """
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], left, side="left")
    sizes = np.searchsorted(right[order], left, side="right") - first
    i = np.repeat(np.arange(len(left)), sizes)
    j = np.arange(len(i)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    return i, order[j]


@dataclass(frozen=True, eq=False)
class TermGraph:
    """Nodes, their senses, and what is above each sense."""

    texts: tuple[str, ...]
    """Each node as an encoder reads it."""
    senses: Ints
    """Rows (node, concept, number of the sense, place of the name among those of the concept, 1 for the best known)."""
    kinds: Ints
    """Of each concept: TERM, NOUN or VERB."""
    low: Ints
    """With `high` and `steps`: all pairs of a concept and one above it."""
    high: Ints
    steps: Ints
    depth: Ints
    """Of each concept: the fewest steps to one that has nothing above it."""
    individuals: Ints
    """Concepts that are instances, such as Paris."""
    parents: Ints
    """Rows (concept, concept directly above it)."""
    parts: Ints
    """Rows (concept, concept that it is a part of)."""
    glosses: tuple[str, ...]

    @classmethod
    def of(cls, known: Knowledge, progress: Callable[[float], None] = lambda _: None) -> TermGraph:
        """Return what is known.

        >>> from entvec.graphs import Taxonomy
        >>> from entvec.knowledge.sources import gathered
        >>> shop = Taxonomy.from_edges([("hoodie", "garment"), ("rain jacket", "garment")])
        >>> TermGraph.of(gathered(None, [shop])).texts
        ('garment', 'hoodie', 'rain jacket')

        Parameters
        ----------
        known
            Terms, senses and is-a.
        progress
            Called with the fraction that is done.
        """
        rows, concepts = (ends.astype(np.int64) for ends in known.senses_of.pairs())
        terms = [term.replace("_", " ") for term in known.terms]
        names = [
            f"to {terms[row]}" if kind == VERB else terms[row]
            for row, kind in zip(rows.tolist(), known.kinds[concepts].tolist(), strict=True)
        ]
        spelled: dict[str, str] = {}
        for name in names:
            key = name.casefold()
            if key not in spelled or name == key:  # WordNet has Turkey and turkey: the common noun is the node
                spelled[key] = name
        place = {key: number for number, key in enumerate(spelled)}
        nodes = np.array([place[name.casefold()] for name in names], np.int64)
        low, high, steps, depth = _closure(known, progress)
        senses = np.stack([nodes, concepts, known.numbers.astype(np.int64), _places(known, rows, concepts)], axis=1)
        return cls(
            tuple(spelled.values()),
            np.unique(senses, axis=0),
            known.kinds.astype(np.int64),
            low,
            high,
            steps,
            depth,
            np.array(sorted(known.instance_of.sources), np.int64),
            np.stack(known.is_a.pairs(), axis=1).astype(np.int64),
            np.stack(known.part_of.pairs(), axis=1).astype(np.int64),
            tuple(known.glosses),
        )

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def n_concepts(self) -> int:
        """The number of concepts."""
        return len(self.kinds)

    @cached_property
    def first_senses(self) -> Ints:
        """The concept that each node means first; of a noun and a term of a taxonomy alike, the smaller number."""
        order = np.lexsort([self.senses[:, 1], self.senses[:, 2], self.senses[:, 0]])
        nodes, at = np.unique(self.senses[order, 0], return_index=True)
        found = np.zeros(len(self), np.int64)
        found[nodes] = self.senses[order[at], 1]
        return found

    @cached_property
    def hypernyms(self) -> Ints:
        """The nodes that have something below them, in any sense."""
        found: Ints = np.unique(self.senses[np.isin(self.senses[:, 1], self.high), 0])
        return found

    @cached_property
    def answers(self) -> Ints:
        """The nodes that may be answers: all that have something below them, and all terms of taxonomies."""
        return np.union1d(self.hypernyms, self.senses[self.kinds[self.senses[:, 1]] == TERM, 0])

    def specific(self, nodes: Ints, among: Ints) -> list[Ints]:
        """Return the specific hypernyms of nodes in first senses: at most four steps up, nouns at depth four or more.

        Parameters
        ----------
        nodes
            What is asked for.
        among
            The nodes that may be answers.
        """
        firsts = self.first_senses
        near = (self.steps <= FARTHEST) & (self.depth[self.high] >= SPECIFIC[self.kinds[self.high]])
        up = Lists(self.n_concepts, self.low[near], self.high[near])
        means = Lists(self.n_concepts, firsts[among], among)
        owner, above = up.of(firsts[nodes])
        at, answer = means.of(above)
        owner = owner[at]
        other = answer != nodes[owner]
        codes = np.unique(owner[other] * len(self) + answer[other])
        ends = np.searchsorted(codes, np.arange(1, len(nodes)) * len(self))
        return np.split(codes % len(self), ends)

    def held_with(self, nodes: Iterable[int]) -> Ints:
        """Return nodes with all that share a sense with them, in any spelling."""
        asked = np.zeros(len(self), bool)
        asked[list(nodes)] = True
        concepts = np.unique(self.senses[asked[self.senses[:, 0]], 1])
        asked[self.senses[np.isin(self.senses[:, 1], concepts), 0]] = True
        keys = {forms.key(self.texts[at]) for at in np.flatnonzero(asked).tolist()}
        found = [at for at, text in enumerate(self.texts) if forms.key(text) in keys]
        return np.array(found, np.int64)

    def nodes_of(self, words: Iterable[str]) -> Ints:
        """Return the nodes of words in any spelling, as nouns and as verbs; words that are not known have none."""
        keys = {forms.key(word.removeprefix("to ")) for word in words}
        found = [at for at, text in enumerate(self.texts) if forms.key(text.removeprefix("to ")) in keys]
        return np.array(found, np.int64)


def _places(known: Knowledge, rows: Ints, concepts: Ints) -> Ints:
    """Return the place of each sense's term among the names of its concept."""
    concept, term = (ends.astype(np.int64) for ends in known.members.pairs())
    place = np.arange(len(concept)) - np.searchsorted(concept, concept) + 1
    codes = concept * len(known.terms) + term
    order = np.argsort(codes)
    return np.asarray(place[order[np.searchsorted(codes, concepts * len(known.terms) + rows, sorter=order)]])


def _closure(known: Knowledge, progress: Callable[[float], None]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return all pairs of a concept and one above it with their steps, and the depth of each concept."""
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    depth = np.zeros(len(known), np.int64)
    roots = [not known.above(concept) for concept in range(len(known))]
    for concept in range(len(known)):
        if concept % CONCEPTS_A_REPORT == 0:
            progress(concept / len(known))
        above = known.ancestors([concept])
        depth[concept] = min((steps for at, steps in above.items() if roots[at]), default=0)
        pairs[concept] = [(at, steps) for at, steps in above.items() if steps]
    if not any(pairs.values()):
        raise InvalidInput("no term is known to be a kind of another, so there is nothing to learn")
    sizes = np.array([len(pairs[concept]) for concept in range(len(known))])
    flat = np.array([pair for concept in range(len(known)) for pair in pairs[concept]], np.int64)
    return np.repeat(np.arange(len(known)), sizes), flat[:, 0], flat[:, 1], depth
