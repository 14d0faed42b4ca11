"""Which term of the knowledge is in which row of a vocabulary."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from entvec.array_types import Ints
from entvec.vectors.vectors import Vectors
from entvec.vectors.vocabulary import Vocabulary
from entvec.vectors.words import Words


class TermRows:
    """Finds the rows of terms and the terms of rows; a word stands for a term only if it is spelled like it.

    >>> from entvec.bundled import google_news
    >>> found = TermRows(google_news(), Words.of(["dog", "hoodie"]))
    >>> found.rows >= 0, found.terms[found.rows[:1]].tolist()
    (array([ True, False]), [0])

    Parameters
    ----------
    vocabulary
        The words that have vectors.
    terms
        The terms of a Knowledge.
    """

    def __init__(self, vocabulary: Vocabulary, terms: Words) -> None:
        self._vocabulary, self._terms = vocabulary, terms

    @cached_property
    def rows(self) -> Ints:
        """The row of each term; -1 if it has no vector."""
        if isinstance(self._vocabulary, Vectors):
            return np.asarray(self._vocabulary.words.rows(self._terms), np.int64)
        found = np.asarray(self._vocabulary.rows(list(self._terms)), np.int64)
        there = np.flatnonzero(found >= 0)
        words = self._vocabulary.words_at(found[there])
        for term, row in zip(there.tolist(), found[there].tolist(), strict=True):
            if words[row] != self._terms[term]:  # a database finds words in another case, too
                found[term] = -1
        return found

    @cached_property
    def terms(self) -> Ints:
        """The term in each row; -1 for a word that is no term."""
        found = np.full(len(self._vocabulary), -1)
        there = np.flatnonzero(self.rows >= 0)
        found[self.rows[there]] = there
        return found
