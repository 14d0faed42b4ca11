"""Vectors: a word gives its row of numbers; nothing changes them, and nothing but a word is one."""

import copy
import multiprocessing
import operator
import pickle
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as array_of

import entvec.vectors.vectors
from entvec.errors import CannotWrite, InvalidInput, VectorFileError, VectorFileNotFound, WordNotFound, WordsNotFound
from entvec.vectors import Similar, Vectors
from entvec.vectors.dtypes import DTYPES, DtypeName
from entvec.vectors.words import Words, fold

every_dtype = pytest.mark.parametrize("dtype", DTYPES)
properties = settings(derandomize=True, deadline=None)

WORDS = ["the", "dog", "Dog", "ice_cream", ""]
MATRIX = np.arange(15, dtype=np.float32).reshape(5, 3) - 4
COUNTS = [900, 80, 7, 6, 5]
RANKS = [0, 10, 300, 301, 2_000_000]


def some_vectors(dtype: str = "float32") -> Vectors:
    return Vectors(WORDS, MATRIX, counts=COUNTS, ranks=RANKS, metadata={"from": "nowhere", "ß": "\n😀"}).astype(dtype)


def no_vectors() -> Vectors:
    return Vectors([], np.empty((0, 3)))


def assert_same(one: Vectors, other: Vectors) -> None:
    assert list(one.words) == list(other.words)
    assert one.dtype == other.dtype
    assert one.stored.dtype == other.stored.dtype
    np.testing.assert_array_equal(one.stored, other.stored, strict=True)
    np.testing.assert_array_equal(one.ranks, other.ranks, strict=True)
    assert one.has_ranks == other.has_ranks
    assert (one.counts is None) == (other.counts is None)
    if one.counts is not None and other.counts is not None:
        np.testing.assert_array_equal(one.counts, other.counts, strict=True)
    assert one.metadata == other.metadata


# Made of words and a matrix


def test_each_word_has_the_row_of_the_matrix_in_its_place() -> None:
    v = some_vectors()
    for word, row in zip(WORDS, MATRIX, strict=True):
        np.testing.assert_array_equal(v[word], row, strict=True)
    np.testing.assert_array_equal(v.matrix, MATRIX, strict=True)
    assert [v.row(word) for word in WORDS] == [0, 1, 2, 3, 4]


def test_is_as_long_as_its_words_and_iterates_over_them() -> None:
    v = some_vectors()
    assert len(v) == 5
    assert v.dimension == 3
    assert list(v) == list(v) == list(v.words) == WORDS
    assert dict(zip(v, v.matrix[:, 0].tolist(), strict=True))["dog"] == -1


def test_says_what_it_is() -> None:
    assert repr(some_vectors("bfloat16")) == "Vectors(5 words x 3, bfloat16)"
    assert repr(Vectors(map(str, range(1234)), np.ones((1234, 2)))) == "Vectors(1,234 words x 2, float64)"


def test_says_that_it_is_mapped_and_from_where(tmp_path: Path) -> None:
    some_vectors().save(tmp_path / "some.safetensors")
    v = Vectors.load(tmp_path / "some.safetensors")
    assert repr(v) == "Vectors(5 words x 3, float32, memory-mapped)"
    assert repr(v.head(2)) == "Vectors(2 words x 3, float32, memory-mapped)"
    assert repr(v.with_lookup(case=True)) == repr(v)
    assert repr(v.subset(["dog", "the"])) == "Vectors(2 words x 3, float32)"
    assert repr(v.astype("float64")) == "Vectors(5 words x 3, float64)"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", ">f8", ">f2"])
def test_floating_point_numbers_are_kept_as_they_are(dtype: Any) -> None:
    given_ = MATRIX.astype(dtype)
    v = Vectors(WORDS, given_)
    assert v.dtype == given_.dtype.name
    np.testing.assert_array_equal(v.stored, given_)
    assert v.stored.dtype == DTYPES[v.dtype].stored
    np.testing.assert_array_equal(v["dog"], given_[1])
    assert v["dog"].dtype == v[["dog"]].dtype == v.matrix.dtype == v.matrix_dtype
    assert v.matrix_dtype == (np.float64 if v.dtype == "float64" else np.float32)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool])
def test_whole_numbers_become_float64(dtype: Any) -> None:
    v = Vectors(["a", "b"], np.array([[1, 0], [1, 1]], dtype=dtype))
    assert v.dtype == "float64"
    assert v["a"].tolist() == [1.0, 0.0]


def test_bfloat16_numbers_of_another_library_are_kept() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    v = Vectors(WORDS, MATRIX.astype(ml_dtypes.bfloat16))
    assert_same(v, Vectors(WORDS, MATRIX).astype("bfloat16"))
    assert v["dog"].tolist() == MATRIX[1].tolist()


@pytest.mark.parametrize("layout", [MATRIX.tolist(), np.asfortranarray(MATRIX), np.repeat(MATRIX, 2, axis=1)[:, ::2]])
def test_a_matrix_may_be_lists_or_lie_in_memory_in_any_way(layout: Any, tmp_path: Path) -> None:
    v = Vectors(WORDS, layout)
    np.testing.assert_array_equal(v.matrix, MATRIX)
    v.save(tmp_path / "some.safetensors")
    assert_same(Vectors.load(tmp_path / "some.safetensors"), v)


@pytest.mark.parametrize("words", [tuple(WORDS), iter(WORDS), dict.fromkeys(WORDS), Words.of(WORDS), np.array(WORDS)])
def test_words_may_come_in_any_iterable(words: Iterable[str]) -> None:
    assert list(Vectors(words, MATRIX)) == WORDS


