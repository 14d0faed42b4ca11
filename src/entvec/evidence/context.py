"""Senses in context: how probably a word is meant in each of its senses, given the words around it.

A sense has a vector: the mean of its synonyms, of its definition, and of the terms and glosses of the concepts directly
above and below it. So has a context: the mean of its words. Words count the more, the fewer glosses use them, and all
vectors are taken relative to that of an average word. Two methods say how well a sense fits: the paper's model of a
word in its context ("unification", section 3; `entvec.theory.context`), which is the score of the hidden vector that
entails both, or the cosine of both ("average"). docs/context.md compares them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.bundled import gloss_words
from entvec.errors import InvalidInput
from entvec.evidence.meanings import Meanings
from entvec.evidence.neighbours import unit
from entvec.graphs.structure import Links
from entvec.remembering import remembered
from entvec.theory import context as theory
from entvec.vectors import forms
from entvec.vectors.vocabulary import Vocabulary, sample

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
EXAMPLE = re.compile('"[^"]*"?')
RARE = 5
"""How many glosses are taken to use a word that `gloss_words` does not list."""
GLOSSES = 1e5
"""About how many glosses `gloss_words` counts."""
LENGTH = 3.0
"""The length of vectors under the paper's model, which is about that of Word2Vec's own."""
MOST_BELOW = 20
"""How many concepts below a sense take part in its vector."""
PARTS = {"itself": (1.0, 1.5), "below": (0.5, 1.0), "above": (0.25, 1.0)}
"""How much terms and glosses count in the vector of a sense: of its own concept, of those below, of those above."""

MARK = "wordthatisasked"
CUES = {
    "noun": frozenset(
        re.findall(r"\w+", "a an the my your his her its our their this these those some any of at in on by")
    ),
    "verb": frozenset(
        re.findall(r"\w+", "to i you we they he she it will would can could may might must should do did")
    ),
}
"""Words that stand before a noun, and before a verb."""


class Method(NamedTuple):
    """How the fit of a sense becomes a probability: in proportion to exp(sharpness * fit) * prior ** trust."""

    fit: Callable[[Floats, Floats], Floats]
    """Returns how well each sense fits, given a matrix of their vectors and the vector of the context, of length 1."""
    sharpness: float
    trust: float
    """How far the usual weights of senses are trusted."""


def _cosines(senses: Floats, context: Floats) -> Floats:
    return senses @ context


def _unification(senses: Floats, context: Floats) -> Floats:
    return np.asarray(theory.score(LENGTH * senses, np.broadcast_to(LENGTH * context, senses.shape)))


METHODS = {"unification": Method(_unification, 4.25, 0.35), "average": Method(_cosines, 9.5, 0.35)}
"""The methods by name; `benchmarks/context.py` fits their numbers."""
DEFAULT = "unification"


class Contexts:
    """Weighs the senses of words by the words around them, and remembers the vectors of senses.

    >>> from entvec.space import default_space
    >>> contexts = default_space().judge.evidence.contexts
    >>> known = contexts.meanings.known
    >>> for context in ("we sat on the grass by the river", "she took a loan to pay for the house"):
    ...     weights = contexts.weights("bank", context)
    ...     print(known.glosses[max(weights, key=weights.get)][:30])
    sloping land (especially the s
    a financial institution that a

    Parameters
    ----------
    vocabulary
        Words and their vectors.
    meanings
        The senses of words.
    """

    def __init__(self, vocabulary: Vocabulary, meanings: Meanings) -> None:
        self.vocabulary, self.meanings = vocabulary, meanings

    def weights(self, word: str, context: str, *, method: str = DEFAULT) -> dict[int, float]:
        """Return how probably a word is meant in each of its senses: a weight for each concept, which sum to one.

        If no word of the context has a vector, the weights are the usual ones. Nothing is returned for a word that is
        not known.

        Parameters
        ----------
        word
            In any spelling; the name of a sense has only that sense.
        context
            A sentence or some words; forms of the word itself do not count.
        method
            "unification" or "average".
        """
        senses = self.meanings.all_of(word)
        fits = self.fits(word, context, method=method)
        logs = np.log([weight for _, weight in senses])
        if fits is not None:
            logs = METHODS[method].sharpness * fits + METHODS[method].trust * logs
        shares = np.exp(logs - logs.max(initial=-np.inf))
        found: dict[int, float] = {}
        for (sense, _), share in zip(senses, (shares / shares.sum()).tolist(), strict=True):
            found[sense.concept] = found.get(sense.concept, 0.0) + share  # several spellings may share a concept
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def fits(self, word: str, context: str, *, method: str = DEFAULT) -> Floats | None:
        """Return how well each of `meanings.all_of(word)` fits; None if no word of the context has a vector.

        Parameters
        ----------
        word, context, method
            As for `weights`.
        """
        if method not in METHODS:
            raise InvalidInput(f"method is {method!r}, expected one of {', '.join(METHODS)}")
        senses, words = self.meanings.all_of(word), self._words_around(word, context)
        if not senses or not words or not (around := self._mean([(1.0, words)])).any():
            return None
        return METHODS[method].fit(np.stack([self.sense_vector(sense.concept) for sense, _ in senses]), around)

    def _words_around(self, word: str, context: str) -> list[str]:
        own = self._forms_of(self.meanings.plain(word))
        return [each for each in WORD.findall(context) if own.isdisjoint(self._forms_of(each))]

    def _forms_of(self, word: str) -> set[str]:
        bases = forms.base_forms(word, self.meanings.known.irregular)
        return {forms.key(word), *(forms.key(base) for base, _ in bases)}

    @remembered(1 << 13)
    def sense_vector(self, concept: int) -> Floats:
        """Return the mean vector of the words that describe a concept."""
        return self._mean(list(self._described(concept)))

    def _described(self, concept: int) -> Iterator[tuple[float, list[str]]]:
        """Yield the words that describe a concept, some at a time, and how much they count."""
        known = self.meanings.known
        below: list[int] = self._below.of(concept)[:MOST_BELOW].tolist()
        for name, concepts in (("itself", [concept]), ("below", below), ("above", known.above(concept))):
            of_terms, of_glosses = PARTS[name]
            terms = [term for each in concepts for term in known.synonyms(each)]
            yield of_terms, [part for term in terms for part in {term: None, **dict.fromkeys(term.split("_"))}]
            # Its own examples are left out, so that they can tell how good the vectors are.
            texts = [definition(known.glosses[each]) if each == concept else known.glosses[each] for each in concepts]
            yield of_glosses, [part for text in texts for part in WORD.findall(text)]

    @cached_property
    def _below(self) -> Links:
        low, high = self.meanings.known.is_a.pairs()
        return Links(len(self.meanings.known), high, low)

    @cached_property
    def _centre(self) -> Floats:
        """The vector of an average word."""
        return np.asarray(sample(self.vocabulary).mean(axis=0))

    def _mean(self, groups: Sequence[tuple[float, list[str]]]) -> Floats:
        """Return the mean of groups of words, each with its share, at length one; 0 if none has a vector."""
        words = [word for _, group in groups for word in group]
        group = np.repeat(np.arange(len(groups)), [len(each) for _, each in groups])
        rows = self.vocabulary.rows(words)
        there = np.flatnonzero(rows >= 0)
        vectors: NDArray[Any] = self.vocabulary.take(rows[there]).matrix.astype(np.float64) - self._centre
        sums = np.zeros((len(groups), self.vocabulary.dimension))
        np.add.at(sums, group[there], vectors * np.array([[informative(words[at])] for at in there.tolist()] or 0.0))
        mean: Floats = unit((np.array([share for share, _ in groups]) @ unit(sums))[None])[0]
        return mean


def definition(gloss: str) -> str:
    """Return a gloss without its examples, which are quoted.

    >>> definition('a long ridge or pile; "a huge bank of earth"')
    'a long ridge or pile'
    """
    return EXAMPLE.sub("", gloss).rstrip("; ")


def informative(word: str) -> float:
    """Return how much a word says: the fewer glosses use it, the more.

    >>> [round(informative(word)) for word in ("the", "river", "canoe")]
    [1, 5, 9]
    """
    return math.log(GLOSSES / (1 + gloss_words().get(word.casefold(), RARE)))


def part_of_speech(word: str, context: str) -> str | None:
    """Return whether a text uses a word as a noun or a verb, by the word before it; None if that leaves it open.

    >>> part_of_speech("bank", "my account at the bank"), part_of_speech("walk", "They walk a lot")
    ('noun', 'verb')
    >>> part_of_speech("run", "run, rabbit")
    """
    words = re.findall(r"[\w'-]+", context.casefold().replace(word.casefold().replace("_", " "), f" {MARK} "))
    before = {words[at - 1] for at, each in enumerate(words) if each == MARK and at}
    found = [kind for kind, cues in CUES.items() if before & cues]
    return found[0] if len(found) == 1 else None
