"""`entvec evidence info`, `top` and `merge`."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.text import Evidence, Example
from entvec.text.extraction.evidence_file import EvidenceFile, table_of


def row(hypo: str, hyper: str, pattern: str, count: int, documents: int, *sentences: str) -> Evidence:
    examples = tuple(Example(sentence, "a.txt", at) for at, sentence in enumerate(sentences))
    return Evidence(hypo, hyper, pattern, count, documents, examples)


ROWS = [
    row("cat", "pet", "is-a", 9, 1, "A cat is a pet of many people.", "A cat is a pet."),
    row("dog", "animal", "is-a", 2, 2, "A dog is an animal."),
    row("dog", "animal", "such-as", 3, 3, "Animals such as dogs bark.", "Such."),
    row("dog", "pet", "such-as", 1, 1),
]


@pytest.fixture
def file(tmp_path: Path) -> str:
    pq.write_table(table_of(ROWS), tmp_path / "evidence.parquet")
    return str(tmp_path / "evidence.parquet")


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["evidence", *arguments], env={"COLUMNS": "120", "TERM": "dumb"})


def test_info_counts_pairs_terms_and_patterns(file: str) -> None:
    facts = json.loads(ask("info", file, "--format", "json").stdout)
    assert facts == {
        "rows": 4,
        "pairs": 3,
        "terms": 4,
        "sentences": 15,
        "pairs_by_sentences": {"1 or more": 3, "2 or more": 2, "3 or more": 2, "10 or more": 0},
        "patterns": {"is-a": {"rows": 2, "sentences": 11}, "such-as": {"rows": 2, "sentences": 4}},
    }
    assert "3 pairs of 4 terms, named 15 times" in ask("info", file).stdout
    assert ask("info", file, "--format", "tsv").stdout.splitlines()[1] == "is-a\t2\t11"


def test_info_adds_files(file: str) -> None:
    facts = json.loads(ask("info", file, file, "--format", "json").stdout)
    assert (facts["rows"], facts["pairs"], facts["sentences"]) == (8, 3, 30)


def test_top_lists_what_most_documents_say_with_the_shortest_example(file: str) -> None:
    found = json.loads(ask("top", file, "-k", "2", "--format", "json").stdout)
    assert [(each["hypo"], each["hyper"], each["sentences"], each["documents"]) for each in found] == [
        ("dog", "animal", 5, 5),
        ("cat", "pet", 9, 1),
    ]
    assert (found[0]["example"], found[0]["patterns"]) == ("Such.", ["is-a", "such-as"])
    assert "A cat is a pet." in ask("top", file).stdout


def test_top_of_a_word(file: str) -> None:
    lines = ask("top", file, "--word", "Pet", "--format", "tsv").stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines[1:]] == [["cat", "pet"], ["dog", "pet"]]
    assert "no such pairs" in ask("top", file, "--word", "blorp").stdout


def test_merged_files_have_the_sums(file: str, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    pq.write_table(table_of([row("cat", "pet", "is-a", 1, 1, "Cats."), row("cow", "animal", "is-a", 1, 1)]), other)
    output = tmp_path / "all.parquet"
    done = ask("merge", file, str(other), "-o", str(output))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "5 rows" in done.stderr
    merged = list(EvidenceFile(output).rows())
    assert [each.key for each in merged] == sorted(each.key for each in merged)
    assert (merged[0].count, merged[0].documents, len(merged[0].examples)) == (10, 2, 3)


def test_a_file_may_take_the_place_of_one_that_is_merged(file: str) -> None:
    assert ask("merge", file, file, "-o", file).exit_code == 0
    assert next(EvidenceFile(file).rows()).count == 18


def test_what_cannot_be_merged_is_refused_and_writes_nothing(file: str, tmp_path: Path) -> None:
    pq.write_table(table_of(ROWS[::-1]), tmp_path / "unsorted.parquet")
    output = tmp_path / "all.parquet"
    for files, target, problem in (
        ([file, str(tmp_path / "unsorted.parquet")], output, "so it is not sorted"),
        ([file], tmp_path / "all.tsv", "expected a name that ends in .parquet"),
        ([file] * 201, output, "merge some of them first"),
        ([str(tmp_path / "none.parquet")], output, "there is no such file of evidence"),
    ):
        done = ask("merge", *files, "-o", str(target))
        assert done.exit_code == 1
        assert problem in str(done.exception) + done.stderr
        assert not target.exists()
