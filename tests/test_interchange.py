"""Words and tables of other libraries are accepted wherever words are, and results become DataFrames."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.discovery import ask
from entvec.interchange import data_frame, row_list, word_list
from entvec.learn import EntailmentMap, LexicalKFold
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.taxonomy import Taxonomy, abstractions, common, induce, neighbourhood, place
from entvec.theory import EntailmentGraph
from entvec.vectors import Vectors

WORLD = toy_world()
VECTORS = Vectors(WORLD.words, WORLD.log_odds())
SPACE = EntailmentSpace.from_vectors(VECTORS, interpretation="log_odds", specificity=0.0).with_calibration(
    Calibration.platt(1.0, 2.0)
)
HYPO, HYPER = ["poodle", "dog", "cat"], ["dog", "animal", "animal"]
COLUMNS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "NumPy": np.array,
    "NumPy, objects": lambda words: np.array(words, dtype=object),
    "NumPy, StringDType": lambda words: np.array(words, dtype=np.dtypes.StringDType()),
    "Series": pd.Series,
    "Series with an index": lambda words: pd.Series(words, index=range(7, 7 + len(words))),
    "Series of objects": lambda words: pd.Series(words, dtype=object),
    "category": lambda words: pd.Series(words, dtype="category"),
    "Index": pd.Index,
    "column of a DataFrame": lambda words: pd.DataFrame({"word": words})["word"],
    "Arrow": pa.array,
}
USES: dict[str, Callable[[Callable[[list[str]], Any]], Any]] = {
    "score": lambda of: SPACE.score(of(HYPO), of(HYPER)).tolist(),
    "probability": lambda of: SPACE.probability(of(HYPO), "animal").tolist(),
    "verdict": lambda of: SPACE.verdict("dog", of(HYPER)).tolist(),
    "generality": lambda of: SPACE.generality(of(HYPER)).tolist(),
    "hypernyms": lambda of: SPACE.hypernyms(of(HYPO), 2).words,
    "hyponyms among some": lambda of: SPACE.hyponyms("animal", among=of(HYPO)).words,
    "spelled": lambda of: SPACE.spelled(of(HYPO)),
    "recall": lambda of: SPACE.recall(of(HYPO)),
    "calibrated": lambda of: SPACE.calibrated(of(HYPO), of(HYPER), [1, 0, 1]).calibration,
    "vectors": lambda of: VECTORS[of(HYPO)].tolist(),
    "rows": lambda of: VECTORS.rows(of(HYPO)).tolist(),
    "subset": lambda of: list(VECTORS.subset(of(HYPO))),
    "Vectors": lambda of: list(Vectors(of(HYPO), np.eye(3))),
    "terms": lambda of: Taxonomy.from_edges([], terms=of(HYPO)).terms,
    "induce": lambda of: induce(of(["poodle", "dog", "animal", "cat"]), SPACE).terms,
    "common": lambda of: common(of(HYPO), SPACE, 2, among=of(list(WORLD.words))).names,
    "abstractions": lambda of: abstractions(of(HYPO), SPACE, 2)[0].words,
    "place": lambda of: place("puppy", SPACE, like=of(["poodle"]), entails=of(["animal"])).parents.words,
    "neighbourhood": lambda of: neighbourhood(of(["dog"]), SPACE, above=2).to_dict(),
    "benchmark": lambda of: Benchmark("toys", of(HYPO), of(HYPER), np.ones(3)).pairs.tolist(),
    "discovery": lambda of: ask(of(["dog", "of"]), VECTORS).words,
    "graph": lambda of: _graph(of).infer().log_odds.tolist(),
}


def _graph(of: Callable[[list[str]], Any]) -> EntailmentGraph:
    graph = EntailmentGraph(2)
    graph.add_nodes(of(["poodle", "dog", "animal", "cat"]), 1.0)
    graph.add_entailments(of(HYPO), of(HYPER))
    return graph


@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "list"])
@pytest.mark.parametrize("use", USES)
def test_words_are_taken_from_any_column(use: str, column: str) -> None:
    assert repr(USES[use](COLUMNS[column])) == repr(USES[use](list))


@pytest.mark.parametrize("column", COLUMNS)
def test_words_become_plain_strings(column: str) -> None:
    found = word_list(COLUMNS[column](HYPO))
    assert found == HYPO
    assert {type(word) for word in found} == {str}


def test_iterables_of_all_kinds_are_read_once() -> None:
    assert word_list(word for word in HYPO) == word_list(dict.fromkeys(HYPO)) == HYPO
    assert word_list([]) == word_list(pd.Series([], dtype=str)) == []


CELL = "expected a string; drop empty cells, or fill them, first"
WRONG: list[tuple[Any, str]] = [
    ("dog", "words is 'dog', expected a list of words"),
    (b"dog", "words is b'dog', expected a list of words"),
    (5, "words is 5, expected a list of words"),
    (None, "words is None, expected a list of words"),
    (["dog", 5], r"words\[1\] is 5, expected a string"),
    (["dog", None], rf"words\[1\] is None, {CELL}"),
    (pd.Series(["dog", None]), rf"words\[1\] is (nan|None), {CELL}"),
    (pd.Series(["dog", float("nan")], dtype=object), rf"words\[1\] is nan, {CELL}"),
    (pd.array(["dog", pd.NA], dtype="string"), rf"words\[1\] is <NA>, {CELL}"),
    (pa.array(["dog", None]), rf"words\[1\] is None, {CELL}"),
    (np.array(["dog"], dtype="S"), r"words\[0\] is b'dog', expected a string; decode bytes first"),
    (np.arange(3), r"words\[0\] is 0, expected a string"),
    (pd.DataFrame({"a": ["dog"], "b": ["cat"]}), r"words has 2 dimensions, expected one column .*table\['word'\]"),
    (np.array([["dog", "cat"]]), "words has 2 dimensions"),
    (np.array("dog"), "words has 0 dimensions"),
]


@pytest.mark.parametrize(("words", "problem"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_column_of_words_is_told_with_its_place(words: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{problem}"):
        word_list(words)


def test_an_empty_cell_is_told_where_words_are_asked_for() -> None:
    some = pd.Series(["dog", None, "cat"])
    with pytest.raises(InvalidInput, match=rf"hypo\[1\] is (nan|None), {CELL}"):
        SPACE.score(some, "animal")
    with pytest.raises(InvalidInput, match=rf"edges\[1\]\[0\] is (nan|None), {CELL}"):
        Taxonomy.from_edges(zip(some, HYPER, strict=True))
    with pytest.raises(InvalidInput, match=r"hypo\[1\] is (nan|None)"):
        next(LexicalKFold(2).split(pd.DataFrame({"a": some, "b": HYPER})))


def test_a_table_is_not_taken_for_a_list_of_its_columns() -> None:
    table = pd.DataFrame({"dog": HYPO, "cat": HYPER})
    for ask_for in (SPACE.hypernyms, lambda words: SPACE.hypernyms("dog", among=words), VECTORS.rows):
        with pytest.raises(InvalidInput, match="2 dimensions, expected one column of words"):
            ask_for(table)


def test_vectors_may_come_in_a_table() -> None:
    table = pd.DataFrame(VECTORS[HYPO])
    np.testing.assert_array_equal(SPACE.score(table, "animal"), SPACE.score(VECTORS[HYPO], "animal"))
    assert SPACE.hypernyms(table.iloc[1], 2).words == SPACE.hypernyms(VECTORS["dog"], 2).words


@pytest.mark.parametrize("made", [pd.DataFrame, np.array])
def test_pairs_may_come_in_a_table(made: Any) -> None:
    pairs = list(zip(HYPO, HYPER, strict=True))
    table = made(pairs)
    plain = Taxonomy.from_edges(pairs)
    assert Taxonomy.from_edges(table).equals(plain)
    assert Taxonomy.from_edges([], negations=table).equals(Taxonomy.from_edges([], negations=pairs))
    assert plain.with_edges(table).equals(plain)
    assert induce(["dog"], SPACE, entails=table).equals(induce(["dog"], SPACE, entails=pairs))
    folds = LexicalKFold(2, random_state=0)
    for one, other in zip(folds.split(table), folds.split(pairs), strict=True):
        assert [rows.tolist() for rows in one] == [rows.tolist() for rows in other]


def test_a_table_of_edges_may_have_probabilities() -> None:
    table = pd.DataFrame({"hypo": HYPO, "hyper": HYPER, "probability": [0.5, None, 0.75]}, index=[3, 3, 3])
    assert Taxonomy.from_edges(table).equals(
        Taxonomy.from_edges([("poodle", "dog", 0.5), ("dog", "animal"), ("cat", "animal", 0.75)])
    )
    assert row_list([("dog", "animal")]) == [("dog", "animal")]


def test_terms_are_plain_strings() -> None:
    made = Taxonomy.from_edges(zip(np.array(HYPO), np.array(HYPER), strict=True))
    assert {type(term) for term in made.terms} == {str}


def test_labels_may_be_a_column() -> None:
    labels = pd.Series([1.0, 0.0, 1.0], index=[7, 8, 9])
    assert Benchmark("toys", pd.Series(HYPO), pd.Series(HYPER), labels).labels.tolist() == [1.0, 0.0, 1.0]
    assert SPACE.calibrated(HYPO, HYPER, labels).calibration == SPACE.calibrated(HYPO, HYPER, [1, 0, 1]).calibration
    pairs = np.stack([VECTORS[HYPO], VECTORS[HYPER]], axis=1)
    fitted = [EntailmentMap(C=1, random_state=0).fit(pairs, each).weights_ for each in (labels, labels.to_numpy())]
    np.testing.assert_array_equal(fitted[0], fitted[1])


def test_columns_of_a_benchmark_have_one_length() -> None:
    with pytest.raises(InvalidInput, match=r"columns of different lengths, .*'hyper': 1.*, expected one length"):
        Benchmark("toys", tuple(HYPO), ("dog",), np.ones(3))


def test_words_do_not_need_pandas() -> None:
    code = """
import sys
sys.modules["pandas"] = None
import numpy, entvec
space = entvec.load()
print(space.score(numpy.array(["dog", "dgo"]), ("animal",), missing="nan").round(1).tolist())
try:
    space.hypernyms("dog").to_frame()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    scores, told = done.stdout.splitlines()
    assert scores.endswith(", nan]")
    assert told == (
        "a DataFrame needs pandas; install it with: pip install pandas (the extra entvec[pandas] has it too)"
    )


def test_columns_become_a_table() -> None:
    found = data_frame({"word": ["dog"], "score": np.array([0.5])})
    assert found.to_dict("records") == [{"word": "dog", "score": 0.5}]
