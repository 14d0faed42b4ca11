"""Turns queries into matches: a backend finds rows, which become words with scores and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from entvec.array_types import Rows
from entvec.errors import InvalidInput
from entvec.evidence.definitions import named
from entvec.evidence.judge import Judge
from entvec.evidence.ranking_query import meant
from entvec.evidence.ranking_reasons import RankingReasons
from entvec.model.model import OTHER, Model, Side
from entvec.runtime import blocks
from entvec.search.request import Backend, Hits, Request
from entvec.space import grouping
from entvec.space.fusion import Fusion, WordsAndTerms
from entvec.space.matches import BatchMatches
from entvec.space.queries import Query, check_k
from entvec.space.reading import are_read, fill_read
from entvec.vectors.vocabulary import Vocabulary

QUERIES_AT_ONCE = 1 << 14
"""Queries are searched in blocks of this many, so that temporary arrays stay small."""


class SearchOptions(NamedTuple):
    """How many words a search returns for each query, and which."""

    k: int
    among: Rows | None = None
    """The rows to which the search is limited."""
    where: Any = None
    """A condition on the columns of a database that words must fulfil."""
    exclude_self: bool = True
    """Whether to leave out the query itself."""
    specificity: float | None = None
    """How much of their hubness words lose, by default that of the model."""
    group: bool = False
    """Whether to list inflected forms of a word as one."""


def rank(
    vocabulary: Vocabulary, model: Model, backend: Backend, side: Side, query: Query, options: SearchOptions
) -> BatchMatches:
    """Return the k best words of the other side for words or vectors of this side.

    Parameters
    ----------
    vocabulary, model, backend
        The words, the model that scores them, and the backend that finds them.
    side, query
        The queries and their side of pairs: "hypo" to find hypernyms, "hyper" to find hyponyms.
    options
        How many words to return, and which.
    """
    penalty = model.penalty(side, options.specificity)

    def search(wanted: int) -> BatchMatches:
        parts = [
            backend.search(Request(side, query.stored(some), penalty), wanted, among=options.among, where=options.where)
            for some in blocks(len(query), QUERIES_AT_ONCE) or [slice(0)]
        ]
        hits = Hits(*map(np.concatenate, zip(*parts, strict=True)))
        return _matches(vocabulary, model, backend, side, query, hits, penalty)

    return _selected(search, query.rows, options)


def rank_by_evidence(
    vocabulary: Vocabulary,
    model: Model,
    backend: Backend,
    judge: Judge,
    side: Side,
    words: Sequence[str],
    options: SearchOptions,
    context: str | None = None,
) -> BatchMatches:
    """Return the k best words of the other side for words of this side, by all evidence.

    Parameters
    ----------
    vocabulary, model, backend
        The words, the model that scores them, and the backend that finds them.
    judge
        What weighs evidence.
    side, words
        The queries and their side of pairs. Each is known or has a vector.
    options
        How many words to return, and which.
    context
        A text in which the words are used: it tells which of their senses are meant.
    """
    if (calibration := model.calibration) is None:
        raise InvalidInput("this space is not calibrated, so evidence cannot be added to its scores")
    penalty = model.penalty(side, options.specificity)
    queries = [judge.ranker.query(word, context) for word in words]
    rows = vocabulary.rows([query.word for query in queries])
    fusion = Fusion(backend, vocabulary, judge.ranker, *calibration.line())
    known = judge.evidence.meanings.known
    senses = meant(judge.evidence, words, queries, context)
    weighing = RankingReasons(judge, side, senses)
    n = len(vocabulary)
    read, unread = (are_read(rows, queries, texts) for texts in (judge.evidence.text, None))

    def search(wanted: int) -> BatchMatches:
        parts = []
        for some in blocks(len(words), QUERIES_AT_ONCE) or [slice(0)]:
            vectors = vocabulary.take(rows[some][rows[some] >= 0]).matrix
            request = Request(side, vectors, penalty)
            fused = fusion.search(request, rows[some], queries[some], wanted, options.among, options.where)
            if judge.read_ranking is not None:
                read[some] |= unread[some] & (fused.rows < 0).all(axis=1)  # texts name it, but nothing that may answer
                chosen = (read[some], queries[some], options.among, options.where)
                fill_read(fused, backend, model, judge.read_ranking, request, *chosen)
            parts.append(fused)
        found, evidence, scores = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "evidence", "scores")
        )
        seen = (found >= 0) & (found < n)
        if penalty:
            by_vectors = seen if judge.read_ranking is None else seen & ~read[:, None]
            scores[by_vectors] += penalty * backend.hubness(OTHER[side], found[by_vectors])
        scores[found < 0] = -np.inf
        table = WordsAndTerms(vocabulary.words_at(found[seen]), n, known.terms)
        calibrated = np.where(found >= 0, calibration.probability(scores), 0.0)
        asked = list(map(named, words))
        return BatchMatches(asked, table, found, scores, calibrated, evidence, weighing=weighing)

    if not options.exclude_self:
        queries = [query._replace(terms=frozenset()) for query in queries]
    return _selected(search, rows, options)


def _selected(search: Callable[[int], BatchMatches], own: Rows | None, options: SearchOptions) -> BatchMatches:
    """Return the k best matches of a search for as many as are needed, without the query itself."""
    k, group, own = check_k(options.k), options.group, own if options.exclude_self else None
    wanted = grouping.enough(k) if group else k + (own is not None)
    while True:
        found = search(wanted)
        matches = grouping.pick(found, k, own, group=group)
        there_are_more = found.indices.shape[1] == wanted and bool((found.indices[:, -1:] >= 0).any())
        if not group or not there_are_more or all(len(each) >= k for each in matches.variants):
            return matches
        wanted *= 4  # many forms of few words: search further


def _matches(
    vocabulary: Vocabulary, model: Model, backend: Backend, side: Side, query: Query, hits: Hits, penalty: float
) -> BatchMatches:
    found = hits.rows >= 0
    scores = hits.scores.copy()
    if penalty and found.any():
        scores[found] += penalty * backend.hubness(OTHER[side], hits.rows[found])
    words = vocabulary.words_at(hits.rows[found])
    return BatchMatches(query.words, words, hits.rows, scores, model.probabilities(scores), hits.scores)
