"""Scores to probabilities, fitted on pairs that the scores were not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from entvec.errors import InvalidInput
from entvec.theory.elementwise import known

Method = Literal["isotonic", "platt"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """A rising function of the score: straight lines between points (isotonic), or a sigmoid (Platt).

    It is two columns of numbers, so that it can be kept in a file: the points, or one row of slope and intercept.
    """

    method: Method
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def probability(self, scores: ArrayLike) -> NDArray[np.float64]:
        """The probabilities of entailment."""
        values = np.asarray(scores, dtype=np.float64)
        if self.method == "platt":
            return np.asarray(known(self.x[0] * values + self.y[0]))
        return np.asarray(np.interp(values, self.x, self.y))


def calibrate(scores: ArrayLike, labels: ArrayLike, method: Method = "platt") -> Calibration:
    """Fit probabilities to scores of held-out pairs.

    Platt's sigmoid has two numbers and needs few pairs; isotonic regression follows any rising curve and wants about a
    thousand.

    >>> found = calibrate([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [0, 0, 1, 0, 1, 1], "isotonic")
    >>> found.probability([-9.0, 0.0, 9.0])
    array([0. , 0.5, 1. ])
    """
    values: Any = np.asarray(scores, dtype=np.float64)
    wanted = np.asarray(labels) > 0
    if values.ndim != 1 or values.shape != wanted.shape or not np.isfinite(values).all():
        raise InvalidInput(
            f"scores of shape {values.shape} for labels of {wanted.shape}, expected as many finite numbers"
        )
    if wanted.all() or not wanted.any():
        raise InvalidInput("labels of one kind only, expected entailments and others")
    if method == "platt":
        centre, spread = values.mean(), values.std() or 1.0
        fitted = LogisticRegression(C=1e4).fit(((values - centre) / spread)[:, None], wanted)
        slope = float(fitted.coef_[0, 0]) / spread
        intercept = float(fitted.intercept_[0]) - slope * centre
        if slope <= 0 or np.ptp(values) == 0:
            slope, intercept = 0.0, float(np.log(wanted.sum() / (~wanted).sum()))
        return Calibration("platt", np.array([slope]), np.array([intercept]))
    if method == "isotonic":
        isotonic = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, wanted.astype(np.float64))
        return Calibration("isotonic", isotonic.X_thresholds_, isotonic.y_thresholds_)
    raise InvalidInput(f"method is {method!r}, expected isotonic or platt")
