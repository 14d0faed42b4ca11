"""The numbers that speak for or against a relation: which there are, and where each comes from."""

from __future__ import annotations

from typing import NamedTuple

from entvec.evidence.facts import SAID
from entvec.evidence.neighbours import VOTES
from entvec.knowledge import facts

FACTS, VECTORS, NEIGHBOURS = SOURCES = ("facts", "vectors", "neighbours")
"""Where evidence comes from: what is known of both words, their vectors, what is known of words used like them."""
RELATIONS = ("narrower", "broader", "same", "sibling", "part", "whole", "other")
"""What the first of two words can be to the second: narrower for dog and animal."""
MIRRORED = tuple(RELATIONS.index(facts.MIRRORED.get(relation, relation)) for relation in RELATIONS)
"""For each relation the index of the one that the second word has to the first."""


class Feature(NamedTuple):
    """A number that describes a pair."""

    name: str
    source: str
    mirrored: str
    """The feature that has this value when the words change places."""


def _of_relations(kind: str) -> list[Feature]:
    return [Feature(f"{kind} {name}", FACTS, f"{kind} {facts.MIRRORED.get(name, name)}") for name in facts.RELATIONS]


def _of_words(kind: str, source: str) -> list[Feature]:
    first, second = f"{kind} first", f"{kind} second"
    return [Feature(first, source, second), Feature(second, source, first)]


FEATURES = (
    *_of_relations("is"),
    *_of_relations("weight"),
    *_of_relations("steps"),
    *(Feature(name, FACTS, name) for name in ("silent", "likeness", "verbs")),
    *_of_words("senses", FACTS),
    *_of_words("named", FACTS),
    Feature("named narrower", FACTS, "named broader"),
    Feature("named broader", FACTS, "named narrower"),
    *(Feature(f"everyday {name}", FACTS, f"everyday {facts.MIRRORED.get(name, name)}") for name in SAID),
    Feature("map", VECTORS, "map reversed"),
    Feature("map reversed", VECTORS, "map"),
    Feature("cosine", VECTORS, "cosine"),
    *(feature for vote in VOTES for feature in _of_words(vote, NEIGHBOURS)),
)
"""The features in the order of their columns."""
NAMES = tuple(feature.name for feature in FEATURES)
MIRRORED_FEATURES = tuple(NAMES.index(feature.mirrored) for feature in FEATURES)
"""For each feature the column of the mirrored one."""


def columns(sources: tuple[str, ...]) -> list[int]:
    """Return the columns of the features that come from some sources."""
    return [column for column, feature in enumerate(FEATURES) if feature.source in sources]
