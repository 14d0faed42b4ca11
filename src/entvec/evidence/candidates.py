"""Which words may be answers of a ranking, and what they have before any source speaks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats, Ints, Mask
from entvec.evidence.gathering import Evidence
from entvec.evidence.hierarchy import Hierarchy
from entvec.evidence.names import Names
from entvec.evidence.ranking_query import NOUN, USER, Query
from entvec.evidence.ranking_weights import RankingWeights
from entvec.evidence.term_rows import TermRows
from entvec.knowledge.people import offensive_rows, people_rows
from entvec.model.model import OTHER, Side
from entvec.vectors import forms
from entvec.vectors.vocabulary import Vocabulary
from entvec.vectors.words import Words

ENOUGH_KNOWN = 1000
"""With so many known words in a vocabulary, only these are answers: others are plurals, fragments and misspellings."""


class Asked(NamedTuple):
    """What decides which candidates several queries may have, as arrays."""

    kinds: Ints
    """The parts of speech that answers may have, as bits."""
    is_new: Mask
    owner: Ints
    """The numbers of the queries that `terms` are of."""
    terms: Ints
    """The terms that the queries are themselves."""

    @classmethod
    def of(cls, queries: Sequence[Query]) -> Asked:
        """Return these queries as arrays."""
        terms = [list(query.terms) for query in queries]
        return cls(
            np.array([query.kinds for query in queries], np.int64),
            np.array([query.is_new for query in queries], bool),
            np.repeat(np.arange(len(queries)), list(map(len, terms))),
            np.array([term for each in terms for term in each], np.int64),
        )


class Candidates:
    """The words of a vocabulary, and after these the terms of a knowledge, as answers.

    Parameters
    ----------
    evidence, hierarchy, names, rows
        What is known, as arrays; what one calls each concept; and which term is in which row.
    """

    def __init__(self, evidence: Evidence, hierarchy: Hierarchy, names: Names, rows: TermRows) -> None:
        self._hierarchy, self._names, self._rows = hierarchy, names, rows
        self._vocabulary, self._known = evidence.vocabulary, evidence.meanings.known
        none = np.zeros(len(self._known.terms), bool)
        self._only_in_texts: Mask = none if evidence.text is None else evidence.text.only
        self._answers_of_texts: dict[Side, Mask] = {
            side: none if evidence.text is None else evidence.text.named(OTHER[side]) for side in OTHER
        }
        # No methods of this object: a cycle would keep the hierarchy in memory.
        self._offends = Memo(self._known.terms, partial(offensive_rows, self._known))
        self._people = Memo(self._known.terms, partial(people_rows, self._known))
        self._heads = Memo(self._known.terms, partial(_rows_of_heads, self._vocabulary))

    def _terms(self, rows: Ints) -> Ints:
        """Return the term in each row; -1 for a word that is no term."""
        n = len(self._vocabulary)
        return np.where(rows < n, self._rows.terms[np.minimum(rows, n - 1)], rows - n)

    def admits(
        self,
        side: Side,
        asked: Asked,
        query: Ints,
        rows: Ints,
        facts: Mask | None = None,
        text: Mask | None = None,
    ) -> Mask:
        """Return whether the words of some rows may be answers.

        They are terms of the same part of speech. A hypernym is what one calls a concept (`Names`), and no proper name.
        Terms that offend are no answers, and groups of people only where facts say so. Words that are not known are
        answers only in a vocabulary of which little is.

        Parameters
        ----------
        side, asked
            What is asked.
        query
            For each row the number of the query that it may be an answer for.
        rows
            Rows of the vocabulary, or of terms without a vector, after these.
        facts
            True for each row of which facts speak; by default none does.
        text
            True for each row for which texts speak: there also terms that nothing else knows may be answers, and those
            that one hardly says.
        """
        n, terms = len(self._vocabulary), self._terms(rows)
        kinds = self._hierarchy.term_kinds[terms]
        of_user = kinds & USER > 0
        found = (terms >= 0) & (of_user | (kinds & asked.kinds[query] > 0))
        own = np.isin(query * len(self._known.terms) + terms, asked.owner * len(self._known.terms) + asked.terms)
        by_text = np.zeros(len(rows), bool) if text is None else text
        found &= ~own & (
            (rows < n) | ~asked.is_new[query] | of_user | by_text
        )  # else no phrase is known to be probable
        if side == "hypo":
            found &= (self._names.is_name[terms] | by_text | self.little_is_known) & ~self._hierarchy.names[terms]
        at = np.flatnonzero(found)
        fit = self._offends.of(terms[at]) == 0
        people = self._people.of(terms[at]) > 0
        fit &= ~people if facts is None else facts[at] | ~people
        said = (rows[at] < n) | by_text[at] | self._names.usable[terms[at]]
        fit &= said | (self._heads.of(terms[at]) >= 0)
        found[at] = fit
        only = (terms >= 0) & self._only_in_texts[terms] if len(self._only_in_texts) else terms < -1
        return np.where((terms >= 0) & ~only, found, (only & by_text & ~own) | self.little_is_known)

    @cached_property
    def little_is_known(self) -> bool:
        """Whether so few words of the vocabulary are known that others must be answers, too."""
        return int(np.count_nonzero((self._rows.rows >= 0) & ~self._only_in_texts)) < ENOUGH_KNOWN

    def wordless(self, side: Side) -> Mask:
        """Return for each term without a vector whether it may be an answer, with a row after those of the words.

        Terms of the user may, and those that texts name on this side; and if much of the vocabulary is known, those
        that one would say. As a hyponym one says each concept by its best known name, and may say a phrase that no
        gloss uses: grand piano.
        """
        of_user = (self._hierarchy.term_kinds & USER > 0) | self._answers_of_texts[side]
        if self.little_is_known:
            return of_user
        names = self._names
        if side == "hypo":
            return names.usable | of_user
        return of_user | (names.usable & names.is_name) | (names.phrases & (self._hierarchy.term_kinds & NOUN > 0))

    def constants(
        self, side: Side, asked: Asked, query: Ints, rows: Ints, weights: RankingWeights, *, alone: bool = False
    ) -> Floats:
        """Return the log-odds with which words start, before any source adds to them.

        Known words start with less, since their neighbours may add to it.

        Parameters
        ----------
        side, asked, query, rows
            As for `admits`.
        weights
            The weights of the sources.
        alone
            Whether facts alone speak.
        """
        n, new = len(self._vocabulary), asked.is_new[query]

        def weight(name: str) -> Floats:
            by = [weights.of(side, new=each)[name] for each in (False, True)]
            return np.where(new, by[1], by[0])

        of_user = (rows >= n) & (self._hierarchy.term_kinds[np.maximum(rows - n, 0)] & USER > 0)
        if alone:
            return np.where(of_user, 0.0, weight("alone"))
        unknown = (rows < n) & self._unknown[np.minimum(rows, n - 1)]
        constants = np.where(rows < n, weight("constant"), np.where(of_user, 0.0, weight("unseen")))
        return np.asarray(constants + unknown * weight("unknown"))

    @cached_property
    def _unknown(self) -> Mask:
        """True for each row of the vocabulary whose word is not known."""
        terms = self._rows.terms
        return (terms < 0) | (self._hierarchy.first_concept[terms] < 0)

    def scored_rows(self, rows: Ints) -> Ints:
        """Return the row whose vector speaks for each answer: for a phrase that has none, that of its last word, or -1.

        Parameters
        ----------
        rows
            Rows of the vocabulary, or of terms without a vector, after these.
        """
        n = len(self._vocabulary)
        found = rows.copy()
        phrases = np.flatnonzero(rows >= n)
        found[phrases] = self._heads.of(rows[phrases] - n)
        return found


def _rows_of_heads(vocabulary: Vocabulary, terms: Words) -> Ints:
    """Return the row of the last word of each phrase; -1 for a single word, and if there is none."""
    heads = [forms.last_word(term) if "_" in term else "" for term in terms]
    return np.where([bool(head) for head in heads], vocabulary.rows([head or "_" for head in heads]), -1)


class Memo:
    """A function of terms that is called once for each of them, and for many at once.

    Parameters
    ----------
    terms
        All terms.
    function
        Returns a number or a truth value for each of some terms.
    """

    def __init__(self, terms: Words, function: Callable[[Words], NDArray[Any]]) -> None:
        self._terms, self._function = terms, function
        self._seen: Mask = np.zeros(len(terms), bool)
        self._values: Ints = np.zeros(len(terms), np.int64)

    def of(self, rows: Ints) -> Ints:
        """Return the values of the terms in some rows."""
        fresh = np.unique(rows[~self._seen[rows]])
        if len(fresh):
            self._values[fresh] = self._function(self._terms.take(fresh))
            self._seen[fresh] = True
        return self._values[rows]
