from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from entvec.cli import app
from entvec.cli.extract import Format
from entvec.text.extraction.documents import FORMATS


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_formats_are_those_of_the_library() -> None:
    assert [each.value for each in Format] == list(FORMATS)


def test_pairs_are_written_and_skipped_files_named() -> None:
    Path("texts").mkdir()
    Path("texts/a.txt").write_text("They sell left handed screws and other goods. Pike ranks among fishes.")
    Path("texts/b.bin").write_bytes(bytes(100))
    Path("terms.txt").write_text("left handed screw\n")
    Path("patterns.tsv").write_text("ranks\tHYPO ranks among HYPER\n")
    Path("tools.tsv").write_text("zork\ttool\n")
    options = ["--terms", "terms.txt", "--patterns", "patterns.tsv", "--knowledge", "tools.tsv"]
    result = CliRunner().invoke(app, ["extract", "texts", "-o", "out.parquet", *options])
    assert result.exit_code == 0, result.output
    assert "written: out.parquet (2 rows" in result.stderr
    assert "1 file was skipped:\n  texts/b.bin: it is no text" in result.stderr
    assert "have a word" not in result.stderr
    found = pq.read_table("out.parquet").to_pylist()
    assert [(row["hypo"], row["hyper"]) for row in found] == [("left handed screw", "good"), ("pike", "fish")]
    again = CliRunner().invoke(app, ["extract", "texts", "-o", "out.parquet", *options])
    assert "nothing to do" in again.stderr


def test_standard_input_has_the_format_that_is_asked_for() -> None:
    text = '{"body": "Lutes and other instruments were sold."}\n'
    arguments = ["extract", "-", "-o", "out.parquet", "--format", "jsonl", "--column", "body"]
    assert CliRunner().invoke(app, arguments, input=text).exit_code == 0
    assert pq.read_metadata("out.parquet").num_rows == 1


def test_errors_are_one_line() -> None:
    result = CliRunner().invoke(app, ["extract", "gone.txt", "-o", "out.parquet"])
    assert (result.exit_code, result.stderr) == (1, "entvec: there is no file gone.txt\n")
