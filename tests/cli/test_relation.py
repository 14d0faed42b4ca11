"""`entvec relation`: one pair in words, lines of pairs, and tables of them."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.evidence import RELATIONS
from entvec.evidence.relations import COLUMNS
from entvec.space import default_space

COMMAND = [sys.executable, "-m", "entvec", "relation", "-"]


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["relation", *arguments], env={"COLUMNS": "120", "TERM": "dumb"})


def run(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """As a process, with lines on the standard input."""
    return subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, text=True, check=False)  # noqa: S603


# One pair


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (("poodle", "dog"), "poodle is a kind of dog"),
        (("animal", "dog"), "dog is a kind of animal"),
        (("wheel", "car"), "wheel is a part of car"),
        (("stone", "idea"), "stone and idea are something else to each other, or nothing"),
    ],
)
def test_a_pair_is_answered_with_the_sentence_that_a_person_would_say(pair: tuple[str, str], sentence: str) -> None:
    assert ask(*pair).stdout.splitlines()[0] == sentence


def test_all_probabilities_have_a_bar_and_the_rest_is_said_below() -> None:
    told = ask("wheel", "car").stdout
    rows = [line.split() for line in told.splitlines() if line.split()[:1] and line.split()[0] in RELATIONS]
    assert [row[0] for row in rows] == list(RELATIONS)
    longest = max(rows, key=lambda row: len(row[1]) if len(row) > 2 else 0)
    assert longest[0] == "part"
    assert "situation    both known" in told
    assert "reason       wheel, a part of wheeled vehicle" in told
    assert "assumed      narrower 15%, broader 15%, same 10%, sibling 10%, part 5%, whole 5%, other 40%" in told


def test_siblings_have_something_in_common() -> None:
    told = json.loads(ask("cat", "dog", "--precision", "0.5", "--format", "json").stdout)
    assert (told["relation"], told["shared"]) == ("sibling", "pet")
    assert "shared       pet" in ask("cat", "dog", "--precision", "0.5").stdout


def test_a_pair_for_programs_is_what_the_space_says() -> None:
    told = json.loads(ask("ice cream", "FOOD", "--format", "json", "--base-rate", "narrower=0.4").stdout)
    expected = default_space().relation("ice cream", "FOOD", base_rates={"narrower": 0.4})
    assert told.pop("base_rates")["narrower"] == 0.4
    assert told == pytest.approx(expected.to_dict())
    header, row = ask("wheel", "car", "--format", "tsv").stdout.splitlines()
    assert header.split("\t") == ["first", "second", *COLUMNS]
    assert row.split("\t")[:3] == ["wheel", "car", "part"]


def test_base_rates_and_precision_change_the_answer() -> None:
    def probability(*options: str) -> float:
        return float(json.loads(ask("dog", "animal", "--format", "json", *options).stdout)["narrower"])

    assert probability("--base-rate", "narrower=0.02", "--base-rate", "other=0.9") < probability()
    assert "unknown" in ask("stone", "mineral", "--precision", "1").stdout.splitlines()[0]


def test_adjectives_have_no_hierarchy_and_no_probabilities() -> None:
    told = ask("hot", "cold").stdout
    assert "'hot' is an adjective or adverb, which has no hierarchy" in told
    assert "nan" not in told
    row = json.loads(ask("hot", "cold", "--format", "json").stdout)
    assert (row["relation"], row["probability"], row["narrower"]) == ("unknown", None, None)


def test_your_own_knowledge_is_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "shop.tsv"
    path.write_text("hypo\thyper\nsnorfle\tgarment\n")
    told = ask("snorfle", "garment", "--knowledge", str(path)).stdout
    assert "snorfle is a kind of garment" in told
    assert "shop.tsv" in told


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["bank#99", "dog"], 1, "no sense 'bank#99'"),
        (["dog"], 2, "expected two words, or - for lines of the standard input, got 1: dog"),
        (["dog", " "], 2, "an empty word"),
        (
            ["dog", "animal", "--base-rate", "half"],
            1,
            "base rate 'half', expected RELATION=SHARE, such as narrower=0.5",
        ),
        (["dog", "animal", "--base-rate", "kind=0.5"], 1, "base rate of 'kind', expected one of narrower, broader"),
        (["dog", "animal", "--precision", "0.2"], 2, "--precision"),
        (["dog", "animal", "--header"], 2, "--on-error and --header are for lines"),
        (["dog", "animal", "--knowledge", "none"], 1, "knows nothing besides its vectors, so it cannot tell relations"),
        (["pairs.tsv"], 2, "pairs.tsv is a table; name the file to write: -o related.parquet"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: list[str], code: int, message: str) -> None:
    done = ask(*arguments)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())


# Lines


def test_lines_are_answered_with_lines() -> None:
    done = run(
        "first\tsecond\tn\nhot\tcold\t0\nwheel\tcar\t1\nqqqqqq\tdog\t2\nalone\npoodle\tdog\t3\n",
        "--header",
        "--on-error",
        "skip",
    )
    titles, *lines = (line.split("\t") for line in done.stdout.splitlines())
    assert titles == ["first", "second", "n", *COLUMNS]
    assert lines.pop(0)[:5] == ["hot", "cold", "0", "unknown", ""]  # there is no evidence
    assert [line[:4] for line in lines] == [
        ["wheel", "car", "1", "part"],
        ["qqqqqq", "dog", "2", "unknown"],  # it is no word
        ["poodle", "dog", "3", "narrower"],
    ]
    assert {len(line) for line in lines} == {3 + len(COLUMNS)}
    [skipped] = done.stderr.splitlines()
    assert "its letters do not follow each other as in English" in lines[1][-1]
    assert skipped == "entvec: 1 of 6 lines are not two words, and were left out"


def test_a_bad_line_stops_the_command_after_the_lines_before_it() -> None:
    done = run("wheel\tcar\nalone\n")
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    assert "standard input, line 2: expected two words with a tab between" in done.stderr


# Tables


def test_a_table_gets_the_columns_of_the_relation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text("child,n,parent\npoodle,1,dog\nqqqqqq,2,dog\nwheel,3,car\n")
    options = ["-o", "related.parquet", "--hypo", "child", "--hyper", "parent"]
    done = ask("pairs.csv", *options)
    assert done.exit_code == 0, done.output
    [written] = done.stderr.splitlines()
    assert written.startswith("written: related.parquet (3 pairs, ")
    table = pq.read_table("related.parquet")
    assert table.schema.names == ["child", "n", "parent", *COLUMNS]
    assert table["relation"].to_pylist() == ["narrower", "unknown", "part"]
    assert "nothing to do" in ask("pairs.csv", *options).stderr
    assert "choose another name, or replace it" in ask("pairs.csv", *options, "--precision", "0.9").stderr


def test_a_misspelled_word_is_answered_with_a_hint() -> None:
    assert "did you mean 'guitar'" in ask("guitr", "instrument").stderr
    assert "did you mean" not in ask("guitar", "memory foam pillow").stderr
