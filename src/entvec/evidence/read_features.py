"""What describes a pair of which an encoder reads a term, and which source each of these features comes from."""

from __future__ import annotations

from typing import NamedTuple

ENCODER = "encoder"
SHARES = ("above", "same", "beside", "below")
MIRRORED_SHARES = {"above": "below", "below": "above"}


class Feature(NamedTuple):
    """A number that describes a pair, and the one that has this value when the words change places."""

    name: str
    mirrored: str


def _both(first: str, second: str) -> list[Feature]:
    return [Feature(first, second), Feature(second, first)]


FEATURES = (
    *_both("transformer", "transformer reversed"),
    *_both("table", "table reversed"),
    Feature("cosine", "cosine"),
    Feature("likeness", "likeness"),
    *(Feature(f"near {name}", f"near {MIRRORED_SHARES.get(name, name)}") for name in SHARES),
    *_both("nearness first", "nearness second"),
    *(Feature(f"head {name}", f"head {MIRRORED_SHARES.get(name, name)}") for name in SHARES),
    *_both("ends in second", "ends in first"),
    *_both("leak first", "leak second"),
    *_both("headless first", "headless second"),
)
NAMES = tuple(feature.name for feature in FEATURES)
MIRRORED_FEATURES = tuple(NAMES.index(feature.mirrored) for feature in FEATURES)

START, HEAD, NEAR = "constant", "head", "neighbours"
SOURCE_OF = tuple(
    HEAD if name.startswith(("head", "ends", "leak")) else NEAR if name.startswith("near") else ENCODER
    for name in NAMES
)
"""For each feature what it comes from: the words of a phrase, the nouns near a term, or the encoders."""
