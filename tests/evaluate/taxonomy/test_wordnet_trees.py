"""The trees to recover are parts of WordNet's hierarchy, and no tuning tree has a word of a test tree."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.bundled import isa
from entvec.errors import InvalidInput
from entvec.evaluate.taxonomy.wordnet_trees import (
    ROOTS,
    Tree,
    transitive_closure,
    transitive_reduction,
    trees,
    words_held_out,
)

N = 6
relations = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda pair: pair[0] > pair[1]))


def matrix(pairs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    found = np.zeros((N, N), dtype=bool)
    for hypo, hyper in pairs:
        found[hypo, hyper] = True
    return found


@pytest.mark.parametrize("which", ROOTS)
def test_there_is_a_tree_for_each_root(which: str) -> None:
    assert [tree.words[0] for tree in trees(which)] == [name.split()[0] for name in ROOTS[which]]
    for tree in trees(which):
        assert len({*tree.words}) == len(tree.words) >= 3
        assert all(word.islower() for word in tree.words[1:])


@pytest.mark.parametrize("which", ROOTS)
def test_everything_is_below_the_root_and_nothing_above_it(which: str) -> None:
    for tree in trees(which):
        assert tree.ancestors[1:, 0].all()
        assert not tree.ancestors[0].any()
        assert not tree.ancestors.diagonal().any()


@pytest.mark.parametrize("which", ROOTS)
def test_ancestors_are_those_of_the_table_and_there_is_no_cycle(which: str) -> None:
    first = isa().select("is-a", max_hypo_sense=1)
    said = {(first.words[y], first.words[x]) for y, x in zip(first.hypo.tolist(), first.hyper.tolist(), strict=True)}
    for tree in trees(which):
        for y, x in np.argwhere(tree.ancestors).tolist():
            assert (tree.words[y], tree.words[x]) in said
        assert nx.is_directed_acyclic_graph(nx.DiGraph(np.argwhere(tree.ancestors).tolist()))


def test_a_tree_by_eye() -> None:
    (animals,) = (tree for tree in trees() if tree.words[0] == "animal")
    at = animals.words.index
    for hypo, hyper in [("dog", "animal"), ("eagle", "bird"), ("bird", "animal"), ("eagle", "animal")]:
        assert animals.ancestors[at(hypo), at(hyper)]
        assert not animals.ancestors[at(hyper), at(hypo)]
    assert animals.edges[at("eagle"), at("bird")]
    assert not animals.edges[at("eagle"), at("animal")]


def test_no_tuning_tree_has_a_word_of_a_test_tree() -> None:
    test, tuning = ({word for tree in trees(which) for word in tree.words} for which in ROOTS)
    assert not test & tuning
    assert words_held_out() == test | tuning


def test_trees_that_there_are_not_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no trees 'all', expected one of test, tuning"):
        trees("all")


@given(relations)
def test_closure_and_reduction_are_those_of_networkx(pairs: list[tuple[int, int]]) -> None:
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(range(N))
    whole = transitive_closure(matrix(pairs))
    np.testing.assert_array_equal(whole, matrix(list(nx.transitive_closure(graph).edges)))
    np.testing.assert_array_equal(transitive_reduction(whole), matrix(list(nx.transitive_reduction(graph).edges)))
    np.testing.assert_array_equal(transitive_closure(transitive_reduction(whole)), whole)
    np.testing.assert_array_equal(Tree(tuple("abcdef"), whole).edges, transitive_reduction(whole))


def test_what_leads_back_to_itself_is_no_ancestor_of_itself() -> None:
    edges = matrix([(2, 1), (1, 0)])
    edges[0, 2] = True
    wanted = np.zeros((N, N), dtype=bool)
    wanted[:3, :3] = ~np.eye(3, dtype=bool)
    np.testing.assert_array_equal(transitive_closure(edges), wanted)
    assert edges.sum() == 3  # what was given is left as it was
