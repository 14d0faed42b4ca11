"""The paper's experiments on a small world: every row is there, with the paper's numbers beside it, in every file."""

import json
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from entvec.errors import CannotFetch, CannotWrite, InvalidInput
from entvec.evaluate import detection, learned_maps, paper, report, reproduction
from entvec.evaluate.benchmark import Benchmark, find_benchmark
from entvec.evaluate.detection import Scores
from entvec.evaluate.reproduction import Reproduction, reproduce
from entvec.vectors import Vectors, read


@pytest.fixture(scope="module")
def told() -> list[tuple[str, float]]:
    """What was told on the way."""
    return []


@pytest.fixture(scope="module")
def found(small_world: Path, told: list[tuple[str, float]]) -> Reproduction:
    vectors = read(small_world / "vectors.safetensors")
    with pytest.MonkeyPatch.context() as patch:  # fewer fits in the nested folds, to be quick
        patch.setattr(learned_maps, "STRENGTHS", (0.01, 0.1))
        patch.setattr(learned_maps, "INNER_FOLDS", 2)
        return reproduce(vectors, folder=small_world, repetitions=1, jobs=1, progress=lambda *what: told.append(what))


@pytest.fixture(scope="module")
def written(found: Reproduction, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduction") / "new" / "folder"
    report.write(found, folder, command="entvec reproduce")
    return folder


def test_all_rows_of_the_paper_are_there_with_its_numbers(found: Reproduction) -> None:
    main, baroni = found.tables
    rows = [line.reported for line in main.lines if line.group in ("unsupervised", "mapped")]
    assert rows == [*paper.UNSUPERVISED, *paper.MAPPED]
    assert [line.group for line in main.lines].count("beyond") == 3
    for table in (main, baroni):
        assert [line.result.operator for line in table.lines[-2:]] == ["second word only", "frequency only"]
    assert len(baroni.lines) == len(paper.UNSUPERVISED) + 2
    assert found.missing == ""


def test_what_is_done_is_told_on_the_way(found: Reproduction, told: list[tuple[str, float]]) -> None:
    done = [round(part, 9) for _, part in told]
    assert done == sorted(done)
    assert done[-1] < 1
    assert {"mapped backward", "nested folds", "fitting to WordNet"} <= {what for what, _ in told}


def test_without_the_benchmarks_the_bundled_one_stands_in(
    small_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = find_benchmark(small_world / "weeds-bless.json")

    def offline(name: str, *, folder: Path | None = None) -> object:
        if name == "wordnet":
            return replace(small, name="wordnet")
        raise CannotFetch("no network")

    repetitions: list[int] = []

    def quick(benchmark: Benchmark, vectors: Vectors, operator: str = "backward", **settings: Any) -> Scores:
        repetitions.append(settings["repetitions"])
        return replace(detection.score(benchmark, vectors, "dup", operator), interpretation="mapped")

    monkeypatch.setattr(reproduction, "find_benchmark", offline)
    monkeypatch.setattr(learned_maps, "cross_validated", quick)
    found = reproduce(read(small_world / "vectors.safetensors"), folder=tmp_path)
    assert repetitions == [3, 3, 3, 3, 1, 3]
    assert found.missing == "no network"
    assert found.stands_in
    assert len(found.tables) == 1
    assert {line.reported for line in found.tables[0].lines} == {None}
    assert "stands in for them" in report.html(found, b"")
    assert "paper (" not in "\n".join(report.markdown(found))


def test_the_json_has_the_rows_of_evaluate_and_the_papers(written: Path) -> None:
    told = json.loads((written / "table.json").read_text(encoding="utf-8"))
    weeds = told["benchmarks"][0]
    assert (weeds["benchmark"], weeds["pairs"], weeds["skipped"]) == ("weeds-bless", 60, 1)
    row = next(row for row in weeds["rows"] if (row["interpretation"], row["operator"]) == ("mapped", "backward"))
    assert row["paper"] == {"accuracy_at_half": 0.801, "direction_accuracy": 0.9}
    assert row["supervision"] == "cross-entropy"
    assert 0 <= row["accuracy_at_half_low"] <= row["accuracy_at_half"] <= row["accuracy_at_half_high"] <= 1
    assert set(row["calibration_error"]) == {"as fitted", "platt", "isotonic"}
    assert told["command"] == "entvec reproduce"
    assert "numpy" in told["versions"]


class Sound(HTMLParser):
    """Tags that are closed in order, and every address that the page points to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_sound_file(written: Path) -> None:
    page = Sound()
    text = (written / "report.html").read_text(encoding="utf-8")
    page.feed(text)
    assert page.open == []
    assert all(address.startswith(("data:image/svg+xml;base64,", "https://arxiv.org/")) for address in page.addresses)
    assert "$" not in text.split("<body>")[1]
    for row in (*paper.UNSUPERVISED, *paper.MAPPED):
        assert f"{row.interpretation} {row.operator}" in text
        assert escape(row.comment) in text


def test_the_markdown_has_a_full_row_for_each_measured_one(written: Path, found: Reproduction) -> None:
    lines = (written / "table.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| **")]
    assert len(rows) == sum(len(table.lines) + 1 for table in found.tables)
    assert {line.count(" | ") for line in rows[: len(found.tables[0].lines) + 1]} == {5}


def test_figures_are_written_in_both_formats(written: Path) -> None:
    assert (written / "figure1.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (written / "figure1.svg").read_bytes()
    assert sorted(path.name for path in written.iterdir()) == sorted(report.FILES)


def test_a_row_says_whether_it_agrees_with_the_paper(found: Reproduction) -> None:
    for line in found.tables[0].lines:
        value = line.result.measures["accuracy_at_half"]
        if line.reported and line.reported.accuracy_at_half:
            inside = value.low - 0.0005 <= line.reported.accuracy_at_half <= value.high + 0.0005
            assert ("the paper's 50% Acc" in report.comment(line)) == (not inside)


def test_a_folder_that_is_a_file_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CannotWrite, match="there is a file of that name"):
        report.check_folder(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_vocabulary_without_the_pairs_says_so(small_world: Path) -> None:
    with pytest.raises(InvalidInput, match="weeds-bless has no pairs"):
        reproduce(Vectors(["dog", "animal"], [[1.0, 2.0], [1.0, -2.0]]), folder=small_world, repetitions=1, jobs=1)


def test_one_benchmark_of_the_two_is_better_than_none(
    small_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(name: str, *, folder: Path) -> object:
        if name == "baroni2012":
            raise CannotFetch("no network")
        return find_benchmark(name, folder=folder)

    monkeypatch.setattr(reproduction, "find_benchmark", offline)
    monkeypatch.setattr(reproduction, "_rows", lambda *_, **__: iter(()))
    found = reproduce(read(small_world / "vectors.safetensors"), folder=small_world)
    assert [table.benchmark.name for table in found.tables] == ["weeds-bless"]
    assert not found.stands_in
    assert "One benchmark of the paper is not here" in report.what_is_missing(found)


def test_a_file_that_cannot_be_replaced_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "table.md").mkdir()
    with pytest.raises(CannotWrite, match=r"table\.md: it is a folder"):
        report.check_folder(tmp_path)
