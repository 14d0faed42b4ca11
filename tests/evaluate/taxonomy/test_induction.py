"""How much of a tree is recovered: measures by eye, and baselines that can be checked by hand."""

import numpy as np
import pytest

from entvec.array_types import Mask
from entvec.evaluate.taxonomy.induction import (
    METHODS,
    compare,
    contained,
    evaluate,
    matrix,
    nearest_frequent,
)
from entvec.evaluate.taxonomy.wordnet_trees import Tree, transitive_closure, trees
from entvec.space import EntailmentSpace
from entvec.space.default import held_out_space
from entvec.taxonomy import Taxonomy
from entvec.vectors import Vectors

WORDS = ("animal", "bird", "eagle", "owl")


def edges(*pairs: tuple[int, int]) -> Mask:
    found = np.zeros((4, 4), dtype=bool)
    for pair in pairs:
        found[pair] = True
    return found


TREE = Tree(WORDS, transitive_closure(edges((1, 0), (2, 1), (3, 1))))


@pytest.mark.parametrize("tree", [TREE, *trees()[:3]], ids=lambda tree: tree.words[0])
def test_the_tree_itself_is_perfect_with_and_without_what_follows(tree: Tree) -> None:
    for answer in (tree.edges, tree.ancestors):
        assert set(compare(answer, tree).values()) == {1.0}


def test_nothing_and_the_reverse_find_nothing() -> None:
    for answer in (edges(), TREE.edges.T):
        assert set(compare(answer, TREE).values()) == {0.0}


def test_measures_by_eye() -> None:
    # owl => animal instead of owl => bird: of five ancestors four are found, of three edges two.
    found = compare(edges((1, 0), (2, 1), (3, 0)), TREE)
    assert found["ancestor_precision"] == 1
    assert found["ancestor_recall"] == 4 / 5
    assert found["ancestor_f1"] == pytest.approx(8 / 9)
    assert found["edge_precision"] == found["edge_recall"] == pytest.approx(2 / 3)


def test_the_edges_of_a_taxonomy_between_some_words() -> None:
    made = Taxonomy.from_edges([("owl", "bird"), ("bird", "animal")], terms=["eagle"])
    np.testing.assert_array_equal(matrix(made, WORDS), edges((3, 1), (1, 0)))


# Baselines


def test_each_word_hangs_under_the_nearest_that_is_more_frequent() -> None:
    # The order of the file tells how frequent words are. The last two are alike, but of two each has one place only.
    vectors = Vectors(["thing", "bird", "owl", "eagle"], np.array([[1.0, 0], [1, 1], [0, 1], [0.1, 1]]))
    space = EntailmentSpace.from_vectors(vectors, interpretation="log_odds")
    found = nearest_frequent(space, ["eagle", "owl", "bird", "thing"])
    np.testing.assert_array_equal(found, edges((0, 1), (1, 2), (2, 3)))
    np.testing.assert_array_equal(nearest_frequent(space, ["owl"]), [[False]])


def test_a_word_hangs_under_those_that_it_contains() -> None:
    words = ["guitar", "bass_guitar", "guitar_case", "ear", "ar", "pear"]
    found = {(words[y], words[x]) for y, x in np.argwhere(contained(held_out_space(), words)).tolist()}
    assert found == {("bass_guitar", "guitar"), ("guitar_case", "guitar"), ("pear", "ear")}


# The study


def test_a_row_a_method_and_the_tree_beats_the_baselines() -> None:
    space, some = held_out_space(), [tree for tree in trees() if len(tree.words) <= 32][:6]
    *rows, new, strict, times = evaluate(space, some)
    assert (new.name, strict.name) == ("tree, new words", "tree, strict")
    assert 0 < strict.measures["ancestor_f1"].value < 1
    assert [(row.name, row.baseline) for row in rows] == [(name, METHODS[name][1]) for name in METHODS]
    for row in rows:
        assert (row.study, row.n) == ("induction", 6)
        for value, low, high in row.measures.values():
            assert 0 <= low <= value <= high <= 1
    measured = {row.name: row.measures["ancestor_f1"].value for row in rows}
    best = max(value for name, value in measured.items() if METHODS[name][1])
    assert measured["tree"] > best > 0
    assert (times.name, {*times.measures}) == ("tree / better baseline", {"ancestor_f1", "edge_f1"})
    assert times.measures["ancestor_f1"].value == pytest.approx(measured["tree"] / best)
    told = rows[0].as_dict()
    assert (told["study"], told["row"], told["n"], told["baseline"]) == ("induction", "tree", 6, False)
    assert told["edge_f1_low"] <= told["edge_f1"] <= told["edge_f1_high"]
