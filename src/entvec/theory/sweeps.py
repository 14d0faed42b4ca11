"""The arithmetic of graph inference: new log-odds for some nodes of a graph from the current ones.

    X_ik = theta_ik + sum over j that i entails   of -log s(-X_jk)
                    + sum over j that entail i    of  log s(X_jk)
                    + sum over j that do not entail i     of  log((1 - C_jik s(X_jk)) / (1 - C_jik))
                    + sum over j that i does not entail   of -log((1 - C_ijk s(-X_jk)) / (1 - C_ijk))

with each edge's term times its weight (the paper, section 2.2). The first two sums are one sparse product
with the stacked transforms of the nodes at the other ends of the edges. The last two need C, the probability
that all *other* features obey the denied entailment, hence one row for each denied edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from entvec.array_types import Matrix
from entvec.errors import InvalidInput
from entvec.runtime import in_threads
from entvec.theory.arrays import BLOCK
from entvec.theory.edges import Numbers, Structure
from entvec.theory.elementwise import log1p_exp_minus, log_entailed, log_known, log_unknown
from entvec.theory.priors import Nodes, Prior

Result = TypeVar("Result")

FEATURES_AT_ONCE = 75
"""A sweep works on blocks of this many features, so that its temporary arrays are smaller than the matrix."""
EDGES_AT_ONCE = 4096
"""The number of denied edges whose rows are computed at a time."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The update of some nodes. It is planned once and applied as often as needed."""

    structure: Structure
    nodes: Numbers

    @cached_property
    def _rows(self) -> Nodes:
        # A slice gives views, where an array of all numbers would copy the matrix.
        return slice(None) if len(self.nodes) == self.structure.n_nodes else self.nodes

    @cached_property
    def _plan(self) -> tuple[sparse.csr_array, Numbers]:
        """The rows of `terms` for these nodes, and the nodes whose logarithms they sum."""
        rows, n = self.structure.terms[self._rows], self.structure.n_nodes
        needed, place = np.unique(rows.indices % n, return_inverse=True)
        columns = place + len(needed) * (rows.indices >= n)
        matrix = sparse.csr_array((rows.data, columns, rows.indptr), shape=(len(self.nodes), 2 * len(needed)))
        return matrix, needed.astype(np.intp)

    @cached_property
    def _denied(self) -> tuple[sparse.csc_array, Numbers]:
        """The columns of `denials` that these nodes need, and their numbers; they are used a few at a time."""
        matrix, columns = _compress(self.structure.denials[self._rows])
        return matrix.tocsc(), columns

    def apply(self, log_odds: Matrix, base: Matrix, prior: Prior, damping: float) -> Matrix:
        """Update these nodes' rows of `log_odds`, in place; return how far each row was from its new value.

        The distance of a row is that of its number furthest away, absolute up to 1 and relative beyond.

        Parameters
        ----------
        log_odds, base
            The current log-odds, and the prior ones.
        prior
            The prior of the graph.
        damping
            The share of the old value to keep.
        """
        theta = self.theta(log_odds, base, prior)

        # Features depend on each other only in the prior and in C, both done, so each block can be replaced at once.
        def update(block: slice) -> Matrix:
            values = log_odds[:, block]
            return self._move(values, theta[:, block], self.sums(values)[1], damping)

        shape = len(self.nodes), log_odds.shape[1]
        return np.asarray(np.max(in_blocks(update, shape, FEATURES_AT_ONCE), axis=0))

    @property
    def needed(self) -> Numbers:
        """The nodes at the other ends of the edges of these nodes: their log-sigmoids are computed before an update."""
        return self._plan[1]

    def theta(self, log_odds: Matrix, base: Matrix, prior: Prior) -> Matrix:
        """Return the terms of the prior and of the denied edges for these nodes."""
        theta = np.asarray(prior(base, log_odds, self._rows))
        if theta.shape != (expected := (len(self.nodes), log_odds.shape[1])):
            raise InvalidInput(
                f"the prior returned shape {theta.shape}, expected {expected}: a row for each node asked for"
            )
        return self._denial_terms(log_odds, theta) if len(self.structure.negations.hypo) else theta

    def sums(self, values: Matrix) -> tuple[Matrix, Matrix]:
        """Return the logarithms that the entailments of these nodes need, and their sums for each node."""
        matrix, needed = self._plan
        logs = _both_logs(values, needed)
        return logs, matrix.astype(values.dtype, copy=False) @ logs

    def _move(self, values: Matrix, theta: Matrix, new: Matrix, damping: float) -> Matrix:
        distance = np.empty(len(new), new.dtype)
        for rows in row_blocks(*new.shape):
            nodes = rows if isinstance(self._rows, slice) else self.nodes[rows]
            target = new[rows]
            target += theta[rows]
            change = target - values[nodes]
            if damping:
                target -= damping * change
            values[nodes] = target
            # Relative beyond 1, because log-odds of a million cannot be more exact than their rounding.
            np.abs(change, out=change)
            np.abs(target, out=target)
            np.clip(target, 1.0, np.inf, out=target)
            change /= target
            np.max(change, axis=1, out=distance[rows])
        return distance

    def _denial_terms(self, log_odds: Matrix, theta: Matrix) -> Matrix:
        """Return theta plus the terms of these nodes' denied edges."""
        matrix, columns = self._denied
        d = self.structure.negations
        m = len(d.hypo)
        out = theta.astype(log_odds.dtype)
        for start in range(0, len(columns), EDGES_AT_ONCE):
            chosen = columns[start : start + EDGES_AT_ONCE]
            edges = chosen % m
            hypo, hyper = log_odds[d.hypo[edges]], log_odds[d.hyper[edges]]
            log_c = log_bound(hypo, hyper, d.bound[edges])
            as_hypo = chosen < m
            # The transform of the other end: 1 - C s(-X_hyper) lowers the hypo, 1 - C s(X_hypo) raises the hyper.
            other = np.where(as_hypo[:, None], log_unknown(hyper), log_known(hypo))
            term = _log1mexp(log_c + other) - _log1mexp(log_c)
            term[as_hypo] *= -1
            part = matrix[:, start : start + EDGES_AT_ONCE]
            touched = np.unique(part.indices)
            out[touched] += part.tocsr()[touched].astype(out.dtype) @ term
        return out


