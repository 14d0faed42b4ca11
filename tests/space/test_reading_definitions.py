"""The default space reads a word with its definition: it counts as new then, and keeps its name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace, default_space
from entvec.space.encoding import text_of
from entvec.taxonomy import place
from entvec.taxonomy.weighing import entailment, to_read

SPACE: EntailmentSpace = default_space()
FISH = "a large fish of the sea"


@pytest.mark.parametrize(
    ("word", "definition", "answer"),
    [
        ("zorpy", FISH, "fish"),
        ("qsdfgh", "a dish of stir-fried rice noodles", "dish"),
        ("dog", "software that tracks issues", "software"),
        ("pad thai", "a dish of stir-fried rice noodles", "dish"),
    ],
)
def test_the_definition_answers(word: str, definition: str, answer: str) -> None:
    found = SPACE.hypernyms(word, 3, definition=definition)
    assert answer in found.words
    assert found.query == word
    assert word in found[0].reason
    assert SPACE.verdict(word, answer, definition=definition) == "yes"


def test_a_word_may_stand_in_a_batch_with_several_definitions_and_with_none() -> None:
    definitions = ["a company that lends money", "a planet far from the sun", None, " "]
    found = SPACE.hypernyms(words := ["bank", "bank", "bank", "dog"], 5, definition=definitions)
    assert list(found.queries) == words
    assert "company" in found[0].words
    assert "planet" in found[1].words
    assert found[2].words == SPACE.hypernyms("bank", 5).words
    assert found[3].words == SPACE.hypernyms("dog", 5).words
    for one, definition in zip(found[:2], definitions, strict=False):
        alone = SPACE.hypernyms("bank", 5, definition=definition)
        assert (one.words, one[0].reason) == (alone.words, alone[0].reason)
        np.testing.assert_allclose(one.probabilities, alone.probabilities, atol=1e-4)
    table = found.to_frame()
    assert table["query"].tolist() == ["bank"] * 15 + ["dog"] * 5
    assert table["reason"][0] == found[0][0].reason


def test_relations_have_the_names_that_were_asked_for() -> None:
    found = SPACE.relation(["zorpy", "dog"], "fish", definition=[FISH, None])
    assert list(found.first) == ["zorpy", "dog"]
    assert found[0].relation == "narrower"
    assert found[0].situation == "new word, encoder"
    assert "\ue000" not in found[0].reason
    assert found[1].relation == SPACE.relation("dog", "fish").relation


def test_scores_and_vectors_are_those_of_both() -> None:
    there = SPACE.score("zorpy", "fish", definition=FISH)
    assert there > SPACE.score("zorpy", "software", definition=FISH)
    assert there > SPACE.score("fish", text_of(SPACE.encoder, "zorpy", FISH))
    assert "fish" in SPACE.hypernyms(SPACE.vectors_of("zorpy", definition=FISH), 3).words
    assert "fish" in SPACE.with_terms(["zorpy"], definitions={"zorpy": FISH}).hypernyms("zorpy", 3).words
    assert "fish" in place("zorpy", SPACE, definition=FISH).parents.words


def test_a_definition_without_a_word_is_unknown() -> None:
    assert math.isnan(SPACE.probability("zorpy", "fish", definition="€€€"))
    assert SPACE.hypernyms("zorpy", definition="12 34").words == []


def test_as_many_definitions_as_words_are_expected() -> None:
    with pytest.raises(InvalidInput, match="2 definitions of 1 words"):
        SPACE.hypernyms(["zorpy"], definition=["a fish", "a dog"])
    with pytest.raises(InvalidInput, match="expected one for each"):
        SPACE.relation(["zorpy"], "fish", definition="a fish")


def test_in_taxonomies_facts_say_more_of_a_known_term_than_its_definition() -> None:
    definitions = {"zorpy": FISH, "dog": "software that tracks issues"}
    assert to_read(SPACE, ["zorpy", "dog", "cat"], definitions) == [FISH, None, None]
    assert to_read(SPACE, ["dog", "cat"], definitions) is None
    found = entailment(SPACE, ["zorpy", "dog"], ["fish", "software"], definitions)
    assert found[0] > 0.9
    assert found[1] < 0.1
