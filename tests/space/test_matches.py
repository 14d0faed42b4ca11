"""What was found: words with scores, for one query or for many."""

import json
from typing import Any

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.evidence.ranking_reasons import RankingReasons
from entvec.space import BatchMatches, EntailmentSpace, Match, Matches, default_space
from entvec.vectors import Vectors
from entvec.vectors.words import Words

FOUND = Matches(
    "dog",
    ["animal", "canine", "pet"],
    np.array([7, 2, 5]),
    np.array([-1.0, -2.0, -30.25]),
    np.array([0.9, 0.6, 0.0]),
    np.array([-3.0, -3.5, -31.0]),
)
PLAIN = Matches(None, ["animal"], np.array([7]), np.array([-1.0]), None, np.array([-3.0]))
NOTHING = Matches("dog", [], np.empty(0, np.int64), np.empty(0), None, np.empty(0))
BATCH = BatchMatches(
    ["dog", None, "stone"],
    Words.of(["thing", "animal", "pet", "rock"]),
    np.array([[1, 2], [0, -1], [-1, -1]]),
    np.array([[-1.0, -2.0], [-5.0, -np.inf], [-np.inf, -np.inf]]),
    np.array([[0.9, 0.6], [0.25, 0.0], [0.0, 0.0]]),
    np.array([[-3.0, -3.5], [-6.0, -np.inf], [-np.inf, -np.inf]]),
)


# One query


def test_matches_are_a_sequence_of_words_with_numbers() -> None:
    assert len(FOUND) == 3
    assert FOUND[0] == Match("animal", -1.0, 0.9)
    assert FOUND[-1].word == "pet"
    assert [match.word for match in FOUND] == FOUND.words
    assert FOUND[0].variants == ()
    assert type(FOUND[0].score) is type(FOUND[0].probability) is float
    assert PLAIN[0] == Match("animal", -1.0, None)
    assert list(NOTHING) == []
    with pytest.raises(IndexError):
        FOUND[3]


def test_a_part_of_the_matches_is_a_list() -> None:
    assert FOUND[:2] == [FOUND[0], FOUND[1]]
    assert FOUND[::-1] == list(FOUND)[::-1]
    assert NOTHING[:3] == []


def test_variants_stand_beside_their_word() -> None:
    grouped = Matches("dog", ["pet"], np.array([3]), np.array([-1.0]), None, np.array([-1.0]), (("pets", "Pet"),))
    assert grouped[0].variants == ("pets", "Pet")
    assert grouped.to_dict()["variants"] == [["pets", "Pet"]]


def test_matches_are_printed_as_columns() -> None:
    assert str(FOUND) == "animal  0.90  -1.0\ncanine  0.60  -2.0\npet     0.00  -30.2"
    assert str(PLAIN) == "animal  -1.0"
    assert str(NOTHING) == ""


def test_matches_say_what_they_are() -> None:
    assert repr(FOUND) == "Matches('dog': animal, canine, pet)"
    many = Matches(None, list("abcdefg"), np.arange(7), np.zeros(7), None, np.zeros(7))
    assert repr(many) == "Matches(None: a, b, c, d, e, ...)"
    assert repr(NOTHING) == "Matches('dog': )"


@pytest.mark.parametrize("found", [FOUND, PLAIN, NOTHING])
def test_matches_are_plain_enough_for_json(found: Matches) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["query"] == found.query
    assert told["words"] == found.words
    assert told["indices"] == found.indices.tolist()
    assert told["scores"] == found.scores.tolist()
    assert told["order"] == found.order.tolist()
    assert told["probabilities"] == (None if found.probabilities is None else found.probabilities.tolist())
    assert "variants" not in told


GROUPED = Matches(
    "dog",
    ["animal", "canine", "pet"],
    np.array([7, 2, 5]),
    np.array([-1.0, -2.0, -30.25]),
    None,
    np.array([-3.0, -3.5, -31.0]),
    (("animals",), (), ("pets", "Pet")),
)


def test_some_words_may_be_left_out() -> None:
    rest = FOUND.without({"canine", "wolf"})
    assert (rest.query, list(rest)) == ("dog", [FOUND[0], FOUND[2]])
    assert (rest.indices.tolist(), rest.order.tolist()) == ([7, 5], [-3.0, -31.0])
    assert list(FOUND.without([])) == list(FOUND)
    assert list(FOUND.without(FOUND.words)) == []
    assert list(NOTHING.without(["dog"])) == []
    assert list(GROUPED.without(["animal"])) == [GROUPED[1], GROUPED[2]]
    assert len(FOUND) == 3


