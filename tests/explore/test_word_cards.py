"""All about a word in one answer."""

from typing import Any

from entvec.explore.word_cards import word_card
from entvec.space import EntailmentSpace


def test_a_word_comes_with_its_senses_and_with_what_is_above_and_below_it(caller: Any) -> None:
    card = caller.get("/api/word?word=bank&k=5").told
    assert card["senses"][0]["gloss"].startswith("a financial institution")
    assert card["senses"][0]["above"][0] == "financial institution"
    assert sum(sense["weight"] for sense in card["senses"]) <= 1 + 1e-9
    card = caller.post("/api/word", {"word": "dog", "k": 5}).told
    assert "animal" in [row["word"] for row in card["above"]]
    assert "poodle" in [row["word"] for row in card["below"]]
    assert len(card["above"]) <= 5
    assert card["read_by"] == "vector"
    assert card["suggestions"] == []


def test_each_answer_says_what_it_rests_on_and_how_general_it_is(caller: Any) -> None:
    above = {row["word"]: row for row in caller.get("/api/word?word=poodle").told["above"]}
    assert above["dog"]["source"] == "facts"
    own = caller.get("/api/word?word=poodle").told["generality"]
    assert above["animal"]["generality"] > above["dog"]["generality"] > own > 0


def test_a_sense_can_be_asked_about(caller: Any) -> None:
    card = caller.get("/api/word?word=dog%231").told
    assert [sense["sense"] for sense in card["senses"]] == ["dog#1"]
    assert "animal" in [row["word"] for row in card["above"]]


def test_a_misspelled_word_has_suggestions(caller: Any) -> None:
    card = caller.get("/api/word?word=guitarr").told
    assert card["read_by"] == "nothing"
    assert "guitar" in card["suggestions"]
    assert card["above"] == card["below"] == []


def test_of_groups_of_people_it_says_so(caller: Any) -> None:
    card = caller.get("/api/word?word=Muslim").told
    assert card["people"]
    assert {row["source"] for row in card["above"]} <= {"facts"}
    assert card["neighbours"] == []


def test_a_space_that_knows_nothing_has_its_vectors(space: EntailmentSpace) -> None:
    card = word_card(space.with_knowledge(None), "dog", 3, group=False, context=None)
    assert card["senses"] == card["neighbours"] == []
    assert {row["source"] for row in card["above"]} == {"vectors"}
