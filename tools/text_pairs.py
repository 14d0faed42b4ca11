"""The weights of what texts say for relations: part of `fit_text.py`.

A logistic regression on pairs that the texts name says whether such a pair is right; what the relation model says is
its offset. The pairs are those of a sheet, which was judged by hand (docs/extract.md), and those among the labelled
pairs of the relation model. Each situation has its own weights, fitted in a world that hides none, one or both of the
words.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fit_relations import training_pairs
from numpy.typing import NDArray
from scipy.optimize import minimize

from entvec.evidence import RELATIONS
from entvec.evidence.gathering import BOTH_KNOWN, BOTH_NEW, NEW_WORD
from entvec.evidence.judge import Judge
from entvec.evidence.text_facts import TextFacts
from entvec.evidence.text_relations import text_features
from entvec.evidence.text_weights import RELATION_NAMES

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[str, str, bool]]
"""A narrower and a broader term, as a text has them, and whether it is right."""
PENALTY = 0.005
FOLDS = 5


def judged(path: Path, hold_out: Sequence[str]) -> Pairs:
    """The pairs of the sheet that were judged, without the words that are held out."""
    held = {word.casefold() for word in hold_out}
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["source"] != "hearst"]
    return [
        (row["hypo"], row["hyper"], row["right"] == "yes")
        for row in rows
        if not {row["hypo"].casefold(), row["hyper"].casefold()} & held
    ]


def labelled(facts: TextFacts, hold_out: Sequence[str]) -> Pairs:
    """The pairs that a text names among those that were labelled for the relation model."""
    held = {word.casefold() for word in hold_out}
    found = []
    for pair in training_pairs():
        if {pair.first.casefold(), pair.second.casefold()} & held:
            continue
        there, back = facts.of_pair(pair.first, pair.second)
        labels = (pair.relation, pair.also)
        found += [(pair.first, pair.second, "narrower" in labels)] if there else []
        found += [(pair.second, pair.first, "broader" in labels)] if back else []
    return found


class Named(NamedTuple):
    """Pairs that a text names."""

    offsets: Floats
    """The log-odds of narrower without the text."""
    features: Floats
    """A column for each of RELATION_NAMES."""
    right: NDArray[np.bool_]

    def some(self, chosen: NDArray[np.bool_]) -> "Named":
        """The chosen pairs."""
        return Named(self.offsets[chosen], self.features[chosen], self.right[chosen])

    def loss(self, w: Floats) -> float:
        """The mean of how improbable what is right is, as a logarithm."""
        z = np.where(self.right, 1.0, -1.0) * (self.offsets + self.features @ w)
        return float(np.logaddexp(0, -z).mean())


def gathered(judge: Judge, pairs: Pairs, situation: str) -> Named:
    """The pairs that no fact decides in a situation, made by hiding words."""
    offsets, features, right = [], [], []
    for hypo, hyper, is_right in pairs:
        hidden = {BOTH_KNOWN: [], NEW_WORD: [hypo], BOTH_NEW: [hypo, hyper]}[situation]
        world = judge.hiding(hidden) if hidden else judge
        found = world.evidence.of([hypo], [hyper])
        if found.situations[0] != situation or {"narrower", "same"} & set(found.known[0].facts):
            continue
        p = world.model.probabilities(found)[0]
        narrower = np.clip(p[RELATIONS.index("narrower")], 1e-6, 1 - 1e-6)
        offsets.append(np.log(narrower / (1 - narrower)))
        features.append(text_features(judge.evidence.text, [hypo], [hyper])[0, 0])  # type: ignore[arg-type]
        right.append(is_right)
    return Named(np.array(offsets), np.array(features).reshape(-1, len(RELATION_NAMES)), np.array(right, bool))


def relation_weights(data: Named) -> Floats:
    """Weights by which what texts say is added to the log-odds of narrower."""
    sign = np.where(data.right, 1.0, -1.0)

    def loss(w: Floats) -> tuple[float, Floats]:
        z = sign * (data.offsets + data.features @ w)
        slope = -sign / (1 + np.exp(z)) / max(len(z), 1)
        value = data.loss(w) + PENALTY * float(w @ w)
        return value, data.features.T @ slope + 2 * PENALTY * w

    bounds = [(0, None), (0, None), (None, 0)]
    w = minimize(loss, np.array([1.0, 1.0, -1.0]), jac=True, method="L-BFGS-B", bounds=bounds).x
    w[2] = -w[1]  # too few pairs are named both ways to fit it: what is said reversed weighs as much
    return np.asarray(w)


def in_folds(data: Named) -> str:
    """What the weights are worth on pairs that they were not fitted to."""
    fold = np.arange(len(data.right)) % FOLDS
    losses = [data.some(fold == i).loss(relation_weights(data.some(fold != i))) for i in range(FOLDS)]
    return (
        f"{len(data.right)} pairs that no fact decides, {data.right.sum()} of them right: loss "
        f"{data.loss(np.zeros(len(RELATION_NAMES))):.3f} without text, {np.mean(losses):.3f} with it"
    )
