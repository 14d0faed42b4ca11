"""Measured rows of the studies of taxonomies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from entvec.array_types import AnyFloats
from entvec.evaluate.metrics import Interval, flattened, mean_interval
from entvec.interchange import data_frame

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StudyResult:
    """The measures of one method in a study, with 95% intervals from 1,000 resamples of its cases.

    >>> StudyResult("placement", "a parent", 500, {"mrr": Interval(0.5, 0.4, 0.6)}).measures["mrr"].low
    0.4

    Parameters
    ----------
    study, name
        The name of the study and of the method.
    n
        The number of cases.
    measures
        The measures by name.
    baseline
        Whether the method is a baseline.
    """

    study: str
    name: str
    n: int
    measures: dict[str, Interval]
    baseline: bool = False

    @classmethod
    def of_means(
        cls,
        study: str,
        name: str,
        values: Mapping[str, AnyFloats],
        *,
        baseline: bool = False,
        groups: ArrayLike | None = None,
    ) -> StudyResult:
        """Return the means of some measures.

        >>> StudyResult.of_means("placement", "a parent", {"mrr": np.array([1.0, 0.5])}).measures["mrr"].value
        0.75

        Parameters
        ----------
        study, name
            The name of the study and of the method.
        values
            For each measure, one number a case.
        baseline
            Whether the method is a baseline.
        groups
            The group of each case; cases of one group are drawn together. Each case is its own group if None.
        """
        measures = {measure: mean_interval(numbers, groups) for measure, numbers in values.items()}
        return cls(study, name, len(next(iter(values.values()))), measures, baseline)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON can hold it."""
        row = {"study": self.study, "row": self.name, "n": self.n, "baseline": self.baseline}
        return row | flattened(self.measures)

    def to_frame(self) -> pd.DataFrame:
        """Return the row as a DataFrame; `pandas.concat` joins those of several results. This needs pandas."""
        return data_frame({name: [value] for name, value in self.as_dict().items()})


def columns(cases: list[dict[str, float]]) -> dict[str, AnyFloats]:
    """Return for each measure one number a case, from the measures of each case."""
    return {name: np.array([measures[name] for measures in cases]) for name in cases[0]}
