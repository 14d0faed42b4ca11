"""Every verb of a space answers for every model, or refuses with the same sentence for all models of one kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.taxonomy import abstractions, common, induce, place
from entvec.theory import OPERATORS
from entvec.theory.interpret import INTERPRETATIONS
from entvec.vectors import Vectors

RNG = np.random.default_rng(0)
WORDS = ["time", "people", "world", *(f"word_{i}" for i in range(77))]
VECTORS = Vectors(WORDS, RNG.normal(size=(len(WORDS), 8)))
WIDE = "factorised far outside the range of its maps"
CALIBRATION = Calibration.platt(1.0, 0.0)


def learned(operator: str, **parts: Any) -> FittedMap:
    return FittedMap(operator, RNG.normal(size=(8, 5)), np.zeros(5), **parts)


@cache
def space_of(model: str) -> EntailmentSpace:
    if model == WIDE:
        return EntailmentSpace.from_vectors(
            Vectors(WORDS, 300 * VECTORS.matrix), operator="factorised", interpretation="log_odds"
        )
    operator, interpretation = model.split()
    if interpretation in INTERPRETATIONS:
        return EntailmentSpace.from_vectors(VECTORS, operator=operator, interpretation=interpretation)
    offsets = {name: RNG.normal(size=9) for name in ("hypo_offset", "hyper_offset", "generality")}
    other = {"hyper_weights": RNG.normal(size=(8, 5)), "hyper_bias": np.zeros(5)}
    parts = {"map": {}, "map-of-two-sides": other, "map-with-offsets": offsets}[interpretation]
    return EntailmentSpace.from_vectors(VECTORS, map=learned(operator, **parts))


MODELS = [
    *(f"{operator} {interpretation}" for operator in OPERATORS for interpretation in INTERPRETATIONS),
    *(f"{operator} {kind}" for operator in ("forward", "backward") for kind in ("map", "map-of-two-sides")),
    "backward map-with-offsets",
    WIDE,
]
NOT_INDEXABLE = [model for model in MODELS if model.startswith("weighted_cosine")] + [WIDE]
NO_INDEX = "is no inner product here, so there is nothing to index; search exactly"
NO_PENALTY = "is no inner product here, so what general words would lose is not known; expected 0"
REFUSALS: dict[str, tuple[list[str], str]] = {
    "explain": ([model for model in MODELS if model.startswith("weighted_cosine")], "none has a share of its own"),
    "with_specificity": (NOT_INDEXABLE, NO_PENALTY),
    "specificity of a search": (NOT_INDEXABLE, NO_PENALTY),
    "faiss": (NOT_INDEXABLE, NO_INDEX),
    "usearch": (NOT_INDEXABLE, NO_INDEX),
    "device": (NOT_INDEXABLE, NO_INDEX),
}
"""The models that a verb refuses, and the sentence it does so with; all other models get an answer."""


def _saved(space: EntailmentSpace, path: Path) -> EntailmentSpace:
    space.save(path)
    return EntailmentSpace.load(path)


Verb = Callable[[EntailmentSpace, Path], Any]
VERBS: dict[str, Verb] = {
    "score": lambda space, _: space.score("time", "people"),
    "score of lists": lambda space, _: space.score(WORDS[:9], "people"),
    "score of vectors": lambda space, _: space.score(space.vectors.matrix[:3], "people"),
    "probability": lambda space, _: space.probability("time", WORDS[:9]),
    "verdict": lambda space, _: space.verdict("time", "people"),
    "direction": lambda space, _: space.direction("time", "people"),
    "explain": lambda space, _: space.explain("time", "people", 3),
    "compare": lambda space, _: space.compare("time", "people"),
    "hypernyms": lambda space, _: space.hypernyms("time", 3),
    "hyponyms of a list": lambda space, _: space.hyponyms(["time", "people"], 3, group=True),
    "among": lambda space, _: space.hypernyms("time", 3, among=WORDS[:20]),
    "specificity of a search": lambda space, _: space.hypernyms("time", 3, specificity=0.2),
    "generality": lambda space, _: space.generality(["time", "people"]),
    "recall": lambda space, _: space.recall(WORDS[:4]),
    "fingerprint": lambda space, _: space.fingerprint,
    "calibrated": lambda space, _: space.calibrated(WORDS[:20], WORDS[20:40], [1, 0] * 10).verdict("time", "people"),
    "with_specificity": lambda space, _: space.with_specificity(0.2).hypernyms("time", 3),
    "with_dtype": lambda space, _: space.with_dtype("float64").hypernyms("time", 3),
    "with_vocabulary": lambda space, _: space.with_vocabulary(space.vectors.head(50)).hypernyms(WORDS[3], 3),
    "scan": lambda space, _: space.with_backend("scan").hypernyms("time", 3),
    "faiss": lambda space, _: space.with_backend("faiss").hypernyms("time", 3),
    "usearch": lambda space, _: space.with_backend("usearch").hypernyms("time", 3),
    "device": lambda space, _: space.on("cpu").hypernyms("time", 3),
    "save": lambda space, path: _saved(space, path).hypernyms("time", 3),
    "common": lambda space, _: common(["time", "people", "world"], space, 3),
    "abstractions": lambda space, _: abstractions(WORDS[:12], space, 2),
    "place": lambda space, _: place("new", space, entails=["time"], k=3),
    "induce": lambda space, _: induce(WORDS[:12], space),
}
NEEDS = {"faiss": "faiss", "usearch": "usearch", "device": "torch"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_answers_for_every_model_or_says_why_not(verb: str, tmp_path: Path) -> None:
    if verb in NEEDS:
        pytest.importorskip(NEEDS[verb])
    refused, sentence = REFUSALS.get(verb, ([], ""))
    for i, model in enumerate(MODELS):
        space = space_of(model)
        if verb in ("probability", "verdict") and space.calibration is None:
            with pytest.raises(InvalidInput, match="this space is not calibrated, so its scores are no probabilities"):
                VERBS[verb](space, tmp_path / str(i))
        space = space.with_calibration(CALIBRATION)
        if model in refused:
            with pytest.raises(InvalidInput, match=sentence):
                VERBS[verb](space, tmp_path / str(i))
        else:
            assert VERBS[verb](space, tmp_path / str(i)) is not None, model
