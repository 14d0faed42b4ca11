"""How vectors are read: as log-odds of a hypo or a hyper, and as vectors whose inner product is the score of a pair.

With the query map q and the key map k of an operator, and what a learned map adds for each word,

    score(y, x) = q(y) . k(x) + hypo_offset(y) + hyper_offset(x)
                = [q(y), 1, hypo_offset(y)] . [k(x), hyper_offset(x), 1]

so a pair is one inner product, whatever the operator, and a search for hypernyms or for hyponyms one for the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.learn.fitted import FittedMap
from entvec.theory import OPERATORS
from entvec.theory.arrays import Array, device, namespace
from entvec.theory.interpret import INTERPRETATIONS
from entvec.theory.lowrank import WIDEST, LowRankMaps
from entvec.theory.operators import Operator
from entvec.vectors import Vectors

Floats = NDArray[np.floating[Any]]
Side = Literal["hypo", "hyper"]
OTHER: dict[Side, Side] = {"hypo": "hyper", "hyper": "hypo"}
OFFSET: dict[Side, str] = {"hypo": "hypo_offset", "hyper": "hyper_offset"}

LARGEST_ERROR = 0.02
"""How much low-rank maps may err over all features: little beside the differences between neighbours in a ranking."""
RANKS = range(2, 9)
SAMPLE = 8192
"""How many words stand for all of them where a mean over the vocabulary is wanted."""


@dataclass(frozen=True, eq=False)
class Model:
    """An operator, and an interpretation or a learned map that makes log-odds for it."""

    operator: Operator
    interpretation: str | None
    map: FittedMap | None
    low_rank: LowRankMaps | None = None
    """In the place of those of the operator's row, which hold for another range."""

    # Vectors may be arrays of NumPy, or of a library that computes elsewhere, and so is what is made of them.

    def log_odds(self, side: Side, vectors: Array) -> Array:
        """The log-odds of words on one side of pairs."""
        if self.map is None:
            return INTERPRETATIONS[str(self.interpretation)](vectors)
        return self.map.hypo(vectors) if side == "hypo" else self.map.hyper(vectors)

    def offset(self, side: Side, vectors: Array) -> Array:
        """What is added to the score of a pair for a word on one side of it."""
        if self.map is None:
            return namespace(vectors).zeros(vectors.shape[:-1], dtype=vectors.dtype, device=device(vectors))
        return self.map.offset(OFFSET[side], vectors)

    def score(self, hypo: Floats, hyper: Floats) -> Floats:
        """The scores of pairs of vectors, row by row, without the maps."""
        y, x = self.log_odds("hypo", hypo), self.log_odds("hyper", hyper)
        return np.asarray(self.operator.score(y, x) + self.offset("hypo", hypo) + self.offset("hyper", hyper))

    @property
    def indexable(self) -> bool:
        """Whether a score is an inner product of mapped vectors."""
        return self.operator.maps != "none" and (self.operator.maps != "low-rank" or self.low_rank is not None)

    @cached_property
    def _maps(self) -> dict[Side, Callable[[Any], Any]]:
        source: Any = self.operator if self.low_rank is None else self.low_rank
        return {"hypo": source.query, "hyper": source.key}

    def mapped(self, side: Side, vectors: Array) -> Array:
        """Vectors whose inner product with those of the other side is the score."""
        xp = namespace(vectors)
        mapped = self._maps[side](self.log_odds(side, vectors))
        offset = self.offset(side, vectors)[..., None]
        ones = xp.ones_like(offset)
        return xp.concat([mapped, ones, offset] if side == "hypo" else [mapped, offset, ones], axis=-1)

    def error(self, n_features: int) -> float:
        """How far the inner product may be from the score, apart from rounding."""
        return 0.0 if self.low_rank is None else n_features * self.low_rank.error

    def in_range(self, side: Side, vectors: Floats) -> NDArray[np.bool_]:
        """For each of the vectors, whether there are maps that hold for it."""
        if self.low_rank is None:
            return np.full(len(vectors), self.indexable)
        values = self.log_odds(side, vectors.astype(np.float64, copy=False))
        return np.asarray(((values >= self.low_rank.low) & (values <= self.low_rank.high)).all(axis=-1))


def choose(operator: str, interpretation: str | None, learned: FittedMap | None, vectors: Vectors) -> Model:
    """The reading of vectors by an operator; low-rank maps are made for the range that their log-odds have."""
    if operator not in OPERATORS:
        raise InvalidInput(f"no operator {operator!r}, expected one of {', '.join(OPERATORS)}")
    if learned is None and interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"no interpretation {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if learned is not None and learned.operator != operator:
        raise InvalidInput(f"the map was learned for {learned.operator}, expected that operator, got {operator!r}")
    if learned is not None and learned.dimension != vectors.dimension:
        raise InvalidInput(f"the map takes vectors of {learned.dimension} numbers, these have {vectors.dimension}")
    reading = Model(OPERATORS[operator], None if learned else interpretation, learned)
    if reading.operator.maps != "low-rank" or not len(vectors):
        return reading
    return Model(reading.operator, reading.interpretation, learned, _low_rank(reading, vectors))


def _low_rank(reading: Model, vectors: Vectors) -> LowRankMaps | None:
    """Maps for the log-odds of these vectors: of the lowest rank that errs little; None if no rank would do."""
    low, high, n_features = np.inf, -np.inf, 0
    for _, block in vectors.blocks():
        for side in OTHER:
            values = reading.log_odds(side, block)
            low, high = min(low, float(values.min())), max(high, float(values.max()))
            n_features = values.shape[-1]
    margin = 1e-3 * (high - low) + 1e-6  # a query's log-odds may be rounded otherwise
    low, high = low - margin, high + margin
    if high - low > WIDEST:
        return None

    def good(rank: int) -> bool:
        return n_features * LowRankMaps(low, high, rank).error <= LARGEST_ERROR

    if not good(RANKS[-1]):  # asked first, since each rank takes a while on a wide range
        return None
    return LowRankMaps(low, high, next(filter(good, RANKS)))


def score_sides(model: Model, side: Side, here: Floats, there: Floats) -> Floats:
    """The scores of vectors on this side with those on the other."""
    return model.score(here, there) if side == "hypo" else model.score(there, here)


def sample(vectors: Vectors) -> Floats:
    """The vectors of words from all over the vocabulary, always the same ones, in float64."""
    n = len(vectors)
    rows = np.arange(min(n, SAMPLE)) * n // max(1, min(n, SAMPLE))
    return vectors.take(rows).matrix.astype(np.float64)


def first(vectors: Vectors) -> Floats:
    """A vector to try a map on, a matrix of one row; of none if there are no words."""
    return vectors.take(np.arange(len(vectors))[:1]).matrix.astype(np.float64)
