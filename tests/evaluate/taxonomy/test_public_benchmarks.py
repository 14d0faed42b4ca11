"""Public benchmarks on small files in their formats: what is measured can be checked by eye."""

from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import InvalidInput
from entvec.evaluate.taxonomy import BENCHMARKS, evaluate_public
from entvec.evaluate.taxonomy.completion import taken_out
from entvec.evaluate.taxonomy.enrichment import sense_named, wu_palmer
from entvec.evaluate.taxonomy.gold_files import Gold
from entvec.evaluate.taxonomy.gold_trees import closure, compare, longest_suffix
from entvec.evaluate.taxonomy.published import PUBLISHED, UNCHECKED, published
from entvec.space.default import default_space

PETS = Gold(
    "pets",
    ("poodle", "guide dog", "dog", "animal"),
    frozenset({("poodle", "dog"), ("guide dog", "dog"), ("dog", "animal")}),
)


def test_measures_of_edges_by_eye() -> None:
    found = compare(frozenset({("poodle", "animal"), ("guide dog", "dog"), ("dog", "animal")}), PETS)
    assert found["edge_precision"] == found["edge_recall"] == pytest.approx(2 / 3)
    assert found["ancestor_precision"] == 1
    assert found["ancestor_recall"] == 4 / 5
    assert set(compare(PETS.edges, PETS).values()) == {1.0}
    assert set(compare(frozenset(), PETS).values()) == {0.0}


def test_a_term_is_under_its_longest_suffix() -> None:
    assert longest_suffix(default_space(), PETS) == {("guide dog", "dog")}


def test_what_follows_from_a_circle_holds_no_term_of_itself() -> None:
    assert closure(["a", "b"], frozenset({("a", "b"), ("b", "a")})) == {("a", "b"), ("b", "a")}


def test_facts_about_the_terms_are_hidden_in_one_row_and_known_in_another(tmp_path: Path) -> None:
    path = tmp_path / "pets.taxo"
    path.write_text("0\tpoodle\tdog\n1\tguide dog\tdog\n2\tdog\tanimal\n")
    rows = {row.name: row for row in evaluate_public("texeval", default_space(), [path])}
    assert rows["build, facts of 4 of 4 known"].measures["edge_f1"].value == 1
    assert "build, facts hidden" in rows
    assert rows["longest suffix"].measures["edge_recall"].value == pytest.approx(1 / 3)


def test_hidden_facts_are_not_asked() -> None:
    space = default_space()
    assert not space.hiding(["poodle"]).judge.evidence.meanings.of("poodle")
    assert space.judge.evidence.meanings.of("poodle")


def test_published_rows_have_sources_and_no_intervals() -> None:
    assert all(each.source and 0 < each.value < 1 and each.benchmark in BENCHMARKS for each in PUBLISHED)
    [row, *_] = published("task14")
    assert UNCHECKED in row.name
    assert np.isnan(row.measures["wu_palmer"].low)


# SemEval-2016 Task 14


def test_wu_and_palmer_by_eye() -> None:
    known = wordnet_knowledge()

    def concept(name: str) -> int:
        found = sense_named(known, name)
        assert found is not None
        return found.concept

    dog, puppy, idea = (concept(name) for name in ("dog#n#1", "puppy#n#1", "idea#n#1"))
    assert wu_palmer(known, dog, dog) == 1
    assert wu_palmer(known, dog, puppy) > wu_palmer(known, dog, idea) > 0
    assert sense_named(known, "dog#n#99") is None


def test_new_senses_are_put_under_known_ones(tmp_path: Path) -> None:
    items, key = tmp_path / "test.tsv", tmp_path / "key.tsv"
    items.write_text(
        "labradoodle\tnoun\tt.1\ta dog that is a cross of a Labrador and a poodle\nbrr\tadverb\tt.2\tcoldly\n"
    )
    key.write_text("t.1\tdog#n#1\tattach\nt.2\tcold#n#1\tattach\n")
    rows = evaluate_public("task14", default_space(), [items, key])
    baseline = next(row for row in rows if row.name == "first word, first sense (here)")
    assert baseline.n == 1
    assert baseline.measures["wu_palmer"].value == baseline.measures["lemma_matches"].value == 1
    assert 0 <= rows[0].measures["wu_palmer"].value <= 1
    assert rows[0].measures["answered"].value == 1


# Completion


def test_what_is_taken_out_leaves_its_children_to_its_parents() -> None:
    chain = Gold(
        "chain", ("a", "b", "c", "d", "e", "f"), frozenset({("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")})
    )
    rest, terms, whole = taken_out(chain)
    assert len(terms) == 1
    assert len(rest) == 5
    assert {*rest.terms, *terms} == {*whole.terms}
    assert not rest.orphans


def test_terms_are_placed_again(tmp_path: Path) -> None:
    terms, edges = tmp_path / "food.terms", tmp_path / "food.taxo"
    names = ["food", "beverage", "fruit", "wine", "beer", "coffee", "apple", "pear", "plum", "cherry", "tea"]
    terms.write_text("".join(f"{i}\t{name}\n" for i, name in enumerate(names)))
    parents = [0, 0, 1, 1, 1, 2, 2, 2, 2, 1]
    edges.write_text("".join(f"{parent}\t{child}\n" for child, parent in enumerate(parents, start=1)))
    rows = evaluate_public("semeval-food", default_space(), [terms, edges])
    known = next(row for row in rows if "facts of" in row.name)
    assert known.measures["mrr"].value == 1
    assert {"hit_at_1", "hit_at_5", "position"} <= known.measures.keys()


def test_unknown_names_and_wrong_numbers_of_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no benchmark 'nope'"):
        evaluate_public("nope", default_space(), [tmp_path])
    with pytest.raises(InvalidInput, match="the items with definitions"):
        evaluate_public("task14", default_space(), [tmp_path])
