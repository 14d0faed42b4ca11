"""Newton's step for a whole graph, which goes directly to where slowly converging sweeps would lead.

A sweep propagates information from each node to its neighbours only. Where a hypo and a hyper disagree, each one
gives in a little in every sweep because the other does: an error e becomes g e with a gain g just below 1. To
first order the fixed point lies at X + d, where

    d = r + J d,    r = what a sweep would add to X,
    J_ij = dX_i/dX_j = w s(X_j) if i entails j, w s(-X_j) if j entails i.

J has entries where the graph has edges, and features are independent of each other in it. Graphs of entailments are
nearly trees, so Gaussian elimination works well: a node with few neighbours is expressed by them, then the nodes that
now have few neighbours, until hardly any are left:

    J_ab += J_ae J_eb / (1 - J_ee),    r_a += J_ae r_e / (1 - J_ee)    for all neighbours a, b of the node e.

In reverse order, each node then gets its d from those of its neighbours. The order of elimination is planned once, for
all features and steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from entvec.array_types import Matrix
from entvec.theory.edges import Numbers, Structure
from entvec.theory.priors import Prior
from entvec.theory.sweeps import Sweep, in_blocks, row_blocks

FEATURES_AT_ONCE = 25
"""A step works on blocks of this many features, because it stores some numbers for every edge, not only for every node.
"""
NEIGHBOURS = 4
"""Nodes with at most this many neighbours are eliminated. Eliminating one with four removes four edges and adds up to
six.
"""
LAST_STEPS = 5
"""The number of iterations of d = r + J d for the few nodes that remain, all of which have more neighbours."""
SMALLEST = 0.02
"""The lower bound of 1 - J_ee. Below 0 a step would lead away from the fixed point; near 0 it would be arbitrarily
long.
"""


class Sum(NamedTuple):
    """A sparse matrix that adds rows of one matrix to rows of another; several may be added to the same row."""

    targets: Numbers
    matrix: sparse.csr_array

    @classmethod
    def into(cls, targets: Numbers) -> Sum:
        """Return a sum that adds each row to the row that `targets` gives for it."""
        unique, place = np.unique(targets, return_inverse=True)
        ends = (place, np.arange(len(targets)))
        # The smallest type: a product with these ones takes the type of the other factor.
        return cls(unique, sparse.csr_array((np.ones(len(targets), np.int8), ends), shape=(len(unique), len(targets))))

    def add(self, rows: Matrix, to: Matrix) -> None:
        """Add `rows` to the target rows of `to`, in place."""
        to[self.targets] += self.matrix @ rows


class Round(NamedTuple):
    """Nodes that are eliminated at the same time; no two of them are neighbours.

    Each edge from one of them, the `place`-th, to a neighbour has two entries of J, outgoing J_ea and incoming J_ae.
    Each pair of edges of one node gives a product of an incoming entry (of the edge `first`) and an outgoing one (of
    `second`).
    """

    nodes: Numbers
    place: Numbers
    neighbour: Numbers
    outgoing: Numbers
    incoming: Numbers
    first: Numbers
    second: Numbers
    into_entries: Sum
    into_neighbours: Sum
    into_nodes: Sum


class Rest(NamedTuple):
    """The nodes that are never eliminated, and the entries J_ab between them."""

    nodes: Numbers
    row: Numbers
    column: Numbers
    entry: Numbers
    into_rows: Sum


class Newton:
    """Newton's step for the `free` nodes of a graph. It is planned once and applied as often as needed."""

    def __init__(self, structure: Structure, free: NDArray[np.bool_]) -> None:
        self._fixed = np.flatnonzero(~free)
        self._sweep = Sweep(structure, np.arange(structure.n_nodes))
        n, e = structure.n_nodes, structure.entailments
        inside = free[e.hypo] & free[e.hyper] & (e.weight > 0)
        hypo, hyper, weight = e.hypo[inside], e.hyper[inside], e.weight[inside]
        rows, columns = np.concatenate([hypo, hyper]), np.concatenate([hyper, hypo])
        keys, place = np.unique(rows * n + columns, return_inverse=True)
        # The entries of J: first each node's own J_ee, then those of edges. They come from s(-X) stacked on s(X).
        logs_of = self._sweep.needed
        source = np.concatenate([len(logs_of) + np.searchsorted(logs_of, hyper), np.searchsorted(logs_of, hypo)])
        shape = n + len(keys), 2 * len(logs_of)
        self._gains = sparse.csr_array((np.tile(weight, 2), (n + place, source)), shape=shape)
        self._rounds, self._rest, self._n_entries = _plan(n, keys)

    def apply(self, log_odds: Matrix, base: Matrix, prior: Prior, trust: Matrix, tol: float) -> None:
        """Apply a step, in place, to features in which some number is off by more than a tenth of `tol`.

        The step is linear and the function is not, so each number moves by at most 1, or by at most its own size if
        that is larger. When a number reverses direction, its limit is halved from then on.

        Parameters
        ----------
        log_odds, base
            The current log-odds, and the prior ones.
        prior
            The prior of the graph.
        trust
            The limit of each number, with the sign of its last step; zeros at first. The step updates it.
        tol
            The tolerance of the inference.
        """
        theta = self._sweep.theta(log_odds, base, prior)

        def update(block: slice) -> None:
            values = log_odds[:, block]
            logs, step = self._sweep.sums(values)
            step += theta[:, block]
            step -= values
            step[self._fixed] = 0.0
            off = _off(step, values, tol / 10)
            if not len(off):
                return
            logs, step = logs[:, off], step[:, off]
            with np.errstate(over="ignore", invalid="ignore"):  # an infinite step is cut, a NaN step is skipped
                self._solve(np.exp(logs, out=logs), step)
            trusted = trust[:, block]
            for rows in row_blocks(*step.shape):
                _take(step[rows], values[rows], trusted[rows], off)

        in_blocks(update, log_odds.shape, FEATURES_AT_ONCE)

    def _solve(self, probabilities: Matrix, d: Matrix) -> None:
        """Turn r into d, in place, given the `probabilities` s(-X), stacked on s(X)."""
        gains = np.zeros((self._n_entries, d.shape[1]), d.dtype)
        gains[: self._gains.shape[0]] = self._gains.astype(d.dtype) @ probabilities
        kept = []
        for r in self._rounds:
            left = _left(gains, r.nodes)
            alone = d.take(r.nodes, axis=0)
            alone /= left
            d[r.nodes] = alone
            outgoing, incoming = gains.take(r.outgoing, axis=0), gains.take(r.incoming, axis=0)
            outgoing /= left.take(r.place, axis=0)
            kept.append(outgoing)
            products = incoming.take(r.first, axis=0)
            products *= outgoing.take(r.second, axis=0)
            r.into_entries.add(products, gains)
            incoming *= alone.take(r.place, axis=0)
            r.into_neighbours.add(incoming, d)
        rest = self._rest
        left = _left(gains, rest.nodes)
        alone = d[rest.nodes] / left
        between = gains[rest.entry] / left[rest.row]
        d[rest.nodes] = alone
        for _ in range(LAST_STEPS if len(rest.entry) else 0):
            new = alone.copy()
            rest.into_rows.add(between * d[rest.nodes[rest.column]], new)
            d[rest.nodes] = new
        for r, outgoing in zip(reversed(self._rounds), reversed(kept), strict=True):
            outgoing *= d.take(r.neighbour, axis=0)
            r.into_nodes.add(outgoing, d)


