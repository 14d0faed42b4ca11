"""What texts say of the words that are asked about, as a source of rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats, Ints
from entvec.evidence.hierarchy import links_of
from entvec.evidence.neighbours import unit
from entvec.evidence.ranking_query import Query
from entvec.evidence.term_rows import TermRows
from entvec.evidence.text_facts import Said, TextFacts
from entvec.evidence.text_weights import RANKING_NAMES, TextWeights
from entvec.model.model import OTHER, Side
from entvec.vectors.vocabulary import Vocabulary

ENOUGH = 2.0
"""A term that nothing but texts knows is an answer if so much is said for it, and more than for the pair reversed."""
LEAST_COSINE = 0.4
"""A term is like one that a text names if the cosine of their vectors is greater."""
AT_ONCE = 256
"""Named terms whose cosines are computed together."""


@dataclass(frozen=True, eq=False)
class TextRanking:
    """Lists the terms that texts speak for.

    Parameters
    ----------
    facts
        What the texts say.
    rows, vocabulary
        Which term has which vector, and the vectors.
    little_is_known
        Whether words with a vector are answers even if nothing is known of them.
    with_vectors
        Returns the known terms that have a vector, and the vectors at unit length.
    weights
        What it is worth; the bundled ones by default.
    """

    facts: TextFacts
    rows: TermRows
    vocabulary: Vocabulary
    little_is_known: bool
    with_vectors: Callable[[], tuple[Ints, NDArray[np.float32]]]
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

        Terms that nothing but texts knows are there if enough is said for them.
        """
        asked = [i for i, query in enumerate(queries) if not query.by_facts]
        terms = [sorted(queries[i].terms) for i in asked]
        owner = np.repeat(np.array(asked, np.int64), [len(each) for each in terms])
        own = np.array([term for each in terms for term in each], np.int64)
        said, reverse = (self.facts.about(each, owner, own) for each in (side, OTHER[side]))
        n = len(self.facts.known.terms)
        alike, cosines = self._like(said)
        parts = [said.owner * n + said.term, reverse.owner * n + reverse.term, alike]
        codes, at = np.unique(np.concatenate(parts), return_inverse=True)
        named, reversed_, similar = np.split(at, np.cumsum([len(part) for part in parts])[:2])
        there, back, like = np.zeros((3, len(codes)))
        np.add.at(there, named, said.amount)
        np.add.at(back, reversed_, reverse.amount)
        np.maximum.at(like, similar, cosines)
        like[named] = 1.0
        query, term = codes // n, codes % n
        is_answer = ~self.facts.only[term] | (self.little_is_known & (self.rows.rows[term] >= 0))
        kept = is_answer | ((there >= ENOUGH) & (there > back))
        kept &= ~np.isin(codes, owner * n + own)
        # What is only like a named answer needs a vector that speaks for it, too.
        kept &= (there > 0) | (back > 0) | (self.vocabulary.rows([each.word for each in queries]) >= 0)[query]
        return query[kept], term[kept], np.stack([np.log1p(there), like, np.log1p(back)], axis=1)[kept]

    def _like(self, said: Said) -> tuple[Ints, Floats]:
        """Return known terms that are used like those that texts name, for each query: pairs as one number, and how
        much more alike they are than LEAST_COSINE, from 0 to 1.
        """
        n = len(self.facts.known.terms)
        seen = np.flatnonzero(self.rows.rows[said.term] >= 0)
        named, place = np.unique(said.term[seen], return_inverse=True)
        terms, matrix = self.with_vectors() if len(named) else (named, np.empty((0, 0), np.float32))
        found: list[tuple[Ints, Ints, Floats]] = [(named[:0], named[:0], np.empty(0))]
        for start in range(0, len(named), AT_ONCE):
            rows = self.rows.rows[named[start : start + AT_ONCE]]
            cosines = unit(np.asarray(self.vocabulary.take(rows).matrix, np.float32)) @ matrix.T
            at, other = np.nonzero(cosines > LEAST_COSINE)
            share = (cosines[at, other].astype(np.float64) - LEAST_COSINE) / (1 - LEAST_COSINE)
            found.append((at + start, terms[other], np.minimum(share, 1.0)))
        at, other, share = (np.concatenate(each) for each in zip(*found, strict=True))
        each, edge = links_of(np.searchsorted(at, np.arange(len(named) + 1)), place)
        return said.owner[seen][each] * n + other[edge], share[edge]
