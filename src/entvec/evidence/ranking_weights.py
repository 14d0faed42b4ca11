"""The weights of a ranking: what each source adds to the log-odds that a word is a kind of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from entvec.bundled import RANKING_WEIGHTS
from entvec.evidence.weight_files import read_cases, write_cases
from entvec.model.model import Side

VERSION = "rankings 1"
VERBS: dict[Side, str] = {"hypo": "hypernyms", "hyper": "hyponyms"}
"""What is asked for of a word on each side."""
NAMES = {
    "vectors": "a unit of the calibrated log-odds of the vectors, less hubness",
    "constant": "every word that has a vector",
    "unseen": "every term that has none; the vector of a phrase is that of its last word",
    "alone": "every answer for a word of which facts alone speak: it has no vector, or its vector does not count",
    "unknown": "every word that nothing is known of, so that no neighbour can speak for it, beside the constant",
    "fact": "a word that is known to be above, or below",
    "own sense": "the log of how probably the word that is asked about is meant in this sense",
    "other sense": "the log of how probably the answer is meant in this sense",
    "steps": "the log of the steps between them",
    "size": "the log of how many thousands of concepts are below the answer; for new words, only if one hardly says it",
    "said": "the log of how many glosses use the answer in this sense",
    "synonym": "an answer for which there is a better known word",
    "stated": "a source of the user says so",
    "same": "another word for the same, instead of all of these",
    "neighbours": "the log of the votes of words that are used like it",
    "spelling": "a new word that ends in the answer",
    "affixes": "the log of the votes of words with the same ending as a new word",
}
"""The weights, and what each is for."""
CASES = dict.fromkeys((f"{verb}: {situation}" for verb in VERBS.values() for situation in ("known", "new")), NAMES)
"""The weights of each case."""
Weights: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class RankingWeights:
    """Weights for hypernyms and hyponyms of words that are known, and of new ones.

    Parameters
    ----------
    weights
        By case, "hypernyms: known" and so on, a number for each of NAMES.
    metadata
        Texts that say what the weights were fitted to.
    """

    weights: Mapping[str, Weights]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def of(self, side: Side, *, new: bool) -> Weights:
        """Return the weights for words on a side of pairs."""
        return self.weights[f"{VERBS[side]}: {'new' if new else 'known'}"]

    @staticmethod
    @lru_cache(maxsize=1)
    def bundled() -> RankingWeights:
        """Return the weights in the package."""
        return RankingWeights.load(RANKING_WEIGHTS)

    def save(self, path: str | Path) -> None:
        """Write the weights to a JSON file, atomically."""
        write_cases(path, VERSION, self.weights, self.metadata)

    @classmethod
    def load(cls, path: str | Path) -> RankingWeights:
        """Return the weights of a file, after checking every number of it."""
        return cls(*read_cases(path, VERSION, CASES, "it has no weights of rankings"))
