"""Which words may be answers of rankings."""

from functools import cache

import numpy as np

from entvec.evidence.candidates import Asked, Candidates, Memo
from entvec.evidence.rankings import Ranker
from entvec.space import default_space
from entvec.vectors.words import Words


@cache
def ranker() -> Ranker:
    return default_space().judge.ranker


@cache
def candidates() -> Candidates:
    return ranker().candidates


def admitted(side: str, word: str, answers: list[str], *, facts: bool = False) -> list[str]:
    """Which answers may be given for a word."""
    rows = default_space().vocabulary.rows(answers)
    speak = np.full(len(rows), facts)
    found = candidates().admits(side, Asked.of([ranker().query(word)]), np.zeros_like(rows), rows, speak)  # type: ignore[arg-type]
    return [answer for answer, fit in zip(answers, found.tolist(), strict=True) if fit]


def test_answers_are_known_words_of_the_same_part_of_speech() -> None:
    assert admitted("hypo", "dog", ["animal", "please_login", "expensive", "animals"]) == ["animal"]
    assert admitted("hypo", "dog", ["dog", "cat"]) == ["cat"]


def test_names_are_hyponyms_but_no_hypernyms() -> None:
    assert admitted("hypo", "city", ["Tokyo", "place"]) == ["place"]
    assert admitted("hyper", "city", ["Tokyo", "place"], facts=True) == ["Tokyo", "place"]


def test_groups_of_people_are_answers_where_facts_say_so() -> None:
    assert admitted("hyper", "person", ["Muslim"]) == []
    assert admitted("hyper", "person", ["Muslim"], facts=True) == ["Muslim"]


def test_queries_are_answered_together_as_alone() -> None:
    queries = [ranker().query(word) for word in ("dog", "walk", "iPhone")]
    rows = default_space().vocabulary.rows(["animal", "move", "device", "dog", "walk"])
    query, row = np.repeat(np.arange(3), len(rows)), np.tile(rows, 3)
    together = candidates().admits("hyper", Asked.of(queries), query, row)
    alone = [candidates().admits("hyper", Asked.of([each]), np.zeros_like(rows), rows) for each in queries]
    np.testing.assert_array_equal(together, np.concatenate(alone))


def test_the_last_word_of_a_phrase_has_its_vector() -> None:
    known, n = ranker().evidence.meanings.known, len(default_space())
    phrase = known.find("grand_piano")[0][0]
    assert candidates().wordless("hyper")[phrase]
    assert not candidates().wordless("hypo")[phrase]
    rows = np.array([n + phrase, 5])
    assert candidates().scored_rows(rows).tolist() == [default_space().vocabulary.row("piano"), 5]


def test_each_term_is_asked_about_once() -> None:
    asked: list[str] = []

    def length(terms: Words) -> np.ndarray:
        asked.extend(terms)
        return np.array([len(term) for term in terms])

    memo = Memo(Words.of(["a", "bb", "ccc"]), length)
    assert memo.of(np.array([2, 0, 2])).tolist() == [3, 1, 3]
    assert memo.of(np.array([1, 2])).tolist() == [2, 3]
    assert sorted(asked) == ["a", "bb", "ccc"]
