"""Evidence for rankings: what speaks for words as the hypernyms or hyponyms of others, beside their vectors.

The evidence that y is a kind of x is a sum of log-odds:

    vectors * log_odds(score(y, x) - hubness) + constant + facts(y, x) + neighbours(y, x) + spelling(y, x)
        + text(y, x)

The first part is one product with all keys. The other sources speak for few words, which are listed here: a search
takes the best of the products and of these (`space.fusion`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats, Ints, Mask
from entvec.evidence.candidates import Candidates
from entvec.evidence.endings import Endings
from entvec.evidence.gathering import Evidence
from entvec.evidence.hierarchy import Hierarchy, Reached, links_of
from entvec.evidence.names import Names
from entvec.evidence.neighbours import unit
from entvec.evidence.ranking_query import Query, ranking_query
from entvec.evidence.ranking_weights import RankingWeights
from entvec.evidence.term_rows import TermRows
from entvec.evidence.text_ranking import TextRanking
from entvec.knowledge.people_rules import Rules, rules
from entvec.knowledge.sense_names import PARTS_OF_SPEECH, VERB
from entvec.model.model import Side
from entvec.runtime import blocks
from entvec.vectors import forms
from entvec.vectors.vocabulary import Vocabulary

Column: TypeAlias = tuple[Ints, Ints, Floats, Mask]
"""What a source says: the numbers of queries, terms, log-odds, and whether the terms are other names of a concept."""

SOURCES = ("facts", "neighbours", "spelling", "text")
"""The sources of a ranking beside the vectors, in the order of the columns of `Bonuses.values`.

