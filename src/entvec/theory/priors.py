"""Priors for graph inference: the paper's theta_ik(X), what is known about a node from outside the graph.

A prior is a function `prior(base, log_odds, nodes)`. It takes the nodes' own prior log-odds and the
current log-odds of all nodes, both of shape (nodes, features), and returns theta for the rows `nodes`
(a slice or an array of numbers). `NodePrior` makes one from a function of one node;
graph inference then knows that a change in one node leaves the priors of all others as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from entvec.array_types import Matrix
from entvec.errors import InvalidInput
from entvec.theory.elementwise import known, log_unknown

Nodes: TypeAlias = slice | NDArray[np.intp]
Prior: TypeAlias = Callable[[Matrix, Matrix, Nodes], Matrix]

ROWS_AT_ONCE = 4096
"""The number of rows whose features are coupled at a time, so that temporary arrays stay small."""


@dataclass(frozen=True)
class NodePrior:
    """A prior whose theta for a node depends on that node alone: `theta(base_rows, log_odds_rows)`."""

    theta: Callable[[Matrix, Matrix], Matrix]

    def __call__(self, base: Matrix, log_odds: Matrix, nodes: Nodes) -> Matrix:
        """Return theta for the rows `nodes`."""
        return self.theta(base[nodes], log_odds[nodes])


def _own(base: Matrix, _log_odds: Matrix) -> Matrix:
    return base


independent = NodePrior(_own)
"""The prior of independent features: theta_ik = base_ik."""


def mutual_exclusion(pairs: Iterable[tuple[int, int]]) -> NodePrior:
    """Return the prior in which no node knows both features of a pair (such as f and not f): theta_k = base_k + log
    s(-X_k').

    It applies the Jensen bound of an entailment to the prior's factor 1 - x_k x_k'.

    >>> import numpy as np
    >>> prior = mutual_exclusion([(0, 1)])
    >>> prior(np.zeros((1, 2)), np.array([[3.0, -3.0]]), slice(None)).round(2)
    array([[-0.05, -3.05]])
    """
    ends = np.array(list(pairs) or np.empty((0, 2), dtype=int))
    if ends.dtype.kind not in "iu" or ends.ndim != 2 or ends.shape[1] != 2:
        raise InvalidInput(f"pairs are {pairs!r}, expected pairs of numbers of features, such as [(0, 1)]")
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    if (ends[:, 0] == ends[:, 1]).any():
        raise InvalidInput("a pair names the same feature twice, expected two different features")

    return NodePrior(partial(_exclude, ends))


def _exclude(ends: NDArray[np.intp], base: Matrix, log_odds: Matrix) -> Matrix:
    n = base.shape[-1]
    if ends.size and not 0 <= ends.min() <= ends.max() < n:
        raise InvalidInput(f"the pairs name feature {ends.min()} to {ends.max()}, expected 0 to {n - 1}")
    excludes = sparse.csr_array((np.ones(len(ends), base.dtype), (ends[:, 0], ends[:, 1])), shape=(n, n))
    return _add_coupled(base, log_unknown, log_odds, excludes + excludes.T)


def pairwise(couplings: ArrayLike) -> NodePrior:
    """Return a prior of features that make each other more or less probable: theta_k = base_k + sum_k' W_kk' s(X_k').

    This is the mean field of P(x) proportional to exp(base.x + x.W.x / 2), with W symmetric and zero on the
    diagonal. A positive coupling means that the two features tend to be known together.

    >>> import numpy as np
    >>> prior = pairwise([[0.0, 2.0], [2.0, 0.0]])
    >>> prior(np.zeros((1, 2)), np.array([[9.0, -9.0]]), slice(None)).round(2)
    array([[0., 2.]])
    """
    w = np.asarray(couplings, dtype=float)
    if w.ndim != 2 or w.shape[0] != w.shape[1] or not np.isfinite(w).all():
        raise InvalidInput(f"couplings have shape {w.shape}, expected a finite square matrix, features by features")
    if not np.array_equal(w, w.T) or np.diag(w).any():
        raise InvalidInput("couplings are expected to be symmetric with zeros on the diagonal")

    return NodePrior(partial(_couple, w))


def _couple(w: NDArray[np.float64], base: Matrix, log_odds: Matrix) -> Matrix:
    if base.shape[-1] != len(w):
        raise InvalidInput(f"couplings are for {len(w)} features, but the nodes have {base.shape[-1]}")
    return _add_coupled(base, known, log_odds, w.astype(base.dtype))


def _add_coupled(base: Matrix, function: Callable[[Matrix], Matrix], log_odds: Matrix, matrix: Any) -> Matrix:
    """Return base + function(log_odds) @ matrix, in blocks of rows so that the function's values stay small."""
    theta = np.empty_like(base)
    for start in range(0, len(base), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        theta[rows] = base[rows] + function(log_odds[rows]) @ matrix
    return theta


def merged_prior(prior: NodePrior, base: Matrix, group: NDArray[np.intp], member: NDArray[np.intp]) -> Prior:
    """Return the prior of groups of nodes: theta of each group's first `member`, plus the base log-odds of its other
    members.
    """
    others = np.setdiff1d(np.arange(len(group)), member)

    def theta(_base: Matrix, log_odds: Matrix, groups: Nodes) -> Matrix:
        first = member[groups]
        out = prior.theta(base[first], log_odds[groups])  # base[first] is a copy, so adding to it is safe
        if np.may_share_memory(out, log_odds):
            out = out.copy()
        place = np.full(len(member), -1)
        place[groups] = np.arange(len(first))
        here = others[place[group[others]] >= 0]
        np.add.at(out, place[group[here]], prior.theta(base[here], log_odds[group[here]]))
        return out

    return theta
