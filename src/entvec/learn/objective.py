"""Scores of pairs and their gradient, for the loss that an entailment map is fitted to.

A word is mapped to log-odds Z = V W + b. An operator that is an inner product q(y)·k(x) acts on words, not on pairs,
so its transcendental functions are computed once for each distinct word, and the gradient is a product with a sparse
matrix that has a number for each pair. `factorised` is no inner product: its pairs are computed in blocks, but its
gradient too needs only the probabilities of the words.

Everything is computed in the dtype of the log-odds; scores and their gradients are float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats
from entvec.theory import OPERATORS
from entvec.theory.elementwise import known, log_entailed, unknown

NUMBERS_AT_ONCE = 1 << 17  # a few arrays of this size stay in the cache


class Pairs(NamedTuple):
    """Pairs as rows of a table of distinct words."""

    hypo: NDArray[np.int64]
    hyper: NDArray[np.int64]
    n_words: int


def scores(operator: str, z: AnyFloats, pairs: Pairs) -> tuple[AnyFloats, Callable[[AnyFloats], AnyFloats]]:
    """Return the operator's scores of pairs, and a function from gradients by score to gradients by log-odds.

    Parameters
    ----------
    operator
        One of `LEARNABLE`.
    z
        The log-odds of the words, a row for each.
    pairs
        The pairs, as rows of `z`.
    """
    if operator in PAIRWISE:
        return PAIRWISE[operator](z, pairs)
    from scipy import sparse  # not needed to use a map

    slopes = OPERATORS[operator].slopes
    assert slopes is not None, operator  # noqa: S101
    query, key = slopes(z)
    found = np.empty(len(pairs.hypo))
    for block in _blocks(len(found), z.shape[1]):
        found[block] = np.einsum("ij,ij->i", query.value[pairs.hypo[block]], key.value[pairs.hyper[block]])

    def back(by_score: AnyFloats) -> AnyFloats:
        numbers = by_score.astype(z.dtype)
        weights = sparse.csr_array((numbers, (pairs.hypo, pairs.hyper)), shape=(pairs.n_words, pairs.n_words))
        by_query, by_key = weights @ key.value, weights.T @ query.value
        by_query *= query.slope  # in place: the pages of a new array take as long as the product
        by_key *= key.slope
        by_query += by_key
        return np.asarray(by_query)

    return found, back


def _difference(z: AnyFloats, pairs: Pairs) -> tuple[AnyFloats, Callable[[AnyFloats], AnyFloats]]:
    total = z.sum(axis=1, dtype=np.float64)

    def back(by_score: AnyFloats) -> AnyFloats:
        by_word = np.bincount(pairs.hypo, by_score, pairs.n_words) - np.bincount(pairs.hyper, by_score, pairs.n_words)
        return np.broadcast_to(by_word.astype(z.dtype)[:, None], z.shape)

    return total[pairs.hypo] - total[pairs.hyper], back


def _factorised(z: AnyFloats, pairs: Pairs) -> tuple[AnyFloats, Callable[[AnyFloats], AnyFloats]]:
    found = np.empty(len(pairs.hypo))
    for block in _blocks(len(found), z.shape[1]):
        found[block] = log_entailed(z[pairs.hypo[block]], z[pairs.hyper[block]]).sum(axis=1)

    def back(by_score: AnyFloats) -> AnyFloats:
        by_z = np.zeros_like(z)
        k, u = known(z), unknown(z)
        for block in _blocks(len(found), z.shape[1]):
            hypo, hyper = pairs.hypo[block], pairs.hyper[block]
            # 1 - s(-y) s(x) = s(y) + s(-y) s(-x): a sum of positive terms, so no digits cancel.
            entailed = np.maximum(k[hypo] + u[hypo] * u[hyper], np.finfo(z.dtype).tiny)
            ratio = u[hypo] * k[hyper] / entailed
            weight = by_score[block, None].astype(z.dtype)
            _add(by_z, hypo, ratio * k[hypo] * weight)
            _add(by_z, hyper, -ratio * u[hyper] * weight)
        return by_z

    return found, back


PAIRWISE = {"factorised": _factorised, "difference": _difference}
"""Operators that have a gradient function of their own, since they are no inner products."""
LEARNABLE = tuple(name for name, row in OPERATORS.items() if row.slopes is not None or name in PAIRWISE)
"""The names of the operators that maps can be learned for."""


def _add(total: AnyFloats, rows: NDArray[np.int64], parts: AnyFloats) -> None:
    """Add each part to its row of the total; a row may have several."""
    from scipy import sparse

    words, at = np.unique(rows, return_inverse=True)
    gather = sparse.csr_array((np.ones(len(rows), parts.dtype), (at, np.arange(len(rows)))))
    total[words] += gather @ parts


def _blocks(n: int, width: int) -> Iterator[slice]:
    step = max(1, NUMBERS_AT_ONCE // width)
    for first in range(0, n, step):
        yield slice(first, first + step)