def test_later_changes_of_what_it_was_made_of_do_no_harm() -> None:
    words, matrix, counts, ranks, metadata = list(WORDS), MATRIX.copy(), list(COUNTS), np.array(RANKS), {"a": "b"}
    v = Vectors(words, matrix, counts=counts, ranks=ranks, metadata=metadata)
    words[0], matrix[:], counts[0], ranks[:], metadata["a"] = "changed", 99, 99, 99, "changed"
    assert_same(v, Vectors(WORDS, MATRIX, counts=COUNTS, ranks=RANKS, metadata={"a": "b"}))


@every_dtype
def test_nothing_in_it_can_be_changed(dtype: DtypeName) -> None:
    v = some_vectors(dtype)
    assert v.counts is not None
    for array in (v.stored, v.matrix, v.counts, v.ranks, Vectors(WORDS, MATRIX).ranks, v.head(2).matrix):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        v.metadata["from"] = "elsewhere"  # type: ignore[index]


def test_the_vector_of_a_word_shares_no_memory_that_can_be_changed() -> None:
    for dtype in DTYPES:
        v = some_vectors(dtype)
        for taken in (v["dog"], v[["dog", "the"]]):
            if taken.flags.writeable:
                taken[...] = 99
        np.testing.assert_array_equal(v.matrix, MATRIX)


BAD_PARTS: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "a vector for a matrix": (["a"], [1.0], {}, "the matrix is 1-dimensional of float64, expected a row of numbers"),
    "a number for a matrix": (["a"], 1.0, {}, "the matrix is 0-dimensional of float64, expected a row of numbers"),
    "three dimensions": (["a"], np.ones((1, 2, 3)), {}, "the matrix is 3-dimensional of float64, expected a row"),
    "complex numbers": (["a"], [[1j]], {}, "the matrix is 2-dimensional of complex128, expected a row of numbers"),
    "strings for numbers": (["a"], [["1.0"]], {}, "the matrix is 2-dimensional of <U3, expected a row of numbers"),
    "objects": (["a"], [[None]], {}, "the matrix is 2-dimensional of object, expected a row of numbers"),
    "rows of different lengths": (["a", "b"], [[1.0], [1.0, 2.0]], {}, "expected a row of numbers for each word"),
    "more words than rows": (["a", "b"], np.ones((1, 2)), {}, "2 words, but 1 rows of numbers; expected as many of"),
    "more rows than words": (["a"], np.ones((1234, 2)), {}, "1 words, but 1,234 rows of numbers; expected as many"),
    "rows without words": ([], np.ones((1, 2)), {}, "0 words, but 1 rows of numbers"),
    "NaN": (["a", "b"], [[1, 2], [3, np.nan]], {}, "the matrix has NaN or infinite entries, expected finite numbers"),
    "infinity": (["a"], np.array([[-np.inf]], dtype=np.float16), {}, "the matrix has NaN or infinite entries"),
    "a word twice": (["a", "b", "c", "b"], np.ones((4, 2)), {}, "the word 'b' occurs twice, expected each word once"),
    "the empty word twice": (["", "a", ""], np.ones((3, 2)), {}, "the word '' occurs twice, expected each word once"),
    "a line break": (["a\nb"], np.ones((1, 2)), {}, r"the word 'a\\nb' has a line break in it, expected one line a"),
    "half a surrogate pair": (["\ud800"], np.ones((1, 2)), {}, r"the word '\\ud800' cannot be written in UTF-8"),
    "a number for a word": (["a", 1], np.ones((2, 2)), {}, r"words\[1\] is 1, expected a string"),
    "a string for words": ("ab", np.ones((2, 2)), {}, "words is 'ab', expected a list of words"),
    "too few counts": (["a", "b"], np.ones((2, 2)), {"counts": [1]}, r"of shape \(1,\) and int64, expected 2 whole"),
    "a table of counts": (["a"], np.ones((1, 2)), {"counts": [[1]]}, r"of shape \(1, 1\) and int64, expected 1 whole"),
    "fractional counts": (["a"], np.ones((1, 2)), {"counts": [0.5]}, r"of shape \(1,\) and float64, expected 1 whole"),
    "negative counts": (["a"], np.ones((1, 2)), {"counts": [-1]}, "expected 1 whole numbers, none negative"),
    "counts too large": (["a"], np.ones((1, 2)), {"counts": [2**63]}, "expected 1 whole numbers"),
    "truth values for counts": (["a"], np.ones((1, 2)), {"counts": [True]}, r"of shape \(1,\) and bool, expected 1"),
    "too many ranks": (["a"], np.ones((1, 2)), {"ranks": [0, 1]}, r"of shape \(2,\) and int64, expected 1 whole"),
    "negative ranks": (["a"], np.ones((1, 2)), {"ranks": [-1]}, "expected 1 whole numbers, none negative: one for"),
}


@pytest.mark.parametrize(("words", "matrix", "more", "message"), BAD_PARTS.values(), ids=BAD_PARTS)
def test_parts_that_mean_nothing_are_refused(words: Any, matrix: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Vectors(words, matrix, **more)


def test_a_nan_hidden_in_a_long_matrix_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entvec.vectors.vectors, "ROW_BYTES_AT_ONCE", 64)
    matrix = np.ones((1000, 3))
    matrix[777, 1] = np.nan
    with pytest.raises(InvalidInput, match="NaN or infinite"):
        Vectors(map(str, range(1000)), matrix)


