"""Senses, closures and paths, in a small world and in WordNet."""

from dataclasses import replace

import numpy as np
import pytest

from entvec.bundled import wordnet_knowledge
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import Knowledge
from entvec.knowledge.knowledge import GUESSED
from entvec.knowledge.statements import empty, with_taxonomy

ANIMALS = [
    ("poodle", "dog"),
    ("dog", "canine"),
    ("dog", "pet"),
    ("canine", "animal"),
    ("pet", "animal"),
    ("cat", "pet"),
]


@pytest.fixture
def animals() -> Knowledge:
    return with_taxonomy(empty(), Taxonomy.from_edges(ANIMALS), "animals")


def concept(known: Knowledge, word: str) -> int:
    return known.senses(word)[0].concept


def names(known: Knowledge, concepts: list[int]) -> list[str]:
    return [known.name(at) for at in concepts]


def test_ancestors_come_with_the_fewest_steps(animals: Knowledge) -> None:
    found = animals.ancestors([concept(animals, "poodle")])
    assert {animals.name(at): steps for at, steps in found.items()} == {
        "poodle": 0,
        "dog": 1,
        "canine": 2,
        "pet": 2,
        "animal": 3,
    }


def test_a_path_leads_up_only(animals: Knowledge) -> None:
    poodle, animal, cat = (concept(animals, word) for word in ("poodle", "animal", "cat"))
    assert names(animals, animals.path(poodle, animal)) == ["poodle", "dog", "canine", "animal"]
    assert animals.path(poodle, poodle) == [poodle]
    assert animals.path(animal, poodle) == []
    assert animals.path(poodle, cat) == []


def test_the_nearest_common_concept(animals: Knowledge) -> None:
    poodle, cat, canine = (concept(animals, word) for word in ("poodle", "cat", "canine"))
    assert animals.name(animals.common([poodle], [cat]) or 0) == "pet"
    assert animals.common([poodle], [canine]) == canine
    assert (
        with_taxonomy(animals, Taxonomy.from_edges([("idea", "thought")]), "x").common([poodle], [len(animals)]) is None
    )


def test_a_cycle_ends() -> None:
    known = with_taxonomy(empty(), Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a")]), "cycle")
    assert len(known.ancestors([concept(known, "a")])) == 3
    assert names(known, known.path(concept(known, "b"), concept(known, "a"))) == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("word", "senses"),
    [
        ("dog", ["dog#1", "dog#v1", "dog#2"]),
        ("Running Shoes", ["running_shoe#1"]),
        ("geese", ["goose#1", "goose#2", "goose#3"]),
        ("CHINA", ["China#1", "china#2", "China#3"]),
        ("china", ["china#2", "china#4"]),
        ("labradoodle", []),
        ("expensive", []),
    ],
)
def test_senses_in_wordnet(word: str, senses: list[str]) -> None:
    assert [str(sense) for sense in wordnet_knowledge().senses(word)][:3] == senses


def test_the_form_of_a_word_tells_its_part_of_speech() -> None:
    known = wordnet_knowledge()
    assert {sense.part_of_speech for sense in known.senses("walked")} == {"verb"}
    assert {sense.part_of_speech for sense in known.senses("geese")} == {"noun"}
    assert {sense.part_of_speech for sense in known.senses("walk")} == {"noun", "verb"}


def test_a_verb_is_a_way_to_do_something() -> None:
    known = wordnet_knowledge()
    assert names(known, known.path(concept(known, "stroll"), concept(known, "walk"))) == ["stroll", "walk"]


def test_what_wordnet_has() -> None:
    known = wordnet_knowledge()
    kinds = np.bincount(known.kinds)
    assert kinds.tolist() == [0, 82115, 13767]
    nouns = {row for row, at in zip(*known.senses_of.pairs(), strict=True) if known.kinds[at] == 1}
    assert len({known.terms[row].lower() for row in nouns}) == 117798
    assert "expensive" in known.flat
    assert "dog" not in known.flat


def test_slurs_are_marked() -> None:
    known = wordnet_knowledge()
    marked = {known.name(mark) for _, _, mark in known.marks.tolist()}
    assert {"ethnic_slur", "disparagement", "obscenity", "slang", "trademark"} <= marked


def unjudged() -> Knowledge:
    """WordNet without what people judged of its senses."""
    return replace(wordnet_knowledge(), judged=np.empty(0, np.uint8))


def test_senses_that_nobody_counted_are_weighed_by_guesses() -> None:
    known = unjudged()
    met = {str(sense): sense.meetings for sense in known.senses("scooter")}
    assert {sense.frequency for sense in known.senses("scooter")} == {0}
    assert met["scooter#2"] > met["scooter#1"]  # the vehicle, and not a motorboat
    assert sum(met.values()) == pytest.approx(GUESSED, rel=0.05)


def test_counts_outweigh_guesses() -> None:
    dog = unjudged().senses("dog")
    assert all(0 <= sense.meetings - sense.frequency <= GUESSED for sense in dog)
    assert dog[0].meetings > 0.9 * sum(sense.meetings for sense in dog)


@pytest.mark.parametrize(("word", "usual"), [("toaster", 2), ("kale", 3), ("mouse", 1), ("hammer", 2)])
def test_judgements_outweigh_counts_and_guesses(word: str, usual: int) -> None:
    senses = [sense for sense in wordnet_knowledge().senses(word) if sense.part_of_speech == "noun"]
    assert max(senses, key=lambda sense: sense.meetings).number == usual


def test_a_term_that_is_mostly_a_plural_has_the_senses_of_its_singular() -> None:
    first = max(wordnet_knowledge().senses("shoes"), key=lambda sense: sense.meetings)
    assert str(first) == "shoe#1"
    assert {str(sense) for sense in wordnet_knowledge().senses("glasses")} == {"glasses#1"}
    assert {str(sense) for sense in unjudged().senses("shoes")} == {"shoes#1"}


def test_without_guesses_the_order_counts() -> None:
    known = replace(unjudged(), guesses=np.empty(0, np.uint8))
    assert [sense.meetings for sense in known.senses("toaster")] == [GUESSED, GUESSED / 2]
    assert known.meetings().shape == known.numbers.shape
