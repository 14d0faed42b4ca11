"""Evidence of facts: what the knowledge says of two words, as numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

from entvec.bundled import BUNDLED_SOURCES, EVERYDAY_SOURCE, gloss_words
from entvec.evidence.meanings import Meanings
from entvec.knowledge.facts import RELATIONS, Fact, between
from entvec.vectors import forms

SAID = ("narrower", "broader", "sibling", "part", "whole")
"""The facts of which everyday statements may be a part."""
LEAST_COMMON = 0.02
"""How probably both must be meant as the same part of speech for facts to count."""
LEAST_WEIGHT = 0.02
"""A fact of senses that are rarer than this counts as if they were as rare as this."""
NEAREST_SIBLINGS = 3
"""The concepts on the path between two siblings that are kinds of the same."""


class Known(NamedTuple):
    """What is known of two words: the likeliest fact of each relation, with its weight, and what describes the pair."""

    facts: dict[str, tuple[float, Fact]]
    """By relation; the weight is the geometric mean of how probable both senses are."""
    likeness: float
    """How near the senses lie in the hierarchy, from 0 to 1 (Wu and Palmer), times the weight."""
    verbs: float
    """How probably both are meant as verbs."""
    stated: frozenset[str]
    """The relations that a source of the user states."""
    denied: dict[str, str]
    """The relations that are denied, and by which source."""
    comparable: bool
    """Whether both are known as the same part of speech, and not only in senses that hardly anybody means."""


def known_of(meanings: Meanings, first: str, second: str) -> Known:
    """Return what is known of two words, in senses of the same part of speech."""
    pairs = [
        (one, other)
        for one in meanings.of(first)
        for other in meanings.of(second)
        if one.sense.part_of_speech == other.sense.part_of_speech
        or "term" in (one.sense.part_of_speech, other.sense.part_of_speech)
    ]
    total = sum(one.weight * other.weight for one, other in pairs)
    facts: dict[str, tuple[float, Fact]] = {}
    likeness = verbs = 0.0
    stated: set[str] = set()
    denied: dict[str, str] = {}
    for one, other in pairs:
        weight = math.sqrt(one.weight * other.weight / total)
        up, other_up = meanings.above(one.sense.concept), meanings.above(other.sense.concept)
        likeness = max(likeness, weight * _likeness(meanings, up, other_up))
        verbs += weight**2 * (one.sense.part_of_speech == "verb")
        for relation, low, high in (("narrower", one, other), ("broader", other, one)):
            if source := meanings.known.denied_by(low.sense.concept, high.sense.concept):
                denied |= {relation: source, "same": source}
        for fact in between(meanings.known, one.sense, up, other.sense, other_up):
            own = set(meanings.known.said_by(fact.path)).difference(BUNDLED_SOURCES)
            if own and fact.relation in ("narrower", "broader", "same"):
                stated.add(fact.relation)
            if weight > facts.get(fact.relation, (0.0, fact))[0]:
                facts[fact.relation] = weight, fact
    denied = {relation: source for relation, source in denied.items() if relation not in stated}
    return Known(facts, likeness, verbs, frozenset(stated), denied, total >= LEAST_COMMON or bool(stated or denied))


def _likeness(meanings: Meanings, up: dict[int, int], other_up: dict[int, int]) -> float:
    """Return twice the depth of the deepest concept above both, as a share of the depths of both through it."""
    shared = up.keys() & other_up.keys()
    if not shared:
        return 0.0
    depth, steps = max((meanings.depth(concept), -up[concept] - other_up[concept]) for concept in shared)
    return 2 * depth / (2 * depth - steps) if depth else 0.0


def fact_features(meanings: Meanings, first: str, second: str, known: Known) -> dict[str, float]:
    """Return what the knowledge says of a pair, by the names in `features.FEATURES`."""
    found = {"silent": float(not known.facts), "likeness": known.likeness, "verbs": known.verbs}
    for relation in RELATIONS:
        weight, fact = known.facts.get(relation, (0.0, None))
        found[f"is {relation}"] = float(fact is not None)
        # The logarithm, because of two usual senses the one that fits the other word comes to mind, however they share.
        found[f"weight {relation}"] = math.log(max(weight / LEAST_WEIGHT, 1))
        found[f"steps {relation}"] = 0.0 if fact is None else weight * math.log(max(len(fact.path) - 1, 1))
    for name, word, relation in (("first", first, "broader"), ("second", second, "narrower")):
        found[f"senses {name}"] = math.log(1 + len(meanings.of(word)))
        found[f"named {name}"] = named = math.log(1 + gloss_words().get(forms.last_word(meanings.plain(word)), 0))
        found[f"named {relation}"] = found[f"weight {relation}"] * named
    found |= {f"everyday {relation}": 0.0 for relation in SAID}
    if known.facts:  # the likeliest one alone: what is said of other senses must not speak against it
        _, fact = max(known.facts.values(), key=lambda weighted: weighted[0])
        if _is_said(meanings, fact):
            found[f"everyday {fact.relation}"] = found[f"weight {fact.relation}"]
    return found


def _is_said(meanings: Meanings, fact: Fact) -> bool:
    """Return True if a fact rests on everyday statements: of siblings, those that are directly kinds of the same."""
    if fact.relation not in SAID or (fact.relation == "sibling" and len(fact.path) > NEAREST_SIBLINGS):
        return False
    return EVERYDAY_SOURCE in meanings.known.said_by(fact.path)
