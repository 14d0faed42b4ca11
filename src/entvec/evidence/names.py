"""What one calls a concept: the term that glosses use most for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from entvec.array_types import Floats, Ints, Mask
from entvec.bundled import gloss_words
from entvec.bundled.knowledge import of_everyday
from entvec.evidence.hierarchy import Hierarchy
from entvec.evidence.meanings import LEAST_WEIGHT
from entvec.evidence.ranking_query import USER
from entvec.vectors import forms
from entvec.vectors.words import Words

FIRST_NAME = 5.0
"""WordNet lists the usual term for a concept first: its uses count for so many."""
LEAST_MEANT = 0.2
"""A term names the concepts that it means at least so probably."""


class Names:
    """Which term names each concept, and how often one says it.

    Definitions are made of the words that people sort things by. So the name of a concept is the term that most glosses
    use for it: their number times the probability that the term is meant so. The term that WordNet lists first counts
    for more, because glosses do not tell parts of speech apart: most beings in them are verbs.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.evidence.meanings import Meanings
    >>> known = wordnet_knowledge()
    >>> hierarchy = Hierarchy(Meanings(known))
    >>> names = Names(hierarchy, np.full(len(known.terms), -1), np.zeros(len(hierarchy.sense_term), bool))
    >>> for word in ("somebody", "sickness", "musical instrument"):
    ...     print(known.terms[names.best[known.senses(word)[0].concept]])
    person
    illness
    musical_instrument

    Parameters
    ----------
    hierarchy
        What is known.
    rows
        For each term, its row in the vocabulary, frequent words first; -1 if it has no vector. Such terms are names
        only if glosses use them, or if a user has them.
    unsaid
        For each sense, whether the term shall not be said in it.
    """

    def __init__(self, hierarchy: Hierarchy, rows: Ints, unsaid: Mask) -> None:
        self._hierarchy, self._rows, self._unsaid = hierarchy, rows, unsaid

    @cached_property
    def counts(self) -> Ints:
        """How many glosses use each term."""
        counts, terms = gloss_words(), self._hierarchy.known.terms
        rows = terms.rows(Words.of(list(counts)))
        found = np.zeros(len(terms), np.int64)
        found[rows[rows >= 0]] = np.array(list(counts.values()))[rows >= 0]
        return found

    @cached_property
    def said(self) -> Floats:
        """For each sense, the log of how many glosses use the term, times how probably it is meant so."""
        return np.log1p(self.counts[self._hierarchy.sense_term] * self._hierarchy.sense_weight)

    @cached_property
    def is_said(self) -> Mask:
        """True for each term that glosses use often for the number of concepts below it.

        One says musical instrument and person, but hardly vascular plant or artifact.
        """
        first = self._hierarchy.first_concept
        known = np.flatnonzero((first >= 0) & (self.counts > 0))
        found = np.zeros(len(first), bool)
        found[known] = self.counts[known] ** 2 >= self._hierarchy.sizes[first[known]] / 2
        return found

    @cached_property
    def usable(self) -> Mask:
        """True for each term that may be an answer: it has a vector, a user has it, or one would say it."""
        first = self._hierarchy.first_concept
        everyday = np.append(of_everyday(self._hierarchy.known), False)[first]  # False: the term has no concept, -1
        return np.asarray((self._rows >= 0) | self.is_said | everyday | (self._hierarchy.term_kinds & USER > 0))

    @cached_property
    def phrases(self) -> Mask:
        """True for each phrase without a vector that is listed first for a concept, as grand piano is."""
        known = self._hierarchy.known
        first = known.members.targets[np.cumsum(known.members.counts) - known.members.counts]
        found = np.zeros(len(known.terms), bool)
        found[first] = self._rows[first] < 0
        at = np.flatnonzero(found)
        found[at] = ["_" in term for term in known.terms.take(at)]
        return found

    @cached_property
    def heads(self) -> Mapping[int, str]:
        """For each usable phrase without a vector, its last word, whose vector stands for it."""
        terms = self._hierarchy.known.terms
        found = np.flatnonzero(self.usable & (self._rows < 0)).tolist()
        return {term: forms.last_word(terms[term]) for term in found if "_" in terms[term]}

    @cached_property
    def best(self) -> Ints:
        """The name of each concept; -1 if no term for it is usable."""
        hierarchy, members = self._hierarchy, self._hierarchy.known.members
        at, sense = hierarchy.terms_of(np.arange(len(hierarchy.known)))
        term = hierarchy.sense_term[sense]
        first = members.targets[(np.cumsum(members.counts) - members.counts)[at]] == term
        uses = (self.counts[term] + 1) * hierarchy.sense_weight[sense] * np.where(first, FIRST_NAME, 1.0)
        fit = self.usable[term] & ~self._unsaid[sense]
        understood = fit & (hierarchy.share_of_kind[sense] >= LEAST_WEIGHT)
        fit &= understood | ~(np.bincount(at[understood], minlength=len(hierarchy.known)) > 0)[at]
        at, term, uses = at[fit], term[fit], uses[fit]
        most = np.zeros(len(hierarchy.known))
        np.maximum.at(most, at, uses)
        at, term = at[uses == most[at]], term[uses == most[at]]
        first_row = np.full(len(most), len(self._rows))  # of those used as often, the one of the most frequent word
        np.minimum.at(first_row, at, self._rows[term])
        best = np.flatnonzero(self._rows[term] == first_row[at])[::-1]
        found = np.full(len(most), -1)
        found[at[best]] = term[best]  # and of equal ones the first, which is written last
        return found

    def is_other_name(self, concept: Ints, term: Ints) -> Mask:
        """Return whether terms are other names of concepts than the best one, and not its last word, its short form.

        Parameters
        ----------
        concept, term
            As many concepts as terms.
        """
        best = self.best[concept]
        return np.asarray((best >= 0) & (best != term) & (self._short[best] != term))

    @cached_property
    def _short(self) -> Ints:
        """For each phrase without a vector, the term that is its last word; -1 for all others, and body of water."""
        terms = self._hierarchy.known.terms
        heads = {term: head for term, head in self.heads.items() if "_of_" not in terms[term]}
        found = np.full(len(terms), -1)
        found[list(heads)] = terms.rows(Words.of(list(heads.values())))
        return found

    @cached_property
    def is_name(self) -> Mask:
        """True for each term that names something that it usually means; terms of a user always do."""
        hierarchy = self._hierarchy
        named = (self.best[hierarchy.sense_concept] == hierarchy.sense_term) & (hierarchy.sense_weight >= LEAST_MEANT)
        found = np.bincount(hierarchy.sense_term[named], minlength=len(hierarchy.known.terms)) > 0
        return np.asarray(found | (hierarchy.term_kinds & USER > 0))
