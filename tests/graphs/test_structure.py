"""The shape of a taxonomy, against networkx and by eye."""

from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.graphs.structure import (
    Links,
    Reachability,
    Steps,
    _Order,
    break_cycles,
    cycles,
    levels,
    strong_components,
    transitive_reduction,
)

N = 8
Pairs = list[tuple[int, int]]
pairs = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda pair: pair[0] != pair[1]), unique=True
)
falling = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda pair: pair[0] > pair[1]), unique=True
)


def arrays(edges: Pairs) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    hypo, hyper = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    return hypo, hyper


def graph(edges: Pairs) -> nx.DiGraph:
    made = nx.DiGraph()
    made.add_nodes_from(range(N))
    made.add_edges_from(edges)
    return made


def kept(edges: Pairs, mask: NDArray[np.bool_]) -> Pairs:
    return [edge for edge, keep in zip(edges, mask, strict=True) if keep]


def test_the_weakest_edge_of_a_cycle_goes() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    assert break_cycles(4, *arrays(edges), [0.9, 0.2, 0.8, 0.1]).tolist() == [True, False, True, True]
    assert list(cycles(4, *arrays(edges), [0.9, 0.2, 0.8, 0.1])) == [(1, [2, 0, 1])]


def test_without_weights_the_last_edge_goes_and_what_is_not_known_is_weakest() -> None:
    edges = [(0, 1), (1, 0)]
    assert break_cycles(2, *arrays(edges)).tolist() == [True, False]
    assert break_cycles(2, *arrays(edges), [np.nan, 0.0]).tolist() == [False, True]


def test_a_weight_for_each_edge_is_expected() -> None:
    with pytest.raises(InvalidInput, match=r"shape \(1,\), expected one number an edge: 2"):
        break_cycles(2, *arrays([(0, 1), (1, 0)]), [1.0])


def test_each_tangle_has_its_cycles() -> None:
    edges = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (4, 3), (5, 6)]
    found = list(cycles(7, *arrays(edges)))
    assert found == [(1, [0, 1]), (4, [2, 3, 4]), (5, [3, 4])]


@given(pairs, st.randoms(use_true_random=False))
def test_what_is_left_has_no_cycle_and_nothing_goes_for_nothing(edges: Pairs, random: Random) -> None:
    weight = np.array([random.random() for _ in edges])
    hypo, hyper = arrays(edges)
    mask = break_cycles(N, hypo, hyper, weight)
    rest = graph(kept(edges, mask))
    assert nx.is_directed_acyclic_graph(rest)
    for edge in np.flatnonzero(~mask):
        assert nx.has_path(rest, int(hyper[edge]), int(hypo[edge]))


@given(pairs, st.randoms(use_true_random=False))
def test_a_cycle_is_made_of_edges_and_closed_by_its_weakest(edges: Pairs, random: Random) -> None:
    weight = np.array([random.random() for _ in edges])
    strength = dict(zip(edges, weight, strict=True))
    hypo, hyper = arrays(edges)
    found = [cycle for _, cycle in cycles(N, hypo, hyper, weight)]
    dropped = kept(edges, ~break_cycles(N, hypo, hyper, weight))
    assert sorted((cycle[-1], cycle[0]) for cycle in found) == sorted(dropped)
    for cycle in found:
        around = list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
        assert strength[around[-1]] == min(map(strength.__getitem__, around))
        assert len(set(cycle)) == len(cycle)
    tangles = [part for part in nx.strongly_connected_components(graph(edges)) if len(part) > 1]
    assert all(any(set(cycle) <= part for cycle in found) for part in tangles)


@given(falling)
def test_levels_are_the_longest_way_up(edges: Pairs) -> None:
    found = levels(N, *arrays(edges))
    for node in range(N):
        above = [found[hyper] + 1 for hypo, hyper in edges if hypo == node]
        assert found[node] == max(above, default=0)


def test_levels_of_a_cycle_are_refused() -> None:
    with pytest.raises(InvalidInput, match="3 nodes are in a cycle or below one"):
        levels(4, *arrays([(0, 1), (1, 0), (2, 1)]))


@given(falling)
def test_redundant_edges_are_those_that_the_transitive_reduction_leaves_out(edges: Pairs) -> None:
    needed = kept(edges, transitive_reduction(N, *arrays(edges)))
    assert set(needed) == set(nx.transitive_reduction(graph(edges)).edges)


@given(pairs)
def test_without_redundant_edges_every_way_is_still_there(edges: Pairs) -> None:
    needed = kept(edges, transitive_reduction(N, *arrays(edges)))
    before, after = (Reachability(N, *arrays(some)).rows(np.arange(N)) for some in (edges, needed))
    np.testing.assert_array_equal(before, after)


def test_no_edge_of_a_cycle_is_redundant_but_one_past_it_is() -> None:
    edges = [(0, 1), (1, 0), (1, 2), (3, 0), (3, 2)]
    assert transitive_reduction(4, *arrays(edges)).tolist() == [True, True, True, True, False]


