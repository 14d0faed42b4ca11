"""Words are a list of strings that cannot be changed, and looking one up in it is fast."""

import copy
import multiprocessing
import operator
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import entvec.vectors.words
from entvec.errors import InvalidInput
from entvec.vectors.formats.base import LONGEST_WORD
from entvec.vectors.words import BYTES_AT_ONCE, PLACES, Words, as_text, fold

properties = settings(derandomize=True, deadline=None)

ALL_HASHES_EQUAL = {"FACTORS": np.zeros(PLACES, dtype=np.uint64), "FACTOR_LIST": [0] * PLACES}
CONDITIONS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "small blocks": {"BYTES_AT_ONCE": 7},
    "blocks of one word": {"BYTES_AT_ONCE": 0},
    "all hashes equal": ALL_HASHES_EQUAL,
    "all hashes equal in small blocks": {"BYTES_AT_ONCE": 7, **ALL_HASHES_EQUAL},
}
every_condition = pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)


@contextmanager
def under(condition: dict[str, Any]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in condition.items():
            patch.setattr(entvec.vectors.words, name, value)
        yield


any_word = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8)
much_alike = st.text("ab_ Aßé😀", max_size=3)
long_word = st.builds(operator.mul, much_alike, st.sampled_from([255, 256, 257, 1000]))
a_word = st.one_of(any_word, much_alike, long_word)
word_lists = st.lists(a_word, max_size=20)


def first_rows(words: list[str]) -> dict[str, int]:
    return {word: row for row, word in reversed(list(enumerate(words)))}


# A list of strings


@every_condition
@properties
@given(words=word_lists)
def test_holds_the_words_it_was_made_of(condition: dict[str, Any], words: list[str]) -> None:
    with under(condition):
        made = Words.of(iter(words))
        assert list(made) == words
        assert len(made) == len(words)
        assert [made[row] for row in range(len(words))] == words
        assert list(reversed(made)) == words[::-1]
        assert made.split() == [word.encode() for word in words]


@properties
@given(words=word_lists, row=st.integers(-25, 25))
def test_rows_count_from_the_end_if_negative_and_end_where_a_list_does(words: list[str], row: int) -> None:
    made = Words.of(words)
    if -len(words) <= row < len(words):
        assert made[row] == words[row]
    else:
        with pytest.raises(IndexError):
            made[row]


@properties
@given(words=word_lists, data=st.data())
def test_a_slice_is_words_again(words: list[str], data: st.DataObject) -> None:
    part = data.draw(st.slices(len(words)))
    sliced = Words.of(words)[part]
    assert isinstance(sliced, Words)
    assert list(sliced) == words[part]
    assert len(sliced) == len(words[part])


@pytest.mark.parametrize("part", [slice(5, 2), slice(-100, 100), slice(None, None, -1), slice(3, None), slice(9, 9)])
def test_a_slice_may_reach_beyond_the_end(part: slice) -> None:
    words = ["a", "", "bb", "ccc", "d"]
    assert list(Words.of(words)[part]) == words[part]


@properties
@given(words=word_lists, more=word_lists)
def test_index_and_count_are_those_of_a_list(words: list[str], more: list[str]) -> None:
    made = Words.of(words)
    for word in words:
        assert made.index(word) == words.index(word)
        assert made.count(word) == words.count(word)
    for word in set(more) - set(words):
        assert made.count(word) == 0
        with pytest.raises(ValueError, match=r"^$"):
            made.index(word)


@pytest.mark.parametrize("not_a_row", ["dog", 1.0, None])
def test_only_a_number_is_a_row(not_a_row: Any) -> None:
    with pytest.raises(TypeError):
        Words.of(["dog"])[not_a_row]


def test_a_row_may_be_a_number_of_numpy() -> None:
    assert Words.of(["dog", "cat"])[np.int32(1)] == "cat"  # type: ignore[call-overload]


def test_shows_the_first_few_words_and_how_many_there_are() -> None:
    assert repr(Words.of(["dog", "cat"])) == "Words('dog', 'cat'; 2)"
    assert repr(Words.of(map(str, range(1234)))) == "Words('0', '1', '2', '3', '4', ...; 1,234)"


def test_there_may_be_no_words() -> None:
    none = Words.of([])
    assert list(none) == list(none[:]) == list(none.folded(case=True, space=True)) == []
    assert none.split() == []
    assert len(none) == 0
    assert none.row("") is None
    assert none.rows(Words.of(["", "dog"])).tolist() == [-1, -1]
    assert none.rows(none).tolist() == none.repeated().tolist() == []
    with pytest.raises(IndexError):
        none[0]


def test_the_empty_word_is_a_word() -> None:
    words = Words.of(["", "dog", ""])
    assert list(words) == ["", "dog", ""]
    assert words.row("") == 0
    assert words.repeated().tolist() == [2]
    assert "" not in Words.of(["dog"])


