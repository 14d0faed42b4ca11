"""`entvec hypernyms` and `entvec hyponyms`."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import google_news, toy_world
from entvec.cli import app
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(
    Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", specificity=0.0
).with_calibration(Calibration.platt(1.0, 2.0))


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.save(path)
    return str(path)


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Vectors of a few real words, some in several forms."""
    words = ["dog", "dogs", "Dogs", "animal", "animals", "cat", "cats", "ice_cream", "food", "foods", "stone"]
    path = tmp_path_factory.mktemp("news") / "news.safetensors"
    google_news().subset(words, missing="skip").save(path)
    return str(path)


def ask(*arguments: str) -> Result:
    """Run a command; the toy world knows nothing besides its vectors unless a test says so."""
    if any("toys" in argument for argument in arguments) and "--knowledge" not in arguments:
        arguments = (*arguments, "--knowledge", "none")
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80", "TERM": "dumb"})


def found(*arguments: str) -> list[tuple[str, list[str]]]:
    told = json.loads(ask(*arguments, "--format", "json").stdout)
    return [(one["query"], [match["word"] for match in one["matches"]]) for one in told]


def test_hypernyms_of_the_toy_world(toys: str) -> None:
    assert found("hypernyms", "poodle", "--space", toys, "-k", "3") == [("poodle", ["unk", "animal", "dog"])]


def test_hyponyms_of_the_toy_world(toys: str) -> None:
    assert found("hyponyms", "dog", "--space", toys, "-k", "1") == [("dog", ["poodle"])]
    [(_, words)] = found("hyponyms", "animal", "--space", toys, "-k", "3")
    assert set(words) == {"dog", "poodle", "cat"}


def test_several_words_are_answered_in_turn(toys: str) -> None:
    asked = ("dog", "Cat", "stone")
    told = ask("hypernyms", *asked, "--space", toys, "-k", "2")
    assert [line for line in told.stdout.splitlines() if "is a kind of" in line] == [
        "dog is a kind of",
        "cat is a kind of",
        "stone is a kind of",
    ]
    assert [query for query, _ in found("hypernyms", *asked, "--space", toys)] == ["dog", "cat", "stone"]


def test_a_table_for_people(toys: str) -> None:
    told = ask("hyponyms", "dog", "--space", toys, "-k", "1").stdout
    rows = [line.split() for line in told.splitlines()]
    assert rows[0] == ["kinds", "of", "dog"]
    assert ["word", "probability", "score"] in rows
    score, probability = TOYS.score("poodle", "dog"), TOYS.probability("poodle", "dog")
    assert ["poodle", f"{probability:.2f}", f"{score:.2f}"] in rows


def test_lines_for_programs(toys: str) -> None:
    lines = [
        line.split("\t") for line in ask("hypernyms", "dog", "--space", toys, "--format", "tsv").stdout.splitlines()
    ]
    assert lines[0] == ["query", "word", "score", "probability", "variants", "evidence", "reason", "sense"]
    assert len(lines) == 6  # all other words
    for query, word, score, probability, *others in lines[1:]:
        assert (query, others) == ("dog", [""] * 4)
        assert float(score) == pytest.approx(TOYS.score("dog", word), abs=6e-5)
        assert float(probability) == pytest.approx(TOYS.probability("dog", word), abs=6e-5)


def test_csv_quotes_what_has_commas(news: str) -> None:
    told = ask("hypernyms", "dog", "cat", "--vectors", news, "-k", "1", "--format", "csv").stdout
    rows = list(csv.reader(told.splitlines()))
    assert rows[0] == ["query", "word", "score", "probability", "variants", "evidence", "reason", "sense"]
    assert [row[0] for row in rows[1:]] == ["dog", "cat"]
    assert ask("evidence", "info", "nothing", "--format", "csv").exit_code == 1


