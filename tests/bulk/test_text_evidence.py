"""Jobs of spaces with evidence from texts."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.errors import CannotWrite
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.text import Evidence, Example


def row(hypo: str, hyper: str) -> Evidence:
    return Evidence(hypo, hyper, "is-a", 3, 3, (Example(f"A {hypo} is a {hyper}.", "zoo.txt", 0),))


@pytest.fixture
def reading(toys: EntailmentSpace) -> EntailmentSpace:
    return toys.with_calibration(Calibration.platt(1.0, 2.0)).with_evidence([row("labradoodle", "dog")])


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    (tmp_path / "pairs.csv").write_text("hypo,hyper\nlabradoodle,dog\npoodle,dog\n")
    return tmp_path / "pairs.csv"


@pytest.mark.usefixtures("one_process")
def test_tables_are_related_by_texts_too(reading: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "related.parquet"
    bulk.relate_table(reading, pairs, output)
    assert pq.read_table(output)["relation"].to_pylist()[0] == "narrower"


@pytest.mark.usefixtures("one_process")
def test_a_job_with_other_evidence_is_another_job(reading: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "related.parquet"
    bulk.relate_table(reading, pairs, output)
    bulk.relate_table(reading.with_evidence(None, [row("labradoodle", "dog")]), pairs, output)
    with pytest.raises(CannotWrite):
        bulk.relate_table(reading.with_evidence([row("poodle", "toy")]), pairs, output)


@pytest.mark.slow
def test_other_processes_read_the_same_texts(reading: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    bulk.relate_table(reading, pairs, here, processes=1)
    bulk.relate_table(reading, pairs, there, processes=2)
    assert here.read_bytes() == there.read_bytes()
