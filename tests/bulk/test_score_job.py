"""A table of pairs is scored as the space scores them, and carries its columns along."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.errors import CannotWrite, InvalidInput, PairsFileError
from entvec.space import EntailmentSpace

pytestmark = pytest.mark.usefixtures("one_process")
neighbours = partial(bulk.neighbours, partition_size=32)
score_table = partial(bulk.score_table, partition_size=100)


def scored(space: EntailmentSpace, table: pa.Table, folder: Path, **options: Any) -> pa.Table:
    pq.write_table(table, folder / "pairs.parquet")
    score_table(space, folder / "pairs.parquet", folder / "scored.parquet", **options)
    return pq.read_table(folder / "scored.parquet")


def test_a_dog_is_an_animal(toys: EntailmentSpace, tmp_path: Path) -> None:
    found = scored(toys, pa.table({"hypo": ["dog", "animal"], "hyper": ["animal", "dog"]}), tmp_path)
    there, back = found["score"].to_pylist()
    assert there == pytest.approx(toys.score("dog", "animal"), rel=1e-5)
    assert there > back
    assert found.schema.names == ["hypo", "hyper", "score"]
    assert not (tmp_path / "scored.parquet.job").exists()


def test_scores_and_probabilities_are_those_of_the_space(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    done = score_table(space, pairs, tmp_path / "scored.parquet")
    found = pq.read_table(tmp_path / "scored.parquet")
    assert found.drop(["score", "probability"]).equals(pq.read_table(pairs))
    known = found.filter(found["score"].is_valid())
    hypo, hyper = known["hypo"].to_pylist(), known["hyper"].to_pylist()
    np.testing.assert_allclose(known["score"].to_numpy(), space.score(hypo, hyper), rtol=1e-4)
    np.testing.assert_allclose(known["probability"].to_numpy(), space.probability(hypo, hyper), atol=1e-4)
    unknown = found.filter(found["score"].is_null())
    assert set(unknown["probability"].to_pylist()) == {None}
    assert all(row["hypo"] not in space or row["hyper"] not in space for row in unknown.to_pylist())
    assert (done.rows, done.unknown) == (1000, unknown.num_rows)
    assert set(done.examples) == {"word_300", "word_301", "word_302"}
    assert done.size == (tmp_path / "scored.parquet").stat().st_size


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("operator", ["forward", "factorised", "weighted_cosine", "cosine"])
def test_every_operator_and_kind_of_number_is_scored(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, operator: str, dtype: str
) -> None:
    other = EntailmentSpace.from_vectors(space.vectors, interpretation="unk_dup", operator=operator, dtype=dtype)
    score_table(other, pairs, tmp_path / "scored.parquet")
    found = pq.read_table(tmp_path / "scored.parquet")
    known = found.filter(found["score"].is_valid())
    expected = other.score(known["hypo"].to_pylist(), known["hyper"].to_pylist())
    tolerance = 1e-9 if dtype == "float64" else 2e-4
    np.testing.assert_allclose(known["score"].to_numpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "delimiter"), [("pairs.csv", ","), ("pairs.tsv", "\t")])
def test_a_text_has_the_scores_of_the_same_parquet_file(
    space: EntailmentSpace, pairs: Path, tmp_path: Path, name: str, delimiter: str
) -> None:
    rows = [["n", "hypo", "hyper"], *(map(str, row.values()) for row in pq.read_table(pairs).to_pylist())]
    (tmp_path / name).write_text("".join(f"{delimiter.join(row)}\n" for row in rows))
    score_table(space, pairs, tmp_path / "a.parquet")
    score_table(space, tmp_path / name, tmp_path / "b.parquet")
    of_parquet, of_text = (pq.read_table(tmp_path / file) for file in ("a.parquet", "b.parquet"))
    assert of_text["score"].to_pylist() == of_parquet["score"].to_pylist()
    assert of_text["n"].to_pylist() == [str(n) for n in range(1000)]


def test_all_kinds_of_columns_are_carried_along(toys: EntailmentSpace, tmp_path: Path) -> None:
    table = pa.table(
        {
            "hyper": pa.array(["animal", None, "thing"]).dictionary_encode(),
            "list": [[{"a": 1}], [], None],
            "child": pa.array(["dog", "dog", "unicorn"], pa.large_string()),
            "score of somebody": [0.5, None, float("nan")],
        }
    ).replace_schema_metadata({"made by": "somebody"})
    found = scored(toys, table, tmp_path, hypo="child")
    as_it_was = pq.read_table(tmp_path / "pairs.parquet").schema
    assert found.drop(["score"]).schema.equals(as_it_was, check_metadata=True)
    assert found["list"].to_pylist() == table["list"].to_pylist()
    assert found["hyper"].to_pylist() == ["animal", None, "thing"]
    assert [score is None for score in found["score"].to_pylist()] == [False, True, True]


def test_the_index_of_a_pandas_table_is_carried_along(toys: EntailmentSpace, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"hypo": ["dog", "cat"], "hyper": ["animal", "animal"]}, index=["first", "second"])
    frame.to_parquet(tmp_path / "pairs.parquet")
    score_table(toys, tmp_path / "pairs.parquet", tmp_path / "scored.parquet")
    found = pandas.read_parquet(tmp_path / "scored.parquet")
    assert list(found.columns) == ["hypo", "hyper", "score"]
    assert list(found.index) == ["first", "second"]


def test_the_same_word_may_be_on_both_sides(toys: EntailmentSpace, tmp_path: Path) -> None:
    found = scored(toys, pa.table({"word": ["dog"]}), tmp_path, hypo="word", hyper="word")
    assert found["score"].to_pylist() == [pytest.approx(toys.score("dog", "dog"), rel=1e-5)]


def test_a_table_without_rows_becomes_one(space: EntailmentSpace, tmp_path: Path) -> None:
    schema = pa.schema([("hypo", pa.string()), ("hyper", pa.string())])
    found = scored(space, schema.empty_table(), tmp_path)
    assert found.num_rows == 0
    assert found.schema.names == ["hypo", "hyper", "score", "probability"]


def test_progress_goes_from_nothing_to_all(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    told: list[JobProgress] = []
    score_table(space, pairs, tmp_path / "scored.parquet", progress=told.append)
    assert [progress.rows for progress in told] == list(range(0, 1001, 100))
    assert [progress.part for progress in told] == pytest.approx(np.linspace(0, 1, 11))


def test_an_older_file_is_replaced_when_the_new_one_is_whole(
    space: EntailmentSpace, pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scored.parquet"
    output.write_text("old")
    output.chmod(0o600)

    def look(progress: JobProgress) -> None:
        assert output.read_text() == "old"

    score_table(space, pairs, output, restart=True, progress=look)
    assert pq.read_table(output).num_rows == 1000
    assert output.stat().st_mode & 0o777 == 0o600


def test_a_file_of_something_else_is_replaced_only_by_who_says_so(
    space: EntailmentSpace, pairs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "scored.parquet"
    output.write_text("of another program")
    with pytest.raises(
        CannotWrite, match="there already, with something else; choose another name, or replace it with restart=True"
    ):
        score_table(space, pairs, output)
    assert output.read_text() == "of another program"
    score_table(space, pairs, output, restart=True)
    with pytest.raises(CannotWrite, match="there already"):
        neighbours(space, output)
    with pytest.raises(CannotWrite, match="there already"):
        score_table(space.with_calibration(None), pairs, output)


def test_what_is_finished_is_not_done_again(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scored.parquet"
    first = score_table(space, pairs, output)
    written = output.stat().st_mtime_ns
    again = score_table(space, pairs, output)
    assert (again.rows, again.earlier, again.size, again.seconds) == (first.rows, first.rows, first.size, 0.0)
    assert output.stat().st_mtime_ns == written


def test_a_table_that_changes_meanwhile_is_an_error(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    table = tmp_path / "pairs.parquet"
    table.write_bytes(pairs.read_bytes())

    def touch(progress: JobProgress) -> None:
        if progress.part == 1:
            table.write_bytes(pairs.read_bytes() + b"x")

    with pytest.raises(PairsFileError, match="it has changed while it was scored"):
        score_table(space, table, tmp_path / "scored.parquet", progress=touch)
    assert not (tmp_path / "scored.parquet").exists()


def test_what_makes_no_sense_is_refused(space: EntailmentSpace, pairs: Path, tmp_path: Path) -> None:
    for name, problem in {"scored.json": "ends in .parquet", "no/scored.parquet": "there is no folder"}.items():
        with pytest.raises(CannotWrite, match=problem):
            score_table(space, pairs, tmp_path / name)
    with pytest.raises(InvalidInput, match="is the table itself"):
        score_table(space, pairs, pairs)
    with pytest.raises(InvalidInput, match="processes is 0, expected 1 or more"):
        score_table(space, pairs, tmp_path / "scored.parquet", processes=0)
    with pytest.raises(InvalidInput, match="expected one of them"):
        score_table(space, pairs, tmp_path / "scored.parquet", processes=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(InvalidInput, match="expected an EntailmentSpace or the folder of one"):
        score_table(None, pairs, tmp_path / "scored.parquet")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_words_that_must_be_there_may_be_so_in_the_output(toys: EntailmentSpace, tmp_path: Path) -> None:
    fields = [pa.field("hypo", pa.string(), nullable=False, metadata={"said": "by a parent"}), ("hyper", pa.string())]
    found = scored(toys, pa.table({"hypo": ["dog"] * 150, "hyper": ["cat"] * 150}, pa.schema(fields)), tmp_path)
    assert found.schema.field("hypo").type == pa.string()
    assert not found.schema.field("hypo").nullable
    assert found.schema.field("hypo").metadata[b"said"] == b"by a parent"
    assert found.num_rows == 150


def test_a_process_does_not_import_what_it_does_not_need(saved: Path, tmp_path: Path) -> None:
    # Both take as long as half a million pairs, in each process.
    pq.write_table(pa.table({"hypo": ["word_1"], "hyper": ["word_2"]}), tmp_path / "pairs.parquet")
    script = (
        "import sys; from entvec.bulk import score_table; score_table(*sys.argv[1:]);"
        "print([name for name in ('pandas', 'pyarrow.compute') if name in sys.modules])"
    )
    paths = [str(saved), str(tmp_path / "pairs.parquet"), str(tmp_path / "scored.parquet")]
    ended = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, check=True)  # noqa: S603
    assert ended.stdout == "[]\n"