def test_answers_may_be_chosen_from_a_file(toys: str, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("unk\nanimal\ncat\n")
    options = ("--space", toys, "--among", str(tmp_path / "some.txt"))
    assert found("hypernyms", "poodle", *options) == [("poodle", ["unk", "animal", "cat"])]
    assert found("hyponyms", "animal", *options, "-k", "1") == [("animal", ["cat"])]
    (tmp_path / "some.txt").write_text("animal\nnewt\n")
    told = ask("hypernyms", "poodle", *options, "--format", "tsv")
    assert [line.split("\t")[1] for line in told.stdout.splitlines()] == ["word", "animal"]
    assert f"1 of 2 words of {tmp_path / 'some.txt'} are unknown, and no answers: newt" in told.stderr
    (tmp_path / "some.txt").write_text("\n")
    assert "expected words to choose from, one a line, found none" in ask("hypernyms", "dog", *options).stderr
    (tmp_path / "some.txt").write_text("newt\n")
    assert "newt" in ask("hypernyms", "dog", *options).stderr
    assert ask("hypernyms", "dog", "--space", toys, "--among", "nowhere.txt").exit_code == 1


def test_the_default_space_chooses_from_phrases_too(tmp_path: Path) -> None:
    (tmp_path / "shop.txt").write_text("rain gear\nfootwear\nkitchen appliance\n")
    [(query, words)] = found("hypernyms", "sneaker", "--among", str(tmp_path / "shop.txt"))
    assert (query, words) == ("sneaker", ["footwear"])


def test_without_probabilities_their_fields_are_empty(news: str) -> None:
    options = ("dog", "--vectors", news, "-k", "1", "--format")
    assert json.loads(ask("hypernyms", *options, "json").stdout)[0]["matches"][0]["probability"] is None
    assert ask("hypernyms", *options, "tsv").stdout.splitlines()[1].split("\t")[3] == ""
    assert "probability" not in ask("hypernyms", *options, "table").stdout


def test_k_may_be_nothing_or_more_than_there_is(toys: str) -> None:
    assert found("hypernyms", "dog", "--space", toys, "-k", "0") == [("dog", [])]
    [(_, words)] = found("hypernyms", "dog", "--space", toys, "-k", "1000")
    assert sorted(words) == sorted(set(WORLD.words) - {"dog"})
    assert ask("hypernyms", "dog", "--space", toys, "-k", "0", "--format", "tsv").stdout.count("\n") == 1
    assert ask("hypernyms", "dog", "--space", toys, "-k", "0").exit_code == 0


def test_forms_of_a_word_are_grouped_on_request(news: str) -> None:
    [(_, words)] = found("hypernyms", "cat", "--vectors", news)
    assert {"dog", "dogs"} <= set(words)
    told = json.loads(ask("hypernyms", "cat", "--vectors", news, "--group", "--format", "json").stdout)
    groups = {frozenset([match["word"], *match["variants"]]) for match in told[0]["matches"]}
    assert {frozenset({"animal", "animals"}), frozenset({"food", "foods"})} <= groups
    assert not any("cats" in group for group in groups)
    assert "also" in ask("hypernyms", "cat", "--vectors", news, "--group").stdout


def test_specificity_changes_the_ranking(toys: str) -> None:
    [(_, surest)] = found("hypernyms", "poodle", "--space", toys, "--specificity", "0")
    [(_, specific)] = found("hypernyms", "poodle", "--space", toys, "--specificity", "2")
    assert surest[0] == "unk"
    assert specific[0] == "dog"
    assert ask("hypernyms", "poodle", "--space", toys, "--specificity", "nan").exit_code == 1


def test_a_name_of_several_words_is_shown_as_the_vocabulary_has_it(news: str) -> None:
    [(query, _)] = found("hypernyms", "Ice Cream", "--vectors", news)
    assert query == "ice_cream"
    assert "ice_cream is a kind of" in ask("hypernyms", "Ice Cream", "--vectors", news).stdout


@pytest.mark.parametrize("command", ["hypernyms", "hyponyms"])
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["dgo"], 1, "entvec: no word 'dgo' among 6; did you mean 'dog'?"),
        ([""], 2, "an empty word"),
        ([], 2, "Missing argument"),
        (["dog", "-k", "-1"], 2, "-k"),
        (["dog", "--interpretation", "dup"], 2, "leave --interpretation out"),
        (["dog", "--format", "xml"], 2, "--format"),
    ],
)
def test_what_makes_no_sense_is_told(command: str, arguments: list[str], code: int, message: str, toys: str) -> None:
    done = ask(command, *arguments, "--space", toys)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("command", ["hypernyms", "hyponyms"])
