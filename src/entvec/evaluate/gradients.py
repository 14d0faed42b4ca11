"""Figure 1 of the paper: the gradient that trains Word2Vec against the gradients of its interpretations.

All are functions of one dimension of the middle vector and of the context vector. Training multiplies the gradient by a
learning rate, so only its shape counts: the mismatch of an interpretation with gradient G is the part of Word2Vec's
gradient W that no multiple of G explains,

    mismatch = min over a of norm(a G - W) / norm(W),

0 for a perfect match and 1 for no match at all.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize_scalar

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.evaluate.plotting import new_figure
from entvec.theory import context
from entvec.theory.interpret import INTERPRETATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Gradients", "best_shift", "draw", "gradients", "mismatch_of_shift"]


POINTS = 201
"""Points on each axis; twice as many change the mismatch by less than 0.0005."""
LARGEST_SHIFT = 10.0
SMALLEST, LARGEST = 0.01, 50.0
"""Limits of the range of values."""


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients over the square [-limit, limit]^2 of middle values (rows) and context values (columns).

    >>> found = gradients()
    >>> sorted(found.interpretations), found.word2vec.shape
    (['dup', 'log_odds', 'unk_dup'], (201, 201))

    Parameters
    ----------
    limit
        The largest value.
    values
        The values along each axis.
    word2vec
        Word2Vec's gradient.
    interpretations
        The gradient of each interpretation.
    """

    limit: float
    values: Floats
    word2vec: Floats
    interpretations: dict[str, Floats]

    def mismatch(self, name: str) -> float:
        """Return the part of Word2Vec's gradient that the interpretation does not explain."""
        return _mismatch(self.interpretations[name], self.word2vec)

    def correlation(self, name: str) -> float:
        """Return the correlation of the two gradients over the square."""
        found, wanted = (grid - grid.mean() for grid in (self.interpretations[name], self.word2vec))
        return float(np.vdot(found, wanted) / (np.linalg.norm(found) * np.linalg.norm(wanted)))


def gradients(limit: float = 2.0) -> Gradients:
    """Return Word2Vec's gradient and those of the three interpretations, for values from -limit to limit."""
    if not SMALLEST <= limit <= LARGEST:
        raise InvalidInput(f"the range of values is {limit}, expected {SMALLEST} to {LARGEST}")
    values = np.linspace(-limit, limit, POINTS)
    middle, outer = _square(values)
    return Gradients(
        limit=limit,
        values=values,
        word2vec=context.word2vec_gradient(middle, outer)[..., 0],
        interpretations={
            name: context.gradient(middle, outer, interpretation=name)[..., 0] for name in INTERPRETATIONS
        },
    )


def mismatch_of_shift(shift: float, limit: float = 2.0) -> float:
    """Return the mismatch of the "unk_dup" interpretation with this constant in place of the paper's 1."""
    middle, outer = _square(np.linspace(-limit, limit, POINTS))
    found = context.gradient(middle, outer, interpretation="unk_dup", shift=shift)
    return _mismatch(found, context.word2vec_gradient(middle, outer))


def best_shift(limit: float = 2.0) -> float:
    """Return the constant between 0 and 10 with the least mismatch, to two digits."""
    # A coarse grid first, because there may be several local minima.
    coarse = np.linspace(0, LARGEST_SHIFT, 41)
    nearest = coarse[np.argmin([mismatch_of_shift(shift, limit) for shift in coarse])]
    around = (max(0.0, nearest - 0.25), nearest + 0.25)
    found = minimize_scalar(mismatch_of_shift, bounds=around, args=(limit,), method="bounded")
    return round(float(found.x), 2)


def draw(found: Gradients) -> "Figure":
    """Draw the gradients as surfaces, each on its own scale, because only their shapes are comparable."""
    panels = {"Word2Vec": found.word2vec} | {
        f"{name}, mismatch {found.mismatch(name):.2f}": grid for name, grid in found.interpretations.items()
    }
    figure = new_figure(9, 7)
    middle, outer = np.meshgrid(found.values, found.values, indexing="ij")
    for i, (title, grid) in enumerate(panels.items(), start=1):
        axes: Any = figure.add_subplot(2, 2, i, projection="3d")
        top = float(np.abs(grid).max())
        axes.plot_surface(
            middle, outer, grid, cmap="RdBu_r", vmin=-top, vmax=top, rcount=31, ccount=31, linewidth=0, rasterized=True
        )
        axes.set(title=title, xlabel="middle value", ylabel="context value")
        axes.view_init(elev=28, azim=-125)
    figure.suptitle("Training gradient of a middle value (height; each panel has its own scale)")
    return figure


def _square(values: Floats) -> tuple[Floats, Floats]:
    """Return all pairs of values, as vectors of one feature."""
    middle, outer = np.meshgrid(values, values, indexing="ij")
    return middle[..., None], outer[..., None]


def _mismatch(found: Floats, wanted: Floats) -> float:
    factor = np.vdot(found, wanted) / np.vdot(found, found)
    return float(np.linalg.norm(factor * found - wanted) / np.linalg.norm(wanted))