def test_counts_and_ranks_are_what_was_given() -> None:
    v = Vectors(["a", "b"], np.ones((2, 1)), counts=np.array([7, 5], dtype=np.uint8), ranks=(3, 2**62))
    assert v.counts is not None
    assert v.counts.tolist() == [7, 5]
    assert v.ranks.tolist() == [3, 2**62]
    assert v.counts.dtype == v.ranks.dtype == np.int64


def test_without_counts_there_are_none_and_the_row_is_the_rank() -> None:
    v = Vectors(WORDS, MATRIX)
    assert v.counts is None
    assert not v.has_ranks
    assert v.ranks.tolist() == [0, 1, 2, 3, 4]
    assert dict(v.metadata) == {}


# No words at all


def test_there_may_be_no_words() -> None:
    v = no_vectors()
    assert len(v) == 0
    assert list(v) == []
    assert v.dimension == 3
    assert v.matrix.shape == v[[]].shape == (0, 3)
    assert "" not in v
    assert v.rows(["a"]).tolist() == [-1]
    assert list(v.blocks()) == []
    assert v.similar([1, 2, 3]) == []
    assert len(v.head(5)) == len(v.subset([])) == len(v.astype("bfloat16")) == 0
    assert "a" not in v.with_lookup(case=True, space=True)
    assert v.with_lookup(case=True).rows(["A"]).tolist() == [-1]
    v.check()
    with pytest.raises(WordNotFound, match="no word 'dog' among 0, and none that looks like it"):
        v["dog"]


def test_no_words_have_no_counts_or_ranks() -> None:
    v = Vectors([], np.empty((0, 3)), counts=[], ranks=[])
    assert v.counts is not None
    assert len(v.counts) == len(v.ranks) == 0


# Lookup


@every_dtype
def test_a_list_of_words_gives_their_rows_in_its_order(dtype: DtypeName) -> None:
    v = some_vectors(dtype)
    np.testing.assert_array_equal(v[["Dog", "the", "Dog"]], MATRIX[[2, 0, 2]])
    np.testing.assert_array_equal(v["Dog", ""], MATRIX[[2, 4]])
    np.testing.assert_array_equal(v[np.array(["the", "dog"])], MATRIX[:2])  # type: ignore[index]
    np.testing.assert_array_equal(v[(word for word in ["dog"])], MATRIX[1:2])  # type: ignore[index]
    np.testing.assert_array_equal(v[v.words], v.matrix, strict=True)


@every_dtype
@pytest.mark.parametrize("nothing", [[], (), Words.of([])])
def test_no_words_give_no_rows(dtype: DtypeName, nothing: Any) -> None:
    v = some_vectors(dtype)
    assert v[nothing].shape == (0, 3)
    assert v[nothing].dtype == v.matrix_dtype
    assert v.rows(nothing).shape == (0,)


@pytest.mark.parametrize("key", [0, -1, np.int64(1), True, None, 1.0, slice(0, 2), [0, 1], ["dog", 1], np.arange(2)])
def test_what_is_no_string_is_never_a_row(key: Any) -> None:
    v = Vectors(["0", "1", "dog", "True", "None"], np.eye(5))
    with pytest.raises(InvalidInput, match="expected a string"):
        v[key]


@pytest.mark.parametrize("thing", [0, None, ["dog"], b"dog"])
def test_what_is_no_string_is_not_among_the_words(thing: object) -> None:
    assert thing not in some_vectors()


@pytest.mark.parametrize("words", [[0], ["dog", 1], [None], [b"dog"], [["dog"]]])
def test_what_is_no_string_is_no_missing_word_either(words: Any) -> None:
    v = some_vectors()
    with pytest.raises(InvalidInput, match=r"words\[\d\] is .*, expected a string"):
        v.rows(words)
    for missing in ("error", "skip"):
        with pytest.raises(InvalidInput, match=r"words\[\d\] is .*, expected a string"):
            v.subset(words, missing=missing)


def test_one_word_is_not_taken_for_a_list_of_letters() -> None:
    v = Vectors(["dog", "d", "o", "g"], np.eye(4))
    for ask in (v.rows, v.subset, lambda words: v.subset(words, missing="skip")):
        with pytest.raises(InvalidInput, match="words is 'dog', expected a list of words"):
            ask("dog")


def test_a_missing_word_is_a_key_error_with_suggestions() -> None:
    v = some_vectors()
    with pytest.raises(KeyError) as caught:
        v["dogs"]
    error = caught.value
    assert isinstance(error, WordNotFound)
    assert error.word == "dogs"
    assert error.suggestions == ["dog", "Dog"]
    assert str(error) == "no word 'dogs' among 5; did you mean 'dog', 'Dog'?"
    with pytest.raises(WordNotFound, match=r"^no word 'zebra' among 5, and none that looks like it$"):
        v.row("zebra")


def test_several_missing_words_are_told_at_once() -> None:
    with pytest.raises(WordsNotFound) as caught:
        some_vectors()[["the", "dgo", "tge", "dgo", "zebra"]]
    error = caught.value
    assert (error.word, error.words, error.suggestions) == ("dgo", ("dgo", "tge", "zebra"), ["dog", "Dog"])
    assert str(error) == (
        "3 words are not among 5: 'dgo' (did you mean 'dog', 'Dog'?), 'tge' (did you mean 'the'?), 'zebra'"
    )


def test_of_many_missing_words_the_first_ten_are_named() -> None:
    missing = [f"{number}{number}" for number in range(10, 1012)]
    with pytest.raises(WordsNotFound, match=r"^1,002 words are not among 5: '1010', .*'1919' and 992 more$") as caught:
        some_vectors().rows_of_all(missing)
    assert caught.value.words == tuple(missing)


