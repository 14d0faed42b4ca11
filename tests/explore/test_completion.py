"""Words that begin with some letters."""

from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import google_news
from entvec.explore.completion import Completion
from entvec.vectors.words import Words

LETTERS = st.text(st.sampled_from("abAB_ ßßéÉİ\U0010ffff"), min_size=1, max_size=4)


def folded(word: str) -> str:
    return word.replace("_", " ").casefold()


@given(st.lists(LETTERS, unique=True, max_size=30), LETTERS, st.integers(1, 8))
def test_it_is_a_search_through_the_whole_list(vocabulary: list[str], start: str, k: int) -> None:
    expected = [word for word in vocabulary if folded(word).startswith(folded(start))][:k]
    assert Completion(Words.of(vocabulary)).words(start, k) == expected


def test_the_frequent_come_first() -> None:
    words = google_news().words
    found = Completion(words).words("gui", 5)
    assert found == [word for word in words if word.lower().startswith("gui")][:5]
    assert "guitar" in found


def test_nothing_begins_so() -> None:
    assert Completion(Words.of(["dog", "cat"])).words("x", 3) == []
