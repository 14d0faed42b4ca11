"""Words as people write them: what is looked up, and what answers."""

import pytest

from entvec.space import default_space

SPACE = default_space()
SPELLINGS = {
    "piano": [
        "Piano",
        "PIANO",
        "the piano",
        "a piano",
        "piano.",
        "piano!",
        "“piano”",
        "(piano)",
        " piano ",
        "piano 🎹",
    ],
    "ice_cream": ["ice cream", "ice-cream", "Ice Cream", "the ice-cream"],
    "jalapeno": ["jalapeño", "Jalapeño"],
    "cafe": ["café", "the café"],
    "mother-in-law": ["mother in law", "mother_in_law"],
    "New_York": ["New York", "New-York"],
}


@pytest.mark.parametrize(("word", "written"), [(word, each) for word in SPELLINGS for each in SPELLINGS[word]])
def test_a_word_is_found_as_people_write_it(word: str, written: str) -> None:
    assert SPACE.hypernyms(written, 4).words == SPACE.hypernyms(word, 4).words
    assert SPACE.relation(written, word).relation == "same"
    assert SPACE.hypernyms(written, 1).query == written.strip()


@pytest.mark.parametrize("nonsense", ["🍕", "€€€", "...", "asdfgh", "B07XJ8C8F5", "x" * 2000])
def test_what_is_no_word_is_missing(nonsense: str) -> None:
    assert SPACE.hypernyms(nonsense, missing="nan").words == []
    assert SPACE.relation(nonsense, "dog", missing="nan").relation == "unknown"


def test_marks_around_a_word_do_not_lift_the_rules_about_people() -> None:
    for written in ("Jews!", "the Jews", "“Jews”"):
        assert SPACE.hypernyms(written, 10).words == SPACE.hypernyms("Jews", 10).words


def test_an_adjective_has_no_hierarchy_in_any_spelling() -> None:
    assert "no hierarchy" in SPACE.relation("expensive!", "dog").reason
