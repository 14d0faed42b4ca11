"""What a space says of the words of a list: log-odds that add, whatever the order and the blocks."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, WordNotFound
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.taxonomy import UnknownWords
from entvec.taxonomy.evidence import CONSTANT, FEWEST, NEAR, PAIR, STANDING, Among, known_words
from entvec.theory import OPERATORS
from entvec.vectors import Vectors

WORLD = toy_world()
N = len(WORLD.words)
SPACE = default_space()
NOUNS = ["dog", "cat", "animal", "poodle", "car", "vehicle", "truck", "piano", "instrument", "flute", "apple", "fruit"]


def toy(operator: str = "backward") -> EntailmentSpace:
    space = EntailmentSpace.from_vectors(
        Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", operator=operator
    )
    return space.with_calibration(Calibration.platt(0.5, 1.0))


def among(words: list[str]) -> Among:
    return Among(SPACE, known_words(SPACE, words)[1])


def all_pairs(found: Among) -> np.ndarray:
    hypo, hyper = np.array(list(product(range(len(found)), repeat=2))).T
    return found.pairs(hypo, hyper).reshape(len(found), len(found))


def whole(found: Among) -> np.ndarray:
    return np.concatenate([block for _, block in found.matrix()])


def test_the_evidence_is_the_sum_of_its_witnesses_and_a_prior() -> None:
    space = toy()
    found = Among(space, np.arange(N))
    vectors = WORLD.log_odds()
    for i, j in product(range(N), repeat=2):
        log_odds = 0.5 * space.score(WORLD.words[i], WORLD.words[j]) + 1.0
        cosine = vectors[i] @ vectors[j] / np.linalg.norm(vectors[i]) / np.linalg.norm(vectors[j])
        wanted = PAIR * log_odds + STANDING * found.standing[j] + NEAR * cosine + CONSTANT - np.log(FEWEST)
        assert found.pairs(np.array([i]), np.array([j]))[0] == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("operator", ["backward", "factorised", "weighted_cosine"])
def test_standing_is_how_much_more_readily_the_others_entail_a_word_than_it_entails_them(operator: str) -> None:
    space = toy(operator)
    found = Among(space, np.arange(N))
    for i, word in enumerate(WORLD.words):
        others = [other for other in WORLD.words if other != word]
        net = [0.5 * (space.score(other, word) - space.score(word, other)) for other in others]
        assert found.standing[i] == pytest.approx(np.mean(net), rel=1e-5, abs=0.02 if operator == "factorised" else 0)
    unk, animal, dog, poodle, _, _ = found.standing
    assert unk > animal > dog > poodle


@settings(max_examples=30)
@given(st.lists(st.integers(0, len(SPACE) - 1), min_size=1, max_size=12, unique=True))
def test_what_some_words_stand_above_others_stand_below(rows: list[int]) -> None:
    standing = Among(SPACE, np.array(rows)).standing
    assert abs(standing.sum()) < 1e-3 * max(1.0, np.abs(standing).sum())


def test_the_order_of_the_list_makes_no_difference() -> None:
    there, back = among(NOUNS), among(NOUNS[::-1])
    np.testing.assert_allclose(there.standing, back.standing[::-1], atol=1e-4)
    np.testing.assert_allclose(whole(there), whole(back)[::-1, ::-1], atol=1e-4)


@pytest.mark.parametrize("operator", OPERATORS)
def test_all_pairs_at_once_are_the_pairs_one_by_one(operator: str) -> None:
    found = Among(toy(operator), np.arange(N))
    np.testing.assert_allclose(whole(found), all_pairs(found), atol=0.02)  # low-rank maps err by so much


def test_all_pairs_of_real_words_are_the_pairs_one_by_one() -> None:
    found = among(NOUNS)
    np.testing.assert_allclose(whole(found), all_pairs(found), atol=1e-3)


@pytest.mark.parametrize("operator", [None, "weighted_cosine"])
def test_blocks_make_no_difference(operator: str | None) -> None:
    rows = known_words(SPACE, NOUNS)[1]
    space = SPACE
    if operator is not None:
        space = EntailmentSpace.from_vectors(SPACE.vocabulary.take(rows), operator=operator)
        space, rows = space.with_calibration(Calibration.platt(0.5, 1.0)), np.arange(len(rows))
    at_once, found = Among(space, rows), Among(space, rows, block=5)
    one_block = whole(at_once), all_pairs(at_once), at_once.standing, at_once.generality
    assert [len(places) for places, _ in found.matrix()] == [5, 5, 2]
    for once, several in zip(
        one_block, (whole(found), all_pairs(found), found.standing, found.generality), strict=True
    ):
        np.testing.assert_allclose(once, several, atol=1e-3)


def test_words_that_are_not_counted_are_compared_with_those_that_are() -> None:
    rows = known_words(SPACE, NOUNS)[1]
    few, more = Among(SPACE, rows[:4]), Among(SPACE, rows, n_counted=4)
    np.testing.assert_allclose(more.standing[:4], few.standing, atol=1e-4)
    np.testing.assert_allclose(whole(more)[:4, :4], whole(few), atol=1e-3)
    scale = more.calibration.scale
    net = [scale * (SPACE.score(word, "vehicle") - SPACE.score("vehicle", word)) for word in NOUNS[:4]]
    assert more.standing[NOUNS.index("vehicle")] == pytest.approx(np.mean(net), abs=1e-3)


def test_a_long_list_makes_each_of_its_words_less_probable() -> None:
    rows = known_words(SPACE, NOUNS)[1]
    short = Among(SPACE, rows)
    long = Among(SPACE, np.concatenate([rows, np.arange(100)]))
    hypo, hyper = np.array([0]), np.array([2])
    rest = STANDING * (long.standing[2] - short.standing[2])
    fewer = np.log(len(long)) - np.log(FEWEST)
    assert long.pairs(hypo, hyper)[0] == pytest.approx(short.pairs(hypo, hyper)[0] + rest - fewer, abs=1e-3)


def test_generality_is_what_a_ranking_takes_off_in_log_odds() -> None:
    found = among(NOUNS)
    assert SPACE.calibration is not None
    wanted = SPACE.calibration.scale * SPACE.specificity.hypernyms * SPACE.generality(NOUNS)
    np.testing.assert_allclose(found.generality, wanted, atol=1e-3)


def test_a_word_alone_stands_nowhere() -> None:
    np.testing.assert_allclose(among(["dog"]).standing, [0], atol=1e-4)


def test_log_odds_are_needed() -> None:
    with pytest.raises(InvalidInput, match=r"no probabilities, expected a calibrated one.*space\.calibrated\("):
        Among(toy().with_calibration(None), np.arange(3))


# Words


def test_known_words_come_once_for_each_vector_in_their_order_with_their_rows() -> None:
    names, rows = known_words(SPACE, ["dog", "ice cream", "animal", "dog", "ice_cream"])
    assert names == ["dog", "ice cream", "animal"]
    assert [SPACE.vocabulary.words[row] for row in rows] == ["dog", "ice_cream", "animal"]


def test_unknown_words_are_warned_of_and_left_out() -> None:
    with pytest.warns(UnknownWords, match="^2 of 3 words have no vector: qqqqq, zzzzz$"):
        assert known_words(SPACE, ["qqqqq", "dog", "zzzzz"])[0] == ["dog"]
    with pytest.warns(UnknownWords, match=r"^6 of 7 words have no vector: qqa, qqb, qqc, qqd, qqe, \.\.\.$"):
        known_words(SPACE, ["dog", *(f"qq{letter}" for letter in "abcdef")])


def test_words_that_are_all_unknown_are_refused_with_what_looks_like_them() -> None:
    with pytest.raises(WordNotFound, match=r"2 words are not among 31,530: 'poodel' \(did you mean 'poodle'"):
        known_words(SPACE, ["poodel", "qqqqq"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dog", "words is 'dog', expected a list of words"),
        ([], "no words, expected at least one"),
        (["dog", ""], "'' is among the words"),
        (["dog", " "], "' ' is among the words"),
        (["dog", 7], r"words\[1\] is 7, expected a string"),
        (["dog", None], r"words\[1\] is None"),
    ],
)
def test_what_is_no_list_of_words_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        known_words(SPACE, words)
