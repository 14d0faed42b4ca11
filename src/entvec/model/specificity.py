"""The hubness penalty of a ranking: how much words lose for being general. docs/specificity.md has the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from entvec.errors import InvalidInput


class Specificity(NamedTuple):
    """How much of a word's hubness a ranking subtracts from its score."""

    hypernyms: float
    """For words that everything entails."""
    hyponyms: float
    """For words that entail everything."""


LARGEST = 1e6
"""With a larger penalty, what it adds to a score leaves no digits of the score itself."""
NONE = Specificity(0.0, 0.0)
LEARNED = Specificity(1.0, 1.0)
"""The default of maps with a learned generality, which was fitted for this value."""
DEFAULTS = {
    "unk_dup": Specificity(0.7, 1.0),
    "dup": Specificity(0.25, 1.0),
    "log_odds": Specificity(0.95, 1.0),
    None: Specificity(0.5, 0.5),
}
"""The defaults of other spaces by interpretation; None stands for a map and for all other interpretations. They are the
best values of a grid, under `backward` on words of WordNet (`entvec figure specificity`)."""


def both(given: float | Sequence[float]) -> Specificity:
    """Return the specificity of both rankings, from one number for both or a pair of numbers."""
    pair = tuple(given) if isinstance(given, Sequence) else (given, given)
    if len(pair) != len(Specificity._fields):
        raise InvalidInput(f"specificity is {given!r:.60}, expected one for hypernyms and one for hyponyms")
    return Specificity(*map(check_number, pair))


def check_number(value: float) -> float:
    """Return the value as a float, or raise InvalidInput if it is no number, or so large that scores lose digits."""
    if not (isinstance(value, int | float | np.integer | np.floating) and abs(value) <= LARGEST):
        raise InvalidInput(f"specificity is {value!r:.60}, expected a number up to {LARGEST:g}, 0 for none")
    return float(value)
