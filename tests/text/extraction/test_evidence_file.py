"""Files of evidence, opened to be asked."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from entvec.errors import EvidenceFileError, EvidenceFileNotFound, InvalidInput
from entvec.text import Evidence, Example, TextEvidence
from entvec.text.extraction.evidence_file import COLUMNS, EvidenceFile, evidence_schema, table_of

ROWS = [
    Evidence(
        "cat", "pet", "is-a", 2, 1, (Example("A cat is a pet.", "a.txt", 0), Example("Cats are pets.", "a.txt", 20))
    ),
    Evidence("dog", "animal", "such-as", 3, 3, (Example("Animals such as dogs.", "b.txt", 5),)),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.parquet"
    pyarrow.parquet.write_table(table_of(ROWS), path, row_group_size=1)
    return path


def test_a_file_and_rows_in_memory_are_the_same(file: Path) -> None:
    for found in (TextEvidence.of(file), TextEvidence.of(str(file)), TextEvidence.of(ROWS)):
        assert [found.terms[row] for row in found.hypo.tolist()] == ["cat", "dog"]
        assert (found.count.tolist(), found.documents.tolist()) == ([2, 3], [1, 3])
        assert [found.patterns[row] for row in found.pattern.tolist()] == ["is-a", "such-as"]
        assert [example.sentence for example in found.examples(1)] == ["Animals such as dogs."]


def test_rows_of_several_files_follow_each_other(file: Path) -> None:
    found = TextEvidence.of(file, ROWS, TextEvidence.of(file))
    assert len(found) == 6
    assert found.examples(4)[1].sentence == "Cats are pets."
    with pytest.raises(IndexError):
        found.examples(6)


def test_an_open_file_may_be_replaced(file: Path) -> None:
    found = TextEvidence.of(file)
    file.unlink()
    file.write_text("something else")
    assert found.examples(0)[0].file == "a.txt"


def test_all_rows_are_read_as_they_were_written(file: Path) -> None:
    assert list(EvidenceFile(file).rows()) == ROWS


def test_a_copy_has_the_same_bytes_and_digest(file: Path, tmp_path: Path) -> None:
    opened = EvidenceFile(file)
    opened.copy(tmp_path / "copy.parquet")
    assert (tmp_path / "copy.parquet").read_bytes() == file.read_bytes()
    assert EvidenceFile(tmp_path / "copy.parquet").digest == opened.digest != EvidenceFile(table_bytes([])).digest


def table_bytes(rows: list[Evidence]) -> bytes:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table_of(rows), sink)
    return bytes(sink.getvalue().to_pybytes())


def test_a_file_of_a_newer_version_is_refused_and_one_without_a_version_is_read(tmp_path: Path) -> None:
    table = table_of(ROWS)
    for version, metadata in {"none": None, "newer": {"entvec": "evidence 2"}}.items():
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / version)
    assert len(EvidenceFile(tmp_path / "none").read(["hypo"])) == 2
    with pytest.raises(EvidenceFileError, match="the version 'evidence 2', which a newer entvec may"):
        EvidenceFile(tmp_path / "newer")


def test_no_rows_are_evidence_of_nothing() -> None:
    assert len(TextEvidence.of([])) == len(TextEvidence.of()) == 0


def test_what_is_no_file_of_evidence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceFileNotFound, match="no such file of evidence; `entvec extract"):
        TextEvidence.of(tmp_path / "none.parquet")
    text = tmp_path / "text.parquet"
    text.write_text("no Parquet")
    with pytest.raises(EvidenceFileError, match="no Parquet file"):
        TextEvidence.of(text)
    pyarrow.parquet.write_table(pa.table({"hypo": ["a"]}), text)
    with pytest.raises(EvidenceFileError, match="no column 'hyper', expected a file that `entvec extract` wrote"):
        TextEvidence.of(text)
    with pytest.raises(InvalidInput, match="evidence is 7"):
        TextEvidence.of(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("count", 0, "count has 0, and counts begin at 1"),
        ("documents", None, "documents has empty cells"),
        ("hypo", None, "hypo has empty cells"),
        ("count", "many", "cannot be read"),
        ("hypo", " ", "empty or has a line break"),
        ("hyper", "a\nb", "empty or has a line break"),
    ],
)
def test_wrong_values_are_refused(tmp_path: Path, column: str, value: object, problem: str) -> None:
    values: dict[str, list[object]] = dict(zip(COLUMNS, (["a"], ["b"], ["is-a"], [1], [1], [[]]), strict=True))
    values[column] = [value]
    types = {name: evidence_schema().field(name).type for name in COLUMNS}
    if isinstance(value, str):
        types[column] = pa.string()
    table = pa.table({name: pa.array(values[name], types[name]) for name in COLUMNS})
    pyarrow.parquet.write_table(table, tmp_path / "wrong.parquet")
    with pytest.raises((EvidenceFileError, InvalidInput), match=problem):
        TextEvidence.of(tmp_path / "wrong.parquet")


def test_numbers_of_other_widths_are_read(tmp_path: Path) -> None:
    table = table_of(ROWS).set_column(3, "count", pa.array([2, 3], pa.int32()))
    pyarrow.parquet.write_table(table, tmp_path / "narrow.parquet")
    assert TextEvidence.of(tmp_path / "narrow.parquet").count.tolist() == [2, 3]
