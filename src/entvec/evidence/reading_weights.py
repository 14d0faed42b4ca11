"""The weights of what encoders, near nouns and heads say of terms without a vector: `bundled/data/reading.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from entvec.array_types import Floats
from entvec.bundled import READING_WEIGHTS
from entvec.evidence.features import RELATIONS
from entvec.evidence.weight_files import checked, read_weights, rounded, write_weights
from entvec.model.model import Side

VERSION = "reading 2"
RANKING_FEATURES = ("table", "transformer", "vote", "near", "head", "above head", "tail", "leak", "size", "said")
"""What describes a candidate: the log-odds of both encoders; the log of the vote of near nouns, and the same times how
near they are; whether it is the head of the phrase; how probably it is above the head; whether the word ends in it;
whether it is a modifier, or above one and not above the head; the log of how many thousands of concepts are below it;
the log of how many glosses use it."""
CONSTANT = "constant"
VERBS: dict[Side, str] = {"hypo": "hypernyms", "hyper": "hyponyms"}
MEANT_FEATURES = ("nearness", "letters", "tail")
"""What tells whether the pieces of a word mean something: how near the five nearest nouns are; how many letters a piece
has; whether the word ends in a known noun."""
STAGES = ("table", "all")
"""With the static table alone, which chooses what the transformer reads; and with all."""


@dataclass(frozen=True, eq=False)
class ReadingWeights:
    """Weights for rankings and relations of terms that only an encoder can read.

    Parameters
    ----------
    rankings
        By verb and stage, "hypernyms: all" and so on, a number for each of RANKING_FEATURES and the constant.
    relations
        By case, for each feature of a pair and the constant a number for each relation.
    meant
        By case, "word" and "phrase", weights and a constant for the log-odds that a term is read as it is meant.
    metadata
        What the weights were fitted to.
    """

    rankings: Mapping[str, Mapping[str, float]]
    relations: Mapping[str, Mapping[str, Floats]]
    meant: Mapping[str, Mapping[str, float]]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def ranking(self, side: Side, stage: str) -> tuple[Floats, float]:
        """Return the weights of RANKING_FEATURES and the constant."""
        row = self.rankings[f"{VERBS[side]}: {stage}"]
        return np.array([row[name] for name in RANKING_FEATURES]), row[CONSTANT]

    @staticmethod
    @lru_cache(maxsize=1)
    def bundled() -> ReadingWeights:
        """Return the weights in the package."""
        return ReadingWeights.load(READING_WEIGHTS)

    def save(self, path: str | Path) -> None:
        """Write the weights to a JSON file, atomically."""
        relations = {
            case: {name: [float(f"{number:.5g}") for number in row.tolist()] for name, row in rows.items()}
            for case, rows in self.relations.items()
        }
        content = {"version": VERSION, "relations_of": RELATIONS, "metadata": self.metadata}
        write_weights(
            path, content | {"rankings": rounded(self.rankings), "relations": relations, "meant": rounded(self.meant)}
        )

    @classmethod
    def load(cls, path: str | Path) -> ReadingWeights:
        """Return the weights of a file, after checking every number of it."""
        return read_weights(Path(path), cls._parsed, "it has no weights of what encoders read")

    @classmethod
    def _parsed(cls, content: Any) -> ReadingWeights:
        if content["version"] != VERSION or tuple(content["relations_of"]) != RELATIONS:
            raise ValueError(f"expected {VERSION!r} with the relations {', '.join(RELATIONS)}")
        cases = (f"{verb}: {stage}" for verb in VERBS.values() for stage in STAGES)
        rankings = checked(content["rankings"], dict.fromkeys(cases, (*RANKING_FEATURES, CONSTANT)))
        relations = {
            str(case): {str(name): np.array(row, np.float64) for name, row in rows.items()}
            for case, rows in content["relations"].items()
        }
        if not all(np.isfinite(row).all() for case in relations.values() for row in case.values()):
            raise ValueError("expected finite weights")
        if any(row.shape != (len(RELATIONS),) for case in relations.values() for row in case.values()):
            raise ValueError("expected a weight for each relation")
        meant = checked(content["meant"], {"word": (*MEANT_FEATURES, CONSTANT), "phrase": (CONSTANT,)})
        return cls(rankings, relations, meant, dict(content["metadata"]))
