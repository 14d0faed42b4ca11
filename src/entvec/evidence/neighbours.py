"""Evidence of neighbours: what is known of the words that are used like a word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.meanings import Meanings, Weighted
from entvec.remembering import remembered
from entvec.vectors import forms
from entvec.vectors.vectors import Vectors

NEIGHBOURS = 30
STAND_INS = 10
"""How many neighbours stand for a word that is not known itself."""
SOFTNESS = 0.1
"""A neighbour weighs exp(cosine / SOFTNESS)."""
SPARE = 30
"""How many more neighbours are looked at, since forms of the two words do not count."""
BESIDE = 2
"""The most steps from a neighbour up to a parent of the other word."""
VOTES = ("above", "same", "beside", "below")


class Share(NamedTuple):
    """A concept, and its share in what a word is taken for."""

    concept: int
    share: float


class Neighbours:
    """Finds the known words that are used like a word.

    >>> from entvec.bundled import google_news, wordnet_knowledge
    >>> neighbours = Neighbours(google_news(), Meanings(wordnet_knowledge()))
    >>> [word for word, _ in neighbours.of("violin")][:4]
    ['cello', 'piano', 'viola', 'clarinet']

    Parameters
    ----------
    vectors
        Words and their vectors, in memory.
    meanings
        What is known.
    """

    def __init__(self, vectors: Vectors, meanings: Meanings) -> None:
        self.vectors, self.meanings = vectors, meanings

    def hiding(self, meanings: Meanings) -> Neighbours:
        """Return the neighbours that remain where fewer words are known."""
        found = Neighbours(self.vectors, meanings)
        # Words that are hidden are passed over.
        found.__dict__ |= {"_known": self._known, "_irregular": self._irregular}
        return found

    @cached_property
    def _known(self) -> tuple[list[str], dict[str, int], NDArray[np.float32]]:
        """The words that are known as they are spelled, their rows among the terms, their vectors at unit length."""
        terms = self.meanings.known.terms
        rows = self.vectors.words.rows(terms)
        of_terms = np.flatnonzero(rows >= 0)
        words = {terms[row]: row for row in of_terms.tolist()}
        return list(words), words, unit(np.asarray(self.vectors.matrix[rows[of_terms]], np.float32))

    @cached_property
    def _irregular(self) -> list[str]:
        return list(self.meanings.known.irregular)  # much faster to search than texts in an array

    @remembered(1 << 14)
    def of(self, word: str) -> list[tuple[str, float]]:
        """Return the known words nearest to a word, with their weights, which sum to one; no form of the word itself.

        The word must have a vector.
        """
        words, _, matrix = self._known
        if not words:
            return []
        vector = unit(np.asarray(self.vectors[self.meanings.plain(word)], np.float32)[None])[0]
        cosines = matrix @ vector
        nearest = np.argpartition(-cosines, min(NEIGHBOURS + SPARE, len(words) - 1))[: NEIGHBOURS + SPARE]
        nearest = nearest[np.argsort(-cosines[nearest], kind="stable")]
        own = self.forms_of(word)
        others = (i for i in nearest.tolist() if own.isdisjoint(self.forms_of(words[i])) and self._meanings(words[i]))
        found = list(islice(others, NEIGHBOURS))
        weights = np.exp((cosines[found].astype(np.float64) - 1) / SOFTNESS)
        return [(words[i], float(weight)) for i, weight in zip(found, weights / weights.sum(), strict=True)]

    @remembered(1 << 16)
    def forms_of(self, word: str) -> set[str]:
        """Return keys that forms of the same word share: its own, and those of its singular and base forms."""
        word = self.meanings.plain(word)
        bases = forms.base_forms(word, self._irregular)
        return {forms.key(word), *(forms.key(base) for base, _ in bases)}

    @remembered(1 << 14)
    def taken_for(self, word: str) -> list[Share]:
        """Return the concepts that a word is taken for: its own if it is known, else those of its neighbours."""
        own = self.meanings.of(word)
        if own:
            return [Share(sense.concept, weight) for sense, weight in own]
        nearest = self.of(word)[:STAND_INS]
        total = sum(weight for _, weight in nearest) or 1.0
        return self._shares([(each, weight / total) for each, weight in nearest])

    def votes(self, first: str, second: str) -> dict[str, float]:
        """Return which shares of the first word's neighbours are below the second, the same, beside it, above it.

        Both words must have a vector. No form of the second word counts as a neighbour.
        """
        not_counted = self.forms_of(second)
        nearest = [(word, weight) for word, weight in self.of(first) if not_counted.isdisjoint(self.forms_of(word))]
        total = sum(weight for _, weight in nearest) or 1.0
        here = self._shares([(word, weight / total) for word, weight in nearest])
        there = self.taken_for(second)
        above = self.meanings.above
        found = dict.fromkeys(VOTES, 0.0)
        parents = {share.concept: self.meanings.known.above(share.concept) for share in there}
        for low, share in here:
            up = above(low)
            votes = dict.fromkeys(VOTES, 0.0)
            for high, of_it in there:
                if low == high:
                    votes["same"] = max(votes["same"], of_it)
                elif high in up:
                    votes["above"] = max(votes["above"], of_it)
                elif low in above(high):
                    votes["below"] = max(votes["below"], of_it)
                elif any(up.get(parent, BESIDE + 1) <= BESIDE for parent in parents[high]):
                    votes["beside"] = max(votes["beside"], of_it)
            for name, vote in votes.items():
                found[name] += share * vote
        return found

    def _meanings(self, neighbour: str) -> tuple[Weighted, ...]:
        """Return the senses of a word whose row is known, so that it need not be searched for."""
        return self.meanings.of_term(self._known[1][neighbour])

    def _shares(self, neighbours: Sequence[tuple[str, float]]) -> list[Share]:
        """Return the first senses of words, one for each part of speech, with their shares."""
        found: list[Share] = []
        for word, weight in neighbours:
            first: dict[str, tuple[int, float]] = {}
            for sense, probability in self._meanings(word):
                concept, sum_of_all = first.get(sense.part_of_speech, (sense.concept, 0.0))
                first[sense.part_of_speech] = concept, sum_of_all + probability
            found += [Share(concept, weight * probability) for concept, probability in first.values()]
        return found


def unit(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the vectors at length one; those of length 0 stay."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1))
