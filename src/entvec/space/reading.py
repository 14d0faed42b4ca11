"""Rankings of terms that have no vector and that nobody knows: the encoder answers, among the words of the space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.evidence.definitions import MEANS
from entvec.evidence.gathering import Evidence
from entvec.evidence.judge import Judge
from entvec.evidence.ranking_query import Query
from entvec.evidence.read_ranking import SOFTNESS, ReadRanking
from entvec.evidence.text_facts import TextFacts
from entvec.model.model import Model
from entvec.search.request import Backend, Request
from entvec.space.fusion import Fused
from entvec.space.queries import Encoded
from entvec.space.queries import Query as Searched
from entvec.text import Encoder
from entvec.vectors import forms
from entvec.vectors.vocabulary import Vocabulary

OTHERS = 0.93
"""What the mean of the other words of a phrase weighs beside its head."""
STAND_INS = 15
"""How many near nouns make the vector of a word."""


def are_read(rows: Rows, queries: Sequence[Query], texts: TextFacts | None) -> NDArray[np.bool_]:
    """Return which queries only an encoder can answer: no vector, no fact and no text speaks of them.

    Parameters
    ----------
    rows
        The row of each query; -1 without a vector.
    queries
        The queries.
    texts
        What texts say, if there are any.
    """
    new = [query.is_new and not (texts is not None and texts.has(query.word)) for query in queries]
    return np.asarray((rows < 0) & np.array(new, dtype=bool))


def read_by(
    vocabulary: Vocabulary, evidence: Evidence | None, encoder: Encoder | None, words: Sequence[str]
) -> list[str]:
    """Return what speaks of each word: its vector, facts alone, an encoder, or nothing.

    Parameters
    ----------
    vocabulary
        The words that have vectors.
    evidence
        What is known, and what reads terms; None if nothing does.
    encoder
        What reads terms in a space of an encoder's vectors.
    words
        The words.
    """
    plain = list(words) if evidence is None else [evidence.meanings.plain(word) for word in words]
    found = []
    for word, row in zip(plain, vocabulary.rows(plain).tolist(), strict=True):
        if row >= 0:
            found.append("vector")
        elif evidence is not None and evidence.known_word(word):
            found.append("facts")
        elif encoder is not None or (evidence is not None and evidence.objection(word) is None):
            found.append("encoder")
        else:
            found.append("nothing")
    return found


def fill_scores(
    judge: Judge, model: Model, hypos: Sequence[str | None], hypers: Sequence[str | None], scores: NDArray[np.float64]
) -> None:
    """Write scores of pairs that have none: those of the model that have the log-odds which the encoder gives.

    Words that have a vector in another spelling (`the dog!`, `ice-cream`) have the score of these vectors.

    Parameters
    ----------
    judge, model
        What has the reader, and the model of the other scores.
    hypos, hypers
        The words, as many of both or one of either; None for vectors.
    scores
        The scores; NaN where there is none. Pairs with what is no term stay so.
    """
    if judge.read_ranking is None:
        return
    evidence, tower = judge.evidence, judge.read_ranking.reader.transformer
    scale, intercept = (1.0, 0.0) if model.calibration is None else model.calibration.line()
    sides = [list(side) * len(scores) if len(side) == 1 else list(side) for side in (hypos, hypers)]
    usable = {word: evidence.known_word(word) or evidence.objection(word) is None for word in {*hypos, *hypers} if word}
    at = [i for i in np.flatnonzero(np.isnan(scores)).tolist() if all(usable.get(side[i] or "") for side in sides)]
    plain = [[evidence.meanings.plain(str(side[i])) for i in at] for side in sides]
    rows = np.stack([evidence.vocabulary.rows(words) for words in plain])
    places, seen = np.array(at, np.int64), np.asarray((rows >= 0).all(axis=0))
    if seen.any():
        vectors = (evidence.vocabulary.take(side).matrix.astype(np.float64) for side in rows[:, seen])
        scores[places[seen]] = model.score(*vectors)
    if not seen.all():
        texts = (
            [judge.read_ranking.reader.wording(word) for word in compress(words, (~seen).tolist())] for words in plain
        )
        hypo, hyper = map(tower.read, texts)
        scores[places[~seen]] = (tower.log_odds_of_pairs(hypo, hyper) - intercept) / scale


def stand_ins(judge: Judge, vocabulary: Vocabulary, words: Sequence[str]) -> NDArray[np.float32]:
    """Return vectors for words that have none: composed of those of a phrase's words, or of the nouns that are near.

    A word that has a vector in another spelling has that one. The last word of a phrase, its head, weighs about as much
    as all others together.

    Parameters
    ----------
    judge
        What has the reader.
    vocabulary
        The words that have vectors.
    words
        The words; each must be readable.
    """
    return np.stack([_composed(vocabulary, word, judge) for word in words])


def unread(vocabulary: Vocabulary, evidence: Evidence, words: Sequence[str]) -> list[str]:
    """Return the words that have no vector and can be read.

    Parameters
    ----------
    vocabulary, evidence
        The words that have vectors, and what reads others.
    words
        The words.
    """
    asked = list(dict.fromkeys(words))
    lacking = [word for word, row in zip(asked, vocabulary.rows(asked).tolist(), strict=True) if row < 0]
    return [
        word for word, by in zip(lacking, read_by(vocabulary, evidence, None, lacking), strict=True) if by != "nothing"
    ]


def with_stand_ins(judge: Judge, vocabulary: Vocabulary, query: Searched) -> Searched:
    """Return the words of a query with stand-ins for those that have no vector and can be read."""
    if query.rows is None or query.found.all():
        return query
    new = unread(vocabulary, judge.evidence, [str(query.words[i]) for i in np.flatnonzero(~query.found).tolist()])
    if not new:
        return query
    place = {word: at for at, word in enumerate(new)}
    at = np.array(
        [-1 if there else place.get(str(word), -1) for word, there in zip(query.words, query.found, strict=True)]
    )
    return replace(query, encoded=Encoded(at, stand_ins(judge, vocabulary, new)))


def _composed(vocabulary: Vocabulary, word: str, judge: Judge) -> NDArray[np.float32]:
    spelled = vocabulary.rows([judge.evidence.meanings.plain(word)])
    if spelled[0] >= 0:
        return np.asarray(vocabulary.take(spelled).matrix[0], np.float32)
    if MEANS not in word and (found := _of_words(vocabulary, word)) is not None:
        return found
    ranking: Any = judge.read_ranking
    near = ranking.near(word)
    rows = ranking.ranker.rows.rows[near.terms]
    there = np.flatnonzero(rows >= 0)[:STAND_INS]
    vectors = list(vocabulary.take(rows[there]).matrix)
    if not vectors:  # names of several words, such as bony fish, have a word with a vector at least
        names = [ranking.ranker.evidence.meanings.known.terms[term] for term in near.terms.tolist()]
        several = [(at, found) for at, name in enumerate(names) if (found := _of_words(vocabulary, name)) is not None]
        there, vectors = np.array([at for at, _ in several], np.int64), [found for _, found in several]
    if not vectors:
        return np.zeros(vocabulary.dimension, np.float32)
    weights = np.exp((near.cosines[there] - near.cosines[there[0]]) / SOFTNESS)
    return np.asarray(weights / weights.sum() @ np.stack(vectors), np.float32)


def _of_words(vocabulary: Vocabulary, phrase: str) -> NDArray[np.float32] | None:
    """Return the vector of the last word of a phrase with the mean of the others; None if the last one has none."""
    parts = forms.one_spaced(phrase).split()
    rows = vocabulary.rows(parts)
    if len(parts) < 2 or rows[-1] < 0:
        return None
    head, *_ = vocabulary.take(rows[-1:]).matrix
    others = vocabulary.take(rows[:-1][rows[:-1] >= 0]).matrix
    return np.asarray(head + (OTHERS * others.mean(axis=0) if len(others) else 0.0), np.float32)


def fill_read(
    fused: Fused,
    backend: Backend,
    model: Model,
    ranking: ReadRanking,
    request: Request,
    read: NDArray[np.bool_],
    queries: Sequence[Query],
    among: Rows | None,
    where: Any,
) -> None:
    """Write the best words for the queries that only an encoder can answer into the results of a search.

    Parameters
    ----------
    fused
        The results.
    backend, model
        What looks up conditions, and the model whose scores have the same log-odds as the encoder's.
    ranking
        Ranks words for texts.
    request
        The side and the specificity.
    read, queries
        All queries of the search, and which of them only an encoder can answer.
    among, where
        The rows, or the condition on the columns of a database, to which the search is limited.
    """
    scale, intercept = (1.0, 0.0) if model.calibration is None else model.calibration.line()
    for i in np.flatnonzero(read).tolist():
        chosen = among
        if where is not None:
            chosen = _fulfilling(backend, ranking, request, where, among)
        k = fused.rows.shape[1]
        best = ranking.best(request.side, queries[i].word, k, chosen, request.specificity)
        for column in fused.rows, fused.evidence, fused.scores:
            column[i] = -1 if column is fused.rows else -np.inf
        found = len(best.rows)
        fused.rows[i, :found], fused.evidence[i, :found] = best.rows, best.evidence
        fused.scores[i, :found] = (best.log_odds - intercept) / scale


def _fulfilling(backend: Backend, ranking: ReadRanking, request: Request, where: Any, among: Rows | None) -> Rows:
    """Return the rows with a vector that fulfil a condition: the database looks."""
    vocabulary = ranking.ranker.evidence.vocabulary
    rows = ranking.candidates(request.side).rows if among is None else among
    rows = rows[rows < len(vocabulary)]
    if not len(rows):
        return rows
    size = len(rows) if backend.most is None else min(len(rows), backend.most)
    any_vector = Request(request.side, vocabulary.take(rows[:1]).matrix, request.specificity)
    found = backend.search(any_vector, size, among=rows, where=where).rows[0]
    return np.sort(found[found >= 0])
