"""Words of Arrow's columns are found as the vectors find them, however Arrow keeps them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bulk.arrow import examples, numbers_of, rows_of, strings_of
from entvec.pairs.lookup import TextLookup
from entvec.vectors import Vectors
from entvec.vectors.words import Words

WORDS = ["dog", "Café", "ice_cream", "a_word_of_more_than_thirty-one_bytes", "x"]
VECTORS = Vectors(WORDS, np.eye(5)).with_lookup(case=True, space=True)
ASKED = ["x", "Dog", None, "", "cat", "ice cream", "CAFÉ", "dog\nx", "A word of more than thirty-one bytes", "x", None]
FOUND = [4, 0, -1, -1, -1, 2, 1, -1, 3, 4, -1]

KINDS: dict[str, Any] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int8(), pa.string()),
    "large dictionary": pa.dictionary(pa.int32(), pa.large_string()),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_of_column_has_the_same_rows(kind: Any) -> None:
    column = pa.chunked_array([pa.array(ASKED, pa.string()).cast(kind)])
    assert rows_of(TextLookup(VECTORS), column).tolist() == FOUND


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_column_may_be_part_of_another_and_in_pieces(kind: Any) -> None:
    whole = pa.array(["other", *ASKED, "things"], pa.string()).cast(kind)
    column = pa.chunked_array([whole.slice(1, 4), whole.slice(5, 0), whole.slice(5, 7)])
    assert rows_of(TextLookup(VECTORS), column).tolist() == FOUND


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_column_may_be_empty_or_have_no_words(kind: Any) -> None:
    assert rows_of(TextLookup(VECTORS), pa.chunked_array([], kind)).tolist() == []
    assert rows_of(TextLookup(VECTORS), pa.chunked_array([pa.array([], kind)])).tolist() == []
    assert rows_of(TextLookup(VECTORS), pa.chunked_array([pa.array([None, None], kind)])).tolist() == [-1, -1]


def test_a_null_in_the_dictionary_itself_has_no_row() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array([None, "dog"]))
    assert rows_of(TextLookup(VECTORS), pa.chunked_array([column])).tolist() == [-1, 0, -1]


@given(st.lists(st.none() | st.sampled_from(WORDS) | st.text(max_size=40)))
@settings(max_examples=100)
def test_any_words_are_found_as_the_vectors_find_them(asked: list[str | None]) -> None:
    asked = [word for word in asked if word is None or _encodable(word)]
    expected = [-1 if not word or "\n" in word else int(VECTORS.rows([word])[0]) for word in asked]
    assert rows_of(TextLookup(VECTORS), pa.chunked_array([pa.array(asked, pa.string())])).tolist() == expected


def _encodable(word: str) -> bool:
    return word.encode(errors="replace").decode() == word


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)))
@settings(max_examples=50)
def test_words_become_a_column_of_the_same_words(words: list[str]) -> None:
    column = strings_of(Words.of(words))
    column.validate(full=True)
    assert column.to_pylist() == words


def test_a_few_words_without_a_row_are_examples() -> None:
    hypo = pa.chunked_array([["dog", "frog", "newt", "frog", None]])
    hyper = pa.chunked_array([["newt", "x", "toad", "eft", ""]])
    rows = [rows_of(TextLookup(VECTORS), column) for column in (hypo, hyper)]
    assert examples([hypo, hyper], rows) == ("frog", "newt", "toad")


@pytest.mark.parametrize("numbers", [[1.5, np.nan, -2.0], np.arange(3, dtype=np.int32), []])
def test_numbers_become_a_column_of_their_type(numbers: Any) -> None:
    numbers = np.array(numbers)
    column = numbers_of(numbers)
    assert column.type == pa.from_numpy_dtype(numbers.dtype)
    np.testing.assert_array_equal(column.to_numpy(), numbers)


def test_numbers_that_are_unknown_are_null() -> None:
    unknown = np.arange(11) % 3 == 0
    column = numbers_of(np.arange(11.0), unknown=unknown)
    column.validate(full=True)
    assert column.to_pylist() == [None if i % 3 == 0 else float(i) for i in range(11)]
