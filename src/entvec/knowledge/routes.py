"""Ways up from a concept that no denial closes.

A denial says that one concept, the hypo, is not a kind of another, the hyper. It closes every way that passes the hypo
and later the hyper, unless all edges between them are of the same source as the denial, or of later ones. A way to the
hyper that does not pass the hypo stays open: that a bird need not fly does not keep a sparrow from flying.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from entvec.graphs.structure import Links

WAYS = 4
"""The most ways to one concept that are followed, if each of them is closed to other concepts."""


class Closed(NamedTuple):
    """A concept to which a way is closed, or will be with its next edge of an earlier source."""

    hyper: int
    source: int
    now: bool


class Route(NamedTuple):
    """A way up to a concept."""

    concept: int
    steps: int
    before: Route | None
    closed: frozenset[Closed]

    @property
    def path(self) -> list[int]:
        """The concepts from the start to this one."""
        found, at = [self.concept], self.before
        while at is not None:
            found.append(at.concept)
            at = at.before
        return found[::-1]


def routes(
    up: Links, origins: Sequence[int], denied: Mapping[int, Sequence[tuple[int, int]]], start: int
) -> dict[int, Route]:
    """Return a shortest open way to each concept above one, the nearest first; the concept itself is 0 steps away.

    >>> import numpy as np
    >>> up = Links(3, np.array([0, 1]), np.array([1, 2]))
    >>> denied = {0: [(2, 1)]}
    >>> list(routes(up, [0, 0], denied, 0)), list(routes(up, [1, 1], denied, 0))
    ([0, 1], [0, 1, 2])

    Parameters
    ----------
    up
        The concepts directly above each one.
    origins
        The source of each of these edges.
    denied
        For each hypo the hypers that are denied to it, each with the source of the denial.
    start
        The concept to begin at.
    """
    there, starts = up.as_lists
    ring = [Route(start, 0, None, _closing(denied, start))]
    found = {start: [ring[0]]}
    while ring:
        higher: list[Route] = []
        for route in ring:
            for edge in range(starts[route.concept], starts[route.concept + 1]):
                above, origin = there[edge], origins[edge]
                closed = frozenset(each._replace(now=each.now or origin < each.source) for each in route.closed)
                if any(each.now and each.hyper == above for each in closed):
                    continue
                closed |= _closing(denied, above)
                ways = found.setdefault(above, [])
                if len(ways) < WAYS and not any(way.closed <= closed for way in ways):
                    ways.append(Route(above, route.steps + 1, route, closed))
                    higher.append(ways[-1])
        ring = higher
    return {concept: ways[0] for concept, ways in found.items()}


def _closing(denied: Mapping[int, Sequence[tuple[int, int]]], concept: int) -> frozenset[Closed]:
    return frozenset(Closed(hyper, source, now=False) for hyper, source in denied.get(concept, ()))
