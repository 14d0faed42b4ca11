"""What words have in common: names for a list of words, and groups of words with names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.graphs.structure import Links
from entvec.interchange import data_frame
from entvec.model import Model
from entvec.progress import Progress
from entvec.runtime import in_threads
from entvec.search.request import Request
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.space.queries import rows_of
from entvec.taxonomy.evidence import asked_words, directions, known_words, reading, scores_by_operator, why_unread
from entvec.theory.elementwise import known, log_known

if TYPE_CHECKING:
    import pandas as pd


NEAR = 2.0
"""The weight of the cosine with the mean direction of the words, in standard deviations of all scores."""
SHORT_LIST = 256
"""The number of candidates whose scores are computed word by word."""
WORDS_AT_ONCE = 1 << 13
BLOCKS_A_REPORT = 8
"""The number of blocks of so many words after which the progress callback is called."""
SCORES_AT_ONCE = 1 << 24
"""The most scores of concepts with lists of words that are in memory at once."""
SPELLED = "another spelling of {}"
ROUNDS = 100
STARTS = 8


class Name(NamedTuple):
    """A concept that words have in common."""

    word: str
    order: float
    """The number that names are sorted by."""
    probability: float | None
    """The mean probability that the words entail it; None if the space is not calibrated."""
    entailed_by: int | None
    """The number of words that entail it with a probability above one half."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some words and the names of what they have in common, the best first."""

    words: tuple[str, ...]
    names: tuple[Name, ...]
    unplaced: Mapping[str, str] = field(default_factory=dict)
    """Words of the list that the names do not rest on, and why."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        names = [name._asdict() for name in self.names]
        return {"words": list(self.words), "names": names, "unplaced": dict(self.unplaced)}

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each name, as `entvec taxonomy common --format tsv`; this needs pandas."""
        return data_frame(
            {
                "name": [name.word for name in self.names],
                "probability": [name.probability for name in self.names],
                "entailed_by": [name.entailed_by for name in self.names],
                "words": [len(self.words)] * len(self.names),
            }
        )


def common(
    words: Sequence[str],
    space: EntailmentSpace,
    k: int = 10,
    *,
    share: float = 1.0,
    among: Sequence[str] | None = None,
    group: bool = False,
    progress: Progress | None = None,
) -> Group:
    """Return the least general concepts that all of the words entail: names for the list.

    Concepts are sorted by the mean of the words' scores, less what rankings take off general concepts, plus the cosine
    of the concept with the mean direction of the words.

    >>> from entvec.space.default import default_space
    >>> [name.word for name in common(["apple", "banana", "cherry"], default_space(), k=2, group=True).names]
    ['fruit', 'berry']

    Parameters
    ----------
    words
        The words; those of which nothing is known are `unplaced`, with a warning.
    space
        The space that scores them.
    k
        The number of names to return.
    share
        The share of the words that must entail a name, those that do so best; the others may be something else.
    among
        The concepts to choose from; by default the whole vocabulary.
    group
        Return one form of each name, fruit but not fruits.
    progress
        A callback that gets the number of lists named so far, and 1. What it raises ends the work.
    """
    if not 0 < share <= 1:
        raise InvalidInput(f"share is {share}, expected more than 0, and 1 for all of the words")
    space = reading(space, [*words, *(() if among is None else among)])
    found = known_words(space, words)
    named = _named(space, [found], k, share=share, among=among, group=group, progress=progress)[0]
    return replace(named, unplaced=_unplaced(space, words, found))


def _unplaced(space: EntailmentSpace, words: Sequence[str], found: tuple[list[str], Rows]) -> dict[str, str]:
    """Return the words that are not among those that were found, and why."""
    by_row = dict(zip(found[1].tolist(), found[0], strict=True))
    others = [word for word in asked_words(space, words) if word not in by_row.values()]
    rows = space.vocabulary.rows(others).tolist()
    told = zip(others, rows, strict=True)
    return {word: why_unread(space, word) if row < 0 else SPELLED.format(by_row[row]) for word, row in told}


