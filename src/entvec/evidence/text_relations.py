"""What texts say of pairs, added to the probabilities of their relations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from entvec.array_types import Floats
from entvec.evidence.features import RELATIONS
from entvec.evidence.gathering import PairEvidence
from entvec.evidence.relation_model import softmax
from entvec.evidence.text_facts import TextFacts
from entvec.evidence.text_weights import RELATION_NAMES, TextWeights

NARROWER, BROADER = RELATIONS.index("narrower"), RELATIONS.index("broader")


def with_text(
    probabilities: Floats,
    facts: TextFacts,
    first: Sequence[str],
    second: Sequence[str],
    found: PairEvidence,
    weights: TextWeights | None = None,
) -> Floats:
    """Return probabilities of relations to which texts have been added.

    A text that names a pair adds to the log-odds of narrower, and one that names it reversed to those of broader; each
    speaks against the other. What the user states or denies is not weighed, nor what is said of words that are known to
    mean the same: a dictionary defines a word by another one.

    Parameters
    ----------
    probabilities
        Those of all other evidence, a row for each pair.
    facts
        What the texts say.
    first, second
        The words of the pairs.
    found
        The other evidence.
    weights
        The weights of texts; the bundled ones by default.
    """
    said = text_features(facts, first, second)
    open_ = [not (known.stated or known.denied or "same" in known.facts) for known in found.known]
    rows = np.flatnonzero(said.any(axis=(1, 2)) & np.array(open_, dtype=bool) & found.decidable)
    if not len(rows):
        return probabilities
    weights = weights or TextWeights.bundled()
    table = np.array([[weights.of_relation(found.situations[i])[name] for name in RELATION_NAMES] for i in rows])
    z = np.log(np.maximum(probabilities[rows], 1e-300))
    for column, relation in enumerate((NARROWER, BROADER)):
        z[:, relation] += np.sum(said[rows, column] * table, axis=1)
    mixed = probabilities.copy()
    mixed[rows] = softmax(z)
    return mixed


def text_features(facts: TextFacts, first: Sequence[str], second: Sequence[str]) -> Floats:
    """Return what texts say of pairs: for narrower and for broader the numbers of RELATION_NAMES.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.text import TextEvidence, extract
    >>> text = extract("Guitars, lutes and other instruments were sold.", wordnet_knowledge())
    >>> facts = TextFacts(TextEvidence.of(text), wordnet_knowledge())
    >>> text_features(facts, ["lutes", "guitar"], ["instrument", "lute"]).round(2).tolist()
    [[[1.0, 0.69, 0.0], [0.0, 0.0, 0.69]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    pairs = [facts.of_pair(one, other) for one, other in zip(first, second, strict=True)]
    there, back = np.array(pairs).reshape(-1, 2).T
    sides = [[there > 0, np.log1p(there), np.log1p(back)], [back > 0, np.log1p(back), np.log1p(there)]]
    return np.asarray(np.moveaxis(np.array(sides, np.float64), 2, 0))
