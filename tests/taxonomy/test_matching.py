"""Two vocabularies: the same, a broader or a narrower term for each term of the first."""

import pytest

from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy
from entvec.space.default import default_space
from entvec.taxonomy import apply, match

SPACE = default_space()
OURS = Taxonomy.from_edges([], terms=["o:1", "sneaker", "vehicle", "qqqqq"], labels={"o:1": "Telephones"})
THEIRS = Taxonomy.from_edges([("t:1", "thing"), ("shoe", "thing"), ("car", "thing")], labels={"t:1": "telephone"})


def test_each_term_has_one_answer() -> None:
    rows = match(OURS, THEIRS, SPACE)
    assert [row.term for row in rows] == list(OURS.terms)
    assert [(row.relation, row.target) for row in rows[:3]] == [
        ("same", "t:1"),
        ("narrower", "shoe"),
        ("broader", "car"),
    ]
    assert (rows[0].term_label, rows[0].target_label, rows[0].path) == ("Telephones", "telephone", "thing > telephone")
    assert rows[1].probability == pytest.approx(SPACE.probability("sneaker", "shoe"), abs=1e-4)
    assert rows[2].probability == pytest.approx(SPACE.relation("car", "vehicle").probabilities["narrower"], abs=1e-4)


def test_accepted_matches_join_the_vocabularies() -> None:
    rows = [row._replace(decision="accept") for row in match(OURS, THEIRS, SPACE)[:3]]
    joined = apply(rows, THEIRS).taxonomy
    assert joined.about["t:1"]["synonym"] == ("Telephones",)
    assert {("sneaker", "shoe"), ("car", "vehicle")} <= {edge[:2] for edge in joined.edges()}


def test_two_vocabularies_with_terms_are_needed() -> None:
    with pytest.raises(InvalidInput, match="expected two taxonomies with at least one term each"):
        match(OURS, Taxonomy.from_edges([]), SPACE)
