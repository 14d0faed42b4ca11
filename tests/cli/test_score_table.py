"""`entvec score TABLE -o FILE`: what is written, what is said, and what is refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import toy_world
from entvec.cli import app
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved space with probabilities."""
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.with_calibration(Calibration.platt(1.0, 2.0)).save(path)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a table of pairs, of which one has a word without a vector."""
    monkeypatch.chdir(tmp_path)
    table = pa.table({"hypo": ["dog", "animal", "dog"], "hyper": ["animal", "dog", "newt"], "n": [1, 2, 3]})
    pq.write_table(table, "pairs.parquet")
    return tmp_path


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["score", *arguments], env={"COLUMNS": "200", "TERM": "dumb"})


def test_a_table_is_scored_and_what_was_done_is_said(toys: str, folder: Path) -> None:
    told = ask("pairs.parquet", "-o", "scored.parquet", "--space", toys)
    assert told.exit_code == 0, told.output
    assert told.stdout == ""
    written, unknown = told.stderr.splitlines()
    assert written.startswith("written: scored.parquet (3 pairs, 0.0 MB, ")
    assert unknown == "entvec: 1 of 3 pairs have a word without a vector (newt); their scores are null"
    found = pq.read_table("scored.parquet").to_pylist()
    assert list(found[0]) == ["hypo", "hyper", "n", "score", "probability"]
    assert found[0]["score"] == pytest.approx(TOYS.score("dog", "animal"), rel=1e-5)
    assert found[2]["score"] is None
    assert not Path("scored.parquet.job").exists()


def test_the_default_space_scores_a_csv_with_other_names(folder: Path) -> None:
    Path("pairs.csv").write_text("child,parent\npoodle,dog\nice cream,food\n")
    told = ask("pairs.csv", "-o", "scored.parquet")
    assert told.exit_code == 0, told.output
    assert all(row["probability"] > 0.5 for row in pq.read_table("scored.parquet").to_pylist())


@pytest.mark.parametrize(("name", "mark"), [("scored.csv", ","), ("scored.tsv", "\t")])
def test_a_csv_goes_in_and_comes_out(toys: str, folder: Path, name: str, mark: str) -> None:
    Path("pairs.csv").write_text('Parent,"Child",note\nanimal,dog,"a, b"\nnewt,dog,\n')
    told = ask("pairs.csv", "-o", name, "--space", toys)
    assert told.exit_code == 0, told.output
    head, dog, newt = Path(name).read_text().splitlines()
    assert head == mark.join(["Parent", "Child", "note", "score", "probability"])
    assert dog.startswith('animal,dog,"a, b",-' if mark == "," else "animal\tdog\ta, b\t-")
    assert newt.startswith(mark.join(["newt", "dog"]))
    assert newt.endswith(mark * 2)
    again = ask("pairs.csv", "-o", name, "--space", toys)
    assert "it is there already, with something else; choose another name" in again.stderr
    assert ask("pairs.csv", "-o", name, "--space", toys, "--restart").exit_code == 0
    assert ask(name, "-o", "twice.parquet", "--space", toys).exit_code == 1  # it has a score already


def test_a_tab_in_a_value_does_not_fit_into_a_tsv(toys: str, folder: Path) -> None:
    Path("pairs.csv").write_text('child,parent,note\ndog,animal,"a\tb"\n')
    told = ask("pairs.csv", "-o", "scored.tsv", "--space", toys)
    assert told.exit_code == 1
    assert "a value of the column note has a tab or a line break; write a .csv instead" in told.stderr


def test_several_processes_write_the_same(toys: str, folder: Path) -> None:
    ask("pairs.parquet", "-o", "one.parquet", "--space", toys, "--processes", "1")
    told = ask("pairs.parquet", "-o", "two.parquet", "--space", toys, "--processes", "2")
    assert told.exit_code == 0, told.output
    assert Path("one.parquet").read_bytes() == Path("two.parquet").read_bytes()


def test_another_job_of_the_same_name_is_told_in_terms_of_options(toys: str, folder: Path) -> None:
    Path("scored.parquet.job").mkdir()
    Path("scored.parquet.job/job.json").write_text('{"job": "neighbours"}')
    Path("scored.parquet.job/manifest").write_text("[1, 2, 3, 4, []]\n")
    told = ask("pairs.parquet", "-o", "scored.parquet", "--space", toys)
    assert told.exit_code == 1
    assert told.stderr == (
        f"entvec: {folder / 'scored.parquet.job'} has another job, begun with job neighbours, now score; go on as it "
        "was begun, or start anew with `--restart`, which removes what was done so far\n"
    )
    assert ask("pairs.parquet", "-o", "scored.parquet", "--space", toys, "--restart").exit_code == 0
    assert pq.read_table("scored.parquet").num_rows == 3


def test_missing_columns_are_told_in_terms_of_options(toys: str, folder: Path) -> None:
    pq.write_table(pa.table({"ours": ["dog"], "theirs": ["animal"]}), "other.parquet")
    told = ask("other.parquet", "-o", "scored.parquet", "--space", toys)
    assert told.exit_code == 1
    assert told.stderr == (
        "entvec: other.parquet: expected a column hypo, found ours, theirs; `--hypo NAME --hyper NAME` says which "
        "columns have the words\n"
    )


def test_a_line_that_is_no_row_is_told_with_its_number(toys: str, folder: Path) -> None:
    Path("pairs.csv").write_text("hypo,hyper\ndog,animal\ndog\n")
    told = ask("pairs.csv", "-o", "scored.parquet", "--space", toys)
    assert told.exit_code == 1
    assert told.stderr == (
        f"entvec: {folder / 'pairs.csv'}, line 3: expected 2 values, as the first line has, found 1\n"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nothing.parquet", "-o", "scored.parquet"], "nothing.parquet: there is no such file"),
        (["pairs.parquet", "-o", "scored.xlsx"], "expected a name that ends in .parquet, .csv or .tsv"),
        (["pairs.parquet", "-o", "scored.parquet", "--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers at"),
    ],
)
def test_an_error_is_one_line(toys: str, folder: Path, arguments: list[str], problem: str) -> None:
    told = ask(*arguments, "--space", toys)
    assert told.exit_code == 1
    assert problem in told.stderr
    assert told.stderr.count("\n") == 1
    assert told.stdout == ""
    assert [path.name for path in folder.iterdir()] == ["pairs.parquet"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["pairs.parquet"], "pairs.parquet is a table; name the file to write: -o scored.parquet"),
        (["pairs.parquet", "more.csv"], "pairs.parquet is a table; name the file to write: -o scored.parquet"),
        (["."], ". is a table; name the file to write: -o scored.parquet"),
        (["dog", "animal", "-o", "scored.parquet"], "expected a table, Parquet, .csv or .tsv"),
        (["-", "-o", "scored.parquet"], "expected a table, Parquet, .csv or .tsv"),
        (["dog", "animal", "--processes", "2"], "are for a table"),
        (["-", "--cluster", "tcp://head:8786"], "are for a table"),
        (["-", "--restart"], "are for a table"),
        (["dog", "animal", "--hypo", "child"], "are for a table"),
        (["pairs.parquet", "-o", "scored.parquet", "--header"], "not for a table"),
        (["pairs.parquet", "-o", "scored.parquet", "--format", "json"], "not for a table"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    toys: str, folder: Path, arguments: list[str], problem: str
) -> None:
    told = ask(*arguments, "--space", toys)
    assert told.exit_code == 2
    assert problem in told.stderr
    assert not Path("scored.parquet").exists()
