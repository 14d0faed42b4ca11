"""Decides which relation holds, from all evidence that a space has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import RELATION_MODEL
from entvec.evidence.features import RELATIONS
from entvec.evidence.gathering import Evidence, PairEvidence
from entvec.evidence.rankings import Ranker
from entvec.evidence.read_pairs import ReadPairs
from entvec.evidence.read_ranking import ReadRanking
from entvec.evidence.reading_weights import ReadingWeights
from entvec.evidence.reasons import reason, spoken
from entvec.evidence.relation_model import RelationModel
from entvec.evidence.relations import ENTAILING, UNKNOWN, Relations
from entvec.evidence.similar import SimilarWords
from entvec.evidence.text_reasons import text_reason
from entvec.evidence.text_relations import with_text
from entvec.knowledge.facts import no_hierarchy
from entvec.vectors import forms

DECIDED = 0.7
"""The probability from which on a relation is answered by default."""
OTHER_KIND = "they are known as different parts of speech, and no vectors speak of both"
NO_VECTOR = "nothing is known of one of them, and not both have a vector"


class Judge:
    """Weighs evidence by a relation model.

    Parameters
    ----------
    evidence
        Gathers what speaks for and against, or a function that makes it when it is first needed.
    model
        The weights; the bundled ones by default.
    """

    def __init__(self, evidence: Evidence | Callable[[], Evidence], model: RelationModel | None = None) -> None:
        self._evidence, self._model = evidence, model

    @cached_property
    def evidence(self) -> Evidence:
        """What gathers the evidence."""
        return self._evidence() if callable(self._evidence) else self._evidence

    @cached_property
    def model(self) -> RelationModel:
        """The weights of the evidence."""
        return RelationModel.load(RELATION_MODEL) if self._model is None else self._model

    @cached_property
    def ranker(self) -> Ranker:
        """What lists the words that facts, neighbours and spelling speak for."""
        return Ranker(self.evidence)

    @cached_property
    def read_ranking(self) -> ReadRanking | None:
        """What ranks candidates for terms that only an encoder can read; None if the space has no reader."""
        reader = self.evidence.reader
        return None if reader is None else ReadRanking(self.ranker, reader, ReadingWeights.bundled())

    @cached_property
    def read_pairs(self) -> ReadPairs | None:
        """What weighs pairs with such terms."""
        return None if self.read_ranking is None else ReadPairs(self.read_ranking)

    @cached_property
    def similar(self) -> SimilarWords:
        """What groups the words that are used like a word."""
        return SimilarWords(self.ranker)

    def hiding(self, words: Iterable[str], *, synonyms: bool = True) -> Judge:
        """Return the judge of a world that does not know some words, as `Meanings.hiding` hides them."""
        ranker = self.ranker.hiding(words, synonyms=synonyms)
        found = Judge(ranker.evidence, self._model)
        found.__dict__["ranker"] = ranker
        return found

    def probabilities(
        self, first: Sequence[str], second: Sequence[str], base_rates: Mapping[str, float] | None = None
    ) -> NDArray[np.float64]:
        """Return the probabilities of the seven relations, a row for each pair."""
        return self._weigh(self.evidence.of(first, second), first, second, base_rates)

    def _weigh(
        self,
        found: PairEvidence,
        first: Sequence[str],
        second: Sequence[str],
        base_rates: Mapping[str, float] | None,
    ) -> NDArray[np.float64]:
        probabilities = self.model.probabilities(found, base_rates)
        names = self.evidence.of_names(first, second, found)
        if len(names):  # the known individual is meant, or another one: each as probably
            sides = ([words[i] for i in names] for words in (first, second))
            probabilities[names] += self.model.probabilities(self.evidence.of(*sides, facts=False), base_rates)
            probabilities[names] /= 2
        read = self.read(found, first, second)
        if len(read) and self.read_pairs is not None:
            one, other = ([words[i] for i in read] for words in (first, second))
            probabilities[read] = self.read_pairs.probabilities(one, other, self.model.base_rates, base_rates)
        if self.evidence.text is not None:
            probabilities = with_text(probabilities, self.evidence.text, first, second, found)
        identical = [self._identical(one, other) for one, other in zip(first, second, strict=True)]
        probabilities[identical] = np.eye(len(RELATIONS))[RELATIONS.index("same")]
        return probabilities

    def read(self, found: PairEvidence, first: Sequence[str], second: Sequence[str]) -> NDArray[np.intp]:
        """Return which pairs only the encoder can judge: neither vectors nor facts speak of both words.

        Parameters
        ----------
        found
            The evidence for the pairs.
        first, second
            Their words.
        """
        if self.read_pairs is None:
            return np.empty(0, np.intp)
        silent = np.flatnonzero(~found.decidable).tolist()
        return np.array([i for i in silent if self.read_pairs.can_judge(first[i], second[i])], dtype=np.intp)

    def relations(
        self,
        first: Sequence[str],
        second: Sequence[str],
        *,
        precision: float,
        base_rates: Mapping[str, float] | None = None,
    ) -> Relations:
        """Return what the first word of each pair is to the second, with reasons.

        Parameters
        ----------
        first, second
            The words of the pairs.
        precision
            The least probability of a relation that is answered.
        base_rates
            Shares of relations among all pairs that are asked about; those of the model by default.
        """
        found = self.evidence.of(first, second)
        probabilities = self._weigh(found, first, second, base_rates)
        best = probabilities.argmax(axis=1)
        sure = probabilities.max(axis=1, initial=-np.inf) >= precision  # False for NaN
        relations = np.where(sure, np.array(RELATIONS)[best], UNKNOWN)
        situations, read = list(found.situations), set(self.read(found, first, second).tolist())
        reasons = []
        for i, pair in enumerate(zip(first, second, strict=True)):
            if i in read and self.read_pairs is not None and not self._identical(*pair):
                situations[i] = self.read_pairs.situation(*pair)
                reasons.append(self.read_pairs.reason(*pair))
            else:
                reasons.append(self._reason(found, i, pair, best[i]))
        shared = [self._shared(found, i) if relation == "sibling" else None for i, relation in enumerate(relations)]
        return Relations(first, second, relations, probabilities, tuple(situations), reasons, shared)

    def _identical(self, first: str, second: str) -> bool:
        tidy = self.evidence.meanings.tidy
        return forms.key(tidy(first)) == forms.key(tidy(second)) and self.objection(first) is None

    def _reason(self, found: PairEvidence, i: int, pair: tuple[str, str], best: int) -> str:
        if self._identical(*pair):
            return "the same word"
        if not found.sources[i]:
            if objection := next(filter(None, map(self.objection, pair)), None):
                return objection
            known = all(map(self.evidence.meanings.of, pair))
            return no_hierarchy(self.evidence.meanings.known, *pair) or (OTHER_KIND if known else NO_VECTOR)
        relation, facts = RELATIONS[best], self.evidence.text
        if relation not in found.known[i].facts and relation in ("narrower", "broader"):
            hypo, hyper = pair if relation == "narrower" else pair[::-1]
            if said := text_reason(facts, hypo, hyper):
                return said
        return reason(self.evidence, *pair, found.known[i], relation)

    def objection(self, word: str) -> str | None:
        """Return why nothing can be said of a word, if there is a reader and it cannot read it."""
        if self.evidence.reader is None or self.evidence.known_word(word):
            return None
        return self.evidence.objection(word)

    def _shared(self, found: PairEvidence, i: int) -> str | None:
        """Return the name of what siblings share, if that is known."""
        _, fact = found.known[i].facts.get("sibling", (0.0, None))
        if fact is None or fact.shared is None:
            return None
        return spoken(self.evidence.meanings.known.name(fact.shared))


def entailing(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities that the first word of each pair entails the second."""
    return np.asarray(probabilities[:, [RELATIONS.index(name) for name in ENTAILING]].sum(axis=1))