def test_suggestions_are_only_computed_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def suggest(several: Sequence[str], words: Words) -> list[list[str]]:
        asked.extend(several)
        return [list(words)[:1] for _ in several]

    monkeypatch.setattr(entvec.vectors.vectors, "similar_spellings_of_all", suggest)
    with pytest.raises(WordNotFound) as caught:
        some_vectors()["dgo"]
    assert asked == []
    assert caught.value.suggestions == ["the"]
    assert "did you mean 'the'?" in str(caught.value)
    assert asked == ["dgo"]


@pytest.mark.parametrize("impossible", ["\ud800", "caf\udce9", "dog\n", "the\ndog"])
def test_a_word_that_no_file_can_hold_is_a_missing_word(impossible: str) -> None:
    v = some_vectors()
    for asked in (v, v.with_lookup(case=True, space=True)):
        assert impossible not in asked
        assert asked.rows(["dog", impossible]).tolist() == [1, -1]
        assert list(asked.subset(["dog", impossible], missing="skip")) == ["dog"]
        for key in (impossible, ["dog", impossible]):
            with pytest.raises(WordNotFound, match=r"^no word"):
                asked[key]


def test_words_are_found_exactly_as_written_unless_told() -> None:
    v = Vectors(["dog", "ice_cream"], np.eye(2))
    for word in ("Dog", "DOG", "ice cream", "Ice_cream", " dog", "dog "):
        assert word not in v
        assert v.rows([word]).tolist() == [-1]


def test_case_and_space_make_no_difference_when_told() -> None:
    v = Vectors(["dog", "ice_cream", "New York", "Straße"], np.eye(4))
    case, space, both = v.with_lookup(case=True), v.with_lookup(space=True), v.with_lookup(case=True, space=True)
    assert (case.row("DOG"), case.row("Ice_Cream"), case.row("STRASSE"), case.row("new york")) == (0, 1, 3, 2)
    assert "ice cream" not in case
    assert (space.row("ice cream"), space.row("New_York")) == (1, 2)
    assert "new york" not in space
    assert (both.row("ICE CREAM"), both.row("new_york")) == (1, 2)
    assert both["Dog"].tolist() == both[["Dog"]][0].tolist() == [1, 0, 0, 0]
    assert "dogs" not in both
    assert "DOG" not in v


def test_what_is_written_exactly_so_comes_first_then_the_most_frequent() -> None:
    v = Vectors(["the", "Polish", "polish", "POLISH", "a_b", "a b"], np.eye(6)).with_lookup(case=True, space=True)
    asked = ["Polish", "polish", "POLISH", "pOLISH", "a b", "a_b", "A B", "A_b", "THE"]
    rows = [1, 2, 3, 1, 5, 4, 4, 4, 0]
    assert [v.row(word) for word in asked] == rows
    assert v.rows(asked).tolist() == rows


few_letters = st.text("aAbB_ ßẞ", max_size=3)


@pytest.mark.parametrize("case", [False, True])
@pytest.mark.parametrize("space", [False, True])
@properties
@given(words=st.lists(few_letters, unique=True, max_size=12), asked=st.lists(few_letters, max_size=12))
def test_many_words_are_found_as_each_is(case: bool, space: bool, words: list[str], asked: list[str]) -> None:
    v = Vectors(words, np.empty((len(words), 0))).with_lookup(case=case, space=space)
    folded = [fold(word, case=case, space=space) for word in words]

    def naive(word: str) -> int:
        same = fold(word, case=case, space=space)
        return words.index(word) if word in words else folded.index(same) if same in folded else -1

    rows = [naive(word) for word in asked]
    assert v.rows(asked).tolist() == v.rows(Words.of(asked)).tolist() == rows
    assert [word in v for word in asked] == [row >= 0 for row in rows]
    assert [v.row(word) for word in asked if word in v] == [row for row in rows if row >= 0]


def test_a_lookup_is_a_view_with_the_same_content() -> None:
    v = some_vectors()
    view = v.with_lookup(case=True)
    assert_same(v, view)
    assert np.shares_memory(v.stored, view.stored)
    assert "DOG" not in v
    assert "DOG" not in view.with_lookup()


def test_parts_and_conversions_keep_the_lookup() -> None:
    lenient = some_vectors().with_lookup(case=True, space=True)
    for part in (lenient.head(4), lenient.subset(["THE", "Ice Cream"]), lenient.take(np.array([3, 0]))):
        assert "ICE CREAM" in part
        assert "ICE CREAM" in part.head(len(part))
    for dtype in DTYPES:
        assert "ICE CREAM" in lenient.astype(dtype)


# Parts


def test_a_subset_has_the_words_asked_for_in_that_order_each_once() -> None:
    v = some_vectors()
    part = v.subset(["Dog", "", "the", "Dog", "the"])
    assert list(part) == ["Dog", "", "the"]
    np.testing.assert_array_equal(part.matrix, MATRIX[[2, 4, 0]], strict=True)
    assert [part.row(word) for word in part] == [0, 1, 2]
    assert part.counts is not None
    assert part.counts.tolist() == [7, 5, 900]
    assert part.ranks.tolist() == [300, 2_000_000, 0]
    assert part.metadata == v.metadata
    assert part.dtype == v.dtype


