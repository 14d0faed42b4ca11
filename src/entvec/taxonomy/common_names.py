"""What words have in common: the name of a list, and lists that have a name each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.runtime import in_threads
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import Rows, directions, known_words
from entvec.theory.elementwise import known, log_known

Floats = NDArray[np.floating[Any]]

NEAR = 2.0
"""What nearness to the middle of the list counts, in standard deviations of the scores of all words."""
SHORT_LIST = 256
"""How many candidates are looked at word by word."""
WORDS_AT_ONCE = 1 << 13
ROUNDS = 100
STARTS = 8


class Name(NamedTuple):
    """A concept that words have in common."""

    word: str
    order: float
    """What it is ordered by."""
    probability: float | None
    """The mean of the probabilities that the words entail it; None in a space that is not calibrated."""
    entailed_by: int | None
    """How many of the words more probably than not entail it."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some of the words, and the names of what they have in common, the best first."""

    words: tuple[str, ...]
    names: tuple[Name, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {"words": list(self.words), "names": [name._asdict() for name in self.names]}


def common(
    words: Sequence[str],
    space: EntailmentSpace,
    k: int = 10,
    *,
    share: float = 1.0,
    among: Sequence[str] | None = None,
    group: bool = False,
) -> Group:
    """The least general concepts that all of the words entail: what a list of them is called.

    Each word's score for a concept less what general concepts lose, in the mean over the words, and how near the
    concept is to the middle of their vectors. With a `share` below 1 only so many of the words must entail it, those
    that do so best: the others may be something else. `among` are concepts to choose from, instead of the vocabulary;
    `group` lists one form of each.

    >>> from entvec.bundled import default_space
    >>> [name.word for name in common(["apple", "banana", "cherry"], default_space(), k=2, group=True).names]
    ['fruit', 'berry']
    """
    if not 0 < share <= 1:
        raise InvalidInput(f"share is {share}, expected more than 0, and 1 for all of the words")
    if k < 1:
        raise InvalidInput(f"k is {k}, expected at least 1")
    if not space.model.indexable:
        raise InvalidInput(f"{space.operator} is no inner product here, expected a space whose words can be ranked")
    names, rows = known_words(space, words)
    candidates = np.arange(len(space)) if among is None else np.unique(space.vectors.rows_of_all(list(among)))
    candidates = np.setdiff1d(candidates, rows)
    vectors = space.vectors.take(rows).matrix.astype(np.float32)
    queries = space.queries("hypo", vectors).astype(np.float32)
    scores, nearness = _all(space, candidates, queries.mean(axis=0), directions(vectors).mean(axis=0))
    weight = NEAR * float(scores.std()) if len(scores) else 0.0
    order = scores + weight * nearness
    best = np.argsort(-order, kind="stable")[: max(SHORT_LIST, 4 * k)]  # several forms may become one name
    each = queries @ space.prepared("hyper").keys.decoded(candidates[best]).T
    if share < 1:
        entailing = max(1, round(share * len(names)))
        each = -np.sort(-each, axis=0)
        order = each[:entailing].mean(axis=0) + weight * nearness[best]
        again = np.argsort(-order, kind="stable")
        best, each, order = best[again], each[:, again], order[again]
    else:
        order = order[best]
    return Group(tuple(names), tuple(_names(space, candidates[best], each, order, names, k, group=group)))


def _all(space: EntailmentSpace, rows: Rows, query: Floats, middle: Floats) -> tuple[Floats, Floats]:
    """The scores of the vocabulary for one query, and how near each word is to the middle, some words at a time."""
    scores, nearness = np.empty(len(rows)), np.empty(len(rows))
    keys = space.prepared("hyper").keys
    middle = directions(middle)

    def fill(first: int) -> None:
        some = rows[first : first + WORDS_AT_ONCE]
        scores[first : first + WORDS_AT_ONCE] = keys.decoded(some) @ query
        there = directions(space.vectors.take(some).matrix.astype(np.float32))
        nearness[first : first + WORDS_AT_ONCE] = there @ middle

    in_threads(fill, range(0, len(rows), WORDS_AT_ONCE))
    return scores, nearness


def _names(
    space: EntailmentSpace, rows: Rows, each: Floats, order: Floats, words: list[str], k: int, *, group: bool
) -> list[Name]:
    forms = {form(space.vectors.words[space.vectors.row(word)]) for word in words}
    hubness = space.specificity.hypernyms * space.prepared("hyper").hubness(rows)
    found: list[Name] = []
    for i, row in enumerate(rows.tolist()):
        word = space.vectors.words[row]
        if group and form(word) in forms:
            continue
        forms.add(form(word))
        probability = entailed_by = None
        if space.calibration is not None:
            log_odds = space.calibration.scale * (each[:, i] + hubness[i]) + space.calibration.intercept
            probability, entailed_by = float(known(log_odds.astype(np.float64)).mean()), int((log_odds > 0).sum())
        found.append(Name(word, float(order[i]), probability, entailed_by))
        if len(found) == k:
            break
    return found


def abstractions(
    words: Sequence[str], space: EntailmentSpace, n: int, *, k: int = 3, among: Sequence[str] | None = None
) -> list[Group]:
    """The words in n groups, each with the names of what its words jointly entail; the largest group first.

    The centre of a group is what its members jointly know: the log-odds of the product of their probabilities, by
    forward inference, with the root of their number taken so that large groups know no less. A word belongs to the
    centre that it entails best, less how readily all words entail that centre.

    >>> from entvec.bundled import default_space
    >>> words = ["dog", "cat", "horse", "car", "truck", "bus"]
    >>> [group.words for group in abstractions(words, default_space(), 2)]
    [('dog', 'cat', 'horse'), ('car', 'truck', 'bus')]
    """
    names, rows = known_words(space, words)
    if not 1 <= n <= len(names):
        raise InvalidInput(f"n is {n}, expected 1 to {len(names)}, the number of words that have a vector")
    vectors = space.vectors.take(rows).matrix.astype(np.float64)
    label = _cluster(space, vectors, n)
    members = [np.flatnonzero(label == group) for group in range(n)]
    members = sorted((each for each in members if len(each)), key=lambda each: (-len(each), each[0]))
    return [common([names[i] for i in each], space, k, among=among, group=True) for each in members]


def _cluster(space: EntailmentSpace, vectors: Floats, n: int) -> NDArray[np.intp]:
    """The number of the group of each vector: the best of several starts, by how well all entail their centres."""
    query, key = space.model.operator.query, space.model.operator.key
    if query is None or key is None:
        raise InvalidInput(f"{space.operator} is no inner product, expected an operator that is, such as backward")
    rng = np.random.default_rng(0)
    log_odds = space.model.log_odds("hypo", vectors)
    queries, logs, near = query(log_odds), log_known(log_odds), directions(vectors)
    best, best_label = -np.inf, np.zeros(len(vectors), dtype=np.intp)
    for start in range(STARTS):
        first = int((near @ near.sum(axis=0)).argmax()) if start == 0 else int(rng.integers(len(near)))
        label = (near @ near[_spread(near, n, first)].T).argmax(axis=1)
        for _ in range(ROUNDS):
            scores = queries @ key(_centres(logs, label, n)).T
            scores -= scores.mean(axis=0)
            scores[:, np.bincount(label, minlength=n) == 0] = -np.inf
            new = scores.argmax(axis=1)
            if (new == label).all():
                break
            label = new
        total = float(scores.max(axis=1).sum())
        if total > best:
            best, best_label = total, label
    return best_label


def _spread(near: Floats, n: int, first: int) -> list[int]:
    """Directions that are little alike: always the one that is farthest from those before."""
    chosen = [first]
    nearest = near @ near[first]
    while len(chosen) < n:
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, near @ near[chosen[-1]])
    return chosen


def _centres(logs: Floats, label: NDArray[np.intp], n: int) -> Floats:
    """The log-odds of the root of the product of what the members of each group know; 0 for a group without any."""
    centres = np.zeros((n, logs.shape[1]))
    for group in np.unique(label):
        mean = logs[label == group].mean(axis=0)  # the logarithm of the product's root
        centres[group] = mean - np.log(-np.expm1(np.minimum(mean, -1e-12)))
    return centres
