"""Suggestions for a word that is not there: what looks most like it, the frequent before the rare."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.vectors.spelling import similar_spellings
from entvec.vectors.words import Words, fold

properties = settings(derandomize=True, deadline=None)


def edits(a: str, b: str) -> int:
    """Letters put in, left out, changed or swapped with the next: the optimal string alignment distance."""
    far = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            changed = far[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            far[i][j] = min(far[i - 1][j] + 1, far[i][j - 1] + 1, changed)
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                far[i][j] = min(far[i][j], far[i - 2][j - 2] + 1)
    return far[-1][-1]


def similar_in_words(word: str, words: list[str], k: int) -> list[str]:
    asked = fold(word, case=True, space=True)
    most = 2 if len(asked) > 4 else 1 if len(asked) > 1 else 0
    distances = [edits(asked, fold(other, case=True, space=True)) for other in words]
    order = sorted(range(len(words)), key=lambda row: (distances[row], row))
    return [words[row] for row in order if distances[row] <= most][:k]


few_letters = st.text("abB_ ß", max_size=7)


@properties
@given(word=few_letters, words=st.lists(few_letters, max_size=20), k=st.integers(0, 6))
def test_suggestions_are_the_fewest_edits_away(word: str, words: list[str], k: int) -> None:
    assert similar_spellings(word, Words.of(words), k) == similar_in_words(word, words, k)


def test_variants_come_first_then_one_edit_then_two() -> None:
    words = Words.of(["guiters", "guitarr", "GUITAR", "sitar", "Guitar"])
    assert similar_spellings("guitar", words) == ["GUITAR", "Guitar", "guitarr", "guiters", "sitar"]


def test_of_equally_similar_words_the_frequent_come_first() -> None:
    assert similar_spellings("hat", Words.of(["cat", "bat", "rat", "at"])) == ["cat", "bat", "rat", "at"]


@pytest.mark.parametrize(
    ("asked", "there"), [("Ice Cream", "ice_cream"), ("ice_cream", "Ice Cream"), ("STRASSE", "Straße")]
)
def test_another_way_to_write_it_is_suggested_as_it_is_written(asked: str, there: str) -> None:
    assert similar_spellings(asked, Words.of(["piano", there])) == [there]


def test_two_swapped_letters_are_one_mistake() -> None:
    assert similar_spellings("dgo", Words.of(["dog", "go"])) == ["dog", "go"]


@pytest.mark.parametrize(
    ("asked", "suggested"),
    [("abcde", ["abc"]), ("abcd", ["abc"]), ("abxy", []), ("bc", ["abc"]), ("c", []), ("E", ["e"]), ("", [])],
)
def test_the_shorter_the_word_the_fewer_the_mistakes(asked: str, suggested: list[str]) -> None:
    assert similar_spellings(asked, Words.of(["abc", "e"])) == suggested


def test_at_most_five_unless_told() -> None:
    words = [f"word{number}" for number in range(10)]
    assert similar_spellings("word", Words.of(words)) == words[:5]
    assert similar_spellings("word", Words.of(words), k=7) == words[:7]


def test_without_words_there_is_nothing_to_suggest() -> None:
    assert similar_spellings("dog", Words.of([])) == []


def test_half_a_surrogate_pair_may_be_misspelled_too() -> None:
    assert similar_spellings("caf\udce9", Words.of(["café", "piano"])) == ["café"]
