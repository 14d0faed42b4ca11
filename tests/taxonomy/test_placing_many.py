"""Many terms are placed at once, and every one of them is in the answer."""

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy, from_text
from entvec.space.default import default_space
from entvec.taxonomy import place_all

SPACE = default_space()
SHOP = from_text("""
clothing
  footwear
    shoe
    boot
  garment
    shirt
    jacket
electronics
  computer
  telephone
food
  fruit
    apple
""")
NEW = ["sneaker", "Shirts", "qqqqq rain jacket", "edible fruit", "sandel", "aple", "honesty"]


def names(rows: object) -> list[str | None]:
    return [SHOP.terms[i] if i >= 0 else None for i in rows]  # type: ignore[attr-defined]


def test_every_term_is_there_with_a_parent_the_same_or_a_reason() -> None:
    found = place_all(NEW, SHOP, SPACE)
    assert found.terms == tuple(NEW)
    assert names(found.best)[0] == "shoe"
    assert names(found.same)[:2] == [None, "shirt"]
    for row, term in enumerate(NEW):
        assert (row in found.unplaced) == (found.best[row] < 0 and found.same[row] < 0), term
        if row in found.unplaced:
            assert found.why_unplaced(row)


def test_what_nobody_knows_gets_its_head_as_a_guess_or_another_spelling() -> None:
    found = place_all(["aple", "qqqqq jacket"], SHOP, SPACE)
    for row, term in enumerate(found.terms):
        if np.isnan(SPACE.probability(term, "clothing", missing="nan")):
            assert np.isnan(found.none[row])
            assert row in found.unplaced
    assert "jacket" in names(found.parents[1])
    assert "apple" in found.spellings[0] or 0 not in found.unplaced


def test_probabilities_are_those_of_the_space() -> None:
    found = place_all(NEW, SHOP, SPACE)
    for row, column in zip(*np.nonzero(found.parents >= 0), strict=True):
        parent = SHOP.terms[found.parents[row, column]]
        wanted = SPACE.probability(NEW[row], parent, missing="nan")
        np.testing.assert_allclose(found.probabilities[row, column], wanted, atol=1e-6)  # encoders count in float32


def test_the_lowest_probable_parent_is_the_best_and_its_fit_counts_what_is_below() -> None:
    found = place_all(["sneaker"], SHOP, SPACE)
    assert names(found.parents[0])[0] == "shoe"
    above = names(found.parents[0]).index("footwear")
    below = found.probabilities[0, 0]
    assert found.fits[0, above] == pytest.approx(found.probabilities[0, above] * (1 - below), abs=1e-9)
    assert found.none[0] == pytest.approx(1 - np.nanmax(found.probabilities[0]))


def test_a_term_may_belong_between_a_parent_and_its_children() -> None:
    found = place_all(["edible fruit"], SHOP, SPACE)
    assert names(found.best) == ["fruit"]
    assert names(found.between[0]) == ["apple"]
    assert found.between_probabilities[0][0] == pytest.approx(SPACE.probability("apple", "edible fruit"))


def test_many_are_as_each_alone() -> None:
    together, alone = place_all(NEW, SHOP, SPACE), [place_all([term], SHOP, SPACE) for term in NEW]
    for row, one in enumerate(alone):
        assert together.parents[row].tolist() == one.parents[0].tolist()
        np.testing.assert_allclose(together.probabilities[row], one.probabilities[0], atol=1e-5)


def test_what_is_denied_is_not_suggested() -> None:
    found = place_all(["sneaker"], SHOP, SPACE, not_entails=[("sneaker", "shoe")])
    assert "shoe" not in names(found.parents[0])


def test_labels_and_synonyms_are_the_names_of_terms() -> None:
    shop = Taxonomy.from_edges(
        [("x:1", "x:2")], labels={"x:1": "shoe", "x:2": "things"}, about={"x:1": {"synonym": ("pumps",)}}
    )
    found = place_all(["sneaker", "pump"], shop, SPACE)
    assert (found.best[0], found.same[1]) == (0, 0)
    assert found.path(0) == ("shoe", "things")


def test_a_circle_has_an_end() -> None:
    ring = Taxonomy.from_edges([("shoe", "boot"), ("boot", "shoe")])
    assert place_all(["sneaker"], ring, SPACE).path(0) == ("shoe", "boot")


def test_progress_is_told_and_frames_have_a_row_for_each_parent() -> None:
    told: list[tuple[int, int]] = []
    found = place_all(["sneaker"], SHOP, SPACE, k=2, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 1)]
    frame = found.to_frame()
    assert frame["parent"].tolist() == names(found.parents[0])
    assert frame["rank"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("terms", "options", "message"),
    [
        (["  "], {}, "'  ' is among the terms, expected names that are not empty"),
        (["dog"], {"k": 0}, "k is 0, expected a whole number, 1 or more"),
        ("dog", {}, "terms is 'dog', expected a list"),
    ],
)
def test_what_makes_no_sense_is_refused(terms: list[str], options: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        place_all(terms, SHOP, SPACE, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="the taxonomy is empty"):
        place_all(["dog"], Taxonomy.from_edges([]), SPACE)


def test_no_terms_have_no_places() -> None:
    assert len(place_all([], SHOP, SPACE)) == 0
