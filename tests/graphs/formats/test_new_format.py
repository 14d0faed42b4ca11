"""A format is one row of the table: a toy format that is added at run time works everywhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from entvec.cli import app
from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write
from entvec.graphs.formats import FORMATS, File, Format

PETS = Taxonomy.from_edges([("poodle", "dog", 0.9), ("dog", "animal")])


def read_arrows(file: File) -> Taxonomy:
    return Taxonomy.from_edges(line.strip().split(" -> ") for line in file.lines() if not line.startswith("arrows"))


def write_arrows(taxonomy: Taxonomy) -> Iterator[str]:
    yield "arrows\n"
    yield from (f"{edge.hypo} -> {edge.hyper}\n" for edge in taxonomy.edges())


@pytest.fixture(autouse=True)
def _arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Format("arrows", (".arrows",), lambda head: head.startswith(b"arrows"), read_arrows, write_arrows)
    monkeypatch.setitem(FORMATS, "arrows", row)


def edges(taxonomy: Taxonomy) -> list[tuple[str, str]]:
    return [(edge.hypo, edge.hyper) for edge in taxonomy.edges()]


def test_files_are_written_and_read(tmp_path: Path) -> None:
    write(PETS, tmp_path / "pets.arrows.gz")
    assert edges(read(tmp_path / "pets.arrows.gz")) == edges(PETS)


def test_the_content_decides_the_format() -> None:
    text = to_text(PETS, "arrows")
    assert text == "arrows\npoodle -> dog\ndog -> animal\n"
    assert edges(from_text(text)) == edges(PETS)
    assert left_out(PETS, "arrows") == {"probabilities": 1}


def test_messages_list_it() -> None:
    with pytest.raises(InvalidInput, match=r"expected one of tsv, .*, arrows"):
        from_text("x", "xls")


def test_commands_know_it(tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["taxonomy", *map(str, arguments)], env={"COLUMNS": "200", "TERM": "dumb"})
        return done.exit_code, done.stdout, done.stderr

    write(PETS, tmp_path / "pets.tsv")
    code, _, stderr = run("convert", tmp_path / "pets.tsv", tmp_path / "pets.arrows")
    assert (code, stderr.splitlines()[1:]) == (0, ["arrows cannot hold 1 probabilities: left out"])
    (tmp_path / "pets.arrows").rename(tmp_path / "pets")
    assert run("convert", tmp_path / "pets", "-", "--from", "arrows", "--to", "csv")[1].splitlines() == [
        "hypo,hyper",
        "poodle,dog",
        "dog,animal",
    ]
    assert run("convert", tmp_path / "pets.tsv", "-", "--to", "arrows")[1] == to_text(PETS, "arrows")
    assert run("audit", tmp_path / "pets", "--from", "arrows", "--no-vectors")[0] == 0
    code, _, stderr = run("convert", tmp_path / "pets", "-", "--to", "xls")
    assert code == 2
    assert "'xls' is not one of 'tsv', " in stderr
    assert "'arrows'" in stderr


def test_the_documentation_lists_all_others() -> None:
    page = (Path(__file__).parents[3] / "docs" / "taxonomy-files.md").read_text(encoding="utf-8")
    table = [line for line in page.splitlines() if line.startswith("| `")]
    listed = {name for line in table for name in FORMATS if f"`{name}`" in line.split("|")[1]}
    assert listed == FORMATS.keys() - {"arrows"}
