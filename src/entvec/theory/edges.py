"""The edges of an entailment graph as arrays of node numbers, and the sparse matrices that inference makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

Numbers: TypeAlias = NDArray[np.intp]

FIRM = 0.5
"""The smallest weight at which nodes that entail each other are treated as equal."""


class Edges(NamedTuple):
    """Edges as arrays of equal length: node hypo[e] entails (or, for denied edges, does not entail) node hyper[e]."""

    hypo: Numbers
    hyper: Numbers
    weight: NDArray[np.float64]
    bound: NDArray[np.float64]  # the constant C of a denied edge, NaN where it is to be computed

    def at(self, nodes: NDArray[np.bool_]) -> Edges:
        """Return the edges with at least one end among these nodes."""
        return self.where(nodes[self.hypo] | nodes[self.hyper])

    def where(self, chosen: NDArray[np.bool_]) -> Edges:
        """Return the edges for which `chosen` is true."""
        places = np.flatnonzero(chosen)
        return Edges(self.hypo[places], self.hyper[places], self.weight[places], self.bound[places])

    def renumbered(self, numbers: Numbers) -> Edges:
        """Return the same edges, with nodes numbered by their positions in `numbers`, which is sorted."""
        return self._replace(hypo=np.searchsorted(numbers, self.hypo), hyper=np.searchsorted(numbers, self.hyper))


@dataclass(frozen=True, eq=False)
class Structure:
    """The adjacency of a graph as sparse matrices. It is made once for a graph and shared by all sweeps over it."""

    n_nodes: int
    entailments: Edges
    negations: Edges
    n_acyclic: int = 0  # this many of the first entailments are known to be in no firm cycle

    @cached_property
    def terms(self) -> sparse.csr_array:
        """A (nodes, 2 nodes) matrix: the weights of -log s(-X_j) (first half) and of log s(X_j) (second half) in a
        node's sum.
        """
        e, n = self.entailments, self.n_nodes
        rows, columns = np.concatenate([e.hypo, e.hyper]), np.concatenate([e.hyper, n + e.hypo])
        return sparse.csr_array((np.concatenate([-e.weight, e.weight]), (rows, columns)), shape=(n, 2 * n))

    @cached_property
    def denials(self) -> sparse.csr_array:
        """A (nodes, 2 negations) matrix: the terms of denied edges in a node's sum, first as their hypo, then as their
        hyper.
        """
        d = self.negations
        m = len(d.hypo)
        columns = np.arange(2 * m)
        return sparse.csr_array(
            (np.tile(d.weight, 2), (np.concatenate([d.hypo, d.hyper]), columns)), shape=(self.n_nodes, 2 * m)
        )

    @cached_property
    def neighbours(self) -> sparse.csr_array:
        """A (nodes, nodes) matrix with ones where two nodes share an edge of either kind."""
        hypo = np.concatenate([self.entailments.hypo, self.negations.hypo])
        hyper = np.concatenate([self.entailments.hyper, self.negations.hyper])
        ends = (np.concatenate([hypo, hyper]), np.concatenate([hyper, hypo]))
        matrix = sparse.csr_array((np.ones(2 * len(hypo)), ends), shape=(self.n_nodes, self.n_nodes))
        matrix.sum_duplicates()
        return matrix

    def around(self, nodes: Numbers) -> Numbers:
        """Return these nodes and all their neighbours, sorted."""
        return self.region(nodes)[1]

    def region(self, nodes: Numbers) -> tuple[Structure, Numbers]:
        """Return the edges at these nodes as a structure, and its nodes: these nodes and their neighbours."""
        inside = self._mask(nodes)
        entailments, negations = self.entailments.at(inside), self.negations.at(inside)
        ends = entailments.hypo, entailments.hyper, negations.hypo, negations.hyper
        numbers = np.unique(np.concatenate([nodes, *ends])).astype(np.intp)
        return Structure(len(numbers), entailments.renumbered(numbers), negations.renumbered(numbers)), numbers

    def split(self, free: NDArray[np.bool_]) -> tuple[Structure, Structure]:
        """Return the entailments among the free nodes, as a structure of these nodes only, and a structure of all other
        edges.
        """
        e, nodes = self.entailments, np.flatnonzero(free)
        between = free[e.hypo] & free[e.hyper]
        unsaid = self.negations.where(np.zeros(len(self.negations.hypo), dtype=bool))
        inner = Structure(len(nodes), e.where(between).renumbered(nodes), unsaid)
        return inner, Structure(self.n_nodes, e.where(~between), self.negations)

    def hearing(self, nodes: Numbers, known: NDArray[np.bool_], unknown: NDArray[np.bool_]) -> Numbers:
        """Return the neighbours whose updates depend on nodes that moved.

        A hyper depends on the log s(X) of its hypo, a hypo on the log s(-X) of its hyper, and both ends of a denied
        edge on both logarithms.

        Parameters
        ----------
        nodes
            The nodes that may have moved.
        known
            Whether the log s(X) of each of these nodes moved.
        unknown
            Whether the log s(-X) of each of these nodes moved.
        """
        e, d = self.entailments, self.negations
        up, down = self._mask(nodes[known]), self._mask(nodes[unknown])
        both = up | down
        heard = e.hyper[up[e.hypo]], e.hypo[down[e.hyper]], d.hyper[both[d.hypo]], d.hypo[both[d.hyper]]
        return np.unique(np.concatenate(heard))

    def whole_cycles(self, nodes: Numbers) -> Numbers:
        """Return these nodes, all nodes in firm cycles with them, and the neighbours of those cycles."""
        if self.cyclic is None or not len(nodes):
            return nodes
        in_cycles = np.flatnonzero(self._mask(self.cyclic[nodes])[self.cyclic] & (self.cyclic > 0))
        return np.union1d(nodes, self.around(in_cycles)) if len(in_cycles) else nodes

    def independent_sets(self) -> Iterator[Numbers]:
        """Yield disjoint sets of nodes that together are all nodes; no two nodes of a set are neighbours.

        Updating set after set has the same effect as updating node after node with its neighbours' newest values, but
        takes a dozen array operations instead of a loop. Each round takes the nodes that come first
        among their remaining neighbours in a random, reproducible order (Luby 1986).
        """
        rank = np.random.default_rng(0).permutation(self.n_nodes) + 1.0
        rivals = self.neighbours.copy()
        while rank.any():
            rivals.data = rank[rivals.indices]
            chosen = np.flatnonzero((rank > 0) & (rank > rivals.max(axis=1).toarray()))
            yield chosen
            rank[chosen] = 0.0

    def implied(self, n_entailments: int = 0, n_negations: int = 0) -> list[list[int]]:
        """Return, for every denied edge that follows from the entailments, the path of entailments that implies it.

        The first `n_entailments` entailments and `n_negations` denied edges have been checked before. Only denied edges
        that are newer, or whose hypo is below a newer entailment, are examined.
        """
        e, d = self.entailments, self.negations
        below = self._below(e.hypo[n_entailments:])
        chosen = below[d.hypo] | (np.arange(len(d.hypo)) >= n_negations)
        paths = []
        for hypo in np.unique(d.hypo[chosen]).tolist():
            reached, parent = csgraph.breadth_first_order(self._adjacency, hypo)
            for hyper in np.intersect1d(d.hyper[chosen & (d.hypo == hypo)], reached).tolist():
                path = [hyper]
                while path[-1] != hypo:
                    path.append(int(parent[path[-1]]))
                paths.append(path[::-1])
        return paths

    def cycles(self) -> list[Numbers]:
        """Return every group of two or more nodes that entail each other, directly or through others."""
        _, group = csgraph.connected_components(self._adjacency, connection="strong")
        order = np.argsort(group, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
        return [nodes for nodes in groups if len(nodes) > 1]

    def equivalents(self, free: NDArray[np.bool_]) -> Numbers | None:
        """Return a group number for each node; `free` nodes that firmly entail each other share one. Return None if
        none do.

        Nodes that entail each other are equal. Sweeps would pass the evidence of one node to the others and back as if
        it were new, X = theta + X, without end; merged into one node with the sum of their priors they are solved
        exactly. Edges of weight w < 1 return less than they received, and such a cycle converges to theta / (1 - w).
        From w = 1/2 on that is more than the two nodes know together, so such edges count as firm too.
        """
        e = self.entailments
        firm = (e.weight >= FIRM) & free[e.hypo] & free[e.hyper]
        matrix = sparse.csr_array((np.ones(firm.sum()), (e.hypo[firm], e.hyper[firm])), shape=self._adjacency.shape)
        n_groups, group = csgraph.connected_components(matrix, connection="strong")
        return None if n_groups == self.n_nodes else group.astype(np.intp)

    def merged(self, group: Numbers) -> Structure:
        """Return the same edges between groups of nodes: each once, and none within a group."""
        return Structure(int(group.max()) + 1, _between(self.entailments, group), _between(self.negations, group))

    @cached_property
    def cyclic(self) -> Numbers | None:
        """The number of each node's firm cycle, counted from 1, and 0 for nodes in none; None if there are no firm
        cycles.
        """
        e = self.entailments
        if self.n_acyclic and not self._below(e.hypo[self.n_acyclic :])[e.hyper[self.n_acyclic :]].any():
            return None  # no newer edge leads back to the start of a newer edge
        group = self.equivalents(np.ones(self.n_nodes, dtype=bool))
        if group is None:
            return None
        return np.where(np.bincount(group)[group] > 1, group + 1, 0)

    @property
    def n_known_acyclic(self) -> int:
        """The number of entailments that have been found to be in no firm cycle."""
        return len(self.entailments.hypo) if self.__dict__.get("cyclic", ()) is None else self.n_acyclic

    def _below(self, nodes: Numbers) -> NDArray[np.bool_]:
        """Return which nodes are among these or entail one of them, directly or through others."""
        e = self.entailments
        below = self._mask(nodes)
        size = 0
        while size < (size := int(below.sum())):
            below[e.hypo[below[e.hyper]]] = True
        return below

    def _mask(self, nodes: Numbers) -> NDArray[np.bool_]:
        mask = np.zeros(self.n_nodes + 1, dtype=bool)  # one longer, since cycles are numbered from 1
        mask[nodes] = True
        return mask

    @cached_property
    def _adjacency(self) -> sparse.csr_array:
        e = self.entailments
        said = e.weight > 0
        ends = (e.hypo[said], e.hyper[said])
        return sparse.csr_array((np.ones(said.sum()), ends), shape=(self.n_nodes, self.n_nodes))


def _between(edges: Edges, group: Numbers) -> Edges:
    strongest_first = np.argsort(-edges.weight, kind="stable")
    ends = np.stack([group[edges.hypo], group[edges.hyper]])[:, strongest_first]
    _, once = np.unique(ends, axis=1, return_index=True)
    once = once[ends[0, once] != ends[1, once]]
    kept = strongest_first[once]
    return Edges(ends[0, once], ends[1, once], edges.weight[kept], edges.bound[kept])


class EdgeList:
    """A growing list of edges. It is stored in pieces, which are concatenated when the arrays are asked for."""

    def __init__(self) -> None:
        self.keys: set[tuple[int, int]] = set()
        self._pieces: list[Edges] = [Edges(*(np.empty(0, t) for t in (np.intp, np.intp, float, float)))]

    def extend(self, keys: list[tuple[int, int]], *columns: NDArray[Any]) -> None:
        """Add edges. Their `keys`, pairs of node numbers, must all be new; the columns are those of `Edges`."""
        self.keys.update(keys)
        self._pieces.append(Edges(*np.broadcast_arrays(*columns)))

    def arrays(self) -> Edges:
        """Return all edges added so far."""
        self._pieces = [Edges(*map(np.concatenate, zip(*self._pieces, strict=True)))]
        return self._pieces[0]
