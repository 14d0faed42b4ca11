"""Answers: which relation holds between two words, how surely, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.features import RELATIONS
from entvec.interchange import data_frame

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN = "unknown"
ENTAILING = ("narrower", "same")
"""The relations in which the first word entails the second."""
SENTENCES = {
    "narrower": "{first} is a kind of {second}",
    "broader": "{second} is a kind of {first}",
    "same": "{first} is the same as {second}",
    "sibling": "{first} and {second} are siblings",
    "part": "{first} is a part of {second}",
    "whole": "{second} is a part of {first}",
    "other": "{first} and {second} are something else to each other, or nothing",
    UNKNOWN: "{first} and {second}: unknown",
}
NO_EVIDENCE = "no evidence"
"""The situation of a pair that nothing can be said of."""
MISSING = "a word is missing: it is neither known nor in the vocabulary"
COLUMNS = ("relation", "probability", *RELATIONS, "situation", "shared", "reason")
"""What is answered about a pair, as columns of a table."""


@dataclass(frozen=True)
class Relation:
    """What the first of two words is to the second.

    >>> from entvec.space import default_space
    >>> found = default_space().relation("dog", "animal")
    >>> found.relation, found.situation
    ('narrower', 'both known')
    >>> print(found)  # doctest: +ELLIPSIS
    dog is a kind of animal (narrower 0...): dog -> domestic animal -> animal (WordNet 3.0)
    >>> found.sentence
    'dog is a kind of animal'
    """

    first: str
    second: str
    relation: str
    """narrower, broader, same, sibling, part, whole or other; unknown if none of them is probable enough."""
    probabilities: dict[str, float]
    """The probability of each of the seven relations; they sum to one."""
    situation: str
    """Whether both words are known, one of them is new, or both are."""
    reason: str
    """What is known of the pair, in a line."""
    shared: str | None = None
    """What two siblings have in common."""

    @property
    def likeliest(self) -> str:
        """The most probable relation, also where the answer is unknown; "unknown" if there is no evidence."""
        best = max(self.probabilities, key=self.probabilities.__getitem__)
        return UNKNOWN if math.isnan(self.probability) else best

    @property
    def probability(self) -> float:
        """The probability of the likeliest relation; NaN if there is no evidence."""
        return max(self.probabilities.values())

    @property
    def sentence(self) -> str:
        """The answer in plain English."""
        return SENTENCES[self.relation].format(first=self.first, second=self.second)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON can hold it, and as one row of a table: None for probabilities that are NaN."""
        numbers = {"probability": self.probability, **self.probabilities}
        row: dict[str, Any] = {name: None if math.isnan(number) else number for name, number in numbers.items()}
        row |= {"relation": self.relation, "situation": self.situation, "shared": self.shared, "reason": self.reason}
        return {"first": self.first, "second": self.second} | {name: row[name] for name in COLUMNS}

    def __str__(self) -> str:
        likely = sorted(self.probabilities.items(), key=lambda item: -item[1])[: 3 if self.relation == UNKNOWN else 1]
        numbers = ", ".join(f"{name} {probability:.2f}" for name, probability in likely)
        said = self.sentence if self.likeliest == UNKNOWN else f"{self.sentence} ({numbers})"
        return f"{said}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Relations(Sequence[Relation]):
    """What the first words of many pairs are to the second: arrays with a row for each pair."""

    first: Sequence[str]
    second: Sequence[str]
    relations: NDArray[np.str_]
    probabilities: NDArray[np.float64]
    """A column for each of `entvec.evidence.RELATIONS`."""
    situations: Sequence[str]
    reasons: Sequence[str]
    shared: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, i: int) -> Relation: ...
    @overload
    def __getitem__(self, i: slice) -> list[Relation]: ...
    def __getitem__(self, i: int | slice) -> Relation | list[Relation]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        numbers = dict(zip(RELATIONS, self.probabilities[i].tolist(), strict=True))
        texts = (self.situations[i], self.reasons[i], self.shared[i])
        return Relation(self.first[i], self.second[i], str(self.relations[i]), numbers, *texts)

    def placed(self, found: NDArray[np.bool_], first: Sequence[str], second: Sequence[str]) -> Relations:
        """Return the answers among those for more pairs; the others have a missing word and are unknown.

        Parameters
        ----------
        found
            True for each pair that these answers are for, in their order.
        first, second
            The words of all pairs.
        """
        if found.all():
            return self
        relations = np.full(len(found), UNKNOWN, dtype=self.relations.dtype if len(self) else "U8")
        probabilities = np.full((len(found), len(RELATIONS)), np.nan)
        relations[found], probabilities[found] = self.relations, self.probabilities
        texts = [[NO_EVIDENCE, MISSING, None] for _ in found]
        for at, *row in zip(np.flatnonzero(found).tolist(), self.situations, self.reasons, self.shared, strict=True):
            texts[at] = row
        situations, reasons, shared = (list(column) for column in zip(*texts, strict=True))
        return Relations(first, second, relations, probabilities, situations, reasons, shared)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each pair, in the columns of `entvec relation --format tsv`."""
        best = self.probabilities.max(axis=1, initial=-np.inf)
        columns: dict[str, Any] = {"first": self.first, "second": self.second, "relation": self.relations}
        columns |= {"probability": best, **dict(zip(RELATIONS, self.probabilities.T, strict=True))}
        return data_frame(columns | {"situation": self.situations, "shared": self.shared, "reason": self.reasons})

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"Relations({len(self):,} pairs)"
