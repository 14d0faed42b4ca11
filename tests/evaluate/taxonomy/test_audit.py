"""Errors put into trees: what is put in is what is told, and an audit finds more of it than chance."""

import networkx as nx
import numpy as np
import pytest

from entvec.evaluate.taxonomy.audit import (
    CYCLES,
    LEAST_CHILDREN,
    SHARE,
    Corrupted,
    by_probability,
    corrupt,
    evaluate,
    joined,
)
from entvec.evaluate.taxonomy.wordnet_trees import Tree, trees
from entvec.space.default import held_out_space
from entvec.taxonomy import Taxonomy

TREES = [tree for tree in trees() if 50 <= tree.edges.sum() <= 60]
SPACE = held_out_space()
Pair = tuple[str, str]


def pairs(tree: Tree) -> set[Pair]:
    return {(tree.words[y], tree.words[x]) for y, x in np.argwhere(tree.edges).tolist()}


def edges(case: Corrupted) -> set[Pair]:
    return {(edge.hypo, edge.hyper) for edge in case.taxonomy.edges()}


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.words[0])
@pytest.mark.parametrize("misfiled", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_put_in_is_there_and_nothing_else_changed(tree: Tree, seed: int, *, misfiled: bool) -> None:
    case, true = corrupt(tree, seed, misfiled=misfiled), pairs(tree)
    n = round(SHARE * len(true))
    assert (len(case.turned), len(case.added), len(case.closing)) == (n, n, CYCLES)
    assert len(case.wrong) == 2 * n + CYCLES
    assert {(hyper, hypo) for hypo, hyper in case.turned} <= true
    assert edges(case) == true - {(hyper, hypo) for hypo, hyper in case.turned} | case.wrong
    assert case.taxonomy.terms == tree.words


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.words[0])
@pytest.mark.parametrize("misfiled", [False, True])
def test_added_edges_are_wrong_and_closing_edges_close_a_circle_of_three(tree: Tree, *, misfiled: bool) -> None:
    children = dict(zip(tree.words, tree.edges.sum(axis=0).tolist(), strict=True))
    at = tree.words.index
    for case in (corrupt(tree, seed, misfiled=misfiled) for seed in range(20)):
        for hypo, hyper in case.added:
            assert not tree.ancestors[at(hypo), at(hyper)]
            assert not tree.ancestors[at(hyper), at(hypo)]
            if misfiled:
                assert children[hypo] == 0
                assert children[hyper] >= LEAST_CHILDREN
        graph = nx.DiGraph(sorted(edges(case) - case.closing))
        for hypo, hyper in case.closing:
            assert nx.shortest_path_length(graph, hyper, hypo) == 2


def test_two_trees_become_one_list_with_nothing_in_common() -> None:
    first, second = TREES[:2]
    both = joined(first, second)
    assert both.words[: len(first.words)] == first.words
    assert {*both.words} == {*first.words, *second.words}
    assert pairs(first) <= pairs(both)
    n = len(first.words)
    assert not both.ancestors[:n, n:].any()
    assert not both.ancestors[n:, :n].any()


def test_the_same_seed_puts_in_the_same() -> None:
    assert corrupt(TREES[0], 1).wrong == corrupt(TREES[0], 1).wrong != corrupt(TREES[0], 2).wrong


def test_edges_in_the_order_of_their_probability() -> None:
    taxonomy = Taxonomy.from_edges([("dog", "animal"), ("piano", "rabbit"), ("animal", "dog")])
    assert by_probability(taxonomy, SPACE) == sorted(
        [("dog", "animal"), ("piano", "rabbit"), ("animal", "dog")], key=lambda pair: SPACE.probability(*pair)
    )


def test_an_audit_finds_more_than_probabilities_do_and_names_the_cycles() -> None:
    rows = evaluate(SPACE, trees()[1:2] + tuple(TREES[:2]), seeds=2)
    knowing = [row for row in rows if row.name.endswith((": new words", ": strict"))]
    assert [row.measures["cycles_named"].value for row in knowing] == [1.0] * 6
    rows = [row for row in rows if row not in knowing]
    assert [row.baseline for row in rows] == [False, True] * 3
    for audited, probable in zip(rows[::2], rows[1::2], strict=True):
        assert audited.name.split(":")[0] == probable.name.split(":")[0]
        assert audited.n == probable.n == 4  # trees of fewer edges are left out
        assert audited.measures["cycles_named"].value == 1.0
        assert "cycles_named" not in probable.measures
        assert audited.measures["turned_found"].value > probable.measures["turned_found"].value
    assert rows[0].measures["precision"].value > rows[1].measures["precision"].value > 0
