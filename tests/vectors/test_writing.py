"""A file is written whole or not at all, whatever happens."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from entvec.errors import CannotWrite, InvalidInput, VectorFileError
from entvec.vectors import FORMATS, Vectors, read, write
from entvec.vectors import vectors as vectors_module
from entvec.vectors.formats import FormatName
from entvec.vectors.source import COMPRESSIONS
from entvec.vectors.words import Words
from entvec.vectors.writing import check_format

WRITABLE = [name for name, row in FORMATS.items() if row.write is not None]


def some_vectors(n_words: int = 100) -> Vectors:
    rng = np.random.default_rng(5)
    return Vectors([f"w{i}" for i in range(n_words)], rng.normal(size=(n_words, 20)).astype(np.float32))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", 800)


# The name tells the format


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_the_name_of_the_file_tells_the_format_and_the_compression(name: FormatName, compression: str) -> None:
    for suffix in FORMATS[name].suffixes:
        assert check_format(f"some.vectors{suffix}{compression}") == name


ENDINGS = ".safetensors (native), .npz (npz), .parquet (parquet), .bin (word2vec), .vec (word2vec-text), .txt (glove)"


def test_a_format_that_is_named_comes_before_the_name_of_the_file() -> None:
    assert check_format("vectors.txt", "npz") == "npz"


@pytest.mark.parametrize("name", ["vectors", "vectors.csv", "vectors.gz", "vectors.csv.gz", ".txt", ""])
def test_a_name_that_does_not_tell_the_format_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWrite) as caught:
        write(some_vectors(), tmp_path / name)
    assert str(caught.value) == (
        f"cannot write {tmp_path / name}: its name does not tell the format; expected a name ending in one of {ENDINGS}"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["vectors.kv", "vectors.model", "vectors.kv.gz"])
def test_a_format_that_is_only_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWrite) as caught:
        write(some_vectors(), tmp_path / name)
    assert str(caught.value) == (
        f"cannot write {tmp_path / name}: entvec does not write pickles of gensim's KeyedVectors; "
        f"expected a name ending in one of {ENDINGS}"
    )


def test_a_format_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput,
        match="format is 'csv', expected one of native, npz, parquet, word2vec, word2vec-text, glove",
    ):
        write(some_vectors(), tmp_path / "vectors.csv", format="csv")


def test_a_dtype_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="dtype is 'int8', expected one of float64, float32, float16, bfloat16"):
        write(some_vectors(), tmp_path / "vectors.txt", dtype="int8")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "problem"), [("folder.txt", "it is a folder"), ("nowhere/vectors.txt", "no folder .*nowhere")]
)
def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(CannotWrite, match=problem):
        write(some_vectors(), tmp_path / name)


# The old file stays until the new one is whole


def test_a_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("old 1 2\n")
    write(some_vectors(3), path, progress=lambda done, total: None)
    assert list(read(path)) == ["w0", "w1", "w2"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ZeroDivisionError, SystemExit])
def test_an_interrupted_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, name: FormatName, compression: str, interruption: type[BaseException], small_blocks: None
) -> None:
    path = tmp_path / f"vectors{FORMATS[name].suffixes[0]}{compression}"
    path.write_text("old")

    def interrupt(done: int, total: int) -> None:
        if done >= 50:
            raise interruption

    with pytest.raises(interruption):
        write(some_vectors(), path, progress=interrupt)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", WRITABLE)
def test_a_word_that_the_format_cannot_hold_leaves_the_old_file(
    tmp_path: Path, name: FormatName, small_blocks: None
) -> None:
    path = tmp_path / f"vectors{FORMATS[name].suffixes[0]}"
    path.write_text("old")
    try:
        write(Vectors([*some_vectors(), "a 1"], np.ones((101, 20))), path)
    except CannotWrite:
        assert path.read_text() == "old"
    else:
        assert read(path).words[100] == "a 1"
    assert list(tmp_path.iterdir()) == [path]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond 10,000 bytes: nor the log of the tests, so be brief."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("at_once", [800, 1 << 22])
@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", WRITABLE)
def test_a_full_disk_leaves_the_old_file_and_no_other(
    tmp_path: Path,
    name: FormatName,
    compression: str,
    at_once: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors_module, "ROW_BYTES_AT_ONCE", at_once)
    vectors = some_vectors(1000)
    path = tmp_path / f"vectors{FORMATS[name].suffixes[0]}{compression}"
    path.write_text("old")
    with full_disk(), pytest.raises(CannotWrite) as caught:
        write(vectors, path)
    assert str(caught.value) == f"cannot write {path}: File too large"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


WRITER = """
import sys, time
import numpy as np
from entvec.vectors import Vectors, write
from entvec.vectors import vectors as vectors_module

