"""The arithmetic of graph inference: new log-odds for some nodes of a graph from the current ones.

    X_ik = theta_ik + sum over j that i entails   of -log s(-X_jk)
                    + sum over j that entail i    of  log s(X_jk)
                    + sum over j that do not entail i     of  log((1 - C_jik s(X_jk)) / (1 - C_jik))
                    + sum over j that i does not entail   of -log((1 - C_ijk s(-X_jk)) / (1 - C_ijk))

with each edge's term times its weight (the paper, section 2.2). The first two sums are one sparse product
with the stacked transforms of the nodes that some edge points at. The last two need C, the probability
that all *other* features obey the entailment that is denied, hence one row for each denied edge.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from entvec.errors import InvalidInput
from entvec.theory.arrays import BLOCK
from entvec.theory.edges import Numbers, Structure
from entvec.theory.elementwise import log1p_exp_minus, log_entailed, log_known, log_unknown
from entvec.theory.priors import Nodes, Prior

Matrix: TypeAlias = NDArray[Any]
Schedule: TypeAlias = Literal["parallel", "sequential"]

FEATURES_AT_ONCE = 75
"""A sweep works on blocks of this many features, so that its temporaries are a fraction of the matrix."""
THREADS = min(3, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
"""And on this many blocks at the same time: NumPy and SciPy let go of the interpreter while they compute."""
EDGES_AT_ONCE = 4096
"""And on the rows of this many denied edges."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The update of some nodes, planned once and applied as often as needed."""

    structure: Structure
    nodes: Numbers

    @cached_property
    def _rows(self) -> Nodes:
        # A slice gives views where an array of all numbers would copy the matrix.
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
        """The columns of `denials` that these nodes need, to be taken a few at a time, and their numbers."""
        matrix, columns = _compress(self.structure.denials[self._rows])
        return matrix.tocsc(), columns

    def apply(self, log_odds: Matrix, base: Matrix, prior: Prior, damping: float) -> Matrix:
        """Move these nodes' rows of `log_odds` in place; return how far each was from its new value.

        The largest distance of a node's numbers, absolute up to 1 and relative beyond.
        """
        theta = np.asarray(prior(base, log_odds, self._rows))
        if theta.shape != (expected := (len(self.nodes), log_odds.shape[1])):
            raise InvalidInput(
                f"the prior returned shape {theta.shape}, expected {expected}: a row for each node asked for"
            )
        if len(self.structure.negations.hypo):
            theta = self._denial_terms(log_odds, theta)
        matrix, needed = self._plan
        matrix = matrix.astype(log_odds.dtype, copy=False)

        # Features only meet in the prior and in C, both done, so each block can be replaced right away.
        def update(start: int) -> Matrix:
            block = slice(start, start + FEATURES_AT_ONCE)
            values = log_odds[:, block]
            return self._move(values, theta[:, block], matrix @ _both_logs(values, needed), damping)

        starts = range(0, log_odds.shape[1], FEATURES_AT_ONCE)
        if len(starts) == 1 or len(self.nodes) * FEATURES_AT_ONCE < BLOCK:
            distances = list(map(update, starts))
        else:
            with ThreadPoolExecutor(THREADS) as pool:
                distances = list(pool.map(update, starts))
        return np.asarray(np.max(distances, axis=0))

    def _move(self, values: Matrix, theta: Matrix, new: Matrix, damping: float) -> Matrix:
        distance = np.empty(len(new), new.dtype)
        for rows in _blocks(*new.shape):
            nodes = rows if isinstance(self._rows, slice) else self.nodes[rows]
            target = new[rows]
            target += theta[rows]
            change = target - values[nodes]
            if damping:
                target -= damping * change
            values[nodes] = target
            # Relative beyond 1, for log-odds of a million cannot come closer than their own rounding.
            np.abs(change, out=change)
            np.abs(target, out=target)
            np.clip(target, 1.0, np.inf, out=target)
            change /= target
            np.max(change, axis=1, out=distance[rows])
        return distance

    def _denial_terms(self, log_odds: Matrix, theta: Matrix) -> Matrix:
        """Theta and, on top, what the denied edges of these nodes say."""
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
            # The other end's transform: 1 - C s(-X_hyper) lowers the hypo, 1 - C s(X_hypo) lifts the hyper.
            other = np.where(as_hypo[:, None], log_unknown(hyper), log_known(hypo))
            term = _log1mexp(log_c + other) - _log1mexp(log_c)
            term[as_hypo] *= -1
            part = matrix[:, start : start + EDGES_AT_ONCE]
            touched = np.unique(part.indices)
            out[touched] += part.tocsr()[touched].astype(out.dtype) @ term
        return out


