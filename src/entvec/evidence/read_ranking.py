"""Evidence for rankings of a term that has no vector and that nobody knows: what the encoders, nouns near it, and its
head say of each candidate.

The static table scores all candidates, and the transformer those that this leaves in front.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s, Floats, Ints
from entvec.evidence.candidates import Asked
from entvec.evidence.definitions import word_of
from entvec.evidence.phrase_heads import heads_of, is_about_people, nouns_of
from entvec.evidence.ranking_query import NOUN, USER, Query
from entvec.evidence.read_choices import Choices
from entvec.evidence.reader import NEAREST, Near, Reader
from entvec.evidence.reading_weights import RANKING_FEATURES as FEATURES
from entvec.evidence.reading_weights import ReadingWeights
from entvec.model.model import OTHER, Side
from entvec.remembering import remembered
from entvec.vectors import forms

if TYPE_CHECKING:
    from entvec.evidence.rankings import Ranker


SHORT_LIST = 150
"""How many candidates the transformer reads."""
SOFTNESS = 0.05
"""A noun near a text weighs exp(cosine / SOFTNESS)."""
LEAST_VOTE = 0.01
FARTHEST = 6
"""The most steps above a head, or a modifier."""
LEAST_MEANT = 0.2
"""A candidate counts in the senses in which it is meant at least so probably."""
SIDES: tuple[Side, Side] = ("hypo", "hyper")


class Weighed(NamedTuple):
    """Choices that were weighed for one query, and what describes them."""

    at: Ints
    """Their places among the candidates."""
    features: Floats
    """A row for each, a column for each of FEATURES."""


class Part(NamedTuple):
    """What one source adds to the evidence for a candidate."""

    source: str
    log_odds: float


GROUPS = {
    "encoder": ("table", "transformer"),
    "neighbours": ("vote", "near"),
    "head": ("head", "above head", "tail", "leak"),
    "generality": ("size", "said"),
}
"""The features by what they come from, as an explanation names it."""


class Best(NamedTuple):
    """The best candidates, best first."""

    rows: Ints
    evidence: Floats
    log_odds: Floats
    """What the transformer says alone, without a penalty for general words."""


class ReadRanking:
    """Ranks candidates for terms that only an encoder can read.

    Parameters
    ----------
    ranker
        Knows what may be an answer, and the hierarchy.
    reader
        Reads texts.
    weights
        The weights of FEATURES.
    """

    def __init__(self, ranker: Ranker, reader: Reader, weights: ReadingWeights) -> None:
        self.ranker, self.reader, self.weights = ranker, reader, weights

    def candidates(self, side: Side, among: Ints | None = None) -> Choices:
        """Return the words that may be answers: nouns that one would say, or those in some rows.

        Parameters
        ----------
        side
            The side of the query.
        among
            Rows of the vocabulary.
        """
        return self._all[side] if among is None else self._of_rows(among)

    @cached_property
    def _all(self) -> dict[Side, Choices]:
        ranker = self.ranker
        kinds, n = ranker.hierarchy.term_kinds, len(ranker.evidence.vocabulary)
        terms = np.flatnonzero((kinds & (NOUN | USER) > 0) & (ranker.hierarchy.first_concept >= 0))
        rows = ranker.rows.rows[terms]
        rows = np.where(rows >= 0, rows, n + terms)
        # As for a known word: an encoder reads phrases without a vector like all others.
        asked = Asked.of([Query("", np.zeros(1, np.int64), np.ones(1), frozenset(), NOUN)])
        found: dict[Side, Choices] = {}
        for side in SIDES:
            usable = ranker.names.usable[terms] if side == "hypo" else (rows < n) | (kinds[terms] & USER > 0)
            usable &= (side == "hyper") | ~ranker.hierarchy.names[terms]
            kept = rows[usable & ranker.candidates.admits("hyper", asked, np.zeros(len(rows), np.int64), rows)]
            found[side] = self._of_rows(
                kept, ranker.candidates.admits(side, asked, np.zeros(len(kept), np.int64), kept)
            )
        return found

    def _of_rows(self, rows: Ints, named: NDArray[np.bool_] | None = None) -> Choices:
        vocabulary, known = self.ranker.evidence.vocabulary, self.ranker.evidence.meanings.known
        n = len(vocabulary)
        terms = np.where(rows < n, self.ranker.rows.terms[np.minimum(rows, n - 1)], rows - n)
        words = vocabulary.words_at(rows[rows < n])
        texts = [words[row] if row < n else known.terms[row - n] for row in rows.tolist()]
        plain = [forms.read_as(text) for text in texts]
        of_term = self.ranker.evidence.meanings.of_term
        means = [
            (place, sense.concept)
            for place, term in enumerate(terms.tolist())
            if term >= 0
            for sense, weight in of_term(term)
            if weight >= LEAST_MEANT
        ]
        senses = np.array(means, np.int64).reshape(-1, 2)
        chosen = np.ones(len(rows), bool) if named is None else named
        return Choices(rows, terms, plain, chosen, (senses[:, 0], senses[:, 1]))

    def _by_table(self, side: Side, candidates: Choices, penalty: float) -> Float32s:
        """Return the candidates mapped by the static table, less the generality of hypers."""
        if (side, penalty) not in candidates.mapped:
            vectors = self.reader.table.encoder(candidates.texts)
            candidates.mapped[side, penalty] = self.reader.table.mapped(OTHER[side], vectors, penalty)
        return candidates.mapped[side, penalty]

    @remembered(1 << 12)
    def near(self, text: str) -> Near:
        """Return the known nouns nearest to a text that are not hidden, and are no form of it."""
        near = self.reader.near([text])[0]
        own, known = forms.key(self.reader.wording(word_of(text))), self.ranker.evidence.meanings.known
        hierarchy = self.ranker.hierarchy
        there = (hierarchy.first_concept[near.terms] >= 0) & ~hierarchy.names[near.terms]
        there &= np.array([forms.key(known.terms[term]) != own for term in near.terms.tolist()], dtype=bool)
        return Near(near.terms[there][:NEAREST], near.cosines[there][:NEAREST])

    def features(
        self, side: Side, query: str, candidates: Choices, penalty: float = 1.0, *, most: int = SHORT_LIST
    ) -> Weighed:
        """Return what describes the best candidates for a query.

        Parameters
        ----------
        side, query
            What is asked.
        candidates
            The words to choose from.
        penalty
            How much general words lose.
        most
            How many of them the transformer reads.
        """
        text = self.reader.wording(query)
        found = np.zeros((len(candidates.rows), len(FEATURES)))
        column = dict(zip(FEATURES, found.T, strict=True))
        keys = self._by_table(side, candidates, penalty)
        table, transformer = self.reader.table, self.reader.transformer
        asked = table.mapped(side, table.read([text]), penalty if side == "hyper" else 0.0)
        column["table"][:] = table.log_odds(asked, keys)[0]
        self._add_votes(side, query, candidates, column)
        if side == "hypo":
            self._add_heads(query, candidates, column)
        self._add_names(candidates, column, penalty)
        own, of_head = forms.key(self.reader.wording(word_of(query))), column["head"] + column["above head"] > 0
        at = np.flatnonzero((candidates.named | (column["head"] + column["tail"] > 0)) & (candidates.keys != own))
        if is_about_people(self.ranker.evidence.meanings, query):  # the facts of the head answer, but no insults
            at = at[of_head[at] & ~self.ranker.insulting(candidates.terms[at])]
        if len(at) > most:
            score = found[at] @ self.weights.ranking(side, "table")[0]
            at = np.sort(at[np.argpartition(-score, most - 1)[:most]])
        read = transformer.read([candidates.texts[i] for i in at.tolist()])
        asked = transformer.mapped(side, transformer.read([text]), penalty if side == "hyper" else 0.0)
        column["transformer"][at] = transformer.log_odds(asked, transformer.mapped(OTHER[side], read, penalty))[0]
        return Weighed(at, found[at])

    def _add_votes(self, side: Side, text: str, candidates: Choices, column: dict[str, Floats]) -> None:
        near = self.near(text)
        if not len(near.terms):
            return
        weights = np.exp((near.cosines - near.cosines.max()) / SOFTNESS)
        weights /= weights.sum()
        _, term, votes = self.ranker._votes(side, np.zeros(len(weights), np.int64), near.terms, weights)
        of_term = np.zeros(len(self.ranker.evidence.meanings.known.terms))
        of_term[term] = votes
        said = np.log1p(np.where(candidates.terms >= 0, of_term[candidates.terms], 0.0) / LEAST_VOTE)
        column["vote"][:] = said
        column["near"][:] = said * (float(near.cosines[:5].mean()) - 0.75) * 10

    def _add_heads(self, text: str, candidates: Choices, column: dict[str, Floats]) -> None:
        parts = heads_of(self.ranker.evidence.meanings, text)
        n = len(self.ranker.evidence.meanings.known)
        if parts.head is not None:
            column["head"][candidates.keys == self._base(parts.head)] = 1.0
            column["above head"][:] = candidates.most(self._above(parts.head), n)
        if parts.tail is not None:
            column["tail"][candidates.keys == self._base(parts.tail)] = 1.0
        leaks: dict[int, float] = {}
        for modifier in parts.modifiers:
            for concept, share in self._above(modifier).items():
                leaks[concept] = max(share, leaks.get(concept, 0.0))
        if leaks:
            leaked = candidates.most(leaks, n) - column["above head"] - column["head"]
            column["leak"][:] = np.maximum(leaked, 0.0)

    def _base(self, word: str) -> str:
        senses = nouns_of(self.ranker.evidence.meanings, word)
        return forms.key(senses[0][0].term)

    def _above(self, word: str | None) -> dict[int, float]:
        """Return the concepts at or above a word as a noun, and how probably it is meant so."""
        found: dict[int, float] = {}
        if word is None:
            return found
        for sense, weight in nouns_of(self.ranker.evidence.meanings, word):
            for concept, steps in self.ranker.evidence.meanings.above(sense.concept).items():
                if steps <= FARTHEST:
                    found[concept] = found.get(concept, 0.0) + weight
        return found

    def _add_names(self, candidates: Choices, column: dict[str, Floats], penalty: float) -> None:
        known = candidates.terms >= 0
        terms = candidates.terms[known]
        concepts = self.ranker.hierarchy.first_concept[terms]
        column["size"][known] = penalty * self.ranker._size(concepts)
        column["said"][known] = np.log1p(self.ranker.names.counts[terms])

    def parts(self, query: str, row: int, penalty: float) -> tuple[Part, ...]:
        """Return what each source adds to the evidence that a query is a kind of the word in a row.

        Parameters
        ----------
        query
            A term that only an encoder can read.
        row
            Of the vocabulary, or of a term without a vector, after these.
        penalty
            How much general words lose.
        """
        values = self.features("hypo", query, self._of_rows(np.array([row])), penalty).features
        weights, constant = self.weights.ranking("hypo", "all")
        added = dict(zip(FEATURES, (values * weights).sum(axis=0).tolist(), strict=True))
        parts = (Part(name, sum(added[each] for each in names)) for name, names in GROUPS.items())
        return (Part("constant", constant), *parts)

    def best(self, side: Side, query: str, k: int, among: Ints | None, penalty: float) -> Best:
        """Return the k best candidates for a query.

        Parameters
        ----------
        side, query
            What is asked.
        k
            How many to return.
        among
            Rows of the vocabulary to choose from.
        penalty
            How much general words lose.
        """
        candidates = self.candidates(side, among)
        weighed = self.features(side, query, candidates, penalty, most=max(SHORT_LIST, 2 * k))
        weights, constant = self.weights.ranking(side, "all")
        evidence = weighed.features @ weights + constant
        rows = candidates.rows[weighed.at]
        order = np.lexsort((rows, -evidence))[:k]
        vectors = self.reader.transformer.read([candidates.texts[i] for i in weighed.at[order].tolist()])
        own = np.repeat(self.reader.transformer.read([self.reader.wording(query)]), len(vectors), axis=0)
        pair = (own, vectors) if side == "hypo" else (vectors, own)
        return Best(rows[order], evidence[order], self.reader.transformer.log_odds_of_pairs(*pair))
