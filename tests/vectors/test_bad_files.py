"""Files that cannot be read: each is told with its name, the place, what was expected and what was found."""

import bz2
import gzip
import io
import lzma
import os
import socket
import sys
import tarfile
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from entvec.errors import InvalidInput, VectorFileError, VectorFileNotFound, VectorFileWarning
from entvec.vectors import Vectors, read, write
from entvec.vectors.formats import FORMATS, FormatName
from entvec.vectors.source import COMPRESSIONS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def zipped(content: bytes, *names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("vectors.txt",):
            archive.writestr(name, content)
    return file.getvalue()


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lambda content: lzma.compress(content, preset=0),
    ".zst": zstd.compress,
    ".zip": zipped,
}
DAMAGED = {suffix: f"the {suffix} data is damaged or cut off" for suffix in COMPRESSIONS} | {
    ".zip": "a zip archive that is damaged or cut off"
}
PLAIN_OR_COMPRESSED = pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()], ids=["plain", *COMPRESS])


def floats(*numbers: float) -> bytes:
    return np.array(numbers, dtype="<f4").tobytes()


BINARY = b"2 3\ndog " + floats(0.1, 2, 3) + b"\npiano " + floats(4, 5, 6) + b"\n"


class Bad(NamedTuple):
    """What a file holds and what its error says after its name, from the place on."""

    content: bytes
    problem: str
    options: dict[str, Any] = {}  # noqa: RUF012


