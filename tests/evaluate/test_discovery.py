"""Discovery of hypernyms: which questions are asked, where the answers stand, and what that is worth."""

import json
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import google_news, isa, toy_world
from entvec.bundled.wordnet import COLUMNS, RELATIONS, IsA
from entvec.errors import InvalidInput
from entvec.evaluate import discovery
from entvec.evaluate.benchmark import find_words
from entvec.evaluate.discovery import (
    Questions,
    answer_ranks,
    ask,
    evaluate,
    first_rank,
    frequency,
    generality,
    measure,
    similarity,
)
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors


def table_of(*rows: tuple[str, str, str, int, int, int, int]) -> IsA:
    """A small table: hypo, hyper, relation, distance, sense of the hypo, of the hyper, depth of the hyper."""
    words = tuple(dict.fromkeys(word for row in rows for word in row[:2]))
    codes = [
        (words.index(a), words.index(b), RELATIONS.index(relation), distance, s, t, depth + distance, depth)
        for a, b, relation, distance, s, t, depth in rows
    ]
    columns = np.array(codes, dtype=np.int64).T
    return IsA(
        words, **{name: column.astype(kind) for (name, kind), column in zip(COLUMNS.items(), columns, strict=True)}
    )


TOY = table_of(
    ("animal", "unk", "is-a", 1, 1, 1, 3),
    ("dog", "animal", "is-a", 1, 1, 1, 4),
    ("dog", "unk", "is-a", 2, 1, 1, 3),
    ("poodle", "dog", "is-a", 1, 1, 1, 5),
    ("poodle", "animal", "is-a", 2, 1, 1, 4),
    ("poodle", "unk", "is-a", 3, 1, 1, 3),
    ("cat", "animal", "is-a", 1, 1, 1, 4),
    ("cat", "unk", "is-a", 2, 1, 1, 3),
    ("cat", "dog", "co-hyponym", 2, 1, 1, 5),
    ("stone", "unk", "is-a", 1, 1, 1, 3),
)


@pytest.fixture(scope="module")
def toy() -> EntailmentSpace:
    world = toy_world()
    return EntailmentSpace.from_vectors(
        Vectors(world.words, world.log_odds()), interpretation="log_odds", specificity=0.0
    )


def right(questions: Questions, vectors: Vectors, kind: str) -> dict[str, set[str]]:
    return {
        word: {vectors.words[row] for row in questions.candidates[places].tolist()}
        for word, places in zip(questions.words, questions.right[kind], strict=True)
    }


# Questions


def test_all_hypernyms_are_right_and_the_near_ones_that_are_not_too_general_are_specific(toy: EntailmentSpace) -> None:
    questions = ask(["poodle", "dog", "cat", "stone"], toy.vectors, TOY)
    assert right(questions, toy.vectors, "all") == {
        "poodle": {"dog", "animal", "unk"},
        "dog": {"animal", "unk"},
        "cat": {"animal", "unk"},  # and no dog: that is a co-hyponym
        "stone": {"unk"},
    }
    assert right(questions, toy.vectors, "specific") == {
        "poodle": {"dog", "animal"},
        "dog": {"animal"},
        "cat": {"animal"},
        "stone": set(),  # unk lies too high
    }
    assert [questions.count(kind) for kind in discovery.KINDS] == [3, 4]


def test_far_hypernyms_are_not_specific() -> None:
    table = table_of(("a", "near", "is-a", 4, 1, 1, 9), ("a", "far", "is-a", 5, 1, 1, 8))
    vectors = Vectors(["a", "near", "far"], np.eye(3))
    questions = ask(["a"], vectors, table)
    assert right(questions, vectors, "specific") == {"a": {"near"}}
    assert right(questions, vectors, "all") == {"a": {"near", "far"}}


def test_instances_are_answers_too() -> None:
    table = table_of(("Paris", "city", "instance", 1, 1, 1, 5))
    vectors = Vectors(["Paris", "city"], np.eye(2))
    assert right(ask(["Paris"], vectors, table), vectors, "specific") == {"Paris": {"city"}}


def test_words_are_meant_in_the_first_sense_of_their_spelling() -> None:
    table = table_of(
        ("wasp", "insect", "is-a", 1, 2, 1, 7),  # WASP, the person, has sense 1
        ("wasp", "idea", "is-a", 1, 3, 1, 7),
        ("bank", "institution", "is-a", 1, 1, 2, 7),  # the first sense of institution is another
        ("institution", "custom", "is-a", 1, 1, 1, 6),
    )
    vectors = Vectors(list(table.words), np.eye(len(table.words)))
    assert right(ask(table.words, vectors, table), vectors, "all") == {"wasp": {"insect"}, "institution": {"custom"}}


def test_words_without_a_vector_or_a_hypernym_are_left_out_and_counted(toy: EntailmentSpace) -> None:
    questions = ask(["dog", "dog", "unk", "unicorn", ""], toy.vectors, TOY)
    assert (questions.words, len(questions), questions.left_out) == (("dog",), 1, 3)


