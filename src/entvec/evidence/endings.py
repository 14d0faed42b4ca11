"""Known words that end like another: what ends in -itis is an inflammation."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.hierarchy import Hierarchy
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
        terms, first = hierarchy.known.terms, hierarchy.first_concept
        nouns = np.flatnonzero(first >= 0)
        nouns = nouns[hierarchy.kinds[first[nouns]] == PARTS_OF_SPEECH.index(NOUN)]
        words = ((terms[term], term) for term in nouns.tolist())
        usual = [(word[::-1], term) for word, term in words if len(word) >= SHORTEST_WORD and _is_usual(word)]
        self._reversed, self._terms = ([each[i] for each in sorted(usual)] for i in (0, 1))

    def sharing(self, word: str) -> NDArray[np.int64]:
        """Return the terms that share the longest ending with a word that enough of them share; none if none does."""
        backwards = word[::-1]
        for length in LENGTHS if _is_usual(word) else ():
            if len(word) - length >= SHORTEST_STEM:
                ending = backwards[:length]
                first, last = (bisect_left(self._reversed, each) for each in (ending, ending + AFTER_ALL))
                if last - first >= ENOUGH_WORDS:
                    return np.array(self._terms[first:last], np.int64)
        return np.empty(0, np.int64)


def _is_usual(word: str) -> bool:
    return word.isalpha() and word.islower()
