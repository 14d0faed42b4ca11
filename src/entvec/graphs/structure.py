"""The structure of a directed graph: pure functions of its edges, arrays `hypo` and `hyper` of node numbers below `n`.

An edge points upwards, from hypo to hyper; a root has no outgoing edge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices: TypeAlias = NDArray[np.integer[Any]]
Mask: TypeAlias = NDArray[np.bool_]


def strong_components(n: int, hypo: Indices, hyper: Indices) -> NDArray[np.int32]:
    """Return the number of the strongly connected component of each node; in one of them all nodes reach each other."""
    from scipy.sparse.csgraph import connected_components

    if not n:
        return np.zeros(0, dtype=np.int32)
    _, found = connected_components(_matrix(n, hypo, hyper), connection="strong")
    return np.asarray(found, dtype=np.int32)


def break_cycles(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None = None) -> Mask:
    """Return a mask of edges to keep so that no cycle remains; each edge that is dropped is the weakest of a cycle.

    Edges are added in the order of their weights, the largest first. An edge is dropped if those before it have a path
    from its hyper back to its hypo, so with the edges that are kept it would close a cycle.

    >>> break_cycles(3, np.array([0, 1, 2]), np.array([1, 2, 0]), [0.9, 0.2, 0.8]).tolist()
    [True, False, True]

    Parameters
    ----------
    n
        The number of nodes.
    hypo, hyper
        The nodes that each edge leaves and enters.
    weight
        The weight of each edge; NaN is less than any number. Of equal weights the first edges are kept. By default all
        weights are equal.
    """
    kept = np.ones(len(hypo), dtype=bool)
    for edge, _ in _closing(n, hypo, hyper, weight):
        kept[edge] = False
    return kept


def cycles(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None = None) -> list[list[int]]:
    """Return one cycle for each edge that `break_cycles` drops: the shortest that it closes with stronger edges.

    A cycle is a list of nodes, each with an edge to the next. The edge from the last node to the first is the one that
    is dropped, the weakest of the cycle. The parameters are those of `break_cycles`.

    >>> cycles(4, np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3]))
    [[0, 1, 2]]
    """
    return [order.path(int(hyper[edge]), int(hypo[edge])) for edge, order in _closing(n, hypo, hyper, weight)]


def _closing(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None) -> Iterator[tuple[int, _Order]]:
    """Yield the edges to drop, the strongest first, each with the order of the stronger edges that are kept."""
    strength = np.zeros(len(hypo)) if weight is None else np.asarray(weight, dtype=np.float64)
    if strength.shape != np.shape(hypo):
        raise InvalidInput(f"weight has the shape {strength.shape}, expected one number an edge: {len(hypo)}")
    part = strong_components(n, hypo, hyper)
    inside = np.flatnonzero(part[hypo] == part[hyper])  # only these can be in a cycle
    strength = np.where(np.isnan(strength), -np.inf, strength)[inside]
    inside = inside[np.argsort(-strength, kind="stable")]
    order = _Order(np.unique([hypo[inside], hyper[inside]]).tolist())
    for edge, low, high in zip(inside.tolist(), hypo[inside].tolist(), hyper[inside].tolist(), strict=True):
        if not order.add(low, high):
            yield edge, order


def levels(n: int, hypo: Indices, hyper: Indices) -> NDArray[np.int32]:
    """Return the number of edges on the longest path from each node up to a root. A cycle raises InvalidInput.

    >>> levels(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [2, 1, 0]
    """
    found = np.zeros(n, dtype=np.int32)
    below = Links(n, hyper, hypo)
    waiting = np.bincount(hypo, minlength=n)
    ready = np.flatnonzero(waiting == 0)
    level = n_done = 0
    while len(ready):
        found[ready] = level
        n_done += len(ready)
        lower = below.of_all(ready)
        np.subtract.at(waiting, lower, 1)
        ready = np.unique(lower[waiting[lower] == 0])
        level += 1
    if n_done < n:
        raise InvalidInput(f"{n - n_done:,} nodes are in a cycle or below one, expected none; break the cycles first")
    return found


def transitive_reduction(n: int, hypo: Indices, hyper: Indices) -> Mask:
    """Return a mask of edges to keep: all but those whose hyper a longer path from the same hypo reaches.

    Every node still reaches what it reached before. A cycle counts as one node: its own edges are kept, and so are
    several edges between the same two cycles.

    >>> transitive_reduction(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [True, True, False]
    """
    part = strong_components(n, hypo, hyper)
    n_parts = int(part.max(initial=-1)) + 1
    low, high = part[hypo].astype(np.int64), part[hyper].astype(np.int64)
    between = low != high
    keys = low * n_parts + high
    implied = _implied(n_parts, np.unique(keys[between]))
    return np.asarray(~between | ~np.isin(keys, implied))


def closure(n: int, hypo: Indices, hyper: Indices, rows: Indices | None = None) -> csr_array:
    """Return which node reaches which by one edge or more: a sparse matrix of booleans with a row for each hypo.

    A node reaches itself only in a cycle. The whole matrix can be much larger than the graph; `rows` selects hypos.

    >>> closure(3, np.array([0, 1]), np.array([1, 2])).toarray().tolist()
    [[False, True, True], [False, False, True], [False, False, False]]
    """
    edges = _matrix(n, hypo, hyper)
    found = ring = edges if rows is None else edges[np.asarray(rows)]
    while ring.nnz:
        reached = (ring @ edges).astype(bool)
        ring = (reached > found).astype(bool)  # only new nodes lead to further ones
        found = (found + ring).astype(bool)
    return found


class Links:
    """The nodes that the edges of each node lead to, in the order of the edges.

    >>> Links(3, np.array([0, 2, 0]), np.array([1, 1, 2])).of(0).tolist()
    [1, 2]
    """

    def __init__(self, n: int, here: Indices, there: Indices) -> None:
        self.order = np.argsort(here, kind="stable")
        """The edges, sorted by the node that they leave."""
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=n))])
        """The place in `order` where the edges of each node begin, and the number of edges."""
        self._there = there[self.order]

    def of(self, node: int) -> Indices:
        """Return the nodes that the edges of one node lead to."""
        return self._there[self.starts[node] : self.starts[node + 1]]

    def of_all(self, nodes: Indices) -> Indices:
        """Return those of several nodes, one node after the other."""
        lengths = self.starts[nodes + 1] - self.starts[nodes]
        before = np.cumsum(lengths) - lengths
        return self._there[np.repeat(self.starts[nodes] - before, lengths) + np.arange(int(lengths.sum()))]

    def reached(self, node: int) -> dict[int, None]:
        """Return all nodes that can be reached, the nearest first."""
        found: dict[int, None] = {}
        ring = [node]
        while ring:
            before = len(found)
            for each in ring:
                found.update(dict.fromkeys(self.of(each).tolist()))
            ring = list(islice(found, before, None))
        return found

    def path(self, start: int, goal: int) -> list[int]:
        """Return the nodes of a shortest path from start to goal, both included; none if there is no path."""
        before = {start: start}
        ring = [start]
        while ring and goal not in before:
            steps = {there: node for node in reversed(ring) for there in self.of(node).tolist()}
            ring = [node for node in steps if node not in before]
            before |= {node: steps[node] for node in ring}
        if goal not in before:
            return []
        found = [goal]
        while found[-1] != start:
            found.append(before[found[-1]])
        return found[::-1]


def _matrix(n: int, hypo: Indices, hyper: Indices) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(hypo), dtype=bool), (hypo, hyper)), shape=(n, n))


def _implied(n: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges of an acyclic graph that a longer path implies; each is low * n + high, and they are sorted."""
    lows, highs = keys // max(n, 1), keys % max(n, 1)
    level = levels(n, lows, highs).tolist()
    begins = np.searchsorted(lows, np.arange(n + 1))
    several = np.flatnonzero(np.diff(begins) >= 2).tolist()  # a single parent has no other path to it
    starts, up = begins.tolist(), highs.tolist()
    found = []
    for node in several:
        parents = up[starts[node] : starts[node + 1]]
        # Paths lead to lower levels: no path comes back from below the lowest parent.
        floor = min(level[parent] for parent in parents)
        seen: set[int] = set()
        open_ = [parent for parent in parents if level[parent] > floor]
        while open_:
            at = open_.pop()
            for above in up[starts[at] : starts[at + 1]]:
                if above not in seen and level[above] >= floor:
                    seen.add(above)
                    if level[above] > floor:
                        open_.append(above)
        found += [node * n + parent for parent in parents if parent in seen]
    return np.array(found, dtype=np.int64)


class _Order:
    """A topological order that is updated with each new edge and detects cycles (Pearce and Kelly, 2007)."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self._place = {node: i for i, node in enumerate(nodes)}
        self._up: dict[int, list[int]] = {node: [] for node in self._place}
        self._down: dict[int, list[int]] = {node: [] for node in self._place}

    def add(self, low: int, high: int) -> bool:
        """Add an edge and return True, or return False if it closes a cycle."""
        place = self._place
        if place[low] >= place[high]:  # only the nodes between the two can be out of order
            above = self._reached(self._up, high, lambda node: place[node] <= place[low])
            if low in above:
                return False
            below = self._reached(self._down, low, lambda node: place[node] >= place[high])
            moved = sorted(below, key=place.__getitem__) + sorted(above, key=place.__getitem__)
            for node, where in zip(moved, sorted(map(place.__getitem__, moved)), strict=True):
                place[node] = where
        self._up[low].append(high)
        self._down[high].append(low)
        return True

    @staticmethod
    def _reached(links: dict[int, list[int]], start: int, within: Callable[[int], bool]) -> set[int]:
        found = {start}
        open_ = [start]
        while open_:
            for node in links[open_.pop()]:
                if node not in found and within(node):
                    found.add(node)
                    open_.append(node)
        return found

    def path(self, start: int, goal: int) -> list[int]:
        """Return the nodes of a shortest path upwards, both ends included; there must be one."""
        before = {start: start}
        open_ = deque([start])
        while goal not in before:
            node = open_.popleft()
            for above in self._up[node]:
                if above not in before:
                    before[above] = node
                    open_.append(above)
        path = [goal]
        while path[-1] != start:
            path.append(before[path[-1]])
        return path[::-1]