Each is a method of Ranker, with `_` before its name, that gets a side, queries and the specificity, and yields Columns.
"""
FACT_FEATURES = ("fact", "own sense", "other sense", "steps", "size", "said", "synonym", "stated")
"""What describes a fact, by the names of weights."""
GENERAL = ("steps", "size")
"""Those that count for more if answers shall be specific."""
NEIGHBOURS = 40
SOFTNESS = 0.1
"""A neighbour weighs exp(cosine / SOFTNESS)."""
LEAST_VOTE = 0.01
"""Votes count by log(1 + vote / LEAST_VOTE): one of a hundred neighbours says something, all of them not much more."""
LEAST_ENDING = 0.05
"""The same for words with the same ending, which are less like it."""
FARTHEST, LEAST_DEPTH = 4, 4
"""Neighbours vote for what is at most so many steps above them and at least so deep: all things are objects."""
LEAST_SHARE = 0.02
"""A sense of an answer that is rarer than this counts as if it were as rare as this."""
UNDERSTOOD = 0.05
"""Nobody understands a hypernym in a sense that is rarer: to steal is to take, but not in the 31st sense of it."""
LARGE, LARGE_VERB = 1000, 165
"""A concept that has more below it says little of each: as large a share of all verbs as of all nouns."""
SHORTEST_HEAD = 3
"""The fewest letters of a word that another ends in."""
VERBS = PARTS_OF_SPEECH.index(VERB)
QUERIES_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Bonuses:
    """What sources say of pairs of a query and a word, sorted by query and row; pairs that are not here have 0."""

    query: Ints
    row: Ints
    values: Floats
    """Log-odds: a row for each pair, a column for each of SOURCES."""
    other_name: NDArray[np.bool_]
    """True if the word is another name of what facts say, for which there is a better known one."""
    starts: Ints
    """Where the pairs of each query begin, and their number."""

    def where(self, chosen: NDArray[np.bool_]) -> Bonuses:
        """Return the pairs that a mask chooses."""
        starts = np.concatenate([[0], np.cumsum(chosen)])[self.starts]
        return Bonuses(self.query[chosen], self.row[chosen], self.values[chosen], self.other_name[chosen], starts)

    def of(self, query: int) -> tuple[Ints, Floats]:
        """Return the rows that sources speak of, and their values."""
        own = slice(self.starts[query], self.starts[query + 1])
        return self.row[own], self.values[own]


class WithVectors:
    """The known terms that have a vector.

    Parameters
    ----------
    vocabulary, hierarchy, rows
        The vectors, what is known, and which term is in which row.
    """

    def __init__(self, vocabulary: Vocabulary, hierarchy: Hierarchy, rows: TermRows) -> None:
        self._vocabulary, self._hierarchy, self._rows = vocabulary, hierarchy, rows

    @cached_property
    def table(self) -> tuple[Ints, NDArray[np.float32]]:
        """The terms with a vector that are no names, and the vectors at unit length."""
        rows = self._rows.rows
        terms = np.flatnonzero((rows >= 0) & (self._hierarchy.first_concept >= 0) & ~self._hierarchy.names)
        return terms, unit(np.asarray(self._vocabulary.take(rows[terms]).matrix, np.float32))


class Ranker:
    """Lists the words that facts, neighbours, spelling and texts speak for.

    >>> from entvec.space import default_space
    >>> space = default_space()
    >>> ranker = Ranker(Evidence(space.vocabulary, space.model, space.knowledge))
    >>> found = ranker.bonuses("hypo", [ranker.query("guitar")], 1.0)
    >>> rows, values = found.of(0)
    >>> seen = rows < len(space)
    >>> best = np.argsort(-values[seen].sum(axis=1))[:2]
    >>> sorted(space.vocabulary.words[row] for row in rows[seen][best].tolist())
    ['device', 'instrument']

    Parameters
    ----------
    evidence
        What a space knows, and its vectors.
    weights
        The weights of the sources; the bundled ones by default.
    """

    def __init__(self, evidence: Evidence, weights: RankingWeights | None = None) -> None:
        self.evidence = evidence
        self._weights = weights

        def query(word: str, context: str | None) -> Query:
            own = (weights or RankingWeights.bundled()).of("hypo", new=False)["own sense"]
            return ranking_query(evidence, word, context, own)

        self._query = lru_cache(maxsize=1 << 14)(query)  # not a method: a cycle would keep large arrays in memory

    @cached_property
    def weights(self) -> RankingWeights:
        """The weights of the sources."""
        return RankingWeights.bundled() if self._weights is None else self._weights

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """What is known, as arrays."""
        return Hierarchy(self.evidence.meanings)

    @cached_property
    def _rules(self) -> Rules:
        return rules(self.evidence.meanings.known)

    def insulting(self, terms: Ints) -> Mask:
        """Return for each of some terms whether it insults people in what it mostly means; False for -1, no term."""
        return np.asarray((terms >= 0) & self._rules.insults[self.hierarchy.first_concept[terms]])

    @cached_property
    def names(self) -> Names:
        """What one calls each concept."""
        return Names(self.hierarchy, self.rows.rows, self._rules.offensive_senses)

    @cached_property
    def rows(self) -> TermRows:
        """Which term is in which row of the vocabulary."""
        return TermRows(self.evidence.vocabulary, self.evidence.meanings.known.terms)

    def hiding(self, words: Iterable[str], *, synonyms: bool = True) -> Ranker:
        """Return the ranker of a world that does not know some words, as `Meanings.hiding` hides them."""
        found = Ranker(self.evidence.hiding(words, synonyms=synonyms), self._weights)
        found.__dict__["rows"] = self.rows
        return found

    # Queries and candidates

    def query(self, word: str, context: str | None = None) -> Query:
        """Return a word as the knowledge sees it; in a context, in the senses that fit it."""
        return self._query(word, context)

    @cached_property
    def candidates(self) -> Candidates:
        """Which words may be answers."""
        return Candidates(self.evidence, self.hierarchy, self.names, self.rows)

    # Bonuses

    def bonuses(self, side: Side, queries: Sequence[Query], specificity: float) -> Bonuses:
        """Return what facts, neighbours, spelling and texts say.

        Parameters
        ----------
        side
            "hypo" if hypernyms are asked for, "hyper" if hyponyms are.
        queries
            The words that are asked about.
        specificity
            How much general words lose.
        """
        query, term, column, value, other_name = self._said(side, queries, specificity)
        row = self.rows.rows[term]
        row = np.where((row < 0) & self.candidates.wordless(side)[term], len(self.evidence.vocabulary) + term, row)
        kept = row >= 0
        return _gathered(len(queries), query[kept], row[kept], column[kept], value[kept], other_name[kept])

    def said(self, side: Side, queries: Sequence[Query], specificity: float) -> tuple[Ints, Ints, Ints, Floats]:
        """Return what sources say of terms, with a vector or without: numbers of queries, terms, columns, log-odds.

        The columns are those of SOURCES; the parameters are those of `bonuses`.
        """
        return self._said(side, queries, specificity)[:4]

    def _said(self, side: Side, queries: Sequence[Query], specificity: float) -> tuple[Ints, Ints, Ints, Floats, Mask]:
        """Return the columns of `said`, and whether facts speak of a term as another name of what there is."""
        none = np.empty(0, np.int64)
        parts: list[tuple[Any, ...]] = [(none, none, none, np.empty(0), np.empty(0, bool))]
        for some in blocks(len(queries), QUERIES_AT_ONCE):
            for number, name in enumerate(SOURCES):
                for query, term, value, other_name in getattr(self, f"_{name}")(side, queries[some], specificity):
                    parts.append((query + some.start, term, np.full(len(term), number), value, other_name))
        query, term, column, value, other_name = (np.concatenate(each) for each in zip(*parts, strict=True))
        return query, term, column, value, other_name

    def _facts(self, side: Side, queries: Sequence[Query], specificity: float) -> Iterator[Column]:
        """Yield what is known to be above or below the queries."""
        query, term, features = self.fact_features(side, queries)
        weights = self.weights.of(side, new=False)
        by_name = np.array([weights[name] * (specificity if name in GENERAL else 1.0) for name in FACT_FEATURES])
        value = features @ by_name
        value[features[:, 0] == 0] = weights["same"]
        order, starts = _groups(query * len(self.hierarchy.first_concept) + term)
        if not len(order):
            return
        value, other_name = value[order], features[order, FACT_FEATURES.index("synonym")] > 0
        most = np.maximum.reduceat(value, starts)
        less = value < np.repeat(most, np.diff(starts, append=len(value)))
        yield query[order[starts]], term[order[starts]], most, np.logical_and.reduceat(other_name | less, starts)

    def fact_features(self, side: Side, queries: Sequence[Query]) -> tuple[Ints, Ints, Floats]:
        """Return what is known to be above or below queries, a row for each pair of senses.

        The columns are the numbers of the queries, the terms that are answers, and FACT_FEATURES; all of these are 0
        for a term that means the same as the query.
        """
        hierarchy = self.hierarchy
        owner = np.repeat(np.arange(len(queries)), [len(query.concepts) for query in queries])
        concepts = np.concatenate([np.empty(0, np.int64), *(query.concepts for query in queries)])
        own = np.concatenate([np.empty(0), *(query.weights for query in queries)])
        if not len(concepts):
            return owner, concepts, np.empty((0, len(FACT_FEATURES)))
        found = self._reached(side, concepts)
        people = np.array([query.people for query in queries], dtype=bool)
        found = found.where(~(people[owner[found.owner]] & self._rules.insults[found.concept]))
        at, sense = hierarchy.terms_of(found.concept)
        said = ~self._rules.offensive_senses[sense]
        if side == "hypo":
            said &= hierarchy.share_of_kind[sense] >= UNDERSTOOD
        said &= ~(people[owner[found.owner[at]]] & self.insulting(hierarchy.sense_term[sense]))
        at, sense = at[said], sense[said]
        start, answer, term = found.owner[at], found.concept[at], hierarchy.sense_term[sense]
        features = {
            "fact": np.ones(len(at)),
            "own sense": np.log(own[start]),
            "other sense": np.log(np.maximum(hierarchy.sense_weight[sense], LEAST_SHARE)),
            "steps": np.log(np.maximum(found.steps[at], 1)),
            "size": self._size(answer),
            "said": self.names.said[sense],
            "synonym": self.names.is_other_name(answer, term),
            "stated": found.stated[at],
        }
        table = np.stack([features[name] for name in FACT_FEATURES], axis=1).astype(np.float64)
        table[found.steps[at] == 0] = 0.0
        return owner[start], term, table

    def _reached(self, side: Side, concepts: Ints) -> Reached:
        return self.hierarchy.above(concepts) if side == "hypo" else self.hierarchy.below(concepts)

    @cached_property
    def _with_vectors(self) -> WithVectors:
        return WithVectors(self.evidence.vocabulary, self.hierarchy, self.rows)

    def nearest(self, queries: Sequence[Query]) -> tuple[Ints, Ints, Floats]:
        """Return known words that are used like each query: its number, terms, weights; none for groups of people."""
        rows = self.evidence.vocabulary.rows([query.word for query in queries])
        at = np.flatnonzero((rows >= 0) & ~np.array([query.by_facts for query in queries], dtype=bool))
        terms, matrix = self._with_vectors.table
        if not len(at) or not len(terms):
            return (*np.empty((2, 0), np.int64), np.empty(0))
        vectors = unit(np.asarray(self.evidence.vocabulary.take(rows[at]).matrix, np.float32))
        cosines = vectors @ matrix.T
        for i, query in enumerate(at.tolist()):
            own = np.searchsorted(terms, list(queries[query].terms))
            cosines[i, own[terms[np.minimum(own, len(terms) - 1)] == list(queries[query].terms)]] = -2.0
        k = min(NEIGHBOURS, len(terms))
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(cosines, best, axis=1).astype(np.float64)
        weights = np.exp((near - 1) / SOFTNESS)
        weights /= weights.sum(axis=1, keepdims=True)
        return np.repeat(at, k), terms[best.ravel()], weights.ravel()

    def _votes(self, side: Side, query: Ints, term: Ints, weight: Floats) -> tuple[Ints, Ints, Floats]:
        """Return which share of each query's terms, by weight, is known to be below others, or above them.

        Parameters
        ----------
        side
            "hypo" for what the terms are kinds of, "hyper" for their kinds.
        query, term, weight
            The numbers of queries, the terms that vote for each, and their weights, which sum to one for a query.
        """
        concepts, place = np.unique(self.hierarchy.first_concept[term], return_inverse=True)
        found = self._reached(side, concepts)
        near = (found.steps > 0) & (found.steps <= FARTHEST)
        if side == "hypo":
            near &= self.hierarchy.depth[found.concept] >= LEAST_DEPTH
        found = found.where(near)
        at, sense = self.hierarchy.terms_of(found.concept)
        # Every term that means a concept votes for the terms that the concept reaches.
        order = np.argsort(found.owner[at], kind="stable")
        starts = np.searchsorted(found.owner[at][order], np.arange(len(concepts) + 1))
        each, edge = links_of(starts, place)
        sense = sense[order[edge]]
        n = len(self.evidence.meanings.known.terms)
        codes, code = np.unique(query[each] * n + self.hierarchy.sense_term[sense], return_inverse=True)
        sums = np.bincount(code, weight[each] * self.hierarchy.sense_share[sense])
        return codes // n, codes % n, np.minimum(sums, 1.0)

    def _size(self, concepts: Ints) -> Floats:
        """Return the log of how many times as many concepts as LARGE are below some; 0 for fewer."""
        large = np.where(self.hierarchy.kinds[concepts] == VERBS, LARGE_VERB, LARGE)
        return np.asarray(np.log(np.maximum(self.hierarchy.sizes[concepts] / large, 1)))

    def _neighbours(self, side: Side, queries: Sequence[Query], specificity: float) -> Iterator[Column]:
        """Yield what the known words that are used like the queries are known to be kinds of, or to have as kinds."""
        by = [self.weights.of(side, new=new)["neighbours"] for new in (False, True)]
        heard = [i for i, each in enumerate(queries) if by[each.is_new]]
        if not heard:
            return
        at, near, likeness = self.nearest([queries[i] for i in heard])
        if not len(at):
            return
        query, term, votes = self._votes(side, np.array(heard)[at], near, likeness)
        of_new = np.array([each.is_new for each in queries])[query]
        value = np.where(of_new, by[1], by[0]) * np.log1p(votes / LEAST_VOTE)
        if side == "hypo":
            size = specificity * self.weights.of(side, new=True)["size"]
            vague = of_new & ~self.names.is_said[term]
            value += np.where(vague, size * self._size(self.hierarchy.first_concept[term]), 0.0)
        yield query, term, value, np.zeros(len(term), bool)

    def _text(self, side: Side, queries: Sequence[Query], _: float) -> Iterator[Column]:
        """Yield what texts say of the queries, and what is used like what they say."""
        if self.texts is not None:
            query, term, value = self.texts.listed(side, queries)
            yield query, term, value, np.zeros(len(term), bool)

    @cached_property
    def texts(self) -> TextRanking | None:
        """What lists the terms that texts speak for; None if there are no texts."""
        if (text := self.evidence.text) is None:
            return None
        known = self._with_vectors
        return TextRanking(
            text, self.rows, self.evidence.vocabulary, self.candidates.little_is_known, lambda: known.table
        )

    @cached_property
    def endings(self) -> Endings:
        """The known words by what they end in."""
        return Endings(self.hierarchy)

    def _spelling(self, side: Side, queries: Sequence[Query], _: float) -> Iterator[Column]:
        """Yield the terms that new words end in, as a phrase ends in its head, and what words with their ending are."""
        known, weights = self.evidence.meanings.known, self.weights.of(side, new=True)
        for i, query in enumerate(queries):
            if side != "hypo" or not query.is_new:
                continue
            terms = [row for head in heads(query.word) for row in forms.spelled(known.terms, head)]
            if terms:
                none = np.zeros(len(terms), bool)
                yield np.full(len(terms), i), np.array(terms), np.full(len(terms), weights["spelling"]), none
            like = self.endings.sharing(query.word)
            if len(like):
                number, term, votes = self._votes(side, np.full(len(like), i), like, np.full(len(like), 1 / len(like)))
                yield number, term, weights["affixes"] * np.log1p(votes / LEAST_ENDING), np.zeros(len(term), bool)


def heads(word: str) -> list[str]:
    """Return what a word or phrase ends in, that may be what it is a kind of.

    >>> heads("electric_mountain_bike"), heads("snowboard")[-1]
    (['mountain_bike', 'bike'], 'ard')
    """
    parts = word.casefold().replace(" ", "_").replace("-", "_").split("_")
    if len(parts) > 1:
        return ["_".join(parts[at:]) for at in range(1, len(parts))]
    return [word[at:].casefold() for at in range(SHORTEST_HEAD, len(word) - SHORTEST_HEAD + 1)]


def _gathered(n: int, query: Any, row: Any, column: Any, value: Any, other_name: Any) -> Bonuses:
    """Return values side by side, a row for each pair of a query and a word."""
    query, row = np.asarray(query, np.int64), np.asarray(row, np.int64)
    widest = int(row.max(initial=0)) + 1
    order, begins = _groups(query * widest + row)
    at = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(order)))
    shape = len(begins), len(SOURCES)
    places = at * len(SOURCES) + np.asarray(column, np.int64)[order]
    sums: Any = np.bincount(places, np.asarray(value)[order], minlength=shape[0] * shape[1])
    others = np.bincount(at, np.asarray(other_name)[order], minlength=len(begins)) > 0
    first = order[begins]
    starts = np.searchsorted(query[first] * widest + row[first], np.arange(n + 1) * widest)
    return Bonuses(query[first], row[first], sums.reshape(shape), others, starts)


def _groups(codes: Ints) -> tuple[Ints, Ints]:
    """Return an order in which equal codes stand together, and where each of them begins in it.

    >>> _groups(np.array([7, 3, 7]))
    (array([1, 0, 2]), array([0, 1]))
    """
    order = np.argsort(codes)
    codes = codes[order]
    return order, np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