def test_the_first_of_the_matches() -> None:
    assert list(FOUND.first(2)) == FOUND[:2]
    assert FOUND.first(1).order.tolist() == [-3.0]
    assert list(FOUND.first(9)) == list(FOUND)
    assert list(FOUND.first(0)) == list(NOTHING.first(3)) == []
    assert list(GROUPED.first(1)) == [GROUPED[0]]


# Many


def test_each_query_has_its_matches() -> None:
    assert len(BATCH) == 3
    first, second, third = BATCH
    assert (first.query, first.words, first.scores.tolist()) == ("dog", ["animal", "pet"], [-1.0, -2.0])
    assert (second.query, second.words, second.order.tolist()) == (None, ["thing"], [-6.0])
    assert second.probabilities is not None
    assert second.probabilities.tolist() == [0.25]
    assert third.words == []
    assert BATCH[-1].query == "stone"
    assert [matches.query for matches in BATCH[1:]] == [None, "stone"]
    assert [matches.query for matches in reversed(BATCH)] == ["stone", None, "dog"]
    for i in (3, -4):
        with pytest.raises(IndexError):
            BATCH[i]


def test_the_words_of_all_queries() -> None:
    assert BATCH.words == [matches.words for matches in BATCH] == [["animal", "pet"], ["thing"], []]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0)])
def test_there_may_be_no_queries_and_no_words(shape: tuple[int, int]) -> None:
    empty: Any = np.zeros(shape)
    batch = BatchMatches([None] * shape[0], Words.of(["a"]), empty.astype(np.int64), empty, None, empty)
    assert batch.words == [[]] * shape[0]
    assert [matches.words for matches in batch] == [[]] * shape[0]


def test_a_batch_is_printed_query_by_query() -> None:
    assert str(BATCH) == "dog\n  animal  0.90  -1.0\n  pet     0.60  -2.0\nvector\n  thing  0.25  -5.0\nstone\n"
    assert repr(BATCH) == "BatchMatches(3 queries)"


def test_a_batch_is_plain_enough_for_json() -> None:
    told = json.loads(json.dumps(BATCH.to_dict(), allow_nan=False))
    assert told["matches"] == [matches.to_dict() for matches in BATCH]


def test_the_arrays_of_a_batch_end_where_nothing_more_was_found() -> None:
    world = toy_world()
    space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    batch = space.hypernyms(["dog", "cat"], k=9)
    assert batch.indices.shape == batch.scores.shape == batch.order.shape == (2, 6)
    assert (batch.indices[:, -1] == -1).all()
    assert (batch.scores[:, -1] == -np.inf).all()
    assert (batch.order[:, -1] == -np.inf).all()
    assert (np.diff(batch.order[:, :-1], axis=1) <= 0).all()


def test_likely_answers_leave_out_what_evidence_speaks_against() -> None:
    class Sure:
        def __init__(self, behind: float) -> None:
            self._behind = behind

        def behind(self, query: str) -> float:
            return self._behind

        def probabilities(self, query: str, words: list[str]) -> np.ndarray:
            return np.full(len(words), 0.9)

        def reason(self, query: str, word: str) -> tuple[str, str | None]:
            return "", None

    def likely(behind: float, *evidence: float) -> int:
        n = len(evidence)
        words, order = [f"word{i}" for i in range(n)], np.array(evidence)
        return len(Matches("dog", words, np.arange(n), np.zeros(n), np.ones(n), order, (), Sure(behind)).likely(0.5))

    assert likely(0.0, 5.0, 0.1, -0.1) == 2
    assert likely(0.0, 1.0, -0.1) == 1
    assert likely(0.0, -1.0, -4.0, -5.0) == 1
    assert likely(3.5, 1.0, -2.0, -3.0) == 2
    assert likely(0.0) == 0


def test_few_general_words_are_listed_but_all_kinds_and_all_that_is_read() -> None:
    judge = default_space().judge
    above, below = (RankingReasons(judge, side, {}) for side in ("hypo", "hyper"))
    assert above.behind("dog") == 0  # general words are true of nearly everything
    assert below.behind("dog") == above.behind("memory foam pillow") > 0
