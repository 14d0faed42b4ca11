from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.text.extraction.sentences import LONGEST, joined, starts


def sentences(text: str) -> list[str]:
    places = starts(text)
    return [text[a:b].strip() for a, b in pairwise(places)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Dogs bark. Cats do not.", 2),
        ("Mr. Brown met J. S. Mill, etc. in vol. 3 of it.", 1),
        ("He said “No.” Then he left! Did he? Yes.", 4),
        ("A heading\n\nA sentence.", 2),
        ("Items:\n- one\n- two", 3),
        ("It goes on\nin the next line.", 1),
        ("Costs 3.5 dollars.", 1),
        ("One clause; another.", 2),
        ("dog: An animal.\nhot dog: A sausage.\ncat | a pet.\nowl - a bird.", 4),
        ("He saw the\ndog: it barked. He fled, and\nfell.", 2),
    ],
)
def test_sentences_end_where_people_end_them(text: str, number: int) -> None:
    assert len(list(filter(None, sentences(text)))) == number


@given(st.text(st.sampled_from("aA. \n!?;-1"), max_size=300))
def test_sentences_cover_the_text(text: str) -> None:
    places = starts(text)
    assert (places[0], places[-1]) == (0, len(text))
    assert all(a < b for a, b in pairwise(places)) or not text


def test_long_sentences_are_cut() -> None:
    places = starts("a " * 3 * LONGEST)
    assert max(b - a for a, b in pairwise(places)) == LONGEST


def test_words_broken_by_lines_are_joined() -> None:
    assert joined("ani-\n   mals and well-\nKnown; soft\u00adware") == "animals and well- Known; software"
