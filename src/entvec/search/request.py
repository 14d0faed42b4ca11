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
    """Queries: vectors on one side of a pair, for which a backend finds the best words of the other side."""

    side: Side
    vectors: AnyFloats
    """One query in each row, in the dtype of the vocabulary."""
    specificity: float
    """The hubness penalty: this times its hubness is subtracted from the score of a word."""

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
        """Write the best of these rows to the places of one query; equal scores stay in the order of the rows."""
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
        """Return the exact scores that order hits, of pairs of a query, given by its number, and the word of a row."""
        ...

    def hubness(self, side: Side, rows: Rows) -> AnyFloats:
        """Return the hubness of the words of these rows."""
        ...
