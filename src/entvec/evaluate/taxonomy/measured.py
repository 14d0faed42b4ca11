"""Measured rows of the studies of taxonomies, and the places of right answers in rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.bundled import isa
from entvec.evaluate.metrics import Interval, bootstrap
from entvec.space import EntailmentSpace

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Row:
    """One way to do the task of a study: each measure with its 95% interval, over 1,000 draws of what was asked."""

    study: str
    name: str
    n: int
    measures: dict[str, Interval]
    baseline: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told: dict[str, Any] = {"study": self.study, "row": self.name, "n": self.n, "baseline": self.baseline}
        for name, (value, low, high) in self.measures.items():
            told |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return told


def row(
    study: str, name: str, columns: Mapping[str, Floats], *, baseline: bool = False, groups: ArrayLike | None = None
) -> Row:
    """A row of means, from one number for each thing that was asked; those of one of `groups` are drawn together."""
    measures = {measure: interval(values, groups) for measure, values in columns.items()}
    n = len(next(iter(columns.values())))
    return Row(study, name, n, measures, baseline)


def interval(values: Floats, groups: ArrayLike | None = None) -> Interval:
    """A mean and its 95% interval."""
    drawn = range(len(values)) if groups is None else groups
    return bootstrap(lambda draws: draws @ values / draws.sum(axis=1), drawn)


def ratio(values: Floats, others: Floats) -> Interval:
    """The ratio of two means over the same things, and its 95% interval."""
    return bootstrap(lambda draws: draws @ values / (draws @ others), range(len(values)))


def from_places(places: Floats, hits: Sequence[int] = (1, 10)) -> dict[str, Floats]:
    """MRR and hit@k, as one number for each question, from the place of its first right answer."""
    found: dict[str, Floats] = {"mrr": 1 / places}
    return found | {f"hit_at_{k}": (places <= k).astype(np.float64) for k in hits}


class Nouns:
    """All nouns of WordNet among the vectors of a space, to be ranked as hypernyms."""

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space
        self.vocabulary = set(space.vectors.words)
        self.words = tuple(word for word in isa().words if word in self.vocabulary)
        self.rows = space.vectors.rows(list(self.words))
        self.at = {word: i for i, word in enumerate(self.words)}
        self._keys = space.prepared("hyper").keys.decoded(self.rows).astype(np.float64)

    def vectors(self, words: Iterable[str]) -> Floats:
        """The vectors of words."""
        return self.space.vectors.take(self.space.vectors.rows(list(words))).matrix.astype(np.float64)

    def scores(self, vectors: Floats) -> Floats:
        """What each noun is ranked by as a hypernym, for each vector."""
        return np.asarray(self.space.queries("hypo", vectors) @ self._keys.T)

    def place(self, scores: Floats, right: Iterable[str], left_out: Iterable[str] = ()) -> float:
        """The place of the first right noun, of those that are not left out."""
        scores = scores.copy()
        scores[[self.at[word] for word in left_out if word in self.at]] = -np.inf
        best = max(scores[self.at[word]] for word in right if word in self.at)
        return float(1 + (scores > best).sum())
