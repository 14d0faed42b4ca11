"""Words that are used like a word are grouped by what they are."""

import pytest

from entvec.space import default_space

SPACE = default_space()
SIMILAR = SPACE.judge.similar


@pytest.mark.parametrize(
    ("hypo", "hyper", "kind", "other"),
    [
        ("tomato", "vegetable", "vegetable", "fruit"),
        ("guitar", "instrument", "instrument", "musician"),
        ("iPhone", "phone", "phone", "software"),
        ("piano", "banana", None, "device"),
        ("dog", "animal", "animal", None),
    ],
)
def test_some_are_kinds_of_the_hyper_and_others_mostly_something_else(
    hypo: str, hyper: str, kind: str | None, other: str | None
) -> None:
    found = {group.supports: group.kind for group in SIMILAR.groups(hypo, hyper)}
    assert (found.get(True), found.get(False)) == (kind, other)


def test_what_supports_is_known_to_be_a_kind_of_the_hyper() -> None:
    found = SIMILAR.supporting("tomato", "vegetable")
    assert found is not None
    assert all(SPACE.relation(word, "vegetable").relation == "narrower" for word in found.words)
    assert found.text == f"{found.words[0]}, {found.words[1]} and {found.words[2]}, kinds of vegetable"
    two = SIMILAR.supporting("dog", "cat")
    assert two is not None
    assert two.text == f"{two.words[0]} and {two.words[1]}, kinds of cat"


@pytest.mark.parametrize("word", ["corgi", "Muslim"])
def test_a_word_without_a_vector_and_a_group_of_people_have_no_neighbours(word: str) -> None:
    assert SIMILAR.groups(word, "animal") == ()
