"""Possible parents in a list of words, by what a space that knows something says of each pair.

Every word takes part, with a vector or without. In a long list the pairs are those that a search finds. Of two words
the more general one has more words of the list below it: the *standing* is the sum, over the pairs of a word, of the
probability that the other entails it less that of the reverse. An edge leads to a word of higher standing only, so that
no circle can close. Among several probable parents the lowest is the best (`placing_many`); for a word that nobody
knows the encoders decide (`read_scores`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.candidates import Candidates
from entvec.taxonomy.names import Names
from entvec.taxonomy.read_scores import ReadScores, score

ALL_PAIRS = 100
"""Lists of at most this many words are compared pair by pair."""
SEARCHED = 20
"""How many candidates each source finds for a word in a longer list."""
AT_ONCE = 512


class KnownParents:
    """The probability of each edge that is possible in a list of words.

    >>> from entvec.space.default import default_space
    >>> found = KnownParents(default_space(), ["dog", "poodle", "animal", "qqqqqzz"], lambda *_: None)
    >>> [found.names[j] for j, _ in found.candidates(0.5, np.argsort(np.argsort(-found.standing)))[1]]
    ['dog', 'animal']

    Parameters
    ----------
    space
        A calibrated space that knows something.
    names
        The words.
    progress
        A callback that gets the number of words compared so far and the number of all.
    """

    def __init__(self, space: EntailmentSpace, names: Sequence[str], progress: Progress) -> None:
        self.names = list(names)
        self.scores = ReadScores(space)
        self.new = [self.scores.is_new(name) for name in names]
        pairs = _all_pairs(len(names)) if len(names) <= ALL_PAIRS else _searched(space, self.names, progress)
        first, second = ([self.names[i] for i in side] for side in pairs.T.tolist())
        there, back = np.full((2, len(pairs)), np.nan)
        for start in range(0, len(pairs), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            there[some] = space.probability(first[some], second[some], missing="nan")
            back[some] = space.probability(second[some], first[some], missing="nan")
            progress(0, len(names))
        self.probability: dict[tuple[int, int], float] = {}
        self.standing: NDArray[np.float64] = np.zeros(len(names))
        seen = np.zeros(len(names), dtype=bool)
        for (i, j), p, q in zip(pairs.tolist(), there.tolist(), back.tolist(), strict=True):
            if p == p and q == q:  # not NaN
                self.probability[i, j], self.probability[j, i] = p, q
                self.standing[j] += p - q
                self.standing[i] += q - p
                seen[[i, j]] = True
        self.unread = tuple(np.flatnonzero(~seen).tolist()) if len(names) > 1 else ()
        """Words that were compared with none."""
        self.others: dict[int, list[int]] = {}
        for i, j in self.probability:
            self.others.setdefault(i, []).append(j)

    def keeping(self, kept: Sequence[int]) -> KnownParents:
        """Return the same without some words."""
        new = {old: i for i, old in enumerate(kept)}
        made = object.__new__(KnownParents)
        made.names = [self.names[i] for i in kept]
        made.scores, made.new = self.scores, [self.new[i] for i in kept]
        made.probability = {(new[i], new[j]): p for (i, j), p in self.probability.items() if i in new and j in new}
        made.standing = np.zeros(len(kept))
        made.others = {}
        for (i, j), p in made.probability.items():
            made.standing[j] += p - made.probability[j, i]
            made.others.setdefault(i, []).append(j)
        made.unread = tuple(new[i] for i in self.unread if i in new)
        return made

    def candidates(self, least: float, rank: NDArray[np.int64]) -> list[list[tuple[int, bool]]]:
        """Return the possible parents of each word, the best first, and whether each is as probable as not.

        Parameters
        ----------
        least
            The least probability of an edge.
        rank
            The rank of each word; a parent comes before its children.
        """
        found = []
        for i in range(len(self.names)):
            above = [j for j in self._above(i, rank) if self.probability[i, j] >= least]
            found.append([(j, self.probability[i, j] >= 0.5) for j in self._best_first(i, above, rank)])
        return found

    def guesses(self, word: int, least: float, rank: NDArray[np.int64]) -> list[tuple[int, float]]:
        """Return parents of a word that are less probable than they should be, the most probable first."""
        above = [(j, self.probability[word, j]) for j in self._above(word, rank)]
        return sorted(((j, p) for j, p in above if p < least), key=lambda guess: -guess[1])

    def _above(self, word: int, rank: NDArray[np.int64]) -> list[int]:
        """Return words that are more general, and that the word rather entails than the reverse."""
        p = self.probability
        return [j for j in self.others.get(word, ()) if rank[j] < rank[word] and p[word, j] > p[j, word]]

    def _best_first(self, word: int, above: list[int], rank: NDArray[np.int64]) -> list[int]:
        p = self.probability

        def fit(j: int) -> float:
            below = [p[word, d] for d in above if rank[d] > rank[j] and p.get((d, j), 0.0) >= 0.5]
            return p[word, j] * (1 - max(below, default=0.0))

        fits = {j: fit(j) for j in above}
        lowest = sorted(above, key=lambda j: (-fits[j], self.names[j]))
        if len(above) < 2 or not (self.new[word] or self.new[lowest[0]]):
            return lowest
        name = self.names[word]
        tails = Names(Taxonomy.from_edges([], terms=[self.names[j] for j in lowest])).heads(name)[:1]
        read = self.scores.by_encoders([name] * len(lowest), [self.names[j] for j in lowest])
        there, back, fitting = np.array([(p[word, j], p[j, word], fits[j]) for j in lowest]).T
        suffix = np.isin(np.arange(len(lowest)), tails).astype(np.float64)
        return [lowest[i] for i in np.argsort(-score(read, there, back, fitting, suffix), kind="stable").tolist()]


def _all_pairs(n: int) -> NDArray[np.int64]:
    return np.argwhere(np.triu(np.ones((n, n), dtype=bool), 1))


def _searched(space: EntailmentSpace, names: list[str], progress: Progress) -> NDArray[np.int64]:
    """Return the pairs of words of which one is a candidate for the other, or its last words."""
    found: dict[tuple[int, int], None] = {}
    candidates, terms = Candidates(space, names), Names(Taxonomy.from_edges([], terms=names))
    for start in range(0, len(names), AT_ONCE):
        progress(start, len(names))
        some = names[start : start + AT_ONCE]
        for i, above in enumerate(candidates.above(some, SEARCHED), start):
            for j in (*above, *terms.heads(names[i])):
                if j != i:
                    found[min(i, j), max(i, j)] = None
    return np.array([*found], dtype=np.int64).reshape(-1, 2)