BAD = {
    # Not vectors at all
    "empty": Bad(b"", ": the file is empty, expected word vectors"),
    "a web page": Bad(
        b"<!DOCTYPE html>\n<html><body>404</body></html>",
        ": this is a web page or XML; the download may have failed, look at it with a text editor",
    ),
    "a web page after empty lines": Bad(b"\n\n  <html>\n", ": this is a web page or XML; the download may have failed"),
    "JSON": Bad(b'{"dog": [1, 2]}', ": this is JSON; expected a file of word vectors"),
    "a git-lfs pointer": Bad(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n",
        ": this is a pointer to a large file that was not downloaded; run: git lfs pull",
    ),
    "a NumPy array": Bad(
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        ": this is a NumPy array without words; save both with np.savez(file, words=words, vectors=matrix)",
    ),
    "HDF5": Bad(b"\x89HDF\r\n\x1a\n", ": this is an HDF5 file; convert it to a format of word vectors first"),
    "an empty zip archive": Bad(b"PK\x05\x06" + bytes(18), ": this is an empty zip archive"),
    "7z": Bad(b"7z\xbc\xaf\x27\x1c", ": this is a 7z archive; unpack it first"),
    "rar": Bad(b"Rar!\x1a\x07\x01\x00", ": this is a rar archive; unpack it first"),
    "an image": Bad(
        b"\x89PNG\r\n\x1a\n\x00",
        ": expected word vectors in one of the formats native, npz, parquet, gensim, fasttext, word2vec, "
        "word2vec-text, glove, found a file that begins with b'\\x89PNG\\r\\n\\x1a\\n\\x00'",
    ),
    "a list of words": Bad(b"dog\ncat\n", ": expected word vectors in one of the formats"),
    "nothing but newlines": Bad(b"\n\n\n", ": expected word vectors in one of the formats"),
    # Text
    "too few numbers": Bad(b"dog 1 2 3\ncat 1 2\nfly 4 5 6\n", ", line 2: expected a word and 3 numbers, found 2"),
    "too many numbers": Bad(b"dog 1 2 3\ncat 1 2 3 4\nfly 4 5 6\n", ", line 2: expected a word and 3 numbers, found 4"),
    "too few numbers in the first line": Bad(
        b"dog 1 2\ncat 1 2 3\nfly 4 5 6\n", ", line 1: expected a word and 3 numbers, found 2"
    ),
    "no numbers": Bad(b"dog 1 2 3\ncat\nfly 4 5 6\n", ", line 2: expected a word and 3 numbers, found 0"),
    "fewer numbers than the header says": Bad(
        b"2 3\ndog 1 2\ncat 1 2 3\n", ", line 2: expected a word and 3 numbers, found 2"
    ),
    "more numbers than the header says": Bad(
        b"2 3\ndog 1 2 3\ncat 1 2 3 4\n", ", line 3: expected a word and 3 numbers, found 4"
    ),
    "an empty line inside": Bad(
        b"dog 1 2\n\ncat 3 4\n", ", line 2: expected a word and 2 numbers, found an empty line"
    ),
    "no number": Bad(b"dog 1 2\ncat 1 x\n", ", line 2: expected a number in field 3, found 'x'"),
    "NaN in text": Bad(b"dog 1 2\ncat 1 NaN\n", ", line 2: expected finite numbers, found nan as number 2"),
    "infinity in text": Bad(b"2 2\ndog 1 2\ncat -inf 3\n", ", line 3: expected finite numbers, found -inf as number 1"),
    "NaN after a word with a space": Bad(
        b"dog 1 2\nice cream nan 3\n", ", line 2: expected finite numbers, found nan as number 1"
    ),
    "fewer words than the header says": Bad(
        b"5 2\ndog 1 2\ncat 3 4\n", ", line 4: expected 5 words, as the first line promises, found the end of the file"
    ),
    "more words than the header says": Bad(
        b"1 2\ndog 1 2\ncat 3 4\n", ", line 3: expected 1 words, as the first line promises, found more"
    ),
    "a header of no dimensions": Bad(b"2 0\ndog\ncat\n", ", line 1: expected vectors of 1 to 100,000 numbers, found 0"),
    "a header of too many dimensions": Bad(
        b"2 1000000000000\ndog 1\n", ", line 1: expected vectors of 1 to 100,000 numbers, found 1,000,000,000,000"
    ),
    "a word twice in text": Bad(
        b"dog 1 2\ncat 3 4\ndog 5 6\n",
        ", line 3: expected each word once, found 'dog' again (first at line 1); "
        "duplicates='first' or 'last' keeps one of them",
    ),
    "not UTF-8": Bad(
        b"dog 1 2\ncaf\xe9 3 4\n",
        ", line 2: expected a word in UTF-8, found b'caf\\xe9' (unexpected end of data); "
        "undecodable='replace' puts U+FFFD for such bytes",
    ),
    "not UTF-8 after a space": Bad(b"dog 1 2\nle caf\xe9 3 4\n", ", line 2: expected a word in UTF-8, found b'le caf"),
    # word2vec
    "binary NaN": Bad(
        b"2 3\ndog " + floats(1, 2, 3) + b"piano " + floats(4, float("nan"), 6),
        ", byte 20: expected finite numbers, found nan as number 2",
    ),
    "binary infinity": Bad(
        b"1 3\ndog " + floats(1, 2, float("-inf")), ", byte 4: expected finite numbers, found -inf as number 3"
    ),
    "a word twice in binary": Bad(
        b"2 3\ndog " + floats(0.1, 2, 3) + b"dog " + floats(4, 5, 6),
        ", byte 20: expected each word once, found 'dog' again (first at byte 4)",
    ),
    "binary not UTF-8": Bad(
        b"2 3\ndog " + floats(0.1, 2, 3) + b"caf\xe9 " + floats(4, 5, 6),
        ", byte 20: expected a word in UTF-8, found b'caf\\xe9'",
    ),
    "binary of no dimensions": Bad(b"2 0\na b ", ", line 1: expected vectors of 1 to 100,000 numbers, found 0"),
    "a short header": Bad(
        b"2", ", line 1: expected two numbers, of words and of dimensions, found '2'", {"format": "word2vec"}
    ),
    "nothing after the header": Bad(
        BINARY[:4],
        ", byte 4: the header promises 2 words of 3 numbers, at least 26 bytes more; found 0: the file is cut off",
        {"format": "word2vec"},
    ),
    "cut off in the first word": Bad(
        BINARY[:6],
        ", byte 4: the header promises 2 words of 3 numbers, at least 26 bytes more; found 2: the file is cut off",
        {"format": "word2vec"},
    ),
    "cut off in the first vector": Bad(
        BINARY[:15],
        ", byte 4: the header promises 2 words of 3 numbers, at least 26 bytes more; found 11: the file is cut off",
        {"format": "word2vec"},
    ),
    "cut off in the second vector": Bad(
        BINARY[:34], ", byte 20: expected 1 more words of 3 numbers, found the end of the file"
    ),
    "cut off at its last number": Bad(
        BINARY[:-2], ", byte 20: expected 1 more words of 3 numbers, found the end of the file"
    ),
    "bytes after the end": Bad(
        BINARY + b"more", f", byte {len(BINARY) - 1}: expected the end of the file after 2 words, found more bytes"
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(BAD[name].content)
    with pytest.raises(VectorFileError) as caught:
        read(path, **BAD[name].options)
    assert str(caught.value)[: len(f"{path}{BAD[name].problem}")] == f"{path}{BAD[name].problem}"
    assert caught.value.path == path


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", [name for name in BAD if "line" in BAD[name].problem.partition(":")[0]])
def test_a_bad_file_is_told_the_same_when_it_is_compressed(tmp_path: Path, name: str, suffix: str) -> None:
    path = tmp_path / f"vectors{suffix}"
    path.write_bytes(COMPRESS[suffix](BAD[name].content))
    with pytest.raises(VectorFileError) as caught:
        read(path, **BAD[name].options)
    assert str(caught.value).startswith(f"{path}{BAD[name].problem}")


@pytest.mark.parametrize("keep", range(9, len(BINARY) - 1))
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_wherever_a_binary_file_is_cut_off_it_is_told(
    tmp_path: Path, keep: int, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "vectors.bin").write_bytes(compress(BINARY[:keep]))
    with pytest.raises(VectorFileError, match=r"vectors\.bin, byte \d+: .*(is cut off|found the end of the file)$"):
        read(tmp_path / "vectors.bin", format="word2vec")


# Headers that promise more than there is


@PLAIN_OR_COMPRESSED
@pytest.mark.parametrize(
    "content",
    [
        b"1000000000000 300\n" + b"".join(b"w%d" % i + b" 0.5" * 300 + b"\n" for i in range(20)),
        b"1000000000000 300\n" + b"".join(b"w%d " % i + floats(*[0.1] * 300) for i in range(20)),
        b"1000000000000 100000\n" + b"w " + floats(*[0.1] * 100_000),
        b"999999999999999999 1\n" + b"".join(b"w%d " % i + floats(1) for i in range(20)),
    ],
    ids=["text", "binary", "wide binary", "most words"],
)
def test_memory_is_not_reserved_for_what_a_header_promises(
    tmp_path: Path, content: bytes, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(compress(content))
    tracemalloc.start()
    try:
        with pytest.raises(VectorFileError, match=r"expected [\d,]+ (more )?words|the header promises [\d,]+ words"):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000 + 2 * len(content)


# Words that occur twice


@pytest.mark.parametrize("name", ["word2vec", "word2vec-text", "glove", "npz", "parquet"])
def test_words_that_occur_twice_are_an_error_or_left_out_with_a_warning(tmp_path: Path, name: FormatName) -> None:
    words, matrix = ["a", "b", "a", "c", "b", "a"], np.arange(12, dtype=np.float32).reshape(6, 2)
    unchecked = Vectors([f"w{i}" for i in range(6)], matrix, counts=range(6), ranks=range(5, -1, -1))
    unchecked.words = type(unchecked.words).of(words)
    path = tmp_path / "vectors"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Vectors, "check", lambda _: None)
        write(unchecked, path, format=name)
    with pytest.raises(VectorFileError, match=r"found 'a' again \(first at .*\); duplicates='first' or 'last'"):
        read(path)
    with pytest.warns(VectorFileWarning, match=r"vectors: words that occurred again: 3; the first of each was kept"):
        first = read(path, duplicates="first")
    assert list(first) == ["a", "b", "c"]
    np.testing.assert_array_equal(first.matrix, matrix[[0, 1, 3]])
    with pytest.warns(VectorFileWarning, match=r"vectors: words that occurred again: 3; the last of each was kept"):
        last = read(path, duplicates="last")
    assert list(last) == ["c", "b", "a"]
    np.testing.assert_array_equal(last.matrix, matrix[[3, 4, 5]])
    if name in ("npz", "parquet"):
        assert first.counts is not None
        np.testing.assert_array_equal(first.counts, [0, 1, 3])
        np.testing.assert_array_equal(last.ranks, [2, 1, 0])
    assert list(read(path, limit=2)) == ["a", "b"]


def test_a_warning_points_to_the_caller(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"a 1 2\na 3 4\n")
    with pytest.warns(VectorFileWarning) as caught:
        read(tmp_path / "vectors", duplicates="first")
    assert caught[0].filename == __file__


def test_words_that_become_the_same_when_their_bytes_are_replaced_occur_twice(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"\xff 1 2\n\xfe 3 4\n")
    with (
        pytest.raises(VectorFileError, match="line 2: expected each word once, found '\ufffd' again"),
        pytest.warns(VectorFileWarning),
    ):
        read(tmp_path / "vectors", undecodable="replace")


# Words that are not UTF-8


@pytest.mark.parametrize("name", ["glove", "word2vec-text", "word2vec", "npz"])
def test_bytes_that_are_not_utf8_are_replaced_and_counted_if_asked(tmp_path: Path, name: FormatName) -> None:
    words = [b"dog", b"caf\xe9", b"\xff\xfe", b"na\xc3\xafve", b"cut\xe7\x8a"]
    path = tmp_path / "vectors"
    if name == "npz":
        np.savez(path.with_suffix(".npz"), words=np.array(words), vectors=np.ones((5, 2)))
        path.with_suffix(".npz").rename(path)
    else:
        header = b"" if name == "glove" else b"5 2\n"
        numbers = floats(1, 1) if name == "word2vec" else b"1 1\n"
        path.write_bytes(header + b"".join(word + b" " + numbers for word in words))
    with pytest.raises(VectorFileError, match=r"expected a word in UTF-8, found b'caf\\xe9'"):
        read(path)
    with pytest.warns(
        VectorFileWarning, match=r"vectors: words that were not UTF-8: 3; the bytes that are not became U\+FFFD"
    ):
        vectors = read(path, undecodable="replace")
    assert list(vectors) == ["dog", "caf\ufffd", "\ufffd\ufffd", "na\u00efve", "cut\ufffd"]


# Files that cannot be opened


def test_a_missing_file_is_told_and_is_a_file_not_found_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read(tmp_path / "nothing.txt")
    assert isinstance(caught.value, VectorFileNotFound)
    assert isinstance(caught.value, VectorFileError)
    assert str(caught.value) == f"{tmp_path}/nothing.txt: there is no such file"


def test_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError) as caught:
        read(tmp_path)
    assert str(caught.value) == f"{tmp_path}: it is a folder, expected a file of vectors"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("file/inside", "it cannot be opened: Not a directory"),
        ("x" * 300, "it cannot be opened: File name too long"),
        ("a\0b", r"it cannot be opened: (stat: )?embedded null (byte|character)"),
        ("loop", "it cannot be opened: Too many levels of symbolic links"),
    ],
)
def test_a_name_that_cannot_be_opened_is_told(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").write_bytes(b"dog 1 2\n")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(VectorFileError, match=problem):
        read(tmp_path / name)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, who may read anything."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    for path in (tmp_path / "secret", hidden / "file"):
        path.write_bytes(b"dog 1 2\n")
    (tmp_path / "secret").chmod(0)
    folders = (tmp_path, tmp_path.parent, tmp_path.parent.parent)  # pytest keeps them for their owner
    modes = {folder: folder.stat().st_mode for folder in (hidden, *folders)}
    hidden.chmod(0)
    for folder in folders:
        folder.chmod(0o755)
    try:
        with as_nobody():
            for path in (tmp_path / "secret", hidden / "file"):
                with pytest.raises(VectorFileError, match=rf"{path}: it cannot be opened: Permission denied"):
                    read(path)
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file of Linux")
def test_a_file_that_fails_while_it_is_read_is_told() -> None:
    with pytest.raises(VectorFileError, match=r"^/proc/self/mem: unreadable \(.*Input/output error"):
        read("/proc/self/mem")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"format": "csv"}, "format is 'csv', expected one of None, native, npz, parquet, gensim, fasttext, word2vec"),
        ({"duplicates": "keep"}, "duplicates is 'keep', expected one of error, first, last"),
        ({"undecodable": "ignore"}, "undecodable is 'ignore', expected one of error, replace"),
        ({"dtype": "int8"}, "dtype is 'int8', expected one of float64, float32, float16, bfloat16"),
        ({"limit": -1}, "limit is -1, expected a whole number, 0 or more"),
    ],
)
def test_options_that_mean_nothing_are_told_before_the_file_is_opened(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read("nowhere.txt", **options)


# Compressed files


def test_every_compression_is_tried() -> None:
    assert set(COMPRESS) == {*COMPRESSIONS, ".zip"}


def some_text(n_words: int = 2000) -> bytes:
    rng = np.random.default_rng(1)
    return b"".join(b"w%d %.6f %.6f\n" % (i, *rng.normal(size=2)) for i in range(n_words))


@pytest.mark.parametrize("fraction", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_data_that_is_cut_off_is_told(tmp_path: Path, suffix: str, fraction: float) -> None:
    path, content = tmp_path / f"vectors{suffix}", COMPRESS[suffix](some_text())
    path.write_bytes(content[: int(len(content) * fraction)])
    with pytest.raises(VectorFileError) as caught:
        read(path)
    assert f": {DAMAGED[suffix]} (" in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_data_cut_off_near_its_beginning_is_told(tmp_path: Path, suffix: str) -> None:
    content = COMPRESS[suffix](some_text())
    for keep in (6, 7, 8, 9, 12, 20):
        (tmp_path / "vectors").write_bytes(content[:keep])
        with pytest.raises(VectorFileError, match=rf"vectors.*: {DAMAGED[suffix]} \("):
            read(tmp_path / "vectors")


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_data_of_which_bytes_were_changed_is_told(tmp_path: Path, suffix: str) -> None:
    path, content = tmp_path / f"vectors{suffix}", bytearray(COMPRESS[suffix](some_text()))
    middle = len(content) // 2
    content[middle : middle + 50] = bytes(50)
    path.write_bytes(content)
    with pytest.raises(VectorFileError) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_in_a_compressed_file_of_ours_no_changed_byte_goes_unnoticed(tmp_path: Path, suffix: str) -> None:
    vectors = Vectors([f"w{i}" for i in range(50)], np.random.default_rng(2).normal(size=(50, 4)).astype(np.float32))
    path = tmp_path / f"vectors.bin{suffix}"
    write(vectors, path)
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        changed = bytearray(content)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        try:
            again = read(path)
        except VectorFileError:
            continue
        assert list(again) == list(vectors), at
        assert again.stored.tobytes() == vectors.stored.tobytes(), at


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_nothing_is_an_empty_file(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "vectors").write_bytes(COMPRESS[suffix](b""))
    with pytest.raises(VectorFileError, match="vectors: the file is empty, expected word vectors"):
        read(tmp_path / "vectors")


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_file_that_would_explode_is_not_read_to_its_end(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb{suffix}"
    vectors = b"".join(b"w%d " % i + bytes(400_000) for i in range(100))
    path.write_bytes(COMPRESS[suffix](b"100 100000\n" + vectors))
    tracemalloc.start()
    try:
        with pytest.raises(
            VectorFileError,
            match=r"its [\d,]+ bytes would become [\d,]+ or more; "
            "vectors and texts never compress more than 200 times; "
            "if you trust the file, decompress it and read the result",
        ):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The matrix has room for all the words that seem to come, but untouched room is no memory.
    assert peak < 3 * len(vectors)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="a system whose pipes have no paths")
@pytest.mark.parametrize("suffix", sorted(set(COMPRESS) - {".zip"}))
def test_a_pipe_is_no_way_around_the_guard(suffix: str) -> None:
    bomb = COMPRESS[suffix](b"100 100000\n" + b"".join(b"w%d " % i + bytes(400_000) for i in range(100)))
    reading, writing = os.pipe()

    def fill() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as file:
            file.write(bomb)

    writer = threading.Thread(target=fill)
    writer.start()
    try:
        with pytest.raises(VectorFileError, match="vectors and texts never compress more than 200 times"):
            read(f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        writer.join()


@pytest.mark.parametrize("name", ["native", "npz", "fasttext", "gensim", "parquet"])
def test_no_format_is_a_way_around_the_guard(tmp_path: Path, name: FormatName) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\x08" + bytes(7) + b"{}      " + bytes(40_000_000), 1))
    with pytest.raises(VectorFileError, match=r"bytes would become|a safetensors file, but not one"):
        read(tmp_path / "bomb.gz", format=name, trust_pickle=True)


def test_a_zip_archive_of_one_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "vectors.zip").write_bytes(zipped(some_text(50), "folder/", "folder/vectors.txt"))
    assert len(read(tmp_path / "vectors.zip")) == 50
    assert len(read(tmp_path / "vectors.zip", limit=7)) == 7


def test_a_zip_archive_of_several_files_is_told_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    path.write_bytes(zipped(some_text(5), "glove.50d.txt", "glove.100d.txt"))
    with pytest.raises(VectorFileError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: a zip archive with 2 files (glove.50d.txt, glove.100d.txt); unpack the one you want and read that"
    )


def test_a_zip_archive_without_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.zip").write_bytes(zipped(b"", "folder/"))
    with pytest.raises(VectorFileError, match=r"folder\.zip: a zip archive with 0 files \(nothing\)"):
        read(tmp_path / "folder.zip")


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.npy"])
def test_an_encrypted_zip_archive_is_told(tmp_path: Path, name: str) -> None:
    content = bytearray(zipped(some_text(5), name))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + at] |= 1
    (tmp_path / "secret.zip").write_bytes(content)
    with pytest.raises(VectorFileError, match=r"secret\.zip.*: .*encrypted"):
        read(tmp_path / "secret.zip")


def test_an_unknown_way_to_compress_in_a_zip_archive_is_told(tmp_path: Path) -> None:
    content = bytearray(zipped(some_text(5)))
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + at] = 99
    (tmp_path / "odd.zip").write_bytes(content)
    with pytest.raises(VectorFileError, match=r"odd\.zip.*: .*compression"):
        read(tmp_path / "odd.zip")


