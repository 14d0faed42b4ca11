"""The verbs of a space, wherever its words are: score, hypernyms and hyponyms, and what follows from them.

A space says how its words are found, scored and searched; the rest, from the checks to the probabilities, is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Floats, Model, Side
from entvec.model.specificity import Specificity, check_specificity
from entvec.search.exact import Hits, Rows
from entvec.space import grouping
from entvec.space.matches import BatchMatches, Vocabulary
from entvec.space.queries import Asked, Query
from entvec.theory.elementwise import known

QUERIES_AT_ONCE = 1 << 14
"""Of a batch: what they become on the way takes memory, whatever the size of the batch."""


class Direction(NamedTuple):
    """Of two words, which more probably entails the other."""

    hypo: str
    hyper: str
    score: float
    reversed_score: float


class Calibration(NamedTuple):
    """The probability of a score is s(scale * score + intercept)."""

    scale: float
    intercept: float


class Verbs(ABC):
    """What can be asked of a space."""

    model: Model
    specificity: Specificity
    calibration: Calibration | None

    @abstractmethod
    def __len__(self) -> int:
        """How many words there are."""

    @abstractmethod
    def _asked(self, query: Query, name: str) -> Asked:
        """The words or vectors of a question; `name` is what an error calls it."""

    @abstractmethod
    def _score(self, hypo: Asked, hyper: Asked) -> Floats:
        """The scores of pairs; where one side has one word or vector, it is in all of them."""

    @abstractmethod
    def _among(self, among: Sequence[str] | None) -> Any:
        """What a search is limited to, as `_top` takes it; None if to nothing."""

    @abstractmethod
    def _top(self, side: Side, vectors: Floats, k: int, among: Any, specificity: float) -> Hits:
        """The best words of the other side for vectors of this one."""

    @abstractmethod
    def _hubness(self, side: Side, rows: Rows) -> Floats:
        """How readily everything entails these words, as hypers, or they entail everything, as hypos."""

    @abstractmethod
    def _vocabulary(self, rows: Rows) -> Vocabulary:
        """What has at least the words of these rows."""

    # Pairs

    def score(self, hypo: Query, hyper: Query) -> Any:
        """How well the first entails the second: the operator's score, and what the map adds. Higher is surer.

        One word or vector with several of the other side makes a score for each of those.
        """
        y, x = self._asked(hypo, "hypo"), self._asked(hyper, "hyper")
        if len(y) != len(x) and 1 not in (len(y), len(x)):
            raise InvalidInput(f"{len(y):,} hypos and {len(x):,} hypers, expected as many of both, or one of either")
        scores = self._score(y, x)
        return scores if y.several or x.several else float(scores[0])

    def probability(self, hypo: Query, hyper: Query) -> Any:
        """How probable it is that the first entails the second, where half of the pairs in question do."""
        scores = self.score(hypo, hyper)
        found = self.probabilities(np.asarray(scores, dtype=np.float64))
        if found is None:
            raise InvalidInput(
                "this space is not calibrated, so its scores are no probabilities; `space.calibrated(hypo, hyper, "
                "labels)` fits them to pairs of which it is known whether they are entailments"
            )
        return float(found) if np.ndim(scores) == 0 else found

    def verdict(self, hypo: Query, hyper: Query, *, precision: float = 0.9) -> Any:
        """Whether the first entails the second: yes, no, or unknown if neither answer has this probability.

        Of the answers that are not unknown at least this share is right, as far as the probabilities are.
        """
        if not 0.5 <= precision <= 1:
            raise InvalidInput(f"precision is {precision}, expected 0.5 (no answer is unknown) to 1")
        found = self.probability(hypo, hyper)
        told = np.where(found >= precision, "yes", np.where(found <= 1 - precision, "no", "unknown"))
        return str(told) if np.ndim(found) == 0 else told

    def direction(self, first: str, second: str) -> Direction:
        """Which of two words entails the other, if one does."""
        there, back = self.score(first, second), self.score(second, first)
        if back > there:
            return Direction(second, first, back, there)
        return Direction(first, second, there, back)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """What scores mean, if the space is calibrated."""
        if self.calibration is None:
            return None
        return np.asarray(known(self.calibration.scale * scores + self.calibration.intercept))

    # Search

    def hypernyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What a word entails: the k words that are best as its hypernyms, from the whole vocabulary or `among` some.

        One word or vector has `Matches`, several have `BatchMatches`. `specificity` says how much general words lose
        (0 nothing, the surest come first). `group` lists inflected forms, instrument and instruments, as one.
        """
        return self._search("hypo", query, k, among, exclude_self, specificity, group)

    def hyponyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What entails a word: the k words that are best as its hyponyms; the arguments are those of `hypernyms`.

        Here `specificity` is how much words lose that entail anything.
        """
        return self._search("hyper", query, k, among, exclude_self, specificity, group)

    def _search(
        self,
        side: Side,
        query: Query,
        k: int,
        among: Sequence[str] | None,
        exclude_self: bool,  # noqa: FBT001
        specificity: float | None,
        group: bool,  # noqa: FBT001
    ) -> Any:
        asked = self._asked(query, side)
        picked = self._searched(side, asked, k, self._among(among), exclude_self, specificity, group)
        return picked if asked.several else picked[0]

    def _searched(
        self,
        side: Side,
        asked: Asked,
        k: int,
        among: Any,
        exclude_self: bool,  # noqa: FBT001
        specificity: float | None,
        group: bool,  # noqa: FBT001
    ) -> BatchMatches:
        k = checked_k(k)
        taken_off = self.taken_off(side, specificity)
        own = asked.rows if exclude_self else None
        wanted = grouping.enough(k) if group else k + (own is not None)
        while True:
            blocks = [slice(first, first + QUERIES_AT_ONCE) for first in range(0, len(asked), QUERIES_AT_ONCE)]
            parts = [self._top(side, asked.stored(some), wanted, among, taken_off) for some in blocks or [slice(0)]]
            found = Hits(*map(np.concatenate, zip(*parts, strict=True)))
            batch = self._batch(side, asked, found, taken_off)
            picked = grouping.pick(batch, k, own, group=group)
            there_are_more = found.rows.shape[1] == wanted and bool((found.rows[:, -1:] >= 0).any())
            if not group or not there_are_more or all(len(each) >= k for each in picked.variants):
                break
            wanted *= 4  # many forms of few words: look further down
        return picked

    def taken_off(self, side: Side, specificity: float | None) -> float:
        """The specificity of a ranking for queries on this side."""
        if specificity is not None:
            return check_specificity(specificity, self.model)
        return self.specificity.hypernyms if side == "hypo" else self.specificity.hyponyms

    def _batch(self, side: Side, asked: Asked, found: Hits, specificity: float) -> BatchMatches:
        there = found.rows >= 0
        scores = found.scores.copy()
        if specificity and there.any():
            scores[there] += specificity * self._hubness(OTHER[side], found.rows[there])
        words = self._vocabulary(found.rows[there])
        return BatchMatches(asked.words, words, found.rows, scores, self.probabilities(scores), found.scores)


def checked_k(k: int) -> int:
    """How many words are wanted."""
    if not (isinstance(k, int | np.integer) and not isinstance(k, bool)) or k < 0:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 0 or more")
    return int(k)
