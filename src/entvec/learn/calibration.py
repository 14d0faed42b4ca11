"""Scores to probabilities, fitted on pairs that the scores were not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput, MissingExtra
from entvec.theory.elementwise import known

Method = Literal["isotonic", "platt"]


@dataclass(frozen=True)
class Calibration:
    """A rising function of the score: straight lines between points (isotonic), or a sigmoid (Platt).

    It is two columns of numbers, so that it can be kept in a file: the points, or one row of scale and intercept.

    >>> Calibration.platt(scale=2.0, intercept=1.0).probability([-0.5, 0.0]).round(2)
    array([0.5 , 0.73])
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
        return self._of_sigmoid()[0]

    @property
    def intercept(self) -> float:
        """The intercept of Platt's sigmoid."""
        return self._of_sigmoid()[1]

    def _of_sigmoid(self) -> tuple[float, float]:
        if self.method != "platt":
            raise InvalidInput(f"the calibration is {self.method}, expected platt, which has a scale and an intercept")
        return self.x[0], self.y[0]

    def log_odds(self, scores: Any) -> Any:
        """Return the log-odds of an entailment under Platt's sigmoid, which add up where evidence does."""
        scale, intercept = self._of_sigmoid()
        return scale * scores + intercept

    def probability(self, scores: ArrayLike) -> NDArray[np.float64]:
        """The probabilities of entailment."""
        values = np.asarray(scores, dtype=np.float64)
        if self.method == "platt":
            return np.asarray(known(self.log_odds(values)))
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
    try:
        from sklearn.isotonic import IsotonicRegression
        from sklearn.linear_model import LogisticRegression
    except ModuleNotFoundError:
        raise MissingExtra("calibration", needs="scikit-learn", extra="learn") from None
    if method == "platt":
        centre, spread = values.mean(), values.std() or 1.0
        fitted = LogisticRegression(C=1e4).fit(((values - centre) / spread)[:, None], wanted)
        slope = float(fitted.coef_[0, 0]) / spread
        intercept = float(fitted.intercept_[0]) - slope * centre
        if slope <= 0 or np.ptp(values) == 0:
            slope, intercept = 0.0, float(np.log(wanted.sum() / (~wanted).sum()))
        return Calibration.platt(slope, intercept)
    if method == "isotonic":
        isotonic = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, wanted.astype(np.float64))
        return Calibration("isotonic", tuple(isotonic.X_thresholds_.tolist()), tuple(isotonic.y_thresholds_.tolist()))
    raise InvalidInput(f"method is {method!r}, expected isotonic or platt")
