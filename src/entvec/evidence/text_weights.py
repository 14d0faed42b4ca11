"""The weights of what texts say: in rankings, and in the probabilities of relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from entvec.bundled import TEXT_WEIGHTS
from entvec.evidence.weight_files import read_cases, write_cases

VERSION = "text 1"
RANKING_NAMES = {
    "said": "the log of one and of how much is said for the pair",
    "like": "how much an answer is used like one that is named, from 0 to 1; 1 for that one itself",
    "reversed": "the log of one and of how much is said for the pair reversed",
}
RELATION_NAMES = {
    "named": "a pair that a text names at all",
    "said": "the log of one and of how much is said for the pair",
    "reversed": "the same for the pair reversed, of both: against what is said for the pair",
}
CASES: dict[str, Mapping[str, str]] = {
    "rankings: known": RANKING_NAMES,
    "rankings: new": RANKING_NAMES,
    "relations: both known": RELATION_NAMES,
    "relations: new word": RELATION_NAMES,
    "relations: both new": RELATION_NAMES,
}
"""The weights of each case, and what each is for."""


@dataclass(frozen=True, eq=False)
class TextWeights:
    """Weights of what texts say, by case.

    Parameters
    ----------
    weights
        For each of CASES a number for each of its names.
    metadata
        Texts that say what the weights were fitted to.
    """

    weights: Mapping[str, Mapping[str, float]]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    @lru_cache(maxsize=1)
    def bundled() -> TextWeights:
        """Return the weights in the package."""
        return TextWeights.load(TEXT_WEIGHTS)

    def of_ranking(self, *, new: bool) -> Mapping[str, float]:
        """Return the weights for words that are known, or for new ones."""
        return self.weights[f"rankings: {'new' if new else 'known'}"]

    def of_relation(self, situation: str) -> Mapping[str, float]:
        """Return the weights for pairs in a situation."""
        return self.weights[f"relations: {situation}"]

    def save(self, path: str | Path) -> None:
        """Write the weights to a JSON file, atomically."""
        write_cases(path, VERSION, self.weights, self.metadata)

    @classmethod
    def load(cls, path: str | Path) -> TextWeights:
        """Return the weights of a file, after checking every number of it."""
        return cls(*read_cases(path, VERSION, CASES, "it has no weights of texts"))
