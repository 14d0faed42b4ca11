"""Known pairs that are like another pair: words used like the first, and what they are to words like the second."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from entvec.evidence.judge import Judge
from entvec.evidence.reasons import path_in_words, spoken
from entvec.knowledge.people import is_offensive, is_people
from entvec.vectors import forms

NEAR_FIRST, NEAR_SECOND = 12, 5
"""How many words like the first and like the second are tried."""
FARTHEST = 3
"""A known pair is told if so few steps lead from one to the other."""


Near = tuple[str, float]
"""A known word, and how near it is: 1 for the nearest one."""


class Analogous(NamedTuple):
    """A pair of which the relation is known."""

    first: str
    second: str
    reason: str
    """The fact."""


def analogous(judge: Judge, first: str, second: str, relation: str, k: int = 4) -> tuple[Analogous, ...]:
    """Return known pairs that are to each other what two words seem to be, the most similar ones first.

    >>> from entvec.space import default_space
    >>> judge = default_space().judge
    >>> for found in analogous(judge, "poodle", "dog", "narrower", 2):
    ...     print(found.reason)
    puppy -> dog (WordNet 3.0)
    pooch -> dog (WordNet 3.0)

    Parameters
    ----------
    judge
        What weighs the evidence.
    first, second
        The words.
    relation
        One of RELATIONS; for "other" there are none, since silence is no fact.
    k
        How many pairs to return, at most; each word is in one of them.
    """
    if relation == "other":
        return ()
    if _alike(first, second):
        return ()
    near = _like(judge, first, NEAR_FIRST)
    found = _known(judge, near, [(second, 1.0)], (first, second), relation)
    if len(found) < k:
        found += _known(judge, near, _like(judge, second, NEAR_SECOND), (first, second), relation)
    return tuple(_distinct(found, k))


def _known(
    judge: Judge, firsts: list[Near], seconds: list[Near], asked: tuple[str, str], relation: str
) -> list[tuple[float, Analogous]]:
    """Return the pairs of which the relation is known, with what they are worth."""
    found = []
    for (one, nearness), (other, likeness) in product(firsts, seconds):
        if _alike(one, other) or _alike(one, asked[1]) or _alike(other, asked[0]):
            continue
        weight, fact = judge.evidence.known_of(one, other).facts.get(relation, (0.0, None))
        if fact is not None and len(fact.path) <= FARTHEST + 1:
            reason = path_in_words(judge.evidence.meanings.known, fact)
            found.append((weight * nearness * likeness, Analogous(spoken(one), spoken(other), reason)))
    return found


def _like(judge: Judge, word: str, k: int) -> list[Near]:
    """Return known words near a word with their nearness, the nearest first."""
    known, ranker = judge.evidence.meanings.known, judge.ranker
    query = ranker.query(word)
    _, terms, weights = ranker.nearest([query])
    if not len(terms) and judge.read_ranking is not None and not query.by_facts and judge.objection(word) is None:
        near = judge.read_ranking.near(word)
        terms, weights = near.terms, near.cosines.astype(np.float64)
    found = []
    for i in np.argsort(-weights, kind="stable").tolist():
        name = known.terms[int(terms[i])]
        if not (is_offensive(known, name) or is_people(known, name) or _alike(name, word)):
            found.append((name, float(weights[i] / weights.max())))
        if len(found) == k:
            break
    return found


def _alike(one: str, other: str) -> bool:
    return forms.key(one) == forms.key(other)


def _distinct(found: list[tuple[float, Analogous]], k: int) -> Iterator[Analogous]:
    """Yield the best pairs, in which each first word is once."""
    there: set[str] = set()
    for _, pair in sorted(found, key=lambda each: -each[0]):
        if pair.first not in there and len(there) < k:
            there.add(pair.first)
            yield pair
