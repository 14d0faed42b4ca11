"""Our own format: a safetensors file, opened by memory map."""

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy

from entvec.errors import VectorFileError
from entvec.vectors import Vectors, read, write
from entvec.vectors.dtypes import DTYPES

WORDS = ["dog", "ice cream", "\u72ac"]
MATRIX = np.array([[0.1, -2], [1e-7, 3e20], [0, 1]], dtype=np.float32)
TEXT = "dog\nice cream\n\u72ac\n".encode()


def header_of(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    return header


def file_of(header: Any, data: bytes = b"") -> bytes:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + data


def sound_header() -> dict[str, Any]:
    return {
        "__metadata__": {"entvec": "vectors 1"},
        "vectors": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
        "words": {"dtype": "U8", "shape": [len(TEXT)], "data_offsets": [24, 24 + len(TEXT)]},
    }


def test_the_safetensors_library_reads_what_we_write(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    write(Vectors(WORDS, MATRIX, counts=[3, 2, 1], ranks=[0, 5, 6], metadata={"made by": "a test"}), path)
    theirs = safetensors.numpy.load_file(path)
    assert sorted(theirs) == ["counts", "ranks", "vectors", "words"]
    np.testing.assert_array_equal(theirs["vectors"], MATRIX)
    assert theirs["words"].tobytes() == TEXT
    np.testing.assert_array_equal(theirs["counts"], [3, 2, 1])
    np.testing.assert_array_equal(theirs["ranks"], [0, 5, 6])
    with safetensors.safe_open(path, framework="numpy") as opened:
        assert opened.metadata() == {"made by": "a test", "entvec": "vectors 1"}


@pytest.mark.parametrize("kind", DTYPES)
def test_the_safetensors_library_reads_every_kind_of_number(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "vectors.safetensors"
    vectors = Vectors(WORDS, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).astype(kind)
    write(vectors, path)
    theirs = pytest.importorskip("safetensors.torch", reason="needs PyTorch").load_file(path)["vectors"]
    assert str(theirs.dtype) == f"torch.{kind}"
    np.testing.assert_array_equal(theirs.float().numpy(), vectors.matrix)


def test_we_read_what_the_safetensors_library_writes(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    tensors: dict[str, Any] = {
        "vectors": MATRIX,
        "words": np.frombuffer(TEXT, dtype=np.uint8),
        "counts": np.array([3, 2, 1]),
    }
    safetensors.numpy.save_file(tensors, path, metadata={"entvec": "vectors 1", "made by": "a test"})
    vectors = read(path)
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert vectors.counts is not None
    np.testing.assert_array_equal(vectors.counts, [3, 2, 1])
    assert vectors.metadata == {"made by": "a test"}


def test_a_file_of_someone_elses_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    safetensors.numpy.save_file({"encoder.weight": MATRIX, "bias": MATRIX[0]}, path)
    with pytest.raises(VectorFileError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: a safetensors file, but not one of word vectors as entvec writes them: "
        "expected the tensors vectors and words, found bias, encoder.weight"
    )


def test_a_file_of_the_future_is_refused(tmp_path: Path) -> None:
    header = sound_header()
    header["__metadata__"]["entvec"] = "vectors 2"
    (tmp_path / "vectors").write_bytes(file_of(header, MATRIX.tobytes() + TEXT))
    with pytest.raises(
        VectorFileError, match="expected 'vectors 1', found 'vectors 2'; a newer entvec may have written"
    ):
        read(tmp_path / "vectors")


def test_the_file_is_mapped_and_the_matrix_aligned(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    Vectors(WORDS, MATRIX).save(path)
    vectors = Vectors.load(path)
    assert "memory-mapped" in repr(vectors)
    assert "memory-mapped" in repr(read(path, limit=2))
    assert vectors.stored.ctypes.data % 64 == 0
    assert not vectors.stored.flags.writeable


def test_mapped_vectors_survive_their_file_being_written_over(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    Vectors(WORDS, MATRIX).save(path)
    old = Vectors.load(path)
    old.head(1).save(path)  # from the map of the file itself
    assert list(old) == WORDS
    np.testing.assert_array_equal(old.matrix, MATRIX)
    assert list(Vectors.load(path)) == ["dog"]


def test_a_file_without_words_has_none(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    Vectors([], np.empty((0, 3), dtype=np.float32)).save(path)
    assert len(Vectors.load(path)) == len(Vectors.load(path).words) == 0
    assert Vectors.load(path).dimension == 3
    assert header_of(path)["vectors"]["shape"] == [0, 3]


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("tensor", "entry", "problem"),
    [
        ("vectors", {"dtype": "I32"}, "expected the tensor vectors to have 2 dimensions of BF16/F16/F32/F64"),
        ("vectors", {"shape": [6]}, "expected the tensor vectors to have 2 dimensions"),
        ("vectors", {"shape": [3, 3]}, r"that fill its bytes, found F32 \[3, 3\] in bytes 0 to 24"),
        ("vectors", {"shape": [-3, -2]}, "expected the tensor vectors to have 2 dimensions"),
        ("vectors", {"shape": [3.0, 2]}, "expected the tensor vectors to have 2 dimensions"),
        ("vectors", {"shape": [True, 6]}, "expected the tensor vectors to have 2 dimensions"),
        ("vectors", {"shape": [10**12, 300], "data_offsets": [0, 12 * 10**14]}, "."),
        ("vectors", {"shape": [0, 0], "data_offsets": [0, 0]}, "."),
        ("vectors", {"data_offsets": [24, 0]}, "expected the tensor vectors to have 2 dimensions"),
        ("vectors", {"data_offsets": [4, 28]}, "expected the tensor vectors to begin at byte 0 of the data, found 4"),
        ("vectors", {"data_offsets": [0]}, "expected the JSON header of a safetensors file"),
        ("vectors", {"data_offsets": None}, "expected the JSON header of a safetensors file"),
        ("vectors", {"shape": None}, "expected the JSON header of a safetensors file"),
        ("words", {"dtype": "F32"}, "expected the tensor words to have 1 dimensions? of U8"),
        ("words", {"dtype": ["U8"]}, "expected the tensor words to have 1 dimensions? of U8"),
        (
            "words",
            {"data_offsets": [20, 20 + len(TEXT)]},
            "expected the tensor words to begin at byte 24 of the data, found 20",
        ),
        (
            "counts",
            {"dtype": "I64", "shape": [1], "data_offsets": [42, 50]},
            r"expected 3 counts, one for each word, found shape \(1,\)",
        ),
        (
            "more",
            {"dtype": "I64", "shape": [0], "data_offsets": [42, 42]},
            "expected the tensors vectors and words, found more, vectors, words",
        ),
        ("__metadata__", {"entvec": ""}, "not one of word vectors as entvec writes them"),
    ],
)
def test_a_header_that_does_not_add_up_is_told(
    tmp_path: Path, tensor: str, entry: dict[str, Any], problem: str, suffix: str
) -> None:
    header = sound_header()
    header[tensor] = {**header.get(tensor, {}), **entry}
    content = file_of(header, MATRIX.tobytes() + TEXT + bytes(8 if tensor == "counts" else 0))
    path = tmp_path / f"vectors{suffix}"
    path.write_bytes(gzip.compress(content) if suffix else content)
    with pytest.raises(VectorFileError, match=rf"vectors.*: .*{problem}"):
        read(path)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (b"{not json}", "byte 8: expected the JSON header of a safetensors file, found none"),
        (b"{" * 5000, "byte 8: expected the JSON header of a safetensors file, found none"),
        (b'{"a":' * 100_000, "byte 8: expected the JSON header of a safetensors file, found none"),
        (b'{"a": "\xff"}', "byte 8: expected the JSON header of a safetensors file, found none"),
        (b'{"__metadata__": []}', "byte 8: expected the JSON header of a safetensors file, found none"),
        (b"{}", "expected the tensors vectors and words, found none"),
    ],
)
def test_a_header_that_is_none_is_told(tmp_path: Path, header: bytes, problem: str) -> None:
    (tmp_path / "vectors").write_bytes(file_of(header))
    with pytest.raises(VectorFileError, match=problem):
        read(tmp_path / "vectors")


def test_a_header_that_claims_to_be_endless_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(struct.pack("<Q", 1 << 39) + b"{")
    with pytest.raises(
        VectorFileError, match="byte 0: expected a header of at most 1,048,576 bytes, found 549,755,813,888"
    ):
        read(tmp_path / "vectors")


@pytest.mark.parametrize("cut", [1, 10, 40])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_that_is_cut_off_or_goes_on_is_told(tmp_path: Path, cut: int, suffix: str) -> None:
    content = file_of(sound_header(), MATRIX.tobytes() + TEXT)
    pack = gzip.compress if suffix else bytes
    for changed in (content[:-cut], content + bytes(cut)):
        (tmp_path / f"vectors{suffix}").write_bytes(pack(changed))
        with pytest.raises(
            VectorFileError, match=f"expected {len(content)} bytes in all, as the header promises, found {len(changed)}"
        ):
            read(tmp_path / f"vectors{suffix}")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (b"a\nb\n", "expected 3 words, one a line, found 2 lines"),
        (b"a\nb\nc", "expected 3 words, one a line, found 2 lines"),
        (b"a\nb\nc\nd", "expected 3 words, one a line, found 3 lines"),
        (b"a\nb\n\xff\n", "expected words in UTF-8, found 'utf-8' codec can't decode byte 0xff in position 4"),
    ],
)
def test_words_are_checked_when_they_are_first_used(tmp_path: Path, words: bytes, problem: str) -> None:
    header = sound_header()
    header["words"] = {"dtype": "U8", "shape": [len(words)], "data_offsets": [24, 24 + len(words)]}
    (tmp_path / "vectors").write_bytes(file_of(header, MATRIX.tobytes() + words))
    vectors = read(tmp_path / "vectors")
    assert len(vectors) == 3
    with pytest.raises(VectorFileError, match=f"vectors: {problem}"):
        list(vectors)
    with pytest.raises(VectorFileError, match=f"vectors: {problem}"):
        vectors["a"]


def test_numbers_and_duplicates_are_checked_when_asked_for(tmp_path: Path) -> None:
    header, words = sound_header(), b"a\nb\na\n"
    header["words"] = {"dtype": "U8", "shape": [len(words)], "data_offsets": [24, 24 + len(words)]}
    (tmp_path / "twice").write_bytes(file_of(header, MATRIX.tobytes() + words))
    with pytest.raises(VectorFileError, match=r"twice: expected each word once, found 'a' again"):
        read(tmp_path / "twice").check()
    bad = MATRIX.copy()
    bad[1, 1] = np.inf
    (tmp_path / "infinite").write_bytes(file_of(header, bad.tobytes() + words))
    with pytest.raises(VectorFileError, match=r"infinite: expected finite numbers, found others in the vector of 'b'"):
        read(tmp_path / "infinite").check()
    Vectors(WORDS, MATRIX).save(tmp_path / "sound")
    read(tmp_path / "sound").check()
