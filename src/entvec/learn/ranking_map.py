"""Fits a map with two sides and offsets to what is known: Adam, with the losses of `ranking_objective`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from entvec.array_types import Float32s
from entvec.errors import InvalidInput
from entvec.learn.fitted import FittedMap
from entvec.learn.ranking_examples import Examples
from entvec.learn.ranking_objective import FIRST_SCALE, OFFSETS, Parameters, Weights, initial, loss

SAMPLE = 1 << 13
"""How many vectors tell the scale and the main axes of all."""
MOST_COMPONENTS = 384
FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
"""The constants of Adam."""


@dataclass(frozen=True)
class Recipe:
    """How a map is fitted; the numbers were chosen on validation words (docs/encoder.md)."""

    steps: int = 4000
    queries: int = 256
    """Terms of a step."""
    sampled: int = 1024
    """Others that compete in a step with the hypernyms of its terms."""
    rate: float = 4e-3
    warm_up: int = 20
    decay: float = 0.0
    """How fast everything returns to where it began."""
    dropout: float = 0.15
    detection: float = 5.0
    hyponyms: float = 0.5


def fit_ranking_map(
    vectors: Float32s,
    examples: Examples,
    *,
    recipe: Recipe = Recipe(),  # noqa: B008 - immutable
    seed: int = 0,
    start: FittedMap | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> FittedMap:
    """Return a map that is fitted to the examples.

    Parameters
    ----------
    vectors
        The vectors of `examples.texts`.
    examples
        What there is to learn from.
    recipe
        The number of steps, their size, and so on.
    seed
        Of the draws.
    start
        A map of such vectors to begin with and to stay near to; by default the vectors themselves.
    progress
        Called with the fraction that is done. What it raises ends the fit.
    """
    if len(vectors) != len(examples.texts):
        raise InvalidInput(f"{len(vectors):,} vectors, expected one for each of {len(examples.texts):,} texts")
    rng = np.random.default_rng(seed)
    sample = np.asarray(vectors[rng.permutation(len(vectors))[:SAMPLE]], np.float32)
    unit = np.float32(1 / max(math.sqrt(float(np.mean(sample**2))), 1e-12))
    n_components = min(vectors.shape[1], MOST_COMPONENTS)
    begin = initial(sample * unit, n_components, rng) if start is None else _unpacked(start, unit)
    found = {name: value.copy() for name, value in begin.items()}
    mean = {name: np.zeros_like(value) for name, value in found.items()}
    square = {name: np.zeros_like(value) for name, value in found.items()}
    weights = Weights(recipe.detection, recipe.hyponyms)
    for step in range(recipe.steps):
        progress(step / recipe.steps)
        rate = recipe.rate * min(1, (step + 1) / recipe.warm_up) * (1 + math.cos(math.pi * step / recipe.steps)) / 2
        hypo, hyper, batch = examples.draw(recipe.queries, recipe.sampled, rng)
        shown = (_dropped(vectors[rows] * unit, recipe.dropout, rng) for rows in (hypo, hyper))
        _, gradient = loss(found, batch._replace(hypo=next(shown), hyper=next(shown)), weights)
        for name, by in gradient.items():
            mean[name] += (1 - FIRST) * (by - mean[name])
            square[name] += (1 - SECOND) * (by * by - square[name])
            size = np.sqrt(square[name] / (1 - SECOND ** (step + 1))) + TINY
            found[name] -= rate / (1 - FIRST ** (step + 1)) * mean[name] / size
            if name != "decision":
                found[name] += rate * recipe.decay * (begin[name] - found[name])
    progress(1.0)
    return _packed(found, unit, {"random_state": seed, **asdict(recipe)})


def _dropped(vectors: Float32s, share: float, rng: np.random.Generator) -> Float32s:
    """Return vectors of which a share of the numbers is 0, and the others are larger."""
    kept = rng.random(vectors.shape, np.float32) >= share
    return np.asarray(vectors * (kept * np.float32(1 / (1 - share))), np.float32)


def _packed(p: Parameters, unit: np.float32, settings: dict[str, Any]) -> FittedMap:
    """Return the map of vectors that are not scaled."""
    parts: dict[str, Any] = {name: value for name, value in p.items() if name != "decision"}
    for side in ("hypo", "hyper"):
        parts[f"{side}_weights"] = parts[f"{side}_weights"] * unit
    for name in OFFSETS:
        parts[name] = np.append(parts[name][:-1] * unit, parts[name][-1]).astype(np.float32)
    scale, intercept = FIRST_SCALE * math.exp(p["decision"][0]), float(p["decision"][1])
    return FittedMap("backward", **parts, scale=scale, intercept=intercept, settings=settings)


def _unpacked(fitted: FittedMap, unit: np.float32) -> Parameters:
    """Return the parameters of a map of vectors that are scaled."""
    found: Parameters = {"decision": np.zeros(2, np.float32)}
    for name in ("hypo_weights", "hyper_weights"):
        found[name] = getattr(fitted, name).astype(np.float32) / unit
    for name in ("hypo_bias", "hyper_bias"):
        found[name] = getattr(fitted, name).astype(np.float32).copy()
    for name in OFFSETS:
        value = getattr(fitted, name).astype(np.float32)
        found[name] = np.append(value[:-1] / unit, value[-1]).astype(np.float32)
    return found
