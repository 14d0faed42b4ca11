"""What texts say of the words that are asked about, and of words that are used like them, as a source of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.neighbours import unit
from entvec.evidence.ranking_query import Query
from entvec.evidence.term_rows import TermRows
from entvec.evidence.text_facts import TextFacts
from entvec.evidence.text_weights import RANKING_NAMES, TextWeights
from entvec.model.model import OTHER, Side
from entvec.vectors.vocabulary import Vocabulary

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ENOUGH = 2.0
"""A term that only texts have is an answer if so much is said for it, and more than for the pair reversed."""
LEAST_SHARE = 0.01
LEAST_VOTE = 0.02
"""Votes count by log(1 + vote / LEAST_VOTE)."""
NEIGHBOURS = 40
SOFTNESS = 0.1
"""A neighbour weighs exp(cosine / SOFTNESS)."""
AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class TextRanking:
    """Lists the terms that texts speak for.

    Parameters
    ----------
    facts
        What the texts say.
    rows
        Which term has which vector.
    vocabulary
        The words that have vectors.
    weights
        What it is worth; the bundled ones by default.
    """

    facts: TextFacts
    rows: TermRows
    vocabulary: Vocabulary
    weights: TextWeights | None = None

    def listed(self, side: Side, queries: Sequence[Query]) -> tuple[Ints, Ints, Floats]:
        """Return what texts say for answers: numbers of queries, terms, log-odds.

        Parameters
        ----------
        side
            "hypo" if hypernyms are asked for, "hyper" if hyponyms are.
        queries
            The words that are asked about; texts say nothing of those of which facts alone do.
        """
        query, term, features = self.features(side, queries)
        weights = self.weights or TextWeights.bundled()
        table = np.array([[weights.of_ranking(new=new)[name] for name in RANKING_NAMES] for new in (False, True)])
        of_new = np.array([each.is_new for each in queries], dtype=bool)[query]
        return query, term, np.sum(features * table[of_new.astype(int)], axis=1)

    def features(self, side: Side, queries: Sequence[Query]) -> tuple[Ints, Ints, Floats]:
        """Return what texts say for answers: numbers of queries, terms, and a column for each of RANKING_NAMES.

        Terms that only texts have are there if enough is said for them.
        """
        asked = [i for i, query in enumerate(queries) if not query.by_facts]
        terms = [sorted(queries[i].terms) for i in asked]
        owner = np.repeat(np.array(asked, np.int64), [len(each) for each in terms])
        named = np.array([term for each in terms for term in each], np.int64)
        said, reverse = (self.facts.about(each, owner, named) for each in (side, OTHER[side]))
        n = len(self.facts.known.terms)
        voted, vote = self._votes(side, asked, queries)
        parts = [said.owner * n + said.term, reverse.owner * n + reverse.term, voted]
        codes, at = np.unique(np.concatenate(parts), return_inverse=True)
        own, reversed_, borrowed = np.split(at, np.cumsum([len(part) for part in parts])[:2])
        there, share, back, votes = np.zeros((4, len(codes)))
        np.add.at(there, own, said.amount)
        np.maximum.at(share, own, said.share)
        np.add.at(back, reversed_, reverse.amount)
        votes[borrowed] = vote
        query, term = codes // n, codes % n
        kept = ~self.facts.only[term] | ((there >= ENOUGH) & (there > back))
        kept &= ~np.isin(codes, owner * n + named)
        table = np.log1p([there, share / LEAST_SHARE, back, votes / LEAST_VOTE]).T
        return query[kept], term[kept], table[kept]

    def _votes(self, side: Side, asked: list[int], queries: Sequence[Query]) -> tuple[Ints, Floats]:
        """Return which share of the words used like each query has each term, by weight; pairs as one number."""
        rows = self.vocabulary.rows([queries[i].word for i in asked])
        there = np.flatnonzero(rows >= 0)
        if not len(there) or not len(self._named[side][0]):
            return np.empty(0, np.int64), np.empty(0)
        parts = [self._some_votes(side, [asked[i] for i in some], rows[some], queries) for some in _blocks(there)]
        codes, votes = (np.concatenate(each) for each in zip(*parts, strict=True))
        return codes, votes

    def _some_votes(self, side: Side, asked: list[int], rows: Ints, queries: Sequence[Query]) -> tuple[Ints, Floats]:
        terms, matrix = self._named[side]
        cosines = unit(np.asarray(self.vocabulary.take(rows).matrix, np.float32)) @ matrix.T
        for i, query in enumerate(asked):
            cosines[i, np.isin(terms, list(queries[query].terms))] = -2.0
        k = min(NEIGHBOURS, len(terms))
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        weights = np.exp((np.take_along_axis(cosines, best, axis=1).astype(np.float64) - 1) / SOFTNESS)
        weights /= weights.sum(axis=1, keepdims=True)
        said = self.facts.about(side, np.arange(best.size), terms[best.ravel()])
        queried = np.array(asked, np.int64)[said.owner // k]
        codes, at = np.unique(queried * len(self.facts.known.terms) + said.term, return_inverse=True)
        votes = weights.ravel()[said.owner] * np.minimum(said.amount, 1.0)
        return codes, np.asarray(np.bincount(at, votes, minlength=len(codes)), np.float64)

    @cached_property
    def _named(self) -> dict[Side, tuple[Ints, NDArray[np.float32]]]:
        """For each side the terms that texts name there and that have a vector, and the vectors at unit length."""
        found: dict[Side, tuple[Ints, NDArray[np.float32]]] = {}
        sides: tuple[Side, ...] = ("hypo", "hyper")
        for side in sides:
            terms = np.flatnonzero(self.facts.named(side) & (self.rows.rows >= 0))
            found[side] = terms, unit(np.asarray(self.vocabulary.take(self.rows.rows[terms]).matrix, np.float32))
        return found


def _blocks(rows: Ints) -> list[Ints]:
    return [rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)]
