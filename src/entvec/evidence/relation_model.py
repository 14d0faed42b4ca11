"""The relation model: probabilities of the seven relations, the softmax of a weighted sum of the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from entvec.array_types import Floats
from entvec.errors import InvalidInput, RelationFileError
from entvec.evidence.features import FEATURES, NAMES, RELATIONS
from entvec.evidence.gathering import PairEvidence
from entvec.evidence.weight_files import read_weights, write_weights

VERSION = "relations 1"
STATED = 6.0
"""What a statement or a denial of the user adds to the log-odds of a relation: enough to outrank everything else."""


def case_of(situation: str, sources: Sequence[str]) -> str:
    """Return the name of the weights for a situation and the sources that are there."""
    return f"{situation}: {', '.join(sources)}"


@dataclass(frozen=True, eq=False)
class RelationModel:
    """Weights of the evidence for each relation, one set for each case: a situation, and the sources that are there.

    Parameters
    ----------
    weights
        By case, a row for each feature and one more for the constants, a column for each relation.
    base_rates
        The shares of the relations that the probabilities assume before any evidence.
    metadata
        Texts that say what the weights were fitted to.
    """

    weights: Mapping[str, Floats]
    base_rates: Floats
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def probabilities(self, evidence: PairEvidence, base_rates: Mapping[str, float] | None = None) -> Floats:
        """Return the probabilities of the relations, a row for each pair; NaN where there is no evidence.

        Parameters
        ----------
        evidence
            What speaks for and against.
        base_rates
            Shares of relations, of all pairs that are asked about. Those that are not named share the rest in
            proportion to the rates of the model.
        """
        rates = self.base_rates if base_rates is None else with_rates(self.base_rates, base_rates)
        log_odds = np.tile(np.log(rates), (len(evidence.features), 1))
        cases = np.array([case_of(*each) for each in zip(evidence.situations, evidence.sources, strict=True)])
        for case in np.unique(cases):
            if case in self.weights:
                some = cases == case
                log_odds[some] += evidence.features[some] @ self.weights[case][:-1] + self.weights[case][-1]
        for i, known in enumerate(evidence.known):
            for names, bonus in ((known.stated, STATED), (known.denied.keys(), -STATED)):
                log_odds[i, [RELATIONS.index(name) for name in names]] += bonus
        return np.where(evidence.decidable[:, None], softmax(log_odds), np.nan)

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file, atomically."""
        content = {
            "version": VERSION,
            "relations": RELATIONS,
            "base_rates": dict(zip(RELATIONS, self.base_rates.tolist(), strict=True)),
            "metadata": self.metadata,
            "weights": {
                case: {
                    name: [float(f"{number:.5g}") for number in row]
                    for name, row in zip((*NAMES, "constant"), weights.tolist(), strict=True)
                    if any(row)
                }
                for case, weights in self.weights.items()
            },
        }
        write_weights(path, content)

    @classmethod
    def load(cls, path: str | Path) -> RelationModel:
        """Return the model of a file, after checking every number of it."""
        found = read_weights(Path(path), cls._parsed, "it is no relation model")
        rates = found.base_rates
        if not np.isfinite(rates).all() or (rates <= 0).any():
            raise RelationFileError(Path(path), "expected base rates above 0")
        return replace(found, base_rates=rates / rates.sum())

    @classmethod
    def _parsed(cls, content: Any) -> RelationModel:
        if content["version"] != VERSION or tuple(content["relations"]) != RELATIONS:
            raise ValueError(f"expected {VERSION!r} with the relations {', '.join(RELATIONS)}")
        rates = np.array([content["base_rates"][name] for name in RELATIONS], np.float64)
        weights = {str(case): _table(rows) for case, rows in content["weights"].items()}
        return cls(weights, rates, dict(content["metadata"]))


def _table(rows: Mapping[str, Sequence[float]]) -> Floats:
    unknown = set(rows) - {*NAMES, "constant"}
    if unknown:
        raise ValueError(f"no feature {sorted(unknown)[0]!r}")
    table = np.zeros((len(FEATURES) + 1, len(RELATIONS)))
    for at, name in enumerate((*NAMES, "constant")):
        table[at] = rows.get(name, 0.0)
    if not np.isfinite(table).all():
        raise ValueError("expected finite weights")
    return table


def with_rates(usual: Floats, chosen: Mapping[str, float]) -> Floats:
    """Return base rates in which some are chosen, and the others share the rest as usual.

    >>> with_rates(np.full(7, 1 / 7), {"narrower": 0.4}).round(1).tolist()
    [0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    """
    if not isinstance(chosen, Mapping):
        raise InvalidInput(f'base_rates is {chosen!r:.60}, expected a share for each relation, as {{"narrower": 0.5}}')
    for name, rate in chosen.items():
        if name not in RELATIONS:
            raise InvalidInput(f"base rate of {name!r}, expected one of {', '.join(RELATIONS)}")
        if not 0 < rate < 1:
            raise InvalidInput(f"the base rate of {name} is {rate}, expected a number between 0 and 1")
    named = np.array([name in chosen for name in RELATIONS])
    given = sum(chosen.values())
    if given > 1 + 1e-9 or (named.all() and abs(given - 1) > 1e-6) or (not named.all() and given >= 1):
        raise InvalidInput(f"the base rates sum to {given:.3g}, expected 1 in all")
    rates = usual / usual[~named].sum() * (1 - given) if not named.all() else usual.copy()
    rates[named] = [chosen[name] for name in RELATIONS if name in chosen]
    return np.asarray(rates)


def softmax(log_odds: Floats) -> Floats:
    """Return probabilities that are proportional to the exponentials of each row."""
    powers = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
