"""Turns scores into probabilities, fitted to pairs that the scores were not fitted to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput, MissingExtra
from entvec.theory.elementwise import known

Method = Literal["isotonic", "platt"]


@dataclass(frozen=True)
class Calibration:
    """A rising function from scores to probabilities: straight lines between points (isotonic), or a sigmoid (Platt).

    >>> Calibration.platt(scale=2.0, intercept=1.0).probability([-0.5, 0.0]).round(2)
    array([0.5 , 0.73])

    Parameters
    ----------
    method
        "isotonic" or "platt".
    x, y
        The coordinates of the points; for Platt the scale and the intercept.
    """

    method: Method
    x: tuple[float, ...]
    y: tuple[float, ...]

    @classmethod
    def platt(cls, scale: float, intercept: float) -> Calibration:
        """Return the calibration whose probability of a score is s(scale * score + intercept)."""
        return cls("platt", (float(scale),), (float(intercept),))

    @property
    def scale(self) -> float:
        """The scale of Platt's sigmoid."""
        return self._sigmoid()[0]

    @property
    def intercept(self) -> float:
        """The intercept of Platt's sigmoid."""
        return self._sigmoid()[1]

    def _sigmoid(self) -> tuple[float, float]:
        if self.method != "platt":
            raise InvalidInput(f"the calibration is {self.method}, expected platt, which has a scale and an intercept")
        return self.x[0], self.y[0]

    def line(self) -> tuple[float, float]:
        """Return the scale and intercept of log-odds: those of the sigmoid, or of a line through the curve's quartiles.

        >>> Calibration("isotonic", (0.0, 4.0), (0.0, 1.0)).line()
        (1.0986122886681098, -2.1972245773362196)
        """
        if self.method == "platt":
            return self._sigmoid()
        low, high = np.interp([0.25, 0.75], self.y, self.x).tolist()
        scale = 2 * math.log(3) / (high - low) if high > low else 0.0
        return scale, -scale * (low + high) / 2

    def log_odds(self, scores: Any) -> Any:
        """Return the log-odds of an entailment under Platt's sigmoid; those of independent evidence add up."""
        scale, intercept = self._sigmoid()
        return scale * scores + intercept

    def probability(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of entailment."""
        values = np.asarray(scores, dtype=np.float64)
        if self.method == "platt":
            return np.asarray(known(self.log_odds(values)))
        return np.asarray(np.interp(values, self.x, self.y))


def calibrate(scores: ArrayLike, labels: ArrayLike, method: Method = "platt") -> Calibration:
    """Fit probabilities to scores of held-out pairs.

    >>> found = calibrate([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], [0, 0, 1, 0, 1, 1], "isotonic")
    >>> found.probability([-9.0, 0.0, 9.0])
    array([0. , 0.5, 1. ])

    Parameters
    ----------
    scores
        The scores of the pairs.
    labels
        Above 0 for entailments.
    method
        "platt" fits a sigmoid with two parameters and needs few pairs; "isotonic" fits any rising curve and needs about
        a thousand.
    """
    values: Any = np.asarray(scores, dtype=np.float64)
    entails = np.asarray(labels) > 0
    if values.ndim != 1 or values.shape != entails.shape or not np.isfinite(values).all():
        raise InvalidInput(
            f"scores of shape {values.shape} for labels of {entails.shape}, expected as many finite numbers"
        )
    if entails.all() or not entails.any():
        raise InvalidInput("labels of one kind only, expected entailments and others")
    try:
        from sklearn.isotonic import IsotonicRegression
        from sklearn.linear_model import LogisticRegression
    except ModuleNotFoundError:
        raise MissingExtra("calibration", needs="scikit-learn", extra="learn") from None
    if method == "platt":
        centre, spread = values.mean(), values.std() or 1.0
        fitted = LogisticRegression(C=1e4).fit(((values - centre) / spread)[:, None], entails)
        slope = float(fitted.coef_[0, 0]) / spread
        intercept = float(fitted.intercept_[0]) - slope * centre
        if slope <= 0 or np.ptp(values) == 0:
            slope, intercept = 0.0, float(np.log(entails.sum() / (~entails).sum()))
        return Calibration.platt(slope, intercept)
    if method == "isotonic":
        isotonic = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, entails.astype(np.float64))
        return Calibration("isotonic", tuple(isotonic.X_thresholds_.tolist()), tuple(isotonic.y_thresholds_.tolist()))
    raise InvalidInput(f"method is {method!r}, expected isotonic or platt")
