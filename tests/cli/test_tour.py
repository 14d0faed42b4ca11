"""`entvec tour`: its commands, their answers and its files."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.cli.tour import FILES, STOPS

ROOT = Path(__file__).parents[2]


def tour(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tour", *arguments], env={"COLUMNS": "120", "TERM": "dumb"})


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("tour") / "kept"
    return folder, tour("-o", str(folder))


def test_it_answers_every_question_with_what_a_person_would_say(kept: tuple[Path, Result]) -> None:
    _, told = kept
    assert told.exit_code == 0, told.stderr
    shown = told.stdout
    assert "sweatshirt" in shown.split("2. Relate")[0]
    assert "wheel is a part of car" in shown
    assert "    └── croissant" in shown
    for change in ("+ edge hoodie -> clothing", "+ edge croissant -> bread", "+ synonym sneakers: Sneaker"):
        assert change in shown
    found = shown.split("5. Audit")[1]
    assert all(mistake in found for mistake in ("shoe → sneakers", "cookbook → kitchen appliance", "baguette → bread"))


def test_each_command_is_printed_as_it_can_be_typed(kept: tuple[Path, Result]) -> None:
    printed = [line[2:] for line in kept[1].stdout.splitlines() if line.startswith("$ entvec ")]
    assert printed == [f"entvec {command}" for stop in STOPS for command in stop.commands]
    assert all(shlex.split(command)[1] for command in printed)


def test_files_are_kept_where_one_says_and_never_overwritten(kept: tuple[Path, Result]) -> None:
    folder, told = kept
    assert {path.name for path in folder.iterdir()} == {*FILES, "review.csv"}
    assert str(folder / "review.csv") in told.stderr
    (folder / "catalogue.txt").write_text("mine")
    again = tour("-o", str(folder))
    assert again.exit_code == 1
    assert "choose another folder" in again.stderr
    assert not again.stdout
    assert (folder / "catalogue.txt").read_text() == "mine"


def test_a_place_that_cannot_be_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = tour("-o", str(tmp_path / "file"))
    assert told.exit_code == 1
    assert told.stderr.startswith("entvec: ")
    assert len(told.stderr.splitlines()) == 1


def test_a_command_that_fails_ends_it_with_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.cli.tour.FILES", {"new.txt": "dog\n"})  # the catalogue is not there
    monkeypatch.setattr("entvec.cli.tour.STOPS", STOPS[3:4])
    told = tour()
    assert told.exit_code == 1
    assert "catalogue.txt" in told.stderr
    assert "Next" not in told.stdout
