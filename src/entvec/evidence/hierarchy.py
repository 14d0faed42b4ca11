"""The hierarchy of concepts as arrays, so that all that lies above or below many words is found at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats, Ints
from entvec.bundled import BUNDLED_SOURCES
from entvec.evidence.meanings import LEAST_WEIGHT, Meanings
from entvec.graphs.structure import Links
from entvec.knowledge.knowledge import JUDGED
from entvec.knowledge.people_rules import all_spellings
from entvec.knowledge.sense_names import PARTS_OF_SPEECH
from entvec.vectors.words import spans


class Reached(NamedTuple):
    """Concepts that can be reached from others: columns of the same length."""

    owner: Ints
    """The position of the concept at which the way begins."""
    concept: Ints
    steps: Ints
    stated: NDArray[np.bool_]
    """True if a source of the user states a step of a shortest way."""

    def where(self, chosen: NDArray[np.bool_]) -> Reached:
        """Return the rows that a mask chooses."""
        columns: Any = (column[chosen] for column in self)
        return Reached(*columns)


class Hierarchy:
    """The senses of all terms and the concepts above and below them, as arrays.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> hierarchy = Hierarchy(Meanings(known))
    >>> dog = known.senses("dog")[0].concept
    >>> found = hierarchy.above(np.array([dog]))
    >>> sorted((steps, known.name(concept)) for concept, steps in zip(found.concept, found.steps))[:3]
    [(np.int64(0), 'dog'), (np.int64(1), 'canine'), (np.int64(1), 'domestic_animal')]

    Parameters
    ----------
    meanings
        What is known; hidden terms have no senses here.
    """

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings
        known = self.known = meanings.known
        counts = np.asarray(known.senses_of.counts, np.int64)
        self.sense_term: Ints = np.repeat(np.arange(len(counts)), counts)
        self.sense_concept: Ints = np.asarray(known.senses_of.targets, np.int64)
        numbers = np.maximum(np.asarray(known.numbers, np.float64), 1)
        shares = known.meetings()
        if meanings.hidden:
            hidden = np.zeros(len(counts), bool)
            for key in meanings.hidden:
                hidden[all_spellings(known, key)] = True
            shares[hidden[self.sense_term]] = 0.0
        total = np.bincount(self.sense_term, shares, minlength=len(counts))
        also_forms = list(known.inflected)  # being: in the other cases it is a form of be
        total[also_forms] = np.maximum(total[also_forms], JUDGED)
        self.sense_weight: Floats = shares / np.where(total > 0, total, 1.0)[self.sense_term]
        """How probably each term is meant in each of its senses; 0 for a term that is hidden."""
        self.sense_share: Floats = 1 / numbers
        """One for the most frequent sense of a term, a half for the second, and so on: a hyper may be meant in any."""
        seen = np.flatnonzero(self.sense_weight > 0)
        self._senses = Links(len(known), self.sense_concept[seen], seen)
        self.kinds: Ints = np.asarray(known.kinds, np.int64)
        self._n = len(known)

    @cached_property
    def share_of_kind(self) -> Floats:
        """How probably each term is meant in each of its senses by somebody who uses it as that part of speech."""
        code = self.sense_term * len(PARTS_OF_SPEECH) + self.kinds[self.sense_concept]
        total = np.bincount(code, self.sense_weight)[code]
        return np.asarray(self.sense_weight / np.where(total > 0, total, 1.0))

    @cached_property
    def _of_user(self) -> NDArray[np.bool_]:
        """True for each source that does not come with the package; the first one is what was known before."""
        return np.array([at > 0 and name not in BUNDLED_SOURCES for at, name in enumerate(self.known.sources)], bool)

    @cached_property
    def _origins(self) -> NDArray[np.int64]:
        if not len(self.known.origins):  # all are of the first source
            return np.zeros(len(self.known.up.there), np.int64)
        return np.asarray(self.known.origins_up, np.int64)

    @cached_property
    def _down(self) -> tuple[Links, NDArray[np.int64]]:
        """From each concept to those directly below it, and the sources of these links."""
        up = self.known.up
        links = Links(self._n, up.there, np.repeat(np.arange(self._n), np.diff(up.starts)))
        return links, self._origins[links.order]

    @cached_property
    def depth(self) -> Ints:
        """The fewest steps from each concept up to one that has nothing above it; 0 for concepts in a closed cycle."""
        down, _ = self._down
        found: Ints = np.full(self._n, -1)
        ring: Any = np.flatnonzero(np.diff(self.known.up.starts) == 0)
        steps = 0
        while len(ring):
            found[ring] = steps
            below = down.there[links_of(down.starts, ring)[1]]
            ring, steps = np.flatnonzero(np.bincount(below[found[below] < 0])), steps + 1  # each once
        return np.asarray(np.maximum(found, 0))

    @cached_property
    def sizes(self) -> Floats:
        """How many concepts lie at or below each; one with several above it counts for each of them in part."""
        down, _ = self._down
        up, parents, waiting = self.known.up, np.diff(self.known.up.starts), np.diff(down.starts)
        found = np.ones(self._n)
        ring: Any = np.flatnonzero(waiting == 0)
        while len(ring):  # concepts whose kinds have all been counted; those in a cycle are never
            at, edges = links_of(up.starts, ring)
            above = up.there[edges]
            found += np.bincount(above, (found[ring] / np.maximum(parents[ring], 1))[at], minlength=self._n)
            waiting = waiting - np.bincount(above, minlength=self._n)
            ring = np.flatnonzero(np.bincount(above[waiting[above] == 0]))
        return found

    @cached_property
    def term_kinds(self) -> NDArray[np.uint8]:
        """For each term, bit n is set if it is meant as PARTS_OF_SPEECH[n] with a probability of LEAST_WEIGHT."""
        found = np.zeros(len(self.known.terms), np.uint8)
        for kind in range(len(PARTS_OF_SPEECH)):
            share = np.bincount(
                self.sense_term, self.sense_weight * (self.kinds[self.sense_concept] == kind), minlength=len(found)
            )
            found |= (share >= LEAST_WEIGHT).astype(np.uint8) << kind
        return found

    @cached_property
    def names(self) -> NDArray[np.bool_]:
        """True for each term that is only a name: all its senses are individuals, as Berlin is."""
        individual = (np.asarray(self.known.instance_of.counts) > 0) & (np.asarray(self.known.is_a.counts) == 0)
        kinds = np.bincount(
            self.sense_term, self.sense_weight * ~individual[self.sense_concept], minlength=len(self.known.terms)
        )
        return np.asarray(kinds == 0)

    @cached_property
    def first_concept(self) -> Ints:
        """The concept that each term most probably means; -1 for a term that is hidden."""
        most = np.zeros(len(self.known.terms))
        np.maximum.at(most, self.sense_term, self.sense_weight)
        best = np.flatnonzero((self.sense_weight == most[self.sense_term]) & (self.sense_weight > 0))[::-1]
        found = np.full(len(self.known.terms), -1)
        found[self.sense_term[best]] = self.sense_concept[best]  # of equal ones the first, which is written last
        return found

    def above(self, concepts: Ints) -> Reached:
        """Return all concepts at or above some; ways that are denied do not count."""
        found = self._reached(concepts, self.known.up, self._origins)
        denied = np.isin(found.concept, list(self.known.denied_hypos)) if self.known.denied_hypos else np.zeros(0, bool)
        if not denied.any():
            return found
        some = np.unique(found.owner[denied])
        parts = [found.where(~np.isin(found.owner, some))]
        for owner in some.tolist():  # these go around what is denied, one by one
            low = int(concepts[owner])
            steps = self.known.ancestors([low])
            usual = {name for name, own in zip(self.known.sources, self._of_user, strict=True) if not own}
            sources = [set(self.known.said_by(self.known.path(low, high))) for high in steps]
            columns = (list(steps), list(steps.values()), [bool(each - usual) for each in sources])
            parts.append(Reached(np.full(len(steps), owner), *(np.array(column) for column in columns)))
        return Reached(*map(np.concatenate, zip(*parts, strict=True)))

    def below(self, concepts: Ints) -> Reached:
        """Return all concepts at or below some; ways that are denied do not count."""
        found = self._reached(concepts, *self._down)
        if not self.known.denied_hypos:
            return found
        holds = [
            int(concepts[owner]) in self.known.ancestors([concept])
            for owner, concept in zip(found.owner.tolist(), found.concept.tolist(), strict=True)
        ]
        return found.where(np.array(holds, dtype=bool))

    def _reached(self, concepts: Ints, links: Links, origins: NDArray[np.int64]) -> Reached:
        owner, at = np.arange(len(concepts)), np.asarray(concepts, np.int64)
        stated = np.zeros(len(at), bool)
        rings = [Reached(owner, at, np.zeros(len(at), np.int64), stated)]
        seen, steps = np.sort(owner * self._n + at), 0
        while len(at):
            steps += 1
            here, edges = links_of(links.starts, at)
            code = owner[here] * self._n + links.there[edges]
            by_user = stated[here] | self._of_user[origins[edges]]
            order = np.lexsort((~by_user, code))
            code, first = np.unique(code[order], return_index=True)
            new = seen[np.minimum(np.searchsorted(seen, code), len(seen) - 1)] != code
            code, stated = code[new], by_user[order][first][new]
            owner, at = code // self._n, code % self._n
            rings.append(Reached(owner, at, np.full(len(at), steps), stated))
            seen = np.sort(np.concatenate([seen, code]))
        return Reached(*map(np.concatenate, zip(*rings, strict=True)))

    def terms_of(self, concepts: Ints) -> tuple[Ints, Ints]:
        """Return the senses of all terms that mean some concepts: the position of the concept, and the sense."""
        at, edges = links_of(self._senses.starts, concepts)
        return at, self._senses.there[edges].astype(np.int64, copy=False)


def links_of(starts: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Return all edges of some nodes: the position of the node, and the place of the edge.

    >>> links_of(np.array([0, 2, 2, 3]), np.array([2, 0]))
    (array([0, 1, 1]), array([2, 0, 1]))
    """
    sizes = starts[nodes + 1] - starts[nodes]
    return np.repeat(np.arange(len(nodes)), sizes), spans(starts[nodes], sizes)
