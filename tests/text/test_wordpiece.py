"""The tokenizer splits text as the reference implementation of BERT's tokenizer does."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import encoder
from entvec.errors import InvalidInput
from entvec.text.wordpiece import END, START, UNKNOWN, WordPiece, words

REFERENCE = json.loads((Path(__file__).parent / "wordpiece_reference.json").read_text(encoding="utf-8"))
"""Texts with their pieces, by the library `tokenizers` 0.22 with the bundled vocabulary."""
PIECES = encoder("static").pieces


@pytest.mark.parametrize(("text", "expected"), REFERENCE, ids=[ascii(text)[:40] for text, _ in REFERENCE])
def test_pieces_are_those_of_the_reference(text: str, expected: list[str]) -> None:
    assert [PIECES.vocabulary[number] for number in PIECES.bare(text)] == expected


def test_a_text_is_between_a_start_and_an_end() -> None:
    first, *_, last = PIECES("running shoes")
    assert (PIECES.vocabulary[first], PIECES.vocabulary[last]) == (START, END)


def test_special_pieces_in_a_text_are_only_text() -> None:
    assert [PIECES.vocabulary[number] for number in PIECES.bare("[SEP]")][:1] == ["["]


def test_long_texts_are_cut_off_before_the_end() -> None:
    found = PIECES("dog " * 500)
    assert len(found) == PIECES.longest_text
    assert PIECES.vocabulary[found[-1]] == END


def test_a_vocabulary_without_a_piece_for_unknown_words_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no \[UNK\] among the 2 pieces"):
        WordPiece([START, END])


@given(st.text(max_size=40))
def test_any_text_is_split_and_case_does_not_matter_for_ascii(text: str) -> None:
    found = PIECES(text)
    assert all(0 <= number < len(PIECES.vocabulary) for number in found)
    if text.isascii():
        assert found == PIECES(text.upper())


@given(st.text(st.characters(codec="ascii"), max_size=40))
def test_the_short_way_for_ascii_is_the_long_way(text: str) -> None:
    assert words(text) == words(text + " é")[:-1]


def test_unknown_letters_make_one_unknown_word() -> None:
    assert [PIECES.vocabulary[number] for number in PIECES.bare("dog \u0939\u093f")] == ["dog", UNKNOWN]
