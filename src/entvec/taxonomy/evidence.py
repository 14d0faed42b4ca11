"""The evidence of a space for each pair of a list of words: log-odds, which add.

A calibrated space gives the log-odds that one word entails another. A list of words adds two more sources: the
*standing* of the hyper, which is how much more readily the others entail it than it entails them, and the cosine of
the two vectors. The evidence is their weighted sum, plus the prior that each of n words is equally likely the hyper:

    evidence(y, x) = PAIR log-odds(y, x) + STANDING standing(x) + NEAR cosine(y, x) + CONSTANT - log n

The weights were fitted by `tools/fit_evidence.py`, as a logistic regression, to the trees of
`entvec.evaluate.taxonomy.wordnet_trees.TUNING`, which are never measured on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import EntvecWarning, InvalidInput, Remedy
from entvec.graphs.annotations import SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import word_list
from entvec.model import Model
from entvec.pairs.scorer import Scorer
from entvec.search.local import LocalBackend
from entvec.space import EntailmentSpace

PAIR, STANDING, NEAR, CONSTANT = 0.95, 0.7, 2.7, -0.6
LOW = 0.6 * STANDING
"""The share of its standing that a word loses as a parent, besides the generality that rankings take off."""
FEWEST = 20
"""Shorter lists have the prior of a list of this length, the shortest that the weights were fitted to."""


class UnknownWords(EntvecWarning):
    """Some words have no vector and were ignored."""


def asked_words(space: EntailmentSpace, words: Iterable[str]) -> list[str]:
    """Return each word once; raise InvalidInput if some are no names, if there are none, or if there is no space."""
    if not isinstance(space, EntailmentSpace):
        raise InvalidInput(f"space is {space!r:.40}, expected an EntailmentSpace, such as entvec.load() gives")
    asked = list(dict.fromkeys(word_list(words)))
    odd = next((word for word in asked if not word.strip()), None)
    if odd is not None:
        raise InvalidInput(f"{odd!r:.40} is among the words, expected names that are not empty")
    if not asked:
        raise InvalidInput("no words, expected at least one")
    return asked


def reading(space: EntailmentSpace, words: Iterable[str]) -> EntailmentSpace:
    """Return the space with those words that it lacks and can read; a space in a database stays as it is.

    >>> from entvec.space.default import default_space
    >>> space = default_space()
    >>> "garden gnome" in space, "garden gnome" in reading(space, ["garden gnome", "€€€"])
    (False, True)
    """
    if not isinstance(space, EntailmentSpace) or not space.reads or not isinstance(space.backend, LocalBackend):
        return space
    asked = [word for word in dict.fromkeys(words) if word.strip()]
    lacking = [word for word, row in zip(asked, space.vocabulary.rows(asked).tolist(), strict=True) if row < 0]
    new = [word for word, by in zip(lacking, space.read_by(lacking), strict=True) if by != "nothing"]
    return space.with_terms(new) if new else space


UNREAD = "nothing is known of it: it is neither in the vocabulary nor among what the space knows"


def why_unread(space: EntailmentSpace, word: str) -> str:
    """Return why nothing is said of a word, and which words are spelled like it.

    >>> from entvec.space.default import default_space
    >>> why_unread(default_space(), "qqqqqzz")
    'nothing is known of it: it is neither in the vocabulary nor among what the space knows'
    """
    like = space.vocabulary.not_found([word]).suggestions
    return UNREAD + (f"; did you mean {', '.join(map(repr, like))}?" if like else "")


def known_words(space: EntailmentSpace, words: Sequence[str]) -> tuple[list[str], Rows]:
    """Return the words that have a vector, one for each vector, and their rows; warn about the others.

    >>> from entvec.space.default import default_space
    >>> known_words(default_space(), ["dog", "ice cream", "Dog", "ice_cream"])[0]
    ['dog', 'ice cream']
    """
    asked = asked_words(space, words)
    rows = space.vocabulary.rows(asked)
    unknown = [asked[i] for i in np.flatnonzero(rows < 0).tolist()]
    if len(unknown) == len(asked):
        raise space.vocabulary.not_found(unknown)
    if unknown:
        shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        warnings.warn(f"{len(unknown)} of {len(asked)} words have no vector: {shown}", UnknownWords, stacklevel=3)
    _, first = np.unique(rows, return_index=True)
    kept = np.sort(first[rows[first] >= 0])
    return [asked[i] for i in kept.tolist()], rows[kept]


def rows_of_terms(taxonomy: Taxonomy, space: EntailmentSpace) -> Rows:
    """Return the row of each term, found by its label or else by a synonym; -1 if it has no vector."""
    rows = space.vocabulary.rows([taxonomy.labels.get(term, term) for term in taxonomy.terms])
    for i in np.flatnonzero(rows < 0).tolist():
        synonyms = taxonomy.about.get(taxonomy.terms[i], {}).get(SYNONYM, ())
        rows[i] = next((space.vocabulary.row(name) for name in synonyms if name in space), -1)
    return rows


def scores_by_operator(model: Model, hypo: AnyFloats, hyper: AnyFloats) -> AnyFloats:
    """Return the scores of all pairs of vectors, a row for each hypo, without query and key maps.

    For models whose score is no inner product: weighted_cosine, and factorised beyond the range of its maps.

    >>> from entvec.theory import OPERATORS
    >>> scores_by_operator(Model(OPERATORS["dot"], "log_odds"), np.eye(2), np.array([[3.0, 4.0]])).tolist()
    [[3.0], [4.0]]

    Parameters
    ----------
    model
        The model of a space.
    hypo, hyper
        Vectors, as the vocabulary of the space has them.
    """
    x = model.log_odds("hyper", hyper)
    scores = [np.asarray(model.operator.score(y[None], x)) for y in model.log_odds("hypo", hypo)]
    offsets = model.offset("hypo", hypo)[:, None] + model.offset("hyper", hyper)
    return np.asarray(np.reshape(scores, offsets.shape) + offsets)


def log_odds_of(probability: float) -> float:
    """Return the log-odds of a probability.

    >>> log_odds_of(0.5), log_odds_of(0.0)
    (0.0, -inf)
    """
    with np.errstate(divide="ignore"):
        return float(np.log(probability) - np.log1p(-probability))


class Among:
    """The words of a list, and the evidence for each pair of them.

    Parameters
    ----------
    space
        A calibrated space.
    rows
        The rows of the words in its vocabulary.
    n_counted
        Standing is measured among the first words of the list, this many of them; by default among all.
    block
        The number of words that are mapped or compared at once, so that temporary arrays stay small.
    """

    def __init__(self, space: EntailmentSpace, rows: Rows, n_counted: int | None = None, block: int = 512) -> None:
        if space.calibration is None:
            raise InvalidInput(
                "this space has no probabilities, expected a calibrated one, since evidence is added as log-odds",
                remedy=Remedy.CALIBRATE,
            )
        self.space, self.rows = space, rows
        self.n_counted = len(rows) if n_counted is None else n_counted
        self.calibration = space.calibration
        self.block = block

    def __len__(self) -> int:
        return len(self.rows)

    # Pairs, by indices into the list

    def pairs(self, hypo: Rows, hyper: Rows) -> AnyFloats:
        """Return the evidence for some pairs."""
        return self.total(self.log_odds(hypo, hyper), self.standing[hyper], self.nearness(hypo, hyper))

    def log_odds(self, hypo: Rows, hyper: Rows) -> AnyFloats:
        """Return the log-odds of the space that each hypo entails its hyper."""
        return np.asarray(self.calibration.log_odds(self._scorer.score(self.rows[hypo], self.rows[hyper])))

    def nearness(self, hypo: Rows, hyper: Rows) -> AnyFloats:
        """Return the cosines of the vectors of some pairs."""
        found = np.empty(len(hypo))
        step = 32 * self.block
        for first in range(0, len(hypo), step):
            some = slice(first, first + step)
            found[some] = np.vecdot(self._directions(hypo[some]), self._directions(hyper[some]))
        return found

    @cached_property
    def standing(self) -> AnyFloats:
        """How much more readily the others entail each word than it entails them, in mean log-odds."""
        n = self.n_counted
        if not len(self):
            return np.empty(0)
        if self.space.model.indexable:
            hypo = sum(self._mapped("hypo", block).sum(axis=0) for block in self._blocks(n)) / max(1, n)
            hyper = sum(self._mapped("hyper", block).sum(axis=0) for block in self._blocks(n)) / max(1, n)
            net = [self._mapped("hyper", b) @ hypo - self._mapped("hypo", b) @ hyper for b in self._blocks()]
        else:
            above, below = np.zeros(len(self)), np.zeros(len(self))
            for block, scores in self._scores():
                above += scores[block < n].sum(axis=0) / max(1, n)
                below[block] = scores[:, :n].sum(axis=1) / max(1, n)
            net = [above - below]
        found = self.calibration.scale * np.concatenate(net)
        found[:n] *= n / max(1, n - 1)  # a word is even with itself, so the mean over the others is larger
        return np.asarray(found)

    @cached_property
    def generality(self) -> AnyFloats:
        """The log-odds that a ranking of hypernyms takes off each word."""
        hubness = self.space.hubness
        found = [hubness.of("hyper", self._vectors(block)) for block in self._blocks()]
        return np.asarray(self.calibration.scale * self.space.specificity.hypernyms * np.concatenate(found))

    # All pairs

    def matrix(self) -> Iterator[tuple[Rows, AnyFloats]]:
        """Yield indices of some words, and the evidence for them as hypos and all words as hypers, block by block."""
        if not len(self):
            return
        directions = np.concatenate([self._directions(block) for block in self._blocks()]).T
        for block, scores in self._scores():
            log_odds = self.calibration.log_odds(scores)
            yield block, self.total(log_odds, self.standing, self._directions(block) @ directions)

    def as_parents(self, evidence: AnyFloats) -> AnyFloats:
        """Return what words are ranked by as parents, given the evidence that they are hypers.

        A word also entails everything above its parent, so specific words rank higher.
        """
        return np.asarray(evidence - PAIR * self.generality - LOW * self.standing)

    def total(self, log_odds: AnyFloats, standing: AnyFloats, nearness: AnyFloats) -> AnyFloats:
        """Return the weighted sum of the three sources and the prior."""
        prior = CONSTANT - np.log(max(FEWEST, self.n_counted))
        return np.asarray(PAIR * log_odds + STANDING * standing + NEAR * nearness + prior)

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self.space.model, self.space.vocabulary)

    def _blocks(self, n: int | None = None) -> Iterator[Rows]:
        """Yield the indices of the first n words, or of all, block by block."""
        n = len(self) if n is None else n
        for first in range(0, n, self.block):
            yield np.arange(first, min(first + self.block, n))

    def _scores(self) -> Iterator[tuple[Rows, AnyFloats]]:
        """Yield indices of some words, and their scores as hypos with all words as hypers, block by block."""
        if self.space.model.indexable:
            keys = np.concatenate([self._mapped("hyper", block) for block in self._blocks()]).T
            yield from ((block, self._mapped("hypo", block) @ keys) for block in self._blocks())
        else:
            everything = self._vectors(np.arange(len(self)))
            for block in self._blocks():
                yield block, scores_by_operator(self.space.model, self._vectors(block), everything)

    def _vectors(self, places: Rows) -> AnyFloats:
        return self.space.vocabulary.take(self.rows[places]).matrix.astype(np.float32)

    def _mapped(self, side: Any, places: Rows) -> AnyFloats:
        return np.asarray(self.space.model.mapped(side, self._vectors(places)))

    def _directions(self, places: Rows) -> AnyFloats:
        return directions(self._vectors(places))


def directions(vectors: AnyFloats) -> AnyFloats:
    """Return the vectors at length 1; zero vectors stay as they are."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