def test_a_missing_word_of_a_subset_is_an_error_or_left_out() -> None:
    v = some_vectors()
    with pytest.raises(WordNotFound, match="no word 'dgo' among 5; did you mean 'dog', 'Dog'"):
        v.subset(["the", "dgo", "dog"])
    assert list(v.subset(["dog", "dgo", "the", "xyz"], missing="skip")) == ["dog", "the"]
    assert list(v.subset(["dgo"], missing="skip")) == []
    with pytest.raises(InvalidInput, match="missing is 'ignore', expected 'error' or 'skip'"):
        v.subset(["the"], missing="ignore")  # type: ignore[arg-type]


def test_variants_of_one_word_are_one_word_of_a_subset() -> None:
    v = some_vectors().with_lookup(case=True, space=True)
    assert list(v.subset(["THE", "the", "Ice Cream", "ICE_CREAM", "Dog", "DOG"])) == ["the", "ice_cream", "Dog", "dog"]


@pytest.mark.parametrize("n", [0, 1, 4, 5, 6, 1000])
def test_the_head_is_the_first_words_or_all(n: int) -> None:
    head = some_vectors().head(n)
    assert list(head) == WORDS[:n]
    np.testing.assert_array_equal(head.matrix, MATRIX[:n], strict=True)
    assert head.ranks.tolist() == RANKS[:n]
    assert head.counts is not None
    assert head.counts.tolist() == COUNTS[:n]
    assert head.metadata == some_vectors().metadata


def test_there_is_no_negative_head() -> None:
    with pytest.raises(InvalidInput, match="n is -1, expected 0 or more"):
        some_vectors().head(-1)


def test_ranks_are_those_in_the_whole_file_however_often_parts_are_taken() -> None:
    v = Vectors(map(str, range(100)), np.ones((100, 1)))
    part = v.subset(["50", "7", "99", "3"])
    assert part.ranks.tolist() == [50, 7, 99, 3]
    assert part.head(2).ranks.tolist() == [50, 7]
    assert part.subset(["3", "99"]).ranks.tolist() == [3, 99]
    assert v.head(10).subset(["9"]).ranks.tolist() == [9]


def test_has_ranks_only_if_they_are_others_than_the_rows() -> None:
    v = Vectors(WORDS, MATRIX)
    assert not v.head(3).has_ranks
    assert not v.subset(["the", "dog"]).has_ranks
    assert v.subset(["dog", "the"]).has_ranks
    assert v.subset(["dog"]).has_ranks


@properties
@given(rows=st.lists(st.integers(0, 4), max_size=8))
def test_take_gives_the_words_and_vectors_of_the_rows(rows: list[int]) -> None:
    taken = some_vectors().take(np.array(rows, dtype=np.int64))
    assert list(taken) == [WORDS[row] for row in rows]
    np.testing.assert_array_equal(taken.matrix, MATRIX[rows].reshape(-1, 3))
    assert taken.ranks.tolist() == [RANKS[row] for row in rows]


@pytest.mark.parametrize("rows", [[5], [4, 5], [0, 9], [-1], [-2, -1], [1, -1]])
def test_take_refuses_rows_that_are_not_there(rows: list[int]) -> None:
    with pytest.raises(IndexError):
        some_vectors().take(np.array(rows))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int32])
def test_take_accepts_every_kind_of_whole_number(dtype: Any) -> None:
    assert list(some_vectors().take(np.array([3, 1], dtype=dtype))) == ["ice_cream", "dog"]


def test_neighbouring_rows_are_taken_without_a_copy() -> None:
    v = some_vectors()
    for part in (v.head(3), v.subset(["dog", "Dog"])):
        assert np.shares_memory(part.stored, v.stored)


# The whole matrix


@every_dtype
@pytest.mark.parametrize("rows", [None, 1, 2, 5, 100])
def test_blocks_are_the_matrix_a_few_rows_at_a_time(dtype: DtypeName, rows: int | None) -> None:
    v = some_vectors(dtype)
    blocks = list(v.blocks(rows))
    assert [first for first, _ in blocks] == list(range(0, 5, rows or 5))
    assert all(len(block) <= (rows or 5) for _, block in blocks)
    np.testing.assert_array_equal(np.concatenate([block for _, block in blocks]), v.matrix, strict=True)
    np.testing.assert_array_equal(v.matrix, MATRIX)


@pytest.mark.parametrize("rows", [0, -1])
def test_a_block_has_at_least_a_row(rows: int) -> None:
    with pytest.raises(InvalidInput, match=f"rows is {rows}, expected 1 or more"):
        list(some_vectors().blocks(rows))


@every_dtype
@pytest.mark.parametrize("dimension", [1, 7, 1000])
def test_blocks_are_bounded(dtype: DtypeName, dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entvec.vectors.vectors, "ROW_BYTES_AT_ONCE", 256)
    v = Vectors(map(str, range(200)), np.arange(200 * dimension).reshape(200, dimension) % 50).astype(dtype)
    most = max(256, dimension * 4)
    assert max(block.astype(np.float32).nbytes for _, block in v.blocks()) <= most
    np.testing.assert_array_equal(np.concatenate([block for _, block in v.blocks()]), v.matrix)


@every_dtype
def test_the_matrix_is_converted_once(dtype: DtypeName) -> None:
    v = some_vectors(dtype)
    assert v.matrix is v.matrix
    assert np.shares_memory(v.matrix, v.stored) == (dtype in ("float32", "float64"))


# Other kinds of numbers


@every_dtype
def test_the_same_vectors_in_another_kind_of_number(dtype: DtypeName) -> None:
    v = Vectors(WORDS, MATRIX.astype(float), counts=COUNTS, ranks=RANKS, metadata={"a": "b"})
    converted = v.astype(dtype)
    assert converted.dtype == dtype
    assert converted.stored.dtype == DTYPES[dtype].stored
    np.testing.assert_array_equal(converted.matrix, MATRIX)
    assert_same(converted.astype("float64"), v)


