import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.theory.edges import EdgeList, Edges, Structure

often = settings(derandomize=True, deadline=None, max_examples=80)
Pairs = list[tuple[int, int]]


def edges(pairs: Pairs, weight: Any = 1.0, bound: Any = np.nan) -> Edges:
    hypo, hyper = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return Edges(hypo, hyper, *(np.full(len(pairs), fill, dtype=float) for fill in (weight, bound)))


def structure(n_nodes: int, entailments: Pairs, negations: Pairs | None = None, weight: Any = 1.0) -> Structure:
    return Structure(n_nodes, edges(entailments, weight), edges(negations or []))


def some_pairs(n: int) -> st.SearchStrategy[Pairs]:
    return st.lists(st.sampled_from(list(itertools.permutations(range(n), 2))), unique=True, max_size=3 * n)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Pairs, Pairs]:
    n = draw(st.integers(2, 9))
    return n, draw(some_pairs(n)), draw(some_pairs(n))


def triples(found: Edges) -> set[tuple[int, int, float]]:
    rows = list(zip(found.hypo.tolist(), found.hyper.tolist(), found.weight.tolist(), strict=True))
    assert len(rows) == len(set(rows))
    return set(rows)


@often
@given(graphs())
def test_independent_sets_are_a_partition_without_neighbours(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, negations = graph
    sets = [nodes.tolist() for nodes in structure(n, entailments, negations).independent_sets()]
    assert sorted(itertools.chain(*sets)) == list(range(n))
    assert all(sets)
    for nodes in sets:
        assert not set(itertools.permutations(nodes, 2)) & {*entailments, *negations}


@often
@given(graphs())
def test_independent_sets_are_the_same_every_time(graph: tuple[int, Pairs, Pairs]) -> None:
    first, second = structure(*graph), structure(*graph)
    for a, b in zip(first.independent_sets(), second.independent_sets(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_nodes_without_edges_are_one_set() -> None:
    (everyone,) = structure(4, []).independent_sets()
    assert everyone.tolist() == [0, 1, 2, 3]


def test_few_sets_are_enough_for_a_long_chain() -> None:
    chain = [(i, i + 1) for i in range(999)]
    assert len(list(structure(1000, chain).independent_sets())) < 10


@often
@given(graphs(), st.data())
def test_around_is_the_nodes_and_their_neighbours(graph: tuple[int, Pairs, Pairs], data: st.DataObject) -> None:
    n, entailments, negations = graph
    nodes = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    expected = set(nodes)
    for i, j in [*entailments, *negations]:
        expected |= {j} if i in nodes else set()
        expected |= {i} if j in nodes else set()
    assert structure(*graph).around(np.array(nodes, dtype=np.intp)).tolist() == sorted(expected)


@often
@given(graphs())
def test_implied_denials_come_with_a_shortest_path_that_proves_them(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, negations = graph
    known = nx.DiGraph(entailments)
    known.add_nodes_from(range(n))
    paths = structure(*graph).implied
    assert {(path[0], path[-1]) for path in paths} == {(i, j) for i, j in negations if nx.has_path(known, i, j)}
    for path in paths:
        assert set(itertools.pairwise(path)) <= set(entailments)
        assert len(path) == nx.shortest_path_length(known, path[0], path[-1]) + 1


@often
@given(graphs())
def test_cycles_are_the_strong_components_of_more_than_one_node(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, _ = graph
    components = nx.strongly_connected_components(nx.DiGraph(entailments))
    found = [frozenset(group.tolist()) for group in structure(n, entailments).cycles()]
    assert sorted(map(sorted, found)) == sorted(sorted(c) for c in components if len(c) > 1)


def everyone_free(n: int) -> Any:
    return np.ones(n, dtype=bool)


def test_nodes_that_entail_each_other_are_equivalent() -> None:
    group = structure(5, [(0, 1), (1, 2), (2, 0), (2, 3), (4, 0)]).equivalents(everyone_free(5))
    assert group is not None
    assert group[0] == group[1] == group[2]
    assert len({group[0], group[3], group[4]}) == 3


def test_without_a_firm_cycle_nothing_is_equivalent() -> None:
    assert structure(3, [(0, 1), (1, 2)]).equivalents(everyone_free(3)) is None
    assert structure(2, [(0, 1), (1, 0)], weight=[1.0, 0.49]).equivalents(everyone_free(2)) is None
    assert structure(2, [(0, 1), (1, 0)], weight=[1.0, 0.5]).equivalents(everyone_free(2)) is not None


@pytest.mark.parametrize("observed", [0, 1])
def test_an_observed_node_is_its_own(observed: int) -> None:
    free = everyone_free(2)
    free[observed] = False
    assert structure(2, [(0, 1), (1, 0)]).equivalents(free) is None


def test_merging_keeps_each_edge_between_groups_once_with_its_strongest_weight() -> None:
    group = np.array([0, 0, 1, 2])
    pairs, weights = [(0, 1), (1, 0), (2, 0), (2, 1), (1, 3), (0, 3)], [1.0, 1.0, 0.3, 0.7, 2.0, 1.0]
    merged = structure(4, pairs, weight=weights).merged(group)
    assert merged.n_nodes == 3
    assert triples(merged.entailments) == {(1, 0, 0.7), (0, 2, 2.0)}


def test_merging_keeps_the_bound_that_belongs_to_the_strongest_denial() -> None:
    denials = edges([(0, 2), (1, 2), (0, 1)], weight=[0.5, 0.8, 1.0], bound=[0.1, 0.2, 0.3])
    merged = Structure(3, edges([]), denials).merged(np.array([0, 0, 1]))
    assert triples(merged.negations) == {(0, 1, 0.8)}
    assert merged.negations.bound.tolist() == [0.2]


@often
@given(graphs())
def test_merging_equivalents_leaves_no_cycle(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, negations = graph
    whole = structure(n, entailments, negations)
    group = whole.equivalents(everyone_free(n))
    if group is None:
        assert whole.cycles() == []
    else:
        merged = whole.merged(group)
        assert merged.cycles() == []
        between = {(group[i], group[j]) for i, j in entailments} - {(g, g) for g in group}
        assert {(i, j) for i, j, _ in triples(merged.entailments)} == between


def test_edges_come_in_pieces_and_are_asked_for_as_a_whole() -> None:
    pieces = EdgeList()
    assert len(pieces.arrays().hypo) == 0
    pieces.extend([(0, 1), (1, 2)], np.array([0, 1]), np.array([1, 2]), np.array(0.5), np.array(np.nan))
    pieces.extend([(2, 0)], np.array([2]), np.array([0]), np.array([2.0]), np.array([0.25]))
    for _ in range(2):
        found = pieces.arrays()
        assert triples(found) == {(0, 1, 0.5), (1, 2, 0.5), (2, 0, 2.0)}
        assert np.isnan(found.bound).tolist() == [True, True, False]
    assert pieces.keys == {(0, 1), (1, 2), (2, 0)}
