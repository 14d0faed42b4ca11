from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bulk import merging
from entvec.bulk.merging import MergedOutput, added_rows, arrow_of, evidence_columns, read_rows
from entvec.text.extraction.extractor import Evidence, Example

NAMES = st.sampled_from(["a", "b", "é", "", "Z"])
KEYS = st.tuples(NAMES, NAMES, st.sampled_from(["is-a", "such-as"]))
PARTS = st.lists(st.lists(KEYS, unique=True).map(sorted), max_size=5)


def rows_of(keys: list[tuple[str, str, str]], part: int) -> list[Evidence]:
    return [Evidence(*key, part + 1, 1, (Example(f"s{part}", f"f{part}", part),)) for key in keys]


@given(PARTS)
def test_merged_rows_are_sorted_and_added(parts: list[list[tuple[str, str, str]]]) -> None:
    found = list(added_rows(iter(rows_of(keys, i)) for i, keys in enumerate(parts)))
    assert [row.key for row in found] == sorted({key for keys in parts for key in keys})
    for row in found:
        of = [i for i, keys in enumerate(parts) if row.key in keys]
        assert (row.count, row.documents) == (sum(i + 1 for i in of), len(of))
        assert [example.offset for example in row.examples] == of[:3]


@pytest.mark.parametrize("together", [2, 200])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_the_output_is_the_same_however_many_parts_are_merged_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, together: int
) -> None:
    monkeypatch.setattr(merging, "TOGETHER", together)
    output = MergedOutput(tmp_path / "output", evidence_columns(), "the job", 0)
    for i in range(n):
        part = tmp_path / f"part-{i}"
        part.write_bytes(arrow_of(rows_of([("dog", "animal", "is-a"), ("dog", "pet", str(i))], i)))
        assert [row.count for row in read_rows(part)] == [i + 1, i + 1]
        output.add(part)
    output.finish(tmp_path / "out.parquet")
    output.close()
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert len(rows) == n + (n > 0)
    if n == 9:
        assert (rows[0]["count"], rows[0]["documents"], len(rows[0]["examples"])) == (45, 9, 3)
    found = MergedOutput.finished(tmp_path / "out.parquet")
    assert found is not None
    assert found.job == "the job"
