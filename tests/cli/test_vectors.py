"""`entvec info` and `entvec convert`, run as a person runs them: as processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.vectors import Vectors, read, write


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text("dog 1.5 -2\nanimal 0.25 1\n")
    return path


@pytest.mark.parametrize("command", ["info", "convert"])
def test_help_has_examples(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"entvec {command}" in done.stdout.split("Examples:")[1]


def test_info_of_the_bundled_vectors() -> None:
    done = run("info", "google-news")
    assert done.returncode == 0
    for text in ("31,530", "300", "bfloat16", "median 3.2", "Apache-2.0"):
        assert text in done.stdout


def test_info_of_a_file(glove: Path) -> None:
    done = run("info", glove)
    assert done.returncode == 0
    assert done.stderr == ""
    for text in ("GloVe text", "dog  animal", "float32", "sound"):
        assert text in done.stdout


def test_info_for_programs(glove: Path) -> None:
    told = json.loads(run("info", glove, "--format", "json").stdout)
    assert (told["format"], told["words"], told["dimension"], told["first"]) == ("glove", 2, 2, ["dog", "animal"])
    assert told["length"]["longest"] == pytest.approx(2.5)


def test_info_of_a_broken_file_is_one_line_with_the_place(glove: Path) -> None:
    glove.write_text("dog 1.5 -2\nanimal 0.25 1\ncat 1\n")
    done = run("info", glove)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"entvec: {glove}, line 3: expected a word and 2 numbers, found 1\n"


def test_a_word_that_looks_like_markup_is_shown_as_it_is(glove: Path) -> None:
    glove.write_text("[bold] 1\n[/nothing] 2\n")
    assert "[bold]  [/nothing]" in run("info", glove).stdout


@pytest.mark.parametrize("name", ["v.safetensors", "v.npz", "v.parquet", "v.bin", "v.vec", "v.txt", "v.vec.gz"])
def test_convert_to_every_format(glove: Path, name: str) -> None:
    target = glove.parent / "converted" / name
    target.parent.mkdir()
    done = run("convert", glove, target)
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr == f"written: {target} (2 words x 2, {target.stat().st_size:,} bytes)\n"
    np.testing.assert_array_equal(read(target)["dog"], [1.5, -2])


def test_convert_the_bundled_vectors(tmp_path: Path) -> None:
    assert run("convert", "google-news", tmp_path / "v.bin", "--limit", "100").returncode == 0
    np.testing.assert_array_equal(read(tmp_path / "v.bin").matrix, google_news().matrix[:100])


def test_convert_with_another_kind_of_number(glove: Path) -> None:
    target = glove.with_suffix(".safetensors")
    assert run("convert", glove, target, "--dtype", "bfloat16").returncode == 0
    assert read(target).dtype == "bfloat16"


def test_what_is_done_about_broken_words_is_told(glove: Path) -> None:
    glove.write_bytes(b"dog 1 2\nd\xf6g 1 2\ndog 3 4\n")
    target = glove.with_suffix(".bin")
    assert "line 2: expected a word in UTF-8" in run("convert", glove, target).stderr
    assert "line 3: expected each word once" in run("convert", glove, target, "--undecodable", "replace").stderr
    assert not target.exists()
    done = run("convert", glove, target, "--undecodable", "replace", "--duplicates", "last")
    assert done.returncode == 0
    assert done.stderr.splitlines()[:2] == [
        f"entvec: {glove}: words that were not UTF-8: 1; the bytes that are not became U+FFFD",
        f"entvec: {glove}: words that occurred again: 1; the last of each was kept",
    ]
    assert list(read(target)) == ["d\ufffdg", "dog"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("v.doc",), 1, "its name does not tell the format; expected a name ending in one of .safetensors"),
        (("v.kv",), 1, "entvec does not write pickles of gensim's KeyedVectors"),
        (("nowhere/v.bin",), 1, "there is no folder"),
        (("v.bin", "--to", "doc"), 2, "is not one of"),
        (("v.bin", "--limit", "-1"), 2, "--limit"),
        (("v.safetensors", "--dtype", "int8"), 2, "is not one of"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    target, *options = arguments
    done = run("convert", tmp_path / "is-not-there.txt", tmp_path / target, *options)
    assert done.returncode == code
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = run("info", tmp_path / "v.txt")
    assert (done.returncode, done.stderr) == (1, f"entvec: {tmp_path / 'v.txt'}: there is no such file\n")


# Tests that run in the background ignore the interrupt, and so would what they start.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from entvec.cli import main
main()
"""


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_conversion_that_is_stopped_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, stop: signal.Signals, code: int
) -> None:
    target = tmp_path / "v.txt.xz"  # slow enough to be stopped in the middle
    target.write_text("old")
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", INTERRUPTIBLE, "convert", "google-news", str(target)], stderr=subprocess.PIPE, text=True
    )
    while len(list(tmp_path.iterdir())) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(stop)
    _, stderr = process.communicate()
    assert process.returncode == code
    assert "Traceback" not in stderr
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_info_reads_a_pipe_once(glove: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "entvec", "info", "/dev/stdin", "--format", "json"],
        input=glove.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["words"] == json.loads(run("info", glove, "--format", "json").stdout)["words"] > 0


def test_info_tells_metadata_as_they_are_and_beside_its_own(tmp_path: Path) -> None:
    metadata = {"format": "pt", "[/b]": "\x1b[31mred"}
    Vectors(["a"], [[1.0]], metadata=metadata).save(tmp_path / "v.safetensors")
    told = run("info", tmp_path / "v.safetensors").stdout
    assert "native: entvec's own" in told
    assert "[/b]" in told
    assert "\x1b" not in told


def test_vectors_go_through_pipes(glove: Path) -> None:
    command = f"'{sys.executable}' -m entvec"
    done = subprocess.run(  # noqa: S602
        f"cat '{glove}' | {command} convert - - --to word2vec-text | {command} info -",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "word2vec text" in done.stdout
    assert "dog  animal" in done.stdout


def test_what_a_terminal_would_obey_is_not_printed(glove: Path) -> None:
    glove.write_bytes(b"\x1b[31mred 1 2\n")
    assert "\x1b" not in run("info", glove).stdout


def test_metadata_that_are_left_behind_are_told(tmp_path: Path) -> None:
    done = run("convert", "google-news", tmp_path / "v.bin", "--limit", "2")
    assert "left behind, because word2vec binary has no place for them: title, source, licence" in done.stderr


def test_a_missing_library_is_told_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyarrow").mkdir()
    (tmp_path / "pyarrow" / "__init__.py").write_text("raise ImportError")
    done = run("convert", tmp_path / "is-not-there.txt", tmp_path / "v.parquet", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "pip install pyarrow" in done.stderr


@pytest.mark.parametrize("size", [1e300, 1e38, 1e20, 1e-25, 1e-40, 0.0])
def test_lengths_of_extreme_vectors_are_right(tmp_path: Path, size: float) -> None:
    dtype = np.float64 if size > 1e38 else np.float32
    matrix = (np.array([[3, 4], [0, 0]]) * (size / 5)).astype(dtype)
    write(Vectors(["dog", "cat"], matrix), tmp_path / "v.npz")
    done = run("--debug", "info", tmp_path / "v.npz", "--format", "json")  # --debug shows warnings of NumPy
    assert done.stderr == ""
    length = json.loads(done.stdout)["length"]
    assert length["longest"] == pytest.approx(size, rel=1e-5)
    assert length["shortest"] == 0
