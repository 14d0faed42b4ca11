"""`entvec fit --encoder`, and the commands that use what it writes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from encoders import shop
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.graphs import write


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "120", "TERM": "dumb"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a taxonomy, and a space of the static encoder that has learned it."""
    made = tmp_path_factory.mktemp("fit")
    write(shop(), made / "shop.csv")
    done = ask("fit", "--encoder", "static", "--steps", "30", "--held", "30", *knowing(made), "-o", made / "space")
    assert done.exit_code == 0, done.output
    (made / "told").write_text(done.stdout + done.stderr)
    return made


def knowing(folder: Path) -> list[str | Path]:
    return ["--knowledge", "none", "--knowledge", folder / "shop.csv"]


def test_it_says_what_it_measured_and_wrote(folder: Path) -> None:
    told = (folder / "told").read_text()
    assert "Learned from " in told
    assert all(name in told for name in ("specific MRR", "50% Acc", "Dir Acc", "95% interval"))
    assert "The encoder itself was trained with WordNet" in told
    assert f"written: {folder / 'space'} (EntailmentSpace(" in told
    assert f'next: entvec hypernyms "running shoes" --space {folder / "space"}' in told


def test_info_names_the_encoder(folder: Path) -> None:
    assert "entvec-static" in ask("info", folder / "space").stdout
    assert json.loads(ask("info", folder / "space", "--format", "json").stdout)["encoder"] == "entvec-static"


def test_any_phrase_is_answered(folder: Path) -> None:
    done = ask("hypernyms", "crimson rain boots", "--space", folder / "space", "-k", "2", "--format", "json")
    assert done.exit_code == 0, done.output
    [answer] = json.loads(done.stdout)
    assert answer["query"] == "crimson rain boots"
    assert {"boot", "footwear"} == {match["word"] for match in answer["matches"]}


@pytest.mark.parametrize(
    "command",
    [
        ("hypernyms", "wug"),
        ("hyponyms", "wug"),
        ("score", "wug", "chair"),
        ("relation", "wug", "chair"),
        ("taxonomy", "place", "wug"),
    ],
    ids=lambda command: command[0],
)
def test_commands_take_a_definition(folder: Path, command: tuple[str, ...]) -> None:
    options = ("--space", folder / "space", "--format", "json")
    plain, told = (ask(*command, *options, *more) for more in ((), ("--definition", "a wooden chair")))
    assert (plain.exit_code, told.exit_code) == (0, 0), told.output
    assert plain.stdout != told.stdout


def test_a_definition_is_of_one_word_and_needs_an_encoder(folder: Path) -> None:
    done = ask("hypernyms", "wug", "dax", "--space", folder / "space", "--definition", "a chair")
    assert done.exit_code == 2
    assert "expected one word" in done.stderr
    assert ask("hypernyms", "dog", "--definition", "a chair").exit_code == 0
    done = ask("hypernyms", "dog", "--operator", "forward", "--definition", "a chair")
    assert done.exit_code == 1
    assert "`entvec fit --encoder small -o FOLDER` makes a space that has one" in done.stderr
    assert ask("score", "-", "--definition", "a chair").exit_code == 2
    assert ask("relation", "-", "--definition", "a chair").exit_code == 2


def test_measures_are_printed_as_data(folder: Path) -> None:
    options = ["--encoder", "static", "--steps", "2", *knowing(folder), "-o", folder / "again"]
    done = ask("fit", *options, "--format", "json")
    assert json.loads(done.stdout)[0]["name"] == "specific MRR"
    words = folder / "words.txt"
    words.write_text("red shoe\nblue coat\n")
    done = ask("fit", *options, "--hold-out", words, "--format", "json")
    assert json.loads(done.stdout)[0]["n"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--encoder", "static", "pairs.tsv"], "an encoder learns what is known"),
        (["--encoder", "static", "--folds", "3"], "an encoder learns what is known"),
        (["--steps", "3", "pairs.tsv"], "--steps need --encoder"),
        ([], "expected a file of labelled pairs, --evidence or --encoder"),
    ],
)
def test_options_of_one_kind_are_not_for_the_other(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = ask("fit", *arguments, "-o", tmp_path / "x")
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_errors_come_before_the_work(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    done = ask("fit", "--encoder", "static", "-o", tmp_path / "mine")
    assert (done.exit_code, "entvec did not write it" in done.stderr) == (1, True)
    done = ask("fit", "--encoder", "static", "-o", tmp_path / "no" / "where")
    assert (done.exit_code, "there is no folder" in done.stderr) == (1, True)
    done = ask("fit", "--encoder", "large", "-o", tmp_path / "x")
    assert (done.exit_code, "no encoder is called 'large'" in done.stderr) == (1, True)
    done = ask("fit", "--encoder", "static", *knowing(folder), "--cache", tmp_path, "-o", tmp_path / "x")
    assert done.exit_code == 1


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    arguments = ["entvec", "fit", "--encoder", "small", "-o", str(tmp_path / "space")]
    code = (
        "import os, runpy, signal, sys; from entvec.space import fitting; encoded = fitting.encoded; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # tests may ignore it
        "fitting.encoded = lambda *rest: os.kill(os.getpid(), signal.SIGINT) or encoded(*rest); "
        f"sys.argv = {arguments!r}; runpy.run_module('entvec', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)  # noqa: S603
    assert done.returncode == 130
    assert "stopped; nothing was written" in done.stderr
    assert list(tmp_path.iterdir()) == []
