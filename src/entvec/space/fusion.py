"""Exact search by all evidence: the best of one product with all keys and of the words that other sources speak for.

The evidence for a word is `weight * score + constant + bonus`, with one constant for known words and one for others. A
backend finds the words with the highest scores; sources list all words that have a bonus above 0, and their scores are
computed one by one. Every other word has no more than `weight * score` and the higher constant, so once the k-th best
evidence is at least that of the last score that was found, the answer is complete (the threshold algorithm of Fagin,
Lotem and Naor, 2003). Otherwise more scores are requested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from entvec.array_types import Floats, Rows
from entvec.evidence.candidates import Asked
from entvec.evidence.ranking_query import Query
from entvec.evidence.rankings import SOURCES, Bonuses, Ranker
from entvec.evidence.reasons import spoken
from entvec.model.model import Side
from entvec.search.request import Backend, Hits, Request
from entvec.vectors.vocabulary import Vocabulary, WordTable
from entvec.vectors.words import Words

FIRST_HITS = 64
"""How many scores are requested at first."""
ROUNDING = 1e-3
"""Scores of hits may differ from those that are computed again by so much."""
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


class Listed(NamedTuple):
    """Words with their evidence: the number of the query, the row, and the numbers."""

    query: Rows
    row: Rows
    evidence: Floats
    score: Floats

    def take(self, at: Rows) -> Listed:
        """Return the words at some positions."""
        columns: Any = (column[at] for column in self)
        return Listed(*columns)


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
        side, asked, n = request.side, Asked.of(queries), len(queries)
        place = np.full(n, -1)
        place[rows >= 0] = np.arange(len(request))
        place[[query.by_facts for query in queries]] = -1
        bonuses = self.ranker.bonuses(side, queries, request.specificity)
        if where is not None:
            bonuses = self._fulfilling(request, np.flatnonzero(rows >= 0), bonuses, where)
        listed = self._listed(side, asked, place, bonuses, among)
        found = Fused(np.full((n, k), -1), np.full((n, k), -np.inf), np.full((n, k), np.nan))
        _fill(found, np.flatnonzero(place < 0), listed)
        open_ = np.flatnonzero(place >= 0)
        passed = [self._codes(listed.query, listed.row)]
        if side == "hypo" and among is None:  # other names of what facts say are no answers, however high they score
            passed.append(self._codes(bonuses.query, bonuses.row)[bonuses.other_name])
        first = wanted = max(FIRST_HITS, 4 * k)
        while len(open_) and k:
            size = wanted if self.backend.most is None else min(wanted, self.backend.most)
            hits = self.backend.search(request.take(place[open_]), size, among=among, where=where)
            if wanted == first:
                listed = self._scored(request, asked, place, listed, open_, hits, k)
            more = self._admitted(side, asked, open_, hits, np.concatenate(passed), among)
            evidence = self._by_vectors(side, asked, more.query, more.row, more.score)
            more = more._replace(evidence=evidence + self._said(bonuses, more))
            columns: Any = zip(listed, more, strict=True)
            _fill(found, open_, Listed(*map(np.concatenate, columns)))
            if hits.rows.shape[1] < size or size < wanted:
                break
            at_most = self._at_most(side, asked, open_, hits)
            open_, wanted = open_[found.evidence[open_, -1] < at_most], wanted * MORE
        return found

    def _codes(self, query: Rows, row: Rows) -> Rows:
        """Return a number for each pair of a query and a row; they rise with both."""
        return query * (len(self.vocabulary) + len(self.ranker.evidence.meanings.known.terms)) + row

    def _weights(self, side: Side, asked: Asked, query: Rows, name: str) -> Floats:
        """Return a weight for each of some queries."""
        by = [self.ranker.weights.of(side, new=new)[name] for new in (False, True)]
        return np.where(asked.is_new[query], by[1], by[0])

    def _by_vectors(self, side: Side, asked: Asked, query: Rows, row: Rows, score: Floats) -> Floats:
        """Return what the vectors and constants say of words; of a score that is NaN only the constants."""
        log_odds = np.nan_to_num(self.scale * score + self.intercept)
        constants = self.ranker.candidates.constants(side, asked, query, row, self.ranker.weights)
        return self._weights(side, asked, query, "vectors") * log_odds + constants

    def _at_most(self, side: Side, asked: Asked, queries: Rows, hits: Hits) -> Floats:
        """Return for each query the most evidence that words after its last hit can have."""
        by_score = self.scale * hits.scores[:, -1] + self.intercept
        vectors, constant, unknown = (
            self._weights(side, asked, queries, name) for name in ("vectors", "constant", "unknown")
        )
        return np.where(hits.rows[:, -1] < 0, -np.inf, vectors * by_score + constant + np.maximum(unknown, 0))

    def _listed(self, side: Side, asked: Asked, place: Rows, bonuses: Bonuses, among: Rows | None) -> Listed:
        """Return the words that sources speak for, with all evidence but that of the vectors, and without scores."""
        candidates = self.ranker.candidates
        values = bonuses.values.sum(axis=1)
        kept = np.flatnonzero((values > 0) | (place[bonuses.query] < 0))
        if among is None:
            facts = bonuses.values[kept, SOURCES.index("facts")] != 0
            text = bonuses.values[kept, SOURCES.index("text")] > 0
            fit = candidates.admits(side, asked, bonuses.query[kept], bonuses.row[kept], facts, text)
            kept = kept[fit & ~(bonuses.other_name[kept] & (side == "hypo"))]
        else:
            kept = kept[np.isin(bonuses.row[kept], among)]
        query, row, values = bonuses.query[kept], bonuses.row[kept], values[kept]
        alone = candidates.constants(side, asked, query, row, self.ranker.weights, alone=True)
        return Listed(query, row, values + np.where(place[query] < 0, alone, 0.0), np.full(len(row), np.nan))

    def _scored(
        self, request: Request, asked: Asked, place: Rows, listed: Listed, queries: Rows, hits: Hits, k: int
    ) -> Listed:
        """Return the words that sources speak for with all evidence, without those that cannot be among the k best.

        A word that is no hit has at most the score of the last one, so most words need no exact score.

        Parameters
        ----------
        request, asked, place
            The vectors, the queries, and the position of the vector of each.
        listed
            The words of `_listed`.
        queries, hits
            Some of the queries, and what was found for them.
        k
            How many words are wanted.
        """
        side, n = request.side, len(self.vocabulary)
        listed = listed.take(np.flatnonzero(place[listed.query] >= 0))
        by = self.ranker.candidates.scored_rows(listed.row)
        at, column = np.nonzero(hits.rows >= 0)
        codes = self._codes(queries[at], hits.rows[at, column])
        order = np.argsort(codes)
        found = np.searchsorted(codes, self._codes(listed.query, by), sorter=order)
        found = order[np.minimum(found, len(codes) - 1)] if len(codes) else np.zeros_like(by)
        is_hit = codes[found] == self._codes(listed.query, by) if len(codes) else np.zeros(len(by), bool)
        most = np.full(len(place), np.inf)
        if hits.rows.shape[1]:  # none where the candidates are an empty list
            full = hits.rows[:, -1] >= 0
            most[queries[full]] = hits.scores[full, -1]
        score = np.where(by < 0, np.nan, most[listed.query])
        score[is_hit] = hits.scores[at, column][found[is_hit]]
        upper = listed.evidence + self._by_vectors(side, asked, listed.query, listed.row, score)
        sure = is_hit | (by < 0)
        kept = np.flatnonzero(upper >= _kth(listed.query[sure], upper[sure], k, len(place))[listed.query] - ROUNDING)
        listed, by = listed.take(kept), by[kept]
        score, at = np.full(len(by), np.nan), np.flatnonzero(by >= 0)
        if len(at):
            score[at] = self.backend.scores(request, place[listed.query[at]], by[at])
        evidence = listed.evidence + self._by_vectors(side, asked, listed.query, listed.row, score)
        score[listed.row >= n] = np.nan
        return listed._replace(evidence=evidence, score=score)

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
        self, side: Side, asked: Asked, queries: Rows, hits: Hits, passed: Rows, among: Rows | None
    ) -> Listed:
        """Return the hits that may be answers and were not passed already, without evidence."""
        at, column = np.nonzero(hits.rows >= 0)
        query, row = queries[at], hits.rows[at, column]
        kept = np.flatnonzero(~np.isin(self._codes(query, row), passed))
        if among is None:
            kept = kept[self.ranker.candidates.admits(side, asked, query[kept], row[kept])]
        return Listed(query[kept], row[kept], np.zeros(len(kept)), hits.scores[at[kept], column[kept]])

    def _said(self, bonuses: Bonuses, listed: Listed) -> Floats:
        """Return the sum of what sources say of some words; 0 for those that none speaks of."""
        if not len(bonuses.row):
            return np.zeros(len(listed.row))
        codes, wanted = self._codes(bonuses.query, bonuses.row), self._codes(listed.query, listed.row)
        at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.where(codes[at] == wanted, bonuses.values[at].sum(axis=1), 0.0)


def _kth(queries: Rows, evidence: Floats, k: int, n: int) -> Floats:
    """Return the k-th largest evidence of each of n queries; -inf for one that has fewer.

    >>> _kth(np.array([0, 0, 1]), np.array([1.0, 3.0, 2.0]), 2, 3)
    array([  1., -inf, -inf])
    """
    order = np.lexsort((-evidence, queries))
    starts = np.searchsorted(queries[order], np.arange(n + 1))
    found = np.full(n, -np.inf)
    enough = np.diff(starts) >= k
    found[enough] = evidence[order[starts[:-1][enough] + k - 1]]
    return found


def _fill(found: Fused, queries: Rows, listed: Listed) -> None:
    """Write the best words of some queries; equal evidence is ordered by row."""
    n, k = found.rows.shape
    chosen = np.zeros(n, bool)
    chosen[queries] = True
    listed = listed.take(np.flatnonzero(chosen[listed.query]))
    listed = listed.take(np.lexsort((listed.row, -listed.evidence, listed.query)))
    place = np.arange(len(listed.query)) - np.searchsorted(listed.query, np.arange(n))[listed.query]
    best = listed.take(np.flatnonzero(place < k))
    at = best.query, place[place < k]
    found.rows[at], found.evidence[at], found.scores[at] = best.row, best.evidence, best.score


@dataclass(frozen=True, eq=False)
class WordsAndTerms:
    """The words of a vocabulary, then the terms of a knowledge, as one writes them."""

    words: WordTable
    n: int
    terms: Words

    def __getitem__(self, row: int) -> str:
        return spoken(self.terms[row - self.n]) if row >= self.n else self.words[row]
