"""A term with its definition is one text: it is no spelling of a term, and is shown as its word."""

from __future__ import annotations

import pytest

from entvec.evidence.definitions import asked_of, defined, named, parts, word_of
from entvec.evidence.meanings import Meanings
from entvec.evidence.phrase_heads import heads_of, is_about_people
from entvec.evidence.reasons import spoken
from entvec.evidence.wording import Wording
from entvec.space import default_space

KNOWN = default_space().judge.evidence.meanings.known
MEANINGS = Meanings(KNOWN)


def test_a_text_has_a_word_and_a_definition() -> None:
    text = defined(" pad_thai ", "a dish of noodles")
    assert parts(text) == ("pad_thai", "a dish of noodles")
    assert (word_of(text), spoken(text)) == ("pad_thai", "pad thai")
    assert parts(defined("dog", None)) == ("dog", None)


def test_its_name_is_the_word_and_remembers_the_text() -> None:
    text = defined("bank", "the land beside a river")
    assert named(text) == "bank"
    assert asked_of(named(text)) == text
    assert asked_of(named("bank")) == "bank"


def test_nothing_is_known_of_it() -> None:
    text = defined("dog", "a tool that grips")
    assert MEANINGS.of(text) == ()
    assert (MEANINGS.tidy(text), MEANINGS.plain(text), MEANINGS.is_sense(text)) == (text, text, False)


def test_an_encoder_reads_the_word_as_ever_and_the_definition_as_it_is() -> None:
    assert Wording(KNOWN)(defined("The Running-Shoes!", "Footwear for runners")) == "running shoe: Footwear for runners"


def test_a_definition_says_more_than_the_words_of_a_phrase() -> None:
    assert heads_of(MEANINGS, "pad thai").head == "thai"
    assert heads_of(MEANINGS, defined("pad thai", "a dish of rice noodles")).head is None


@pytest.mark.parametrize(
    ("word", "definition", "people"),
    [
        ("pad thai", "a dish of rice noodles", False),
        ("young Muslims", "people who are young", True),
        ("zorb", "a Muslim leader of old", True),
        ("zorb", "a ball that one can climb into", False),
    ],
)
def test_whether_people_are_meant_is_said_by_the_definition(word: str, definition: str, people: bool) -> None:
    assert is_about_people(MEANINGS, defined(word, definition)) == people