def test_missing_words_are_skipped_and_the_others_answered(command: str, toys: str) -> None:
    done = ask(command, "dgo", "dog", "--space", toys, "--format", "tsv")
    assert done.exit_code == 0
    assert {line.split("\t")[0] for line in done.stdout.splitlines()[1:]} == {"dog"}
    assert done.stderr == "entvec: skipped 1 of 2 words; no word 'dgo' among 6; did you mean 'dog'?\n"
    done = ask(command, "dgo", "dog", "qqqq", "Cat", "--space", toys, "--format", "tsv")
    assert {line.split("\t")[0] for line in done.stdout.splitlines()[1:]} == {"dog", "cat"}
    assert done.stderr == (
        "entvec: skipped 2 of 4 words; 2 words are not among 6: 'dgo' (did you mean 'dog'?), 'qqqq'\n"
    )


@pytest.mark.parametrize("command", ["hypernyms", "hyponyms"])
def test_a_command_that_can_answer_nothing_fails(command: str, toys: str) -> None:
    done = ask(command, "dgo", "qqqq", "--space", toys, "--format", "tsv")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "entvec: 2 words are not among 6: 'dgo' (did you mean 'dog'?), 'qqqq'\n"


def test_a_terminal_gets_nothing_that_it_would_obey(tmp_path: Path) -> None:
    words = ["dog", "bell\x07\x1b[31m"]
    Vectors(words, [[1.0, 2.0], [2.0, 1.0]]).save(tmp_path / "odd.safetensors")
    told = ask("hypernyms", "dog", "--vectors", str(tmp_path / "odd.safetensors"))
    assert r"bell\x07\x1b[31m" in told.stdout


def test_a_search_imports_nothing_that_is_slow_to_import() -> None:
    code = """
import sys
from entvec.cli import main
sys.argv = ["entvec", "hypernyms", "dog", "-k", "1", "--format", "json"]
try:
    main()
except SystemExit:
    pass
print([name for name in ("scipy", "sklearn", "matplotlib", "pandas", "joblib", "pooch") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["hypernyms", "hyponyms"])
def test_help_has_examples(command: str) -> None:
    assert f"entvec {command} dog" in ask(command, "--help").stdout.split("Examples:")[1]


@pytest.mark.parametrize("command", ["hypernyms", "hyponyms"])
def test_adjectives_have_no_hierarchy(command: str) -> None:
    said = "'expensive' is an adjective or adverb, which has no hierarchy"
    some = ask(command, "expensive", "dog", "-k", "1")
    assert some.stderr.startswith(f"entvec: skipped 1: {said}")
    assert "expensive" not in some.stdout
    none = ask(command, "expensive")
    assert (none.exit_code, none.stdout) == (1, "")
    assert said in none.stderr
    assert ask(command, "dog", "-k", "1").stderr == ""


def test_a_misspelled_word_is_answered_with_a_hint() -> None:
    told = ask("hypernyms", "guitr", "dog", "-k", "1")
    assert "guitr is a kind of" in told.stdout
    hints = [line for line in told.stderr.splitlines() if "did you mean" in line]
    assert [hint[: hint.index("'guitar'")] for hint in hints] == [
        "entvec: 'guitr' is not known, so the answer is by its letters; did you mean "
    ]
