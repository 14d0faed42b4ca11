"""`entvec explain`."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import toy_world
from entvec.cli import app
from entvec.learn import FittedMap
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.with_calibration(Calibration.platt(1.0, 2.0)).save(path)
    return str(path)


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments], env={"COLUMNS": "100", "TERM": "dumb"})


def test_what_breaks_an_entailment_is_what_the_first_word_lacks(toys: str) -> None:
    told = json.loads(ask("animal", "dog", "--space", toys, "--format", "json").stdout)
    worst = told["breaking"][0]
    assert WORLD.features[worst["number"]] == "barks"
    assert worst["gain"] < 0
    assert set(worst["words"][:2]) == {"dog", "poodle"}


def test_the_parts_sum_up_to_the_score(toys: str) -> None:
    told = json.loads(ask("cat", "animal", "--space", toys, "--format", "json", "-k", "2").stdout)
    gains = sum(row["gain"] for row in told["carrying"] + told["breaking"])
    assert told["average"] + gains + told["rest"] + told["offset"] == pytest.approx(told["score"])
    assert told["score"] == pytest.approx(TOYS.score("cat", "animal"))


def test_a_table_that_says_what_it_means(toys: str) -> None:
    told = ask("Animal", "dog", "--space", toys, "--knowledge", "none").stdout
    assert f"Does animal entail dog? Score {TOYS.score('animal', 'dog'):.2f}, probability" in told
    assert "An average word in the place of animal has" in told
    assert "known of" in told
    [barks] = [line.split() for line in told.splitlines() if " dog, poodle" in line and "animal, dog" not in line]
    assert barks[0].startswith("-")
    assert barks[1:3] == ["2%", "98%"]  # not known of an animal, known of a dog
    assert "all other dimensions" in told


def test_what_a_map_adds_for_the_hypo_is_told(tmp_path: Path) -> None:
    vectors = Vectors(WORLD.words, WORLD.log_odds())
    learned = FittedMap("backward", np.eye(5), np.zeros(5), hypo_offset=np.array([0.0, 1.0, 0, 0, 0, 1.5]))
    EntailmentSpace.from_vectors(vectors, map=learned).save(tmp_path / "space")
    told = ask("dog", "animal", "--dimensions", "--space", str(tmp_path / "space")).stdout
    assert "what the map adds for the hypo itself" in " ".join(told.split())


def test_lines_for_programs(toys: str) -> None:
    told = ask("dog", "animal", "--space", toys, "--dimensions", "--format", "tsv").stdout
    lines = [line.split("\t") for line in told.splitlines()]
    assert lines[0] == ["side", "dimension", "gain", "hypo", "hyper", "words"]
    assert {line[0] for line in lines[1:]} <= {"for", "against"}
    assert ["for", "0"] in [line[:2] for line in lines]
    assert all((float(line[2]) > 0) == (line[0] == "for") for line in lines[1:])


def test_k_says_how_many(toys: str) -> None:
    for k in (0, 1):
        told = json.loads(ask("animal", "dog", "--space", toys, "-k", str(k), "--format", "json").stdout)
        assert len(told["breaking"]) == k


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["dgo", "animal"], 1, "did you mean 'dog'"),
        (["dog"], 2, "Missing argument 'HYPER'"),
        (["dog", ""], 2, "an empty word"),
        (["dog", "animal", "-k", "-1"], 2, "-k"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: list[str], code: int, message: str, toys: str) -> None:
    done = ask(*arguments, "--space", toys)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_an_operator_without_dimensions_of_its_own_is_told() -> None:
    done = ask("dog", "animal", "--operator", "weighted_cosine")
    assert done.exit_code == 1
    assert "entvec: weighted_cosine weighs each dimension by all the others" in done.stderr


def test_reasons_come_first_and_add_up(toys: str) -> None:
    lines = [line.strip() for line in ask("dog", "animal", "--space", toys).stdout.splitlines()]
    assert lines[0].startswith("Does dog entail animal? Yes, with probability 0.9")
    assert lines[1].split(maxsplit=1) == ["for", "dog -> domestic animal -> animal (WordNet 3.0, first sense)"]
    numbers = [float(line.split()[-1]) for line in lines if line and line.split()[-1][0] in "+-"]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.03)
    assert not any("all other dimensions" in line for line in lines)


def test_dimensions_are_an_option(toys: str) -> None:
    told = ask("dog", "animal", "--space", toys, "--dimensions").stdout
    assert "Does dog entail animal? Yes" in told
    assert "By the vectors alone, the score is" in told
    assert "all other dimensions" in told


def test_json_has_both(toys: str) -> None:
    told = json.loads(ask("dog", "animal", "--space", toys, "--format", "json").stdout)
    assert told["reasoning"]["relation"]["relation"] == "narrower"
    assert told["probability"] == told["reasoning"]["probability"]
    assert sum(part["log_odds"] for part in told["reasoning"]["parts"]) == pytest.approx(told["reasoning"]["evidence"])
    assert told["carrying"]


def test_the_parts_are_lines_for_programs(toys: str) -> None:
    lines = [line.split("\t") for line in ask("dog", "animal", "--space", toys, "--format", "tsv").stdout.splitlines()]
    assert [line[0] for line in lines] == ["source", "constant", "vectors", "facts", "neighbours", "spelling"]
    assert float(lines[3][1]) > 0


def test_a_known_word_without_a_vector_has_reasons_and_no_dimensions(toys: str) -> None:
    told = ask("corgi", "dog", "--space", toys, "--dimensions").stdout
    assert "corgi -> dog (WordNet 3.0" in told
    assert "dimensions" not in told
    told = json.loads(ask("corgi", "dog", "--space", toys, "--format", "json").stdout)
    assert (told["score"], told["average"], told["carrying"]) == (None, None, [])


def test_a_space_that_knows_nothing_has_dimensions_alone(toys: str) -> None:
    told = ask("dog", "animal", "--space", toys, "--knowledge", "none")
    assert "all other dimensions" in told.stdout
    assert ask("corgi", "dog", "--space", toys, "--knowledge", "none").exit_code == 1


def test_help_has_examples() -> None:
    assert "entvec explain dog animal" in ask("--help").stdout.split("Examples:")[1]
