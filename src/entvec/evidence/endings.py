"""Known words that end like another: what ends in -itis is an inflammation."""

from __future__ import annotations

from bisect import bisect_left
from weakref import WeakKeyDictionary

import numpy as np

from entvec.array_types import Ints
from entvec.evidence.hierarchy import Hierarchy
from entvec.knowledge import Knowledge
from entvec.knowledge.sense_names import NOUN, PARTS_OF_SPEECH

LENGTHS = (7, 6, 5, 4)
"""How many letters an ending has; the longest that enough words share counts."""
SHORTEST_STEM = 2
ENOUGH_WORDS = 5
SHORTEST_WORD = 5
AFTER_ALL = "\U0010ffff"


class Endings:
    """The nouns of a Knowledge, by what they end in.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.evidence.meanings import Meanings
    >>> known = wordnet_knowledge()
    >>> found = Endings(Hierarchy(Meanings(known))).sharing("sinobronchitis")
    >>> sorted(known.terms[term] for term in found.tolist())[:3]
    ['bronchitis', 'laryngotracheobronchitis', 'orchitis']

    Parameters
    ----------
    hierarchy
        What is known; hidden terms have no ending.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        first = hierarchy.first_concept
        self._is_noun = first >= 0
        self._is_noun[self._is_noun] = hierarchy.kinds[first[self._is_noun]] == PARTS_OF_SPEECH.index(NOUN)
        self._reversed, self._terms = _by_ending(hierarchy.known)

    def sharing(self, word: str) -> Ints:
        """Return the terms that share the longest ending with a word that enough of them share; none if none does."""
        backwards = word[::-1]
        for length in LENGTHS if _is_usual(word) else ():
            if len(word) - length >= SHORTEST_STEM:
                ending = backwards[:length]
                first, last = (bisect_left(self._reversed, each) for each in (ending, ending + AFTER_ALL))
                terms = self._terms[first:last]
                nouns: Ints = terms[self._is_noun[terms]]
                if len(nouns) >= ENOUGH_WORDS:
                    return nouns
        return np.empty(0, np.int64)


_BY_ENDING: WeakKeyDictionary[Knowledge, tuple[list[str], Ints]] = WeakKeyDictionary()


def _by_ending(known: Knowledge) -> tuple[list[str], Ints]:
    """Return all terms that are usual words, spelled backwards and sorted, and their rows.

    They are computed once for a Knowledge, because worlds with hidden words share it.
    """
    if (found := _BY_ENDING.get(known)) is None:
        words = [(word[::-1], row) for row, word in enumerate(known.terms) if _is_usual(word)]
        words = sorted(each for each in words if len(each[0]) >= SHORTEST_WORD)
        found = _BY_ENDING[known] = [word for word, _ in words], np.array([row for _, row in words], np.int64)
    return found


def _is_usual(word: str) -> bool:
    return word.isalpha() and word.islower()
