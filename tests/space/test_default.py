"""The spaces made of bundled data: they are the bundled vectors under the bundled maps, with probabilities."""

import numpy as np

import entvec
from entvec.bundled import default_map, google_news, held_out_map
from entvec.learn.calibration import Calibration
from entvec.space.default import default_space, held_out_space


def test_both_spaces_are_the_bundled_vectors_with_probabilities() -> None:
    for space, learned in ((default_space(), default_map()), (held_out_space(), held_out_map())):
        assert len(space) == len(google_news())
        assert space.calibration == Calibration.platt(learned.scale, learned.intercept)
        assert space.map is not None
        np.testing.assert_array_equal(space.map.hypo_weights, learned.hypo_weights)
        assert space.probability("dog", "animal") > 0.8 > space.probability("animal", "piano")


def test_load_returns_the_default_space() -> None:
    assert repr(entvec.load()) == repr(default_space())
    assert entvec.load().score("dog", "animal") == default_space().score("dog", "animal")


def test_without_evidence_the_scores_decide_about_the_direction() -> None:
    space = default_space()
    found = space.direction("hot", "cold")
    assert found == space.direction("cold", "hot")
    assert found.score > found.reversed_score
