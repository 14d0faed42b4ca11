"""Pairs to learn from without a taxonomy: what texts say, as weak labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from entvec.array_types import Ints
from entvec.errors import InvalidInput
from entvec.vectors import Vectors

if TYPE_CHECKING:
    from entvec.text import TextEvidence

MOST_OF_A_HYPER = 50
"""Of more pairs with the same hyper only so many are taken: else a map learns which words texts speak of."""
KINDS = ("reversed", "sibling", "stranger")


class WeakPairs(NamedTuple):
    """Labelled pairs of words: half of them are named by texts, the others are combined from their words.

    >>> WeakPairs(("dog", "dog"), ("animal", "tree"), np.array([1, 0])).hyper
    ('animal', 'tree')

    Parameters
    ----------
    hypo, hyper
        The words of each pair.
    labels
        1 for pairs that texts name, else 0.
    """

    hypo: tuple[str, ...]
    hyper: tuple[str, ...]
    labels: Ints


def weak_pairs(text: TextEvidence, vectors: Vectors, *, seed: int = 0) -> WeakPairs:
    """Return the pairs that texts name more than their reverse as entailments, and as many others.

    The others are pairs reversed, two narrower terms of the same broader one, and a narrower term with the broader term
    of another pair: words are on the same sides, so no single word decides. Some of these are entailments that no text
    has named, and some of what is named is wrong: the labels are weak. Pairs with a word that has no vector are left
    out.

    >>> from entvec.bundled import google_news, wordnet_knowledge
    >>> from entvec.text import TextEvidence, extract
    >>> text = "Guitars, lutes and other instruments. Dogs and other animals. Cats and other animals."
    >>> found = weak_pairs(TextEvidence.of(extract(text, wordnet_knowledge())), google_news())
    >>> list(zip(found.hypo, found.hyper))[:3], int(found.labels.sum())
    ([('cat', 'animal'), ('dog', 'animal'), ('guitar', 'instrument')], 4)

    Parameters
    ----------
    text
        What `entvec extract` has counted.
    vectors
        The words that can be learned from.
    seed
        The seed of the random numbers.
    """
    words = list(text.terms)
    there = np.asarray(vectors.rows(words)) >= 0
    n = len(words)
    kept = there[text.hypo] & there[text.hyper] & (text.hypo != text.hyper)
    codes, at = np.unique(text.hypo[kept] * n + text.hyper[kept], return_inverse=True)
    said = np.bincount(at, text.documents[kept], minlength=len(codes))
    place = np.minimum(np.searchsorted(codes, codes % n * n + codes // n), max(len(codes) - 1, 0))
    back = np.where(codes[place] == codes % n * n + codes // n, said[place], 0) if len(codes) else said
    rng = np.random.default_rng(seed)
    found = _at_most_of_each(codes[said > back], n, rng)
    if not len(found):
        raise InvalidInput("the evidence names no pair whose two words have vectors, expected some to learn from")
    hypo, hyper = found // n, found % n
    order = np.argsort(hyper, kind="stable")
    next_ = np.empty(len(found), np.int64)
    next_[order] = np.roll(order, 1)
    others = {
        "reversed": hyper * n + hypo,
        "sibling": np.where(hyper[next_] == hyper, hypo * n + hypo[next_], -1),
        "stranger": hypo * n + hyper[rng.permutation(len(found))],
    }
    drawn: list[Ints] = []
    for kind in KINDS:
        free = others[kind]
        free = free[(free >= 0) & (free // n != free % n) & ~np.isin(free, codes)]
        drawn.append(rng.permutation(np.setdiff1d(free, np.concatenate([codes[:0], *drawn])))[: -(-len(found) // 3)])
    pairs = np.concatenate([found, *drawn])
    labels = np.concatenate([np.ones(len(found), np.int64), np.zeros(len(pairs) - len(found), np.int64)])
    hypos, hypers = (tuple(words[row] for row in side.tolist()) for side in (pairs // n, pairs % n))
    return WeakPairs(hypos, hypers, labels)


def _at_most_of_each(codes: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Return the pairs without those of a hyper beyond MOST_OF_A_HYPER, chosen at random, in their order."""
    mixed = rng.permutation(codes)
    order = np.argsort(mixed % n, kind="stable")
    starts = np.searchsorted((mixed % n)[order], mixed % n)
    rank = np.empty(len(codes), np.int64)
    rank[order] = np.arange(len(codes))
    return np.sort(mixed[rank - starts < MOST_OF_A_HYPER])