def test_the_same_kind_of_number_is_the_same_vectors() -> None:
    v = some_vectors()
    assert v.astype("float32") is v


def test_conversion_rounds_to_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entvec.vectors.vectors, "ROW_BYTES_AT_ONCE", 64)
    values = np.random.default_rng(0).normal(size=(100, 3))
    v = Vectors(map(str, range(100)), values)
    for dtype, digits in (("float32", 2.0**-24), ("float16", 2.0**-11), ("bfloat16", 2.0**-8)):
        np.testing.assert_allclose(v.astype(dtype).matrix, values, rtol=digits, atol=2.0**-24)
    np.testing.assert_array_equal(v.astype("float16").stored, values.astype(np.float16))


@pytest.mark.parametrize(
    ("value", "dtype"), [(1e39, "float32"), (-1e5, "float16"), (3.4e38, "bfloat16"), (1e300, "bfloat16")]
)
def test_numbers_that_do_not_fit_are_refused(value: float, dtype: DtypeName) -> None:
    with pytest.raises(InvalidInput, match=rf"^{value:g} does not fit in {dtype}$".replace("+", r"\+")):
        Vectors(["a", "b"], [[1.0, 2.0], [3.0, value]]).astype(dtype)


def test_an_unknown_kind_of_number_is_refused() -> None:
    with pytest.raises(InvalidInput, match="dtype is 'int8', expected one of float64, float32, float16, bfloat16"):
        some_vectors().astype("int8")


# Similar words


def cosines_in_words(matrix: Any, y: Any) -> Any:
    lengths = [np.linalg.norm(row) * np.linalg.norm(y) for row in matrix]
    return np.array([row @ y / length if length else 0.0 for row, length in zip(matrix, lengths, strict=True)])


small_numbers = array_of(
    float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)
)


@every_dtype
@properties
@given(matrix=small_numbers, k=st.integers(0, 15))
def test_similar_are_the_words_of_the_largest_cosines(dtype: DtypeName, matrix: Any, k: int) -> None:
    words = [str(row) for row in range(len(matrix))]
    v = Vectors(words, matrix).astype(dtype)
    cosines = cosines_in_words(matrix, matrix[0])
    found = v.similar("0", k)
    assert len({similar.word for similar in found}) == len(found) == min(k, len(matrix) - 1)
    assert "0" not in [similar.word for similar in found]
    best = sorted(cosines[1:], reverse=True)[:k]
    assert [similar.cosine for similar in found] == pytest.approx(best, abs=1e-6)
    assert [similar.cosine for similar in found] == pytest.approx([cosines[int(s.word)] for s in found], abs=1e-6)


@every_dtype
@properties
@given(matrix=small_numbers, k=st.integers(0, 15))
def test_similar_to_a_vector_may_be_any_word(dtype: DtypeName, matrix: Any, k: int) -> None:
    v = Vectors(map(str, range(len(matrix))), matrix).astype(dtype)
    y = matrix.sum(axis=0)
    best = sorted(cosines_in_words(matrix, y), reverse=True)[:k]
    assert [similar.cosine for similar in v.similar(y, k)] == pytest.approx(best, abs=1e-6)
    assert v.similar(y.tolist(), k) == v.similar(y.astype(int), k) == v.similar(y, k)


def test_similar_words_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entvec.vectors.vectors, "ROW_BYTES_AT_ONCE", 64)
    matrix = np.random.default_rng(0).normal(size=(500, 4))
    v = Vectors(map(str, range(500)), matrix)
    order = np.argsort(-cosines_in_words(matrix, matrix[250]))
    assert [similar.word for similar in v.similar("250", 20)] == [str(row) for row in order[1:21]]


def test_ten_similar_words_unless_told() -> None:
    v = Vectors(map(str, range(20)), np.random.default_rng(0).normal(size=(20, 3)))
    assert v.similar("3") == v.similar("3", 10) == v.similar("3", 19)[:10]
    assert v.similar("3", 0) == []
    assert len(v.similar("3", 1000)) == 19
    assert len(v.similar(np.ones(3), 1000)) == 20
    with pytest.raises(InvalidInput, match="k is -1, expected 0 or more"):
        v.similar("3", -1)


def test_the_only_word_has_none_similar_to_it() -> None:
    v = Vectors(["alone"], [[1.0, 2.0]])
    assert v.similar("alone") == []
    (found,) = v.similar([1, 2])
    assert found.word == "alone"
    assert found.cosine == pytest.approx(1)


def test_nothing_is_similar_to_the_zero_vector() -> None:
    v = Vectors(["zero", "a", "b"], [[0, 0], [1, 0], [-1, 0]])
    assert v.similar("zero") == [Similar("a", 0), Similar("b", 0)]
    assert v.similar([0, 0]) == [Similar("zero", 0), Similar("a", 0), Similar("b", 0)]
    assert v.similar("a") == [Similar("zero", 0), Similar("b", -1)]


@pytest.mark.parametrize("k", [1, 3, 5, 50, 99])
def test_of_equally_similar_words_the_frequent_come_first(k: int) -> None:
    words = [str(row) for row in range(100)]
    v = Vectors(words, np.tile([[3.0, 4.0], [4.0, 3.0]], (50, 1)))
    alike = words[2::2] + words[1::2]
    assert [similar.word for similar in v.similar("0", k)] == alike[:k]
    assert [similar.word for similar in v.similar([3, 4], k)] == (words[::2] + words[1::2])[:k]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("size", [1e-30, 1e-10, 1e10, 1e30])