def test_nouns_without_a_vector_are_no_candidates_and_no_answers(toy: EntailmentSpace) -> None:
    few = toy.vectors.subset(["stone", "dog", "unk"])
    questions = ask(["poodle", "dog"], few, TOY)
    assert questions.words == ("dog",)
    assert questions.candidates.tolist() == [0, 1, 2]
    assert right(questions, few, "all") == {"dog": {"unk"}}


def test_candidates_are_the_nouns_and_no_other_words() -> None:
    vectors = Vectors(["the", "dog", "of", "animal"], np.eye(4))
    assert ask(["dog"], vectors, TOY).candidates.tolist() == [1, 3]


def test_case_matters_even_if_the_vectors_ignore_it() -> None:
    vectors = Vectors(["Dog", "animal"], np.eye(2)).with_lookup(case=True)
    assert ask(["dog"], vectors, TOY).left_out == 1


def test_weeds_bless_has_as_many_questions_as_its_words_allow(shared_data: Path) -> None:
    questions = ask(find_words(shared_data / "weeds-bless.json"), google_news())
    assert (questions.count("specific"), questions.count("all"), len(questions.candidates)) == (468, 543, 11873)


# Rankings

scores_and_right = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n), st.sets(st.integers(0, n - 1), min_size=1, max_size=n)
    )
)


@given(scores_and_right)
def test_a_place_is_the_mean_over_all_orders_of_equals(drawn: tuple[list[int], set[int]]) -> None:
    scores, right = drawn
    falling = sorted(scores, reverse=True)
    orders = [order for order in permutations(range(len(scores))) if [scores[i] for i in order] == falling]
    firsts = [1 + min(order.index(i) for i in right) for order in orders]
    values = np.array(scores, dtype=np.float64)
    assert first_rank(values, values[list(right)]) == pytest.approx(np.mean(firsts))


def test_in_the_toy_world_the_first_answer_is_right(toy: EntailmentSpace) -> None:
    questions = ask(["poodle", "dog", "cat", "animal", "stone"], toy.vectors, TOY)
    (found,) = answer_ranks(toy, questions, [0.0])
    assert found["all"].tolist() == [1, 1, 1, 1, 1]  # unk
    assert found["specific"].tolist()[:3] == [2, 2, 2]
    assert np.isnan(found["specific"][3:]).all()


def nouns() -> Vectors:
    """Vectors of few dimensions: of birds and instruments, of what they are, and of words that are no nouns."""
    hypos = isa().hyponyms("bird")[:15] + isa().hyponyms("instrument")[:15]
    hypers = [hyper for hypo in hypos for hyper in isa().hypernyms(hypo)]
    some = google_news().subset([*hypos, "the", *hypers, "quickly"])
    return Vectors(list(some), 3 * some.matrix[:, :24].astype(np.float64))


def spaces() -> dict[str, EntailmentSpace]:
    vectors = nouns()
    rng = np.random.default_rng(0)
    parts: list[Any] = [rng.normal(size=shape) for shape in ((24, 8), 8, (24, 8), 8, 25, 25, 25)]
    two_sided = FittedMap("backward", *parts)
    made = {"two-sided map": EntailmentSpace.from_vectors(vectors, map=two_sided)}
    for interpretation, operator in [
        ("unk_dup", "backward"),
        ("log_odds", "forward"),
        ("dup", "factorised"),
        ("log_odds", "cosine"),
        ("log_odds", "weighted_cosine"),
    ]:
        made[operator] = EntailmentSpace.from_vectors(vectors, interpretation=interpretation, operator=operator)
    return made


SPACES = spaces()
QUESTIONS = ask(list(nouns())[:30], nouns())
FEW = ask(list(nouns())[:8], nouns())


@pytest.mark.parametrize("name", SPACES)
def test_places_are_those_of_a_search_among_the_candidates(name: str) -> None:
    space = SPACES[name]
    among = [space.vocabulary.words[row] for row in QUESTIONS.candidates.tolist()]
    specificities = [0.0, 0.7] if space.model.indexable else [0.0]
    for specificity, found in zip(specificities, answer_ranks(space, QUESTIONS, specificities), strict=True):
        for i, word in enumerate(QUESTIONS.words):
            ranked = space.hypernyms(word, k=len(among), among=among, specificity=specificity).words
            assert len(ranked) == len(among) - 1
            wanted = right(QUESTIONS, space.vectors, "all")[word]
            expected = 1 + min(ranked.index(each) for each in wanted)
            assert found["all"][i] == pytest.approx(expected, abs=1 if name == "factorised" else 1e-9), word


