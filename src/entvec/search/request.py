"""What a backend is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import Floats, Side
from entvec.vectors.dtypes import DtypeName
from entvec.vectors.vocabulary import Rows


@dataclass(frozen=True, eq=False)
class Request:
    """Vectors on one side of pairs, for which the best words of the other side are wanted."""

    side: Side
    vectors: Floats
    """A row for each query, in the dtype that the vocabulary stores."""
    specificity: float
    """How much of their hubness the words of the other side lose."""

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, queries: Any) -> Request:
        """Return the request for some of the queries."""
        return replace(self, vectors=self.vectors[queries])


class Hits(NamedTuple):
    """The best rows of each query, best first; -1 and -inf where there are fewer than k."""

    rows: Rows
    scores: NDArray[np.float64]
    """By which they are ordered: scores less the hubness penalty."""

    @classmethod
    def empty(cls, n_queries: int, k: int) -> Hits:
        """Return a table without any hits, to be filled."""
        return cls(np.full((n_queries, k), -1, np.int64), np.full((n_queries, k), -np.inf))


class Backend(Protocol):
    """Finds the best words for requests, and knows the hubness of all words."""

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
            How many words to return for each; fewer if there are fewer.
        among
            The rows to choose from, in rising order; all by default.
        where
            A condition on the columns of a database; a vocabulary in memory has none.
        """
        ...

    def hubness(self, side: Side, rows: Rows) -> Floats:
        """Return the hubness of these words."""
        ...
