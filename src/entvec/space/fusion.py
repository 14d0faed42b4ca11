"""Exact search by all evidence: the best of one product with all keys and of the words that other sources speak for.

The evidence for a word is `weight * score + constant + bonus`, with one constant for known words and one for others. A
backend finds the words with the highest scores; sources list all words that have a bonus above 0, and their scores are
computed one by one. Every other word has no more than `weight * score` and the higher constant, so once the k-th best
evidence is at least that of the last score that was found, the answer is complete (the threshold algorithm of Fagin,
Lotem and Naor, 2003). Otherwise more scores are requested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.ranking_query import Query
from entvec.evidence.rankings import SOURCES, Bonuses, Ranker
from entvec.evidence.reasons import spoken
from entvec.model.model import Side
from entvec.search.request import Backend, Hits, Request
from entvec.vectors.vocabulary import Rows, Vocabulary, WordTable
from entvec.vectors.words import Words

Floats = NDArray[np.float64]

FIRST_HITS = 64
"""How many scores are requested at first."""
MORE = 4
"""How many times as many are requested if these do not suffice."""


@dataclass(frozen=True, eq=False)
class Fused:
    """The best words of each query by all evidence, best first; -1 and -inf fill the places after the last one."""

    rows: Rows
    """A term without a vector has a row after those of the vocabulary."""
    evidence: Floats
    scores: Floats
    """The scores of the vectors less the hubness penalty; NaN without a vector."""


@dataclass(frozen=True, eq=False)
class Fusion:
    """Searches for the hypernyms or hyponyms of words by all evidence.

    Parameters
    ----------
    backend, vocabulary
        Where scores are searched, and the words.
    ranker
        Lists the words that other sources speak for.
    scale, intercept
        What makes calibrated log-odds of scores.
    """

    backend: Backend
    vocabulary: Vocabulary
    ranker: Ranker
    scale: float
    intercept: float

    def search(
        self, request: Request, rows: Rows, queries: list[Query], k: int, among: Rows | None = None, where: Any = None
    ) -> Fused:
        """Return the k best words for each query.

        Parameters
        ----------
        request
            The vectors of the queries that have one, in their order.
        rows
            The row of each query in the vocabulary; -1 for a known word without a vector.
        queries
            The queries.
        k
            How many words to return.
        among, where
            The rows, or the condition on the columns of a database, to which the search is limited.
        """
        bonuses = self.ranker.bonuses(request.side, queries, request.specificity)
        place = np.full(len(queries), -1)
        place[rows >= 0] = np.arange(len(request))
        place[[query.by_facts for query in queries]] = -1
        found = Fused(
            np.full((len(queries), k), -1), np.full((len(queries), k), -np.inf), np.full((len(queries), k), np.nan)
        )
        if where is not None:
            bonuses = self._fulfilling(request, np.flatnonzero(rows >= 0), bonuses, where)
        listed = [self._listed(request, queries[i], int(place[i]), bonuses, i, among) for i in range(len(queries))]
        open_ = np.flatnonzero(place >= 0)
        for i in np.flatnonzero(place < 0).tolist():
            _fill(found, i, *listed[i])
        wanted = max(FIRST_HITS, 4 * k)
        while len(open_) and k:
            size = wanted if self.backend.most is None else min(wanted, self.backend.most)
            hits = self.backend.search(request.take(place[open_]), size, among=among, where=where)
            complete = hits.rows.shape[1] < size or size < wanted
            left = []
            for at, i in enumerate(open_.tolist()):
                own = Hits(hits.rows[at], hits.scores[at])
                others = bonuses.of(i)[0][bonuses.of_other_names(request.side, i)]
                rows_, scores = self._admitted(request.side, queries[i], own, listed[i][0], others, among)
                evidence = self._by_vectors(request.side, queries[i], rows_, scores) + _looked_up(rows_, *bonuses.of(i))
                columns: Any = zip(listed[i], (rows_, evidence, scores), strict=True)
                _fill(found, i, *map(np.concatenate, columns))
                at_most = -np.inf if complete or own.rows[-1] < 0 else self._at_most(request.side, queries[i], own)
                if found.evidence[i, -1] < at_most:
                    left.append(i)
            open_, wanted = np.array(left, np.int64), wanted * MORE
        return found

    def _by_vectors(self, side: Side, query: Query, rows: Rows, scores: Floats) -> Floats:
        """Return what the vectors and constants say of words; of a score that is NaN only the constants."""
        log_odds = np.nan_to_num(self.scale * scores + self.intercept)
        weights = self.ranker.weights.of(side, new=query.is_new)
        return weights["vectors"] * log_odds + self.ranker.constants(side, query, rows)

    def _at_most(self, side: Side, query: Query, hits: Hits) -> float:
        """Return the most evidence that words after the last hit can have."""
        weights = self.ranker.weights.of(side, new=query.is_new)
        by_score = weights["vectors"] * (self.scale * hits.scores[-1] + self.intercept)
        return float(by_score + weights["constant"] + max(weights["unknown"], 0.0))

    def _listed(
        self, request: Request, query: Query, place: int, bonuses: Bonuses, i: int, among: Rows | None
    ) -> tuple[Rows, Floats, Floats]:
        """Return the words that sources speak for: their rows, evidence and scores."""
        rows, by_source = bonuses.of(i)
        values = by_source.sum(axis=1)
        n = len(self.vocabulary)
        chosen = (values > 0) | (place < 0)
        if among is not None:
            chosen &= np.isin(rows, among)
        else:
            facts = by_source[:, SOURCES.index("facts")] != 0
            text = by_source[:, SOURCES.index("text")] > 0
            chosen &= self.ranker.admits(request.side, query, rows, facts, text) & ~bonuses.of_other_names(
                request.side, i
            )
        rows, values = rows[chosen], values[chosen]
        scores = np.full(len(rows), np.nan)
        inside = rows < n
        if place >= 0:
            by = self.ranker.scored_rows(rows)
            scored = np.full(len(rows), np.nan)
            scored[by >= 0] = self.backend.scores(request, place, by[by >= 0])
            scores[inside] = scored[inside]
            values = values + self._by_vectors(request.side, query, rows, scored)
        else:
            values = values + self.ranker.constants(request.side, query, rows, alone=True)
        return rows, values, scores

    def _fulfilling(self, request: Request, asked: Rows, bonuses: Bonuses, where: Any) -> Bonuses:
        """Return the bonuses of rows that fulfil a condition; the database looks, for each query with a vector."""
        fulfils = np.zeros(len(bonuses.row), bool)
        for place, i in enumerate(asked.tolist()):
            own = slice(bonuses.starts[i], bonuses.starts[i + 1])
            rows = bonuses.row[own]
            inside = rows[rows < len(self.vocabulary)]
            if len(inside):
                size = len(inside) if self.backend.most is None else min(len(inside), self.backend.most)
                found = self.backend.search(request.take([place]), size, among=inside, where=where)
                fulfils[own] = np.isin(rows, found.rows[0])
        return bonuses.where(fulfils)

    def _admitted(
        self, side: Side, query: Query, hits: Hits, listed: Rows, others: Rows, among: Rows | None
    ) -> tuple[Rows, Floats]:
        """Return the rows and scores of hits that may be answers, are not listed already, and no other names."""
        there = (hits.rows >= 0) & ~np.isin(hits.rows, listed)
        rows, scores = hits.rows[there], hits.scores[there]
        if among is not None:
            return rows, scores
        admitted = self.ranker.admits(side, query, rows) & ~np.isin(rows, others)
        return rows[admitted], scores[admitted]


def _looked_up(rows: Rows, listed: Rows, values: Floats) -> Floats:
    """Return the sum of what sources say of some rows; 0 for those that none speaks of."""
    if not len(listed):
        return np.zeros(len(rows))
    at = np.minimum(np.searchsorted(listed, rows), len(listed) - 1)
    return np.where(listed[at] == rows, values.sum(axis=1)[at], 0.0)


def _fill(found: Fused, i: int, rows: Rows, evidence: Floats, scores: Floats) -> None:
    """Write the best rows of one query; equal evidence is ordered by row."""
    best = np.lexsort((rows, -evidence))[: found.rows.shape[1]]
    for column, values in ((found.rows, rows), (found.evidence, evidence), (found.scores, scores)):
        column[i, : len(best)] = values[best]


@dataclass(frozen=True, eq=False)
class WordsAndTerms:
    """The words of a vocabulary, then the terms of a knowledge, as one writes them."""

    words: WordTable
    n: int
    terms: Words

    def __getitem__(self, row: int) -> str:
        return spoken(self.terms[row - self.n]) if row >= self.n else self.words[row]
