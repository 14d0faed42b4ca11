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
    paths = structure(*graph).implied()
    assert {(path[0], path[-1]) for path in paths} == {(i, j) for i, j in negations if nx.has_path(known, i, j)}
    for path in paths:
        assert set(itertools.pairwise(path)) <= set(entailments)
        assert len(path) == nx.shortest_path_length(known, path[0], path[-1]) + 1


@often
@given(graphs(), st.data())
def test_what_newer_edges_imply_is_found_without_looking_at_all(
    graph: tuple[int, Pairs, Pairs], data: st.DataObject
) -> None:
    n, entailments, negations = graph
    some, few = data.draw(st.integers(0, len(entailments))), data.draw(st.integers(0, len(negations)))

    def ends(paths: list[list[int]]) -> set[tuple[int, int]]:
        return {(path[0], path[-1]) for path in paths}

    before = ends(structure(n, entailments[:some], negations[:few]).implied())
    whole = structure(*graph)
    assert before | ends(whole.implied(some, few)) == ends(whole.implied())


def test_edges_far_from_a_new_one_are_not_looked_at() -> None:
    world = structure(5, [(0, 1), (2, 3), (3, 4)], [(0, 1), (2, 4)])
    assert world.implied(2, 2) == [[2, 3, 4]]
    assert world.implied(3, 2) == []


@often
@given(graphs())
def test_a_region_is_the_edges_of_its_nodes(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, negations = graph
    nodes = np.arange(0, n, 3)
    region, numbers = structure(*graph).region(nodes)
    for found, pairs in ((region.entailments, entailments), (region.negations, negations)):
        expected = {(i, j, 1.0) for i, j in pairs if {i, j} & set(nodes.tolist())}
        assert {(int(numbers[i]), int(numbers[j]), w) for i, j, w in triples(found)} == expected
    assert region.n_nodes == len(numbers)
    assert set(nodes.tolist()) <= set(numbers.tolist())


def test_a_structure_splits_into_what_is_between_some_nodes_and_the_rest() -> None:
    world = structure(5, [(0, 2), (2, 4), (1, 2), (3, 4)], [(0, 4)])
    inner, rest = world.split(np.array([True, False, True, False, True]))
    assert inner.n_nodes == 3
    assert triples(inner.entailments) == {(0, 1, 1.0), (1, 2, 1.0)}
    assert len(inner.negations.hypo) == 0
    assert triples(rest.entailments) == {(1, 2, 1.0), (3, 4, 1.0)}
    assert triples(rest.negations) == {(0, 4, 1.0)}


def test_a_hyper_hears_what_its_hypo_knows_and_a_hypo_what_its_hyper_does_not() -> None:
    world = structure(4, [(0, 1), (1, 2)], [(1, 3)])
    node, yes, no = np.array([1]), np.array([True]), np.array([False])
    assert world.hearing(node, yes, no).tolist() == [2, 3]
    assert world.hearing(node, no, yes).tolist() == [0, 3]
    assert world.hearing(node, no, no).tolist() == []


def test_a_node_of_a_cycle_brings_the_whole_cycle_and_what_is_around_it() -> None:
    world = structure(7, [(0, 1), (1, 2), (2, 0), (2, 3), (4, 5), (5, 6)])
    assert world.whole_cycles(np.array([1, 5])).tolist() == [0, 1, 2, 3, 5]
    assert world.whole_cycles(np.array([3, 5])).tolist() == [3, 5]
    assert structure(2, [(0, 1)]).whole_cycles(np.array([1])).tolist() == [1]


@often
@given(graphs())
def test_cycles_are_the_strong_components_of_more_than_one_node(graph: tuple[int, Pairs, Pairs]) -> None:
    n, entailments, _ = graph
    components = nx.strongly_connected_components(nx.DiGraph(entailments))
    found = [frozenset(group.tolist()) for group in structure(n, entailments).cycles()]
    assert sorted(map(sorted, found)) == sorted(sorted(c) for c in components if len(c) > 1)


@often
@given(graphs(), st.data())
def test_a_structure_that_knows_its_first_edges_to_be_acyclic_finds_the_same_cycles(
    graph: tuple[int, Pairs, Pairs], data: st.DataObject
) -> None:
    n, entailments, _ = graph
    first = structure(n, entailments[: data.draw(st.integers(0, len(entailments)))])
    whole = structure(n, entailments)
    expected = None if first.cyclic is None and whole.cyclic is None else whole.cyclic
    grown = Structure(n, edges(entailments), edges([]), n_acyclic=first.n_known_acyclic)
    np.testing.assert_array_equal(grown.cyclic, expected)


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
