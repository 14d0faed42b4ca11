"""One meaning of a term, and how people name it: `bank#2`, `bank#v1`, `bank:institution`; and verbs: `to bank`."""

from __future__ import annotations

import re
from typing import NamedTuple

TERM, NOUN, VERB = PARTS_OF_SPEECH = ("term", "noun", "verb")
"""What a concept can be; the concepts of a taxonomy are terms."""
LETTERS = {"n": NOUN, "v": VERB}
NUMBERED = re.compile(r"(.*\S)#([nv]?)([1-9]\d{0,3})", re.DOTALL)
DESCRIBED = re.compile(r"(.*?\S):([^\W\d_].*)", re.DOTALL)
INFINITIVE = re.compile(r"to[ _]+(?=[^\W\d_])", re.IGNORECASE)


class Sense(NamedTuple):
    """One meaning of a term.

    >>> from entvec.bundled import wordnet_knowledge
    >>> first = wordnet_knowledge().senses("Ice creams")[0]
    >>> str(first), first.part_of_speech, first.number
    ('ice_cream#1', 'noun', 1)

    Parameters
    ----------
    term
        The spelling of the source, with `_` for a space.
    part_of_speech
        noun or verb.
    number
        The rank of this meaning among those of the term with this part of speech, from 1, the most frequent.
    concept
        The index of the concept, which all synonyms share.
    frequency
        How often the term occurs with this sense in sense-tagged text; 0 if unknown.
    meetings
        The estimated frequency, more than 0 for every sense. The share of a sense is its part of the sum.
    """

    term: str
    part_of_speech: str
    number: int
    concept: int
    frequency: int
    meetings: float

    def __str__(self) -> str:
        """Return the name that picks this sense: nouns and verbs have numbers of their own, so verbs have a v."""
        return f"{self.term}#{'v' if self.part_of_speech == VERB else ''}{self.number}"


class Selector(NamedTuple):
    """What picks senses of a word: a number, or what one is; a part of speech alone picks several."""

    number: int | None = None
    part_of_speech: str | None = None
    """Noun or verb; None for the noun of a number or, if there is none, the verb."""
    description: str | None = None
    """A synonym of the sense, what it is a kind of, what is a kind of it, or a word of its gloss; in this order."""


def parse(text: str) -> tuple[str, Selector | None]:
    """Return a word, and what picks some of its senses; None if the text has no such part.

    Whether the text as a whole is a word, as `Re:Zero` may be, is for the caller to find out first.

    >>> parse("bank#2")
    ('bank', Selector(number=2, part_of_speech=None, description=None))
    >>> parse("bank#v1")[1].part_of_speech, parse("bank:financial institution")[1].description
    ('verb', 'financial institution')
    >>> parse("to bank")
    ('bank', Selector(number=None, part_of_speech='verb', description=None))
    >>> parse("C#"), parse("12:30")
    (('C#', None), ('12:30', None))
    """
    if ":" in text and (found := DESCRIBED.fullmatch(text)):
        return found[1], Selector(description=found[2])
    if "#" in text and (found := NUMBERED.fullmatch(text)):
        return found[1], Selector(int(found[3]), LETTERS.get(found[2]))
    if (found := INFINITIVE.match(text)) is not None:
        return text[found.end() :], Selector(part_of_speech=VERB)
    return text, None
