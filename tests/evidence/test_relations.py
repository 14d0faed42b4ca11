"""Which relation holds between two words, in the default space: what people ask, and what must never be answered."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import everyday_pairs
from entvec.errors import InvalidInput, WordNotFound
from entvec.evidence import RELATIONS
from entvec.evidence.features import MIRRORED
from entvec.graphs import Taxonomy
from entvec.space import EntailmentSpace, default_space

SPACE = default_space()
MINE = SPACE.with_knowledge(
    Taxonomy.from_edges([("hoodie", "garment"), ("stone", "idea"), ("iPhone", "phone")], negations=[("cat", "phone")])
)
WORDS = [
    *("dog", "cat", "animal", "mammal", "stone", "idea", "garment", "car", "automobile", "wheel", "walk", "move"),
    *(
        "iPhone",
        "phone",
        "Toyota",
        "Berlin",
        "city",
        "company",
        "aardvark",
        "kale",
        "geese",
        "bank#2",
        "hoodie",
        "quickly",
    ),
]
NEVER_NARROWER = [("cat", "dog"), ("bird", "mammal"), ("stone", "idea"), ("dog", "vehicle"), ("animal", "dog")]


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("dog", "animal", "narrower"),
        ("poodle", "dog", "narrower"),
        ("animal", "dog", "broader"),
        ("car", "automobile", "same"),
        ("cat", "dog", "sibling"),
        ("wheel", "car", "part"),
        ("hand", "finger", "whole"),
        ("stone", "idea", "other"),
        ("golden retriever", "dog", "narrower"),
        ("Berlin", "city", "narrower"),
        ("stroll", "walk", "narrower"),
    ],
)
def test_clear_pairs_have_the_relation_that_a_speaker_would_name(first: str, second: str, relation: str) -> None:
    assert SPACE.relation(first, second).relation == relation


@pytest.mark.parametrize(("first", "second"), NEVER_NARROWER)
def test_siblings_strangers_and_reversed_pairs_are_never_narrower(first: str, second: str) -> None:
    found = SPACE.relation(first, second, precision=0.5)
    assert found.relation != "narrower"
    assert found.probabilities["narrower"] < 0.25
    assert SPACE.verdict(first, second) == "no"


def test_clear_siblings_and_reversed_pairs_of_the_development_split_are_improbable_entailments() -> None:
    for relation in ("sibling", "broader"):
        pairs = [pair for pair in everyday_pairs("development") if pair.relation == relation and not pair.also]
        first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
        assert np.median(SPACE.probability(first, second)) < 0.1
        assert "narrower" not in SPACE.relation(first, second).relations


def test_probabilities_sum_to_one_and_mirror_when_the_words_change_places() -> None:
    pairs = [("dog", "animal"), ("cat", "dog"), ("wheel", "car"), ("iPhone", "phone"), ("Google", "company")]
    there = SPACE.relation(*map(list, zip(*pairs, strict=True)))
    back = SPACE.relation(*map(list, zip(*[pair[::-1] for pair in pairs], strict=True)))
    np.testing.assert_allclose(there.probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(there.probabilities, back.probabilities[:, MIRRORED], atol=1e-9)


def test_many_pairs_are_answered_as_single_ones_are() -> None:
    first, second = ["dog", "cat", "wheel"], ["animal", "dog", "car"]
    many = SPACE.relation(first, second)
    for found, *pair in zip(many, first, second, strict=True):
        single = SPACE.relation(*pair)
        assert (found.relation, found.reason, found.shared) == (single.relation, single.reason, single.shared)
        assert found.probabilities == pytest.approx(single.probabilities, abs=1e-9)
    assert SPACE.relation(first, "animal").relations.tolist()[1] == SPACE.relation("cat", "animal").relation
    assert len(SPACE.relation([], [])) == 0


def test_an_answer_says_how_much_was_known_and_why() -> None:
    known, new = SPACE.relation("dog", "animal"), SPACE.relation("biker", "person")
    assert known.situation == "both known"
    assert known.reason == "dog -> domestic animal -> animal (WordNet 3.0)"
    assert new.situation == "new word"
    assert new.reason.startswith("biker is new, used like ")
    assert SPACE.relation("cat", "dog").shared == "pet"


def test_any_spelling_of_a_known_word_is_known() -> None:
    for word in ("Dogs", "DOG", "dog"):
        assert SPACE.relation(word, "animals").relation == "narrower"
    assert SPACE.relation("ice-cream", "ice cream").relation == "same"


def test_adjectives_have_no_hierarchy_and_are_not_answered() -> None:
    found = SPACE.relation("expensive", "artifact")
    assert found.relation == found.likeliest == "unknown"
    assert "no hierarchy" in found.reason
    assert np.isnan(SPACE.probability("expensive", "artifact"))
    assert SPACE.verdict("expensive", "artifact") == "unknown"


def test_precision_decides_what_stays_unknown() -> None:
    top = SPACE.relation("chair", "furniture").probability
    assert 0.5 < top < 0.99
    assert SPACE.relation("chair", "furniture", precision=top - 0.001).relation == "narrower"
    assert SPACE.relation("chair", "furniture", precision=top + 0.001).relation == "unknown"
    with pytest.raises(InvalidInput, match=r"precision is 0\.2"):
        SPACE.relation("dog", "animal", precision=0.2)


def test_base_rates_move_probabilities_by_the_factor_of_their_odds() -> None:
    usual = SPACE.relation("chair", "furniture").probabilities
    rare = SPACE.relation("chair", "furniture", base_rates={"narrower": 0.01}).probabilities
    assert rare["narrower"] < usual["narrower"]
    odds = [p["narrower"] / (1 - p["narrower"]) for p in (usual, rare)]
    assert odds[1] / odds[0] == pytest.approx((0.01 / 0.99) / (0.15 / 0.85))
    for rates, message in (({"kind": 0.5}, "base rate of 'kind'"), ({"narrower": 1.5}, "1.5"), ({"same": 0}, "is 0")):
        with pytest.raises(InvalidInput, match=message):
            SPACE.relation("dog", "animal", base_rates=rates)
    with pytest.raises(InvalidInput, match=r"sum to 1\.2"):
        SPACE.relation("dog", "animal", base_rates={"narrower": 0.6, "same": 0.6})


def test_probability_and_verdict_and_direction_follow_from_the_relation() -> None:
    for pair in [("dog", "animal"), ("cat", "dog"), ("car", "automobile"), ("iPhone", "phone")]:
        p = SPACE.relation(*pair).probabilities
        assert SPACE.probability(*pair) == pytest.approx(p["narrower"] + p["same"])
        assert SPACE.direction(*pair)[:2] == (pair if p["narrower"] >= p["broader"] else pair[::-1])


def test_a_verdict_never_contradicts_a_relation() -> None:
    pairs = everyday_pairs("development")
    first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
    relations, verdicts = SPACE.relation(first, second).relations, SPACE.verdict(first, second)
    entails = np.isin(relations, ["narrower", "same"])
    assert not (entails & (verdicts == "no")).any()
    assert not (~entails & (relations != "unknown") & (verdicts == "yes")).any()


@settings(deadline=None)
@given(first=st.sampled_from(WORDS), second=st.sampled_from(WORDS), precision=st.floats(0.5, 1))
def test_verdict_and_direction_never_contradict_the_relation(first: str, second: str, precision: float) -> None:
    found = MINE.relation(first, second, precision=precision)
    verdict = MINE.verdict(first, second, precision=precision)
    hypo = MINE.direction(first, second).hypo
    back = MINE.relation(second, first).likeliest
    if found.relation in ("narrower", "same"):
        assert verdict == "yes"
    elif found.relation != "unknown" and found.probability > precision:  # not exactly one half
        assert verdict in ("no", "unknown")
    if found.likeliest in ("narrower", "broader") and first != second:
        assert hypo == (first if found.likeliest == "narrower" else second)
        assert {found.likeliest, back} == {"narrower", "broader"}


def test_a_base_rate_of_entailments_can_be_set() -> None:
    quarter, half = (SPACE.probability("chair", "furniture", base_rate=rate) for rate in (0.25, 0.5))
    assert SPACE.probability("chair", "furniture") == pytest.approx(quarter)
    assert half / (1 - half) == pytest.approx(3 * quarter / (1 - quarter))
    with pytest.raises(InvalidInput, match="base_rate is 1"):
        SPACE.probability("dog", "animal", base_rate=1)


def test_without_an_encoder_missing_words_are_named_or_left_unanswered() -> None:
    strict = SPACE.with_encoder(None)
    with pytest.raises(WordNotFound, match="blorp"):
        strict.relation("blorp", "garment")
    found = strict.relation(["dog", "blorp"], "animal", missing="nan")
    assert found.relations.tolist() == ["narrower", "unknown"]
    assert np.isnan(found.probabilities[1]).all()
    assert np.isnan(strict.probability(["blorp"], ["garment"], missing="nan")).all()


def test_known_terms_are_suggested_too() -> None:
    strict = SPACE.with_encoder(None)
    with pytest.raises(WordNotFound, match="did you mean 'toaster'") as caught:
        strict.relation("toasterr", "appliance")
    assert caught.value.n_words > 126_503
    with pytest.raises(WordNotFound) as caught:
        strict.relation("shitt", "food")
    assert caught.value.suggestions
    assert "shit" not in caught.value.suggestions


@pytest.mark.parametrize("empty", [None, float("nan"), " "])
def test_an_empty_cell_leaves_the_other_pairs_answered(empty: Any) -> None:
    words: Any = ["dog", empty]
    assert SPACE.relation(words, "animal", missing="nan").relations.tolist() == ["narrower", "unknown"]
    assert np.isnan(SPACE.probability(words, "animal", missing="nan")).tolist() == [False, True]
    with pytest.raises(InvalidInput):
        SPACE.relation(words, "animal")


@pytest.mark.parametrize("other", ["company", "state"])
def test_silence_about_a_name_decides_nothing(other: str) -> None:
    found = SPACE.relation("Phoenix", other)
    assert found.relation == "unknown"
    assert found.reason == "nothing that is known connects them, but Phoenix may be the name of something else"
    assert SPACE.relation(other, "Phoenix").probabilities["narrower"] == pytest.approx(found.probabilities["broader"])
    assert SPACE.relation("Phoenix", "city").relation == "narrower"
    assert SPACE.relation("Phoenix", "animal").relation == "other"


def test_a_table_has_a_row_for_each_pair() -> None:
    pytest.importorskip("pandas")
    frame = SPACE.relation(["dog", "cat"], ["animal", "dog"]).to_frame()
    assert frame.columns.tolist() == list(SPACE.relation("dog", "animal").to_dict())
    assert frame["relation"].tolist() == ["narrower", "sibling"]
    np.testing.assert_allclose(frame[list(RELATIONS)].sum(axis=1), 1)


def test_statements_of_yours_outrank_the_bundled_ones() -> None:
    mine = Taxonomy.from_edges([("hoodie", "garment"), ("bomb", "weapon")], negations=[("dog", "animal")])
    with pytest.warns(UserWarning, match="dog"):
        space = SPACE.with_knowledge(mine, names=["mine.tsv"])
    for pair in (("hoodie", "garment"), ("bomb", "weapon"), ("hoodie", "clothing")):
        found = space.relation(*pair)
        assert found.relation == "narrower"
        assert found.probabilities["narrower"] > 0.95
        assert "mine.tsv" in found.reason
    assert space.relation("dog", "animal").probabilities["narrower"] < 0.05
    assert space.relation("poodle", "animal").probabilities["narrower"] < 0.05
    assert space.relation("cat", "animal").relation == "narrower"


def test_a_statement_of_yours_makes_a_thing_of_what_is_known_as_a_verb_only() -> None:
    assert SPACE.relation("believe", "program").situation != "both known"
    space = SPACE.with_knowledge(Taxonomy.from_edges([("believe", "program"), ("cell phone", "mobile phone")]))
    assert space.relation("believe", "program").relation == "narrower"
    assert space.relation("cell phone", "mobile phone").relation == "narrower"
    assert space.relation("believe", "walk").relation != "narrower"


def test_what_you_deny_is_not_the_same_either_and_the_source_is_named() -> None:
    mine = Taxonomy.from_edges([], negations=[("couch", "sofa"), ("dog", "dog"), ("bomb", "device")])
    with pytest.warns(UserWarning, match="bomb"):
        space = SPACE.with_knowledge(mine, names=["mine.tsv"])
    assert space.relation("couch", "sofa").probabilities["same"] < 0.1
    assert space.relation("dog", "animal").relation == "narrower"
    assert space.relation("bomb", "device").probabilities["narrower"] < 0.05


def test_words_in_a_cycle_are_the_same() -> None:
    with pytest.warns(UserWarning, match="cycle"):
        space = SPACE.with_knowledge(Taxonomy.from_edges([("hoodie", "sweatshirt"), ("sweatshirt", "hoodie")]))
    assert space.relation("hoodie", "sweatshirt").relation == space.relation("sweatshirt", "hoodie").relation == "same"


def test_a_source_that_says_nothing_is_told() -> None:
    with pytest.warns(UserWarning, match="nothing is known from it"):
        SPACE.with_knowledge(Taxonomy.from_edges([]))


def test_spaces_around_a_word_do_not_count() -> None:
    assert SPACE.relation(" dog", "animal ").probabilities == pytest.approx(
        SPACE.relation("dog", "animal").probabilities
    )


def test_a_known_word_without_a_vector_has_a_direction() -> None:
    found = SPACE.direction("animal", "aardvark")
    assert found[:2] == ("aardvark", "animal")
    assert found.score > found.reversed_score
    with pytest.raises(InvalidInput, match="expected two words"):
        SPACE.direction(["dog"], ["animal"])  # type: ignore[arg-type]


def test_a_space_that_knows_nothing_says_how_to_give_it_knowledge() -> None:
    with pytest.raises(InvalidInput, match="with_knowledge"):
        SPACE.with_knowledge(None).relation("dog", "animal")


def test_knowledge_alone_answers_where_there_are_no_probabilities_of_vectors() -> None:
    uncalibrated: EntailmentSpace = SPACE.with_calibration(None)
    assert uncalibrated.relation("dog", "animal").relation == "narrower"
    found = uncalibrated.relation("biker", "person")
    assert (found.relation, found.reason[:22]) == ("unknown", "nothing is known of on")
