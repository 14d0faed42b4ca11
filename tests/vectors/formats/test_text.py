"""Vectors as text: word2vec's and fastText's with a first line that counts, GloVe's without."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from entvec.errors import VectorFileError
from entvec.vectors import Vectors, read, write
from entvec.vectors.formats import FormatName, text
from entvec.vectors.reading import sniff
from entvec.vectors.source import Source


def read_text(folder: Path, content: str | bytes, **options: Any) -> Vectors:
    path = folder / "vectors.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path, **options)


def test_a_file_is_what_people_expect_of_its_name(tmp_path: Path) -> None:
    vectors = Vectors(["dog", "ice cream"], np.array([[0.1, -2], [1e-7, 3e20]], dtype=np.float32))
    write(vectors, tmp_path / "vectors.txt")
    write(vectors, tmp_path / "vectors.vec")
    lines = "dog 0.1 -2.0\nice cream 1e-7 3e+20\n"
    assert (tmp_path / "vectors.txt").read_text() == lines
    assert (tmp_path / "vectors.vec").read_text() == "2 2\n" + lines


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # gensim's, of a file without header
def test_gensim_reads_what_we_write(tmp_path: Path) -> None:
    vectors = Vectors(["dog", "\u72ac"], np.array([[0.1, -2], [1e-7, 3e20]], dtype=np.float32))
    write(vectors, tmp_path / "vectors.vec")
    write(vectors, tmp_path / "vectors.txt")
    for name, no_header in (("vectors.vec", False), ("vectors.txt", True)):
        theirs = KeyedVectors.load_word2vec_format(str(tmp_path / name), no_header=no_header)
        assert theirs.index_to_key == ["dog", "\u72ac"]
        np.testing.assert_array_equal(theirs.vectors, vectors.matrix)


@pytest.mark.parametrize("write_header", [True, False])
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_we_read_what_gensim_writes(tmp_path: Path, write_header: bool, suffix: str) -> None:
    theirs = KeyedVectors(3)
    matrix = np.array([[0.1, -2, 1], [1e-7, 3e20, 0]], dtype=np.float32)
    theirs.add_vectors(["dog", "\u72ac"], matrix)
    path = tmp_path / f"vectors{suffix}"
    theirs.save_word2vec_format(str(path), write_header=write_header)
    ours = read(path)
    assert list(ours) == ["dog", "\u72ac"]
    np.testing.assert_array_equal(ours.matrix, matrix)
    with Source(path) as source:
        assert sniff(source) == ("word2vec-text" if write_header else "glove")


@pytest.mark.parametrize("header", ["", "2 2\n"])
@pytest.mark.parametrize(
    "lines",
    [
        "dog 1 2\ncat 3 4",
        "dog 1 2\ncat 3 4\n\n\n",
        "dog 1 2\ncat 3 4\n  \n\t\n",
        "dog 1 2\r\ncat 3 4\r\n",
        "dog 1 2\r\ncat 3 4\r\n\r\n",
        "dog\t1\t2\ncat\t3\t4\n",
        "dog\t1 2\ncat\t3 4\n",
        "dog 1 2 \ncat 3 4  \n",
        "dog 1 2\t\r\ncat 3 4 \t\r\n",
        "dog  1   2\ncat 3  4\n",
        "dog +1.0 2e0\ncat 3. .4e1\n",
        "dog 1E0 20e-1\ncat 3 4.00000000000000000000000001\n",
    ],
)
def test_ways_to_write_the_same(tmp_path: Path, header: str, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for chunk in (text.CHUNK, 1, 2, 3, 8):
        monkeypatch.setattr(text, "CHUNK", chunk)
        vectors = read_text(tmp_path, header + lines)
        assert list(vectors) == ["dog", "cat"]
        np.testing.assert_array_equal(vectors.matrix, [[1, 2], [3, 4]])


def test_the_first_line_may_end_as_windows_ends_it_and_have_a_tab(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, "2\t2 \r\ndog 1 2\r\ncat 3 4\r\n")) == ["dog", "cat"]


def test_tokens_with_spaces_as_in_glove_840b(tmp_path: Path) -> None:
    lines = ["the 1 2 3", ". . . 4 5 6", "at name@domain.com 7 8 9", ". . . . . 1 1 1", "to name@domain.com 0 0 0"]
    vectors = read_text(tmp_path, "\n".join(lines))
    assert list(vectors) == ["the", ". . .", "at name@domain.com", ". . . . .", "to name@domain.com"]
    np.testing.assert_array_equal(vectors[". . ."], [4, 5, 6])


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_does_not_change_what_a_line_means(tmp_path: Path, limit: int) -> None:
    content = ". . . 4 5 6\nthe 1 2 3\ndog 1 2 3\n"
    assert list(read_text(tmp_path, content, limit=limit)) == [". . .", "the", "dog"][:limit]


def test_words_that_are_numbers_are_words(tmp_path: Path) -> None:
    vectors = read_text(tmp_path, "the 1 2\n1 3 4\n2.5 5 6\nnan 7 8\n")
    assert list(vectors) == ["the", "1", "2.5", "nan"]


def test_the_word_of_a_line_may_be_empty_or_a_space_that_is_none_in_ascii(tmp_path: Path) -> None:
    vectors = read_text(tmp_path, "dog 1 2\n 3 4\n\u00a0 5 6\n\u2003 7 8\n")
    assert list(vectors) == ["dog", "", "\u00a0", "\u2003"]
    np.testing.assert_array_equal(vectors[""], [3, 4])


def test_line_separators_of_unicode_do_not_end_a_line(tmp_path: Path) -> None:
    words = ["a\u2028b", "c\u0085d", "e\x1cf", "g\x0bh"]
    content = "".join(f"{word} {i} 2\n" for i, word in enumerate(words))
    assert list(read_text(tmp_path, content)) == words


def test_a_first_line_of_two_whole_numbers_is_a_header_and_any_other_is_a_word(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, "1 2\n3 4.0 5.0\n")) == ["3"]
    assert list(read_text(tmp_path, "1 2.0\n3 4.0\n")) == ["1", "3"]


def test_a_file_may_be_named_to_be_without_header(tmp_path: Path) -> None:
    vectors = read_text(tmp_path, "1 2\n3 4\n", format="glove")
    assert list(vectors) == ["1", "3"]
    np.testing.assert_array_equal(vectors.matrix, [[2], [4]])


def test_text_is_read_as_float32_and_as_double_if_asked(tmp_path: Path) -> None:
    content = "dog 0.1 1e-320\ncat 0.3 16777217\n"
    assert read_text(tmp_path, content).dtype == "float32"
    doubles = read_text(tmp_path, content, dtype="float64")
    np.testing.assert_array_equal(doubles.matrix, [[0.1, 1e-320], [0.3, 16777217]])


@pytest.mark.parametrize("line", ["dog 1e39 2", "ice cream 1e39 2"])
def test_a_number_too_large_for_float32_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(VectorFileError, match=r"vectors\.txt, line 2: expected finite numbers, found inf as number 1"):
        read_text(tmp_path, f"the 1 2\n{line}\ncat 3 4\n")
    assert read_text(tmp_path, f"the 1 2\n{line}\ncat 3 4\n", dtype="float64").matrix[1, 0] == 1e39


@pytest.mark.parametrize("field", ["1_0", "0x10", "1,5", "\u0661", "one", "1e", "--1", "1f", "(1)", ""])
def test_what_is_not_a_number_is_told_with_its_line_and_field(tmp_path: Path, field: str) -> None:
    found = f"a number in field 3, found {field!r}" if field else "a word and 2 numbers, found 1"
    for lines in ([f"the 1 {field}", "dog 1 2"], ["dog 1 2", f"the 1 {field}"]):
        with pytest.raises(VectorFileError) as caught:
            read_text(tmp_path, "2 2\n" + "\n".join(lines))
        line = 2 + lines.index(f"the 1 {field}")
        assert f"vectors.txt, line {line}: expected {found}" in str(caught.value)
        assert caught.value.line == line


@pytest.mark.parametrize("chunk", [1, 2, 4, 7, 1 << 20])
@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a 1 2\n\nb 3 4\n", 2),
        ("a 1 2\n \nb 3 4\n", 2),
        ("a 1 2\nb 3 4\n\n\n\nc 5 6", 3),
        ("a 1\n\nb 2\n", 2),
        ("2 1\na 1\n\nb 2\n", 3),
        ("2 2\n\na 1 2\nb 3 4\n", 2),
    ],
)
def test_an_empty_line_within_the_file_is_told_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, line: int, chunk: int
) -> None:
    monkeypatch.setattr(text, "CHUNK", chunk)
    with pytest.raises(VectorFileError, match=rf"line {line}: expected a word and .*numbers, found an empty line"):
        read_text(tmp_path, content)


@pytest.mark.parametrize("chunk", [1, 5, 1 << 20])
def test_errors_name_the_right_line_whatever_the_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(text, "CHUNK", chunk)
    lines = [f"w{i} {i} {i}" for i in range(50)]
    lines[37] = "w37 37"
    with pytest.raises(VectorFileError, match="line 38: expected a word and 2 numbers, found 1"):
        read_text(tmp_path, "\n".join(lines))
    with pytest.raises(VectorFileError, match="line 39: expected a word and 2 numbers, found 1"):
        read_text(tmp_path, "50 2\n" + "\n".join(lines))
    assert len(read_text(tmp_path, "\n".join(lines), limit=37)) == 37


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST_LINE", 1000)
    monkeypatch.setattr(text, "CHUNK", 100)
    with pytest.raises(VectorFileError, match="line 2: expected a line of at most 1,000 bytes, found no end of it"):
        read_text(tmp_path, "dog 1 2\n" + "cat 3 4" * 1000)


def test_a_word_without_end_is_no_word(tmp_path: Path) -> None:
    with pytest.raises(
        VectorFileError, match="line 2: expected a word of at most 65,536 bytes, found one of 65,537 bytes"
    ):
        read_text(tmp_path, f"dog 1 2\n{'x' * 65537} 1 2\n")


@pytest.mark.parametrize(("name", "line"), [("word2vec-text", "1 2 3"), ("word2vec-text", "dog 1"), ("word2vec", "")])
def test_a_file_named_to_have_a_header_must_have_one(tmp_path: Path, name: FormatName, line: str) -> None:
    with pytest.raises(
        VectorFileError, match=rf"line 1: expected two numbers, of words and of dimensions, found '{line}'"
    ):
        read_text(tmp_path, f"{line}\n", format=name)
