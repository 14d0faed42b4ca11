"""Labelled pairs to learn from: entailments of WordNet, and pairs of several kinds that are none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Ints
from entvec.bundled.wordnet import IsA, isa
from entvec.errors import InvalidInput

FARTHEST = 6
RAREST_SENSE = 2
KINDS = ("entailment", "reversed", "co-hyponym", "part", "random")


class LabelledPairs(NamedTuple):
    """Labelled pairs of words, half of them entailments.

    >>> pairs = LabelledPairs(("dog", "animal"), *(np.array([i]) for i in (0, 1, 1, 0)))
    >>> pairs.words[pairs.hypo[0]], pairs.words[pairs.hyper[0]], int(pairs.labels[0])
    ('dog', 'animal', 1)

    Parameters
    ----------
    words
        The distinct words.
    hypo, hyper
        The two words of each pair, as positions in `words`.
    labels
        1 for an entailment, else 0.
    kinds
        What each pair is, as positions in KINDS.
    """

    words: tuple[str, ...]
    hypo: NDArray[np.int64]
    hyper: NDArray[np.int64]
    labels: NDArray[np.int64]
    kinds: NDArray[np.int64]


def labelled_pairs(table: IsA | None = None, *, hold_out: Iterable[str] = (), seed: int = 0) -> LabelledPairs:
    """Return entailments, and as many pairs that are none: reversed, co-hyponyms, parts or wholes, and random.

    Entailments are those of frequent senses, at most six steps apart. A pair of another kind is no entailment in any
    sense. Random pairs combine the hypo of one entailment with the hyper of another, so that no single word decides.

    >>> pairs = labelled_pairs(hold_out=["dog", "animal"])
    >>> "dog" in {pairs.words[i] for i in pairs.hypo}
    False
    >>> round(float(pairs.labels.mean()), 1)
    0.5

    Parameters
    ----------
    table
        Relations of nouns; the bundled table if None.
    hold_out
        Words that are in no pair, so that a map fitted to these pairs can be tested on them.
    seed
        The seed of the random numbers.
    """
    table = isa() if table is None else table
    n = len(table.words)
    if isinstance(hold_out, str):
        raise InvalidInput(f"hold_out is the text {hold_out!r}, expected several words: [{hold_out!r}]")
    held = np.isin(table.words, list(hold_out))
    rng = np.random.default_rng(seed)

    def codes(rows: IsA) -> Ints:
        return _distinct(rows.hypo.astype(np.int64) * n + rows.hyper)

    def reverse(pairs: Ints) -> Ints:
        return np.asarray(pairs % n * n + pairs // n)

    def kept(pairs: Ints, size: int) -> Ints:
        allowed = pairs[~held[pairs // n] & ~held[pairs % n]]
        return rng.permutation(allowed)[:size]

    entailing = ["is-a", "instance"]
    frequent = {"max_hypo_sense": RAREST_SENSE, "max_hyper_sense": RAREST_SENSE}
    every = codes(table.select(entailing))
    found = kept(codes(table.select(entailing, max_distance=FARTHEST, **frequent)), len(every))
    parts = codes(table.select("part-whole"))
    parts = np.concatenate([parts, reverse(parts)])
    strangers = rng.permutation(found) // n * n + rng.permutation(found) % n
    strangers = _distinct(strangers[strangers // n != strangers % n])

    others: list[Ints] = []
    taken = every
    for pairs in (reverse(found), codes(table.select("co-hyponym")), parts):
        others.append(kept(_without(_distinct(pairs), taken), len(found) // 4))
        taken = _distinct(taken, pairs)
    # There are few parts; random pairs fill the gap, as far as they go.
    related = _distinct(taken, reverse(taken))
    others.append(kept(_without(strangers, related), len(found) - sum(map(len, others))))
    found = found[: sum(map(len, others))]
    pairs = np.concatenate([found, *others])
    kinds = np.repeat(np.arange(len(KINDS)), [len(found), *map(len, others)])
    return LabelledPairs(table.words, pairs // n, pairs % n, (kinds == 0).astype(np.int64), kinds)


def _distinct(*several: Ints) -> Ints:
    """Return the distinct values in rising order, by sorting: np.unique hashes, which is ten times slower on these."""
    codes = np.sort(np.concatenate(several))
    return codes[np.append(True, codes[1:] != codes[:-1])] if len(codes) else codes


def _without(codes: Ints, others: Ints) -> Ints:
    """Return the values that are not among the others; both are distinct and in rising order."""
    return np.setdiff1d(codes, others, assume_unique=True)
