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
from entvec.vectors import read


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
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
    done = run("info")
    assert done.returncode == 0
    for text in ("31,530", "300", "bfloat16", "median 3.2", "Apache-2.0"):
        assert text in done.stdout


def test_info_of_a_file(glove: Path) -> None:
    done = run("info", glove)
    assert done.returncode == 0
    assert done.stderr == ""
    for text in ("GloVe text", "dog animal", "float32"):
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
    assert "[bold] [/nothing]" in run("info", glove).stdout


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
        f"entvec: {glove}: 1 words were not UTF-8; the bytes that are not became U+FFFD",
        f"entvec: {glove}: 1 words occurred again; the last of each was kept",
    ]
    assert list(read(target)) == ["d\ufffdg", "dog"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("v.doc",), 1, "its name does not tell the format; expected a name ending in one of .safetensors"),
        (("v.kv",), 1, "entvec does not write gensim KeyedVectors (pickle)"),
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


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
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
