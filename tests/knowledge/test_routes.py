"""Ways up that no denial closes, beside all ways there are."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from entvec.graphs.structure import Links
from entvec.knowledge.routes import routes

N = 6
EDGES = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(0, 2)), max_size=12)
DENIALS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(0, 2)), max_size=3)
Edges = list[tuple[int, int, int]]


def simple_paths(edges: Edges, path: Edges, start: int) -> Iterator[Edges]:
    """Yield all paths of edges that pass no node twice."""
    yield path
    for edge in edges:
        here = path[-1][1] if path else start
        if edge[0] == here and edge[1] not in {start, *(each[1] for each in path)}:
            yield from simple_paths(edges, [*path, edge], start)


def is_open(path: Edges, start: int, denials: Edges) -> bool:
    nodes = [start, *(edge[1] for edge in path)]
    return not any(
        (low, high) == (nodes[i], nodes[j]) and min(edge[2] for edge in path[i:j]) < source
        for i, j in combinations(range(len(nodes)), 2)
        for low, high, source in denials
    )


@given(EDGES, DENIALS)
def test_a_concept_is_reached_if_one_way_is_open(edges: Edges, denials: Edges) -> None:
    edges = [edge for edge in edges if edge[0] != edge[1]]
    denials = [denial for denial in denials if denial[0] != denial[1]]
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    up = Links(N, ends[:, 0], ends[:, 1])
    origins = [edges[at][2] for at in up.order]
    denied: dict[int, list[tuple[int, int]]] = {}
    for low, high, source in denials:
        denied.setdefault(low, []).append((high, source))
    expected: dict[int, int] = {}
    for path in simple_paths(edges, [], 0):
        if is_open(path, 0, denials):
            end = path[-1][1] if path else 0
            expected[end] = min(len(path), expected.get(end, N))
    found = routes(up, origins, denied, 0)
    assert {concept: route.steps for concept, route in found.items()} == expected
    for concept, route in found.items():
        assert (route.path[0], route.path[-1], len(route.path)) == (0, concept, route.steps + 1)


def test_many_denials_and_a_cycle_come_to_an_end() -> None:
    n = 60
    here = np.repeat(np.arange(n), 2)
    there = (here + np.tile([1, 2], n)) % n
    denied = {at: [((at + 7) % n, 1)] for at in range(n)}
    found = routes(Links(n, here, there), [0] * len(here), denied, 0)
    assert 7 not in found
    assert list(found)[:7] == list(range(7))
