"""The learned map: scikit-learn's conventions, and entailments of the toy world."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.learn import EntailmentMap
from entvec.learn.objective import LEARNABLE
from entvec.theory import OPERATORS


@parametrize_with_checks([EntailmentMap(max_iter=20)])  # type: ignore[untyped-decorator]
def test_it_keeps_the_conventions_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def toy() -> tuple[np.ndarray, np.ndarray]:
    """Pairs of the toy world, hidden behind a rotation, and whether they are entailments."""
    world = toy_world()
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    pairs = np.array([[world.log_odds(word) @ rotation for word in pair] for pair in world.pairs()])
    return pairs, np.array([world.entails(*pair) for pair in world.pairs()], dtype=int)


@pytest.mark.parametrize("operator", ["backward", "forward", "factorised"])
def test_the_toy_world_is_learned(toy: tuple[np.ndarray, np.ndarray], operator: str) -> None:
    pairs, labels = toy
    learned = EntailmentMap(operator, C=100, random_state=0).fit(pairs, labels)
    np.testing.assert_array_equal(learned.predict(pairs), labels)


def test_a_difference_cannot_learn_it(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    learned = EntailmentMap("difference", C=100, random_state=0).fit(pairs, labels)
    assert (learned.predict(pairs) != labels).any()


@pytest.mark.parametrize("operator", LEARNABLE)
def test_its_scores_are_the_operators_on_mapped_vectors(toy: tuple[np.ndarray, np.ndarray], operator: str) -> None:
    pairs, labels = toy
    learned = EntailmentMap(operator, random_state=0, max_iter=10).fit(pairs, labels)
    y, x = learned.transform(pairs[:, 0]), learned.transform(pairs[:, 1])
    np.testing.assert_allclose(learned.pair_score(pairs), OPERATORS[operator].score(y, x))


def test_probabilities_are_the_decision_as_log_odds(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    learned = EntailmentMap(random_state=0, max_iter=10).fit(pairs, labels)
    probabilities = learned.predict_proba(pairs)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(
        np.log(probabilities[:, 1] / probabilities[:, 0]), learned.decision_function(pairs), rtol=1e-6
    )
    np.testing.assert_array_equal(learned.predict(pairs), probabilities[:, 1] > 0.5)


def test_a_seed_makes_the_same_map(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    first, again, other = (EntailmentMap(random_state=seed).fit(pairs, labels).weights_ for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_pairs_of_rows_are_the_same_as_pairs_of_vectors(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    words, rows = np.unique(pairs.reshape(-1, 5), axis=0, return_inverse=True)
    by_rows = EntailmentMap(random_state=0, max_iter=20).fit_rows(words, rows.reshape(-1, 2), labels)
    by_vectors = EntailmentMap(random_state=0, max_iter=20).fit(pairs, labels)
    np.testing.assert_array_equal(by_rows.weights_, by_vectors.weights_)


@pytest.mark.parametrize("n_components", [1, 3, 5, 8, 11])
def test_the_entailment_space_may_have_another_dimension(toy: tuple[np.ndarray, np.ndarray], n_components: int) -> None:
    pairs, labels = toy
    learned = EntailmentMap(n_components=n_components, random_state=0, max_iter=5).fit(pairs, labels)
    assert learned.transform(pairs[:, 0]).shape == (30, n_components)
    assert learned.get_feature_names_out().tolist() == [f"entailmentmap{i}" for i in range(n_components)]


def test_a_small_c_stays_near_the_initial_map(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    unit = np.sqrt(np.mean(np.square(np.unique(pairs.reshape(-1, 5), axis=0))))

    def moved(c: float) -> tuple[float, float]:
        learned = EntailmentMap(C=c, random_state=0).fit(pairs, labels)
        return np.abs(learned.weights_ * unit - np.eye(5)).max(), np.abs(learned.bias_ + 1).max()

    near, far = moved(1e-6), moved(1e3)
    assert near[0] < 0.02  # the noise alone
    assert near[1] < 1e-3
    assert min(far) > 0.1


def test_a_clone_is_not_fitted_but_set_alike() -> None:
    copy = clone(EntailmentMap("forward", n_components=7, C=3, random_state=5))
    assert copy.get_params() == EntailmentMap("forward", n_components=7, C=3, random_state=5).get_params()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"operator": "cosine"}, "operator is 'cosine', expected one of backward, forward, factorised, difference"),
        ({"C": 0}, "C is 0, expected a positive number"),
        ({"n_components": 0}, "n_components is 0, expected 1 or more"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        EntailmentMap(**settings).fit(np.ones((2, 2, 3)), [0, 1])


def test_pairs_of_three_are_none() -> None:
    with pytest.raises(InvalidInput, match=r"pairs of shape \(2, 3, 4\), expected \(n, 2, d\)"):
        EntailmentMap().fit(np.ones((2, 3, 4)), [0, 1])
