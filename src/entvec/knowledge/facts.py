"""What is known of two words: which relations hold between their senses, and by which path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from entvec.knowledge.knowledge import Knowledge
from entvec.knowledge.sense_names import Sense

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
    sources: tuple[str, ...] = ()
    """Who says so: the sources of the steps of the path."""

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
                for fact in between(known, one, up, other, other_up):
                    if fact.relation not in found or fact.rank < found[fact.relation].rank:
                        found[fact.relation] = fact
    return {name: fact._replace(sources=known.said_by(fact.path)) for name, fact in found.items()}


def no_hierarchy(known: Knowledge, *words: str) -> str | None:
    """Return a sentence about those words that are adjectives or adverbs; None if none is.

    >>> from entvec.bundled import wordnet_knowledge
    >>> no_hierarchy(wordnet_knowledge(), "quickly", "animal")
    "'quickly' is an adjective or adverb, which has no hierarchy: nothing is known to be above or below it"
    >>> no_hierarchy(wordnet_knowledge(), "dog", "animal")

    Parameters
    ----------
    known
        What is known.
    words
        In any spelling.
    """
    flat = [word for word in dict.fromkeys(words) if known.is_flat(word)]
    if not flat:
        return None
    named = " and ".join(map(repr, flat))
    if len(flat) == 1:
        return f"{named} is an adjective or adverb, which has no hierarchy: nothing is known to be above or below it"
    return f"{named} are adjectives or adverbs, which have no hierarchy: nothing is known to be above or below them"


def between(known: Knowledge, one: Sense, up: dict[int, int], other: Sense, other_up: dict[int, int]) -> Iterator[Fact]:
    """Yield the relations of two senses, whose ancestors are given with their steps.

    A part of a thing is not beside it, even if both are devices.
    """
    low, high = one.concept, other.concept
    parts = list(_parts(known, one, up, other, other_up))
    if low == high:
        yield Fact("same", one, other, (low,))
    elif high in up and low in other_up:  # in a cycle each is a kind of the other
        yield Fact("same", one, other, tuple(known.path(low, high)))
    elif path := _upwards(known, up, low, high):
        yield Fact("narrower", one, other, path)
    elif path := _upwards(known, other_up, high, low):
        yield Fact("broader", one, other, path[::-1])
    elif not parts and (shared := _shared(known, up, other_up)) is not None:
        path = (*known.path(low, shared), *known.path(high, shared)[-2::-1])
        yield Fact("sibling", one, other, path, shared)
    yield from parts


def _parts(known: Knowledge, one: Sense, up: dict[int, int], other: Sense, other_up: dict[int, int]) -> Iterator[Fact]:
    """Yield that one of two senses is a part of the other, if it is."""
    if (whole := _whole(known, one, up, other, other_up)) is not None:
        yield Fact("part", one, other, (one.concept, *known.path(other.concept, whole)[::-1]))
    if (whole := _whole(known, other, other_up, one, up)) is not None:
        yield Fact("whole", one, other, (*known.path(one.concept, whole), other.concept))


def _upwards(known: Knowledge, up: dict[int, int], low: int, high: int) -> tuple[int, ...]:
    """Return a path from low to high: by is-a or, as from snoring to sleeping, by what a verb implies."""
    if high in up:
        return tuple(known.path(low, high))
    for above in [each for each in up if each in known.implies.sources]:
        for implied in known.implies.of(above):
            if (rest := known.path(implied, high)) and not known.denies(path := (*known.path(low, above), *rest)):
                return path
    return ()


def _shared(known: Knowledge, up: dict[int, int], other_up: dict[int, int]) -> int | None:
    """Return the nearest concept above both that is near and special enough to make siblings of them."""
    near = [
        (max(up[at], other_up[at]), up[at] + other_up[at], at)
        for at in up.keys() & other_up.keys()
        if max(up[at], other_up[at]) <= FARTHEST_SIBLING
    ]
    return next((at for *_, at in sorted(near) if known.depth(at) >= SHALLOWEST_SIBLING), None)


def _whole(known: Knowledge, part: Sense, part_up: dict[int, int], kind: Sense, kind_up: dict[int, int]) -> int | None:
    """Return the nearest concept at or above a kind of which a sense is a part, or part of a part.

    A kind has the parts of what is above it: a blazer has sleeves, as a garment. Two things are not inherited. A word
    that also means something above the other, in any sense, is no part of it: a poppy is a flower, and the flower that
    flowering plants have as a part makes it no whole. And where the definition of the whole begins with the part, kinds
    of the whole are kinds of the part: weaponry is "weapons considered collectively", and a bomb has no weapon in it.
    """
    if part.concept not in known.part_of.sources:
        return None
    wholes = known.part_of.links.reached(part.concept)
    near = min(((kind_up[whole], whole) for whole in wholes if whole in kind_up), default=None)
    if near is None:
        return None
    steps, whole = near
    if steps and (_means(known, part, kind_up) or _means(known, kind, part_up) or _defines(known, part, whole)):
        return None
    return whole


def _means(known: Knowledge, sense: Sense, concepts: dict[int, int]) -> bool:
    """Return True if the term of a sense means one of some concepts, in this sense or another."""
    return any(other.concept in concepts for other in known.senses(sense.term))


def _defines(known: Knowledge, sense: Sense, concept: int) -> bool:
    """Return True if the gloss of a concept begins with the term of a sense, singular or plural."""
    beginning = known.glosses[concept].split()[: len(sense.term.split("_"))]
    return any(other.concept == sense.concept for other in known.senses(" ".join(beginning).rstrip(",;")))
