"""Relations of words whose sense is named: bank#2, bank:institution."""

import numpy as np
import pytest

from entvec.errors import SenseNotFound, WordNotFound
from entvec.space import EntailmentSpace, default_space
from entvec.vectors import Vectors

SPACE = default_space()


def test_the_sense_that_is_named_decides() -> None:
    assert SPACE.relation("bank#2", "institution").relation == "narrower"
    assert SPACE.relation("bank#1", "institution").relation == "other"
    assert SPACE.relation("bank:slope", "slope").relation == "narrower"
    assert SPACE.verdict("bat:animal", "animal") == "yes"
    assert SPACE.verdict("bat:club", "animal") == "no"
    assert SPACE.probability("crane:bird", "bird") > SPACE.probability("crane", "bird")


def test_two_senses_of_a_word_are_not_the_same() -> None:
    assert SPACE.relation("bank#1", "bank#2").relation == "other"


def test_the_reason_names_the_sense() -> None:
    assert SPACE.relation("bank:institution", "institution").reason.endswith("institution (WordNet 3.0, bank#2)")
    assert SPACE.relation("bank#1", "slope").reason == "bank -> slope (WordNet 3.0, bank#1)"
    assert SPACE.relation("bank#1", "institution").reason == "nothing that is known connects them (bank#1)"


def test_a_verb_is_nothing_to_a_noun_that_only_vectors_would_connect() -> None:
    found = SPACE.relation("bank#v1", "institution")
    assert (found.relation, found.situation) == ("unknown", "no evidence")


def test_a_new_word_is_compared_by_the_vector_of_the_word_and_the_sense_of_what_is_known() -> None:
    found = SPACE.relation(["biker", "bank#2"], ["bank#2", "biker"])
    assert found.situations == ("new word", "new word")
    assert np.isfinite(found.probabilities).all()


def test_a_name_that_picks_no_sense_raises_an_error_with_all_senses_or_is_missing() -> None:
    with pytest.raises(SenseNotFound, match=r"no sense 'bank:zebra', expected bank#1 \(sloping land"):
        SPACE.relation("bank:zebra", "institution")
    found = SPACE.relation(["bank:zebra", "bank#2"], "institution", missing="nan")
    assert found.relations.tolist() == ["unknown", "narrower"]
    with pytest.raises(WordNotFound, match="blorp#1"):
        SPACE.with_encoder(None).relation("blorp#1", "institution")


def test_a_word_of_the_vocabulary_that_looks_like_the_name_of_a_sense_stands_for_itself() -> None:
    words = ["bank#2", "C#", "dog", "animal"]
    vectors = Vectors(words, np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))
    space = EntailmentSpace.from_vectors(vectors).with_knowledge(SPACE.knowledge)
    meanings = space.judge.evidence.meanings
    assert [meanings.plain(word) for word in (*words, "bank#1")] == [*words, "bank"]
    assert [len(meanings.of(word)) for word in ("bank#2", "C#", "bank#1")] == [0, 1, 1]
    assert space.judge.evidence.has(["bank#2", "C#", "bank#1", "bank#99"]).tolist() == [True, True, True, False]


def test_a_word_that_is_hidden_is_hidden_by_its_senses_too() -> None:
    hidden = SPACE.judge.evidence.hiding(["bank"])
    assert not hidden.meanings.of("bank#2")
    assert hidden.meanings.plain("bank#2") == "bank"


def test_an_infinitive_asks_about_the_verb() -> None:
    assert SPACE.hypernyms("hammer", 1).words != ["beat"]
    found = SPACE.hypernyms("to hammer", 2)
    assert found.words == ["beat", "strike"]
    assert "roast" in SPACE.hyponyms("to cook", 3).words
    assert SPACE.relation("to stroll", "to walk").relation == "narrower"
    assert SPACE.relation("to hammer", "tool").relation != SPACE.relation("hammer", "tool").relation == "narrower"
    assert SPACE.verdict("to stroll", "to walk") == "yes"
    assert {each.sense.part_of_speech for each in SPACE.senses("to hammer")} == {"verb"}
    explained = SPACE.explain("to stroll", "to walk").reasoning
    assert explained is not None
    assert explained.reasons[0].text == "stroll -> walk (WordNet 3.0, first sense)"
    with pytest.raises(SenseNotFound, match="no sense 'to guitar'"):
        SPACE.hypernyms("to guitar")
