"""The result of a fit: maps vectors to log-odds and scores to probabilities, without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entvec.array_types import AnyFloats
from entvec.learn.calibration import Calibration
from entvec.theory.arrays import Array, device, namespace
from entvec.theory.product import product


@dataclass(frozen=True, eq=False)
class FittedMap:
    """Linear maps of word vectors to log-odds, and offsets that are added to the score of the operator.

    A word has log-odds as a hypo and, if the map has two sides, others as a hyper. An offset is an affine function of
    a word's vector: its last number is the constant. The score of a pair and its probability are

        score(y, x) = operator(hypo(y), hyper(x)) + hypo_offset(y) + hyper_offset(x)
        probability = s(scale * score + intercept)

    and `generality` is how readily everything entails a word: a ranking of hypernyms subtracts it.

    >>> one_sided = FittedMap("backward", np.eye(2), np.array([-1.0, -1.0]))
    >>> one_sided.hyper(np.array([[3.0, 0.0]]))
    array([[ 2., -1.]])
    >>> one_sided.offset("generality", np.array([[3.0, 0.0]]))
    array([0.])

    Parameters
    ----------
    operator
        The name of the operator.
    hypo_weights, hypo_bias
        The map of hypos, and of both sides if there is only one.
    hyper_weights, hyper_bias
        The map of hypers, if the map has two sides.
    hypo_offset, hyper_offset, generality
        The coefficients of the offsets and of the generality; None for 0.
    scale, intercept
        The calibration of the probability.
    settings
        The parameters of the fit.
    metadata
        Texts that describe the map, such as its source.
    """

    operator: str
    hypo_weights: AnyFloats
    hypo_bias: AnyFloats
    hyper_weights: AnyFloats | None = None
    hyper_bias: AnyFloats | None = None
    hypo_offset: AnyFloats | None = None
    hyper_offset: AnyFloats | None = None
    generality: AnyFloats | None = None
    scale: float = 1.0
    intercept: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return len(self.hypo_weights)

    @property
    def n_components(self) -> int:
        """The number of log-odds of a word."""
        return int(self.hypo_weights.shape[1])

    @property
    def plain(self) -> bool:
        """True if the map has one side and no offsets, as an `EntailmentMap` has."""
        parts = (self.hyper_weights, self.hyper_bias, self.hypo_offset, self.hyper_offset, self.generality)
        return all(part is None for part in parts)

    def hypo(self, vectors: Array) -> Array:
        """Return the log-odds of words as hypos, in the dtype, array library and device of the vectors."""
        return _affine(vectors, self.hypo_weights, self.hypo_bias)

    def hyper(self, vectors: Array) -> Array:
        """Return the log-odds of words as hypers."""
        weights = self.hypo_weights if self.hyper_weights is None else self.hyper_weights
        bias = self.hypo_bias if self.hyper_bias is None else self.hyper_bias
        return _affine(vectors, weights, bias)

    def offset(self, name: str, vectors: Array) -> Array:
        """Return the value of hypo_offset, hyper_offset or generality for each vector."""
        function = getattr(self, name)
        if function is None:
            return namespace(vectors).zeros(vectors.shape[:-1], dtype=vectors.dtype, device=device(vectors))
        return _affine(vectors, function[:-1], function[-1])

    def calibrated(self, calibration: Calibration, metadata: Mapping[str, str] | None = None) -> FittedMap:
        """Return the map with other probabilities, and perhaps other texts that describe it."""
        described = self.metadata if metadata is None else metadata
        return replace(self, scale=calibration.scale, intercept=calibration.intercept, metadata=described)

    def save(self, path: str | Path) -> None:
        """Write the map, atomically: to a file such as "map.safetensors", or to a folder if the name has no suffix.

        A folder has a model card, too, and can be pushed to the Hugging Face Hub.
        """
        from entvec.learn import storage

        storage.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> FittedMap:
        """Return the map of a file, of a folder or of a folder of the hub ("hub:OWNER/NAME"), every number checked."""
        from entvec.learn import storage

        return storage.load(path)


def _affine(vectors: Array, weights: ArrayLike, constant: ArrayLike) -> Array:
    def here(numbers: ArrayLike) -> Array:
        known = np.asarray(numbers)
        copy = None if known.flags.writeable else True  # PyTorch warns about read-only arrays
        return namespace(vectors).asarray(known, dtype=vectors.dtype, device=device(vectors), copy=copy)

    found = product(vectors, here(weights))
    found += here(constant)  # in place: a large array more is slow, as its pages are new
    return found
