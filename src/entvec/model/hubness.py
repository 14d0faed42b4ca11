"""Hubness: how readily everything entails a word (as a hyper), or it entails everything (as a hypo)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import OTHER, Model, Side
from entvec.theory.arrays import Array, device, namespace
from entvec.vectors.vocabulary import Vocabulary, sample


@dataclass(frozen=True, eq=False)
class Hubness:
    """Measures hubness in a vocabulary.

    Where it was not learned, it is a word's mean score with all words, less that of an average word: numbers around 0,
    which keep their digits in 16 bits and make rounding errors small.
    """

    model: Model
    vocabulary: Vocabulary

    def of(self, side: Side, vectors: Array, mapped: Array | None = None) -> Array:
        """Return the hubness of words on one side; `mapped` are their mapped vectors, if these were made already."""
        learned = self.model.map
        if side == "hyper" and learned is not None and learned.generality is not None:
            return learned.offset("generality", vectors)
        if not self.model.indexable:
            return np.zeros(len(vectors), dtype=vectors.dtype)
        mapped = self.model.mapped(side, vectors) if mapped is None else mapped
        xp, place = namespace(mapped), device(mapped)
        centre, others = (
            xp.asarray(self.centres[each], dtype=mapped.dtype, device=place) for each in (side, OTHER[side])
        )
        return (mapped - centre) @ others

    @cached_property
    def centres(self) -> dict[Side, NDArray[np.float64]]:
        """The mean mapped vector of each side: its product with a word's is the mean of that word's scores."""
        words = sample(self.vocabulary)
        return {side: self.model.mapped(side, words).sum(axis=0) / max(1, len(words)) for side in OTHER}
