"""What a phrase is about: its head, and the words that only modify it.

A forklift operator is an operator and no vehicle; a cup of coffee is a cup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from entvec.evidence.definitions import parts
from entvec.evidence.meanings import Meanings
from entvec.knowledge import Sense
from entvec.knowledge.people import is_people
from entvec.knowledge.sense_names import NOUN, TERM
from entvec.vectors import forms

AFTER_HEAD = frozenset(
    ("of", "for", "in", "with", "on", "to", "from", "at", "by", "without", "under", "over", "against", "about", "and",
     "or", "per", "into", "as", "after", "between", "through", "who", "that", "which")
)  # fmt: skip
"""What stands before it is the head: prepositions, and words that begin a clause."""
OF_PEOPLE = frozenset(("people", "person", "persons", "group", "member", "members", "one", "someone"))
"""Definitions with these heads do not say which people a term names."""
SHORTEST_TAIL, SHORTEST_REST = 4, 3
"""A word of one piece may end in its head, as toolbox does: so many letters at least, and so many before them."""
KINDS = (NOUN, TERM)


class Heads(NamedTuple):
    """The parts of a phrase, as the knowledge has them."""

    head: str | None
    """The longest known noun that the phrase ends in; None for one word, or if none is known."""
    tail: str | None
    """The longest known noun in which the last word itself ends; None if it is known, or ends in none."""
    modifiers: tuple[str, ...]
    """The other known nouns."""


def heads_of(meanings: Meanings, text: str) -> Heads:
    """Return the parts of a phrase; none if it has a definition, which says more, unless it is about people.

    >>> from entvec.bundled import wordnet_knowledge
    >>> meanings = Meanings(wordnet_knowledge())
    >>> heads_of(meanings, "electric mountain bike")
    Heads(head='mountain bike', tail=None, modifiers=('electric',))
    >>> heads_of(meanings, "knee replacement surgery")
    Heads(head='surgery', tail=None, modifiers=('knee', 'replacement'))
    >>> heads_of(meanings, "jar of honey"), heads_of(meanings, "toolshelf").tail
    (Heads(head='jar', tail=None, modifiers=('honey',)), 'shelf')
    """
    term, definition = parts(text)
    if definition is not None and not is_about_people(meanings, text):
        return Heads(None, None, ())
    front, at, rest = _split(meanings, term)
    head = " ".join(front[at:]) or None
    modifiers = [*_within(meanings, front[:at]), *_within(meanings, rest)]
    tail = None if head else _tail(meanings, front[-1]) if front else None
    return Heads(head, tail, tuple(dict.fromkeys(modifiers)))


def is_about_people(meanings: Meanings, text: str) -> bool:
    """Return whether a phrase names a group of people: by itself or one of its words, or as its definition says.

    >>> from entvec.bundled import wordnet_knowledge
    >>> meanings = Meanings(wordnet_knowledge())
    >>> is_about_people(meanings, "young Muslim women"), is_about_people(meanings, "forklift operator")
    (True, False)
    """
    term, definition = parts(text)
    if definition is not None:  # a pad thai that is defined as a dish is none of the Thai
        front, at, _ = _split(meanings, definition)
        if front[at:] and front[-1] not in OF_PEOPLE:
            return is_people(meanings.known, " ".join([term, *front]))
    found = heads_of(meanings, term)
    words = filter(None, (term, found.head, found.tail, *found.modifiers))
    return any(is_people(meanings.known, word) for word in words)


def _split(meanings: Meanings, text: str) -> tuple[list[str], int, list[str]]:
    """Return the words up to what stands after a head, where in them the head begins, and the other words."""
    words = forms.one_spaced(forms.read_as(text)).split()
    end = next((at for at, word in enumerate(words) if at and word in AFTER_HEAD), len(words))
    front, rest = words[:end], words[end:]
    starts = range(1 if end == len(words) else 0, len(front))
    return front, next((at for at in starts if _nouns(meanings, " ".join(front[at:]))), len(front)), rest


def nouns_of(meanings: Meanings, term: str) -> list[tuple[Sense, float]]:
    """Return the senses of a term as a noun, with their weights."""
    return [(sense, weight) for sense, weight in meanings.of(term) if sense.part_of_speech in KINDS]


def _nouns(meanings: Meanings, term: str) -> bool:
    return bool(nouns_of(meanings, term))


def _within(meanings: Meanings, words: list[str]) -> Iterator[str]:
    """Yield the known nouns among some words, the longest first."""
    for size in range(len(words), 0, -1):
        for at in range(len(words) - size + 1):
            part = " ".join(words[at : at + size])
            if part not in AFTER_HEAD and _nouns(meanings, part):
                yield part


def _tail(meanings: Meanings, word: str) -> str | None:
    if _nouns(meanings, word):
        return None
    ends = (word[at:] for at in range(SHORTEST_REST, len(word) - SHORTEST_TAIL + 1))
    return next((end for end in ends if _nouns(meanings, end)), None)