@pytest.mark.parametrize("word", ["BZh", "BZhang", "Rar!"])
def test_a_first_word_that_begins_like_another_kind_of_file_is_a_word(tmp_path: Path, word: str) -> None:
    (tmp_path / "vectors.txt").write_bytes(f"{word} 1 2\ndog 3 4\n".encode())
    assert list(read(tmp_path / "vectors.txt")) == [word, "dog"]


# Pipes


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have names")
@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", ["native", "npz", "parquet", "word2vec", "word2vec-text", "glove"])
def test_a_pipe_is_read_like_a_file(tmp_path: Path, name: FormatName, compression: str) -> None:
    vectors = Vectors(
        [f"w{i}" for i in range(3000)], np.random.default_rng(4).normal(size=(3000, 8)).astype(np.float32)
    )
    file, pipe = tmp_path / f"vectors{compression}", tmp_path / "pipe"
    write(vectors, file, format=name)
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(file.read_bytes()))
    writer.start()
    told: list[tuple[int, int]] = []
    again = read(pipe, progress=lambda done, total: told.append((done, total)))
    writer.join()
    assert list(again) == list(vectors)
    assert again.stored.tobytes() == vectors.stored.tobytes()
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have names")
@pytest.mark.parametrize("wait", [0.001, 30.0], ids=["later", "soon"])
def test_a_program_that_writes_to_a_pipe_may_take_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: float
) -> None:
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", wait)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    opened = threading.Event()

    def write_slowly() -> None:
        with pipe.open("wb", buffering=0) as file:
            opened.set()
            for byte in b"dog 1 2\ncat 3 4\n":
                time.sleep(0.01)
                file.write(bytes([byte]))

    writer = threading.Thread(target=write_slowly)
    with closing(os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))):  # so that the other end can be opened
        writer.start()
        opened.wait()
        vectors = read(pipe)
    writer.join()
    assert list(vectors) == ["dog", "cat"]
    np.testing.assert_array_equal(vectors.matrix, [[1, 2], [3, 4]])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have names")
