"""What words have in common, and words in groups that have a name."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import default_map, google_news, toy_world
from entvec.errors import InvalidInput, WordNotFound
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.space.grouping import form
from entvec.taxonomy import UnknownWords, abstractions, common, common_names
from entvec.taxonomy.common_names import NEAR
from entvec.taxonomy.evidence import directions
from entvec.vectors import Vectors

SPACE = default_space()
ANIMALS, VEHICLES, MUSIC = ["dog", "cat", "horse"], ["car", "truck", "bus"], ["piano", "guitar", "violin"]
CONCEPTS = ["animal", "vehicle", "instrument", "fruit", "thing", "pet"]
SMALL = EntailmentSpace.from_vectors(
    google_news().subset([*ANIMALS, *VEHICLES, *MUSIC, *CONCEPTS]), map=default_map()
)  # few words, to be quick
WORLD = toy_world()
TOY = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")


def names(words: list[str], space: EntailmentSpace = SPACE, **options: object) -> list[str]:
    return [name.word for name in common(words, space, **options).names]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "name"),
    [(ANIMALS, "animal"), (MUSIC, "instrument"), (["apple", "banana", "cherry"], "fruit"), (VEHICLES, "vehicle")],
)
def test_a_list_has_a_name(words: list[str], name: str) -> None:
    assert name in names(words, k=3, group=True)


def test_what_the_toy_animals_have_in_common() -> None:
    assert names(["dog", "cat"], TOY, k=1) == ["animal"]
    assert names(["poodle"], TOY, k=1) == ["dog"]


def test_names_tell_how_many_of_the_words_entail_them() -> None:
    found = common(ANIMALS, SMALL, 3, among=["animal", "vehicle"])
    assert found.words == tuple(ANIMALS)
    for name in found.names:
        probabilities = [SMALL.probability(word, name.word) for word in ANIMALS]
        assert name.probability == pytest.approx(np.mean(probabilities), abs=1e-4)
        assert name.entailed_by == sum(probability > 0.5 for probability in probabilities)
    assert found.names[0].entailed_by == 3


def test_without_probabilities_names_have_none() -> None:
    best = common(["dog", "cat"], TOY, 1).names[0]
    assert (best.probability, best.entailed_by) == (None, None)


def test_names_are_ordered_by_their_number_and_told_in_json() -> None:
    found = common(ANIMALS, SMALL, 6)
    orders = [name.order for name in found.names]
    assert orders == sorted(orders, reverse=True)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["words"] == ANIMALS
    assert [name["word"] for name in told["names"]] == [name.word for name in found.names]


@settings(max_examples=30)
@given(st.sets(st.sampled_from([*ANIMALS, *VEHICLES, *MUSIC, *CONCEPTS]), min_size=1), st.sampled_from([0.3, 0.6, 1.0]))
def test_no_word_of_the_list_is_its_name_and_all_others_may_be(words: set[str], share: float) -> None:
    found = names(sorted(words), SMALL, share=share, k=100)
    assert {*found} == {*SMALL.vocabulary.words} - words
    assert len({*found}) == len(found)


def test_a_word_in_another_case_is_no_name_of_itself() -> None:
    assert "dog" not in names(["DOG", "Cat"], SMALL, k=100)


def test_with_a_share_strays_do_not_count() -> None:
    mixed = [*ANIMALS, "piano"]
    animal = common(mixed, SMALL, 10, share=0.75).names[0]
    assert animal.word == "animal"
    assert animal.entailed_by == 3
    by_word = {name.word: name.order for name in common(ANIMALS, SMALL, 10).names}
    with_stray = {name.word: name.order for name in common(mixed, SMALL, 10).names}
    with_share = {name.word: name.order for name in common(mixed, SMALL, 10, share=0.75).names}
    lost = by_word["animal"] - with_stray["animal"]
    assert lost > 2 * abs(by_word["animal"] - with_share["animal"])


def test_a_tiny_share_is_still_one_word() -> None:
    assert len(names([*ANIMALS, *MUSIC], SMALL, share=1e-9, k=3)) == 3


def test_names_may_be_chosen_from_a_few() -> None:
    assert names(ANIMALS, among=["fruit", "animal", "dog", "animal", "vehicle"]) == ["animal", "vehicle", "fruit"]
    assert names(ANIMALS, among=["dog"]) == []
    assert names(ANIMALS, among=[]) == []
    with pytest.raises(WordNotFound, match="no word 'qqqqq'"):
        common(ANIMALS, SPACE, among=["animal", "qqqqq"])


def test_forms_of_a_word_are_one_name_if_they_are_to_be_grouped() -> None:
    apart, grouped = names(ANIMALS, k=30), names(ANIMALS, k=30, group=True)
    assert {"animal", "animals"} <= {*apart}
    assert len({form(word) for word in apart}) < 30
    assert len({form(word) for word in grouped}) == 30
    assert not {form(word) for word in grouped} & {form(word) for word in ANIMALS}
    assert {form(word) for word in ANIMALS} & {form(word) for word in apart}


def test_the_order_of_the_list_makes_no_difference() -> None:
    there, back = common(ANIMALS, SMALL, 5), common(ANIMALS[::-1], SMALL, 5)
    assert [name.word for name in there.names] == [name.word for name in back.names]
    assert [name.order for name in there.names] == pytest.approx([name.order for name in back.names], abs=1e-3)


def test_unknown_words_are_unplaced_and_warned_of() -> None:
    with pytest.warns(UnknownWords, match="1 of 4 words have no vector: qqqqq"):
        found = common([*ANIMALS, "qqqqq"], SMALL, 1)
    assert (found.words, found.names[0].word) == (tuple(ANIMALS), "animal")
    assert found.unplaced["qqqqq"].startswith("nothing is known of it")
    assert found.to_dict()["unplaced"] == found.unplaced


def test_every_word_is_in_a_group_and_unknown_ones_in_the_last() -> None:
    words = [*ANIMALS, ANIMALS[0].upper(), *VEHICLES, "qqqqq"]
    with pytest.warns(UnknownWords):
        *named, last = abstractions(words, SMALL, 2)
    assert sorted(word for group in (*named, last) for word in group.words) == sorted(words)
    assert (last.words, last.names, list(last.unplaced)) == (("qqqqq",), (), ["qqqqq"])
    assert any({ANIMALS[0], ANIMALS[0].upper()} <= {*group.words} for group in named)


def test_k_may_be_large() -> None:
    assert len(names(ANIMALS, k=300)) == 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0, expected at least 1"),
        ({"k": -3}, "k is -3, expected at least 1"),
        ({"share": 0.0}, r"share is 0\.0, expected more than 0"),
        ({"share": 1.5}, r"share is 1\.5, expected more than 0, and 1 for all"),
        ({"share": float("nan")}, "share is nan"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        names(ANIMALS, SMALL, **options)


# Spaces in and out of the range of the maps of the operator


def stretched(operator: str, largest: float) -> EntailmentSpace:
    """The toy world with log-odds as large as this."""
    log_odds = WORLD.log_odds() / np.abs(WORLD.log_odds()).max() * largest
    return EntailmentSpace.from_vectors(Vectors(WORLD.words, log_odds), interpretation="log_odds", operator=operator)


@pytest.mark.parametrize("largest", [2.0, 7.0, 30.0])
def test_factorised_names_are_those_of_the_exact_scores(largest: float) -> None:
    space = stretched("factorised", largest)
    assert space.model.indexable == (largest < 20)  # a wider range has no maps
    assert names(["dog", "cat"], space, k=1) == ["animal"]
    exact = {word: np.mean(space.score(["dog", "cat"], word)) for word in WORLD.words}
    found = {name.word: name.order for name in common(["dog", "cat"], space.with_specificity(0)).names}
    wanted = np.array([exact[word] for word in found])
    near = np.array([_nearness(space, ["dog", "cat"], word) for word in found])
    np.testing.assert_allclose(list(found.values()), wanted + NEAR * wanted.std() * near, atol=0.05, rtol=1e-4)


def _nearness(space: EntailmentSpace, words: list[str], concept: str) -> float:
    middle = directions(directions(space.vocabulary.take(space.vocabulary.rows(words)).matrix).mean(axis=0))
    return float(directions(space.vocabulary.take(space.vocabulary.rows([concept])).matrix)[0] @ middle)


def test_words_that_are_no_inner_product_have_probabilities_too() -> None:
    space = stretched("weighted_cosine", 4.0).with_calibration(Calibration.platt(10.0, -5.0))
    for name in common(["dog", "cat"], space).names:
        probabilities = [space.probability(word, name.word) for word in ("dog", "cat")]
        assert name.probability == pytest.approx(np.mean(probabilities), abs=1e-5)


# Groups

ALL = [*ANIMALS, *VEHICLES, *MUSIC]


def test_words_fall_into_groups_with_names() -> None:
    mixed = ["dog", "car", "piano", "cat", "truck", "guitar", "horse", "bus", "violin"]
    found = abstractions(mixed, SMALL, 3)
    assert [group.words for group in found] == [tuple(ANIMALS), tuple(VEHICLES), tuple(MUSIC)]
    assert [group.names[0].word for group in found] == ["animal", "vehicle", "instrument"]


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(ALL), min_size=1, unique=True).flatmap(
        lambda w: st.tuples(st.just(w), st.integers(1, len(w)))
    )
)
def test_every_word_is_in_exactly_one_group(case: tuple[list[str], int]) -> None:
    words, n = case
    found = abstractions(words, SMALL, n, k=1)
    assert sorted(word for group in found for word in group.words) == sorted(words)
    assert 1 <= len(found) <= n
    sizes = [len(group.words) for group in found]
    assert min(sizes) >= 1
    assert sizes == sorted(sizes, reverse=True)
    assert all(list(group.words) == [word for word in words if word in group.words] for group in found)


def test_one_group_is_the_list_and_as_many_as_words_are_the_words() -> None:
    (group,) = abstractions(ALL, SMALL, 1)
    assert group.words == tuple(ALL)
    assert group.names == common(ALL, SMALL, 3, group=True).names
    assert {group.words for group in abstractions(ANIMALS, SMALL, 3)} == {(word,) for word in ANIMALS}


def test_groups_are_the_same_every_time() -> None:
    first, again = (abstractions(ALL, SMALL, 4) for _ in range(2))
    assert [group.to_dict() for group in first] == [group.to_dict() for group in again]


def test_a_group_that_nothing_belongs_to_is_dropped() -> None:
    same = Vectors(["a", "b", "c", "d"], np.array([[2.0, -2], [2.0, -2], [2.0, -2], [-2.0, 2]]))
    space = EntailmentSpace.from_vectors(same, interpretation="log_odds")
    found = abstractions(["a", "b", "c", "d"], space, 3)
    assert [group.words for group in found] == [("a", "b", "c"), ("d",)]


def test_names_of_groups_may_be_chosen_from_a_few_and_are_at_most_k() -> None:
    found = abstractions([*ANIMALS, *VEHICLES], SMALL, 2, k=2, among=CONCEPTS)
    assert [len(group.names) for group in found] == [2, 2]
    assert {name.word for group in found for name in group.names} <= {*CONCEPTS}


@pytest.mark.parametrize("n", [0, 4, -1])
def test_there_are_at_most_as_many_groups_as_words(n: int) -> None:
    with pytest.raises(InvalidInput, match=f"n is {n}, expected 1 to 3, the number of words that have a vector"):
        abstractions(ANIMALS, SMALL, n)


def test_a_group_has_at_least_one_name() -> None:
    with pytest.raises(InvalidInput, match="k is 0, expected at least 1"):
        abstractions(ANIMALS, SMALL, 1, k=0)


def test_the_vocabulary_is_read_once_for_all_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*ANIMALS, *VEHICLES, *MUSIC, *CONCEPTS]
    read: list[int] = []
    every = common_names._all

    def counted(space: EntailmentSpace, rows: Any, *given: Any) -> Any:
        read.append(len(rows))
        return every(space, rows, *given)

    monkeypatch.setattr(common_names, "_all", counted)
    groups = abstractions(words, SPACE, 8)
    assert read == [len(SPACE)]
    for group in groups:
        alone = common(group.words, SPACE, 3, group=True)
        assert [name.word for name in alone.names] == [name.word for name in group.names]
        np.testing.assert_allclose(
            [name.order for name in alone.names], [name.order for name in group.names], rtol=1e-5
        )
    monkeypatch.setattr(common_names, "SCORES_AT_ONCE", 3 * len(SPACE))
    read.clear()
    again = abstractions(words, SPACE, 8)
    assert [group.words for group in again] == [group.words for group in groups]
    assert len(read) == 3  # a few groups at a time, so that memory stays small
