"""Tables in spaces with an encoder: words without a vector are read, and a column of definitions with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from entvec import bulk
from entvec.bundled import encoder, encoder_map, wordnet_knowledge
from entvec.space import EntailmentSpace

SPACE = EntailmentSpace.from_encoder(encoder("static"), ["shoe", "dog", "disease"], map=encoder_map("static"))
ROWS = [
    ("dog", "disease", ""),
    ("running shoes", "shoe", ""),
    ("wug", "dog", "a dog of a small breed"),
    ("dog", "shoe", "a shoe that is worn by dogs"),
    ("", "dog", "nothing"),
]


def answered(job: Any, space: Any, folder: Path, **options: Any) -> list[dict[str, Any]]:
    table = folder / "pairs.csv"
    table.write_text("hypo,hyper,definition\n" + "".join(f"{y},{x},{told}\n" for y, x, told in ROWS))
    done = job(space, table, folder / "answered.parquet", **options)
    assert (done.rows, done.unknown) == (5, 1)
    return pyarrow.parquet.read_table(done.path).to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_scores_are_those_of_the_space(tmp_path: Path, processes: int) -> None:
    found = answered(bulk.score_table, SPACE, tmp_path, processes=processes)
    for row, (hypo, hyper, told) in zip(found[:4], ROWS, strict=False):
        assert row["score"] == pytest.approx(SPACE.score(hypo, hyper, definition=told or None), rel=1e-5)
        assert 0 < row["probability"] < 1
    assert found[4]["score"] is None


def test_relations_are_those_of_the_space(tmp_path: Path) -> None:
    known = SPACE.with_knowledge(wordnet_knowledge())
    found = answered(bulk.relate_table, known, tmp_path, precision=0.5)
    for row, (hypo, hyper, told) in zip(found[:4], ROWS, strict=False):
        alone = known.relation(hypo, hyper, definition=told or None, precision=0.5)
        assert row["relation"] == alone.relation
        assert row["narrower"] == pytest.approx(alone.probabilities["narrower"], abs=1e-4)
    assert found[4]["relation"] is None


def test_without_an_encoder_the_column_is_carried_along(tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text("hypo,hyper,definition\ndog,shoe,a shoe\n")
    done = bulk.score_table(SPACE.with_encoder(None), table, tmp_path / "scored.parquet")
    [row] = pyarrow.parquet.read_table(done.path).to_pylist()
    assert row["definition"] == "a shoe"
    assert row["score"] == pytest.approx(SPACE.score("dog", "shoe"), rel=1e-5)