vectors_module.ROW_BYTES_AT_ONCE = 80

def progress(done, total):
    if done >= 500:
        print("in the middle", flush=True)
        time.sleep(60)

write(Vectors([f"w{i}" for i in range(1000)], np.ones((1000, 20), np.float32)), sys.argv[1], progress=progress)
"""


def interrupted_writer(path: Path, how: signal.Signals) -> subprocess.Popen[str]:
    """A process that got the signal in the middle of writing the file."""
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "in the middle\n"
    process.send_signal(how)
    process.communicate(timeout=30)
    return process


@pytest.mark.parametrize("name", WRITABLE)
def test_killing_the_writer_leaves_the_old_file_and_no_new_one(tmp_path: Path, name: FormatName) -> None:
    old = tmp_path / f"old{FORMATS[name].suffixes[0]}"
    write(some_vectors(), old)
    before = old.read_bytes()
    assert interrupted_writer(old, signal.SIGKILL).returncode == -signal.SIGKILL
    assert old.read_bytes() == before
    # What a killed process had written stays until the next write, under a name that nobody takes for the file.
    (left,) = (path for path in tmp_path.iterdir() if path != old)
    assert left.name.startswith(".old.entvec-")
    write(some_vectors(), old)
    assert list(tmp_path.iterdir()) == [old]


def test_killing_the_writer_of_a_new_file_leaves_none_of_that_name(tmp_path: Path) -> None:
    new = tmp_path / "new.vec.gz"
    interrupted_writer(new, signal.SIGKILL)
    assert not new.exists()


def test_ctrl_c_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    old = tmp_path / "old.npz"
    old.write_text("old")
    assert interrupted_writer(old, signal.SIGINT).returncode == -signal.SIGINT
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_written_file_may_be_read_by_others(tmp_path: Path) -> None:
    write(some_vectors(), tmp_path / "vectors.txt.gz")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "vectors.txt.gz").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe.vec"
    os.mkfifo(path)
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as reader:  # noqa: S603, S607
        write(some_vectors(3), path)
        assert reader.stdout is not None
        assert reader.stdout.read().startswith(b"3 20\n")
    assert path.is_fifo()


@pytest.mark.parametrize("ending", [suffix for row in FORMATS.values() if row.write for suffix in row.suffixes])
def test_vectors_without_numbers_are_refused(tmp_path: Path, ending: str) -> None:
    with pytest.raises(CannotWrite, match="the vectors have no numbers"):
        write(Vectors(["a"], np.empty((1, 0))), tmp_path / f"v{ending}")


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".bin", ".vec", ".txt"])
def test_what_a_mapped_file_hides_is_not_written_to_another_format(tmp_path: Path, ending: str) -> None:
    unsound = Vectors.of_stored(Words.of(["a", "b"]), np.array([[1], [np.nan]], dtype="<f4"), "float32")
    unsound.save(tmp_path / "v.safetensors")
    with pytest.raises(VectorFileError, match=r"v.safetensors: expected finite numbers, found others .* of 'b'"):
        write(Vectors.load(tmp_path / "v.safetensors"), tmp_path / f"v{ending}")
    assert not (tmp_path / f"v{ending}").exists()


def test_a_zip_archive_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match=r"zip archives are only read; expected one of \.gz \.bz2 \.xz \.zst"):
        write(some_vectors(), tmp_path / "vectors.txt.zip", format="glove")


def test_capital_letters_in_the_ending_do_no_harm(tmp_path: Path) -> None:
    write(some_vectors(), tmp_path / "VECTORS.VEC.GZ")
    assert len(read(tmp_path / "VECTORS.VEC.GZ")) == len(some_vectors())
    assert (tmp_path / "VECTORS.VEC.GZ").read_bytes().startswith(b"\x1f\x8b")


def test_arguments_in_the_wrong_order_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="expected vectors and then a path, found dict first"):
        write({"dog": [1, 2]}, tmp_path / "v.vec")  # type: ignore[arg-type]
