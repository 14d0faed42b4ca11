"""The structure of a directed graph: pure functions of its edges, arrays `hypo` and `hyper` of node numbers below `n`.

An edge points upwards, from hypo to hyper; a root has no outgoing edge.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Mask
from entvec.errors import InvalidInput
from entvec.progress import Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Nodes: TypeAlias = NDArray[np.integer[Any]]

MASK_BITS = 1 << 29
"""The most bits of all nodes together when many nodes are examined at once: 64 MB."""
STEPS_EACH = 20
"""The steps per node and edge that searches from node to node may take before bit sets are used instead."""


def strong_components(n: int, hypo: Nodes, hyper: Nodes) -> NDArray[np.int32]:
    """Return the number of the strongly connected component of each node; in one of them all nodes reach each other."""
    from scipy.sparse.csgraph import connected_components

    if not n:
        return np.zeros(0, dtype=np.int32)
    _, found = connected_components(_matrix(n, hypo, hyper), connection="strong")
    return np.asarray(found, dtype=np.int32)


def break_cycles(n: int, hypo: Nodes, hyper: Nodes, weight: ArrayLike | None = None) -> Mask:
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


def cycles(
    n: int, hypo: Nodes, hyper: Nodes, weight: ArrayLike | None = None, steps: Steps | None = None
) -> Iterator[tuple[int, list[int]]]:
    """Yield each edge that `break_cycles` drops, and the shortest cycle that it closes with stronger edges.

    A cycle is a list of nodes, each with an edge to the next. The edge from the last node to the first is the dropped
    one, the weakest of the cycle.

    >>> list(cycles(4, np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3])))
    [(2, [0, 1, 2])]

    Parameters
    ----------
    n, hypo, hyper, weight
        As in `break_cycles`.
    steps
        A limit of the search for the shortest cycles. Once it is used up, the lists are empty.
    """
    for edge, order in _closing(n, hypo, hyper, weight):
        yield edge, order.path(int(hyper[edge]), int(hypo[edge]), steps or Steps())


def _closing(n: int, hypo: Nodes, hyper: Nodes, weight: ArrayLike | None) -> Iterator[tuple[int, _Order]]:
    """Yield the edges to drop, the strongest first, each with the order of the stronger edges that are kept."""
    strength = np.zeros(len(hypo)) if weight is None else np.asarray(weight, dtype=np.float64)
    if strength.shape != np.shape(hypo):
        raise InvalidInput(f"weight has the shape {strength.shape}, expected one number an edge: {len(hypo)}")
    part = strong_components(n, hypo, hyper)
    inside = np.flatnonzero(part[hypo] == part[hyper])  # only these can be in a cycle
    strength = np.where(np.isnan(strength), -np.inf, strength)[inside]
    inside = inside[np.argsort(-strength, kind="stable")]
    order = _Order(np.unique([hypo[inside], hyper[inside]]).tolist())
    kept: list[int] = []
    closing: set[int] = set()
    for at, edge in enumerate(inside.tolist()):
        if order.steps > STEPS_EACH * (n + len(hypo)):  # the searches are long: one for all edges that are left
            order.steps = 0
            left = inside[at:]
            closes = Reachability(n, hypo[kept], hyper[kept]).pairs(hyper[left], hypo[left])
            closing.update(left[closes].tolist())
        if edge not in closing and order.add(int(hypo[edge]), int(hyper[edge])):
            kept.append(edge)
        else:
            yield edge, order


def levels(n: int, hypo: Nodes, hyper: Nodes) -> NDArray[np.int32]:
    """Return the number of edges on the longest path from each node up to a root. A cycle raises InvalidInput.

    >>> levels(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [2, 1, 0]
    """
    links = Links(n, hyper, hypo)
    below, starts = links.there.tolist(), links.starts.tolist()
    waiting = np.bincount(hypo, minlength=n).tolist()
    found = [0] * n
    ready = [node for node in range(n) if not waiting[node]]
    for node in ready:  # grows while it is read; node by node, because a chain has as many levels as nodes
        for lower in below[starts[node] : starts[node + 1]]:
            found[lower] = max(found[lower], found[node] + 1)
            waiting[lower] -= 1
            if not waiting[lower]:
                ready.append(lower)
    if len(ready) < n:
        raise InvalidInput(
            f"{n - len(ready):,} nodes are in a cycle or below one, expected none; break the cycles first"
        )
    return np.array(found, dtype=np.int32)


def transitive_reduction(n: int, hypo: Nodes, hyper: Nodes, progress: Progress | None = None) -> Mask:
    """Return a mask of edges to keep: all but those whose hyper a longer path from the same hypo reaches.

    Every node still reaches what it reached before. A cycle counts as one node: its own edges are kept, and so are
    several edges between the same two cycles.

    >>> transitive_reduction(3, np.array([0, 1, 0]), np.array([1, 2, 2])).tolist()
    [True, True, False]
    """
    parts = Reachability(n, hypo, hyper)
    low, high = parts.part[hypo].astype(np.int64), parts.part[hyper].astype(np.int64)
    return np.asarray((low == high) | ~np.isin(low * parts.n + high, parts.implied(progress)))


class Reachability:
    """Answers which node reaches which by one edge or more. A node reaches itself only in a cycle.

    The strongly connected components form a graph without cycles. The nodes of a question are bits of integers that are
    propagated from hypos to hypers, so one pass over all edges answers for thousands of nodes.

    >>> Reachability(3, np.array([0, 1]), np.array([1, 2])).rows(np.arange(3)).tolist()
    [[False, True, True], [False, False, True], [False, False, False]]
    """

    def __init__(self, n: int, hypo: Nodes, hyper: Nodes) -> None:
        self.part = strong_components(n, hypo, hyper)
        """The component of each node."""
        self.n = int(self.part.max(initial=-1)) + 1
        low, high = self.part[hypo].astype(np.int64), self.part[hyper].astype(np.int64)
        self._in_cycle = np.zeros(self.n, dtype=bool)
        self._in_cycle[low[low == high]] = True
        keys = np.unique((low * self.n + high)[low != high])
        lows, highs = keys // max(self.n, 1), keys % max(self.n, 1)
        self._level = levels(self.n, lows, highs)
        self._order = np.argsort(-self._level, kind="stable").tolist()  # hypos before their hypers
        self._starts = np.searchsorted(lows, np.arange(self.n + 1)).tolist()
        self._up = highs.tolist()
        self._at_once = max(64, MASK_BITS // max(self.n, 1))

    def pairs(self, lows: Nodes, highs: Nodes, progress: Progress | None = None) -> Mask:
        """Return for each pair True if its first node reaches its second."""
        low, high = self.part[lows], self.part[highs]
        found = (low == high) & self._in_cycle[low]
        sources, of_source = np.unique(low, return_inverse=True)
        links = Links(len(sources), of_source, np.arange(len(low)))
        for first in range(0, len(sources), self._at_once):
            block = sources[first : first + self._at_once].tolist()
            masks = self._masks(block)[0]
            for i in range(len(block)):
                for pair in links.of(first + i).tolist():
                    found[pair] |= bool(masks[high[pair]] >> i & 1)
            if progress is not None:
                progress(first + len(block), len(sources))
        return np.asarray(found)

    def rows(self, nodes: Nodes) -> Mask:
        """Return a row for each of some nodes and a column for each of all: True where the first reaches the other."""
        sources, of_node = np.unique(self.part[nodes], return_inverse=True)
        found = bits(self._masks(sources.tolist())[0], len(sources)).T
        found[np.arange(len(sources)), sources] |= self._in_cycle[sources]
        return np.asarray(found[of_node][:, self.part])

    def joined(self, masks: Sequence[int]) -> list[int]:
        """Return the union of the bits of each node and of all nodes that reach it."""
        found, part = [0] * self.n, self.part.tolist()
        for node, mask in enumerate(masks):
            found[part[node]] |= mask
        for node in self._order:
            for above in self._up[self._starts[node] : self._starts[node + 1]] if found[node] else ():
                found[above] |= found[node]
        return [found[each] for each in part]

    def implied(self, progress: Progress | None = None) -> NDArray[np.int64]:
        """Return the edges between components that a longer path implies, each as low * n + high."""
        starts, up, level = self._starts, self._up, self._level.tolist()
        several = [
            node for node in range(self.n) if starts[node + 1] - starts[node] >= 2
        ]  # one parent has no other way
        found: list[int] = []
        steps = STEPS_EACH * (self.n + len(up))
        while several and steps > 0:
            node = several.pop()
            parents = up[starts[node] : starts[node + 1]]
            # Edges lead to lower levels, so no path returns from below the lowest parent.
            floor = min(level[parent] for parent in parents)
            seen: set[int] = set()
            open_ = [parent for parent in parents if level[parent] > floor]
            while open_:
                at = open_.pop()
                steps -= starts[at + 1] - starts[at]
                for above in up[starts[at] : starts[at + 1]]:
                    if above not in seen and level[above] >= floor:
                        seen.add(above)
                        if level[above] > floor:
                            open_.append(above)
            found += [node * self.n + parent for parent in parents if parent in seen]
        for first in range(0, len(several), self._at_once):  # long paths, as in a chain whose terms also state the top
            block = several[first : first + self._at_once]
            through = self._masks(block)[1]
            for i, node in enumerate(block):
                parents = up[starts[node] : starts[node + 1]]
                found += [node * self.n + parent for parent in parents if through[parent] >> i & 1]
            if progress is not None:
                progress(first + len(block), len(several))
        return np.array(found, dtype=np.int64)

    def _masks(self, sources: list[int]) -> tuple[list[int], list[int]]:
        """Return the sources that reach each node, as bits, and those that reach it by two edges or more."""
        reached, through = [0] * self.n, [0] * self.n
        own = {node: 1 << i for i, node in enumerate(sources)}
        starts, up = self._starts, self._up
        for node in self._order:
            mask = reached[node]
            either = mask | own.get(node, 0)
            if either:
                for above in up[starts[node] : starts[node + 1]]:
                    reached[above] |= either
                    through[above] |= mask
        return reached, through


def bits(masks: Iterable[int], width: int) -> Mask:
    """Return the bits of integers as rows of booleans, the lowest bit first.

    >>> bits([1, 6], 3).tolist()
    [[True, False, False], [False, True, True]]
    """
    n_bytes = -(-width // 8)
    packed = np.frombuffer(b"".join(mask.to_bytes(n_bytes, "little") for mask in masks), dtype=np.uint8)
    found = np.unpackbits(packed.reshape(-1, max(n_bytes, 1)), axis=1, count=width, bitorder="little")
    return found.astype(bool)


class Steps:
    """A limit of steps shared by several searches, so that all of them together end in time."""

    def __init__(self, left: int = sys.maxsize) -> None:
        self.left = left


def _stable_order(nodes: Nodes) -> Nodes:
    """Return the stable sorting order of nodes, whose numbers are 0 or more.

    NumPy sorts 16-bit integers in a fraction of the time that it needs for larger ones.
    """
    order = np.argsort(nodes.astype(np.uint16), kind="stable")
    bits, most = 16, int(nodes.max(initial=0))
    while most >> bits:
        order = order[np.argsort((nodes[order] >> bits).astype(np.uint16), kind="stable")]
        bits += 16
    return order


class Links:
    """The nodes that the edges of each node lead to, in the order of the edges.

    >>> Links(3, np.array([0, 2, 0]), np.array([1, 1, 2])).of(0).tolist()
    [1, 2]
    """

    def __init__(self, n: int, here: Nodes, there: Nodes) -> None:
        self.order = _stable_order(here)
        """The edges, sorted by the node that they leave."""
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=n))])
        """The place in `order` where the edges of each node begin, and the number of edges."""
        self.there = there[self.order]
        """The node that each of these edges leads to."""

    def of(self, node: int) -> Nodes:
        """Return the nodes that the edges of one node lead to."""
        return self.there[self.starts[node] : self.starts[node + 1]]

    @cached_property
    def as_lists(self) -> tuple[list[int], list[int]]:
        """The same arrays as lists, from which a slice is taken in a tenth of the time."""
        return self.there.tolist(), self.starts.tolist()

    def reached(self, node: int) -> dict[int, None]:
        """Return all nodes that can be reached, the nearest first."""
        there, starts = self.as_lists
        found: dict[int, None] = {}
        open_ = [node]
        for each in open_:  # the list grows during the loop
            new = [above for above in there[starts[each] : starts[each + 1]] if above not in found]
            found.update(dict.fromkeys(new))
            open_ += new
        return found

    def path(self, start: int, goal: int, steps: Steps | None = None) -> list[int]:
        """Return the nodes of a shortest path from start to goal, both included.

        The list is empty if there is no path, or if the limit of `steps` is reached before it is found.
        """
        steps = steps or Steps()
        there, starts = self.as_lists
        before = {start: start}
        ring = [start]
        while ring and goal not in before and steps.left > 0:
            links = [there[starts[node] : starts[node + 1]] for node in ring]
            steps.left -= sum(map(len, links))
            # If several nodes lead to the same one, the first of them is its predecessor.
            last = next((node for node, several in zip(ring, links, strict=True) if goal in several), None)
            if last is not None:
                before[goal] = last
                break
            found: dict[int, int] = {}
            for node, several in zip(reversed(ring), reversed(links), strict=True):
                for each in several:
                    if each not in before:
                        found[each] = node
            before.update(found)
            ring = list(found)
        return _walk(before, start, goal)


def _matrix(n: int, hypo: Nodes, hyper: Nodes) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(hypo), dtype=bool), (hypo, hyper)), shape=(n, n))


class _Order:
    """A topological order that is updated with each new edge and detects cycles (Pearce and Kelly, 2007)."""

    def __init__(self, nodes: Iterable[int]) -> None:
        self.steps = 0
        """The number of nodes that searches have passed."""
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

    def _reached(self, links: dict[int, list[int]], start: int, within: Callable[[int], bool]) -> set[int]:
        found = {start}
        open_ = [start]
        while open_:
            for node in links[open_.pop()]:
                if node not in found and within(node):
                    found.add(node)
                    open_.append(node)
        self.steps += len(found)
        return found

    def path(self, start: int, goal: int, steps: Steps) -> list[int]:
        """Return the nodes of a shortest path upwards, both ends included; an empty list if the limit of steps is
        reached.
        """
        before = {start: start}
        open_ = deque([start])
        while goal not in before and steps.left > 0:
            node = open_.popleft()
            steps.left -= len(self._up[node])
            for above in self._up[node]:
                if above not in before:
                    before[above] = node
                    open_.append(above)
        return _walk(before, start, goal)


def _walk(before: dict[int, int], start: int, goal: int) -> list[int]:
    """Return the nodes from start to goal, given the node before each; none if the goal was not reached."""
    if goal not in before:
        return []
    path = [goal]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]
