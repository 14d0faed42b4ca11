"""Evidence for relations of terms that only an encoder can read: features of pairs, and their probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.evidence.definitions import MEANS, word_of
from entvec.evidence.features import MIRRORED, RELATIONS
from entvec.evidence.gathering import BOTH_NEW, NEW_WORD
from entvec.evidence.meanings import Meanings
from entvec.evidence.phrase_heads import Heads, heads_of, is_about_people, nouns_of
from entvec.evidence.read_features import ENCODER, FEATURES, NAMES, SHARES, SOURCE_OF, START
from entvec.evidence.read_ranking import FARTHEST, ReadRanking
from entvec.evidence.reading_weights import CONSTANT, MEANT_FEATURES
from entvec.evidence.reasons import SHOWN, listed, spoken
from entvec.evidence.relation_model import softmax, with_rates
from entvec.knowledge.people import is_offensive, is_people
from entvec.remembering import remembered
from entvec.vectors import forms

ONE_READ, BOTH_READ = CASES = ("one read", "both read")
"""Whether the encoder speaks of a term that nobody knows and of a known one, or of two that nobody knows."""
SUREST = 9.0
VOTERS = 12
"""How many near nouns stand for a term."""
SOFTNESS = 0.05
BESIDE = 2
KNOWN_NEAR = 1.0
CLOSE = 0.15
"""A reason names nouns whose cosines are so near to that of the nearest one."""
HALF = 0.5

Stand = Sequence[tuple[int, float]]
"""Concepts that stand for a term, with their shares."""


class ReadPairs:
    """Weighs pairs of which at least one term has no vector and is not known.

    Parameters
    ----------
    ranking
        Finds near nouns, and has the reader and the weights.
    """

    def __init__(self, ranking: ReadRanking) -> None:
        self.ranking, self.reader = ranking, ranking.reader
        self.meanings: Meanings = ranking.ranker.evidence.meanings

    @remembered(1 << 14)
    def _heads(self, text: str) -> Heads:
        return heads_of(self.meanings, text)

    def is_read(self, term: str) -> bool:
        """Return whether only an encoder can say what a term is: nothing is known of it."""
        return not self.meanings.of(term)

    def is_read_alone(self, term: str) -> bool:
        """Return whether nothing but an encoder speaks of a term: it has no vector either."""
        return not self.ranking.ranker.evidence.known_word(term)

    def why(self, hypo: str, hyper: str) -> str:
        """Return in a line what speaks most for a term as a kind of another: its head, near nouns, or the encoder."""
        for text in (self.by_head(hypo, hyper), self.by_near(hypo, hyper)):
            if text is not None:
                return text
        return "the encoder alone"

    def by_head(self, hypo: str, hyper: str) -> str | None:
        """Return that the head of a phrase is a kind of a word; None if it is not."""
        parts = self._heads(hypo) if self.is_read(hypo) else Heads(None, None, ())
        word = parts.head or parts.tail
        if word is None:
            return None
        meant = {sense.concept for sense, _ in nouns_of(self.meanings, hyper)}
        own = {sense.concept for sense, _ in nouns_of(self.meanings, word)}
        if forms.key(word) == forms.key(hyper) or meant & own:
            return (
                f"{spoken(hypo)} ends in {spoken(word)}"
                if parts.tail or word_of(hypo).endswith(word)
                else (f"the head of {spoken(hypo)} is {spoken(word)}")
            )
        if meant & self._up(word).keys():
            return f"the head of {spoken(hypo)}, {spoken(word)}, is a kind of {spoken(hyper)}"
        return None

    def by_near(self, hypo: str, hyper: str) -> str | None:
        """Return the nouns nearest to a term that are kinds of a word; None if none is."""
        if not self.is_read(hypo):
            return None
        ranker = self.ranking.ranker
        senses = {sense.concept for sense, _ in nouns_of(self.meanings, hyper)}
        below = []
        for term in self.ranking.near(hypo).terms.tolist():
            concept = int(ranker.hierarchy.first_concept[term])
            if senses & self.meanings.above(concept).keys() and concept not in senses and self._may_say(term):
                below.append(spoken(self.meanings.known.terms[term]))
        if not below:
            return None
        kinds = "kinds of" if len(below) > 1 else "a kind of"
        return f"{spoken(hypo)} reads like {listed(below[:SHOWN])}, {kinds} {spoken(hyper)}"

    def can_judge(self, first: str, second: str) -> bool:
        """Return whether a pair is one for the encoder: one of them is no known noun, and both can be read."""
        evidence = self.ranking.ranker.evidence
        if not (self.is_read(first) or self.is_read(second)):
            return False
        if any(is_about_people(self.meanings, term) for term in (first, second)):  # only the facts of heads speak
            return self.by_head(first, second) is not None or self.by_head(second, first) is not None
        return all(
            not evidence.is_flat(term) and (evidence.known_word(term) or evidence.objection(term) is None)
            for term in (first, second)
        )

    def situation(self, first: str, second: str) -> str:
        """Return how much is known of a pair, and that the encoder speaks of it."""
        return f"{BOTH_NEW if self.is_read(first) and self.is_read(second) else NEW_WORD}, {ENCODER}"

    def reason(self, first: str, second: str) -> str:
        """Return in a line what is read in the terms of a pair: their heads, and the nouns near them."""
        return "; ".join(filter(None, map(self._reason_of, dict.fromkeys((first, second)))))

    def _reason_of(self, term: str) -> str:
        if not self.is_read(term):
            return ""
        parts = self._heads(term)
        said = [f"{spoken(term)} is new"]
        if parts.head is not None:
            said.append(f"its head is {spoken(parts.head)}")
        if self.meant(term) < HALF:
            said.append("its letters tell little")
        elif not is_about_people(self.meanings, term) and (near := self.near_words(term)):
            said.append(f"read like {listed(near)}")
        return ", ".join(said)

    def _may_say(self, term: int) -> bool:
        """Return whether a term may be named in a reason: it neither offends nor is a group of people."""
        known = self.meanings.known
        return not (is_offensive(known, known.terms[term]) or is_people(known, known.terms[term]))

    def near_words(self, term: str) -> list[str]:
        """Return the known nouns nearest to a term that one may say."""
        ranker = self.ranking.ranker
        near = self.ranking.near(term)
        close = near.terms[near.cosines >= near.cosines.max(initial=0.0) - CLOSE].tolist()
        terms = [term for term in close if self._may_say(term)]
        return [spoken(ranker.evidence.meanings.known.terms[each]) for each in terms[:SHOWN]]

    def cases(self, first: Sequence[str], second: Sequence[str]) -> list[str]:
        """Return the case of each pair."""
        pairs = zip(first, second, strict=True)
        return [BOTH_READ if self.is_read(one) and self.is_read(other) else ONE_READ for one, other in pairs]

    def encoder_log_odds(self, first: str, second: str) -> tuple[float, float]:
        """Return what the transformer alone says of a pair, and of the pair reversed, in log-odds."""
        tower = self.reader.transformer
        one, other = (tower.read([self.reader.wording(self.meanings.plain(term))]) for term in (first, second))
        return float(tower.log_odds_of_pairs(one, other)[0]), float(tower.log_odds_of_pairs(other, one)[0])

    def features(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return a row for each pair, a column for each of FEATURES."""
        texts = [[self.reader.wording(self.meanings.plain(term)) for term in side] for side in (first, second)]
        columns: dict[str, Floats] = {}
        for name in ("table", "transformer"):
            tower = getattr(self.reader, name)
            one, other = (tower.read(side) for side in texts)
            columns[name] = np.clip(tower.log_odds_of_pairs(one, other), -SUREST, SUREST)
            columns[f"{name} reversed"] = np.clip(tower.log_odds_of_pairs(other, one), -SUREST, SUREST)
            if name == "transformer":
                columns["cosine"] = np.sum(one * other, axis=1, dtype=np.float64)
                columns["likeness"] = tower.encoder.sameness(one, other).astype(np.float64)
        found = np.zeros((len(first), len(FEATURES)))
        for name, column in columns.items():
            found[:, NAMES.index(name)] = column
        for i, (one, other) in enumerate(zip(first, second, strict=True)):
            for name, value in self._of_pair(one, other).items():
                found[i, NAMES.index(name)] = value
        return found

    def _of_pair(self, first: str, second: str) -> dict[str, float]:
        (near, how_near), (other_near, other_how) = self._near(first), self._near(second)
        found = {f"near {name}": share for name, share in self._shares(near, other_near).items()}
        found |= {"nearness first": how_near, "nearness second": other_how}
        heads = self._by_head(first), self._by_head(second)
        found |= {f"head {name}": share for name, share in self._shares(*heads).items()}
        for side, term, other, stand in (("first", first, second, heads[1]), ("second", second, first, heads[0])):
            parts = self._heads(term) if self.is_read(term) else Heads(term, None, ())
            key, whole = forms.key(word_of(other)), forms.key(word_of(term))
            ends = "ends in second" if side == "first" else "ends in first"
            found[ends] = float(whole != key and whole.endswith(key) and len(key) >= 3)
            found[f"headless {side}"] = float(parts.head is None)
            found[f"leak {side}"] = self._leak(parts, stand)
        return found

    def _leak(self, parts: Heads, stand: Stand) -> float:
        """Return how far another term is above a modifier, and not above the head."""
        if not parts.modifiers:
            return 0.0
        above = [self._up(word) for word in parts.modifiers]
        own = self._up(parts.head) if parts.head else {}
        found = 0.0
        for concept, share in stand:
            leaked = max(up.get(concept, 0.0) for up in above)
            found += share * max(leaked - own.get(concept, 0.0), 0.0)
        return found

    def _up(self, word: str) -> dict[int, float]:
        found: dict[int, float] = {}
        for sense, weight in nouns_of(self.meanings, word):
            for concept, steps in self.meanings.above(sense.concept).items():
                if steps <= FARTHEST:
                    found[concept] = found.get(concept, 0.0) + weight
        return found

    @remembered(1 << 14)
    def _near(self, term: str) -> tuple[Stand, float]:
        """Return the concepts of the nouns near a term, or its own if it is known, and how near they are."""
        if own := nouns_of(self.meanings, term):
            return [(sense.concept, weight) for sense, weight in own], KNOWN_NEAR
        near = self.ranking.near(term)
        if not len(near.terms):
            return [], 0.0
        cosines = near.cosines[:VOTERS]
        weights = np.exp((cosines - cosines.max()) / SOFTNESS)
        first = self.ranking.ranker.hierarchy.first_concept[near.terms[:VOTERS]].tolist()
        return list(zip(first, (weights / weights.sum()).tolist(), strict=True)), float(cosines[:5].mean())

    @remembered(1 << 14)
    def _by_head(self, term: str) -> Stand:
        """Return the concepts of the head of a term, or its own if it is known."""
        own = nouns_of(self.meanings, term)
        if not own:
            parts = self._heads(term)
            word = parts.head or parts.tail
            own = nouns_of(self.meanings, word) if word else []
        return [(sense.concept, weight) for sense, weight in own]

    def _shares(self, here: Stand, there: Stand) -> dict[str, float]:
        """Return how far the first is below the second, the same, beside it or above it."""
        found = dict.fromkeys(SHARES, 0.0)
        above, known = self.meanings.above, self.meanings.known
        parents = {concept: known.above(concept) for concept, _ in there}
        for low, share in here:
            up = above(low)
            votes = dict.fromkeys(SHARES, 0.0)
            for high, of_it in there:
                if low == high:
                    votes["same"] += of_it
                elif high in up:
                    votes["above"] += of_it
                elif low in above(high):
                    votes["below"] += of_it
                elif any(up.get(parent, BESIDE + 1) <= BESIDE for parent in parents[high]):
                    votes["beside"] += of_it
            for name, vote in votes.items():
                found[name] += share * vote
        return found

    def probabilities(
        self, first: Sequence[str], second: Sequence[str], rates: Floats, base_rates: Mapping[str, float] | None = None
    ) -> Floats:
        """Return the probabilities of the seven relations, a row for each pair.

        Parameters
        ----------
        first, second
            The terms of the pairs.
        rates
            The usual shares of the relations.
        base_rates
            Shares of some relations among all pairs that are asked about.
        """
        shares = rates if base_rates is None else with_rates(rates, base_rates)
        found = softmax(self._of_all(first, second) + np.log(shares))
        meant = np.array([self.meant(one) * self.meant(other) for one, other in zip(first, second, strict=True)])
        return np.asarray(meant[:, None] * found + (1 - meant[:, None]) * shares)

    @remembered(1 << 14)
    def meant(self, term: str) -> float:
        """Return how probably a term is read as it is meant: less for words whose pieces mean nothing, as cortado.

        Nothing is said of a term that is not, so that all relations are as probable as usual.
        """
        if not self.is_read(term):
            return 1.0
        parts, weights = self._heads(term), self.ranking.weights.meant
        if MEANS in term or parts.head is not None:
            return _share(weights["phrase"][CONSTANT])
        said = sum(weights["word"][name] * value for name, value in self.signs(term).items())
        return _share(said + weights["word"][CONSTANT])

    def signs(self, term: str) -> dict[str, float]:
        """Return what tells whether a term is read as it is meant, a number for each of MEANT_FEATURES."""
        tail = float(self._heads(term).tail is not None)
        values = (self._near(term)[1], self.reader.letters_a_piece(term), tail)
        return dict(zip(MEANT_FEATURES, values, strict=True))

    def log_odds_by_source(self, first: str, second: str) -> dict[str, Floats]:
        """Return what each source adds to the log-odds of the relations of a pair: heads, near nouns, the encoders."""
        return {source: self._of_all([first], [second], source)[0] for source in (START, *dict.fromkeys(SOURCE_OF))}

    def _of_all(self, first: Sequence[str], second: Sequence[str], source: str | None = None) -> Floats:
        """Return the log-odds of the relations of pairs, a row for each; by one source, or by all of them."""
        cases = np.array(self.cases(first, second))
        # Weights are for pairs whose first term is read; where both are, both orders count as much.
        turned = np.array(
            [case == ONE_READ and not self.is_read(term) for case, term in zip(cases, first, strict=True)]
        )
        found = np.zeros((len(first), len(RELATIONS)))
        straight, back = ~turned, turned | (cases == BOTH_READ)
        found[straight] = self._log_odds(first, second, cases, np.flatnonzero(straight), source)
        reverse = self._log_odds(second, first, cases, np.flatnonzero(back), source)[:, MIRRORED]
        found[back] = np.where(turned[back, None], reverse, (found[back] + reverse) / 2)
        return found

    def _log_odds(
        self,
        first: Sequence[str],
        second: Sequence[str],
        cases: NDArray[np.str_],
        at: NDArray[np.intp],
        source: str | None,
    ) -> Floats:
        """Return the log-odds of the relations of some pairs."""
        found = np.zeros((len(at), len(RELATIONS)))
        if not len(at):
            return found
        counted = np.array([source in (None, own) for own in SOURCE_OF])
        constant = float(source in (None, START))
        features = self.features(*([words[i] for i in at.tolist()] for words in (first, second))) * counted
        for case in CASES:
            some, weights = cases[at] == case, self.ranking.weights.relations[case]
            table = np.stack([weights[name] for name in NAMES])
            found[some] = features[some] @ table + constant * np.asarray(weights[CONSTANT])
        return found


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