@given(pairs)
def test_the_closure_is_every_way_of_one_edge_or_more(edges: Pairs) -> None:
    ours = Reachability(N, *arrays(edges))
    wanted = nx.to_numpy_array(nx.transitive_closure(graph(edges)), nodelist=range(N)) > 0
    np.testing.assert_array_equal(ours.rows(np.arange(N)), wanted)
    np.testing.assert_array_equal(ours.rows(np.array([3, 1])), wanted[[3, 1]])
    lows, highs = map(np.ravel, np.indices((N, N)))
    np.testing.assert_array_equal(ours.pairs(lows, highs), wanted.ravel())


@given(pairs)
def test_parts_are_those_of_networkx(edges: Pairs) -> None:
    ours, theirs = strong_components(N, *arrays(edges)), nx.strongly_connected_components(graph(edges))
    assert {frozenset(np.flatnonzero(ours == part).tolist()) for part in set(ours.tolist())} == set(
        map(frozenset, theirs)
    )


@pytest.mark.parametrize("n", [0, 3])
def test_nothing_has_no_shape(n: int) -> None:
    none = arrays([])
    assert strong_components(n, *none).shape == (n,)
    assert break_cycles(n, *none).tolist() == list(cycles(n, *none)) == transitive_reduction(n, *none).tolist() == []
    assert levels(n, *none).tolist() == [0] * n
    assert Reachability(n, *none).rows(np.arange(n)).shape == (n, n)


@pytest.mark.parametrize("shape", ["shallow", "deep"])
def test_the_two_ways_to_find_redundant_edges_agree(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    low, high = np.sort(rng.integers(0, 60, (2, 300)), axis=0)
    high = high if shape == "shallow" else np.minimum(high, low + 3)
    kept = low != high
    one = transitive_reduction(60, low[kept], high[kept])
    monkeypatch.setattr("entvec.graphs.structure.STEPS_EACH", 0)  # bits from the start
    monkeypatch.setattr("entvec.graphs.structure.MASK_BITS", 1)  # in blocks of 64
    np.testing.assert_array_equal(transitive_reduction(60, low[kept], high[kept]), one)


@pytest.mark.parametrize("n", [2000, 4000])
def test_a_chain_whose_terms_also_state_the_top_takes_few_steps(n: int, walks: list[int]) -> None:
    low = np.concatenate([np.arange(n), np.arange(n - 1)])
    high = np.concatenate([np.arange(1, n + 1), np.full(n - 1, n)])
    kept = transitive_reduction(n + 1, low, high)
    assert kept.tolist() == [True] * n + [False] * (n - 1)
    assert Reachability(n + 1, low, high).pairs(np.arange(n), np.full(n, n)).all()
    assert len(walks) == 2  # one along all edges for each question, instead of one for each node


@pytest.mark.parametrize("n", [500, 1000, 2000])
def test_edges_back_to_the_start_of_a_chain_take_few_steps(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[int] = []
    reached = _Order._reached

    def counted(self: _Order, *given: Any) -> set[int]:
        passed.append(len(found := reached(self, *given)))
        return found

    monkeypatch.setattr(_Order, "_reached", counted)
    low = np.concatenate([np.arange(n), np.arange(1, n)])
    high = np.concatenate([np.arange(1, n + 1), np.zeros(n - 1, dtype=np.intp)])
    assert break_cycles(n + 1, low, high).tolist() == [True] * n + [False] * (n - 1)
    assert sum(passed) < 40 * len(low)


@pytest.mark.parametrize("seed", range(5))
def test_cycles_are_the_same_however_they_are_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = np.random.default_rng(seed).integers(0, 40, (2, 200))
    low, high = low[low != high], high[low != high]
    one = break_cycles(40, low, high)
    monkeypatch.setattr("entvec.graphs.structure.STEPS_EACH", 0)  # in bulk, again and again
    np.testing.assert_array_equal(break_cycles(40, low, high), one)


@pytest.mark.parametrize("n", [1000, 2000])
def test_paths_and_what_is_reached_grow_with_the_edges(n: int) -> None:
    links = Links(n + 1, np.arange(n), np.arange(1, n + 1))
    steps = Steps(10 * n)
    assert links.path(0, n, steps) == list(range(n + 1))
    assert steps.left == 9 * n
    assert list(links.reached(0)) == list(range(1, n + 1))
    assert links.path(0, n, Steps(n // 2)) == []


def test_a_long_chain_is_followed_to_its_end() -> None:
    n = 5000
    hypo, hyper = np.arange(n - 1), np.arange(1, n)
    assert levels(n, hypo, hyper)[0] == n - 1
    ((_, ring),) = cycles(n, np.append(hypo, n - 1), np.append(hyper, 0))
    assert len(ring) == n


@pytest.mark.parametrize("n", [1, 1 << 16, 1 << 20])
def test_edges_are_sorted_by_their_nodes_and_keep_their_order(n: int) -> None:
    here = np.random.default_rng(0).integers(n, size=1000)
    here[500:] = here[:500]
    links = Links(n, here, np.arange(1000))
    np.testing.assert_array_equal(links.order, np.argsort(here, kind="stable"))
