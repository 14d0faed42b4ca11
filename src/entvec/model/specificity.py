"""How much words lose in a ranking for what they have in common with any other: docs/specificity.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from entvec.errors import InvalidInput
from entvec.model.model import Model


class Specificity(NamedTuple):
    """How much words lose in a ranking for what they have in common with any other."""

    hypernyms: float
    """For being entailed by everything."""
    hyponyms: float
    """For entailing everything."""


SPECIFICITY = {
    "unk_dup": Specificity(0.7, 1.0),
    "dup": Specificity(0.25, 1.0),
    "log_odds": Specificity(0.95, 1.0),
    None: Specificity(0.5, 0.5),
}
"""That of spaces without a learned generality, by interpretation; None is a map. The best of a grid under `backward`,
on words of WordNet (`entvec figure specificity`, docs/specificity.md)."""
LEARNED = Specificity(1.0, 1.0)
"""That of a map with a learned generality, which was learned for this."""


def default_specificity(reading: Model) -> Specificity:
    """The specificity of a space that was given none."""
    if not reading.indexable:
        return Specificity(0.0, 0.0)
    if reading.map is not None and reading.map.generality is not None:
        return LEARNED
    return SPECIFICITY[reading.interpretation]


def both_specificities(given: float | Sequence[float], reading: Model) -> Specificity:
    """One number for both rankings, or one for hypernyms and one for hyponyms."""
    both = tuple(given) if isinstance(given, Sequence) else (given, given)
    if len(both) != len(Specificity._fields):
        raise InvalidInput(f"specificity is {given!r:.60}, expected one for hypernyms and one for hyponyms")
    return Specificity(*(check_specificity(value, reading) for value in both))


def check_specificity(value: float, reading: Model) -> float:
    """A specificity that rankings under this reading can have."""
    if not (isinstance(value, int | float | np.integer | np.floating) and np.isfinite(value)):
        raise InvalidInput(f"specificity is {value!r:.60}, expected a number, 0 for none")
    if value and not reading.indexable:
        raise InvalidInput(
            f"specificity is {value}, but {reading.operator.name} is no inner product here, so what general words "
            "would lose is not known; expected 0"
        )
    return float(value)