@pytest.mark.parametrize("words", [["dog", "ice\ncream"], ["\n"], ["a\n", "b"], ["a", "", "\nb"]])
def test_a_word_with_a_line_break_is_refused(words: list[str]) -> None:
    broken = next(word for word in words if "\n" in word)
    with pytest.raises(InvalidInput, match="has a line break in it, expected one line a word") as refused:
        Words.of(words)
    assert repr(broken) in str(refused.value)


@pytest.mark.parametrize("separator", ["\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\0", "\t", " "])
def test_no_other_separator_breaks_a_line(separator: str) -> None:
    words = [f"ice{separator}cream", separator]
    assert list(Words.of(words)) == words
    assert Words.of(words).row(separator) == 1


def test_half_a_surrogate_pair_is_no_word() -> None:
    with pytest.raises(InvalidInput, match=r"the word 'caf\\udce9' cannot be written in UTF-8"):
        Words.of(["dog", "caf\udce9"])


@pytest.mark.parametrize("not_a_word", [1, None, b"dog", ["dog"]])
def test_only_strings_are_words(not_a_word: Any) -> None:
    with pytest.raises(InvalidInput, match="is no word, expected a string"):
        Words.of(["dog", not_a_word])


def test_what_follows_the_last_line_break_of_a_text_is_no_word() -> None:
    words = Words(np.frombuffer(b"dog\ncat\npia", dtype=np.uint8))
    assert list(words) == [words[0], words[1]] == ["dog", "cat"]
    assert words.split() == [b"dog", b"cat"]
    assert "pia" not in words


def test_text_has_a_line_break_after_each_word() -> None:
    assert as_text([]).tobytes() == b""
    assert as_text([b""]).tobytes() == b"\n"
    assert as_text([b"dog", b"cat"]).tobytes() == Words.of(["dog", "cat"]).text.tobytes() == b"dog\ncat\n"


# Lookup


@every_condition
@properties
@given(words=word_lists, others=word_lists)
def test_a_word_is_found_where_it_first_occurs(condition: dict[str, Any], words: list[str], others: list[str]) -> None:
    with under(condition):
        made, naive = Words.of(words), first_rows(words)
        for word in words + others:
            assert made.row(word) == naive.get(word)
            assert (word in made) == (word in naive)


@every_condition
@properties
@given(words=word_lists, others=word_lists)
def test_many_words_are_found_as_each_is(condition: dict[str, Any], words: list[str], others: list[str]) -> None:
    with under(condition):
        wanted, naive = words[::-1] + others, first_rows(words)
        rows = Words.of(words).rows(Words.of(wanted))
        assert rows.tolist() == [naive.get(word, -1) for word in wanted]
        assert rows.dtype == np.int64


@every_condition
@properties
@given(words=word_lists)
def test_repeated_are_all_but_the_first_of_each_word(condition: dict[str, Any], words: list[str]) -> None:
    with under(condition):
        repeated = Words.of(words).repeated()
        assert repeated.tolist() == [row for row, word in enumerate(words) if word in words[:row]]
        assert repeated.dtype == np.int64


@properties
@given(words=st.lists(a_word, min_size=1, max_size=20), data=st.data())
def test_take_gives_the_words_of_the_rows(words: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=30))
    taken = Words.of(words).take(np.array(rows, dtype=np.int64))
    assert list(taken) == [words[row] for row in rows]
    assert taken.rows(taken).tolist() == [list(taken).index(word) for word in taken]


@pytest.mark.parametrize("rows", [[0], [4], [1, 2, 3], [3, 2, 1], [0, 2, 1, 3], [2, 2, 2], [0, 1, 2, 3, 4], [1, 3], []])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.uint8])
def test_take_accepts_every_kind_of_whole_number(rows: list[int], dtype: Any) -> None:
    words = ["a", "", "bb", "ccc", "d"]
    assert list(Words.of(words).take(np.array(rows, dtype=dtype))) == [words[row] for row in rows]


@pytest.mark.parametrize("rows", [[5], [4, 5], [0, 7], [-1], [-2, -1], [-1, 0], [3, -1], [-6]])
def test_take_refuses_rows_that_are_not_there(rows: list[int]) -> None:
    with pytest.raises(IndexError):
        Words.of(["a", "", "bb", "ccc", "d"]).take(np.array(rows))  # -1 is where a missing word is, not the last row


def test_neighbouring_rows_are_taken_without_a_copy() -> None:
    words = Words.of(["a", "bb", "ccc", "d"])
    assert np.shares_memory(words[1:3].text, words.text)
    assert np.shares_memory(words.take(np.arange(4)).text, words.text)


def test_words_that_share_a_beginning_an_end_or_their_letters_are_different() -> None:
    words = ["ab", "ba", "a", "b", "abab", "aab", "abb", "a" * PLACES, "a" * (PLACES + 1), "b" * PLACES]
    made = Words.of(words)
    assert [made.row(word) for word in words] == list(range(len(words)))
    assert made.rows(made).tolist() == list(range(len(words)))
    assert not len(made.repeated())


