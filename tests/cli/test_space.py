"""`entvec space`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import google_news, toy_world
from entvec.cli import app
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

LIBRARIES = ("faiss", "usearch")


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "100", "TERM": "dumb"})


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    path = tmp_path / "toys.safetensors"
    Vectors(toy_world().words, toy_world().log_odds()).save(path)
    return path


def test_a_space_is_written_and_used(toys: Path, tmp_path: Path) -> None:
    folder = tmp_path / "space"
    done = ask("space", "-o", folder, "--vectors", toys, "--interpretation", "log_odds", "--specificity", "0")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert f"written: {folder} (EntailmentSpace(6 words x 5, log_odds backward)" in done.stderr
    assert f"next: entvec hypernyms WORD --space {folder}" in done.stderr
    told = json.loads(ask("hypernyms", "poodle", "--space", folder, "-k", "3", "--format", "json").stdout)
    assert [match["word"] for match in told[0]["matches"]] == ["unk", "animal", "dog"]


@pytest.mark.parametrize(
    ("keys", "sides"),
    [("both", {"hyper", "hypo"}), ("hypernyms", {"hyper"}), ("hyponyms", {"hypo"}), ("none", set())],
)
def test_keys_are_computed_for_what_is_asked(keys: str, sides: set[str], toys: Path, tmp_path: Path) -> None:
    ask("space", "-o", tmp_path / "space", "--vectors", toys, "--keys", keys)
    made = EntailmentSpace.load(tmp_path / "space")
    assert {side for side in ("hyper", "hypo") if side in made.keys.computed} == sides


def test_every_setting_is_kept(toys: Path, tmp_path: Path) -> None:
    options = ["--interpretation", "dup", "--operator", "forward", "--specificity", "0.25", "--dtype", "bfloat16"]
    ask("space", "-o", tmp_path / "space", "--vectors", toys, *options)
    made = EntailmentSpace.load(tmp_path / "space")
    assert (made.model.interpretation, made.operator, made.specificity, made.backend.dtype) == (
        "dup",
        "forward",
        (0.25, 0.25),
        "bfloat16",
    )


def test_the_default_space_in_another_precision(tmp_path: Path) -> None:
    done = ask("space", "-o", tmp_path / "space", "--dtype", "float16", "--keys", "none")
    assert done.exit_code == 0, done.stderr
    made = EntailmentSpace.load(tmp_path / "space")
    assert (len(made), made.backend.dtype) == (len(google_news()), "float16")
    assert made.map is not None
    assert made.calibration is not None


def test_a_folder_that_is_no_space_is_never_replaced(toys: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("you")
    done = ask("space", "-o", tmp_path / "letters", "--vectors", toys)
    assert done.exit_code == 1
    assert "it is there already and entvec did not write it" in done.stderr
    assert (tmp_path / "letters" / "dear.txt").read_text() == "you"


def test_an_older_space_is_replaced(toys: Path, tmp_path: Path) -> None:
    for operator in ("forward", "backward"):
        ask("space", "-o", tmp_path / "space", "--vectors", toys, "--operator", operator)
    assert EntailmentSpace.load(tmp_path / "space").operator == "backward"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--backend", "magic"], 2, "'magic' is not one of"),
        (["--backend", "faiss", "--keys", "none"], 2, "a backend searches keys; choose some with --keys"),
        (["--dtype", "int8"], 2, "--dtype"),
        (["--specificity", "inf"], 1, "specificity is inf"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: list[str], code: int, message: str, toys: Path, tmp_path: Path) -> None:
    done = ask("space", "-o", tmp_path / "space", "--vectors", toys, *arguments)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "space").exists()


@pytest.mark.parametrize("engine", LIBRARIES)
def test_an_engine_is_built_and_its_recall_told(engine: str, tmp_path: Path) -> None:
    pytest.importorskip(engine)
    vectors = tmp_path / "news.safetensors"
    some = google_news().head(300)
    Vectors(list(some), some.matrix[:, :10]).save(vectors)  # of few dimensions, to be quick
    options = ("--vectors", vectors, "--keys", "hypernyms", "--backend", engine)
    done = ask("space", "-o", tmp_path / "space", *options)
    assert done.exit_code == 0, done.stderr
    assert f"{engine} finds " in done.stderr
    assert "of the ten best hypernyms of 256 words" in done.stderr
    assert set(EntailmentSpace.load(tmp_path / "space").searchers) == {"hyper"}


def test_help_has_examples() -> None:
    assert "entvec space -o glove" in ask("space", "--help").stdout.split("Examples:")[1]


def test_an_operator_without_keys_is_saved_without_them(toys: Path, tmp_path: Path) -> None:
    done = ask("space", "-o", tmp_path / "space", "--vectors", toys, "--operator", "weighted_cosine")
    assert done.exit_code == 0, done.stderr
    assert "weighted_cosine has no keys to compute" in done.stderr
    assert "dog" in ask("hypernyms", "poodle", "--space", tmp_path / "space").stdout
