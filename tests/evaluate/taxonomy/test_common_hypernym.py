"""Lists of nouns, and the names that are right for them."""

import pytest

from entvec.bundled import isa
from entvec.evaluate.taxonomy.common_hypernym import FEWEST, LARGEST, MOST, Listed, lists, of_lists
from entvec.evaluate.taxonomy.wordnet_trees import trees, words_of
from entvec.space.default import held_out_space

WORDS = words_of(trees())
LISTS = lists(WORDS)


def test_lists_are_short_lists_of_the_words_each_once() -> None:
    assert len(LISTS) > 200
    for each in LISTS:
        assert FEWEST <= len({*each.words}) == len(each.words) <= MOST
        assert {*each.words} <= WORDS
        assert all(word.islower() for word in each.words)
    assert len({frozenset(each.words) for each in LISTS}) == len(LISTS)


def test_right_names_are_hypernyms_of_all_words_and_none_is_lower() -> None:
    near = isa().select("is-a", max_hypo_sense=1, min_depth=4)
    above: dict[str, dict[str, int]] = {}
    for y, x, distance in zip(near.hypo.tolist(), near.hyper.tolist(), near.distance.tolist(), strict=True):
        steps = above.setdefault(near.words[y], {})
        steps[near.words[x]] = min(distance, steps.get(near.words[x], distance))
    for each in LISTS:
        shared = set.intersection(*({*above[word]} for word in each.words)) - {*each.words}
        steps = {name: sum(above[word][name] for word in each.words) for name in shared}
        assert each.right
        assert each.right == {name for name, n in steps.items() if n == min(steps.values())}


def test_lists_are_the_same_every_time_and_others_with_another_seed() -> None:
    assert lists(WORDS) == LISTS
    assert lists(WORDS, seed=1) != LISTS


def test_too_few_words_and_words_that_are_no_nouns_make_no_list() -> None:
    assert lists(["cancer", "diabetes", "qqqqq", "London"]) == []


@pytest.mark.parametrize("name", ["animal", "person", "artifact"])
def test_too_general_concepts_name_nothing(name: str) -> None:
    assert len({*isa().hyponyms(name)} & WORDS) > LARGEST
    assert not any(name in each.right for each in LISTS)


def test_common_finds_names_that_the_nearest_word_does_not() -> None:
    asked = [
        Listed(("cancer", "diabetes", "flu"), frozenset({"disease"})),
        Listed(("violin", "piano", "guitar"), frozenset({"instrument"})),
        Listed(("eagle", "owl", "crow"), frozenset({"bird"})),
    ]
    ours, nearest = of_lists(held_out_space(), asked)
    assert (ours.name, ours.baseline, ours.n) == ("common", False, 3)
    assert (nearest.name, nearest.baseline, nearest.n) == ("nearest to the average", True, 3)
    assert ours.measures["mrr"].value > nearest.measures["mrr"].value > 0
    assert set(ours.measures) == {"mrr", "hit_at_1", "hit_at_5"}


def test_a_name_that_is_not_found_is_last() -> None:
    (ours, _) = of_lists(held_out_space(), [Listed(("violin", "piano", "guitar"), frozenset({"dressing"}))])
    assert ours.measures["mrr"].value == pytest.approx(0, abs=0.01)
