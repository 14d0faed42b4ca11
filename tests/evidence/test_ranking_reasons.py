"""Every match has its main reason."""

import pytest

from entvec.space import default_space

SPACE = default_space()


@pytest.mark.parametrize(
    ("word", "hyper", "reason"),
    [
        ("dog", "animal", "dog -> domestic animal -> animal (WordNet 3.0)"),
        ("biker", "person", "biker is used like "),
        ("training_camp", "camp", "camp"),
    ],
)
def test_the_main_reason(word: str, hyper: str, reason: str) -> None:
    [found] = [match.reason for match in SPACE.hypernyms(word, 300) if match.word == hyper]
    assert reason in found


def test_the_path_of_a_group_of_people_is_not_told() -> None:
    matches = SPACE.hypernyms("bisexual", 10)
    assert len(matches)
    assert {match.reason for match in matches} == {f"bisexual is known as a kind of {word}" for word in matches.words}
