"""Findings from relations: what the two ends of an edge are to each other, and where a term fits better.

A kind is told if the relation that makes an edge wrong has a probability of one half; that probability is the severity,
so that the surest findings come first. Where a term belongs is searched for as for a new term, not in all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from entvec.graphs.annotations import SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.findings import Finding
from entvec.taxonomy.placed import PROBABLE, SAME_NAME, Placed
from entvec.taxonomy.placing_many import place_within
from entvec.taxonomy.weighing import Weighed, entailment, weighed

IMPROBABLE = 0.1
"""An edge that is less probable is a finding, whatever its ends are to each other."""
SURE = 0.9
"""The least probability of a parent that a term lacks, or of two terms being the same."""
BETTER = 0.8
"""The least probability of a parent that is below a present one."""
ALIEN = 0.2
"""A word that means something else here entails what is above its parent with a smaller probability."""
WRONG = {
    "reversed": ("broader", "{hyper} is a kind of {hypo}"),
    "part": ("part", "{hypo} is a part of {hyper}, and no kind of it"),
    "whole": ("whole", "{hyper} is a part of {hypo}, which is no kind of it"),
    "sibling": ("sibling", "{hypo} and {hyper} are siblings"),
}
"""The kinds of wrong edges by the relation of their ends, and how it is said."""
CHOICES = 3
"""How many places of a term are looked at."""


def known_names(taxonomy: Taxonomy, space: EntailmentSpace) -> list[str]:
    """Return what the space knows each term as: its label or, if it does not know that, a synonym."""
    names = [taxonomy.labels.get(term, term) for term in taxonomy.terms]
    for i in np.flatnonzero(np.isnan(entailment(space, names, names))).tolist():
        synonyms = list(taxonomy.about.get(taxonomy.terms[i], {}).get(SYNONYM, ()))
        known = np.flatnonzero(~np.isnan(entailment(space, synonyms, synonyms)))
        names[i] = synonyms[known[0]] if len(known) else names[i]
    return names


class Relations:
    """What a space says of the edges of a taxonomy, and where it would place the terms."""

    def __init__(self, taxonomy: Taxonomy, space: EntailmentSpace) -> None:
        self.taxonomy, self.space = taxonomy, space
        self.names = known_names(taxonomy, space)
        self.entails = entailment(space, *self._ends(range(len(taxonomy.hypo))))
        self.denied = set(taxonomy.denied())
        itself = entailment(space, self.names, self.names)
        self.unknown = tuple(taxonomy.terms[i] for i in np.flatnonzero(np.isnan(itself)).tolist())
        """Terms of which nothing is known."""

    def _ends(self, edges: Iterable[int]) -> tuple[list[str], list[str]]:
        """Return the names of the ends of some edges."""
        some = list(edges)
        hypo, hyper = (side[some].tolist() for side in (self.taxonomy.hypo, self.taxonomy.hyper))
        return [self.names[i] for i in hypo], [self.names[i] for i in hyper]

    def findings(self, progress: Progress, *, places: bool) -> Iterator[Finding]:
        """Yield what is wrong with edges and, if places are to be searched for, with where terms are."""
        doubted = np.flatnonzero(self.entails < PROBABLE).tolist()
        relations = weighed(self.space, *self._ends(doubted))
        for row, edge in enumerate(doubted):
            yield from self._wrong(edge, relations, row)
        yield from self._senses()
        if places:
            placed = place_within(self.taxonomy, self.space, CHOICES, progress)
            twins: set[frozenset[int]] = set()
            for term in range(len(self.taxonomy)):
                yield from self._twins(placed, term, twins)
                yield from self._better(placed, term)

    def _wrong(self, edge: int, relations: Weighed, row: int) -> Iterator[Finding]:
        """Yield what is wrong with an edge: its ends have another relation, or nothing to do with each other."""
        low, high = int(self.taxonomy.hypo[edge]), int(self.taxonomy.hyper[edge])
        hypo, hyper = self.taxonomy.terms[low], self.taxonomy.terms[high]
        names = {"hypo": self.names[low], "hyper": self.names[high]}
        there = float(self.entails[edge])
        back = float(relations.of("broader")[row] + relations.of("same")[row])
        why = relations.reasons[row]
        for kind, (relation, told) in WRONG.items():
            probability = float(relations.of(relation)[row])
            if probability >= PROBABLE:
                yield Finding(kind, hypo, hyper, f"{told.format(**names)}: {why}", probability, there, back)
                return
        if there < IMPROBABLE:
            told = f"{names['hypo']} is a kind of {names['hyper']} with a probability of {there:.2f}: {why}"
            yield Finding("improbable", hypo, hyper, told, 1 - there, there, back)

    def _senses(self) -> Iterator[Finding]:
        """Yield probable edges to a parent that means something else here: what is above it is not above the hypo."""
        taxonomy, sound = self.taxonomy, np.flatnonzero(self.entails >= PROBABLE).tolist()
        above: dict[int, list[int]] = {}
        for edge in sound:
            above.setdefault(int(taxonomy.hypo[edge]), []).append(int(taxonomy.hyper[edge]))
        ways = [
            (edge, grand)
            for edge in sound
            for grand in above.get(int(taxonomy.hyper[edge]), ())
            if grand != taxonomy.hypo[edge]
        ]
        hypos = [self.names[taxonomy.hypo[edge]] for edge, _ in ways]
        found = entailment(self.space, hypos, [self.names[grand] for _, grand in ways])
        best: dict[int, tuple[float, int]] = {}
        for (edge, grand), probability in zip(ways, found.tolist(), strict=True):
            if probability > best.get(edge, (-1.0, 0))[0]:
                best[edge] = (probability, grand)
        for edge, (probability, grand) in best.items():
            if probability < ALIEN:
                low, high, top = int(taxonomy.hypo[edge]), int(taxonomy.hyper[edge]), self.names[grand]
                hypo, hyper = self.names[low], self.names[high]
                told = f"here {hyper} is a kind of {top}, which {hypo} is with a probability of {probability:.2f} only"
                sure = 1 - probability
                yield Finding("sense", taxonomy.terms[low], taxonomy.terms[high], told, sure, float(self.entails[edge]))

    def _twins(self, placed: Placed, term: int, seen: set[frozenset[int]]) -> Iterator[Finding]:
        """Yield a term that is the same as another one, by its name or surely by what is known."""
        twin = int(placed.same[term])
        named = placed.same_reasons[term] == SAME_NAME
        if twin < 0 or frozenset((term, twin)) in seen or not (named or placed.same_probabilities[term] >= SURE):
            return
        seen.add(frozenset((term, twin)))
        low, high = max(term, twin), min(term, twin)
        how = "have the same name" if named else f"are the same: {placed.same_reasons[term]}"
        sure = 1.0 if named else float(placed.same_probabilities[term])
        told = f"{self.names[low]} and {self.names[high]} {how}"
        yield Finding("duplicate", self.taxonomy.terms[low], self.taxonomy.terms[high], told, sure)

    def _better(self, placed: Placed, term: int) -> Iterator[Finding]:
        """Yield the best parent that a term lacks: below a present one, or elsewhere."""
        best = int(placed.parents[term, 0]) if placed.parents.shape[1] else -1
        sure = float(placed.probabilities[term, 0]) if best >= 0 else 0.0
        if best < 0 or not sure >= BETTER:  # not NaN
            return
        taxonomy = self.taxonomy
        name, other = taxonomy.terms[term], taxonomy.terms[best]
        if (other, name) in self.denied or (name, other) in self.denied or taxonomy.entails(name, other):
            return
        told = f"{self.names[term]} is a kind of {self.names[best]} with a probability of {sure:.2f}: "
        told += placed.reasons[term][0]
        numbers: dict[str, Any] = {"probability": sure}
        for parent in taxonomy.parents(name):
            if taxonomy.entails(other, parent):
                told += f"; {self.names[best]} is below {taxonomy.label(parent)}"
                yield Finding("distant", name, other, told, sure, instead=parent, **numbers)
                return
        if sure >= SURE:
            yield Finding("missing", name, other, told, sure, **numbers)
