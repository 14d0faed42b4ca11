"""Words that look like known ones: suggestions stand beside the answers of an encoder, which reads misspelled words."""

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.space import EntailmentSpace, default_space
from entvec.text import extract
from entvec.vectors import Vectors


@pytest.mark.parametrize(
    ("word", "meant"),
    [("guitr", "guitar"), ("elctric guitar", "electric guitar"), ("keybaord", "keyboard")],
)
def test_a_misspelled_word_is_answered_and_the_word_that_it_looks_like_is_named(word: str, meant: str) -> None:
    space = default_space()
    assert space.read_by(word) == "encoder"
    assert space.hypernyms(word, k=1).words
    assert space.suggestions(word)[0] == meant


@pytest.mark.parametrize("word", ["guitar", "ice cream", "hoodie", "memory foam pillow", "quickly", "bank#2"])
def test_nothing_is_suggested_for_known_words_and_phrases_of_known_words(word: str) -> None:
    assert default_space().suggestions(word) == []


def test_nonsense_is_like_nothing() -> None:
    assert default_space().suggestions("xqzwvkjh") == []
    assert default_space().suggestions("") == []


def test_a_space_of_vectors_alone_suggests_its_words() -> None:
    space = EntailmentSpace.from_vectors(Vectors(["dog", "cat"], [[1.0, 2.0], [2.0, 1.0]]))
    assert space.suggestions("dgo") == ["dog"]
    assert space.suggestions("dog") == []


def test_what_texts_speak_of_is_not_misspelled() -> None:
    space = default_space()
    told = space.with_evidence(extract("A guitr is a kind of instrument.", wordnet_knowledge()))
    assert told.suggestions("guitr") == []