def _left(gains: Matrix, nodes: Numbers) -> Matrix:
    """Return 1 - J_ee, but at least `SMALLEST`."""
    left = gains.take(nodes, axis=0)
    np.subtract(1.0, left, out=left)
    return np.maximum(left, SMALLEST, out=left)


def _off(step: Matrix, values: Matrix, tol: float) -> Numbers:
    """Return the features in which some number is off by more than `tol`, relative to its size beyond 1."""
    off = np.zeros(step.shape[1], dtype=bool)
    for rows in row_blocks(*step.shape):
        off |= (np.abs(step[rows]) > tol * np.maximum(1.0, np.abs(values[rows]))).any(axis=0)
    return np.flatnonzero(off)


def _take(step: Matrix, values: Matrix, trust: Matrix, off: Numbers) -> None:
    """Add the step to these features, limited by `trust`, and update `trust`."""
    step[np.isnan(step)] = 0.0
    before, now = trust[:, off], values[:, off]
    size = np.abs(before)
    size[before == 0] = 1.0
    size[step * before < 0] *= 0.5
    trust[:, off] = np.copysign(size, step)
    size *= np.maximum(1.0, np.abs(now))
    values[:, off] = now + np.clip(step, -size, size)


def _plan(n: int, keys: Numbers) -> tuple[list[Round], Rest, int]:
    """Return the rounds of elimination, the nodes that remain, and the number of entries of J at the end.

    `keys` are the entries between nodes, as row * n + column in order; entry `n + i` belongs to `keys[i]`.
    """
    entries = np.arange(n, n + len(keys))
    n_entries = n + len(keys)
    rank = np.random.default_rng(0).permutation(n) + 1
    stays = np.ones(n, dtype=bool)
    rounds = []
    while True:
        row, column = np.divmod(keys, n)
        degree = np.bincount(row, minlength=n)
        rivals = np.zeros(n, dtype=rank.dtype)
        candidates = np.where((degree > 0) & (degree <= NEIGHBOURS), rank, 0)
        np.maximum.at(rivals, row, candidates[column])
        leaves = candidates > rivals
        if not leaves.any():
            break
        edges = np.flatnonzero(leaves[row])
        nodes, place = np.unique(row[edges], return_inverse=True)
        neighbour = column[edges]
        incoming = entries[np.searchsorted(keys, neighbour * n + row[edges])]
        outgoing = entries[edges]
        first, second = _pairs(degree[nodes])
        a, b = neighbour[first], neighbour[second]
        targets = a.copy()  # J_aa, unless a and b differ
        differ = a != b
        joined = a[differ] * n + b[differ]
        remain = ~(leaves[row] | leaves[column])
        keys, entries = keys[remain], entries[remain]
        new = np.setdiff1d(joined, keys)
        keys = np.concatenate([keys, new])
        order = np.argsort(keys)
        keys, entries = keys[order], np.concatenate([entries, np.arange(n_entries, n_entries + len(new))])[order]
        n_entries += len(new)
        targets[differ] = entries[np.searchsorted(keys, joined)]
        sums = Sum.into(targets), Sum.into(neighbour), Sum.into(nodes[place])
        rounds.append(Round(nodes, place, neighbour, outgoing, incoming, first, second, *sums))
        stays[nodes] = False
    rest = np.flatnonzero(stays)
    row, column = np.searchsorted(rest, np.divmod(keys, n))
    return rounds, Rest(rest, row, column, entries, Sum.into(row)), n_entries


def _pairs(sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Return all ordered pairs of items within groups of these sizes; the items are numbered consecutively.

    >>> _pairs(np.array([1, 2]))
    (array([0, 1, 1, 2, 2]), array([0, 1, 2, 1, 2]))
    """
    size = np.repeat(sizes, sizes)
    first = np.repeat(np.arange(len(size)), size)
    start = np.repeat(np.repeat(np.cumsum(sizes) - sizes, sizes), size)
    return first, start + np.arange(len(first)) - np.repeat(np.cumsum(size) - size, size)
