"""The nouns of WordNet as candidates of a ranking."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from entvec.array_types import AnyFloats
from entvec.bundled import isa
from entvec.search.request import Request
from entvec.space import EntailmentSpace


class Nouns:
    """All nouns of WordNet among the vectors of a space, to be ranked as hypernyms."""

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space
        self.vocabulary = set(space.vocabulary.words)
        self.words = tuple(word for word in isa().words if word in self.vocabulary)
        self.rows = space.vocabulary.rows(list(self.words))
        self.at = {word: i for i, word in enumerate(self.words)}
        self._keys = space.keys["hyper"].decoded(self.rows).astype(np.float64)

    def vectors(self, words: Iterable[str]) -> AnyFloats:
        """Return the vectors of these words."""
        return self.space.vocabulary.take(self.space.vocabulary.rows(list(words))).matrix.astype(np.float64)

    def scores(self, vectors: AnyFloats) -> AnyFloats:
        """Return the score of each noun as a hypernym, a row for each vector."""
        return np.asarray(
            self.space.keys.queries(Request("hypo", vectors, self.space.model.penalty("hypo"))) @ self._keys.T
        )

    def rank(self, scores: AnyFloats, right: Iterable[str], left_out: Iterable[str] = ()) -> float:
        """Return the rank of the first right noun among those that are not left out."""
        scores = scores.copy()
        scores[[self.at[word] for word in left_out if word in self.at]] = -np.inf
        best = max(scores[self.at[word]] for word in right if word in self.at)
        return float(1 + (scores > best).sum())