@pytest.mark.parametrize("name", [None, *FORMATS])
def test_a_pipe_that_nobody_writes_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: FormatName | None
) -> None:
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(VectorFileError, match=r"pipe: it is a pipe that nobody writes to; start the program that does"):
        read(pipe, format=name)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="a system whose pipes have no paths")
@pytest.mark.parametrize(("content", "words"), [(b"dog 1 2\ncat 3 4\n", ["dog", "cat"]), (b"", [])])
def test_a_pipe_of_the_shell_is_read_also_after_its_program_has_ended(content: bytes, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    try:
        if words:
            assert list(read(f"/dev/fd/{reading}")) == words
        else:
            with pytest.raises(VectorFileError, match="the file is empty"):
                read(f"/dev/fd/{reading}")
    finally:
        os.close(reading)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/full", "/dev/urandom"])
@pytest.mark.parametrize("name", [None, *FORMATS])
def test_a_device_is_told(path: str, name: FormatName | None) -> None:
    if not Path(path).is_char_device():
        pytest.skip("a system without this device")
    with pytest.raises(VectorFileError, match=f"{path}: it is a device, expected a file of vectors"):
        read(path, format=name)


def test_a_socket_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with closing(socket.socket(socket.AF_UNIX)) as end:
        end.bind("socket")
        with pytest.raises(VectorFileError, match="socket: it is a socket, expected a file of vectors"):
            read("socket")


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(VectorFileError, match=r"a: it cannot be opened: .*symbolic links"):
        read(tmp_path / "a")


@pytest.mark.parametrize("path", ["/proc/self/maps", "/proc/self/mem", "/proc/self/environ", "/proc/version"])
def test_a_file_without_a_size_is_told_or_read(path: str) -> None:
    if not Path(path).exists():
        pytest.skip("a system without /proc")
    with pytest.raises(VectorFileError, match=path):
        read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes that have names")
@pytest.mark.parametrize("content", [b"", b"<html>", b"2 3\ndog 1 2 3\n", gzip.compress(some_text(), mtime=0)[:-100]])
def test_a_bad_pipe_is_told(tmp_path: Path, content: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(content))
    writer.start()
    with pytest.raises(VectorFileError, match="pipe"):
        read(pipe)
    writer.join()


@pytest.mark.parametrize("content", [b"dog 1 2\ncat 3 4\n", b"2 2\ndog 1 2\ncat 3 4\n"])
def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbf" + content)
    assert list(read(path)) == ["dog", "cat"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"dog,0.1,0.2\ncat,0.3,0.4\n", "commas between its numbers; expected spaces or tabs"),
        ("dog 0.1 0.2\n".encode("utf-16"), "text in UTF-16; save it as UTF-8"),
        (b"dog 1 2\nc\0t 1 2\n", "line 2: expected text, found a byte that is zero"),
    ],
)
def test_text_of_another_kind_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "v.txt").write_bytes(content)
    with pytest.raises(VectorFileError, match=message):
        read(tmp_path / "v.txt")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_tar_archive_is_named(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "pets.txt").write_text("dog 1 2\ncat 3 4\n")
    with tarfile.open(tmp_path / f"pets.tar{suffix}", "w:gz" if suffix else "w") as archive:
        archive.add(tmp_path / "pets.txt", "pets.txt")
    with pytest.raises(VectorFileError, match="this is a tar archive; unpack it"):
        read(tmp_path / f"pets.tar{suffix}")
