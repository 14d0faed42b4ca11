"""What a space says of the words of a taxonomy: log-odds, which add.

The calibrated space gives each pair log-odds of an entailment. That is one witness. A list of words gives two more: how
readily the others entail the hyper and how little it entails them, its *standing* among them; and how near the two
vectors are. Their weighted sum, and the prior that one of n words is as good a hyper as another, are the evidence:

    evidence(y, x) = PAIR log-odds(y, x) + STANDING standing(x) + NEAR cosine(y, x) + CONSTANT - log n

The weights were fitted by `tools/fit_evidence.py`, as a logistic regression, to the trees of
`entvec.evaluate.taxonomy.trees.TUNING`, which are never measured on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.graphs.annotations import SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.pairs.scorer import Scorer
from entvec.space import EntailmentSpace

Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]

PAIR, STANDING, NEAR, CONSTANT = 0.95, 0.7, 2.7, -0.6
LOW = 0.6 * STANDING
"""How much of its standing a word loses as a parent, beside the generality that it loses in every ranking."""
FEWEST = 20
"""Shorter lists have the prior of lists of so many words, the shortest that the weights were fitted to."""
WORDS_AT_ONCE = 512
PAIRS_AT_ONCE = 1 << 14


class UnknownWords(UserWarning):
    """Some words have no vector, and were left out."""


def known_words(space: EntailmentSpace, words: Sequence[str]) -> tuple[list[str], Rows]:
    """The words that have a vector, one for each vector, and where it is; those that have none are warned of.

    >>> from entvec.bundled import default_space
    >>> known_words(default_space(), ["dog", "ice cream", "Dog", "ice_cream"])[0]
    ['dog', 'ice cream']
    """
    if not isinstance(space, EntailmentSpace):
        raise InvalidInput(f"space is {space!r:.40}, expected an EntailmentSpace, such as entvec.load() gives")
    if isinstance(words, str):
        raise InvalidInput(f"words is the text {words!r:.40}, expected a list of words")
    asked = list(dict.fromkeys(words))
    odd = next((word for word in asked if not isinstance(word, str) or not word.strip()), None)
    if odd is not None:
        raise InvalidInput(f"{odd!r:.40} is among the words, expected names that are not empty")
    if not asked:
        raise InvalidInput("no words, expected at least one")
    rows = space.vectors.rows(asked)
    unknown = [asked[i] for i in np.flatnonzero(rows < 0).tolist()]
    if len(unknown) == len(asked):
        space.vectors.row(unknown[0])  # raises, and says what is spelled like it
    if unknown:
        shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        warnings.warn(f"{len(unknown)} of {len(asked)} words have no vector: {shown}", UnknownWords, stacklevel=3)
    _, first = np.unique(rows, return_index=True)
    kept = np.sort(first[rows[first] >= 0])
    return [asked[i] for i in kept.tolist()], rows[kept]


def rows_of_terms(taxonomy: Taxonomy, space: EntailmentSpace) -> Rows:
    """Where each term of a taxonomy is among the vectors, by its label or else by a synonym; -1 if it is not there."""
    rows = space.vectors.rows([taxonomy.labels.get(term, term) for term in taxonomy.terms])
    for i in np.flatnonzero(rows < 0).tolist():
        synonyms = taxonomy.about.get(taxonomy.terms[i], {}).get(SYNONYM, ())
        rows[i] = next((space.vectors.row(name) for name in synonyms if name in space), -1)
    return rows


class Among:
    """Words of a list, and the evidence for each pair of them.

    `n_counted`: the first so many are the list that standing is measured in; the others are only compared with it.
    """

    def __init__(self, space: EntailmentSpace, rows: Rows, n_counted: int | None = None) -> None:
        if space.calibration is None or not space.model.indexable:
            raise InvalidInput(
                "this space has no probabilities, expected a calibrated one, since evidence is added as log-odds; "
                "`space.calibrated(hypo, hyper, labels)` fits them to labelled pairs"
            )
        self.space, self.rows = space, rows
        self.n_counted = len(rows) if n_counted is None else n_counted
        self.calibration = space.calibration

    def __len__(self) -> int:
        return len(self.rows)

    # Pairs of the list, by places in it

    def pairs(self, hypo: Rows, hyper: Rows) -> Floats:
        """The evidence for some pairs."""
        return self.total(self.log_odds(hypo, hyper), self.standing[hyper], self.nearness(hypo, hyper))

    def log_odds(self, hypo: Rows, hyper: Rows) -> Floats:
        """What the space says of some pairs: the log-odds that the first entails the second."""
        scores = self._scorer.score(self.rows[hypo], self.rows[hyper])
        return self.calibration.scale * scores + self.calibration.intercept

    def nearness(self, hypo: Rows, hyper: Rows) -> Floats:
        """The cosines of the vectors of some pairs."""
        found = np.empty(len(hypo))
        for first in range(0, len(hypo), PAIRS_AT_ONCE):
            some = slice(first, first + PAIRS_AT_ONCE)
            found[some] = np.vecdot(self._directions(hypo[some]), self._directions(hyper[some]))
        return found

    @cached_property
    def standing(self) -> Floats:
        """For each word: how much more readily the others entail it than it entails them, in mean log-odds."""
        n = self.n_counted
        hypo = sum(self._mapped("hypo", block).sum(axis=0) for block in self._blocks(n)) / max(1, n)
        hyper = sum(self._mapped("hyper", block).sum(axis=0) for block in self._blocks(n)) / max(1, n)
        net = [self._mapped("hyper", b) @ hypo - self._mapped("hypo", b) @ hyper for b in self._blocks()]
        found = self.calibration.scale * np.concatenate(net)
        found[:n] *= n / max(1, n - 1)  # with itself a word is even, so the mean over the others is larger
        return np.asarray(found)

    @cached_property
    def generality(self) -> Floats:
        """What each word loses in a ranking of hypernyms, in log-odds."""
        found = [self.space.hubness("hyper", self._vectors(block)) for block in self._blocks()]
        return np.asarray(self.calibration.scale * self.space.specificity.hypernyms * np.concatenate(found))

    # All pairs of the list

    def matrix(self) -> Iterator[tuple[Rows, Floats]]:
        """Block by block, the places of some words and the evidence for them as hypos and all words as hypers."""
        keys = np.concatenate([self._mapped("hyper", block) for block in self._blocks()]).T
        directions = np.concatenate([self._directions(block) for block in self._blocks()]).T
        for block in self._blocks():
            log_odds = self.calibration.scale * (self._mapped("hypo", block) @ keys) + self.calibration.intercept
            yield block, self.total(log_odds, self.standing, self._directions(block) @ directions)

    def as_parents(self, evidence: Floats) -> Floats:
        """What all words are ranked by as parents, given the evidence that they are hypers.

        A word entails whatever is above its parent, too: what makes a parent is to be specific.
        """
        return np.asarray(evidence - PAIR * self.generality - LOW * self.standing)

    def total(self, log_odds: Floats, standing: Floats, nearness: Floats) -> Floats:
        """The evidence that these witnesses are."""
        prior = CONSTANT - np.log(max(FEWEST, self.n_counted))
        return np.asarray(PAIR * log_odds + STANDING * standing + NEAR * nearness + prior)

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self.space)

    def _blocks(self, n: int | None = None) -> Iterator[Rows]:
        """The places of the first n words, or of all, some at a time."""
        n = len(self) if n is None else n
        for first in range(0, n, WORDS_AT_ONCE):
            yield np.arange(first, min(first + WORDS_AT_ONCE, n))

    def _vectors(self, places: Rows) -> Floats:
        return self.space.vectors.take(self.rows[places]).matrix.astype(np.float32)

    def _mapped(self, side: Any, places: Rows) -> Floats:
        return np.asarray(self.space.model.mapped(side, self._vectors(places)))

    def _directions(self, places: Rows) -> Floats:
        return directions(self._vectors(places))


def directions(vectors: Floats) -> Floats:
    """The vectors at length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
