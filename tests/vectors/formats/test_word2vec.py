"""word2vec's binary format."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from entvec.errors import VectorFileError
from entvec.vectors import Vectors, read, write
from entvec.vectors.formats import word2vec
from entvec.vectors.reading import sniff
from entvec.vectors.source import Source

MATRIX = np.array([[0.1, -2, 1], [1e-7, 3e20, 0]], dtype="<f4")
DOG, DOGS = (row.tobytes() for row in MATRIX)


def read_bytes(folder: Path, content: bytes, **options: Any) -> Vectors:
    (folder / "vectors.bin").write_bytes(content)
    return read(folder / "vectors.bin", **options)


def test_the_file_is_as_word2vec_writes_it(tmp_path: Path) -> None:
    write(Vectors(["dog", "dogs"], MATRIX), tmp_path / "vectors.bin")
    assert (tmp_path / "vectors.bin").read_bytes() == b"2 3\ndog " + DOG + b"\ndogs " + DOGS + b"\n"


def test_gensim_reads_what_we_write(tmp_path: Path) -> None:
    write(Vectors(["dog", "\u72ac"], MATRIX), tmp_path / "vectors.bin")
    theirs = KeyedVectors.load_word2vec_format(str(tmp_path / "vectors.bin"), binary=True)
    assert theirs.index_to_key == ["dog", "\u72ac"]
    np.testing.assert_array_equal(theirs.vectors, MATRIX)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_we_read_what_gensim_writes(tmp_path: Path, suffix: str) -> None:
    theirs = KeyedVectors(3)
    theirs.add_vectors(["dog", "\u72ac"], MATRIX)
    path = tmp_path / f"vectors{suffix}"
    theirs.save_word2vec_format(str(path), binary=True)
    ours = read(path)
    assert list(ours) == ["dog", "\u72ac"]
    np.testing.assert_array_equal(ours.matrix, MATRIX)


@pytest.mark.parametrize("chunk", [1, 5, 1 << 20])
@pytest.mark.parametrize(
    "content",
    [
        b"2 3\ndog " + DOG + b"dogs " + DOGS,  # Google's news vectors have no newlines
        b"2 3\ndog " + DOG + b"\ndogs " + DOGS + b"\n",
        b"2 3\ndog " + DOG + b"\ndogs " + DOGS,
        b"2 3\n\ndog " + DOG + b"\ndogs " + DOGS + b"\n\n",
        b"2 3 \r\ndog " + DOG + b"\ndogs " + DOGS + b"\n",
    ],
)
def test_newlines_after_the_numbers_are_optional(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, chunk: int
) -> None:
    monkeypatch.setattr(word2vec, "CHUNK", chunk)
    vectors = read_bytes(tmp_path, content)
    assert list(vectors) == ["dog", "dogs"]
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


@pytest.mark.parametrize(
    "numbers",
    [
        b"5\n\x80\x3f" * 3,  # a number and a newline among the bytes of the numbers
        b"1 2 3 4 5 6 ",
        b" 7 \x01\x02\x03\x04\x05\x06\x07\x08\x09",
        b"\n\n\n\n\r\n\r\n    ",
        b"\xcd\xcc\xcc\x3d" * 3,  # 0.1 has no control characters
        b"abcdefghijkl",
    ],
)
def test_numbers_whose_bytes_look_like_text_are_numbers(tmp_path: Path, numbers: bytes) -> None:
    matrix = np.frombuffer(numbers * 2, dtype="<f4").reshape(2, 3)
    path = tmp_path / "vectors.bin"
    write(Vectors(["dog", "dogs"], matrix), path)
    with Source(path) as source:
        assert sniff(source) == "word2vec"
    vectors = read(path)
    assert list(vectors) == ["dog", "dogs"]
    np.testing.assert_array_equal(vectors.matrix, matrix)


def test_binary_files_are_told_from_text_whatever_their_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(2000):
        content = b"1 50\ndog " + rng.normal(size=50).astype("<f4").tobytes()
        wrong += not word2vec.matches(content)
    assert wrong == 0


def test_errors_name_the_byte_at_which_the_word_begins(tmp_path: Path) -> None:
    bad = np.array([1, np.nan, 1], dtype="<f4").tobytes()
    for newline in (b"", b"\n"):
        before = b"2 3\ndog " + DOG + newline
        with pytest.raises(VectorFileError, match="expected finite numbers, found nan as number 2") as caught:
            read_bytes(tmp_path, before + b"dogs " + bad + b"\n")
        assert caught.value.byte == len(before)
        assert f"vectors.bin, byte {len(before)}: " in str(caught.value)


def test_bytes_after_the_last_word_are_told(tmp_path: Path) -> None:
    content = b"1 3\ndog " + DOG + b"\ndogs " + DOGS
    with pytest.raises(VectorFileError, match="byte 20: expected the end of the file after 1 words, found more bytes"):
        read_bytes(tmp_path, content)
    assert list(read_bytes(tmp_path, content, limit=1)) == ["dog"]


def test_a_word_that_does_not_end_is_told_at_once(tmp_path: Path) -> None:
    began = time.perf_counter()
    with pytest.raises(VectorFileError, match="byte 20: expected a word and a space, found no space in 65,536 bytes"):
        read_bytes(tmp_path, b"2 3\ndog " + DOG + bytes(70_000))  # the rest of a download that was never filled
    assert time.perf_counter() - began < 1


def test_a_limit_reads_the_beginning_of_a_file_that_is_cut_off(tmp_path: Path) -> None:
    content = b"1000 3\ndog " + DOG + b"\ndogs " + DOGS[:5]
    assert list(read_bytes(tmp_path, content, limit=1)) == ["dog"]