def test_words_of_thousands_of_bytes_are_compared_to_the_last_byte() -> None:
    words = [f"{'é' * 4000}{end}" for end in "abc"] + ["x" * 70_000, "x" * 69_999]
    made = Words.of(words)
    assert list(made) == words
    assert [made.row(word) for word in words] == made.rows(made).tolist() == [0, 1, 2, 3, 4]
    assert "é" * 4000 not in made
    assert "x" * 69_998 not in made


def test_letters_beyond_the_first_places_still_change_the_hash() -> None:
    hashes = Words.of([f"{'a' * PLACES}{number}" for number in range(1000)])._hashes
    assert len(np.unique(hashes)) == 1000


@pytest.mark.parametrize("bytes_at_once", [64, BYTES_AT_ONCE])
def test_many_thousand_words_are_worked_through_in_blocks(bytes_at_once: int) -> None:
    words = [f"wörd {number % 29_000}" for number in range(30_000)] + ["y" * 2 * BYTES_AT_ONCE, "last"]
    naive = first_rows(words)
    with under({"BYTES_AT_ONCE": bytes_at_once}):
        made = Words.of(words)
        assert len(list(made._blocks())) > 2
        assert list(made) == words
        shuffled = np.random.default_rng(0).permutation(len(words))
        wanted = made.take(shuffled)
        assert list(wanted) == [words[row] for row in shuffled]
        assert made.rows(wanted).tolist() == [naive[words[row]] for row in shuffled]
        assert made.repeated().tolist() == list(range(29_000, 30_000))
        assert [made.row(word) for word in words[:100]] == list(range(100))


@every_condition
@properties
@given(words=word_lists)
def test_blocks_follow_each_other_and_are_no_longer_than_they_must(condition: dict[str, Any], words: list[str]) -> None:
    with under(condition):
        made = Words.of(words)
        blocks = list(made._blocks())
        assert [row for first, last in blocks for row in range(first, last)] == list(range(len(words)))
        for first, last in blocks:
            size = sum(len(word.encode()) + 1 for word in words[first:last])
            assert size <= entvec.vectors.words.BYTES_AT_ONCE or last == first + 1


def test_hashes_do_not_depend_on_the_blocks() -> None:
    words = [f"wörd {number}" for number in range(3000)]
    expected = Words.of(words)._hashes
    with under({"BYTES_AT_ONCE": 100}):
        np.testing.assert_array_equal(Words.of(words)._hashes, expected)


@pytest.mark.parametrize("half", ["\ud800", "a\udfff", "\udc80b"])
def test_half_a_surrogate_pair_is_nowhere(half: str) -> None:
    words = Words.of(["a", "b", ""])
    assert half not in words
    assert words.row(half) is None


@pytest.mark.parametrize("broken", ["\n", "dog\n", "\ndog", "dog\ncat", "dog\ncat\n"])
def test_a_word_with_a_line_break_is_nowhere(broken: str) -> None:
    for condition in CONDITIONS.values():
        with under(condition):
            assert broken not in Words.of(["dog", "cat", ""])


@pytest.mark.parametrize("thing", [0, None, b"dog", ["dog"], 1.5])
def test_only_strings_are_among_words(thing: object) -> None:
    assert thing not in Words.of(["dog", "0", "None"])


# Words that differ in case or `_` only


@pytest.mark.parametrize(
    ("word", "case", "space", "folded"),
    [
        ("Ice_Cream", False, False, "Ice_Cream"),
        ("Ice_Cream", True, False, "ice_cream"),
        ("Ice_Cream", False, True, "Ice Cream"),
        ("Ice_Cream", True, True, "ice cream"),
        ("Straße", True, False, "strasse"),
        ("ΣΊΣΥΦΟΣ", True, False, "σίσυφοσ"),
    ],
)
def test_folding_makes_capitals_small_and_underscores_spaces(word: str, case: bool, space: bool, folded: str) -> None:
    assert fold(word, case=case, space=space) == folded


@pytest.mark.parametrize("case", [False, True])
@pytest.mark.parametrize("space", [False, True])
@properties
@given(words=word_lists)
def test_folded_words_are_the_words_folded(case: bool, space: bool, words: list[str]) -> None:
    folded = Words.of(words).folded(case=case, space=space)
    assert list(folded) == [fold(word, case=case, space=space) for word in words]


# Copies


def test_a_copy_has_the_same_words() -> None:
    words = Words.of(["dog", "cat"])
    assert "cat" in words
    for again in (copy.copy(words), copy.deepcopy(words), pickle.loads(pickle.dumps(words))):  # noqa: S301
        assert list(again) == ["dog", "cat"]
        assert again.row("cat") == 1


def test_words_are_found_in_another_process_too() -> None:
    words = Words.of(["dog", "cat"])
    assert "cat" in words
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        assert other.submit(operator.contains, words, "cat").result(timeout=60)


def test_letters_exchanged_at_any_distance_change_the_hash() -> None:
    words = Words.of(["a" * at + "b" + "a" * (LONGEST_WORD - 1 - at) for at in (0, 1, 255, 256, 512, LONGEST_WORD - 1)])
    assert len(set(words._hashes.tolist())) == len(words)
