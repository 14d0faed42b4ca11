"""Folds whose words are not seen in training."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.errors import InvalidInput
from entvec.learn import LexicalKFold

WORDS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=10, max_size=60)


@given(WORDS, st.integers(2, 10), st.integers(0, 3))
def test_every_pair_is_tested_once(pairs: list[tuple[int, int]], n_splits: int, seed: int) -> None:
    tested = [test for _, test in LexicalKFold(n_splits, random_state=seed).split(pairs)]
    assert sorted(np.concatenate(tested).tolist()) == list(range(len(pairs)))


@given(WORDS, st.integers(2, 10))
def test_training_and_test_share_no_word_and_nothing_else_is_left_out(
    pairs: list[tuple[int, int]], n_splits: int
) -> None:
    for train, test in LexicalKFold(n_splits, random_state=0).split(pairs):
        tested = {word for i in test for word in pairs[i]}
        expected = [i for i in range(len(pairs)) if i not in test and not tested & set(pairs[i])]
        assert train.tolist() == expected


def test_a_seed_gives_the_same_folds_and_another_others() -> None:
    pairs = [(i, i + 1) for i in range(40)]

    def first(seed: int) -> list[int]:
        _, test = next(LexicalKFold(random_state=seed).split(pairs))
        return [int(row) for row in test]

    assert first(0) == first(0)
    assert first(0) != first(1)


def test_without_shuffling_the_folds_are_in_order() -> None:
    folds = [test.tolist() for _, test in LexicalKFold(2, shuffle=False).split([("a", "b"), ("c", "d")])]
    assert folds == [[0], [1]]


def test_the_words_may_come_as_groups_beside_the_vectors() -> None:
    words = [("dog", "animal"), ("oak", "tree"), ("cat", "animal"), ("elm", "tree")]
    folds = LexicalKFold(2, shuffle=False)
    by_words = [train.tolist() for train, _ in folds.split(words)]
    by_vectors = [train.tolist() for train, _ in folds.split(np.zeros((4, 2, 5)), groups=words)]
    assert by_vectors == by_words


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b")], "1 pairs, expected at least one for each of 10 folds"),
        (["a", "b"], r"pairs of shape \(2,\), expected \(n, 2\)"),
    ],
)
def test_mistakes_are_told(pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        next(LexicalKFold().split(pairs))


def test_one_fold_is_none() -> None:
    with pytest.raises(InvalidInput, match="n_splits is 1, expected 2 or more"):
        LexicalKFold(1)
