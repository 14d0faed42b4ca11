"""What the known words are that are used like a word: kinds of another word, or mostly something else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from entvec.bundled import gloss_words
from entvec.evidence.rankings import FARTHEST, LEAST_DEPTH, Ranker
from entvec.evidence.reasons import SHOWN, listed, spoken
from entvec.knowledge.people import is_offensive, is_people
from entvec.remembering import remembered

COMMON = 3.0
"""The log of how many glosses use a common word."""
LEAST_MEMBERS = 2
"""What fewer neighbours are is not what they mostly are."""
WORDS_REMEMBERED = 64


class Similar(NamedTuple):
    """Known words that are used like a word, and what they are."""

    kind: str
    words: tuple[str, ...]
    """The most similar ones."""
    share: float
    """The share of all neighbours that are of this kind, weighted by likeness."""
    supports: bool
    """Whether the kind is the hyper in question; otherwise the neighbours are something else."""

    @property
    def text(self) -> str:
        """The words and their kind: "peach, a kind of fruit"."""
        kinds = "kinds of" if len(self.words) > 1 else "a kind of"
        return f"{listed([spoken(word) for word in self.words])}, {kinds} {spoken(self.kind)}"


class _Neighbour(NamedTuple):
    word: str
    weight: float
    above: Mapping[int, int]
    """The concepts above what the word most probably means, and the steps to each."""
    kinds: Mapping[int, float]
    """The concepts near above the word in any sense, and how probably it is meant so."""


class SimilarWords:
    """Groups the neighbours of a word by what they are.

    >>> from entvec.space import default_space
    >>> for found in default_space().judge.similar.groups("guitar", "instrument"):
    ...     print(found.text, found.supports)
    acoustic guitar, electric guitar and mandolin, kinds of instrument True
    guitarist, drummer and keyboardist, kinds of musician False

    Parameters
    ----------
    ranker
        Finds the neighbours.
    """

    def __init__(self, ranker: Ranker) -> None:
        self.ranker = ranker

    def supporting(self, hypo: str, hyper: str) -> Similar | None:
        """Return the neighbours of the hypo that are known to be kinds of the hyper; None if there are none."""
        senses = self._senses(hyper)
        neighbours = self._neighbours(hypo)
        return _group(hyper, [each for each in neighbours if senses & each.above.keys()], neighbours, supports=True)

    def others(self, hypo: str, hyper: str) -> Similar | None:
        """Return what those neighbours mostly are that are no kinds of the hyper; None if they have little in common.

        Neighbours that are kinds of the hyper in a less probable sense are neither.
        """
        senses = self._senses(hyper)
        neighbours = self._neighbours(hypo)
        others = [each for each in neighbours if not senses & (each.above.keys() | each.kinds.keys())]
        main = self._mostly(others, {c for sense in senses for c in self.ranker.evidence.meanings.above(sense)})
        members = [each for each in others if main in each.kinds]
        if main is None or len(members) < LEAST_MEMBERS:
            return None
        return _group(self.ranker.evidence.meanings.known.name(main), members, neighbours, supports=False)

    def groups(self, hypo: str, hyper: str) -> tuple[Similar, ...]:
        """Return the neighbours of the hypo that are kinds of the hyper, and what the others mostly are.

        A word without a vector has no neighbours, and neither has a group of people.
        """
        return tuple(filter(None, (self.supporting(hypo, hyper), self.others(hypo, hyper))))

    def nearest(self, word: str, k: int) -> list[str]:
        """Return the known words that are used most like a word; none for one without a vector or a group of people.

        >>> from entvec.space import default_space
        >>> default_space().judge.similar.nearest("piano", 3)
        ['violin', 'cello', 'clarinet']

        Parameters
        ----------
        word
            A word.
        k
            How many words to return at most.
        """
        return [spoken(each.word) for each in self._neighbours(word)[:k]]

    def _senses(self, word: str) -> set[int]:
        return {sense.concept for sense, _ in self.ranker.evidence.meanings.of(word)}

    @remembered(WORDS_REMEMBERED)
    def _neighbours(self, word: str) -> list[_Neighbour]:
        """Return the neighbours, the most similar first, except words that offend and groups of people."""
        meanings, known = self.ranker.evidence.meanings, self.ranker.evidence.meanings.known
        _, terms, weights = self.ranker.nearest([self.ranker.query(word)])
        found = []
        for i in np.argsort(-weights).tolist():
            term = int(terms[i])
            name, concept = known.terms[term], int(self.ranker.hierarchy.first_concept[term])
            if is_offensive(known, name) or is_people(known, name):
                continue
            above = {other: steps for other, steps in meanings.above(concept).items() if steps}
            kinds: dict[int, float] = {}
            for sense, probability in meanings.of_term(term):
                for other, steps in meanings.above(sense.concept).items():
                    if 0 < steps <= FARTHEST:
                        kinds[other] = kinds.get(other, 0.0) + probability
            found.append(_Neighbour(name, float(weights[i]), above, kinds))
        return found

    def _mostly(self, neighbours: list[_Neighbour], broader: set[int]) -> int | None:
        """Return what most neighbours are; deep concepts and familiar names count for more, what is broader not."""
        votes: dict[int, float] = {}
        for each in neighbours:
            for concept, probability in each.kinds.items():
                if concept not in broader:
                    votes[concept] = votes.get(concept, 0.0) + each.weight * probability
        known, depth = self.ranker.evidence.meanings.known, self.ranker.hierarchy.depth
        worth = {
            concept: vote * (int(depth[concept]) - LEAST_DEPTH + 1) * _familiarity(known.name(concept))
            for concept, vote in votes.items()
        }
        best = max(worth, key=worth.__getitem__, default=None)
        return None if best is None or worth[best] <= 0 else best


def _familiarity(name: str) -> float:
    """Return how readily one would say a name: the log of how many glosses use it, less for a phrase."""
    return min(math.log1p(gloss_words().get(name, 0)), COMMON) / len(name.split("_"))


def _group(kind: str, members: list[_Neighbour], all_: list[_Neighbour], *, supports: bool) -> Similar | None:
    if not members:
        return None
    share = sum(each.weight for each in members) / sum(each.weight for each in all_)
    return Similar(kind, tuple(each.word for each in members[:SHOWN]), share, supports)
