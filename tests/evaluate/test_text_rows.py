"""Rows that rest on texts alone."""

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.detection import Scores, measure
from entvec.evaluate.text_rows import text_scores
from entvec.text import Evidence, TextEvidence
from entvec.vectors import Vectors

WORDS = ["dog", "hound", "cat", "animal", "oak", "elm", "tree", "stone"]
NEAR = np.eye(8, dtype=np.float32)
NEAR[1] = NEAR[0] + 0.1 * NEAR[7]
NEAR[5] = NEAR[4] + 0.1 * NEAR[7]
VECTORS = Vectors(WORDS, NEAR)
NAMED = [("dog", "animal"), ("cat", "animal"), ("oak", "tree")]
TEXT = TextEvidence.of([Evidence(hypo, hyper, "is-a", 2, 2, ()) for hypo, hyper in NAMED])
PAIRS = Benchmark(
    "pairs",
    ("dog", "hound", "elm", "dog", "stone"),
    ("animal", "animal", "tree", "tree", "animal"),
    np.array([1, 1, 1, 0, 0]),
)


def rows(text: TextEvidence = TEXT) -> dict[str, Scores]:
    return {row.operator: row for row in text_scores(PAIRS, VECTORS, text)}


def test_counts_tell_pairs_that_are_named_and_their_direction() -> None:
    there, back = rows()["patterns"].there, rows()["patterns"].back
    assert there[0] > 0
    assert there[1:].tolist() == [0, 0, 0, 0]
    assert back.tolist() == [0] * 5


def test_a_pair_without_counts_borrows_from_words_that_are_used_alike() -> None:
    there = rows()["smoothed"].there
    assert min(there[1], there[2]) > 2 * max(there[3], there[4])
    assert rows()["SVD"].there[1] == 0  # no text names a hound


def test_the_sum_has_both() -> None:
    fused = rows()["fused"]
    assert measure(PAIRS, fused).measures["accuracy_at_half"].value > 0.5
    assert (fused.interpretation, fused.supervision) == ("text", "text")


def test_terms_without_vectors_and_no_rows_are_no_trouble() -> None:
    others = TextEvidence.of([Evidence("unicorn", "beast", "is-a", 1, 1, ())])
    assert rows(others)["smoothed"].there.tolist() == [0] * 5
    with pytest.raises(InvalidInput, match="the evidence has no rows"):
        rows(TextEvidence.of())
