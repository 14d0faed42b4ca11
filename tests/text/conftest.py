"""Small encoders with random weights."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from entvec.text import EntailmentEncoder
from entvec.text.transformer import LAYER
from entvec.text.wordpiece import END, LONGEST_TEXT, START, UNKNOWN, WordPiece

VOCABULARY = [UNKNOWN, START, END, "dog", "cat", "hot", "a", "##s", ":", "big"]
WIDTH, COMPONENTS, SAME, LAYERS = 24, 8, 4, 2

Parts = dict[str, NDArray[np.generic]]


def matrix(rng: np.random.Generator, name: str, rows: int, columns: int) -> Parts:
    scales = (rng.uniform(0.5, 1.5, rows) / 127 / columns**0.5).astype(np.float32)
    return {name: rng.integers(-127, 128, (rows, columns), dtype=np.int8), f"{name}.scales": scales}


def heads(rng: np.random.Generator) -> Parts:
    def numbers(n: int) -> NDArray[np.float32]:
        return rng.normal(size=n).astype(np.float32)

    found: Parts = {"map.decision": np.array([0.2, 1.0], np.float32)}
    for side in ("hypo", "hyper"):
        found |= {**matrix(rng, f"map.{side}_weights", WIDTH, COMPONENTS), f"map.{side}_bias": numbers(COMPONENTS)}
    found |= {f"map.{name}": numbers(WIDTH + 1) for name in ("hypo_offset", "hyper_offset", "generality")}
    return found | matrix(rng, "map.same_weights", WIDTH, SAME)


def made(kind: str, seed: int = 0) -> EntailmentEncoder:
    """An encoder of a kind; a width of 24 is divided by the 12 heads."""
    rng = np.random.default_rng(seed)
    parts = matrix(rng, "words", len(VOCABULARY), WIDTH) | heads(rng)
    if kind == "static":
        parts["gains"] = rng.normal(scale=0.3, size=(2, 4, WIDTH)).astype(np.float32)
        return EntailmentEncoder("toy", kind, WordPiece(VOCABULARY), parts, {"seed": str(seed)})

    def norm(name: str) -> Parts:
        return {
            f"{name}.weight": rng.uniform(0.5, 1.5, WIDTH).astype(np.float32),
            f"{name}.bias": rng.normal(scale=0.1, size=WIDTH).astype(np.float32),
        }

    parts |= matrix(rng, "positions", LONGEST_TEXT, WIDTH) | norm("norm")
    for layer in range(LAYERS):
        for name, (high, wide) in LAYER.items():
            parts |= matrix(rng, f"{layer}.{name}.weight", high * WIDTH, wide * WIDTH)
            parts[f"{layer}.{name}.bias"] = rng.normal(scale=0.1, size=high * WIDTH).astype(np.float32)
        parts |= norm(f"{layer}.norm1") | norm(f"{layer}.norm2")
    return EntailmentEncoder("toy", kind, WordPiece(VOCABULARY), parts, {"seed": str(seed)})


@pytest.fixture(scope="session")
def toy() -> Callable[[str], EntailmentEncoder]:
    """Makes an encoder of a kind with random weights."""
    return made
