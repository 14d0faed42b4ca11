"""Describes a model as JSON, without its map; folders and databases store the same description."""

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
    """A description that makes no sense; callers catch this and raise an error that names the file or database."""


def describe(model: Model, dtype: DtypeName) -> dict[str, Any]:
    """Return the settings of a model as JSON can hold them; `dtype` is that of the keys."""
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
    """Raise Unfit if an entry is missing or invalid; `further` has the checks of additional entries."""
    for name, sound in (CHECKS | dict(further)).items():
        if name not in description or not sound(description[name]):
            raise Unfit(f"expected a sound entry {name!r}, found {str(description.get(name))[:60]!r}")
    if description["low_rank"] is not None and OPERATORS[description["operator"]].maps != "low-rank":
        raise Unfit(f"expected no low-rank maps for {description['operator']}, found {description['low_rank']}")


def model_of(description: Mapping[str, Any], learned: FittedMap | None, dimension: int) -> Model:
    """Return the model that a description stands for, or raise Unfit if the map does not fit it.

    Parameters
    ----------
    description
        What `describe` returned, after `check`.
    learned
        The map of the model, if it has one.
    dimension
        The length of the vectors.
    """
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
    """Return whether a value of JSON is a finite number."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def of_sides(value: Any, sound: Check) -> bool:
    """Return whether a value of JSON has a valid entry for each side that it names."""
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
