"""What is known of two words: which relations hold between their senses, and by which path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from entvec.knowledge.knowledge import Knowledge, Sense

RELATIONS = ("same", "narrower", "broader", "sibling", "part", "whole")
"""What may be known to hold between two words: the first is narrower than, or part of, the second."""
MIRRORED = {"narrower": "broader", "broader": "narrower", "part": "whole", "whole": "part"}
FARTHEST_SIBLING = 3
"""The most steps from a word up to what makes it a sibling of another."""
SHALLOWEST_SIBLING = 4
"""The least depth of what two siblings share: that two things are things says nothing."""


class Fact(NamedTuple):
    """A relation that holds between two senses."""

    relation: str
    first: Sense
    second: Sense
    path: tuple[int, ...]
    """The concepts from the first to the second: up by is-a, or up to what siblings share and down again."""
    shared: int | None = None
    """The concept that two siblings share."""

    @property
    def rank(self) -> int:
        """The number of the rarer of the two senses: 1 if both are the most frequent."""
        return max(self.first.number, self.second.number)


def facts(known: Knowledge, first: str, second: str) -> dict[str, Fact]:
    """Return the relations that hold between any senses of two words, each by its most frequent senses.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> for pair in (("dog", "animal"), ("cat", "dog"), ("wheel", "car"), ("car", "automobile"), ("stone", "idea")):
    ...     print(*pair, {name: fact.rank for name, fact in facts(known, *pair).items()})
    dog animal {'narrower': 1}
    cat dog {'sibling': 1}
    wheel car {'part': 1, 'sibling': 5}
    car automobile {'same': 1, 'sibling': 2}
    stone idea {}

    Parameters
    ----------
    known
        What is known.
    first, second
        In any spelling that `Knowledge.senses` finds.
    """
    found: dict[str, Fact] = {}
    below, above = (
        [(sense, known.ancestors([sense.concept])) for sense in known.senses(word)] for word in (first, second)
    )
    for one, up in below:
        for other, other_up in above:
            if one.part_of_speech == other.part_of_speech or "term" in (one.part_of_speech, other.part_of_speech):
                for fact in _between(known, one, up, other, other_up):
                    if fact.relation not in found or fact.rank < found[fact.relation].rank:
                        found[fact.relation] = fact
    return found


def _between(
    known: Knowledge, one: Sense, up: dict[int, int], other: Sense, other_up: dict[int, int]
) -> Iterator[Fact]:
    """Yield the relations of two senses, whose ancestors are given with their steps."""
    low, high = one.concept, other.concept
    if low == high:
        yield Fact("same", one, other, (low,))
    elif path := _upwards(known, up, low, high):
        yield Fact("narrower", one, other, path)
    elif path := _upwards(known, other_up, high, low):
        yield Fact("broader", one, other, path[::-1])
    else:
        shared = _shared(known, up, other_up)
        if shared is not None:
            path = (*known.path(low, shared), *known.path(high, shared)[-2::-1])
            yield Fact("sibling", one, other, path, shared)
    if whole := _part(known, low, other_up):
        yield Fact("part", one, other, (low, *known.path(high, whole)[::-1]))
    if whole := _part(known, high, up):
        yield Fact("whole", one, other, (*known.path(low, whole), high))


def _upwards(known: Knowledge, up: dict[int, int], low: int, high: int) -> tuple[int, ...]:
    """Return a path from low to high: by is-a or, as from snoring to sleeping, by what a verb implies."""
    if high in up:
        return tuple(known.path(low, high))
    for above in up:
        for implied in known.implies.of(above):
            if path := known.path(implied, high):
                return (*known.path(low, above), *path)
    return ()


def _shared(known: Knowledge, up: dict[int, int], other_up: dict[int, int]) -> int | None:
    """Return the nearest concept above both that is near and special enough to make siblings of them."""
    near = [
        (max(up[at], other_up[at]), up[at] + other_up[at], at)
        for at in up.keys() & other_up.keys()
        if max(up[at], other_up[at]) <= FARTHEST_SIBLING
    ]
    near = [candidate for candidate in near if known.depth(candidate[-1]) >= SHALLOWEST_SIBLING]
    return min(near)[-1] if near else None


def _part(known: Knowledge, part: int, up: dict[int, int]) -> int | None:
    """Return the nearest concept at or above the other one, of which this one is a part, or part of a part."""
    wholes = known.part_of.links.reached(part)
    near = [(up[whole], whole) for whole in wholes if whole in up]
    return min(near)[1] if near else None
