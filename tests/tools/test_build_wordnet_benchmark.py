"""The build of the bundled benchmark: the same bytes again, each word once a side, as many of each relation as said."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from entvec.bundled import isa
from entvec.bundled.wordnet import BENCHMARK, RELATIONS

BUILD = pytest.importorskip("build_wordnet_benchmark", reason="the scripts come with the repository only")
TABLE = isa()
ENTAILING = ["is-a", "instance"]
FIRST_SENSES = TABLE.select(RELATIONS, max_hypo_sense=1, max_hyper_sense=1)
Row = tuple[str, str, int, str]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    found: list[Row] = BUILD.build(TABLE)
    return found


def of_relation(rows: list[Row], *relations: str) -> set[tuple[str, str]]:
    return {(hypo, hyper) for hypo, hyper, _, relation in rows if relation in relations}


def test_the_bundled_file_can_be_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["build_wordnet_benchmark.py", "-o", str(tmp_path / "again.tsv")])
    BUILD.main()
    assert (tmp_path / "again.tsv").read_bytes() == BENCHMARK.read_bytes()
    assert capsys.readouterr().out == f"1,600 pairs in {tmp_path / 'again.tsv'}\n"


def test_the_file_has_a_row_for_each_pair(rows: list[Row]) -> None:
    header, *lines = BENCHMARK.read_text(encoding="utf-8").splitlines()
    assert header == "hypo\thyper\tlabel\trelation"
    assert lines == ["\t".join(map(str, row)) for row in rows]


def test_each_word_stands_at_most_once_on_either_side(rows: list[Row]) -> None:
    hypos, hypers = ([row[side] for row in rows] for side in (0, 1))
    assert len(set(hypos)) == len(set(hypers)) == len(rows) == 1600


def test_half_are_entailments_and_the_others_of_four_kinds(rows: list[Row]) -> None:
    assert Counter((relation, label) for _, _, label, relation in rows) == {
        ("direct", 1): 400,
        ("indirect", 1): 400,
        ("reversed", 0): 200,
        ("co-hyponym", 0): 200,
        ("part", 0): 100,
        ("whole", 0): 100,
        ("random", 0): 200,
    }


def test_labels_are_those_of_the_table_in_any_sense(rows: list[Row]) -> None:
    known = set(TABLE.select(ENTAILING).pairs())
    assert [row[:2] for row in rows if (row[:2] in known) != bool(row[2])] == []


def test_relations_are_what_they_say(rows: list[Row]) -> None:
    direct = set(FIRST_SENSES.select(max_distance=1).pairs())
    near = set(FIRST_SENSES.select(max_distance=6).pairs())
    parts = set(FIRST_SENSES.select("part-whole").pairs())
    assert of_relation(rows, "direct") <= direct
    assert of_relation(rows, "indirect") <= near - direct
    assert {(hyper, hypo) for hypo, hyper in of_relation(rows, "reversed")} <= near
    assert of_relation(rows, "co-hyponym") <= set(FIRST_SENSES.select("co-hyponym").pairs())
    assert of_relation(rows, "part") <= parts
    assert {(whole, part) for part, whole in of_relation(rows, "whole")} <= parts
    strangers = of_relation(rows, "random")
    related = set(TABLE.pairs())
    assert not {pair for pair in strangers if pair in related or pair[::-1] in related}


def test_words_are_common_nouns_and_no_forms_of_each_other(rows: list[Row]) -> None:
    for hypo, hyper, *_ in rows:
        for word in (hypo, hyper):
            assert len(word) > 2
            assert word == word.lower()
            assert word.replace("_", "").isalpha()
        assert not hypo.startswith(hyper)
        assert not hyper.startswith(hypo)


def test_the_order_tells_nothing(rows: list[Row]) -> None:
    halves = rows[:800], rows[800:]
    assert all(300 < sum(label for _, _, label, _ in half) < 500 for half in halves)
    assert all(len({relation for *_, relation in half}) == 7 for half in halves)


@pytest.mark.parametrize(
    ("pair", "usual"),
    [
        (("dog", "animal"), True),
        (("ice_cream", "food"), True),
        (("dog", "ox"), False),
        (("Paris", "city"), False),
        (("brakes", "brake"), False),
        (("brake", "brakes"), False),
        (("F15", "plane"), False),
        (("b-side", "record"), False),
    ],
)
def test_usual_words(pair: tuple[str, str], usual: bool) -> None:
    assert BUILD.usual(*pair) is usual


PETS = [("dog", "animal"), ("cat", "animal"), ("dog", "mammal"), ("cat", "mammal"), ("dogs", "dog"), ("owl", "bird")]


def test_a_word_is_taken_once_a_side() -> None:
    sides = BUILD.Sides(frozenset(PETS))
    sides.take(PETS, 2, "direct", entails=True)
    assert sides.rows == [("dog", "animal", 1, "direct"), ("cat", "mammal", 1, "direct")]
    sides.take([("mammal", "dog"), ("owl", "bird"), ("animal", "cat"), ("x", "y")], 2, "reversed", entails=False)
    assert [row[:2] for row in sides.rows[2:]] == [("mammal", "dog"), ("animal", "cat")]


def test_too_few_pairs_are_told() -> None:
    with pytest.raises(SystemExit, match="direct: 2 pairs too few"):
        BUILD.Sides(frozenset(PETS)).take(PETS, 5, "direct", entails=True)


def test_the_last_pair_may_be_the_last_that_is_needed() -> None:
    BUILD.Sides(frozenset(PETS)).take(PETS, 3, "direct", entails=True)
