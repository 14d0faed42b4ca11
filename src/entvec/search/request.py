"""`Request` and `Hits`: the input and the result of a search; `Backend`: the contract of everything that searches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.model.model import Side
from entvec.vectors.dtypes import DtypeName


@dataclass(frozen=True, eq=False)
class Request:
    """Queries: vectors on one side of a pair, for which a backend finds the best words of the other side.

    >>> len(Request("hypo", np.zeros((2, 3)), specificity=1.0))
    2

    Parameters
    ----------
    side
        The side of the queries.
    vectors
        One query in each row, in the dtype of the vocabulary.
    specificity
        The hubness penalty: the score of a word is reduced by its hubness times this number.
    """

    side: Side
    vectors: AnyFloats
    specificity: float

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, queries: Any) -> Request:
        """Return the request with the queries that a slice, a mask or an array of positions chooses."""
        return replace(self, vectors=self.vectors[queries])


class Hits(NamedTuple):
    """The rows of the best words of each query, best first; -1 and -inf fill the places after the last hit."""

    rows: Rows
    scores: NDArray[np.float64]
    """The scores that order the hits: those of the pairs, less the hubness penalty."""

    @classmethod
    def empty(cls, n_queries: int, k: int) -> Hits:
        """Return a table of k places for each query, all without a hit."""
        return cls(np.full((n_queries, k), -1, np.int64), np.full((n_queries, k), -np.inf))

    def fill(self, query: int, rows: Rows, scores: AnyFloats) -> None:
        """Write the best of these rows to the hits of one query; equal scores are ordered by row.

        >>> hits = Hits.empty(1, 2)
        >>> hits.fill(0, np.array([4, 7, 9]), np.array([-3.0, -1.0, -2.0]))
        >>> hits.rows
        array([[7, 9]])

        Parameters
        ----------
        query
            The number of the query.
        rows
            Rows of words, in rising order.
        scores
            The score of each.
        """
        best = np.argsort(-scores, kind="stable")[: self.rows.shape[1]]
        self.rows[query, : len(best)], self.scores[query, : len(best)] = rows[best], scores[best]


class Backend(Protocol):
    """Finds the best words for a request, and returns the hubness of words."""

    @property
    def dtype(self) -> DtypeName:
        """The dtype of the keys of the space."""
        ...

    def search(self, request: Request, k: int, *, among: Rows | None = None, where: Any = None) -> Hits:
        """Return the k best words of the other side for each query, best first.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> from entvec.search import KeyTable, LocalBackend
        >>> from entvec.vectors import Vectors
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> backend = LocalBackend(KeyTable(choose(toys, interpretation="log_odds"), toys))
        >>> hits = backend.search(Request("hypo", toys[["poodle"]], specificity=0.0), 3)
        >>> sorted(toys.words[row] for row in hits.rows[0])
        ['animal', 'dog', 'unk']

        Parameters
        ----------
        request
            The queries.
        k
            How many words to return for each query; fewer if the vocabulary has fewer.
        among
            The rows to choose from, in rising order; None for all.
        where
            A condition on the columns of a database. A backend in memory has no columns and raises InvalidInput.
        """
        ...

    @property
    def most(self) -> int | None:
        """The largest number of words that a search can return; None if there is no limit."""
        ...

    def scores(self, request: Request, queries: Rows, rows: Rows) -> AnyFloats:
        """Return the exact scores of pairs: the scores by which hits are ordered.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> from entvec.search import KeyTable, LocalBackend
        >>> from entvec.vectors import Vectors
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> backend = LocalBackend(KeyTable(choose(toys, interpretation="log_odds"), toys))
        >>> request = Request("hypo", toys[["dog"]], specificity=0.0)
        >>> backend.scores(request, np.array([0, 0]), toys.rows(["animal", "cat"])).round(2)
        array([-0.13, -4.05])

        Parameters
        ----------
        request
            The queries.
        queries
            The number of the query of each pair.
        rows
            The row of the word of each pair.
        """
        ...

    def hubness(self, side: Side, rows: Rows) -> AnyFloats:
        """Return the hubness of the words of these rows."""
        ...
