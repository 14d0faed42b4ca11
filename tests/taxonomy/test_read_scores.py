"""The order of parents for names that nobody knows."""

import numpy as np
import pytest

from entvec.space.default import default_space, held_out_space
from entvec.taxonomy import Taxonomy, induce, place_all
from entvec.taxonomy.read_scores import ReadScores, score


def test_only_names_without_facts_in_a_space_that_reads_are_new() -> None:
    scores = ReadScores(default_space())
    assert scores.is_new("memory foam pillow")
    assert not scores.is_new("pillow")
    assert not ReadScores(held_out_space()).is_new("memory foam pillow")


def test_encoders_prefer_a_specific_parent() -> None:
    found = ReadScores(default_space()).by_encoders(["soil chemistry"] * 3, ["chemistry", "entity", "violin"])
    assert found.argmax() == 0


def test_a_space_without_a_reader_has_no_opinion() -> None:
    assert not ReadScores(held_out_space()).by_encoders(["dog"], ["animal"]).any()


def test_everything_counts_in_the_order() -> None:
    half = np.full(2, 0.5)
    for i, better in enumerate(([1.0, 0.0], [0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [1.0, 0.0])):
        arguments = [np.zeros(2), half, half, half, np.zeros(2)]
        arguments[i] = np.array(better)
        first, second = score(*arguments)
        assert first > second


def test_lists_of_phrases_become_trees_by_what_the_phrases_say() -> None:
    words = ["science", "soil chemistry", "chemistry", "organic soil chemistry", "marine geology", "geology"]
    found = {edge[:2] for edge in induce(words, default_space()).edges()}
    assert {("soil chemistry", "chemistry"), ("organic soil chemistry", "soil chemistry")} <= found
    assert ("marine geology", "geology") in found


def test_an_edge_of_a_draft_has_the_probability_of_the_space() -> None:
    space = default_space()
    for edge in induce(["denim rain jacket", "jacket", "garden gnome", "ornament"], space).edges():
        assert edge.probability == pytest.approx(space.probability(edge.hypo, edge.hyper), rel=1e-6)


def test_a_phrase_is_placed_under_its_best_parent() -> None:
    shop = Taxonomy.from_edges([("jackets", "clothing"), ("rain jackets", "jackets"), ("rain barrels", "garden")])
    placed = place_all(["hooded rain jacket"], shop, default_space())
    assert shop.terms[placed.best[0]] == "rain jackets"
