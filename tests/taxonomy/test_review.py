"""What people accept and reject changes a taxonomy, and is knowledge."""

import numpy as np
import pytest

from entvec.errors import InvalidInput, TermNotFound
from entvec.graphs import Taxonomy
from entvec.space.default import default_space
from entvec.taxonomy import Row, apply, decisions, place_all
from entvec.taxonomy.review import accepted_above
from entvec.taxonomy.review_actions import ACTIONS
from entvec.taxonomy.review_rows import decision_of, rows_of

SHOP = Taxonomy.from_edges(
    [("shoe", "footwear"), ("footwear", "clothing", 0.9), ("apple", "fruit")],
    labels={"shoe": "Shoes"},
    about={"fruit": {"definition": ("what grows",)}},
)


def row(decision: str, term: str, relation: str, target: str = "", **others: str) -> Row:
    return Row(decision, term, relation, target, **others)  # type: ignore[arg-type]


def edges(taxonomy: Taxonomy) -> set[tuple[str, str]]:
    return {edge[:2] for edge in taxonomy.edges()}


def changes(*rows: Row, **options: str) -> list[str]:
    return [str(change) for change in apply(rows, SHOP, **options).changes]


def test_an_accepted_parent_is_an_edge_and_a_rejected_one_a_denial() -> None:
    rows = [row("accept", "boot", "narrower", "footwear"), row("reject", "boot", "narrower", "fruit")]
    assert changes(*rows) == ["+ term boot", "+ edge boot -> footwear", "+ denial boot is no fruit"]


def test_what_nobody_has_decided_changes_nothing_and_is_left() -> None:
    rows = [row("", "boot", "narrower", "footwear"), row("", "boot", "none")]
    done = apply(rows, SHOP)
    assert done.changes == ()
    assert done.taxonomy.equals(SHOP)
    assert (done.open, done.undecided) == (tuple(rows), ("boot",))


def test_terms_without_a_decision_can_be_put_in_at_the_top() -> None:
    rows = [row("", "boot", "narrower", "footwear", term_label="Boots", definition="high shoes")]
    done = apply(rows, SHOP, undecided="top")
    assert done.taxonomy.orphans == ("boot",)
    assert (done.taxonomy.label("boot"), done.taxonomy.definitions["boot"]) == ("Boots", "high shoes")


def test_none_of_these_is_a_decision() -> None:
    done = apply([row("accept", "honesty", "none"), row("", "honesty", "narrower", "fruit")], SHOP)
    assert done.taxonomy.orphans == ("honesty",)
    assert (done.open, done.undecided) == ((), ())


def test_a_term_goes_between_a_parent_and_its_child() -> None:
    rows = [row("accept", "edible fruit", "narrower", "fruit"), row("accept", "edible fruit", "broader", "apple")]
    assert changes(*rows)[1:] == [
        "- edge apple -> fruit",
        "+ edge edible fruit -> fruit",
        "+ edge apple -> edible fruit",
    ]


def test_the_same_is_another_name() -> None:
    assert changes(row("accept", "trainers", "same", "shoe")) == ["+ synonym Shoes: trainers"]
    assert changes(row("accept", "Shoes", "same", "shoe")) == []


def test_two_terms_of_a_taxonomy_become_one() -> None:
    shop = SHOP.with_edges([("sneaker", "trainer"), ("trainer", "clothing")])
    done = apply([row("accept", "trainer", "same", "shoe")], shop).taxonomy
    assert "trainer" not in done
    assert {("sneaker", "shoe"), ("shoe", "clothing")} <= edges(done)
    assert done.about["shoe"]["synonym"] == ("trainer",)


def test_fixes_of_edges() -> None:
    assert changes(row("accept", "apple", "not narrower", "fruit")) == [
        "- edge apple -> fruit",
        "+ denial apple is no fruit",
    ]
    assert changes(row("accept", "apple", "reverse", "fruit")) == ["- edge apple -> fruit", "+ edge fruit -> apple"]
    assert changes(row("accept", "apple", "drop", "fruit")) == ["- edge apple -> fruit"]
    assert changes(row("accept", "apple", "narrower", "clothing", instead="fruit")) == [
        "- edge apple -> fruit",
        "+ edge apple -> clothing",
    ]
    assert changes(row("accept", "apple", "look", "fruit")) == []
    assert changes(row("reject", "apple", "not narrower", "fruit")) == []


