"""Says why a word was found: what is known, what texts say, what similar words are, or what the vectors say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.definitions import asked_of
from entvec.evidence.judge import Judge, entailing
from entvec.evidence.rankings import heads
from entvec.evidence.reasons import SHOWN, listed, path_in_words, spoken
from entvec.evidence.text_reasons import text_reason
from entvec.knowledge import Sense
from entvec.knowledge.people import answers, is_people
from entvec.model.model import Side
from entvec.vectors import forms

FAR = 3.5
"""How far an answer may be behind the best one."""


@dataclass(frozen=True, eq=False)
class RankingReasons:
    """Weighs the evidence for words that were found for others, and says what speaks for them.

    Parameters
    ----------
    judge
        What decides about pairs.
    side
        The side of the words that were asked about: "hypo" if hypernyms were found.
    meant
        The senses in which words are meant, as bank#2, if a context has told them.
    """

    judge: Judge
    side: Side
    meant: Mapping[str, str]

    def behind(self, query: str) -> float:
        """Return how much less evidence than the best answer others may have if it speaks against them.

        One asks for all hyponyms, but for few of the general words that are true. What an encoder has read has less
        evidence than what is known, for good answers, too.
        """
        read = self.judge.read_pairs is not None and self.judge.read_pairs.is_read_alone(asked_of(query))
        return FAR if self.side == "hyper" or read else 0.0

    def _pair(self, query: str, word: str) -> tuple[str, str]:
        query = self.meant.get(query, asked_of(query))
        return (query, word) if self.side == "hypo" else (word, query)

    def probabilities(self, query: str, words: list[str]) -> NDArray[np.float64]:
        """Return the probability that the query entails each word, or is entailed by it."""
        if not words:
            return np.empty(0)
        hypos, hypers = zip(*(self._pair(query, word) for word in words), strict=True)
        return entailing(self.judge.probabilities(hypos, hypers))

    def reason(self, query: str, word: str) -> tuple[str, str | None]:
        """Return what speaks most for a word, in a line, and the sense of the query in which facts do."""
        return self.said(query, word)[1:]

    def said(self, query: str, word: str) -> Said:
        """Return what speaks most for a word, and which source says it."""
        hypo, hyper = self._pair(query, word)
        if fact := entailing_fact(self.judge, hypo, hyper):
            sense = fact.hypo if self.side == "hypo" else fact.hyper
            return Said("facts", fact.text, None if sense is None else str(sense))
        if said := text_reason(self.judge.evidence.text, hypo, hyper):
            return Said("text", said)
        if self.judge.read_pairs is not None and self.judge.read_pairs.is_read_alone(asked_of(query)):
            return Said("encoder", self.judge.read_pairs.why(hypo, hyper))
        if like := self.judge.similar.supporting(hypo, hyper):
            return Said("neighbours", f"{spoken(hypo)} is used like {like.text}")
        if end := ending(self.judge, hypo, hyper):
            return Said("spelling", end)
        return Said("vectors", "the vectors alone")


class Said(NamedTuple):
    """What speaks most for a word that was found."""

    source: str
    """facts, text, encoder, neighbours, spelling or vectors."""
    text: str
    sense: str | None = None
    """The sense of the query in which facts speak for it."""


class EntailingFact(NamedTuple):
    """A fact in a line, and the senses that it is about."""

    text: str
    hypo: Sense | None = None
    hyper: Sense | None = None


def entailing_fact(judge: Judge, hypo: str, hyper: str) -> EntailingFact | None:
    """Return the fact by which one word entails another, in a line; None if there is none.

    Of a group of people only the fact is told, and no path, which may lead through what insults it.
    """
    meanings = judge.evidence.meanings
    if is_people(meanings.known, meanings.tidy(hypo)):
        above = answers(meanings.known, meanings.tidy(hypo))
        if not any(sense.concept in above for sense, _ in meanings.of(hyper)):
            return None
        return EntailingFact(f"{spoken(hypo)} is known as a kind of {spoken(hyper)}")
    known = judge.evidence.known_of(hypo, hyper)
    for relation in ("narrower", "same"):
        if relation in known.facts:
            _, fact = known.facts[relation]
            return EntailingFact(path_in_words(meanings.known, fact), fact.first, fact.second)
    return None


def ending(judge: Judge, hypo: str, hyper: str) -> str | None:
    """Return that a new word ends in the hyper, or like words that are kinds of it; None if it does not."""
    meanings, ranker = judge.evidence.meanings, judge.ranker
    if meanings.of(hypo):
        return None
    if forms.key(hyper) in map(forms.key, heads(hypo)):
        return f"{spoken(hypo)} ends in {spoken(hyper)}"
    senses = {sense.concept for sense, _ in meanings.of(hyper)}
    alike = ranker.endings.sharing(hypo).tolist()
    below = (term for term in alike if senses & meanings.above(int(ranker.hierarchy.first_concept[term])).keys())
    shown = [spoken(meanings.known.terms[term]) for term in islice(below, SHOWN)]
    return f"{spoken(hypo)} ends like {listed(shown)}, kinds of {spoken(hyper)}" if shown else None
