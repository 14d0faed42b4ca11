"""Words that are missing: one error for all of them, or no answer for these and answers for the others."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, WordNotFound, WordsNotFound
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
SPACE = EntailmentSpace.from_vectors(
    Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", specificity=0.0
).with_calibration(Calibration.platt(1.0, 2.0))
SOME = ["dog", "dgo", "poodle", "qqqq"]
FOUND = np.array([True, False, True, False])
KNOWN = ["dog", "poodle"]


@pytest.mark.parametrize("verb", ["score", "probability"])
def test_pairs_with_a_missing_word_are_nan_and_the_others_are_as_alone(verb: str) -> None:
    ask = getattr(SPACE, verb)
    for hypo, hyper, without in (
        (SOME, "animal", (KNOWN, "animal")),
        ("poodle", SOME, ("poodle", KNOWN)),
        (SOME, ["animal", "animal", "dog", "animal"], (KNOWN, ["animal", "dog"])),
        (SOME, WORLD.log_odds()[:4], (KNOWN, WORLD.log_odds()[:4][FOUND])),
    ):
        found = ask(hypo, hyper, missing="nan")
        assert np.isnan(found).tolist() == [False, True, False, True]
        np.testing.assert_allclose(found[FOUND], ask(*without), rtol=1e-12)


def test_a_missing_word_on_either_side_counts() -> None:
    found = SPACE.score(["dog", "dgo", "dog"], ["animal", "animal", "qqqq"], missing="nan")
    assert np.isnan(found).tolist() == [False, True, True]


@pytest.mark.parametrize("pair", [("dgo", "animal"), ("dog", "qqqq"), ("dgo", "qqqq")])
def test_a_single_pair_may_be_nan_too(pair: tuple[str, str]) -> None:
    assert np.isnan(SPACE.score(*pair, missing="nan"))
    assert np.isnan(SPACE.probability(*pair, missing="nan"))
    assert SPACE.verdict(*pair, missing="nan") == "unknown"


def test_one_missing_word_beside_many_makes_all_nan() -> None:
    for others in (KNOWN, WORLD.log_odds()[:2]):
        assert np.isnan(SPACE.score("dgo", others, missing="nan")).tolist() == [True, True]
        assert np.isnan(SPACE.score(others, ["dgo"], missing="nan")).tolist() == [True, True]


def test_the_verdict_of_missing_words_is_unknown() -> None:
    found = SPACE.verdict(SOME, "animal", precision=0.5, missing="nan")
    assert found.tolist() == ["yes", "unknown", "yes", "unknown"]


def test_the_generality_of_missing_words_is_nan() -> None:
    found = SPACE.generality(SOME, missing="nan")
    assert np.isnan(found).tolist() == [False, True, False, True]
    np.testing.assert_allclose(found[FOUND], SPACE.generality(KNOWN))
    assert np.isnan(SPACE.generality("dgo", missing="nan"))


@pytest.mark.parametrize("verb", ["hypernyms", "hyponyms"])
@pytest.mark.parametrize("group", [False, True])
def test_nothing_is_found_for_missing_words(verb: str, group: bool) -> None:
    ask = getattr(SPACE, verb)
    found, alone = ask(SOME, 3, group=group, missing="nan"), ask(KNOWN, 3, group=group)
    assert found.queries == SOME
    assert found.words == [alone.words[0], [], alone.words[1], []]
    assert [matches.to_dict() for matches in (found[0], found[2])] == alone.to_dict()["matches"]
    assert (found[1].query, len(found[1]), len(found[3])) == ("dgo", 0, 0)
    assert found.indices[1].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("group", [False, True])
def test_all_words_may_be_missing(group: bool) -> None:
    assert SPACE.hypernyms(["dgo", "qqqq"], group=group, missing="nan").words == [[], []]
    assert SPACE.hypernyms("dgo", group=group, missing="nan").words == []
    assert np.isnan(SPACE.score(["dgo"], ["qqqq"], missing="nan")).tolist() == [True]
    assert SPACE.score([], "dgo", missing="nan").shape == (0,)


def test_pairs_with_missing_words_do_not_calibrate() -> None:
    labels = [1, 0, 1, 1, 0]
    hypo, hyper = ["dog", "animal", "dgo", "cat", "cat"], ["animal", "dog", "dog", "animal", "poodle"]
    found = SPACE.calibrated(hypo, hyper, labels, missing="nan").calibration
    del hypo[2], hyper[2], labels[2]
    assert found == SPACE.calibrated(hypo, hyper, labels).calibration
    with pytest.raises(InvalidInput, match=r"scores of shape \(4,\) for labels of \(3,\)"):
        SPACE.calibrated(hypo, hyper, labels[1:], missing="nan")


def test_recall_leaves_missing_words_out() -> None:
    assert SPACE.recall(SOME, 2, missing="nan") == SPACE.recall(KNOWN, 2)


def test_missing_words_have_no_spelling() -> None:
    assert SPACE.spelled(["Dog", "dgo"], missing="nan") == ["dog", None]
    assert SPACE.spelled("dgo", missing="nan") is None
    assert SPACE.spelled(["Dog", "CAT"]) == ["dog", "cat"]
    assert SPACE.spelled([]) == []
    with pytest.raises(WordsNotFound, match="2 words are not among 6"):
        SPACE.spelled(SOME)


def test_missing_words_to_choose_from_are_left_out() -> None:
    assert SPACE.hypernyms("poodle", among=["dog", "dgo"], missing="nan").words == ["dog"]


ASK: dict[str, Callable[[Any], Any]] = {
    "score": lambda words: SPACE.score(words, "animal"),
    "probability": lambda words: SPACE.probability("dog", words),
    "verdict": lambda words: SPACE.verdict(words, "animal"),
    "hypernyms": lambda words: SPACE.hypernyms(words),
    "hyponyms": lambda words: SPACE.hyponyms(words),
    "generality": lambda words: SPACE.generality(words),
    "recall": lambda words: SPACE.recall(words),
    "calibrated": lambda words: SPACE.calibrated(words, words, [1, 0, 1, 0]),
}


@pytest.mark.parametrize("verb", ASK)
def test_one_error_names_all_missing_words_with_suggestions(verb: str) -> None:
    with pytest.raises(WordsNotFound) as caught:
        ASK[verb](SOME)
    assert caught.value.words == ("dgo", "qqqq")
    assert caught.value.all_suggestions == {"dgo": ["dog"], "qqqq": []}
    text = "2 words are not among 6: 'dgo' (did you mean 'dog'?), 'qqqq'; missing='nan' answers for the others"
    assert str(caught.value) == text
    assert str(pickle.loads(pickle.dumps(caught.value))) == text  # noqa: S301 - our own bytes
    with pytest.raises(WordNotFound, match=r"^no word 'dgo' among 6; did you mean 'dog'\?$"):
        ASK[verb](["dog", "dgo", "dgo"])


def test_missing_words_of_both_sides_are_named_together() -> None:
    for ask in (SPACE.score, SPACE.direction, SPACE.explain, SPACE.compare):
        with pytest.raises(WordsNotFound, match=r"^2 words are not among 6: 'dgo' .*, 'ct' \(did you mean 'cat'\?\)$"):
            ask("dgo", "ct")


@pytest.mark.parametrize("missing", ["skip", None, True])
def test_another_wish_is_refused(missing: Any) -> None:
    with pytest.raises(InvalidInput, match=r"missing is .*, expected 'error' or 'nan'"):
        SPACE.score("dog", "animal", missing=missing)
    with pytest.raises(InvalidInput, match="expected 'error' or 'nan'"):
        SPACE.hypernyms("dog", missing=missing)


@pytest.mark.parametrize("empty", [None, float("nan"), ""])
def test_an_empty_cell_is_a_missing_word(empty: Any) -> None:
    words: Any = ["dog", empty]
    assert np.isnan(SPACE.score(words, "animal", missing="nan")).tolist() == [False, True]
    assert SPACE.verdict(words, "animal", missing="nan")[1] == "unknown"
    assert SPACE.hypernyms(words, 1, missing="nan").words[1] == []


def test_what_is_no_word_is_an_error_all_the_same() -> None:
    words: Any = ["dog", 3]
    with pytest.raises(InvalidInput, match=r"hypo\[1\] is 3, expected a string"):
        SPACE.score(words, "animal", missing="nan")
