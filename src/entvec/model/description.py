"""How a space reads its vectors, in words and numbers that JSON can hold; the same wherever a space is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from entvec.errors import EntvecError
from entvec.learn.fitted import FittedMap
from entvec.model.model import OTHER, Model
from entvec.space.verbs import Calibration
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.theory.lowrank import LowRankMaps
from entvec.vectors.dtypes import DTYPES

if TYPE_CHECKING:
    from entvec.space.space import EntailmentSpace

Check = Callable[[Any], bool]


class Unfit(Exception):
    """What is wrong with a description; callers turn it into an error of their own."""


def describe(space: EntailmentSpace) -> dict[str, Any]:
    """What a space is beside its vectors and its map."""
    low_rank = space.model.low_rank
    return {
        "operator": space.operator,
        "interpretation": space.model.interpretation,
        "specificity": list(space.specificity),
        "dtype": space.dtype,
        "calibration": None if space.calibration is None else list(space.calibration),
        "low_rank": None if low_rank is None else [low_rank.low, low_rank.high, low_rank.rank],
    }


def check(told: Mapping[str, Any], further: Mapping[str, Check]) -> None:
    """Refuse a description with an entry that means nothing; `further` entries have checks of their own."""
    for name, sound in (CHECKS | dict(further)).items():
        if name not in told or not sound(told[name]):
            raise Unfit(f"expected a sound entry {name!r}, found {str(told.get(name))[:60]!r}")
    if told["low_rank"] is not None and OPERATORS[told["operator"]].maps != "low-rank":
        raise Unfit(f"expected no low-rank maps for {told['operator']}, found {told['low_rank']}")


def model_of(told: Mapping[str, Any], learned: FittedMap | None, dimension: int) -> Model:
    """The reading of vectors of this dimension, from a description that was checked, and the map beside it."""
    if learned is not None and (learned.operator, learned.dimension) != (told["operator"], dimension):
        raise Unfit(
            f"expected a map for {told['operator']} and vectors of {dimension} numbers, "
            f"found one for {learned.operator} and {learned.dimension}"
        )
    low_rank = None if told["low_rank"] is None else LowRankMaps(*told["low_rank"])
    return Model(OPERATORS[told["operator"]], told["interpretation"], learned, low_rank)


def calibration_of(told: Mapping[str, Any]) -> Calibration | None:
    """The calibration of a description that was checked."""
    return None if told["calibration"] is None else Calibration(*told["calibration"])


def is_number(value: Any) -> bool:
    """Whether JSON had a finite number there."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def of_sides(value: Any, sound: Check) -> bool:
    """Whether these are sound entries for some of the sides."""
    return isinstance(value, dict) and value.keys() <= OTHER.keys() and all(map(sound, value.values()))


def _numbers(value: Any, n: int) -> bool:
    return isinstance(value, list) and len(value) == n and all(map(is_number, value))


def _low_rank(value: Any) -> bool:
    try:
        return bool(_numbers(value, 3) and type(value[2]) is int and LowRankMaps(*value))
    except EntvecError:
        return False


CHECKS: dict[str, Check] = {
    "operator": lambda value: isinstance(value, str) and value in OPERATORS,
    "interpretation": lambda value: value is None or (isinstance(value, str) and value in INTERPRETATIONS),
    "specificity": lambda value: _numbers(value, 2),
    "dtype": lambda value: isinstance(value, str) and value in DTYPES,
    "calibration": lambda value: value is None or _numbers(value, 2),
    "low_rank": lambda value: value is None or _low_rank(value),
}
