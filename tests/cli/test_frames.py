"""`to_frame` of a result has the columns and rows that its command prints as TSV."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from entvec.bundled import bundled_knowledge, google_news, toy_world
from entvec.cli import app
from entvec.evaluate import detection, discovery
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.taxonomy import Taxonomy, audit, common, neighbourhood, place
from entvec.vectors import Vectors

WORLD = toy_world()
PLAIN = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", specificity=0)
TOYS = PLAIN.with_calibration(Calibration.platt(1.0, 2.0))
KNOWING = TOYS.with_knowledge(bundled_knowledge())
EDGES = [("poodle", "dog"), ("dog", "animal"), ("poodle", "animal"), ("animal", "poodle")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frames")
    TOYS.save(path / "toys")
    PLAIN.save(path / "plain")
    (path / "pets.tsv").write_text("".join(f"{hypo}\t{hyper}\n" for hypo, hyper in EDGES))
    return path


RESULTS: dict[str, Callable[[], Any]] = {
    "hypernyms poodle --space toys --knowledge none": lambda: TOYS.hypernyms("poodle"),
    "hypernyms poodle cat -k 2 --group --space toys --knowledge none": lambda: TOYS.hypernyms(
        ["poodle", "cat"], 2, group=True
    ),
    "hyponyms dog qqqq animal -k 4 --space toys --knowledge none": lambda: TOYS.hyponyms(
        ["dog", "qqqq", "animal"], 4, missing="nan"
    ),
    "hypernyms dog -k 0 --space toys --knowledge none": lambda: TOYS.hypernyms("dog", 0),
    "hypernyms poodle cat --least 0 --space toys": lambda: KNOWING.hypernyms(["poodle", "cat"]),
    "hypernyms dog --space plain": lambda: PLAIN.hypernyms("dog"),
    "explain dog animal -k 2 --dimensions --space toys": lambda: TOYS.explain("dog", "animal", 2),
    "taxonomy place puppy --like poodle --space toys": lambda: place("puppy", TOYS, like=["poodle"]),
    "taxonomy common poodle cat --space toys": lambda: common(["poodle", "cat"], TOYS, group=True),
    "taxonomy audit pets.tsv --space toys": lambda: audit(Taxonomy.from_edges(EDGES), KNOWING),
}


@pytest.mark.parametrize("command", RESULTS)
def test_a_frame_is_what_the_command_prints(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, [*command.split(), "--format", "tsv"])
    assert done.stdout, (done.exit_code, done.stderr, done.exception)
    printed = pd.read_csv(StringIO(done.stdout), sep="\t", keep_default_na=False, na_values=[""])
    found = RESULTS[command]().to_frame()
    assert list(found.columns) == list(printed.columns)
    assert len(found) == len(printed)
    for name in found.columns:
        column, cells = found[name].replace("", None), printed[name]
        if pd.api.types.is_numeric_dtype(column):
            np.testing.assert_allclose(column.astype(float), cells.astype(float), atol=6e-5)
        else:
            assert [None if pd.isna(cell) else cell for cell in column] == [
                None if pd.isna(cell) else cell for cell in cells
            ]


def test_forms_are_listed_beside_their_word() -> None:
    words = ["dog", "dogs", "animal", "animals", "cat"]
    space = EntailmentSpace.from_vectors(google_news().subset(words))
    found = space.hypernyms("cat", group=True)
    frame = found.to_frame()
    assert frame["variants"].tolist() == [" ".join(match.variants) for match in found]
    assert set(frame["variants"]) == {"dogs", "animals"}
    assert space.hypernyms(["cat", "dog"], group=True).to_frame().iloc[: len(frame)].equals(frame)


def test_a_batch_is_the_frames_of_its_queries() -> None:
    words = ["dog", "poodle", "cat"]
    batch = TOYS.hypernyms(words, 3)
    alone = pd.concat([TOYS.hypernyms(word, 3).to_frame() for word in words], ignore_index=True)
    pd.testing.assert_frame_equal(batch.to_frame(), alone)
    assert TOYS.hypernyms(WORLD.log_odds()[:2], 1).to_frame()["query"].isna().all()


def test_edges_come_back_from_a_frame() -> None:
    made = neighbourhood("dog", TOYS).taxonomy
    frame = made.to_frame()
    assert list(frame.columns) == ["hypo", "hyper", "probability"]
    assert Taxonomy.from_edges(frame, terms=made.terms).equals(made)


def test_rows_of_an_evaluation_make_a_table() -> None:
    pairs = Benchmark("toys", ("dog", "poodle", "cat"), ("animal", "dog", "dog"), np.array([1.0, 1.0, 0.0]))
    rows = [
        detection.measure(pairs, detection.score_in(TOYS, pairs)),
        discovery.measure("backward", "dup", 0.5, {"all": np.array([1.0, 2.0])}),
        StudyResult.of_means("placement", "a parent", {"mrr": np.array([1.0, 0.5])}),
    ]
    for row in rows:
        [record] = row.to_frame().to_dict("records")  # type: ignore[attr-defined]
        assert list(record) == list(row.as_dict())  # type: ignore[attr-defined]