def _named(
    space: EntailmentSpace,
    lists: Sequence[tuple[list[str], Rows]],
    k: int,
    *,
    share: float = 1.0,
    among: Sequence[str] | None,
    group: bool,
    progress: Progress | None,
) -> list[Group]:
    """Return names for each list of words, given with its rows. All candidates are read once, not for each list."""
    if k < 1:
        raise InvalidInput(f"k is {k}, expected at least 1")
    report = progress or (lambda *_: None)
    everything = np.arange(len(space))
    candidates = everything if among is None else np.unique(rows_of(space.vocabulary, "error", among, "among"))
    at_once = max(1, SCORES_AT_ONCE // max(1, len(candidates)))
    found: list[Group] = []
    for first in range(0, len(lists), at_once):
        block = lists[first : first + at_once]
        vectors = [space.vocabulary.take(rows).matrix.astype(np.float32) for _, rows in block]
        ranking = _ranking(space, vectors)
        middles = np.stack([directions(several).mean(axis=0) for several in vectors])
        scores, nearness = _all(space, candidates, ranking.means, middles, lambda: report(len(found), len(lists)))
        for i, (names, rows) in enumerate(block):
            others = ~np.isin(candidates, rows)
            columns = candidates[others], scores[others, i], nearness[others, i]
            found.append(_group(space, names, ranking, i, columns, k, share=share, group=group))
            report(len(found), len(lists))
    return found


def _group(
    space: EntailmentSpace,
    names: list[str],
    ranking: _Ranking,
    i: int,
    columns: tuple[Rows, AnyFloats, AnyFloats],
    k: int,
    *,
    share: float,
    group: bool,
) -> Group:
    """Return the names for list i of a ranking; the columns are candidates, their scores and their cosines."""
    candidates, scores, nearness = columns
    weight = NEAR * float(scores.std()) if len(scores) else 0.0
    order = scores + weight * nearness
    best = np.argsort(-order, kind="stable")[: max(SHORT_LIST, 4 * k)]  # several forms may become one name
    each = ranking.each(i, candidates[best])
    if share < 1:
        entailing = max(1, round(share * len(names)))
        each = -np.sort(-each, axis=0)
        order = each[:entailing].mean(axis=0) + weight * nearness[best]
        again = np.argsort(-order, kind="stable")
        best, each, order = best[again], each[:, again], order[again]
    else:
        order = order[best]
    each = each + ranking.taken_off(candidates[best])
    return Group(tuple(names), tuple(_names(space, candidates[best], each, order, names, k, group=group)))


class _Ranking(NamedTuple):
    """Scores of lists of words with concepts, less what rankings take off general ones.

    Concepts are given as rows of the vocabulary.
    """

    means: Callable[[Rows], AnyFloats]
    """Returns the mean score of each concept, a column for each list."""
    each: Callable[[int, Rows], AnyFloats]
    """Returns the scores of each concept with the words of one list, a row for each word."""
    taken_off: Callable[[Rows], AnyFloats]
    """Returns what is taken off each concept."""


def _ranking(space: EntailmentSpace, lists: Sequence[AnyFloats]) -> _Ranking:
    """Return the ranking for lists of vectors: by the keys of the space or, if it has none, by its operator."""
    if not space.model.indexable:

        def by_operator(i: int, rows: Rows) -> AnyFloats:
            return scores_by_operator(space.model, lists[i], space.vocabulary.take(rows).matrix.astype(np.float32))

        def means(rows: Rows) -> AnyFloats:
            return np.stack([by_operator(i, rows).mean(axis=0) for i in range(len(lists))], axis=1)

        return _Ranking(means, by_operator, lambda rows: np.zeros(len(rows)))
    keys, penalty = space.keys["hyper"], space.model.penalty("hypo")
    queries = [space.keys.queries(Request("hypo", vectors, penalty)).astype(np.float32) for vectors in lists]
    mean = np.stack([several.mean(axis=0) for several in queries], axis=1)
    return _Ranking(
        lambda rows: keys.decoded(rows) @ mean,
        lambda i, rows: queries[i] @ keys.decoded(rows).T,
        lambda rows: penalty * keys.hubness(rows),
    )


def _all(
    space: EntailmentSpace,
    rows: Rows,
    means: Callable[[Rows], AnyFloats],
    middles: AnyFloats,
    report: Callable[[], None],
) -> tuple[AnyFloats, AnyFloats]:
    """Return the mean scores of each row, and its cosines with the middles, a column for each; computed in blocks."""
    scores, nearness = np.empty((2, len(rows), len(middles)))
    middles = directions(middles).T

    def fill(first: int) -> None:
        some = rows[first : first + WORDS_AT_ONCE]
        scores[first : first + WORDS_AT_ONCE] = means(some)
        there = directions(space.vocabulary.take(some).matrix.astype(np.float32))
        nearness[first : first + WORDS_AT_ONCE] = there @ middles

    blocks = range(0, len(rows), WORDS_AT_ONCE)
    for first in range(0, len(blocks), BLOCKS_A_REPORT):
        in_threads(fill, blocks[first : first + BLOCKS_A_REPORT])
        report()
    return scores, nearness


def _names(
    space: EntailmentSpace, rows: Rows, each: AnyFloats, order: AnyFloats, words: list[str], k: int, *, group: bool
) -> list[Name]:
    """Return the first k names, with the probabilities that belong to the scores of each word."""
    forms = set(map(form, space.spelled(words)))
    found: list[Name] = []
    for i, row in enumerate(rows.tolist()):
        word = space.vocabulary.words[row]
        if group and form(word) in forms:
            continue
        forms.add(form(word))
        probability = entailed_by = None
        if space.calibration is not None:
            log_odds = space.calibration.log_odds(each[:, i])
            probability, entailed_by = float(known(log_odds.astype(np.float64)).mean()), int((log_odds > 0).sum())
        found.append(Name(word, float(order[i]), probability, entailed_by))
        if len(found) == k:
            break
    return found


def abstractions(
    words: Sequence[str],
    space: EntailmentSpace,
    n: int,
    *,
    k: int = 3,
    among: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[Group]:
    """Return the words in n groups, each with names of what its words jointly entail; the largest group first.

    The centre of a group is what its members jointly know: forward inference multiplies their probabilities, and the
    root of the product makes groups of all sizes comparable. A word belongs to the centre that it entails best, less
    the mean score of all words with that centre.

    >>> from entvec.space.default import default_space
    >>> words = ["dog", "cat", "horse", "car", "truck", "bus"]
    >>> [group.words for group in abstractions(words, default_space(), 2)]
    [('dog', 'cat', 'horse'), ('car', 'truck', 'bus')]

    Parameters
    ----------
    words
        The words. Those of which nothing is known are in a last group without names, where they are `unplaced`; two
        spellings of one word are in the same group.
    space
        The space that scores them.
    n
        The number of groups with names; there are fewer if some would be empty.
    k
        The number of names of each group.
    among
        The concepts to choose names from; by default the whole vocabulary.
    progress
        A callback that gets the number of groups named so far and the number of all. What it raises ends the work.
    """
    space = reading(space, [*words, *(() if among is None else among)])
    names, rows = known_words(space, words)
    if not 1 <= n <= len(names):
        raise InvalidInput(f"n is {n}, expected 1 to {len(names)}, the number of words that have a vector")
    vectors = space.vocabulary.take(rows).matrix.astype(np.float64)
    label = _cluster(space, vectors, n, progress)
    members = [np.flatnonzero(label == group) for group in range(n)]
    members = sorted((each for each in members if len(each)), key=lambda each: (-len(each), each[0]))
    lists = [([names[i] for i in each], rows[each]) for each in members]
    groups = _named(space, lists, k, among=among, group=True, progress=progress)
    return _with_the_rest(groups, _unplaced(space, words, (names, rows)), space)


def _with_the_rest(groups: list[Group], others: dict[str, str], space: EntailmentSpace) -> list[Group]:
    """Return the groups with other spellings of their words, and a last one of words of which nothing is known."""
    at = {word: i for i, group in enumerate(groups) for word in group.words}
    row_of = dict(zip(space.vocabulary.rows(list(at)).tolist(), at.values(), strict=True))
    rest: dict[str, str] = {}
    for (word, why), row in zip(others.items(), space.vocabulary.rows(list(others)).tolist(), strict=True):
        if row < 0:
            rest[word] = why
        else:
            group = groups[row_of[row]]
            groups[row_of[row]] = replace(group, words=(*group.words, word))
    return [*groups, Group(tuple(rest), (), rest)] if rest else groups


def _cluster(space: EntailmentSpace, vectors: AnyFloats, n: int, progress: Progress | None) -> NDArray[np.intp]:
    """Return the group of each vector: the best of several starts, by the scores of all vectors with their centres."""
    rng = np.random.default_rng(0)
    log_odds = space.model.log_odds("hypo", vectors)
    scores_with = _scores_with_centres(space.model, log_odds)
    logs, near = log_known(log_odds), directions(vectors)
    best, best_label = -np.inf, np.zeros(len(vectors), dtype=np.intp)
    for start in range(STARTS):
        first = int((near @ near.sum(axis=0)).argmax()) if start == 0 else int(rng.integers(len(near)))
        label = (near @ near[_spread(near, n, first)].T).argmax(axis=1)
        for _ in range(ROUNDS):
            if progress is not None:
                progress(0, n)
            scores = scores_with(_centres(logs, label, n))
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


def _scores_with_centres(model: Model, log_odds: AnyFloats) -> Callable[[AnyFloats], AnyFloats]:
    """Return a function of the log-odds of centres, whose result has a row for each word and a column for each centre.

    The maps are those of the model, which hold for the range of the space; those of the operator hold for another one.
    """
    if not model.indexable:
        return lambda centres: np.stack([model.operator.score(log_odds, centre[None]) for centre in centres], axis=1)
    # The centre of an empty group is 0, which may be out of range; rounding can move the others out of it.
    low, high = (-np.inf, np.inf) if model.low_rank is None else (model.low_rank.low, model.low_rank.high)
    queries = model.mapped_log_odds("hypo", log_odds)
    return lambda centres: queries @ model.mapped_log_odds("hyper", np.clip(centres, low, high)).T


def _spread(near: AnyFloats, n: int, first: int) -> list[int]:
    """Return n directions that are far apart: each is the one farthest from those before it."""
    chosen = [first]
    nearest = near @ near[first]
    while len(chosen) < n:
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, near @ near[chosen[-1]])
    return chosen


def _centres(logs: AnyFloats, label: NDArray[np.intp], n: int) -> AnyFloats:
    """Return the log-odds of the geometric mean of the probabilities in each group; 0 for an empty group."""
    centres = np.zeros((n, logs.shape[1]))
    members = Links(n, label, np.arange(len(label)))
    for group in np.unique(label):
        mean = logs[members.of(group)].mean(axis=0)  # the logarithm of the geometric mean
        centres[group] = mean - np.log(-np.expm1(np.minimum(mean, -1e-12)))
    return centres
