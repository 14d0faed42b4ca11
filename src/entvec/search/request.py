"""Questions as a search gets them: vectors on one side, what these ask of the keys of the other, and exact scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec.model.model import OTHER, Floats, Side, score_sides
from entvec.search.exact import Rows
from entvec.search.keys import Prepared

if TYPE_CHECKING:
    from entvec.space.space import EntailmentSpace


@dataclass(frozen=True, eq=False)
class Request:
    """Vectors of one side, whose best words of the other are looked for."""

    space: EntailmentSpace
    side: Side
    vectors: Floats
    """In the precision that they are kept in."""
    specificity: float

    def __len__(self) -> int:
        return len(self.vectors)

    @cached_property
    def queries(self) -> Floats:
        """What they ask of the keys; made when it is needed, since a device makes it by itself."""
        return self.space.queries(self.side, self.vectors, self.specificity)

    @property
    def kept(self) -> Prepared:
        """The keys."""
        return self.space.prepared(OTHER[self.side])

    def exact(self, query: int, rows: Rows) -> Floats:
        """The scores of one question, by its number, with some words: from the keys, or what these approximate."""
        if self.space.model.low_rank is None:
            # Row by row: a product of many rows is rounded in another way for each number of them.
            return np.asarray(np.vecdot(self.kept.keys.decoded(rows).astype(np.float64), self.queries[query]))
        here = self.vectors[query][None].astype(np.float64)
        there = self.space.vectors.take(rows).matrix.astype(np.float64)
        scores = score_sides(self.space.model, self.side, here, there)
        return np.asarray(scores - self.specificity * self.kept.hubness(rows))

    def picked(self, some: Any) -> Request:
        """Some of the questions."""
        return replace(self, vectors=self.vectors[some])
