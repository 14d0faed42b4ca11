"""The model turns vectors into scores.

With the query map q and the key map k of an operator, and the offsets that a learned map adds for each word,

    score(y, x) = q(y) . k(x) + hypo_offset(y) + hyper_offset(x)
                = [q(y), 1, hypo_offset(y)] . [k(x), hyper_offset(x), 1]

so the score of a pair is one inner product for every operator that has such maps, and a search looks for the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.model import specificity as rankings
from entvec.model.specificity import Specificity
from entvec.theory import OPERATORS
from entvec.theory.arrays import Array, device, namespace
from entvec.theory.interpret import INTERPRETATIONS
from entvec.theory.lowrank import WIDEST, LowRankMaps
from entvec.theory.operators import Operator
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from entvec.learn import EntailmentMap

Side = Literal["hypo", "hyper"]
OTHER: dict[Side, Side] = {"hypo": "hyper", "hyper": "hypo"}
OFFSET: dict[Side, str] = {"hypo": "hypo_offset", "hyper": "hyper_offset"}

LARGEST_ERROR = 0.02
"""The largest error of low-rank maps over all features. Scores of neighbours in a ranking differ by more."""
RANKS = range(2, 9)


@dataclass(frozen=True, eq=False)
class Model:
    """An operator, an interpretation or learned map that computes its log-odds, and a calibration of its scores.

    Vectors may be arrays of NumPy, or of a library that computes on a GPU; results are arrays of the same library.

    >>> from entvec.theory import OPERATORS
    >>> model = Model(OPERATORS["backward"], "log_odds")
    >>> dog, animal = np.array([[4.0, 4.0]]), np.array([[4.0, -4.0]])
    >>> print(model.score(dog, animal).round(2), model.score(animal, dog).round(2))
    [-0.07] [-4.02]

    Parameters
    ----------
    operator
        The operator, a value of `OPERATORS`.
    interpretation
        How vectors become log-odds, a name in `INTERPRETATIONS`; None with a map.
    map
        The learned map, if any.
    low_rank
        Maps fitted to the range of the vocabulary's log-odds, if the operator is an inner product only approximately.
    specificity
        The hubness penalties of rankings.
    calibration
        The function from scores to probabilities, if the model is calibrated.
    """

    operator: Operator
    interpretation: str | None
    map: FittedMap | None = None
    low_rank: LowRankMaps | None = None
    specificity: Specificity = rankings.NONE
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        for value in self.specificity:
            self.check_specificity(value)

    @property
    def name(self) -> str:
        """The name of the model in tables: the interpretation and the operator."""
        return f"{self.interpretation or 'mapped'} {self.operator.name}"

    # Scores

    def log_odds(self, side: Side, vectors: Array) -> Array:
        """Return the log-odds of words on one side of pairs."""
        if self.map is None:
            return INTERPRETATIONS[str(self.interpretation)](vectors)
        return self.map.hypo(vectors) if side == "hypo" else self.map.hyper(vectors)

    def offset(self, side: Side, vectors: Array) -> Array:
        """Return what words on one side add to the scores of their pairs."""
        if self.map is None:
            return namespace(vectors).zeros(vectors.shape[:-1], dtype=vectors.dtype, device=device(vectors))
        return self.map.offset(OFFSET[side], vectors)

    def log_odds_and_offset(self, side: Side, vectors: AnyFloats) -> AnyFloats:
        """Return the log-odds of words on one side, and their offsets in one more column."""
        return np.concatenate([self.log_odds(side, vectors), self.offset(side, vectors)[:, None]], axis=1)

    def score(self, hypo: AnyFloats, hyper: AnyFloats) -> AnyFloats:
        """Return the scores of pairs of vectors, row by row, computed by the operator without its maps."""
        y, x = self.log_odds("hypo", hypo), self.log_odds("hyper", hyper)
        return np.asarray(self.operator.score(y, x) + self.offset("hypo", hypo) + self.offset("hyper", hyper))

    def score_from(self, side: Side, here: AnyFloats, there: AnyFloats) -> AnyFloats:
        """Return the scores of vectors `here` on this side with vectors `there` on the other side.

        >>> from entvec.theory import OPERATORS
        >>> model = Model(OPERATORS["backward"], "log_odds")
        >>> model.score_from("hyper", np.array([[4.0, -4.0]]), np.array([[4.0, 4.0]])).round(2)
        array([-0.07])

        Parameters
        ----------
        side
            The side of `here`.
        here, there
            Vectors, paired row by row.
        """
        return self.score(here, there) if side == "hypo" else self.score(there, here)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the probability of an entailment for each score; None if the model is not calibrated."""
        return None if self.calibration is None else self.calibration.probability(scores)

    # Scores as inner products

    @property
    def indexable(self) -> bool:
        """True if a score is an inner product of mapped vectors."""
        return self.operator.maps != "none" and (self.operator.maps != "low-rank" or self.low_rank is not None)

    def check_indexable(self, consequence: str) -> None:
        """Raise InvalidInput with this consequence in its text if scores are no inner products."""
        if not self.indexable:
            raise InvalidInput(f"{self.operator.name} is no inner product here, so {consequence}")

    @cached_property
    def _maps(self) -> dict[Side, Callable[[Any], Any]]:
        source: Any = self.operator if self.low_rank is None else self.low_rank
        return {"hypo": source.query, "hyper": source.key}

    def mapped_log_odds(self, side: Side, log_odds: Array) -> Array:
        """Return the query map or key map of log-odds, without offsets."""
        return self._maps[side](log_odds)

    def mapped(self, side: Side, vectors: Array) -> Array:
        """Return vectors whose inner products with those of the other side are the scores."""
        xp = namespace(vectors)
        mapped = self._maps[side](self.log_odds(side, vectors))
        offset = self.offset(side, vectors)[..., None]
        ones = xp.ones_like(offset)
        return xp.concat([mapped, ones, offset] if side == "hypo" else [mapped, offset, ones], axis=-1)

    def error(self, dimension: int) -> float:
        """Return the error bound of inner products for vectors of this dimension, apart from rounding."""
        if self.low_rank is None:
            return 0.0
        return self.low_rank.error * int(self.log_odds("hypo", np.zeros((1, dimension))).shape[1])

    def in_range(self, side: Side, vectors: AnyFloats) -> NDArray[np.bool_]:
        """Return for each vector whether its log-odds are in the range that the maps were fitted to."""
        if self.low_rank is None:
            return np.full(len(vectors), self.indexable)
        values = self.log_odds(side, vectors.astype(np.float64, copy=False))
        return np.asarray(((values >= self.low_rank.low) & (values <= self.low_rank.high)).all(axis=-1))

    # Rankings

    def penalty(self, side: Side, specificity: float | None = None) -> float:
        """Return the specificity of a ranking for queries on this side: the given value, or the default."""
        if specificity is not None:
            return self.check_specificity(specificity)
        return self.specificity.hypernyms if side == "hypo" else self.specificity.hyponyms

    def check_specificity(self, value: float) -> float:
        """Return the specificity as a float, or raise InvalidInput if this model cannot rank with it."""
        number = rankings.check_number(value)
        if number and not self.indexable:
            raise InvalidInput(
                f"specificity is {value}, but {self.operator.name} is no inner product here, so what general words "
                "would lose is not known; expected 0"
            )
        return number


