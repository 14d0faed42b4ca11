"""Three ways to read a word vector V as log-odds that features are known (the paper, section 3).

`log_odds` takes V as it is. `dup` reads a large negative value as knowledge too, namely that the feature is
false: each dimension becomes two, "known to be true" and "known to be false". `unk_dup` reads values
around zero as neither: it shifts both copies down, so that unknown has a share of the probability.

>>> import numpy as np
>>> v = np.array([2.0, 0.0, -2.0])
>>> unk_dup(v)
array([ 1., -1., -3., -3., -1.,  1.])
>>> unknown_mass(v).round(3)
array([0.222, 0.462, 0.222])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from entvec.errors import InvalidInput
from entvec.theory import elementwise
from entvec.theory.arrays import Array, check_vectors

SHIFT = 1.0
"""The paper's constant in `unk_dup`; `entvec figure gradients` shows how well other values would fit."""


def log_odds(v: Array) -> Array:
    """Return V itself as the log-odds that each feature is known."""
    check_vectors(v=v)
    return v


def dup(v: Array) -> Array:
    """Return [V, -V]: the log-odds of "known to be true" and of "known to be false"."""
    xp = check_vectors(v=v)
    return xp.concat([v, -v], axis=-1)


def unk_dup(v: Array, *, shift: float = SHIFT) -> Array:
    """Return [V - shift, -V - shift]: `dup` with some probability for unknown around zero. The paper's shift is 1."""
    xp = check_vectors(v=v)
    check_shift(shift)
    return xp.concat([v - shift, -v - shift], axis=-1)


def known(x: Array) -> Array:
    """Return the probability s(X) that each feature is known."""
    check_vectors(x=x)
    return elementwise.known(x)


def unknown_mass(v: Array, *, shift: float = SHIFT) -> Array:
    """Return the probability that `unk_dup` leaves for unknown: 1 - s(V - shift) - s(-V - shift).

    It is computed as (1 - e^(-2 shift)) exp(2 shift + log s(V - shift) + log s(-V - shift)), the same number
    without cancellation: far from zero, 1 minus almost 1 would leave no correct digit.
    """
    xp = check_vectors(v=v)
    check_shift(shift)
    both = elementwise.log_known(v - shift) + elementwise.log_known(-v - shift)
    return -math.expm1(-2 * shift) * xp.exp(2 * shift + both)


def check_shift(shift: float) -> None:
    """Raise an error for a negative shift, which would leave a negative probability for unknown."""
    if not (math.isfinite(shift) and shift >= 0):
        raise InvalidInput(f"shift is {shift}, expected 0 (nothing is unknown, as in dup) or more; the paper has 1")


@dataclass(frozen=True)
class Interpretation:
    """A row of `INTERPRETATIONS`: a function of vectors, and how it copies each dimension.

    Each copy of a dimension V is sign * V - shifted * shift; `copies` has (sign, shifted) for each.
    """

    read: Callable[[Array], Array]
    copies: tuple[tuple[int, int], ...]

    def __call__(self, v: Array) -> Array:
        """Return the log-odds of vectors."""
        return self.read(v)


INTERPRETATIONS: dict[str, Interpretation] = {
    "log_odds": Interpretation(log_odds, ((1, 0),)),
    "dup": Interpretation(dup, ((1, 0), (-1, 0))),
    "unk_dup": Interpretation(unk_dup, ((1, 1), (-1, 1))),
}
"""All interpretations by name."""
