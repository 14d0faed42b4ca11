"""Words in other spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.vectors.forms import base_forms, key, spelled, tidied
from entvec.vectors.words import Words

TERMS = ["bird", "China", "china", "goose", "ice_cream", "icecream", "set-aside", "walk"]
IRREGULAR = ["geese noun goose", "mothers-in-law noun mother-in-law", "ran verb run"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("china", ["china"]),
        ("China", ["China"]),
        ("CHINA", ["China", "china"]),
        ("ice cream", ["ice_cream"]),
        ("Ice Cream", ["ice_cream"]),
        ("ice-cream", ["ice_cream"]),
        ("IceCream", ["icecream"]),
        ("set aside", ["set-aside"]),
        ("cream", []),
        ("", []),
    ],
)
def test_the_closest_spellings_are_found(word: str, found: list[str]) -> None:
    terms = Words.of(sorted(TERMS, key=lambda term: (key(term), term)))
    assert [terms[row] for row in spelled(terms, word)] == found


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("dogs", ("dog", "noun")),
        ("berries", ("berry", "noun")),
        ("churches", ("church", "noun")),
        ("policemen", ("policeman", "noun")),
        ("wild geese", ("wild goose", "noun")),
        ("Mothers-in-law", ("mother-in-law", "noun")),
        ("walked", ("walk", "verb")),
        ("making", ("make", "verb")),
        ("ran away", ("run away", "verb")),
        ("looked_up", ("look up", "verb")),
    ],
)
def test_forms_have_bases(word: str, base: tuple[str, str]) -> None:
    assert base in list(base_forms(word, IRREGULAR))


def test_an_irregular_form_has_no_regular_base() -> None:
    assert [base for base, kind in base_forms("geese", IRREGULAR) if kind == "noun"] == ["goose"]


@given(
    st.lists(st.text(alphabet="abAB_-", min_size=1, max_size=5), unique=True), st.text(alphabet="abAB_- ", max_size=5)
)
def test_bisection_finds_what_a_scan_finds(terms: list[str], word: str) -> None:
    ordered = sorted(terms, key=lambda term: (key(term), term))
    found = {ordered[row] for row in spelled(Words.of(ordered), word)}
    same_key = {term for term in terms if key(term) == key(word)}
    assert found <= same_key
    assert bool(found) == bool(same_key)
    exact = {term for term in same_key if term.replace("_", " ") == word.replace("_", " ")}
    assert not exact or found == exact


@given(st.text(max_size=20))
def test_tidied_texts_are_others_and_not_empty(text: str) -> None:
    assert all(each and each != text and each == each.strip() for each in tidied(text))