@pytest.mark.parametrize("size", [1, 7])
def test_neither_the_blocks_nor_other_specificities_matter(size: int) -> None:
    space, in_blocks = SPACES["backward"], partial(answer_ranks, words_at_once=size, candidates_at_once=size)
    expected = [answer_ranks(space, FEW, [specificity])[0] for specificity in (0.0, 0.5, 1.0)]
    scanned = answer_ranks(SPACES["weighted_cosine"], FEW, [0.0])[0]
    for found, wanted in zip(in_blocks(space, FEW, [0.0, 0.5, 1.0]), expected, strict=True):
        np.testing.assert_array_equal(found["specific"], wanted["specific"])
    (found,) = in_blocks(SPACES["weighted_cosine"], FEW, [0.0])
    np.testing.assert_array_equal(found["all"], scanned["all"])


def test_similarity_ranks_by_cosine_whatever_the_space() -> None:
    expected = answer_ranks(SPACES["cosine"], QUESTIONS, [0.0])[0]
    for name in ("two-sided map", "weighted_cosine"):
        np.testing.assert_array_equal(similarity(SPACES[name], QUESTIONS)["all"], expected["all"])


def test_frequency_and_generality_give_all_words_the_same_answer() -> None:
    vectors = Vectors(["dog", "unk", "cat", "animal", "poodle", "stone"], np.eye(6), ranks=[5, 4, 3, 2, 1, 0])
    space = EntailmentSpace.from_vectors(vectors)
    questions = ask(["poodle", "cat", "stone"], vectors, TOY)
    assert frequency(space, questions)["specific"][:2].tolist() == [2, 3]  # stone, [poodle], animal
    assert frequency(space, questions)["all"].tolist() == [2, 3, 4]


def test_generality_ranks_by_what_an_average_word_entails(toy: EntailmentSpace) -> None:
    questions = ask(["poodle", "dog", "cat"], toy.vectors, TOY)
    found = generality(toy, questions)
    assert found is not None
    assert found["all"].tolist() == [1, 1, 1]  # unk, as always
    assert found["specific"].tolist() == [2, 2, 2]  # animal
    assert generality(SPACES["weighted_cosine"], QUESTIONS) is None


# Measures


def test_measures_are_means_over_the_words_that_have_an_answer() -> None:
    found = measure("backward", "dup", 0.5, {"specific": np.array([1, 2, np.nan, 1.5, 200])})
    reached = found.measures["specific"]
    assert reached["mrr"].value == pytest.approx((1 + 1 / 2 + 1 / 1.5 + 1 / 200) / 4)
    assert [reached[f"hit_at_{k}"].value for k in discovery.HITS] == [0.25, 0.75, 0.75, 0.75]
    assert all(each.low <= each.value <= each.high for each in reached.values())
    assert found.name == "dup backward"


def test_results_are_told_in_plain_numbers() -> None:
    told = measure("backward", "dup", 0.5, {"specific": np.array([1.0]), "all": np.array([2.0])}).as_dict()
    assert (told["operator"], told["interpretation"], told["specificity"]) == ("backward", "dup", 0.5)
    assert (told["specific_mrr"], told["all_mrr_low"], told["all_hit_at_1"]) == (1, 0.5, 0)
    json.dumps(told)


def test_more_words_make_narrower_intervals() -> None:
    few, many = (measure("x", "-", None, {"all": np.tile([1.0, 10.0], n)}).measures["all"]["mrr"] for n in (10, 1000))
    assert many.high - many.low < (few.high - few.low) / 5


def test_nothing_to_measure_is_told() -> None:
    with pytest.raises(InvalidInput, match="no word has a specific hypernym among the candidates"):
        measure("x", "-", None, {"specific": np.full(2, np.nan)})
    with pytest.raises(InvalidInput, match="no word has a specific hypernym"):
        evaluate(SPACES["backward"], ask([], nouns()), [0.0])


def test_a_space_stands_beside_what_needs_no_space() -> None:
    told: list[tuple[int, int]] = []
    rows = evaluate(SPACES["two-sided map"], QUESTIONS, [1.0, 0.0], progress=lambda *done: told.append(done))
    assert [(row.name, row.specificity) for row in rows] == [
        ("mapped backward", 1.0),
        ("mapped backward", 0.0),
        ("similarity only", None),
        ("generality only", None),
        ("frequency only", None),
    ]
    assert told == [(0, len(QUESTIONS))]
    names = [row.name for row in evaluate(SPACES["weighted_cosine"], QUESTIONS, [0.0])]
    assert names == ["log_odds weighted_cosine", "similarity only", "frequency only"]


def test_specificity_finds_what_general_words_hide() -> None:
    space = EntailmentSpace.from_vectors(google_news())
    questions = ask(isa().words[::60], google_news())
    rows = {row.specificity: row.measures["specific"]["hit_at_10"] for row in evaluate(space, questions, [0.75, 0.0])}
    assert rows[0.75].low > rows[0.0].high


def test_a_specificity_that_means_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected numbers, 0 for none"):
        answer_ranks(SPACES["backward"], QUESTIONS, [0.0, np.nan])
    with pytest.raises(InvalidInput, match=r"weighted_cosine has no maps .* expected a specificity of 0"):
        answer_ranks(SPACES["weighted_cosine"], QUESTIONS, [0.5])
