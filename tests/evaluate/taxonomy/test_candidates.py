"""Nouns as candidates: ranked as the space ranks them."""

import numpy as np

from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.space.default import held_out_space

SPACE = held_out_space()
NOUNS = Nouns(SPACE)


def test_the_rank_of_the_first_right_answer_among_those_that_are_left() -> None:
    scores = np.zeros(len(NOUNS.words))
    for value, word in enumerate(["car", "bird", "animal", "dog"], start=1):
        scores[NOUNS.at[word]] = value
    before = scores.copy()
    assert NOUNS.rank(scores, ["animal", "car"]) == 2
    assert NOUNS.rank(scores, ["animal", "car"], ["dog"]) == 1
    assert NOUNS.rank(scores, ["car"], ["dog", "bird", "qqqqq"]) == 2
    np.testing.assert_array_equal(scores, before)


def test_nouns_are_ranked_as_the_space_ranks_them() -> None:
    scores = NOUNS.scores(NOUNS.vectors(["violin"]))[0]
    best = [NOUNS.words[i] for i in np.argsort(-scores) if NOUNS.words[i] != "violin"][:10]
    assert best == SPACE.hypernyms("violin", 10, among=NOUNS.words).words
