"""What a space says of two names is what it says everywhere."""

import numpy as np

from entvec.space.default import default_space
from entvec.taxonomy.weighing import weighed

PAIRS = (["dog", "wheel", "qqqqq"], ["animal", "car", "animal"])


def test_the_probability_of_an_edge_is_that_of_the_space() -> None:
    space = default_space()
    found = weighed(space, *PAIRS)
    np.testing.assert_allclose(found.entails, space.probability(*PAIRS, missing="nan"), atol=1e-12)
    assert found.of("part")[1] > 0.5
    assert np.isnan(found.entails[2])


def test_a_space_that_knows_nothing_tells_entailment_alone() -> None:
    space = default_space().with_knowledge(None)
    found = weighed(space, *PAIRS)
    np.testing.assert_allclose(found.entails, space.probability(*PAIRS, missing="nan"), atol=1e-12)
    assert np.isnan(found.of("narrower")[2])


def test_no_pairs_have_no_relations() -> None:
    assert weighed(default_space(), [], []).entails.shape == (0,)
