"""The evidence for one pair, as rankings add it up: what each source contributes, in log-odds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from entvec.evidence.candidates import Asked
from entvec.evidence.rankings import SOURCES, Ranker
from entvec.knowledge.people import is_offensive, is_people

START, VECTORS = "constant", "vectors"


class Part(NamedTuple):
    """What one source adds."""

    source: str
    """constant (of all words that have a vector: few are hypernyms), vectors, facts, neighbours or spelling; text, if
    the space has evidence from texts."""
    log_odds: float


class Answer(NamedTuple):
    """A hyper as rankings list it: a term, which a plural stands for."""

    word: str
    term: int
    """The number of the term in the knowledge; -1 if the word is new."""
    row: int
    """The row in the vocabulary; -1 if the term has no vector, and after the vocabulary if it is an answer anyway."""


@dataclass(frozen=True)
class Waterfall:
    """The evidence that one word is a kind of another, part by part."""

    answer: str
    """The hyper as rankings list it: animal for animals."""
    parts: tuple[Part, ...]
    facts_only: bool
    """Whether nothing but facts counts: for verbs, people, names of senses, and a hyper that offends."""

    @property
    def evidence(self) -> float:
        """The sum, by which `hypernyms` ranks."""
        return sum(part.log_odds for part in self.parts)

    def of(self, source: str) -> float:
        """Return what a source adds."""
        return next(part.log_odds for part in self.parts if part.source == source)


def waterfall(
    ranker: Ranker, hypo: str, hyper: str, line: tuple[float, float], score: Callable[[int], float], specificity: float
) -> Waterfall:
    """Return what each source adds to the evidence that one word is a kind of another.

    >>> from entvec.space import default_space
    >>> space = default_space()
    >>> found = waterfall(space.judge.ranker, "guitar", "instrument", (1.0, 0.0), lambda row: -2.0, 1.0)
    >>> [part.source for part in found.parts], found.of("facts") > 0
    (['constant', 'vectors', 'facts', 'neighbours', 'spelling'], True)

    Parameters
    ----------
    ranker
        Knows what sources say, and their weights.
    hypo, hyper
        The words; each is known or has a vector.
    line
        The scale and intercept that make calibrated log-odds of scores.
    score
        Returns the score of the hypo with the word of a row, less the hubness penalty.
    specificity
        How much general words lose.
    """
    query, answer = ranker.query(hypo), answer_for(ranker, hyper)
    _, term, column, value = ranker.said("hypo", [query], specificity)
    own = term == answer.term
    sums = np.bincount(column[own], value[own], minlength=len(SOURCES)).tolist()
    said = dict(zip(SOURCES, sums, strict=True))
    if ranker.texts is None:
        del said["text"]
    facts_only = query.by_facts or ranker.evidence.meanings.is_sense(hyper)
    facts_only |= not said["facts"] and _is_delicate(ranker, hyper)
    if facts_only:
        said |= dict.fromkeys(said.keys() - {"facts"}, 0.0)
    vectors, vocabulary = 0.0, ranker.evidence.vocabulary
    row = np.array([answer.row if answer.row >= 0 else len(vocabulary) + answer.term])
    alone = facts_only or query.word not in vocabulary
    first, candidates = np.array([0]), ranker.candidates
    constant = float(candidates.constants("hypo", Asked.of([query]), first, row, ranker.weights, alone=alone)[0])
    by = int(candidates.scored_rows(row)[0])
    if not alone and by >= 0:
        scale, intercept = line
        vectors = ranker.weights.of("hypo", new=query.is_new)["vectors"] * (scale * score(by) + intercept)
    parts = {START: constant, VECTORS: vectors, **said}
    return Waterfall(answer.word, tuple(Part(*part) for part in parts.items()), facts_only)


def _is_delicate(ranker: Ranker, word: str) -> bool:
    known = ranker.evidence.meanings.known
    return is_people(known, word) or is_offensive(known, word)


def answer_for(ranker: Ranker, word: str) -> Answer:
    """Return the answer of a ranking that a word stands for: the term with its spelling, or else its base form.

    >>> from entvec.space import default_space
    >>> [answer_for(default_space().judge.ranker, word).word for word in ("animal", "Animals", "iPhone")]
    ['animal', 'animal', 'iPhone']
    """
    vocabulary, known = ranker.evidence.vocabulary, ranker.evidence.meanings.known
    word = ranker.evidence.meanings.plain(word)
    row = int(vocabulary.rows([word])[0])
    if row >= 0 and (term := int(ranker.rows.terms[row])) >= 0:
        return Answer(known.terms[term], term, row)
    if terms := [term for term, _ in known.find(word)]:
        rows = ranker.rows.rows[terms].tolist()
        seen = [(term, row) for term, row in zip(terms, rows, strict=True) if row >= 0]
        term, of_term = seen[0] if seen else (terms[0], -1)
        if of_term < 0 and ranker.names.usable[term]:
            of_term = len(vocabulary) + term
        return Answer(known.terms[term], term, of_term)
    return Answer(vocabulary.words_at(np.array([row]))[row], -1, row)