def test_what_else_a_taxonomy_says_stays() -> None:
    done = apply([row("accept", "boot", "narrower", "footwear")], SHOP).taxonomy
    assert done.label("shoe") == "Shoes"
    assert done.definitions["fruit"] == "what grows"
    assert {edge.probability for edge in done.edges() if edge.hypo == "footwear"} == {0.9}


def test_an_accepted_edge_takes_back_its_denial() -> None:
    shop = SHOP.with_edges([], negations=[("boot", "footwear")])
    assert not list(apply([row("accept", "boot", "narrower", "footwear")], shop).taxonomy.denied())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("accept", "a", "above", "shoe")], "the relation is 'above', expected one of narrower, broader"),
        ([row("accept", "a", "narrower")], "'a' is narrower, but the target is empty"),
        (
            [row("accept", "a", "none"), row("accept", "a", "narrower", "shoe")],
            "'a' is accepted both as the same or none",
        ),
    ],
)
def test_rows_that_make_no_sense_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        apply(rows, SHOP)


def test_a_target_that_is_not_there_is_named_with_what_is_like_it() -> None:
    with pytest.raises(TermNotFound, match="did you mean 'footwear'"):
        apply([row("accept", "a", "narrower", "footwaer")], SHOP)
    assert "b" in apply([row("accept", "a", "narrower", "b"), row("accept", "b", "narrower", "shoe")], SHOP).taxonomy


def test_probable_suggestions_can_be_accepted_together() -> None:
    rows = [
        row("", "boot", "narrower", "footwear")._replace(probability=0.9),
        row("", "boot", "narrower", "clothing")._replace(probability=0.95),
        row("reject", "shirt", "narrower", "fruit")._replace(probability=0.99),
        row("", "apple", "not narrower", "fruit")._replace(probability=0.99),
        row("", "pear", "narrower", "fruit"),
    ]
    assert [each.decision for each in accepted_above(rows, 0.9)] == ["accept", "", "reject", "", ""]
    with pytest.raises(InvalidInput, match="expected 0 to 1"):
        accepted_above(rows, 2)


def test_decisions_are_knowledge_of_a_space() -> None:
    rows = [
        row("accept", "hoodie", "narrower", "footwear"),
        row("reject", "hoodie", "narrower", "fruit"),
        row("accept", "trainers", "same", "shoe"),
        row("reject", "apple", "not narrower", "fruit"),
    ]
    known = decisions(rows, SHOP)
    assert edges(known) == {("hoodie", "footwear"), ("apple", "fruit")}
    assert list(known.denied()) == [("hoodie", "fruit")]
    assert known.about["Shoes"]["synonym"] == ("trainers",)
    space = default_space().with_knowledge(known)
    assert space.probability("hoodie", "clothing") > 0.5 + space.probability("hoodie", "fruit")


def test_rows_of_places_have_all_outcomes_for_each_term() -> None:
    space = default_space()
    placed = place_all(["Shoes", "edible fruit", "qqqqq"], SHOP, space)
    rows = list(rows_of(placed, {"qqqqq": "no idea"}))
    for term in placed.terms:
        assert [each.relation for each in rows if each.term == term][-1] == "none"
    assert next(each for each in rows if each.relation == "same").target == "shoe"
    between = next(each for each in rows if each.relation == "broader")
    assert (between.target, between.reason) == ("apple", "between fruit and apple")
    assert rows[-1].reason.startswith("n")
    assert rows[-1].definition == "no idea"
    first = next(each for each in rows if each.term == "edible fruit")
    assert first.probability == pytest.approx(space.probability("edible fruit", "fruit"), abs=1e-4)
    assert first.path == "fruit"


def test_every_relation_is_said_in_words() -> None:
    assert all(told for _, told in ACTIONS.values())


@pytest.mark.parametrize("text", ["maybe", "accept it", "2"])
def test_other_decisions_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected accept, reject or nothing"):
        decision_of(text)


def test_edges_without_a_probability_stay_without() -> None:
    done = apply([row("accept", "boot", "narrower", "footwear")], SHOP).taxonomy
    assert np.isnan([edge.probability for edge in done.edges() if edge.hypo == "boot"]).all()
