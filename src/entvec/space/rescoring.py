"""Exact scores of a few keys: from the keys themselves or, if these are approximate, from the vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from entvec.space.keys import Prepared
from entvec.space.pairs import score_sides
from entvec.space.reading import Floats, Reading, Side
from entvec.space.search import Rows
from entvec.vectors import Vectors


@dataclass(frozen=True, eq=False)
class FromKeys:
    """The scores of queries with keys, in float64."""

    queries: Floats
    kept: Prepared

    def __call__(self, query: int, rows: Rows) -> Floats:
        """Those of one query, by its number."""
        # Row by row: a product of many rows is rounded in another way for each number of them.
        return np.asarray(np.vecdot(self.kept.keys.decoded(rows).astype(np.float64), self.queries[query]))

    def picked(self, queries: Any) -> FromKeys:
        """The same for some of the queries."""
        return replace(self, queries=self.queries[queries])


@dataclass(frozen=True, eq=False)
class FromVectors:
    """The scores that low-rank maps approximate."""

    reading: Reading
    side: Side
    """That of the queries."""
    asked: Floats
    """The vectors of the queries."""
    queries: Floats
    vocabulary: Vectors
    kept: Prepared

    def __call__(self, query: int, rows: Rows) -> Floats:
        """Those of one query, by its number."""
        there = self.vocabulary.take(rows).matrix.astype(np.float64)
        scores = score_sides(self.reading, self.side, self.asked[query][None], there)
        return np.asarray(scores + self.queries[query, -1] * self.kept.hubness(rows))

    def picked(self, queries: Any) -> FromVectors:
        """The same for some of the queries."""
        return replace(self, asked=self.asked[queries], queries=self.queries[queries])
