"""Folds of word pairs with disjoint vocabularies, as in the paper (section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from entvec.array_types import Rows
from entvec.errors import InvalidInput
from entvec.interchange import word_list


class LexicalKFold:
    """Split pairs into folds; drop training pairs that share a word with the test fold.

    A model then cannot have learned anything about the words it is tested on. Each pair is tested once.

    >>> pairs = [("dog", "animal"), ("cat", "animal"), ("oak", "tree"), ("rose", "flower")]
    >>> for train, test in LexicalKFold(2, random_state=0).split(pairs):
    ...     print("train", [pairs[i] for i in train], "test", [pairs[i] for i in test])
    train [('rose', 'flower')] test [('dog', 'animal'), ('oak', 'tree')]
    train [('oak', 'tree')] test [('cat', 'animal'), ('rose', 'flower')]

    scikit-learn splits pairs of vectors: equal vectors are one word, or pass it the pairs of words as `groups`.

    Parameters
    ----------
    n_splits
        The number of folds.
    shuffle, random_state
        Whether to shuffle the pairs first, and the seed for it.
    """

    def __init__(self, n_splits: int = 10, *, shuffle: bool = True, random_state: int | None = None) -> None:
        if n_splits < 2:
            raise InvalidInput(f"n_splits is {n_splits}, expected 2 or more")
        self.n_splits, self.shuffle, self.random_state = n_splits, shuffle, random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002, N803
        """Return the number of folds.

        >>> LexicalKFold(5).get_n_splits()
        5

        Parameters
        ----------
        X, y, groups
            Ignored; scikit-learn passes them.
        """
        return self.n_splits

    def split(self, X: ArrayLike, y: Any = None, groups: ArrayLike | None = None) -> Iterator[tuple[Rows, Rows]]:  # noqa: ARG002, N803
        """Yield the rows to train on and the rows to test on, for each fold.

        >>> pairs = [("dog", "animal"), ("cat", "pet"), ("oak", "tree"), ("car", "vehicle")]
        >>> [len(test) for train, test in LexicalKFold(2).split(pairs)]
        [2, 2]

        Parameters
        ----------
        X
            Pairs of words, an array (n, 2) or a DataFrame of two columns; or of vectors, an array (n, 2, d).
        y
            Ignored; scikit-learn passes it.
        groups
            The pairs of words, if X has vectors and several words may have the same one.
        """
        pairs = np.asarray(X if groups is None else groups)
        if pairs.ndim == 3 and pairs.shape[1] == 2:
            _, rows = np.unique(pairs.reshape(-1, pairs.shape[2]), axis=0, return_inverse=True)
            pairs = rows.reshape(-1, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidInput(f"pairs of shape {pairs.shape}, expected (n, 2), two words in each, or (n, 2, d)")
        if pairs.dtype.kind == "O":
            for side, words in zip(("hypo", "hyper"), pairs.T, strict=True):
                word_list(words, side)
        if len(pairs) < self.n_splits:
            raise InvalidInput(f"{len(pairs)} pairs, expected at least one for each of {self.n_splits} folds")
        _, words = np.unique(pairs, return_inverse=True)
        words = words.reshape(pairs.shape)
        rng = np.random.default_rng(self.random_state)
        order = rng.permutation(len(pairs)) if self.shuffle else np.arange(len(pairs))
        for fold in np.array_split(order, self.n_splits):
            test = np.sort(fold)
            seen = np.isin(words, words[test]).any(axis=1)
            yield np.flatnonzero(~seen), test
