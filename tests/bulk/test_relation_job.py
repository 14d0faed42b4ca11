"""A table of pairs is related as the space relates them, and a run that was stopped goes on."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.errors import CannotWrite, InvalidInput, PairsFileError
from entvec.evidence import RELATIONS
from entvec.evidence.relations import COLUMNS
from entvec.graphs import Taxonomy
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
FACTS = Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal"), ("cat", "animal")])


@pytest.fixture(scope="module")
def knowing(toys: EntailmentSpace) -> EntailmentSpace:
    """The toy world, of which some things are known."""
    return toys.with_knowledge(FACTS)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Pairs with words that are missing, and with none."""
    hypo = ["poodle", "unicorn", "cat", None, "dog", "", "poodle"]
    hyper = ["animal", "animal", "dog", "animal", "poodle", "dog", "stone"]
    pq.write_table(pa.table({"hypo": hypo, "n": range(7), "hyper": hyper}), tmp_path / "pairs.parquet")
    return tmp_path / "pairs.parquet"


def related(space: EntailmentSpace, table: Path, name: str = "related.parquet", **options: Any) -> pa.Table:
    bulk.relate_table(space, table, table.parent / name, **options)
    return pq.read_table(table.parent / name)


def test_answers_are_those_of_the_space(knowing: EntailmentSpace, table: Path) -> None:
    found = related(knowing, table, precision=0.6, base_rates={"narrower": 0.3})
    assert found.schema.names == ["hypo", "n", "hyper", *COLUMNS]
    for row in found.to_pylist():
        if row["n"] in (1, 3, 5):
            assert {row[name] for name in COLUMNS} == {None}
            continue
        expected = knowing.relation(row["hypo"], row["hyper"], precision=0.6, base_rates={"narrower": 0.3}).to_dict()
        assert {name: row[name] for name in COLUMNS} == pytest.approx({name: expected[name] for name in COLUMNS})
        without_evidence = row["hyper"] == "stone"
        assert [row[name] is None for name in RELATIONS] == [without_evidence] * 7
        assert (row["relation"] == "unknown") >= without_evidence


def test_missing_words_are_counted(knowing: EntailmentSpace, table: Path) -> None:
    done = bulk.relate_table(knowing, table, table.parent / "related.parquet")
    assert (done.rows, done.unknown, done.examples) == (7, 3, ("unicorn",))


def test_partitions_and_processes_do_not_matter(knowing: EntailmentSpace, table: Path) -> None:
    whole, parts = related(knowing, table), related(knowing, table, "parts.parquet", partition_size=2)
    assert parts["relation"].equals(whole["relation"])
    assert parts["narrower"].to_pylist() == pytest.approx(whole["narrower"].to_pylist())
    assert related(knowing, table, "processes.parquet", partition_size=2, processes=2).equals(parts)


def test_a_run_that_was_stopped_goes_on(knowing: EntailmentSpace, table: Path) -> None:
    def stop(progress: JobProgress) -> None:
        if progress.rows >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        related(knowing, table, partition_size=2, progress=stop)
    done = bulk.relate_table(knowing, table, table.parent / "related.parquet", partition_size=2)
    assert done.earlier == 4
    assert pq.read_table(done.path).num_rows == 7


@pytest.mark.parametrize("change", [{"precision": 0.9}, {"base_rates": {"same": 0.3}}, {"knowledge": True}])
def test_it_is_another_job_if_what_decides_has_changed(
    knowing: EntailmentSpace, table: Path, change: dict[str, Any]
) -> None:
    related(knowing, table)
    if change.pop("knowledge", False):
        knowing = knowing.with_knowledge(Taxonomy.from_edges([("stone", "thing")]))
    with pytest.raises(CannotWrite, match="there already"):
        related(knowing, table, **change)


def test_what_cannot_be_related_is_refused(toys: EntailmentSpace, knowing: EntailmentSpace, table: Path) -> None:
    with pytest.raises(InvalidInput, match="knows nothing besides its vectors"):
        related(toys, table)
    with pytest.raises(InvalidInput, match=r"precision is 0.2"):
        related(knowing, table, precision=0.2)
    with pytest.raises(InvalidInput, match="base rate of 'kind'"):
        related(knowing, table, base_rates={"kind": 0.5})
    related(knowing, table)
    with pytest.raises(PairsFileError, match="it has a column relation already"):
        related(knowing, table.parent / "related.parquet", "again.parquet")
