"""How far a text looks like a term of English: its letters follow each other as those of known terms do."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.knowledge import Knowledge
from entvec.vectors import forms

LETTERS = 27
"""The letters of English, and one sign for what is between words."""
SMOOTHING = 0.5
LONGEST = 120
"""The most letters of a term."""
LEAST_LETTERS = 2
MOST_DIGITS = 1 / 3
"""A word with more digits is a code."""
SLOPE, MIDDLE = 4.0, -3.26
"""By `tools/fit_reading.py`: half of the words with this mean log-probability of letters are nonsense, if half of all
words are."""
NONSENSE = 0.05
"""The share of nonsense among what is asked."""
LEAST = 0.5
"""The least probability of a word, and the least share of probable words in a term."""


class Plausibility:
    """Says why a text is no term, if it is none.

    >>> from entvec.bundled import wordnet_knowledge
    >>> found = Plausibility(wordnet_knowledge())
    >>> found.objection("knee replacement surgery"), found.objection("kombucha")
    (None, None)
    >>> found.objection("asdfgh")
    "'asdfgh' is no word: its letters do not follow each other as in English"
    >>> found.objection("2,000"), found.objection("€€€")
    ("'2,000' has no word in it", "'€€€' has no word in it")

    Parameters
    ----------
    known
        Its terms show which letters follow each other.
    """

    def __init__(self, known: Knowledge) -> None:
        self._known = known

    @cached_property
    def _log_probabilities(self) -> NDArray[np.float32]:
        """The log-probability of each letter after two others."""
        codes = _codes(self._known.terms.text)
        triples = (codes[:-2] * LETTERS + codes[1:-1]) * LETTERS + codes[2:]
        counts = np.bincount(triples, minlength=LETTERS**3).reshape(-1, LETTERS).astype(np.float64)
        pairs = counts.reshape(LETTERS, LETTERS, LETTERS).sum(axis=0) + SMOOTHING  # letter after the one before it
        usual = pairs / pairs.sum(axis=1, keepdims=True)
        backed = np.tile(usual, (LETTERS, 1)) * LETTERS * SMOOTHING
        smoothed = (counts + backed) / (counts.sum(axis=1, keepdims=True) + LETTERS * SMOOTHING)
        return np.asarray(np.log(smoothed), np.float32)

    def likelihood(self, word: str) -> float:
        """Return the mean log-probability of the letters of a word."""
        codes = _codes(np.frombuffer(f" {word.casefold()} ".encode(), np.uint8))
        codes = np.concatenate([[0], codes])
        return float(self._log_probabilities[codes[:-2] * LETTERS + codes[1:-1], codes[2:]].mean())

    def objection(self, text: str) -> str | None:
        """Return why a text is no term; None if it may be one."""
        plain = forms.read_as(text)
        if len(plain) > LONGEST:
            return f"a text of {len(plain):,} letters is no term"
        words = [word for word in forms.one_spaced(plain).split() if sum(map(str.isalpha, word)) >= LEAST_LETTERS]
        if not words:
            return f"{text!r:.60} has no word in it"
        if sum(self.probability(word) >= LEAST for word in words) < LEAST * len(words):
            return f"{text!r:.60} is no word: its letters do not follow each other as in English"
        return None

    def probability(self, word: str) -> float:
        """Return the probability that a word is one, and no nonsense: 1 for a known word, 0 for a code."""
        if self._known.find(word) or self._known.is_flat(word):
            return 1.0
        if sum(map(str.isdigit, word)) > MOST_DIGITS * len(word):
            return 0.0
        log_odds = SLOPE * (self.likelihood(word) - MIDDLE) + math.log((1 - NONSENSE) / NONSENSE)
        return 1 / (1 + math.exp(-log_odds))


def _codes(text: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return 1 to 26 for the letters of a text, and 0 for all else."""
    lower = text | 0x20
    return np.where((lower >= ord("a")) & (lower <= ord("z")), lower - ord("a") + 1, 0).astype(np.int64)