def iterate(
    structure: Structure,
    log_odds: Matrix,
    base: Matrix,
    prior: Prior,
    *,
    schedule: Schedule,
    damping: float,
    tol: float,
    max_iter: int,
    free: NDArray[np.bool_],
    stale: Numbers | None,
) -> tuple[list[float], int]:
    """Sweep over the `free` nodes, changing `log_odds` in place, until none moves by more than `tol`.

    Where `stale` is given, only those nodes are updated, and then those next to a node that moved.
    Return each sweep's largest distance, and how many node updates there were.
    """
    everyone = np.arange(structure.n_nodes)
    sets = [everyone] if schedule == "parallel" else list(structure.independent_sets())
    active = everyone if stale is None else stale
    sweeps: list[Sweep] = []
    history: list[float] = []
    n_updated = 0
    while len(history) < max_iter:
        if not history or stale is not None:
            chosen = np.zeros(structure.n_nodes, dtype=bool)
            chosen[active] = True
            chosen &= free
            sweeps = [Sweep(structure, nodes[chosen[nodes]]) for nodes in sets if chosen[nodes].any()]
        distances = [sweep.apply(log_odds, base, prior, damping) for sweep in sweeps]
        history.append(float(np.max([d.max() for d in distances], initial=0.0)))
        n_updated += sum(map(len, distances))
        if not np.isfinite(history[-1]):
            raise InvalidInput(
                "log-odds are no longer finite: the prior returned NaN or infinity, or weights above 1 around a cycle "
                "multiply without end; expected a finite prior, and weights of at most 1 around cycles"
            )
        if history[-1] <= tol:
            break
        if stale is not None:
            # Many neighbours that each moved a little can together move a node by more than the tolerance.
            moved = [sweep.nodes[d > tol / 10] for sweep, d in zip(sweeps, distances, strict=True)]
            active = structure.around(np.concatenate(moved))
    return history, n_updated


def log_bound(hypo: Matrix, hyper: Matrix, bound: NDArray[np.float64]) -> Matrix:
    """log C_ijk for denied edges: the given constant, or the product over all other features.

    C_ijk = prod over k' != k of (1 - s(-X_ik') s(X_jk')): how probably all features but k obey what is denied.
    """
    obeys = log_entailed(hypo, hyper)
    # Sums of what is before and what is behind: taking one term off the total would lose the small ones.
    log_c = np.zeros_like(obeys)
    np.cumsum(obeys[:, :-1], axis=1, out=log_c[:, 1:])
    log_c[:, :-1] += np.cumsum(obeys[:, :0:-1], axis=1)[:, ::-1]
    given = ~np.isnan(bound)
    with np.errstate(divide="ignore"):
        log_c[given] = np.log(bound[given])[:, None]
    return np.asarray(log_c)


def _both_logs(values: Matrix, nodes: Numbers) -> Matrix:
    """log s(-X) of these nodes, and below it their log s(X).

    The two share the logarithm l = log(1 + e^-|X|): they are -(max(X, 0) + l) and min(X, 0) - l. Working in
    place on a block in the cache makes both cheaper than one call of `log_known`.
    """
    out = np.empty((2, len(nodes), values.shape[1]), values.dtype)
    everything = len(nodes) == len(values)
    for rows in _blocks(*out.shape[1:]):
        x = np.ascontiguousarray(values[rows if everything else nodes[rows]])
        shared = log1p_exp_minus(np.abs(x))
        log_unknown, log_known = out[:, rows]
        np.clip(x, 0.0, np.inf, out=log_unknown)
        np.add(log_unknown, shared, out=log_unknown)
        np.negative(log_unknown, out=log_unknown)
        np.clip(x, -np.inf, 0.0, out=log_known)
        np.subtract(log_known, shared, out=log_known)
    return out.reshape(-1, values.shape[1])


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, BLOCK // n_columns)
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _log1mexp(a: Matrix) -> Matrix:
    """log(1 - e^a) for a <= 0. An e^a of exactly 1 counts as the nearest number below, to stay finite."""
    return np.asarray(np.log(np.maximum(-np.expm1(a), np.finfo(a.dtype).eps)))


def _compress(matrix: sparse.csr_array) -> tuple[sparse.csr_array, Numbers]:
    """The matrix without its empty columns, and the numbers of those that stay."""
    used, places = np.unique(matrix.indices, return_inverse=True)
    small = sparse.csr_array((matrix.data, places, matrix.indptr), shape=(matrix.shape[0], len(used)))
    return small, used.astype(np.intp)
