"""The neighbourhood of words: what they entail above them, what entails them below, and nothing that is beside them."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, WordNotFound
from entvec.graphs.structure import levels, transitive_reduction
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.space.grouping import form
from entvec.taxonomy import Neighbourhood, Taxonomy, neighbourhood
from entvec.vectors import Vectors

SPACE = default_space()
WORLD = toy_world()
WORDS = [
    "piano", "dog", "guitar", "vehicle", "apple", "Paris", "freedom", "red", "run", "computer", "wine", "king", "virus",
]  # fmt: skip
NEAR = ["dog", "poodle", "puppy", "animal", "cat", "mammal", "organism", "pet", "creature"]
"""Of these, most are found for one another."""


def toy(operator: str = "backward") -> EntailmentSpace:
    return EntailmentSpace.from_vectors(
        Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", operator=operator
    )


def calibrated(space: EntailmentSpace) -> EntailmentSpace:
    hypo, hyper = zip(*WORLD.pairs(), strict=True)
    return space.calibrated(hypo, hyper, [WORLD.entails(*pair) for pair in WORLD.pairs()])


def edges(taxonomy: Taxonomy) -> set[tuple[str, str]]:
    return {(hypo, hyper) for hypo, hyper, _ in taxonomy.edges()}


def assert_is_a_picture(found: Neighbourhood) -> None:
    """Without a cycle or an edge too many, and every word on one side, where a path leads to an asked word."""
    taxonomy = found.taxonomy
    levels(len(taxonomy), taxonomy.hypo, taxonomy.hyper)  # raises if there is a cycle
    assert transitive_reduction(len(taxonomy), taxonomy.hypo, taxonomy.hyper).all()
    assert taxonomy.terms == (*found.centre, *found.above, *found.below)  # which are all different, in a taxonomy
    assert len({form(term) for term in taxonomy.terms}) == len(taxonomy)
    for word in found.above:
        assert any(taxonomy.entails(asked, word) for asked in found.centre)
    for word in found.below:
        assert any(taxonomy.entails(word, asked) for asked in found.centre)


# The toy world


@pytest.mark.parametrize("word", WORLD.words)
def test_in_the_toy_world_a_picture_is_what_includes_what(word: str) -> None:
    found = neighbourhood(word, calibrated(toy()))
    assert_is_a_picture(found)
    others = [other for other in WORLD.words if other != word]
    assert set(found.above) == {other for other in others if WORLD.entails(word, other)}
    assert set(found.below) == {other for other in others if WORLD.entails(other, word)}
    assert all(WORLD.entails(hypo, hyper) for hypo, hyper in edges(found.taxonomy))


def test_edges_that_others_imply_are_left_out() -> None:
    found = neighbourhood("poodle", calibrated(toy()))
    assert edges(found.taxonomy) == {("poodle", "dog"), ("dog", "animal"), ("animal", "unk")}


# Real words


def by_vectors(hypo: str, hyper: str) -> float:
    """The probability that the vectors give alone, on which a neighbourhood rests."""
    return float(SPACE.probabilities(SPACE.score(hypo, hyper)))


@pytest.mark.parametrize("word", WORDS)
def test_what_was_found_for_a_word_is_above_or_below_it(word: str) -> None:
    found = neighbourhood(word, SPACE)
    assert_is_a_picture(found)
    assert found.centre == (word,)
    assert set(found.above) == set(found.taxonomy.ancestors(word))
    assert set(found.below) == set(found.taxonomy.descendants(word))
    assert set(found.above) <= set(SPACE.hypernyms(word, 8, group=True, evidence="vectors").words)
    assert set(found.below) <= set(SPACE.hyponyms(word, 8, group=True, evidence="vectors").words)
    assert found.taxonomy.probability.min() >= 0.7
    for neighbour in found.above:
        assert by_vectors(word, neighbour) >= 0.75 > by_vectors(neighbour, word)
    for neighbour in found.below:
        assert by_vectors(neighbour, word) >= 0.75
        assert SPACE.score(neighbour, word) > SPACE.score(word, neighbour)


def test_a_picture_reads_from_the_general_to_the_specific() -> None:
    taxonomy = neighbourhood("dog", SPACE).taxonomy
    assert taxonomy.path("poodle", "organism")[:3] == ("poodle", "dog", "mammal")
    assert taxonomy.entails("mammal", "animal")
    assert taxonomy.entails("animal", "organism")


def test_how_neighbours_stand_to_each_other_does_not_depend_on_how_few_are_shown() -> None:
    found = neighbourhood("democracy", SPACE)
    assert found.below == ()
    assert found.taxonomy.path("democracy", "doctrine") == ("democracy", "ism", "ideology", "doctrine")


def test_what_stands_beside_a_word_is_left_out() -> None:
    assert "cat" in SPACE.hypernyms("dog", 8, group=True, evidence="vectors").words
    assert "cat" not in neighbourhood("dog", SPACE).taxonomy
    assert {"soprano", "organist"} <= set(SPACE.hyponyms("piano", 8, group=True, evidence="vectors").words)
    assert neighbourhood("piano", SPACE).below == ()  # improbable: there is none in the vocabulary


def test_words_below_hang_under_a_neighbour_only_if_they_entail_it_as_readily() -> None:
    crime = neighbourhood("crime", SPACE).taxonomy
    assert crime.parents("larceny") == ("felony",)
    assert crime.parents("felony") == crime.parents("fraud") == ("crime",)
    vehicle = neighbourhood("vehicle", SPACE).taxonomy
    assert vehicle.parents("truck") == ("vehicle",)  # though it entails car, too
    assert by_vectors("truck", "car") > 0.8


@pytest.mark.parametrize("words", [["dog"], ["vehicle", "car"]])
def test_probabilities_are_those_of_the_space(words: list[str]) -> None:
    for hypo, hyper, probability in neighbourhood(words, SPACE).taxonomy.edges():
        assert probability == pytest.approx(by_vectors(hypo, hyper), abs=1e-9)


def test_so_many_are_looked_at_on_each_side() -> None:
    few = neighbourhood("dog", SPACE, above=2, below=1)
    assert (few.above, few.below) == (("animal", "mammal"), ("puppy",))
    assert neighbourhood("dog", SPACE, above=0).above == ()
    assert neighbourhood("dog", SPACE, below=0).below == ()
    alone = neighbourhood("dog", SPACE, above=0, below=0)
    assert (alone.taxonomy.terms, edges(alone.taxonomy)) == (("dog",), set())


def test_specificity_is_that_of_the_search() -> None:
    surest = neighbourhood("dog", SPACE, specificity=0)
    assert "entity" in surest.above
    assert "entity" not in neighbourhood("dog", SPACE).above
    assert set(surest.above) <= set(SPACE.hypernyms("dog", 8, group=True, specificity=0, evidence="vectors").words)
    assert set(surest.below) <= set(SPACE.hyponyms("dog", 8, group=True, specificity=0, evidence="vectors").words)


# Several words


@settings(max_examples=12)
@given(st.lists(st.sampled_from(NEAR + WORDS), min_size=1, max_size=5, unique=True), st.integers(0, 6))
def test_several_words_share_one_picture(words: list[str], k: int) -> None:
    found = neighbourhood(words, SPACE, above=k, below=k)
    assert_is_a_picture(found)
    assert found.centre == tuple(words)


@pytest.mark.parametrize("words", [("dog", "animal"), ("piano", "guitar"), ("vehicle", "car"), ("dog", "piano")])
def test_a_word_keeps_its_neighbours_when_another_is_asked_for_too(words: tuple[str, str]) -> None:
    both = neighbourhood(words, SPACE).taxonomy
    for word in words:
        alone = neighbourhood(word, SPACE)
        assert set(alone.above) <= set(both.ancestors(word))
        assert set(alone.below) <= set(both.descendants(word))


def test_what_is_below_a_word_has_no_other_way_to_what_is_above_another() -> None:
    found = neighbourhood(["vehicle", "car"], SPACE).taxonomy
    assert by_vectors("jeep", "motor_vehicle") > 0.9
    assert found.entails("car", "motor_vehicle")
    assert found.parents("jeep") == ("vehicle",)


def test_a_neighbour_of_two_words_is_there_once() -> None:
    found = neighbourhood(["guitar", "piano"], SPACE)
    assert {"guitar", "piano"} <= set(found.taxonomy.descendants("instrument"))
    assert found.above.count("instrument") == 1


def test_a_word_has_no_edge_to_what_was_found_for_another_alone() -> None:
    found = neighbourhood(["dog", "cat"], SPACE).taxonomy
    assert "bird" in found.ancestors("cat")
    assert "bird" not in found.ancestors("dog")
    assert not found.entails("cat", "dog")  # they are beside each other
    assert not found.entails("dog", "cat")


def test_asked_words_stand_as_the_space_says_even_if_no_search_finds_them() -> None:
    found = neighbourhood(["organism", "poodle", "dog"], SPACE, above=0, below=0)
    assert edges(found.taxonomy) == {("poodle", "dog"), ("dog", "organism")}


def test_what_is_above_one_word_and_below_another_is_between_them_and_told_once() -> None:
    space = calibrated(toy())
    found = neighbourhood(["poodle", "animal"], space)
    assert edges(found.taxonomy) >= {("poodle", "dog"), ("dog", "animal")}
    surer_below = space.score("dog", "animal") > space.score("poodle", "dog")
    assert ("dog" in found.below, "dog" in found.above) == (surer_below, not surer_below)


# Forms and spellings


def test_forms_of_a_word_are_that_word() -> None:
    assert neighbourhood(["dog", "dogs", "Dog"], SPACE).centre == ("dog",)
    found = neighbourhood(["dog", "animals"], SPACE)
    assert "animal" in neighbourhood("dog", SPACE).above
    assert "animal" not in found.taxonomy
    assert found.taxonomy.entails("dog", "animals")


def test_words_are_spelled_as_in_the_vocabulary() -> None:
    assert neighbourhood("ice cream", SPACE).centre == ("ice_cream",)
    assert neighbourhood(["PARIS"], SPACE).centre == ("Paris",)


# Spaces that have less to tell


def test_without_calibration_there_is_an_edge_for_each_word_that_was_found_and_no_probability() -> None:
    found = neighbourhood("dog", SPACE.with_calibration(None))
    assert_is_a_picture(found)
    assert {"animal", "mammal", "organism"} <= set(found.above)
    assert {"puppy", "poodle"} <= set(found.below)
    assert "cat" not in found.above
    assert edges(found.taxonomy) == {("dog", word) for word in found.above} | {(word, "dog") for word in found.below}
    assert np.isnan(found.taxonomy.probability).all()


@pytest.mark.parametrize(
    ("operator", "above"), [("forward", 2), ("backward", 2), ("factorised", 2), ("weighted_cosine", 3)]
)
def test_without_calibration_scores_tell_the_direction(operator: str, above: int) -> None:
    found = neighbourhood("dog", toy(operator), above=above, below=1, specificity=0)
    assert (set(found.above), found.below) == ({"animal", "unk"}, ("poodle",))


@pytest.mark.parametrize("operator", ["cosine", "dot"])
@pytest.mark.parametrize("calibration", [None, Calibration.platt(1.0, 1.0)])
def test_an_operator_without_a_direction_has_nothing_above_and_nothing_below(
    operator: str, calibration: Calibration | None
) -> None:
    news = SPACE.keys.vocabulary.head(500)
    space = EntailmentSpace.from_vectors(news, operator=operator).with_calibration(calibration)
    for word in news.words[:20]:
        assert neighbourhood(word, space).taxonomy.terms == (word,)


def test_a_space_that_cannot_be_indexed_has_edges_with_their_probability() -> None:
    space = toy("weighted_cosine").with_calibration(Calibration.platt(20.0, -11.0))
    assert not space.model.indexable
    found = neighbourhood("dog", space)
    assert edges(found.taxonomy) == {("dog", "animal"), ("poodle", "dog")}
    for hypo, hyper, probability in found.taxonomy.edges():
        assert probability == pytest.approx(space.probability(hypo, hyper))


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_whatever_the_vectors_say_there_is_no_cycle(seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(scale=3, size=(7, 3))
    space = EntailmentSpace.from_vectors(Vectors(list("abcdefg"), matrix), operator="weighted_cosine")
    assert_is_a_picture(neighbourhood(list("abcdefg"), space))


def test_a_word_that_is_only_a_space_is_never_a_neighbour() -> None:
    words = [*WORLD.words, "\u00a0"]
    space = EntailmentSpace.from_vectors(
        Vectors(words, np.vstack([WORLD.log_odds(), WORLD.log_odds("dog") + 0.1])), interpretation="log_odds"
    )
    assert "\u00a0" in space.hypernyms("poodle", 7, group=True, evidence="vectors").words
    assert "\u00a0" not in neighbourhood("poodle", space).taxonomy


# The answer, and what is refused


def test_the_answer_as_plain_lists_and_numbers() -> None:
    found = neighbourhood("dog", SPACE, above=1, below=1)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["centre"] == ["dog"]
    assert (told["above"], told["below"]) == (["animal"], ["puppy"])
    assert [(edge["hypo"], edge["hyper"]) for edge in told["edges"]] == [("dog", "animal"), ("puppy", "dog")]
    assert all(0.9 < edge["probability"] < 1 for edge in told["edges"])
    unknown = neighbourhood("dog", toy(), above=1, below=0, specificity=0).to_dict()
    assert unknown["edges"] == [{"hypo": "dog", "hyper": "unk", "probability": None}]
    assert repr(found) == "Neighbourhood(dog: 1 above, 1 below)"


@pytest.mark.parametrize("words", ["poodel", ["dog", "poodel"]])
def test_an_unknown_word_is_refused_with_what_looks_like_it(words: str | list[str]) -> None:
    with pytest.raises(WordNotFound, match="no word 'poodel' among 31,530; did you mean 'poodle'"):
        neighbourhood(words, SPACE.with_encoder(None))


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ([], {}, "no words, expected at least one"),
        ("", {}, "'' is among the words"),
        (["dog", " "], {}, "' ' is among the words"),
        (["dog", 7], {}, r"words\[1\] is 7, expected a string"),
        ("dog", {"above": -1}, "above is -1, expected a whole number, 0 or more"),
        ("dog", {"below": 1.5}, "below is 1.5"),
        ("dog", {"below": True}, "below is True"),
        ("dog", {"specificity": math.nan}, "specificity"),
    ],
)
def test_what_means_nothing_is_refused(words: list[str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        neighbourhood(words, SPACE, **options)


def test_what_is_no_space_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected an EntailmentSpace"):
        neighbourhood("dog", SPACE.vocabulary)  # type: ignore[arg-type]
