"""`entvec info` of spaces and of knowledge, and `--knowledge` of every command that asks a space.

What it says of files of vectors is in test_vectors.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from entvec.bundled import bundled_knowledge, toy_world
from entvec.cli import COMMANDS, app
from entvec.cli.options import SpaceOptions
from entvec.errors import KnowledgeWarning
from entvec.graphs import Taxonomy
from entvec.knowledge import storage
from entvec.knowledge.statements import empty, with_taxonomy
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

BUNDLED = ("WordNet 3.0", "everyday")


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "100", "TERM": "dumb"})


def told(*arguments: str | Path) -> Any:
    done = ask("info", *arguments, "--format", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    path = tmp_path / "toys.safetensors"
    Vectors(toy_world().words, toy_world().log_odds()).save(path)
    return path


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    path = tmp_path / "pets.tsv"
    path.write_text("dog\tpet\ncat\tpet\n")
    return path


@pytest.fixture
def folder(toys: Path, tmp_path: Path) -> Path:
    EntailmentSpace.from_vectors(Vectors.load(toys), interpretation="log_odds").save(tmp_path / "space")
    return tmp_path / "space"


# Spaces


def test_the_default_space_and_what_it_knows() -> None:
    done = ask("info")
    assert done.exit_code == 0, done.stderr
    for text in (
        "the default space",
        "31,530 x 300",
        "mapped backward, calibrated",
        f"knows        {bundled_knowledge()}",
    ):
        assert text in done.stdout
    facts = told()
    assert facts["knowledge"] == bundled_knowledge().summary()
    assert (facts["words"], facts["contradictions"], len(facts["fingerprint"])) == (31_530, [], 32)


def test_a_space_in_a_folder_knows_what_is_bundled_unless_it_says_otherwise(folder: Path, pets: Path) -> None:
    facts = told(folder)
    assert (facts["space"], facts["words"], facts["reading"]) == (str(folder), 6, "log_odds")
    assert facts["knowledge"]["sources"] == list(BUNDLED)
    assert told(folder, "--knowledge", "none")["knowledge"] is None
    assert "knows        nothing\n" in ask("info", folder, "--knowledge", "none").stdout
    EntailmentSpace.load(folder).with_knowledge(pets).save(folder)
    assert told(folder)["knowledge"]["sources"] == ["pets.tsv"]


def test_contradictions_are_told_on_both_channels(tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text("animal\tdog\n")
    with pytest.warns(KnowledgeWarning, match=r"mine\.tsv says that animal is a kind of dog"):
        done = ask("info", "--knowledge", tmp_path / "mine.tsv")
    conflict = "mine.tsv says that animal is a kind of dog, WordNet 3.0 says dog > domestic_animal > animal"
    assert f"conflict 1   {conflict}\n" in done.stdout


# Files


def test_a_file_of_knowledge(tmp_path: Path) -> None:
    path = tmp_path / "pets.knowledge"
    storage.save(with_taxonomy(empty(), Taxonomy.from_edges([("dog", "pet")]), "pets"), path)
    done = ask("info", path)
    assert "knows        pets: 2 terms, 2 senses, 2 concepts, 1 is-a, 0 denials" in done.stdout
    assert len(told(path)["sha256"]) == 64


def test_a_taxonomy_is_told_as_knowledge(pets: Path) -> None:
    facts = told(pets)
    assert {name: facts[name] for name in ("sources", "terms", "is_a")} == {
        "sources": ["pets.tsv"],
        "terms": 3,
        "is_a": 2,
    }


def test_a_damaged_file_of_knowledge_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "odd.knowledge").write_bytes(b"dog")
    done = ask("info", tmp_path / "odd.knowledge")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "odd.knowledge: " in done.stderr


def test_knowledge_is_for_spaces(toys: Path, pets: Path) -> None:
    done = ask("info", toys, "--knowledge", pets)
    assert done.exit_code == 2
    assert "a file is described as it is" in done.stderr


# The option of all commands


def options_of(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


def commands(group: Any) -> list[Any]:
    context = typer.Context(group)
    children = [group.get_command(context, name) for name in group.list_commands(context)]
    return [leaf for child in children for leaf in (commands(child) if hasattr(child, "list_commands") else [child])]


def test_every_command_that_asks_a_space_takes_knowledge() -> None:
    found = commands(typer.main.get_command(app))
    assert len(found) > len(COMMANDS)
    asking = [command for command in found if "--space" in options_of(command)]
    assert len(asking) >= 8
    assert [command.name for command in asking if "--knowledge" not in options_of(command)] == []


@pytest.mark.parametrize(
    ("files", "sources"),
    [
        ([], BUNDLED),
        (["pets"], (*BUNDLED, "pets.tsv")),
        (["pets", "pets"], (*BUNDLED, "pets.tsv", "pets.tsv")),
        (["none", "pets"], ("pets.tsv",)),
        (["pets", "none"], None),
    ],
)
@pytest.mark.parametrize("kind", ["default", "vectors", "folder"])
def test_what_a_space_knows(
    files: list[str], sources: tuple[str, ...] | None, kind: str, toys: Path, pets: Path, folder: Path
) -> None:
    space: Any = {"default": {}, "vectors": {"vectors": toys}, "folder": {"space": str(folder)}}[kind]
    knowledge = [str(pets) if file == "pets" else file for file in files] or None
    with SpaceOptions(**space, knowledge=knowledge).asked() as asked:
        assert (asked.knowledge and asked.knowledge.sources) == sources


def test_a_saved_space_keeps_its_knowledge(toys: Path, pets: Path, tmp_path: Path) -> None:
    assert ask("space", "-o", tmp_path / "made", "--vectors", toys, "--knowledge", pets).exit_code == 0
    assert told(tmp_path / "made")["knowledge"]["sources"] == [*BUNDLED, "pets.tsv"]
    assert ask("space", "-o", tmp_path / "made", "--vectors", toys).exit_code == 0
    assert not (tmp_path / "made" / "knowledge.safetensors").exists()
    assert EntailmentSpace.load(tmp_path / "made").knowledge is bundled_knowledge()


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = ask("hypernyms", "dog", "--knowledge", tmp_path / "none.tsv")
    assert done.exit_code == 1
    assert "none.tsv" in done.stderr
