"""What every format that is both read and written keeps: whatever is written comes back the same."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from entvec.errors import CannotWrite, InvalidInput, VectorFileError
from entvec.vectors import FORMATS, Vectors, read, write
from entvec.vectors import vectors as vectors_module
from entvec.vectors import words as words_module
from entvec.vectors.dtypes import DTYPES, DtypeName
from entvec.vectors.formats import FormatName, base, text, word2vec
from entvec.vectors.source import COMPRESSIONS

WRITABLE = [name for name, row in FORMATS.items() if row.write is not None]
TEXT: list[FormatName] = ["word2vec-text", "glove"]
# What a file says its numbers are; text does not say, and is read as float32 unless asked otherwise.
KEPT: dict[FormatName, dict[DtypeName, DtypeName]] = {
    "native": {kind: kind for kind in DTYPES},
    "npz": {"float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "float32"},
    "parquet": {"float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "float32"},
    "word2vec": dict.fromkeys(DTYPES, "float32"),
    "word2vec-text": dict.fromkeys(DTYPES, "float32"),
    "glove": dict.fromkeys(DTYPES, "float32"),
}

WORDS = [
    "the",
    "dog",
    "Dog",
    "ice_cream",
    "don't",
    "na\u00efve",
    "\u72ac",
    "\U0001f415",
    "e\u0301",
    "\u00a0",
    "a\u2028b",
]
WORDS += ["3.14", "-1", "nan", "1e5", "#", '"', "<s>", "{", "\x01", "x" * 1000]


def some_vectors(dimension: int = 5) -> Vectors:
    rng = np.random.default_rng(20160807)
    return Vectors(WORDS, rng.normal(size=(len(WORDS), dimension)).astype(np.float32))


def path_for(folder: Path, name: FormatName, compression: str = "") -> Path:
    return folder / f"vectors{FORMATS[name].suffixes[0]}{compression}"


def assert_same(again: Vectors, vectors: Vectors) -> None:
    """The same words, and the same bits."""
    assert list(again) == list(vectors)
    assert again.dtype == vectors.dtype
    assert again.stored.shape == vectors.stored.shape
    assert again.stored.tobytes() == vectors.stored.tobytes()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> int:
    """Files are read and written so few bytes at a time that each has many blocks."""
    size: int = getattr(request, "param", 1)
    for module in (text, word2vec):
        monkeypatch.setattr(module, "CHUNK", size)
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", size)
    monkeypatch.setattr(words_module, "BYTES_AT_ONCE", size)
    return size


def test_every_format_that_can_be_written_has_a_suffix_of_its_own() -> None:
    suffixes = [suffix for name in WRITABLE for suffix in FORMATS[name].suffixes]
    assert len(suffixes) == len(set(suffixes)) >= len(WRITABLE)
    assert set(KEPT) == set(WRITABLE)


# The same words and the same bits


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_what_is_written_comes_back_the_same(tmp_path: Path, name: FormatName, compression: str) -> None:
    path = path_for(tmp_path, name, compression)
    write(some_vectors(), path)
    assert_same(read(path), some_vectors())
    if compression:
        assert path.read_bytes().startswith(COMPRESSIONS[compression].magic)


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_the_same_vectors_make_the_same_file(tmp_path: Path, name: FormatName, compression: str) -> None:
    path = path_for(tmp_path, name, compression)
    write(some_vectors(), path)
    first = path.read_bytes()
    write(some_vectors(), path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", WRITABLE)
def test_the_least_and_the_greatest_numbers_come_back(tmp_path: Path, name: FormatName) -> None:
    kind = np.finfo(np.float32)
    numbers = [0.0, -0.0, kind.max, kind.min, kind.tiny, kind.smallest_subnormal, 1 / 3, 1 + kind.eps, 16777216, 0.1]
    vectors = Vectors(["numbers", "others"], np.array([numbers, numbers[::-1]], dtype=np.float32))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


@pytest.mark.parametrize("name", TEXT)
def test_text_has_enough_digits_for_doubles(tmp_path: Path, name: FormatName) -> None:
    kind = np.finfo(np.float64)
    numbers = [0.0, -0.0, kind.max, kind.min, kind.tiny, kind.smallest_subnormal, 1 / 3, 1 + kind.eps, 2.0**53, 0.1]
    vectors = Vectors(["numbers"], np.array([numbers]))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name), dtype="float64"), vectors)


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", WRITABLE)
def test_each_kind_of_number_is_kept_where_the_format_has_it(tmp_path: Path, name: FormatName, kind: DtypeName) -> None:
    vectors = some_vectors().astype(kind)
    write(vectors, path_for(tmp_path, name))
    again = read(path_for(tmp_path, name))
    assert again.dtype == KEPT[name][kind]
    assert_same(again, vectors.astype(again.dtype))
    assert_same(again.astype(kind), vectors)


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", WRITABLE)
def test_numbers_are_read_in_the_kind_asked_for(tmp_path: Path, name: FormatName, kind: DtypeName) -> None:
    write(some_vectors(), path_for(tmp_path, name))
    again = read(path_for(tmp_path, name), dtype=kind)
    assert again.dtype == kind
    if name in TEXT and kind == "float64":  # the decimal number itself, not the float32 next to it
        assert_same(again.astype("float32"), some_vectors())
    else:
        assert_same(again, some_vectors().astype(kind))


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", WRITABLE)
def test_numbers_are_written_in_the_kind_asked_for(tmp_path: Path, name: FormatName, kind: DtypeName) -> None:
    if kind not in FORMATS[name].dtypes:
        with pytest.raises(CannotWrite, match=f"cannot hold {kind}, expected one of .*float32"):
            write(some_vectors(), path_for(tmp_path, name), dtype=kind)
        return
    write(some_vectors(), path_for(tmp_path, name), dtype=kind)
    assert_same(
        read(path_for(tmp_path, name), dtype=kind).astype("float32"), some_vectors().astype(kind).astype("float32")
    )


@pytest.mark.parametrize("name", [name for name in WRITABLE if "float16" in FORMATS[name].dtypes])
def test_a_number_too_large_for_the_kind_asked_for_is_refused(tmp_path: Path, name: FormatName) -> None:
    path = path_for(tmp_path, name)
    vectors = Vectors(["small", "large"], np.array([[1.0], [70000.0]], dtype=np.float32))
    with pytest.raises(InvalidInput, match="70000 does not fit in float16"):
        write(vectors, path, dtype="float16")
    assert not path.exists()
    write(vectors, path)
    with pytest.raises(VectorFileError, match=r"vectors\..*70000 does not fit in float16"):
        read(path, dtype="float16")


@pytest.mark.parametrize("name", WRITABLE)
def test_numbers_that_the_file_could_not_hold_are_not_written_as_infinity(tmp_path: Path, name: FormatName) -> None:
    path = path_for(tmp_path, name)
    vectors = Vectors(["large"], np.array([[1e300]]))
    try:
        write(vectors, path)
    except (CannotWrite, InvalidInput) as error:
        assert "1e+300 does not fit in float32" in str(error)  # noqa: PT017
        assert not path.exists()
    else:
        assert_same(read(path, dtype="float64"), vectors)


# Frequencies and metadata


@pytest.mark.parametrize("name", ["native", "npz", "parquet"])
def test_counts_and_ranks_come_back(tmp_path: Path, name: FormatName, small_blocks: int) -> None:
    words = ["a", "b", "c"]
    vectors = Vectors(words, np.eye(3), counts=[7, 2**40, 0], ranks=[2, 0, 2**40])
    write(vectors, path_for(tmp_path, name))
    again = read(path_for(tmp_path, name))
    assert again.counts is not None
    np.testing.assert_array_equal(again.counts, [7, 2**40, 0])
    np.testing.assert_array_equal(again.ranks, [2, 0, 2**40])
    assert again.has_ranks
    two = read(path_for(tmp_path, name), limit=2)
    assert two.counts is not None
    np.testing.assert_array_equal(two.counts, [7, 2**40])
    np.testing.assert_array_equal(two.ranks, [2, 0])


@pytest.mark.parametrize("name", WRITABLE)
def test_frequencies_that_are_not_known_are_not_made_up(tmp_path: Path, name: FormatName) -> None:
    write(some_vectors(), path_for(tmp_path, name))
    again = read(path_for(tmp_path, name))
    assert again.counts is None
    assert not again.has_ranks


@pytest.mark.parametrize("name", ["native", "parquet"])
def test_metadata_comes_back(tmp_path: Path, name: FormatName) -> None:
    metadata = {"made by": "a test", "schl\u00fcssel": "\u72ac"}
    vectors = Vectors(["a"], [[1.0]], metadata=metadata)
    write(vectors, path_for(tmp_path, name))
    assert read(path_for(tmp_path, name)).metadata == metadata


@pytest.mark.parametrize("name", WRITABLE)
def test_formats_without_room_for_frequencies_and_metadata_leave_them_out(tmp_path: Path, name: FormatName) -> None:
    vectors = Vectors(["a"], np.array([[1.0]], dtype=np.float32), counts=[3], ranks=[5], metadata={"made by": "a test"})
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


# Part of a file


@pytest.mark.parametrize("compression", ["", ".gz"])
@pytest.mark.parametrize("limit", [0, 1, 2, len(WORDS) - 1, len(WORDS), len(WORDS) + 1, 10**9])
@pytest.mark.parametrize("name", WRITABLE)
def test_a_limit_reads_so_many_words_from_the_beginning(
    tmp_path: Path, name: FormatName, limit: int, compression: str
) -> None:
    path = path_for(tmp_path, name, compression)
    write(some_vectors(), path)
    assert list(read(path, limit=limit)) == WORDS[:limit]
    if limit:
        assert_same(read(path, limit=limit), some_vectors().head(limit))


@pytest.mark.parametrize("small_blocks", [1, 64], indirect=True)
@pytest.mark.parametrize("name", WRITABLE)
def test_a_limit_may_fall_anywhere_in_the_blocks_of_a_file(tmp_path: Path, name: FormatName, small_blocks: int) -> None:
    write(some_vectors(), path_for(tmp_path, name))
    for limit in range(len(WORDS) + 2):
        assert list(read(path_for(tmp_path, name), limit=limit)) == WORDS[:limit]


@pytest.mark.parametrize("name", WRITABLE)
def test_a_limit_below_zero_is_a_mistake(tmp_path: Path, name: FormatName) -> None:
    write(some_vectors(), path_for(tmp_path, name))
    with pytest.raises(InvalidInput, match="limit is -1, expected a whole number, 0 or more"):
        read(path_for(tmp_path, name), limit=-1)


@pytest.mark.parametrize("name", WRITABLE)
def test_a_limit_of_zero_still_tells_the_dimension(tmp_path: Path, name: FormatName) -> None:
    write(some_vectors(), path_for(tmp_path, name))
    assert read(path_for(tmp_path, name), limit=0).dimension == 5


# Blocks


@pytest.mark.parametrize("small_blocks", [1, 2, 7, 64, 1000], indirect=True)
@pytest.mark.parametrize("name", WRITABLE)
def test_the_size_of_the_blocks_makes_no_difference(tmp_path: Path, name: FormatName, small_blocks: int) -> None:
    path = path_for(tmp_path, name)
    write(some_vectors(), path)
    assert_same(read(path), some_vectors())


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "parquet"])  # its row groups are blocks
def test_the_size_of_the_blocks_does_not_show_in_the_file(
    tmp_path: Path, name: FormatName, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_for(tmp_path, name)
    write(some_vectors(), path)
    whole = path.read_bytes()
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", 1)
    write(some_vectors(), path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_reading_tells_its_progress_in_bytes_of_the_file(
    tmp_path: Path, name: FormatName, compression: str, small_blocks: int
) -> None:
    path = path_for(tmp_path, name, compression)
    write(some_vectors(), path)
    told: list[tuple[int, int]] = []
    read(path, progress=lambda done, total: told.append((done, total)))
    size = path.stat().st_size
    assert {total for _, total in told} == {size}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (size, size)


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_writing_tells_its_progress_in_words(
    tmp_path: Path, name: FormatName, compression: str, small_blocks: int
) -> None:
    told: list[tuple[int, int]] = []
    write(
        some_vectors(), path_for(tmp_path, name, compression), progress=lambda done, total: told.append((done, total))
    )
    assert {total for _, total in told} == {len(WORDS)}
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert len(told) > 1
    assert told[-1] == (len(WORDS), len(WORDS))


# The name of a file


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_the_content_tells_the_format_whatever_the_name_of_the_file(
    tmp_path: Path, name: FormatName, compression: str
) -> None:
    path = path_for(tmp_path, name, compression)
    write(some_vectors(), path)
    for misleading in ("vectors", "vectors.parquet", "vectors.bin", "vectors.txt.xz", "vectors.safetensors"):
        renamed = path.rename(tmp_path / misleading)
        assert_same(read(renamed), some_vectors())
        path = renamed


@pytest.mark.parametrize("name", WRITABLE)
def test_a_format_may_be_named_for_a_file_whose_name_does_not_tell_it(tmp_path: Path, name: FormatName) -> None:
    path = tmp_path / "vectors.dat"
    write(some_vectors(), path, format=name)
    assert_same(read(path, format=name), some_vectors())
    assert_same(read(str(path)), some_vectors())


@pytest.mark.parametrize("name", WRITABLE)
def test_a_format_named_for_a_compressed_file_is_compressed_too(tmp_path: Path, name: FormatName) -> None:
    path = tmp_path / "vectors.gz"
    write(some_vectors(), path, format=name)
    assert path.read_bytes().startswith(b"\x1f\x8b")
    assert_same(read(path, format=name), some_vectors())


# The smallest files


@pytest.mark.parametrize("number", [0.1, 1.0, -2.5, 0.0, 12.0, 1e-45])
@pytest.mark.parametrize("name", WRITABLE)
def test_one_word_with_one_number_is_enough(tmp_path: Path, name: FormatName, number: float) -> None:
    vectors = Vectors(["dog"], np.array([[number]], dtype=np.float32))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


@pytest.mark.parametrize("word", ["1", "12", "3.5", "-", "a", "<", "{"])
@pytest.mark.parametrize("name", WRITABLE)
def test_a_first_word_that_looks_like_something_else_is_a_word(tmp_path: Path, name: FormatName, word: str) -> None:
    vectors = Vectors([word, "dog"], np.array([[2.0], [0.5]], dtype=np.float32))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "glove"])
def test_no_words_at_all_come_back_as_none_with_their_dimension(tmp_path: Path, name: FormatName) -> None:
    vectors = Vectors([], np.empty((0, 3), dtype=np.float32))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


def test_no_words_in_glove_would_be_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="there are no words, and an empty file would not be read back"):
        write(Vectors([], np.empty((0, 3), dtype=np.float32)), tmp_path / "vectors.txt")


def test_the_most_numbers_that_a_vector_can_have(tmp_path: Path) -> None:
    vectors = Vectors(["a", "b"], np.ones((2, base.LARGEST_DIMENSION), dtype=np.float32))
    for name in WRITABLE:
        write(vectors, path_for(tmp_path, name))
        assert_same(read(path_for(tmp_path, name)), vectors)


# Words


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "word2vec"])
def test_words_may_have_spaces(tmp_path: Path, name: FormatName) -> None:
    vectors = Vectors([". . .", "ice cream", "a  b"], np.array([[0.1, 1], [2, 3], [4, 5]], dtype=np.float32))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)
    assert_same(read(path_for(tmp_path, name), limit=1), vectors.head(1))


@pytest.mark.parametrize("name", ["native", "npz", "parquet"])
def test_words_may_be_anything_in_one_line(tmp_path: Path, name: FormatName) -> None:
    words = ["", " ", "\t", "\r", " a ", "a 1", "\x00", "\x00\x00", "\ufeff", "\uffff", "a\x85b"]
    vectors = Vectors(words, np.arange(2.0 * len(words)).reshape(-1, 2))
    write(vectors, path_for(tmp_path, name))
    assert_same(read(path_for(tmp_path, name)), vectors)


@pytest.mark.parametrize("word", ["", "ice cream", " "])
def test_word2vec_refuses_words_that_it_would_end_at_a_space(tmp_path: Path, word: str) -> None:
    path = tmp_path / "vectors.bin"
    with pytest.raises(CannotWrite) as caught:
        write(Vectors(["dog", word], [[1.0], [2.0]]), path)
    assert str(caught.value) == (
        f"cannot write {path}: the format ends a word at a space, so it cannot hold {word!r}; "
        "choose another format, .safetensors for example"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["a\tb", "a\rb", " a", "a ", "a\v", "route 66", "a nan"])
@pytest.mark.parametrize("name", TEXT)
def test_text_refuses_words_that_would_not_come_back(tmp_path: Path, name: FormatName, word: str) -> None:
    path = path_for(tmp_path, name)
    with pytest.raises(CannotWrite) as caught:
        write(Vectors(["dog", word], [[1.0], [2.0]]), path)
    assert str(caught.value) == (
        f"cannot write {path}: the word {word!r} would not be read back the same from text; "
        "choose another format, .safetensors for example"
    )
    assert list(tmp_path.iterdir()) == []


ODD = st.text(st.sampled_from(" \t\r\v\f\x00\x1c\x85\u00a0\u2028ab1.-e#\"',"), max_size=6)
ANY = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=6)


@pytest.mark.parametrize("name", WRITABLE)
@settings(max_examples=80, deadline=None)
@given(
    words=st.lists(ANY | ODD, min_size=1, max_size=5, unique=True),
    matrix=st.integers(1, 3).flatmap(
        lambda n: arrays(np.float32, (5, n), elements=st.floats(width=32, allow_nan=False, allow_infinity=False))
    ),
)
def test_any_vectors_come_back_the_same_or_are_refused(
    name: FormatName, words: list[str], matrix: NDArray[np.float32]
) -> None:
    vectors = Vectors(words, matrix[: len(words)])
    with tempfile.TemporaryDirectory() as folder:
        path = path_for(Path(folder), name)
        try:
            write(vectors, path)
        except CannotWrite as error:
            assert name in ("word2vec", *TEXT)
            assert "choose another format" in str(error)  # noqa: PT017
            return
        assert_same(read(path, format=name), vectors)
        assert_same(read(path), vectors)
