"""Evidence of vectors: what the map says of a pair, both ways, and how alike the words are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import Model

SUREST = 9.0
"""The largest log-odds that a map is believed."""


def vector_features(model: Model, first: NDArray[Any], second: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """Return what the vectors of pairs say, by the names in `features.FEATURES`: an array for each.

    Parameters
    ----------
    model
        A model with a calibration.
    first, second
        The vectors of the pairs, row by row, in float64.
    """
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosine = (first * second).sum(axis=1) / np.where(lengths > 0, lengths, 1)
    return {
        "map": _log_odds(model, model.score(first, second)),
        "map reversed": _log_odds(model, model.score(second, first)),
        "cosine": cosine,
    }


def _log_odds(model: Model, scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return the calibrated log-odds of scores, within bounds."""
    least = 1 / (1 + np.exp(SUREST))
    found = np.clip(np.asarray(model.probabilities(np.asarray(scores, np.float64))), least, 1 - least)
    return np.asarray(np.log(found) - np.log1p(-found))
