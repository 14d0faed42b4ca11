"""Benchmarks are read from the files that people publish, and broken ones are named with their line."""

from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.errors import BenchmarkFileError
from entvec.evaluate.benchmark import Benchmark, read_benchmark
from entvec.vectors import Vectors


def written(folder: Path, text: str, name: str = "pairs.tsv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_weeds_json(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, '[["dog", "animal", 1], ["animal", "dog", 0]]', "weeds.json"))
    assert (found.name, found.kind, len(found)) == ("weeds", "detection", 2)
    assert found.pairs.tolist() == [["dog", "animal"], ["animal", "dog"]]
    assert found.positive.tolist() == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "word1\tword2\tlabel\trelation\tfold\ndog\tanimal\tTrue\thyper\ttest\ncat\tdog\tFalse\tcoord\tval\n",
        "dog\tanimal\t1\thyper\ttest\ncat\tdog\t0\tcoord\tval\n",
        "\ufeffword1\tword2\tlabel\trelation\tfold\r\ndog\tanimal\tTrue\thyper\ttest\r\ncat\tdog\tFalse\tcoord\tval\r\n",
        "relation\tfold\tlabel\tword1\tword2\nhyper\ttest\t1\tdog\tanimal\ncoord\tval\t0\tcat\tdog",
    ],
    ids=["names", "no names", "Windows", "another order"],
)
def test_tables_of_the_suites(tmp_path: Path, text: str) -> None:
    found = read_benchmark(written(tmp_path, text))
    assert found.pairs.tolist() == [["dog", "animal"], ["cat", "dog"]]
    assert found.labels.tolist() == [1, 0]
    assert found.relations == ("hyper", "coord")
    assert found.folds == ("test", "val")


def test_a_table_of_three_columns(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, "word1\tword2\tlabel\ndog\tanimal\tTrue\n"))
    assert (found.relations, found.folds) == (None, None)


def test_three_way_labels_are_a_benchmark_of_direction(tmp_path: Path) -> None:
    assert read_benchmark(written(tmp_path, "dog\tanimal\t1\nanimal\tdog\t-1\ndog\tcat\t0\n")).kind == "direction"


def test_scores_are_a_graded_benchmark(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, "WORD1 WORD2 AVG_SCORE\ndog animal 5.5\ncat dog 1.25\n", "hyperlex.txt"))
    assert (found.kind, found.labels.tolist()) == ("graded", [5.5, 1.25])


def test_pairs_without_vectors_are_left_out() -> None:
    vectors = Vectors(["dog", "animal"], np.eye(2))
    benchmark = Benchmark(
        "b", ("dog", "dog", "elf"), ("animal", "elf", "dog"), np.array([1.0, 0, 0]), folds=("a", "b", "c")
    )
    covered = benchmark.covered_by(vectors)
    assert (covered.pairs.tolist(), covered.labels.tolist(), covered.folds) == ([["dog", "animal"]], [1], ("a",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected columns word1, word2 and label, found 0 columns"),
        ("word1\tword2\tlabel\n", "expected pairs, found none"),
        ("dog\tanimal\t1\ncat\tanimal\n", "line 2: expected 3 columns, found 2"),
        ("dog\tanimal\tmaybe\n", "line 1: expected True or False, or 1, 0, -1 as label, found 'maybe'"),
        ("word1\tword2\tscore\ndog\tanimal\thigh\n", "line 2: expected a number as label, found 'high'"),
        ("[1, 2", "expected JSON, found something else"),
        ('[["dog", "animal"]]', r"pair 1: expected \[hypo, hyper, 1 or 0\], found \['dog', 'animal'\]"),
        ("[]", "expected pairs, found none"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BenchmarkFileError, match=message):
        read_benchmark(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkFileError, match="it cannot be read: No such file"):
        read_benchmark(tmp_path / "none.tsv")


@pytest.mark.parametrize(
    ("file", "pairs", "positive", "covered"),
    [("weeds-bless.json", 1668, 834, 1219), ("baroni2012.tsv", 2770, 1385, 2029)],
)
def test_the_real_ones(shared_data: Path, file: str, pairs: int, positive: int, covered: int) -> None:
    found = read_benchmark(shared_data / file)
    assert (len(found), found.positive.sum(), len(found.covered_by(google_news()))) == (pairs, positive, covered)
