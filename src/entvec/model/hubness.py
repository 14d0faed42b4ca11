"""Hubness: how readily everything entails a word (as a hyper), or it entails everything (as a hypo)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import OTHER, Model, Side
from entvec.theory.arrays import Array, device, namespace
from entvec.theory.product import product
from entvec.vectors.vocabulary import Vocabulary, sample


@dataclass(frozen=True, eq=False)
class Hubness:
    """Measures hubness in a vocabulary.

    A map may have learned it as `generality`. Otherwise the hubness of a word is its mean score with all words, less
    the mean score of an average word: values around 0 keep their digits in 16 bits and have small rounding errors.
    """

    model: Model
    vocabulary: Vocabulary

    def of(self, side: Side, vectors: Array, mapped: Array | None = None) -> Array:
        """Return the hubness of words.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> from entvec.vectors import Vectors
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> unk, dog = Hubness(choose(toys, interpretation="log_odds"), toys).of("hyper", toys[["unk", "dog"]])
        >>> bool(unk > dog)  # everything entails the thing of which nothing is known
        True

        Parameters
        ----------
        side
            The side of pairs that the words are on.
        vectors
            The vectors of the words.
        mapped
            Their mapped vectors, if the caller has them already.
        """
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
        return product(mapped - centre, others)

    @cached_property
    def centres(self) -> dict[Side, NDArray[np.float64]]:
        """The mean mapped vector of each side; its product with a word's mapped vector is that word's mean score."""
        words = sample(self.vocabulary)
        return {side: self.model.mapped(side, words).sum(axis=0) / max(1, len(words)) for side in OTHER}
