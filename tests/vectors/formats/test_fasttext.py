"""fastText's binary models, made with gensim's own writer."""

import gzip
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from entvec.errors import CannotWrite, MissingExtra, VectorFileError
from entvec.vectors import read, write
from entvec.vectors import vectors as vectors_module
from entvec.vectors.formats import fasttext

DICTIONARY = 64
"""The byte at which the dictionary begins: after the mark, the version and the arguments."""
WORDS = DICTIONARY + 28
"""The byte at which the first word begins."""


@pytest.fixture(scope="module")
def model() -> Any:
    sentences = [["dog", "cat", "dog", "\u72ac\u72ac"], ["dog", "bird", "cat"]]
    return FastText(sentences, vector_size=4, min_count=1, workers=1, bucket=50, seed=1)


@pytest.fixture(scope="module")
def content(model: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    return path


def changed(content: bytes, at: int, layout: str, *values: Any) -> bytes:
    new = bytearray(content)
    struct.pack_into(layout, new, at, *values)
    return bytes(new)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("at_once", [1, 1 << 22])
def test_the_vectors_are_those_of_the_model(
    path: Path, content: bytes, model: Any, compress: Any, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", at_once)
    path.write_bytes(compress(content))
    vectors = read(path)
    assert list(vectors) == model.wv.index_to_key
    np.testing.assert_allclose(vectors.matrix, model.wv.vectors, rtol=1e-6)
    assert vectors.counts is not None
    assert vectors.counts.tolist() == [3, 2, 1, 1]


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 5])
def test_a_limit_reads_so_many_words(path: Path, model: Any, limit: int) -> None:
    vectors = read(path, limit=limit, dtype="float16")
    assert list(vectors) == model.wv.index_to_key[:limit]


def test_the_format_may_be_named(path: Path, model: Any) -> None:
    assert list(read(path.rename(path.with_name("vectors.txt")), format="fasttext")) == model.wv.index_to_key


def test_progress_is_told_up_to_the_whole_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = FastText([["dog", "cat"]], vector_size=10, min_count=1, workers=1, bucket=5000)
    save_facebook_model(model, str(path))
    told: list[tuple[int, int]] = []
    read(path, progress=lambda done, total: told.append((done, total)))
    size = path.stat().st_size
    assert size > 65536
    assert told[-1] == (size, size)


def test_no_more_room_is_asked_for_than_the_file_has_numbers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{i}" for i in range(500)]
    save_facebook_model(FastText([words], vector_size=10, min_count=1, workers=1, bucket=50_000), str(path))
    asked: list[int] = []
    empty = np.empty

    def spy(shape: Any, *args: Any, **options: Any) -> Any:
        made = empty(shape, *args, **options)
        asked.append(made.nbytes)
        return made

    monkeypatch.setattr(np, "empty", spy)
    assert len(read(path)) == 500
    rows = 500 * 10 * 4
    assert [size for size in asked if 2 * rows < size < 50_000 * 10 * 4] == []


def test_fasttext_cannot_be_written(path: Path, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="entvec does not write fastText model"):
        write(read(path), tmp_path / "new.bin", format="fasttext")


def test_a_model_for_classification_is_told(path: Path, content: bytes) -> None:
    path.write_bytes(changed(content, DICTIONARY, "<3i", 4, 2, 2))
    with pytest.raises(
        VectorFileError, match=r"model\.bin: a fastText model of 2 labels for classification, expected one of words"
    ):
        read(path)


def matrix_at(content: bytes) -> int:
    """The byte at which the flag of the matrix lies."""
    at = WORDS
    for _ in range(4):
        at = content.index(b"\0", at) + 1 + 9
    return at


def test_a_quantised_model_is_told(path: Path, content: bytes) -> None:
    path.write_bytes(changed(content, matrix_at(content), "<?", True))
    with pytest.raises(
        VectorFileError,
        match=r"model\.bin, byte \d+: a quantised fastText model \(\.ftz\), expected the full one \(\.bin\)",
    ):
        read(path)


@pytest.mark.parametrize(
    ("keep", "problem"),
    [
        (4, "byte 0: expected 64 more bytes, found the end of the file"),
        (63, "byte 0: expected 64 more bytes, found the end of the file"),
        (64, "byte 64: expected 28 more bytes, found the end of the file"),
        (92, "byte 92: expected word 1 of 4, found no end of it"),
        (94, "byte 92: expected word 1 of 4, found no end of it"),
        (100, "byte 96: expected 9 more bytes, found the end of the file"),
        (107, "byte 105: expected word 2 of 4, found no end of it"),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_that_is_cut_off_is_told(path: Path, content: bytes, keep: int, problem: str, compress: Any) -> None:
    path.write_bytes(compress(content[:keep]))
    with pytest.raises(VectorFileError, match=rf"model\.bin, {problem}"):
        read(path)


@pytest.mark.parametrize("cut", [1, 100, 500])
def test_a_file_cut_off_among_its_numbers_is_told(path: Path, content: bytes, cut: int) -> None:
    end = matrix_at(content) + 17 + 4 * 54 * 4
    path.write_bytes(content[: end - cut])
    with pytest.raises(
        VectorFileError,
        match=rf"expected 54 rows of 4 numbers, found 54 rows of 4 promised and {4 * 54 * 4 - cut} bytes",
    ):
        read(path)


@pytest.mark.parametrize(
    ("at", "layout", "value", "problem"),
    [
        (8, "<i", 0, "expected vectors of 1 to 100,000 numbers, found 0"),
        (8, "<i", -4, "expected vectors of 1 to 100,000 numbers, found -4"),
        (8, "<i", 2**31 - 1, "expected vectors of 1 to 100,000 numbers, found 2,147,483,647"),
        (DICTIONARY, "<2i", (2**31 - 1, 2**31 - 1), "expected "),
        (DICTIONARY, "<i", 5, "expected a plausible fastText model, found 4 words of 5 entries"),
        (DICTIONARY, "<2i", (0, 0), "expected a plausible fastText model, found 0 words of 0 entries"),
        (DICTIONARY + 20, "<q", 2**62, "expected 17 more bytes, found the end of the file"),
        (40, "<i", -1, "expected a plausible fastText model, .* -1 buckets"),
    ],
)
def test_numbers_that_cannot_be_are_told(
    path: Path, content: bytes, at: int, layout: str, value: Any, problem: str
) -> None:
    path.write_bytes(changed(content, at, layout, *(value if isinstance(value, tuple) else (value,))))
    with pytest.raises(VectorFileError, match=rf"model\.bin.*: .*({problem})"):
        read(path)


def test_a_word_that_is_not_utf8_is_told(path: Path, content: bytes) -> None:
    path.write_bytes(changed(content, WORDS, "<B", 0xFF))
    with pytest.raises(VectorFileError, match=r"model\.bin.*: expected .* in UTF-8, found "):
        read(path)


def test_a_word_that_is_not_utf8_is_replaced_if_asked(path: Path, content: bytes) -> None:
    path.write_bytes(changed(content, WORDS, "<B", 0xFF))
    with pytest.warns(UserWarning, match="words that were not UTF-8: 1"):
        vectors = read(path, undecodable="replace")
    assert vectors.words[0] == "\ufffdog"


def test_without_gensim_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    with pytest.raises(MissingExtra, match=r"reading fastText's \.bin needs gensim; .*entvec\[fasttext\]"):
        read(path)


def test_the_mark_is_the_one_of_fasttext(content: bytes) -> None:
    assert content.startswith(fasttext.MAGIC)
