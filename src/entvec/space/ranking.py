"""Turns queries into matches: a backend finds rows, which become words with scores and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from entvec.model.model import OTHER, Model, Side
from entvec.runtime import blocks
from entvec.search.request import Backend, Hits, Request
from entvec.space import grouping
from entvec.space.matches import BatchMatches
from entvec.space.queries import Query, check_k
from entvec.vectors.vocabulary import Rows, Vocabulary

QUERIES_AT_ONCE = 1 << 14
"""Queries are searched in blocks of this many, so that temporary arrays stay small."""


def rank(
    vocabulary: Vocabulary,
    model: Model,
    backend: Backend,
    side: Side,
    query: Query,
    k: int,
    *,
    among: Rows | None = None,
    where: Any = None,
    exclude_self: bool = True,
    specificity: float | None = None,
    group: bool = False,
) -> BatchMatches:
    """Return the k best words of the other side for words or vectors of this side.

    Parameters
    ----------
    vocabulary, model, backend
        The words, the model that scores them, and the backend that finds them.
    side, query
        The queries and their side of pairs: "hypo" to find hypernyms, "hyper" to find hyponyms.
    k
        How many words to return for each query.
    among, where
        The rows, or a condition on the columns of a database, to which the search is limited.
    exclude_self
        Whether to leave out the query itself.
    specificity
        How much of their hubness words lose, by default that of the model.
    group
        Whether to list inflected forms of a word as one.
    """
    k = check_k(k)
    penalty = model.penalty(side, specificity)
    own = query.rows if exclude_self else None
    wanted = grouping.enough(k) if group else k + (own is not None)
    while True:
        parts = [
            backend.search(Request(side, query.stored(some), penalty), wanted, among=among, where=where)
            for some in blocks(len(query), QUERIES_AT_ONCE) or [slice(0)]
        ]
        hits = Hits(*map(np.concatenate, zip(*parts, strict=True)))
        matches = grouping.pick(_matches(vocabulary, model, backend, side, query, hits, penalty), k, own, group=group)
        there_are_more = hits.rows.shape[1] == wanted and bool((hits.rows[:, -1:] >= 0).any())
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