def log_bound(hypo: Matrix, hyper: Matrix, bound: NDArray[np.float64]) -> Matrix:
    """Return log C_ijk for denied edges: the given constant, or the product over all other features.

    C_ijk = prod over k' != k of (1 - s(-X_ik') s(X_jk')): the probability that all features but k obey the entailment.
    """
    obeys = log_entailed(hypo, hyper)
    # Sums of the terms before k and after k: subtracting a term from the total would lose the small ones.
    log_c = np.zeros_like(obeys)
    np.cumsum(obeys[:, :-1], axis=1, out=log_c[:, 1:])
    log_c[:, :-1] += np.cumsum(obeys[:, :0:-1], axis=1)[:, ::-1]
    given = ~np.isnan(bound)
    with np.errstate(divide="ignore"):
        log_c[given] = np.log(bound[given])[:, None]
    return np.asarray(log_c)


def moved(old: Matrix, new: Matrix, tol: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return in which rows some log s(X), and in which some log s(-X), moved by more than `tol`, relative beyond 1."""
    nodes = np.arange(len(old))
    before, after = _both_logs(old, nodes), _both_logs(new, nodes)
    far = (np.abs(after - before) > tol * np.maximum(1.0, np.abs(after))).any(axis=1)
    return far[len(old) :], far[: len(old)]


def in_blocks(update: Callable[[slice], Result], shape: tuple[int, int], width: int) -> list[Result]:
    """Return what `update` returns for each block of features; blocks run in parallel if that is faster.

    A block has `width` features, or more if that would be little work.
    """
    n_nodes, n_features = shape
    width = max(width, BLOCK // max(n_nodes, 1))
    starts = range(0, n_features, width)
    if n_nodes * width < BLOCK:
        return [update(slice(start, start + width)) for start in starts]
    return in_threads(lambda start: update(slice(start, start + width)), starts)


def _both_logs(values: Matrix, nodes: Numbers) -> Matrix:
    """Return log s(-X) of these nodes, stacked on their log s(X).

    The two share the logarithm l = log(1 + e^-|X|): they are -(max(X, 0) + l) and min(X, 0) - l. Working in
    place on a block in the cache makes both together faster than one call of `log_known`.
    """
    out = np.empty((2, len(nodes), values.shape[1]), values.dtype)
    everything = len(nodes) == len(values)
    for rows in row_blocks(*out.shape[1:]):
        x = np.ascontiguousarray(values[rows if everything else nodes[rows]])
        shared = log1p_exp_minus(np.abs(x))
        log_unknown, log_known = out[:, rows]
        np.clip(x, 0.0, np.inf, out=log_unknown)
        np.add(log_unknown, shared, out=log_unknown)
        np.negative(log_unknown, out=log_unknown)
        np.clip(x, -np.inf, 0.0, out=log_known)
        np.subtract(log_known, shared, out=log_known)
    return out.reshape(-1, values.shape[1])


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows that are small enough to stay in the cache."""
    step = max(1, BLOCK // n_columns)
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _log1mexp(a: Matrix) -> Matrix:
    """Return log(1 - e^a) for a <= 0. If e^a is exactly 1, the next smaller number is used, so that the result is
    finite.
    """
    return np.asarray(np.log(np.maximum(-np.expm1(a), np.finfo(a.dtype).eps)))


def _compress(matrix: sparse.csr_array) -> tuple[sparse.csr_array, Numbers]:
    """Return the matrix without its empty columns, and the numbers of the columns that remain."""
    used, places = np.unique(matrix.indices, return_inverse=True)
    small = sparse.csr_array((matrix.data, places, matrix.indptr), shape=(matrix.shape[0], len(used)))
    return small, used.astype(np.intp)
