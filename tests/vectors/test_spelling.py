"""Suggestions for a word that is not there: forms of it, then what looks most like it, the frequent before the rare."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.vectors.forms import variants
from entvec.vectors.spelling import similar_spellings, similar_spellings_of_all
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


def fold_all(word: str) -> str:
    return fold(word, case=True, space=True)


def similar_in_words(word: str, words: list[str], k: int) -> list[str]:
    asked = fold_all(word)
    most = 2 if len(asked) > 4 else 1 if len(asked) > 1 else 0
    distances = [edits(asked, fold_all(other)) for other in words]
    order = sorted(range(len(words)), key=lambda row: (distances[row], row))
    forms = [row for form in variants(word) for row, other in enumerate(words) if fold_all(other) == form]
    return list(dict.fromkeys(words[row] for row in (*forms, *(row for row in order if distances[row] <= most))))[:k]


few_letters = st.text("abB_ ß", max_size=7)


@properties
@given(word=few_letters, words=st.lists(few_letters, max_size=20), k=st.integers(0, 6))
def test_suggestions_are_forms_then_the_fewest_edits_away(word: str, words: list[str], k: int) -> None:
    assert similar_spellings(word, Words.of(words), k) == similar_in_words(word, words, k)


@properties
@given(asked=st.lists(few_letters, max_size=4), words=st.lists(few_letters, max_size=20))
def test_several_words_have_the_suggestions_of_each(asked: list[str], words: list[str]) -> None:
    found = similar_spellings_of_all(asked, Words.of(words))
    assert found == [similar_spellings(word, Words.of(words)) for word in asked]


FORMS = [
    ("guitars", "guitar"),
    ("guitar", "guitars"),
    ("boxes", "box"),
    ("box", "boxes"),
    ("ponies", "pony"),
    ("pony", "ponies"),
    ("geese", "goose"),
    ("mouse", "mice"),
    ("policemen", "policeman"),
    ("policeman", "policemen"),
    ("GUITARS", "Guitar"),
    ("ice-cream", "ice_cream"),
    ("icecream", "ice_cream"),
    ("ice cream", "ice-cream"),
    ("ice_cream", "icecream"),
    ("Ice-Creams", "ice_cream"),
    ("email", "e-mail"),
    ("mother in law", "mother-in-law"),
    ("walked", "walk"),
    ("stopping", "stop"),
    ("baking", "bake"),
    ("running shoes", "running_shoe"),
]


@pytest.mark.parametrize(("asked", "there"), FORMS)
def test_a_form_of_the_word_comes_before_words_that_only_look_like_it(asked: str, there: str) -> None:
    near = [asked[:at] + "q" + asked[at + 1 :] for at in range(3)]
    assert similar_spellings(asked, Words.of([*near, there]))[0] == there


def test_a_misspelled_word_is_no_form_of_a_short_one() -> None:
    assert similar_spellings("bing", Words.of(["b", "be", "bin"])) == ["bin"]


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
