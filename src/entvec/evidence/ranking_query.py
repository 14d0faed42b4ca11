"""The word that a ranking is asked about, as the knowledge sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from entvec.array_types import Floats, Ints
from entvec.evidence.context import part_of_speech
from entvec.evidence.gathering import Evidence
from entvec.evidence.meanings import LEAST_WEIGHT, Weighted
from entvec.knowledge.people import answering_senses, is_people
from entvec.knowledge.sense_names import PARTS_OF_SPEECH, TERM, VERB

MOSTLY = 0.5
"""A word is asked about as a verb if it is meant as one more probably than this."""
FITTING, LEAST_FIT = 0.5, 1e-6
"""In a context, senses are meant that fit it at least so well, as a share of the one that fits best; and at all."""
NOUN = 1 << PARTS_OF_SPEECH.index("noun")
USER = 1 << PARTS_OF_SPEECH.index(TERM)
"""The bits of the parts of speech of answers; terms of a user's taxonomy have none, and are always answers."""
ANY_KIND = 0xFF


class Query(NamedTuple):
    """A word whose hypernyms or hyponyms are asked for, as the knowledge sees it."""

    word: str
    concepts: Ints
    weights: Floats
    """How probably the word is meant in each of its concepts; none if it is new."""
    terms: frozenset[int]
    """The terms that are the word itself, in other spellings or as its base form."""
    kinds: int
    """The parts of speech that answers may have, as bits."""
    people: bool = False
    """Whether the word means a group of people, for which facts that insult are left out (`knowledge.people`)."""
    by_facts: bool = False
    """Whether only facts answer: for people; for verbs, because maps are learned from nouns; and for one sense, because
    a vector mixes all senses."""
    as_verb: bool = False
    """Whether the word is asked about as a verb, because it mostly is one: say, as "to say" is."""

    @property
    def is_new(self) -> bool:
        """Whether nothing is known of the word."""
        return not len(self.concepts)


def ranking_query(evidence: Evidence, word: str, context: str | None, own_sense: float) -> Query:
    """Return a word as the knowledge sees it.

    >>> from entvec.space import default_space
    >>> evidence = default_space().judge.evidence
    >>> known = evidence.meanings.known
    >>> found = ranking_query(evidence, "bank", "he took a loan from the bank", 1.0)
    >>> known.name(int(found.concepts[found.weights.argmax()])), found.by_facts
    ('depository_financial_institution', True)

    Parameters
    ----------
    evidence
        What is known.
    word
        A word, or the name of a sense.
    context
        A text in which the word is used, which tells its senses apart.
    own_sense
        The weight of how probably a word is meant in a sense. What a context says of the senses counts in full, unlike
        how often they are meant elsewhere.
    """
    meanings = evidence.meanings
    word = meanings.tidy(word)
    people = is_people(meanings.known, word)
    senses = meanings.weighted(answering_senses(meanings.known, word)) if people else meanings.of(word)
    verb = sum(weight for sense, weight in senses if sense.part_of_speech == VERB) > MOSTLY
    as_verb = verb and context is None and not people and all(sense.part_of_speech != TERM for sense, _ in senses)
    power = 1.0
    if context is not None and senses:
        senses, power = _fitting(evidence, word, context, senses), 1 / own_sense
    elif as_verb:
        senses = meanings.of(infinitive(meanings.plain(word)))
    kinds = 0
    for sense, weight in senses:
        if weight >= LEAST_WEIGHT:
            kinds |= ANY_KIND if sense.part_of_speech == TERM else 1 << PARTS_OF_SPEECH.index(sense.part_of_speech)
    one_sense = evidence.meanings.is_sense(word) or (context is not None and bool(senses))
    return Query(
        meanings.plain(word),
        np.array([sense.concept for sense, _ in senses], np.int64),
        np.array([weight for _, weight in senses]) ** power,
        frozenset(row for row, _ in meanings.known.find(meanings.plain(word))),
        kinds or NOUN,
        people,
        by_facts=people or verb or one_sense,
        as_verb=as_verb and not meanings.is_sense(word),
    )


def infinitive(word: str) -> str:
    """Return the name of a verb.

    >>> infinitive("say")
    'to say'
    """
    return f"to {word}"


def _fitting(evidence: Evidence, word: str, context: str, senses: Sequence[Weighted]) -> tuple[Weighted, ...]:
    """Return the senses that fit a context, with how probably they are meant there."""
    weights = evidence.contexts.weights(word, context)
    kind = part_of_speech(word, context)
    usable = [sense for sense, _ in senses if kind in (None, sense.part_of_speech)] or [sense for sense, _ in senses]
    weighted = [Weighted(sense, weights.get(sense.concept, 0.0)) for sense in usable]
    least = max(FITTING * max(each.weight for each in weighted), LEAST_FIT)
    return tuple(each for each in weighted if each.weight >= least)


def meant(evidence: Evidence, words: Sequence[str], queries: Sequence[Query], context: str | None) -> dict[str, str]:
    """Return the names by which words are weighed: in a context the sense that fits best, and "to say" for a verb.

    Parameters
    ----------
    evidence
        What is known.
    words, queries
        What is asked about, in the same order.
    context
        The text in which the words are used.
    """
    if context is None:
        return {word: infinitive(query.word) for word, query in zip(words, queries, strict=True) if query.as_verb}
    best = {
        word: int(query.concepts[query.weights.argmax()])
        for word, query in zip(words, queries, strict=True)
        if not query.is_new
    }
    return {
        word: next(str(sense) for sense, _ in evidence.meanings.of(word) if sense.concept == concept)
        for word, concept in best.items()
    }
