"""The toy world: entailment is set inclusion, and every operator of the paper sees it."""

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.theory import OPERATORS

WORLD = toy_world()


def test_more_known_features_entail_fewer() -> None:
    assert WORLD.entails("poodle", "dog")
    assert WORLD.entails("poodle", "animal")
    assert not WORLD.entails("animal", "dog")
    assert not WORLD.entails("cat", "dog")
    assert not WORLD.entails("stone", "animal")
    assert all(WORLD.entails(word, "unk") for word in WORLD.words)


def test_log_odds_are_plus_or_minus_the_strength() -> None:
    np.testing.assert_array_equal(WORLD.log_odds("cat", strength=3.0), [3, -3, -3, 3, -3])
    assert WORLD.log_odds().shape == (6, 5)
    assert WORLD.log_odds("dog", "cat").shape == (2, 5)


def test_pairs_are_all_pairs_of_different_words_the_entailments_first() -> None:
    true = [WORLD.entails(*pair) for pair in WORLD.pairs()]
    assert len(true) == 6 * 5
    assert true == sorted(true, reverse=True)
    assert sum(true) == 9


@pytest.mark.parametrize("name", ["forward", "backward", "factorised"])
@pytest.mark.parametrize("strength", [1.0, 4.0, 1e4])
def test_operators_score_every_entailment_above_every_other_pair(name: str, strength: float) -> None:
    true: list[float] = []
    false: list[float] = []
    for hypo, hyper in WORLD.pairs():
        y, x = (WORLD.log_odds(word, strength=strength) for word in (hypo, hyper))
        (true if WORLD.entails(hypo, hyper) else false).append(float(OPERATORS[name].score(y, x)))
    assert min(true) > max(false)


def test_mistakes_are_told() -> None:
    with pytest.raises(InvalidInput, match="no 'dgo' in the toy world, expected one of unk, animal, dog"):
        WORLD.log_odds("dgo")
    with pytest.raises(InvalidInput, match="no 'animl'"):
        WORLD.entails("dog", "animl")
    with pytest.raises(InvalidInput, match="strength is -1"):
        WORLD.log_odds(strength=-1)
