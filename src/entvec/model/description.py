"""A model as JSON can hold it, beside its map: the same in a folder and in a database."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from entvec.errors import EntvecError
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.model.model import OTHER, Model
from entvec.model.specificity import Specificity
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.theory.lowrank import LowRankMaps
from entvec.vectors.dtypes import DTYPES, DtypeName

Check = Callable[[Any], bool]


class Unfit(Exception):
    """Says what is wrong with a description; callers turn it into an error of their own."""


def describe(model: Model, dtype: DtypeName) -> dict[str, Any]:
    """Return what a space is beside its vectors and its map; `dtype` is that of its keys."""
    low_rank, calibration = model.low_rank, model.calibration
    return {
        "operator": model.operator.name,
        "interpretation": model.interpretation,
        "specificity": list(model.specificity),
        "dtype": dtype,
        "calibration": None if calibration is None else [calibration.scale, calibration.intercept],
        "low_rank": None if low_rank is None else [low_rank.low, low_rank.high, low_rank.rank],
    }


def check(description: Mapping[str, Any], further: Mapping[str, Check]) -> None:
    """Raise Unfit for an entry that means nothing; `further` entries have checks of their own."""
    for name, sound in (CHECKS | dict(further)).items():
        if name not in description or not sound(description[name]):
            raise Unfit(f"expected a sound entry {name!r}, found {str(description.get(name))[:60]!r}")
    if description["low_rank"] is not None and OPERATORS[description["operator"]].maps != "low-rank":
        raise Unfit(f"expected no low-rank maps for {description['operator']}, found {description['low_rank']}")


def model_of(description: Mapping[str, Any], learned: FittedMap | None, dimension: int) -> Model:
    """Return the model for vectors of this dimension, from a checked description and the map beside it."""
    if learned is not None and (learned.operator, learned.dimension) != (description["operator"], dimension):
        raise Unfit(
            f"expected a map for {description['operator']} and vectors of {dimension} numbers, "
            f"found one for {learned.operator} and {learned.dimension}"
        )
    low_rank, calibration = description["low_rank"], description["calibration"]
    return Model(
        OPERATORS[description["operator"]],
        description["interpretation"],
        learned,
        None if low_rank is None else LowRankMaps(*low_rank),
        Specificity(*map(float, description["specificity"])),
        None if calibration is None else Calibration.platt(*calibration),
    )


def is_number(value: Any) -> bool:
    """Return whether JSON had a finite number there."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def of_sides(value: Any, sound: Check) -> bool:
    """Return whether these are sound entries for some of the sides."""
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
