"""`entvec evaluate`, run as a person runs it: as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", "evaluate", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "110", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    path = tmp_path / "pets.tsv"
    entailments = [("dog", "animal"), ("cat", "animal"), ("poodle", "dog"), ("piano", "instrument")]
    lines = [f"{a}\t{b}\t1\n{b}\t{a}\t0\n" for a, b in entailments]
    path.write_text("word1\tword2\tlabel\n" + "".join(lines) + "qqqqq\tdog\t0\n")
    return path


def test_a_file_is_measured_with_the_rows_of_the_paper(pets: Path) -> None:
    done = run(pets)
    assert done.returncode == 0
    assert "pets: 8 pairs, 1 left out for want of a vector" in done.stdout
    for text in ("50% Acc", "Dir Acc", "unk_dup", "weighted_cosine", "second word only", "frequency only"):
        assert text in done.stdout


def test_one_row_for_programs(pets: Path) -> None:
    done = run(pets, "--interpretation", "unk_dup", "--operator", "backward", "--format", "json")
    told = json.loads(done.stdout)
    assert (told["benchmark"], told["pairs"], told["skipped"]) == ("pets", 8, 1)
    assert [row["operator"] for row in told["rows"]] == ["backward", "second word only", "frequency only"]
    for row in told["rows"]:
        assert 0 <= row["accuracy_at_half"] <= 1
    assert told["rows"][0]["supervision"] == "none"


def test_a_row_that_the_paper_has_not(pets: Path) -> None:
    done = run(pets, "--interpretation", "dup", "--operator", "forward", "--format", "tsv")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0][:2] == ["operator", "interpretation"]
    assert lines[1][:2] == ["forward", "dup"]


def test_other_vectors_and_some_more(pets: Path, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("dog 1 2\nanimal 1 -2\n")
    (tmp_path / "more.txt").write_text("cat 1 3\n")
    done = run(pets, "--vectors", tmp_path / "some.txt", "--extra-vectors", tmp_path / "more.txt", "--format", "json")
    assert json.loads(done.stdout)["pairs"] == 4


def test_weeds_bless_by_its_name(shared_data: Path) -> None:
    done = run("weeds-bless", "--operator", "backward", "--interpretation", "unk_dup", ENTVEC_DATA=str(shared_data))
    assert "weeds-bless: 1,219 pairs, 449 left out" in done.stdout
    assert "72.0" in done.stdout
    assert "79.4" in done.stdout


def test_a_benchmark_that_is_neither_a_name_nor_a_file_is_one_line(tmp_path: Path) -> None:
    done = run(tmp_path / "none.tsv")
    assert (done.returncode, done.stderr) == (
        1,
        f"entvec: {tmp_path / 'none.tsv'}: it cannot be read: No such file or directory\n",
    )


def test_a_benchmark_of_unknown_words_says_so(tmp_path: Path) -> None:
    (tmp_path / "odd.tsv").write_text("qqqqq\tzzzzz\t1\n")
    done = run(tmp_path / "odd.tsv")
    assert done.returncode == 2
    assert "no entailment of odd has vectors" in done.stderr.replace("\n", " ")


def test_help_has_examples() -> None:
    assert "entvec evaluate weeds-bless" in run("--help").stdout.split("Examples:")[1]
