"""The shape of a taxonomy: pure functions of its edges, arrays `hypo` and `hyper` of numbers below `n`.

An edge leads up, from hypo to hyper; a root has no edge that leaves it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices: TypeAlias = NDArray[np.integer[Any]]
Mask: TypeAlias = NDArray[np.bool_]


def components(n: int, hypo: Indices, hyper: Indices) -> NDArray[np.int32]:
    """The number of the part that each node belongs to; parts are those without an edge between them.

    >>> components(4, np.array([0, 2]), np.array([1, 3])).tolist()
    [0, 0, 1, 1]
    """
    return _components(n, hypo, hyper, "weak")


def strong_components(n: int, hypo: Indices, hyper: Indices) -> NDArray[np.int32]:
    """The number of the part that each node belongs to; two nodes are in one if each leads to the other."""
    return _components(n, hypo, hyper, "strong")


def orphans(n: int, hypo: Indices, hyper: Indices) -> NDArray[np.intp]:
    """The nodes without an edge."""
    alone = np.ones(n, dtype=bool)
    alone[hypo] = alone[hyper] = False
    return np.flatnonzero(alone)


def break_cycles(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None = None) -> Mask:
    """Which edges to keep so that no cycle is left: each one left out is the weakest of some cycle.

    The strongest edges come first, and an edge is left out if those before it lead back from its end to its start. So
    none is left out for nothing: with those that are kept, each would close a cycle. Among edges of one weight the
    first are kept; a weight of NaN is less than any other. Without `weight` all are the same.

    >>> break_cycles(3, np.array([0, 1, 2]), np.array([1, 2, 0]), [0.9, 0.2, 0.8]).tolist()
    [True, False, True]
    """
    kept = np.ones(len(hypo), dtype=bool)
    for edge, _ in _closing(n, hypo, hyper, weight):
        kept[edge] = False
    return kept


def cycles(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None = None) -> list[list[int]]:
    """One cycle for each edge that `break_cycles` leaves out: the shortest that it closes with stronger ones.

    A cycle is a list of nodes, each with an edge to the next and the last with an edge to the first; the edge from the
    last to the first is the one left out, the weakest of them.

    >>> cycles(4, np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3]))
    [[0, 1, 2]]
    """
    return [order.path(int(hyper[edge]), int(hypo[edge])) for edge, order in _closing(n, hypo, hyper, weight)]


def _closing(n: int, hypo: Indices, hyper: Indices, weight: ArrayLike | None) -> Iterator[tuple[int, _Order]]:
    """The edges to leave out, the strongest first, each with the order of those that are stronger and are kept."""
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
    """How many edges the longest way from each node up to a root has: 0 for a root. There must be no cycle.

    >>> levels(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [2, 1, 0]
    """
    found = np.zeros(n, dtype=np.int32)
    starts, lows = _grouped(n, hyper, hypo)
    waiting = np.bincount(hypo, minlength=n)
    ready = np.flatnonzero(waiting == 0)
    level = n_done = 0
    while len(ready):
        found[ready] = level
        n_done += len(ready)
        below = lows[_spans(starts, ready)]
        np.subtract.at(waiting, below, 1)
        ready = np.unique(below[waiting[below] == 0])
        level += 1
    if n_done < n:
        raise InvalidInput(f"{n - n_done:,} nodes are in a cycle or below one, expected none; break the cycles first")
    return found


def redundant(n: int, hypo: Indices, hyper: Indices) -> Mask:
    """Which edges say only what a longer way from the same hypo to the same hyper says.

    A cycle counts as one node: its own edges are not redundant, nor are two edges between the same two cycles. All
    redundant edges can be left out together, and every node still leads to whatever it led to.

    >>> redundant(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [False, False, True]
    """
    part = strong_components(n, hypo, hyper)
    n_parts = int(part.max(initial=-1)) + 1
    low, high = part[hypo].astype(np.int64), part[hyper].astype(np.int64)
    between = low != high
    keys = low * n_parts + high
    condensed = np.unique(keys[between])
    implied = _implied(n_parts, condensed)
    return np.asarray(between & np.isin(keys, implied))


def closure(n: int, hypo: Indices, hyper: Indices, rows: Indices | None = None) -> csr_array:
    """Which node leads to which, by one edge or more: a sparse matrix of booleans, a row a hypo.

    A node leads to itself only in a cycle. The matrix of all rows can be much larger than the taxonomy; `rows` asks
    for some of them.

    >>> closure(3, np.array([0, 1]), np.array([1, 2])).toarray().tolist()
    [[False, True, True], [False, False, True], [False, False, False]]
    """
    edges = _matrix(n, hypo, hyper)
    found = ring = edges if rows is None else edges[np.asarray(rows)]
    while ring.nnz:
        reached = (ring @ edges).astype(bool)
        ring = (reached > found).astype(bool)  # only what is new leads on
        found = (found + ring).astype(bool)
    return found


def _matrix(n: int, hypo: Indices, hyper: Indices) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(hypo), dtype=bool), (hypo, hyper)), shape=(n, n))


def _components(n: int, hypo: Indices, hyper: Indices, connection: Literal["weak", "strong"]) -> NDArray[np.int32]:
    from scipy.sparse.csgraph import connected_components

    if not n:
        return np.zeros(0, dtype=np.int32)
    _, found = connected_components(_matrix(n, hypo, hyper), connection=connection)
    return np.asarray(found, dtype=np.int32)


def _grouped(n: int, by: Indices, values: Indices) -> tuple[NDArray[np.int64], Indices]:
    """The values in the order of `by`, and where those of each node begin."""
    order = np.argsort(by, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(by, minlength=n))])
    return starts, values[order]


def _spans(starts: NDArray[np.int64], nodes: Indices) -> NDArray[np.int64]:
    """The places of the values of these nodes, one node after the other."""
    lengths = starts[nodes + 1] - starts[nodes]
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts[nodes] - before, lengths) + np.arange(int(lengths.sum()))


def _implied(n: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of the edges of a graph without cycles, sorted and each as low * n + high: those that a longer way implies."""
    lows, highs = keys // max(n, 1), keys % max(n, 1)
    level = levels(n, lows, highs).tolist()
    begins = np.searchsorted(lows, np.arange(n + 1))
    several = np.flatnonzero(np.diff(begins) >= 2).tolist()  # one parent alone has no other way
    starts, up = begins.tolist(), highs.tolist()
    found = []
    for node in several:
        parents = up[starts[node] : starts[node + 1]]
        # Ways lead to lower levels: from below the lowest parent none comes back to a parent.
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
    """A topological order that grows edge by edge and knows which edge closes a cycle (Pearce and Kelly, 2007)."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self._place = {node: i for i, node in enumerate(nodes)}
        self._up: dict[int, list[int]] = {node: [] for node in self._place}
        self._down: dict[int, list[int]] = {node: [] for node in self._place}

    def add(self, low: int, high: int) -> bool:
        """Add an edge, unless it closes a cycle; whether it was added."""
        place = self._place
        if place[low] >= place[high]:  # the order is wrong between the two: look there, and there only
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
        """The nodes of a shortest way up from one to the other, both included; there must be one."""
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
