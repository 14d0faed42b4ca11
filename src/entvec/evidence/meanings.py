"""What a word means to the knowledge: its senses, each with a weight, and what lies above them."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from typing import NamedTuple

from entvec.evidence.definitions import MEANS
from entvec.knowledge import Knowledge, Sense
from entvec.knowledge.sense_names import parse
from entvec.remembering import remembered
from entvec.vectors import forms

LEAST_WEIGHT = 0.1
"""A word has the parts of speech in which it is meant at least so probably."""
REMEMBERED = 1 << 16
MOST_SENSES = 12
"""How many senses of a word take part: nobody means the twentieth sense of a verb."""


class Weighted(NamedTuple):
    """A sense, and how probably the word is meant in it."""

    sense: Sense
    weight: float


class Meanings:
    """Looks words up in a Knowledge, some of which may be hidden, and remembers what it found.

    The name of a sense, such as `bank#2` or `bank:institution`, has only that sense, and `plain` returns the word
    without the part that picks it. `tidy` returns a word in the spelling in which it is looked up.

    >>> from entvec.bundled import wordnet_knowledge
    >>> meanings = Meanings(wordnet_knowledge())
    >>> [(str(sense), round(weight, 2)) for sense, weight in meanings.of("guitar")]
    [('guitar#1', 1.0)]
    >>> meanings.hiding(["guitars"]).of("guitar")
    ()
    >>> meanings.of("bank:institution")[0].sense.number, meanings.plain("bank:institution"), meanings.plain("C#")
    (2, 'bank', 'C#')
    >>> meanings.tidy("the guitar!"), meanings.tidy("jalapeño"), meanings.tidy("no such thing!")
    ('guitar', 'jalapeno', 'no such thing!')

    Parameters
    ----------
    known
        What is known.
    hidden
        Keys of terms (`forms.key`) that count as unknown.
    words
        Words that stand for themselves, even if they look like the name of a sense.
    """

    def __init__(
        self, known: Knowledge, hidden: Collection[str] = frozenset(), words: Container[str] = frozenset()
    ) -> None:
        self.known, self.hidden, self.words = known, frozenset(hidden), words

    @remembered(REMEMBERED)
    def of(self, word: str) -> tuple[Weighted, ...]:
        """Return the senses of a word, the most probable first; none if it is not known or hidden."""
        return self.all_of(word)[:MOST_SENSES]

    @remembered(REMEMBERED)
    def of_term(self, row: int) -> tuple[Weighted, ...]:
        """Return the senses of the term in a row of `known.terms`."""
        return self.weighted(self.known.term_senses(row))

    @remembered(REMEMBERED)
    def above(self, concept: int) -> dict[int, int]:
        """Return all concepts above one, and itself, with their steps."""
        return self.known.ancestors([concept])

    @remembered(REMEMBERED)
    def depth(self, concept: int) -> int:
        """Return the fewest steps from a concept up to one that has nothing above it."""
        return self.known.depth(concept)

    def is_name(self, word: str) -> bool:
        """Return whether a word is known as the name of individuals, more probably than as anything else.

        >>> from entvec.bundled import wordnet_knowledge
        >>> [Meanings(wordnet_knowledge()).is_name(word) for word in ("Berlin", "city", "blorp")]
        [True, False, False]
        """
        individuals = self.known.instance_of.sources
        return sum(weight for sense, weight in self.of(word) if sense.concept in individuals) > 0.5

    def hiding(self, words: Iterable[str], *, synonyms: bool = True) -> Meanings:
        """Return the meanings of a world that does not know some words, in any spelling.

        Parameters
        ----------
        words
            The words to hide.
        synonyms
            Whether to hide also all terms for what a word means in its most frequent sense as each part of speech.
        """
        hidden = set(self.hidden)
        for word in words:
            hidden.add(forms.key(word))
            for sense in self.known.senses(word):
                hidden.add(forms.key(sense.term))
                if synonyms and sense.number == 1:
                    hidden.update(map(forms.key, self.known.synonyms(sense.concept)))
        return Meanings(self.known, hidden, self.words)

    @remembered(REMEMBERED)
    def tidy(self, word: str) -> str:
        """Return a word in the spelling that has a vector, or else that is known; as it is if none does."""
        spellings = forms.tidied(word) if MEANS not in word else []
        if not spellings or word in self.words:
            return word
        with_vector = (each for each in spellings if each in self.words)
        known = (each for each in (word, *spellings) if self.known.senses(each))
        return next(with_vector, None) or next(known, word)

    def is_sense(self, word: str) -> bool:
        """Return whether a word names one sense, as `bank#2` or `bank:institution` does."""
        return self.plain(word) != self.tidy(word)

    @remembered(REMEMBERED)
    def plain(self, word: str) -> str:
        """Return the word that the name of a sense is for; any other word in the spelling in which it is looked up."""
        if MEANS in word:
            return word
        word = self.tidy(word)
        name, selector = parse(word)
        if selector is None or self.known.find(word) or word in self.words or not self.known.senses(word):
            return word
        return name

    def all_of(self, word: str) -> tuple[Weighted, ...]:
        """Return all senses of a word, also those that nobody means, the most probable first."""
        if MEANS in word:
            return ()
        word = self.tidy(word)
        if parse(word)[1] is not None and word in self.words and word not in self.known:
            return ()
        return self.weighted(self.known.senses(word), most=None)

    def weighted(self, senses: Iterable[Sense], most: int | None = MOST_SENSES) -> tuple[Weighted, ...]:
        """Return the senses that are not hidden, the most probable first."""
        found = [sense for sense in senses if forms.key(sense.term) not in self.hidden]
        total = sum(sense.meetings for sense in found)
        weighted = [Weighted(sense, sense.meetings / total) for sense in found]
        return tuple(sorted(weighted, key=lambda each: -each.weight)[:most])