def overflow(operator: str, pair: str) -> InvalidInput:
    """Return the error for a pair whose vectors are too large for a score."""
    return InvalidInput(
        f"the {operator} score of {pair} is larger than a float64; expected smaller vectors, scale them"
    )


def choose(
    vocabulary: Vocabulary,
    *,
    operator: str | None = None,
    interpretation: str | None = None,
    map: FittedMap | EntailmentMap | str | Path | None = None,  # noqa: A002
    specificity: float | Sequence[float] | None = None,
) -> Model:
    """Return a model for the vectors of a vocabulary.

    >>> from entvec.bundled import toy_world
    >>> from entvec.vectors import Vectors
    >>> choose(Vectors(toy_world().words, toy_world().log_odds()), interpretation="log_odds").name
    'log_odds backward'

    Parameters
    ----------
    vocabulary
        The words and their vectors. Low-rank maps are fitted to the range of their log-odds.
    operator
        The score of a pair: by default that of the map, or `backward` without a map.
    interpretation
        How vectors become log-odds, if there is no map: `unk_dup` by default.
    map
        A learned map, or the path of its file.
    specificity
        The hubness penalty of rankings: one number, or one for hypernyms and one for hyponyms.
    """
    if map is not None and interpretation is not None:
        raise InvalidInput("a map and an interpretation, expected one of them: both make log-odds of vectors")
    learned = _fitted(map)
    if operator is None:
        operator = "backward" if learned is None else learned.operator
    if learned is None:
        interpretation = "unk_dup" if interpretation is None else interpretation
    if operator not in OPERATORS:
        raise InvalidInput(f"no operator {operator!r}, expected one of {', '.join(OPERATORS)}")
    if learned is None and interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"no interpretation {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if learned is not None and learned.operator != operator:
        raise InvalidInput(f"the map was learned for {learned.operator}, expected that operator, got {operator!r}")
    if learned is not None and learned.dimension != vocabulary.dimension:
        raise InvalidInput(f"the map takes vectors of {learned.dimension} numbers, these have {vocabulary.dimension}")
    calibration = None if learned is None else Calibration.platt(learned.scale, learned.intercept)
    model = Model(OPERATORS[operator], interpretation, learned, calibration=calibration)
    if model.operator.maps == "low-rank" and len(vocabulary):
        model = replace(model, low_rank=_low_rank(model, vocabulary))
    chosen = _default_specificity(model) if specificity is None else rankings.both(specificity)
    return replace(model, specificity=chosen)


def _fitted(learned: Any) -> FittedMap | None:
    if learned is None or isinstance(learned, FittedMap):
        return learned
    if isinstance(learned, str | Path):
        return FittedMap.load(learned)
    if not hasattr(learned, "fitted"):
        raise InvalidInput(f"map is {learned!r:.60}, expected an EntailmentMap, a FittedMap or the name of a file")
    found = learned.fitted()
    return found if isinstance(found, FittedMap) else None


def _default_specificity(model: Model) -> Specificity:
    if not model.indexable:
        return rankings.NONE
    if model.map is not None and model.map.generality is not None:
        return rankings.LEARNED
    return rankings.DEFAULTS.get(model.interpretation, rankings.DEFAULTS[None])


def _low_rank(model: Model, vocabulary: Vocabulary) -> LowRankMaps | None:
    """Return the maps of lowest rank whose error is small enough for these vectors; None if no rank suffices."""
    low, high, n_features = np.inf, -np.inf, 0
    for _, block in vocabulary.blocks():
        for side in OTHER:
            values = model.log_odds(side, block)
            low, high = min(low, float(values.min())), max(high, float(values.max()))
            n_features = values.shape[-1]
    margin = 1e-3 * (high - low) + 1e-6  # the log-odds of a query may be rounded differently
    low, high = low - margin, high + margin
    if high - low > WIDEST:
        return None

    def is_accurate(rank: int) -> bool:
        return n_features * LowRankMaps(low, high, rank).error <= LARGEST_ERROR

    if not is_accurate(RANKS[-1]):  # tried first, since each rank takes time on a wide range
        return None
    return LowRankMaps(low, high, next(filter(is_accurate, RANKS)))
