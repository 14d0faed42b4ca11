"""How often the lowest common hypernym of a list of three to eight nouns is found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from entvec.bundled import isa
from entvec.evaluate.metrics import rank_measures
from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.evaluate.taxonomy.placement import LEAST_DEPTH
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.evaluate.taxonomy.wordnet_trees import Tree, words_of
from entvec.space import EntailmentSpace
from entvec.taxonomy import common
from entvec.taxonomy.evidence import directions

STUDY = "common"
FEWEST, MOST = 3, 8
LARGEST = 60
"""Concepts with more hyponyms among the words are too general to be a name."""
LISTED = 1000
"""The number of names among which the right one is looked for."""
HITS = (1, 5)


@dataclass(frozen=True)
class Listed:
    """Some hyponyms of a concept, and the names of the lowest concept that has them all."""

    words: tuple[str, ...]
    right: frozenset[str]


def lists(words: Collection[str], seed: int = 0) -> list[Listed]:
    """Return random lists of these words, one for each concept that has enough hyponyms among them.

    >>> found = lists(["apple", "banana", "cherry", "cancer", "diabetes", "flu"])
    >>> [(sorted(each.words), sorted(each.right)) for each in found if "flu" in each.words]
    [(['cancer', 'diabetes', 'flu'], ['disease'])]
    """
    rng = np.random.default_rng(seed)
    table = isa()
    near = table.select("is-a", max_hypo_sense=1, min_depth=LEAST_DEPTH)
    asked = {table.words.index(word) for word in words if word in table.words and word.islower()}
    above: dict[int, dict[int, int]] = {}
    below: dict[int, set[int]] = {}
    for hypo, hyper, distance in zip(near.hypo.tolist(), near.hyper.tolist(), near.distance.tolist(), strict=True):
        if hypo in asked:
            below.setdefault(hyper, set()).add(hypo)
            steps = above.setdefault(hypo, {})
            steps[hyper] = min(distance, steps.get(hyper, distance))
    concepts = sorted(concept for concept, members in below.items() if FEWEST <= len(members) <= LARGEST)
    found: dict[tuple[int, ...], Listed] = {}
    for concept in rng.permutation(concepts).tolist():
        size = min(int(rng.integers(FEWEST, MOST + 1)), len(below[concept]))
        members = tuple(sorted(rng.choice(sorted(below[concept]), size=size, replace=False).tolist()))
        shared = set.intersection(*(set(above[member]) for member in members)) - set(members)
        steps = {hyper: sum(above[member][hyper] for member in members) for hyper in shared}
        if steps and members not in found:
            lowest = min(steps.values())
            right = frozenset(table.words[hyper] for hyper, n in steps.items() if n == lowest)
            found[members] = Listed(tuple(table.words[member] for member in members), right)
    return list(found.values())


def evaluate(space: EntailmentSpace, trees: Sequence[Tree]) -> list[StudyResult]:
    """Return a row for `entvec.taxonomy.common`, and one for the nouns nearest to the average of the words."""
    return of_lists(space, lists(words_of(trees)))


def of_lists(space: EntailmentSpace, asked: Sequence[Listed]) -> list[StudyResult]:
    """Return the rows of `evaluate` for these lists."""
    nouns = Nouns(space)
    asked = [each for each in asked if nouns.vocabulary.issuperset(each.words) and not each.right.isdisjoint(nouns.at)]
    near = directions(nouns.vectors(nouns.words))
    ours, averaged = [], []
    for each in asked:
        names = [name.word for name in common(each.words, space, LISTED, among=nouns.words).names]
        ranks = [names.index(word) + 1 for word in each.right if word in names]
        ours.append(min(ranks, default=len(nouns.words)))
        middle = directions(nouns.vectors(each.words)).mean(axis=0)
        averaged.append(nouns.rank(near @ middle, each.right, each.words))
    return [
        StudyResult.of_means(STUDY, name, rank_measures(np.array(ranks, dtype=np.float64), HITS), baseline=baseline)
        for name, ranks, baseline in (("common", ours, False), ("nearest to the average", averaged, True))
    ]