def test_similarity_does_not_depend_on_the_lengths_of_vectors(dtype: DtypeName, size: float) -> None:
    directions = np.array([[1.0, 0.0], [0.5, 0.5], [-1.0, 0.0]])
    v = Vectors(["a", "b", "c"], directions * size).astype(dtype)
    assert [similar.word for similar in v.similar("a")] == ["b", "c"]
    assert [similar.cosine for similar in v.similar("a")] == pytest.approx([0.5**0.5, -1], rel=1e-2)


def test_similar_words_are_found_by_a_variant() -> None:
    v = some_vectors().with_lookup(case=True)
    assert v.similar("THE") == v.similar("the")


def test_similar_to_a_missing_word_is_a_missing_word() -> None:
    with pytest.raises(WordNotFound, match="no word 'dgo'"):
        some_vectors().similar("dgo")


@pytest.mark.parametrize("query", [[1, 2], [[1, 2, 3]], 5, [], np.ones((3, 1))])
def test_similar_refuses_a_vector_of_another_shape(query: Any) -> None:
    with pytest.raises(InvalidInput, match=r"the vector has shape \(.*\), expected \(3,\)"):
        some_vectors().similar(query)


@every_dtype
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_similar_refuses_a_vector_that_is_not_finite(dtype: DtypeName, bad: float) -> None:
    with pytest.raises(InvalidInput, match="NaN or infinite entries, expected finite numbers"):
        some_vectors(dtype).similar([1, bad, 1])


# Our own file


@every_dtype
def test_what_was_saved_is_loaded(dtype: DtypeName, tmp_path: Path) -> None:
    v = some_vectors(dtype)
    v.save(tmp_path / "some.safetensors")
    loaded = Vectors.load(str(tmp_path / "some.safetensors"))
    assert_same(loaded, v)
    np.testing.assert_array_equal(loaded["dog"], v["dog"], strict=True)
    np.testing.assert_array_equal(loaded.matrix, v.matrix, strict=True)
    loaded.check()
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "some.safetensors").read_bytes()


@every_dtype
@properties
@given(
    words=st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])), unique=True, max_size=9),
    dimension=st.integers(1, 5),
    with_counts=st.booleans(),
    with_ranks=st.booleans(),
    metadata=st.dictionaries(st.text('aß\n😀\\"'), st.text('aß\n😀\\"'), max_size=3),
    data=st.data(),
)
def test_any_vectors_survive_the_file(
    tmp_path_factory: pytest.TempPathFactory,
    dtype: DtypeName,
    words: list[str],
    dimension: int,
    with_counts: bool,
    with_ranks: bool,
    metadata: dict[str, str],
    data: st.DataObject,
) -> None:
    numbers = array_of(np.int64, len(words), elements=st.integers(0, 2**63 - 1))
    v = Vectors(
        words,
        data.draw(array_of(np.float16, (len(words), dimension), elements=st.floats(-999, 999, width=16))),
        counts=data.draw(numbers) if with_counts else None,
        ranks=data.draw(numbers) if with_ranks else None,
        metadata=metadata,
    ).astype(dtype)
    path = tmp_path_factory.mktemp("vectors") / "any.safetensors"
    v.save(path)
    assert_same(Vectors.load(path), v)


def test_parts_of_a_file_are_saved_as_they_are(tmp_path: Path) -> None:
    some_vectors().save(tmp_path / "some.safetensors")
    loaded = Vectors.load(tmp_path / "some.safetensors")
    for part in (loaded.head(2), loaded.subset(["", "dog", "the"]), loaded.head(0)):
        part.save(tmp_path / "part.safetensors")
        assert_same(Vectors.load(tmp_path / "part.safetensors"), part)


def test_a_file_may_be_replaced_by_its_own_part(tmp_path: Path) -> None:
    path = tmp_path / "some.safetensors"
    some_vectors().save(path)
    whole = Vectors.load(path)
    whole.subset(["dog", "the"]).save(path)
    assert list(Vectors.load(path)) == ["dog", "the"]
    assert_same(whole, some_vectors())


def test_no_words_are_saved_and_loaded(tmp_path: Path) -> None:
    no_vectors().save(tmp_path / "none.safetensors")
    assert_same(Vectors.load(tmp_path / "none.safetensors"), no_vectors())


UNWRITABLE = {
    "a header too long to be read": Vectors(["a"], np.ones((1, 2)), metadata={"a": "b" * (1 << 20)}),
    "the name of the mark of the format": Vectors(["a"], np.ones((1, 2)), metadata={"entvec": "mine"}),
    "metadata that are no text": Vectors(["a"], np.ones((1, 2)), metadata={"a": "\ud800"}),
    "vectors without numbers": Vectors(["a"], np.ones((1, 0))),
}


@pytest.mark.parametrize("v", UNWRITABLE.values(), ids=UNWRITABLE)
def test_what_could_not_be_loaded_is_not_saved(v: Vectors, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="cannot write"):
        v.save(tmp_path / "some.safetensors")
    assert list(tmp_path.iterdir()) == []


def unchecked(words: list[str], numbers: list[float], dtype: DtypeName = "float64") -> Vectors:
    stored = np.array(numbers, dtype=DTYPES[dtype].stored).reshape(-1, 1)
    return Vectors.of_stored(Words.of(words), stored, dtype)


INFINITE_BFLOAT16 = 0x7F80


