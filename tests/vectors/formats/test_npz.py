"""NumPy's archives: ours are read by np.load, and people's are read by us."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.errors import VectorFileError
from entvec.vectors import Vectors, read, write
from entvec.vectors import vectors as vectors_module

WORDS = ["dog", "ice cream", "\u72ac"]
MATRIX = np.array([[0.1, -2], [1e-7, 3e20], [0, 1]], dtype=np.float32)


def read_saved(folder: Path, **arrays: Any) -> Vectors:
    np.savez(folder / "vectors.npz", **arrays)
    return read(folder / "vectors.npz")


def test_numpy_loads_what_we_write(tmp_path: Path) -> None:
    write(Vectors(WORDS, MATRIX, counts=[3, 2, 1], ranks=[0, 5, 6]), tmp_path / "vectors.npz")
    with np.load(tmp_path / "vectors.npz") as theirs:
        assert sorted(theirs) == ["counts", "ranks", "vectors", "words"]
        np.testing.assert_array_equal(theirs["vectors"], MATRIX)
        assert theirs["words"].tobytes().decode().splitlines() == WORDS
        np.testing.assert_array_equal(theirs["counts"], [3, 2, 1])
        np.testing.assert_array_equal(theirs["ranks"], [0, 5, 6])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize(
    "words",
    [
        np.array(WORDS),
        np.array(WORDS).astype(">U12"),
        np.array([word.encode() for word in WORDS]),
        np.frombuffer("\n".join(WORDS).encode(), dtype=np.uint8),
        np.frombuffer("\n".join([*WORDS, ""]).encode(), dtype=np.uint8),
    ],
    ids=["U", "big-endian U", "S", "text", "text with a last newline"],
)
@pytest.mark.parametrize(
    "matrix",
    [MATRIX, np.asfortranarray(MATRIX), MATRIX.astype(">f4"), np.asfortranarray(MATRIX.astype(">f8"))],
    ids=["C", "Fortran", "big-endian", "big-endian Fortran"],
)
def test_arrays_are_read_however_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Any, words: Any, matrix: Any, at_once: int
) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", at_once)
    save(tmp_path / "vectors.npz", words=words, vectors=matrix)
    vectors = read(tmp_path / "vectors.npz")
    assert list(vectors) == WORDS
    assert vectors.dtype == matrix.dtype.name
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert list(read(tmp_path / "vectors.npz", limit=2)) == WORDS[:2]


def test_the_arrays_may_have_any_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "vectors.npz", MATRIX, np.array(WORDS))  # arr_0 and arr_1
    assert list(read(tmp_path / "vectors.npz")) == WORDS
    assert list(read_saved(tmp_path, vocab=np.array(WORDS), emb=MATRIX)) == WORDS


def test_other_arrays_do_no_harm_beside_those_with_our_names(tmp_path: Path) -> None:
    others = {"pairs": np.array([["a", "b"]]), "weights": np.eye(5), "labels": np.array(["x", "y"]), "n": np.array(3)}
    vectors = read_saved(tmp_path, words=np.array(WORDS), vectors=MATRIX, **others)
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_long_doubles_are_read_as_doubles(tmp_path: Path) -> None:
    vectors = read_saved(tmp_path, words=np.array(WORDS), vectors=MATRIX.astype(np.longdouble))
    assert vectors.dtype == "float64"
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_counts_of_any_whole_number_are_read(tmp_path: Path) -> None:
    vectors = read_saved(tmp_path, words=np.array(WORDS), vectors=MATRIX, counts=np.array([3, 2, 1], dtype=">u2"))
    assert vectors.counts is not None
    np.testing.assert_array_equal(vectors.counts, [3, 2, 1])


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        ({"words": np.array(WORDS)}, r"expected one array of two dimensions with floats, found words \(3,\) <U9"),
        ({"vectors": MATRIX}, r"expected one array of strings, the words, found vectors \(3, 2\) float32"),
        ({"a": MATRIX, "b": MATRIX, "words": np.array(WORDS)}, r"expected one array of two dimensions with floats"),
        ({"vectors": MATRIX, "a": np.array(WORDS), "b": np.array(WORDS)}, r"expected one array of strings, the words"),
        (
            {"vectors": np.eye(3, dtype=int), "words": np.array(WORDS)},
            r"expected one array of two dimensions with floats",
        ),
        ({"vectors": MATRIX, "words": np.array(WORDS[:2])}, "expected 3 words, as many as rows of numbers, found 2"),
        ({"vectors": MATRIX[:2], "words": np.array(WORDS)}, "expected 2 words, as many as rows of numbers, found 3"),
        (
            {"vectors": MATRIX, "words": np.frombuffer(b"a\nb\n", dtype=np.uint8)},
            "expected 3 words, as many as rows of numbers, found 2",
        ),
        (
            {"vectors": MATRIX, "words": np.array(WORDS), "counts": np.array([1, 2])},
            r"expected 3 whole numbers in counts, found counts \(2,\) int64",
        ),
        (
            {"vectors": MATRIX, "words": np.array(WORDS), "ranks": np.array([0.5, 1, 2])},
            r"expected 3 whole numbers in ranks, found ranks \(3,\) float64",
        ),
        (
            {"vectors": np.empty((3, 0), np.float32), "words": np.array(WORDS)},
            "expected vectors of 1 to 100,000 numbers",
        ),
    ],
)
def test_what_is_missing_or_does_not_fit_is_told(tmp_path: Path, arrays: dict[str, Any], problem: str) -> None:
    with pytest.raises(VectorFileError, match=rf"vectors\.npz: {problem}"):
        read_saved(tmp_path, **arrays)


def test_pickled_words_are_never_opened(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="the array words holds pickled objects, which could run any program"):
        read_saved(tmp_path, words=np.array(WORDS, dtype=object), vectors=MATRIX)


def test_a_line_break_in_a_word_is_told(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"word 2: expected a word .*, found one with a line break"):
        read_saved(tmp_path, words=np.array(["a", "b\nc", "d"]), vectors=MATRIX)


def test_words_that_are_not_utf8_are_told_with_their_number(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"vectors\.npz: word 2: expected a word in UTF-8, found b'\\xff'"):
        read_saved(tmp_path, words=np.array([b"a", b"\xff", b"c"]), vectors=MATRIX)


def test_nan_is_told_with_the_number_of_its_word(tmp_path: Path) -> None:
    matrix = MATRIX.copy()
    matrix[1, 1] = np.nan
    with pytest.raises(VectorFileError, match=r"vectors\.npz: word 2: expected finite numbers, found nan as number 2"):
        read_saved(tmp_path, words=np.array(WORDS), vectors=matrix)


def archive_of(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + (len(header) + 1).to_bytes(2, "little") + header.encode() + b"\n" + content


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        (
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 300), }"),
            r"the array vectors promises shape \(1000000000000, 300\) of float32, more than its 84 bytes",
        ),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 3), }"), "a damaged archive of arrays"),
        (npy("{'descr': '<f4', 'fortran_order': False}"), "a damaged archive of arrays"),
        (npy("{" * 1000), "a damaged archive of arrays"),
        (npy("__import__('os').abort()"), "a damaged archive of arrays"),
        (
            npy("{}", version=b"\x03\x00"),
            r"expected vectors\.npy in version 1\.0 or 2\.0 of NumPy's format, found \(3, 0\)",
        ),
        (b"", "a damaged archive of arrays"),
        (b"something else", "a damaged archive of arrays"),
    ],
)
def test_damaged_arrays_are_told(tmp_path: Path, member: bytes, problem: str) -> None:
    (tmp_path / "vectors.npz").write_bytes(archive_of(vectors=member, words=npy("{}")))
    with pytest.raises(VectorFileError, match=rf"vectors\.npz: {problem}"):
        read(tmp_path / "vectors.npz")


def test_an_array_that_would_explode_is_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "vectors.npz", words=np.array(["a"]), vectors=np.zeros((50, 100_000), np.float32))
    with pytest.raises(
        VectorFileError,
        match=r"vectors\.npy: its [\d,]+ bytes would become 20,000,128 or more; vectors and texts never compress more",
    ):
        read(tmp_path / "vectors.npz")


def test_a_false_size_of_what_is_packed_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    np.savez_compressed(path, words=np.array(["a"]), vectors=np.zeros((50, 100_000), np.float32))
    with zipfile.ZipFile(path) as archive:
        packed = archive.getinfo("vectors.npy").compress_size.to_bytes(4, "little")
    content = path.read_bytes()
    at = content.rindex(packed)  # in the table of contents, which is at the end
    path.write_bytes(content[:at] + (1 << 30).to_bytes(4, "little") + content[at + 4 :])
    with pytest.raises(VectorFileError, match=r"vectors\.npy: its [\d,]+ bytes would become 20,000,128 or more"):
        read(path)
