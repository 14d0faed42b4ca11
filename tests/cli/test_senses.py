"""`entvec senses`."""

import json

from typer.testing import CliRunner, Result

from entvec.cli import app


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["senses", *arguments], env={"COLUMNS": "120", "TERM": "dumb"})


def test_a_table_has_a_row_for_each_sense() -> None:
    told = ask("crane").stdout
    assert [line.split()[0] for line in told.splitlines() if "#" in line] == ["crane#4", "crane#5", "crane#v1"]
    assert "wading bird, aquatic bird" in told
    assert "The women craned" not in told


def test_tsv_and_json_have_everything() -> None:
    header, *rows = [line.split("\t") for line in ask("bank", "crane", "--format", "tsv").stdout.splitlines()]
    assert header == ["word", "sense", "weight", "synonyms", "above", "gloss"]
    assert [row[0] for row in rows] == ["bank"] * 18 + ["crane"] * 3
    [told] = json.loads(ask("crane:bird", "--format", "json").stdout)
    assert told["word"] == "crane:bird"
    assert [sense["sense"] for sense in told["senses"]] == ["crane#5"]
    assert told["senses"][0]["above"][2] == {"name": "bird", "steps": 3}


def test_a_context_decides_which_comes_first() -> None:
    told = ask("bank", "--context", "she took a loan to pay for the house", "--format", "json").stdout
    assert json.loads(told)[0]["senses"][0]["sense"] == "bank#2"


def test_an_infinitive_has_the_senses_of_the_verb() -> None:
    told = json.loads(ask("to hammer", "--format", "json").stdout)
    assert [sense["sense"] for sense in told[0]["senses"]] == ["hammer#v1", "hammer#v2"]


def test_words_without_senses_are_told_and_fail_if_there_are_no_others() -> None:
    told = ask("crane", "blorp", "quickly")
    assert told.exit_code == 0
    assert "skipped 2: 'quickly' is an adjective or adverb" in told.stderr
    assert "nothing is known of 'blorp'" in told.stderr
    for words in (["blorp"], ["bank#99"], ["quickly", "blorp"]):
        refused = ask(*words)
        assert refused.exit_code == 1
        assert refused.stdout == ""
