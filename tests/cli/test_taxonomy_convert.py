"""`entvec taxonomy convert`; what has to do with pipes is run as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.graphs import read


def run(*arguments: str | Path, piped: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", "taxonomy", "convert", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=piped,
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


def convert(*arguments: str | Path) -> Result:
    return CliRunner().invoke(
        app, ["taxonomy", "convert", *map(str, arguments)], env={"COLUMNS": "100", "TERM": "dumb"}
    )


@pytest.fixture
def dogs(tmp_path: Path) -> Path:
    path = tmp_path / "dogs.tsv"
    path.write_text(
        "hypo\thyper\tprobability\trelation\npoodle\tdog\t0.9\t\ndog\tanimal\t\t\ncat\tdog\t\tnot_entails\n"
    )
    return path


def test_help_has_examples() -> None:
    done = convert("--help")
    assert done.exit_code == 0
    assert "entvec taxonomy convert wine.ttl wine.obo" in done.stdout


@pytest.mark.parametrize("ending", ["ttl", "obo", "graphml", "json", "csv", "outline", "tsv.gz"])
def test_a_file_becomes_another(dogs: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"new.{ending}"
    done = convert(dogs, target)
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"written: {target} (4 terms, 2 edges)" in done.stderr
    assert read(target).entails("poodle", "animal")


def test_what_the_target_cannot_hold_is_said(dogs: Path, tmp_path: Path) -> None:
    done = convert(dogs, tmp_path / "dogs.obo")
    assert done.stderr.splitlines()[1:] == [
        "obo cannot hold 1 probabilities: left out",
        "obo cannot hold 1 negated entailments: left out",
    ]


def test_pipes_both_ways(dogs: Path) -> None:
    done = run("-", "-", "--to", "json", piped=dogs.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["edges"][0] == {"source": "poodle", "target": "dog", "probability": 0.9}
    again = run("-", "-", "--from", "json", "--to", "tsv", piped=done.stdout)
    assert again.stdout.splitlines()[1] == "poodle\tdog\t0.9\tentails"


def test_an_indented_list_can_be_piped_in_and_out() -> None:
    done = run("-", "-", "--to", "tsv", piped="animal\n  - dog\n    - poodle\n")
    assert (done.stdout, done.stderr) == ("hypo\thyper\ndog\tanimal\npoodle\tdog\n", "")
    assert run("-", "-", "--to", "outline", piped=done.stdout).stdout == "animal\n  dog\n    poodle\n"


def test_the_standard_output_needs_a_format(dogs: Path) -> None:
    done = convert(dogs, "-")
    assert done.exit_code == 2
    assert "--to" in done.stderr


def test_a_bad_file_is_one_line_and_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("dog\tanimal\n\tanimal\n")
    (tmp_path / "old.json").write_text("old")
    done = convert(tmp_path / "bad.tsv", tmp_path / "old.json")
    assert done.exit_code == 1
    assert done.stderr == f"entvec: {tmp_path}/bad.tsv, line 2: expected a hypo, found none before the hyper 'animal'\n"
    assert (tmp_path / "old.json").read_text() == "old"


def test_a_name_that_tells_no_format_is_refused_before_reading(tmp_path: Path) -> None:
    done = convert(tmp_path / "none.tsv", tmp_path / "new.xls")
    assert done.exit_code == 1
    assert "its name does not tell the format" in done.stderr


def test_words_get_uris_with_a_base_and_only_where_there_are_uris(dogs: Path, tmp_path: Path) -> None:
    assert convert(dogs, tmp_path / "dogs.ttl", "--base", "https://example.org/pets/").exit_code == 0
    pets = read(tmp_path / "dogs.ttl")
    assert pets.label("https://example.org/pets/dog") == "dog"
    assert "skos:ConceptScheme" in (tmp_path / "dogs.ttl").read_text()
    done = convert(dogs, tmp_path / "dogs.obo", "--base", "https://example.org/pets/")
    assert done.exit_code == 2
    assert "obo has no URIs, expected skos or owl" in done.stderr


def test_an_ontology_in_turtle_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pets.ttl"
    path.write_text("@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<http://a.b/c> a owl:Class .\n")
    assert convert(path, tmp_path / "new.ttl").exit_code == 0
    assert "owl:Class" in (tmp_path / "new.ttl").read_text()
    assert "skos" not in (tmp_path / "new.ttl").read_text()