@pytest.mark.parametrize(
    ("v", "problem"),
    [
        (unchecked(["a", "b", "c"], [1, np.nan, 2]), "expected finite numbers, found others in the vector of 'b'"),
        (unchecked(["a", "b"], [1, -np.inf], "float16"), "expected finite numbers, found others in the vector of 'b'"),
        (unchecked(["a"], [INFINITE_BFLOAT16], "bfloat16"), "expected finite numbers, found others in the vector of"),
        (unchecked(["a", "b", "", "a"], [1, 2, 3, 4]), "expected each word once, found 'a' again"),
    ],
)
def test_check_finds_what_is_wrong_in_a_mapped_file(v: Vectors, problem: str, tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=f"^these vectors: {problem}"):
        v.check()
    path = tmp_path / "odd.safetensors"
    v.save(path)
    with pytest.raises(VectorFileError, match=f"odd.safetensors: {problem}") as caught:
        Vectors.load(path).check()
    assert Path(str(caught.value.path)) == path


def test_check_looks_into_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entvec.vectors.vectors, "ROW_BYTES_AT_ONCE", 16)
    words = [str(row) for row in range(100)]
    unchecked(words, [1.0] * 100).check()
    with pytest.raises(VectorFileError, match="in the vector of '77'"):
        unchecked(words, [1.0] * 77 + [np.nan] * 23).check()


def test_a_word_that_occurs_twice_in_a_file_is_found_where_it_first_occurs() -> None:
    v = unchecked(["a", "b", "a"], [1, 2, 3])
    assert v["a"].tolist() == [1]
    assert v.rows(["a", "b"]).tolist() == [0, 1]


# Copies, and other processes


def test_copies_are_the_same_and_cannot_be_changed_either(tmp_path: Path) -> None:
    some_vectors().save(tmp_path / "some.safetensors")
    for v in (some_vectors(), Vectors.load(tmp_path / "some.safetensors"), some_vectors("bfloat16")):
        lenient = v.with_lookup(case=True)
        assert "DOG" in lenient
        for again in (copy.copy(lenient), copy.deepcopy(lenient), pickle.loads(pickle.dumps(lenient))):  # noqa: S301
            assert_same(again, v)
            assert again.row("DOG") == 1
            with pytest.raises(ValueError, match="read-only"):
                again.stored[0] = 1


def test_a_pickle_does_not_hold_what_can_be_computed_again() -> None:
    v = Vectors(map(str, range(1000)), np.ones((1000, 50))).astype("bfloat16")
    size = len(pickle.dumps(v))
    assert "999" in v
    assert v.matrix.shape == (1000, 50)
    assert v.similar("999")
    assert len(pickle.dumps(v)) == size


def test_words_are_found_and_missed_in_another_process_too() -> None:
    v = some_vectors()
    assert "dog" in v
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        found = other.submit(operator.getitem, v, "dog").result(timeout=60)
        np.testing.assert_array_equal(found, v["dog"], strict=True)
        with pytest.raises(WordNotFound, match="did you mean 'dog', 'Dog'"):
            other.submit(operator.getitem, v, "dgo").result(timeout=60)


def test_a_file_that_is_not_there_is_told_from_another_process_too(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        loading = other.submit(Vectors.load, tmp_path / "none.safetensors")
        with pytest.raises(VectorFileNotFound, match=r"none\.safetensors: there is no such file"):
            loading.result(timeout=60)


def test_a_missing_word_can_be_pickled_with_its_suggestions() -> None:
    with pytest.raises(WordNotFound) as caught:
        some_vectors()["dgo"]
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert isinstance(again, WordNotFound)
    assert str(again) == str(caught.value)
    assert (again.word, again.n_words, again.suggestions) == ("dgo", 5, ["dog", "Dog"])


def test_numpy_takes_the_numbers_not_the_words() -> None:
    vectors = Vectors(["dog", "cat"], [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(np.asarray(vectors), vectors.matrix)
    assert np.asarray(vectors, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_a_vector_is_a_copy_to_do_with_as_one_likes(dtype: str) -> None:
    vectors = Vectors(["dog"], [[1.0, 2.0]]).astype(dtype)
    vectors["dog"][0] = 9
    np.testing.assert_array_equal(vectors["dog"], [1, 2])


def test_a_list_of_words_is_not_one_vector() -> None:
    with pytest.raises(InvalidInput, match="is neither a word nor a vector"):
        Vectors(["dog"], [[1.0, 2.0]]).similar(["dog", "dog"])


def test_joined_vectors_keep_what_was_there_first() -> None:
    first = Vectors(["dog", "cat"], [[1.0], [2.0]], counts=[9, 8], metadata={"title": "pets"})
    joined = first.joined(Vectors(["cat", "cow"], [[3.0], [4.0]], counts=[7, 6]))
    assert list(joined) == ["dog", "cat", "cow"]
    assert joined.matrix.ravel().tolist() == [1, 2, 4]
    assert joined.counts is not None
    assert joined.counts.tolist() == [9, 8, 6]
    assert joined.metadata == {"title": "pets"}
    with pytest.raises(InvalidInput, match="vectors of 1 and of 2 numbers"):
        first.joined(Vectors(["cow"], [[1.0, 2.0]]))


def test_a_name_with_spaces_is_found_in_its_own_case_before_others() -> None:
    vectors = Vectors(["NEW_YORK", "New_York"], np.eye(2)).with_lookup(case=True, space=True)
    assert vectors.row("New York") == 1
    assert vectors.rows(["New York", "new york", "New_York"]).tolist() == [1, 0, 1]
