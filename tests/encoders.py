"""An encoder whose right answers are obvious: a text is the sum of its words, and the last word counts most."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from entvec.graphs import Taxonomy
from entvec.text import CallableEncoder

DIMENSION = 24
COLOURS = ("red", "blue", "green", "black", "white", "brown", "pink", "grey", "golden", "purple", "orange", "teal")
THINGS = {
    "shoe": "footwear", "boot": "footwear", "coat": "garment", "shirt": "garment",
    "chair": "furniture", "table": "furniture",
}  # fmt: skip


def word_vector(word: str) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSION)
    return found


def encode(texts: Sequence[str]) -> NDArray[np.float64]:
    rows = []
    for text in texts:
        words = text.lower().replace(":", " ").split() or [text]
        weights = np.r_[np.full(len(words) - 1, 0.4), 1.0]
        rows.append(sum(weight * word_vector(word) for weight, word in zip(weights, words, strict=True)))
    return np.array(rows)


def bag_of_words() -> CallableEncoder:
    return CallableEncoder(encode, "bag of words")


def shop() -> Taxonomy:
    """Things in many colours, their kinds, and a definition here and there."""
    edges = [(f"{colour} {thing}", thing) for thing in THINGS for colour in COLOURS]
    made = Taxonomy.from_edges([*edges, *THINGS.items(), ("footwear", "product"), ("garment", "product")])
    return made.with_definitions({f"red {thing}": f"something red that is a {thing}" for thing in THINGS})
