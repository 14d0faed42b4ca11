"""The learned map: scikit-learn's conventions, and entailments of the toy world."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.learn import EntailmentMap, LexicalKFold
from entvec.learn.objective import LEARNABLE
from entvec.theory import OPERATORS

pytestmark = pytest.mark.filterwarnings("ignore:the map did not converge")  # a few steps are enough here


class FlatMap(EntailmentMap):
    """Takes rows (n, d) for pairs with the zero vector, so that scikit-learn's checks of plain tables can be run."""

    def fit(self, X: Any, y: Any, **start: Any) -> "FlatMap":  # noqa: N803
        rows, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        super().fit(np.stack([rows, np.zeros_like(rows)], axis=1), labels, **start)
        return self

    def pair_score(self, X: Any) -> Any:  # noqa: N803
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return super().pair_score(np.stack([rows, np.zeros_like(rows)], axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = True, False
        tags.classifier_tags.poor_score = True  # zero vectors are no hypers
        return tags


@parametrize_with_checks([FlatMap(max_iter=20)])  # type: ignore[untyped-decorator]
def test_it_keeps_the_conventions_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_its_tags_say_that_it_classifies_pairs() -> None:
    tags = get_tags(EntailmentMap())
    assert is_classifier(EntailmentMap())
    assert (tags.input_tags.three_d_array, tags.input_tags.two_d_array) == (True, False)
    assert not tags.classifier_tags.multi_class


@pytest.mark.parametrize(
    ("labels", "classes"),
    [([0, 1], [0, 1]), ([-1, 1], [-1, 1]), ([False, True], [False, True]), (["no", "yes"], ["no", "yes"])],
)
def test_it_answers_with_the_labels_that_it_was_given(
    toy: tuple[np.ndarray, np.ndarray], labels: list[Any], classes: list[Any]
) -> None:
    pairs, entails = toy
    given = np.array(labels)[entails]
    learned = EntailmentMap(C=100, random_state=0).fit(pairs, given)
    assert learned.classes_.tolist() == classes
    np.testing.assert_array_equal(learned.predict(pairs), given)
    assert learned.score(pairs, given) == 1.0


def test_a_saved_map_answers_with_zero_and_one(toy: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    pairs, entails = toy
    EntailmentMap(C=100, random_state=0).fit(pairs, entails > 0).save(tmp_path / "map.safetensors")
    loaded = EntailmentMap.load(tmp_path / "map.safetensors")
    assert loaded.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(loaded.predict(pairs), entails)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ([1, 1, 1], "the labels have one class, 1"),
        ([0, 1, 2], "3 labels, expected two"),
        ([0.1, 0.2, 1.0], "continuous"),
    ],
)
def test_labels_that_are_not_two_classes_are_refused(labels: list[float], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        EntailmentMap().fit(np.random.default_rng(0).normal(size=(3, 2, 4)), labels)


@pytest.mark.parametrize("shape", [(6, 4), (6, 8), (6, 3, 4), (6, 2, 4, 1)])
def test_what_are_no_pairs_is_refused_wherever_it_goes(
    toy: tuple[np.ndarray, np.ndarray], shape: tuple[int, ...]
) -> None:
    wrong, labels = np.random.default_rng(0).normal(size=shape), [0, 1] * 3
    with pytest.raises(InvalidInput, match=r"expected \(n, 2, d\)"):
        EntailmentMap().fit(wrong, labels)
    learned = EntailmentMap(max_iter=1, random_state=0).fit(*toy)
    for verb in (learned.predict, learned.predict_proba, learned.decision_function, learned.pair_score):
        with pytest.raises(InvalidInput, match=r"expected \(n, 2, d\)"):
            verb(wrong)


def test_pairs_are_transformed_like_their_vectors(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    learned = EntailmentMap(n_components=3, random_state=0)
    both = learned.fit_transform(pairs, labels)
    assert both.shape == (len(pairs), 2, 3)
    np.testing.assert_array_equal(both[:, 1], learned.transform(pairs[:, 1]))


def test_scikit_learn_validates_searches_and_calibrates_it() -> None:
    rng = np.random.default_rng(0)
    words = rng.normal(size=(400, 6))
    rows = rng.integers(400, size=(300, 2))
    labels = (words[rows[:, 0], 0] > words[rows[:, 1], 0]).astype(int)
    pairs = words[rows]
    folds = LexicalKFold(5, random_state=0)
    learner = EntailmentMap(C=1, max_iter=30, random_state=0)
    scores = cross_val_score(learner, pairs, labels, cv=folds)
    assert scores.mean() > 0.7
    np.testing.assert_allclose(scores, cross_val_score(learner, pairs, labels, cv=folds, groups=rows.astype(str)))
    for train, test in folds.split(pairs):
        assert not np.isin(rows[train], rows[test]).any()
    search = GridSearchCV(learner, {"C": [0.01, 1.0]}, cv=folds).fit(pairs, labels)
    assert search.best_params_["C"] in (0.01, 1.0)
    calibrated = CalibratedClassifierCV(learner, cv=folds).fit(pairs, labels)
    probabilities = calibrated.predict_proba(pairs)
    assert probabilities.shape == (300, 2)
    assert calibrated.classes_.tolist() == [0, 1]
    assert ((probabilities[:, 1] > 0.5) == labels).mean() > 0.8


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


@pytest.mark.parametrize("operator", LEARNABLE)
def test_a_small_c_stays_near_the_map_to_start_from(toy: tuple[np.ndarray, np.ndarray], operator: str) -> None:
    pairs, labels = toy
    start = EntailmentMap(operator, C=10, random_state=0).fit(pairs, labels)
    continued = EntailmentMap(operator, C=1e-6).fit(pairs, labels, start=start)
    np.testing.assert_allclose(continued.weights_, start.weights_, atol=1e-4)
    np.testing.assert_allclose(continued.bias_, start.bias_, atol=1e-4)
    assert continued.scale_ == start.scale_
    assert continued.intercept_ == pytest.approx(start.intercept_, abs=0.02)
    np.testing.assert_array_equal(continued.predict(pairs), start.predict(pairs))


def test_a_start_is_not_changed_and_leads_on(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    start = EntailmentMap(C=100, max_iter=3, random_state=0).fit(pairs, labels)
    before = start.weights_.copy(), start.bias_.copy()
    continued = EntailmentMap(C=100).fit(pairs, labels, start=start)
    assert continued.loss_ < start.loss_ / 2
    np.testing.assert_array_equal(start.weights_, before[0])
    np.testing.assert_array_equal(start.bias_, before[1])


def test_a_start_keeps_its_unit_on_other_words(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    start = EntailmentMap(C=10, random_state=0).fit(pairs, labels)
    few = np.flatnonzero(np.linalg.norm(pairs - pairs[0, 0], axis=2).min(axis=1) > 0)
    continued = EntailmentMap(C=1e-6).fit(3 * pairs[few], labels[few], start=start)
    np.testing.assert_allclose(continued.weights_, start.weights_, atol=1e-4)


def test_rows_may_start_from_a_map_too(toy: tuple[np.ndarray, np.ndarray]) -> None:
    pairs, labels = toy
    words, rows = np.unique(pairs.reshape(-1, 5), axis=0, return_inverse=True)
    start = EntailmentMap(C=10, n_components=3, random_state=0).fit(pairs, labels)
    by_rows = EntailmentMap(C=1).fit_rows(words, rows.reshape(-1, 2), labels, start=start)
    by_vectors = EntailmentMap(C=1).fit(pairs, labels, start=start)
    np.testing.assert_array_equal(by_rows.weights_, by_vectors.weights_)
    assert by_rows.weights_.shape == (5, 3)


@pytest.mark.parametrize(
    ("operator", "n_components", "dimension", "message"),
    [
        ("forward", None, 5, r"of backward and shape \(5, 3\), expected forward and \(5, 3\)"),
        ("backward", 4, 5, r"of backward and shape \(5, 3\), expected backward and \(5, 4\)"),
        ("backward", None, 4, r"of backward and shape \(5, 3\), expected backward and \(4, 3\)"),
    ],
)
def test_a_map_that_is_no_start_is_refused(
    toy: tuple[np.ndarray, np.ndarray], operator: str, n_components: int | None, dimension: int, message: str
) -> None:
    pairs, labels = toy
    start = EntailmentMap(n_components=3, random_state=0, max_iter=2).fit(pairs, labels)
    with pytest.raises(InvalidInput, match=message):
        EntailmentMap(operator, n_components).fit(pairs[:, :, :dimension], labels, start=start)
    with pytest.raises(NotFittedError):
        EntailmentMap().fit(pairs, labels, start=EntailmentMap())


@pytest.mark.parametrize("operator", LEARNABLE)
def test_float32_gives_nearly_the_map_of_float64(toy: tuple[np.ndarray, np.ndarray], operator: str) -> None:
    pairs, labels = toy
    half = pairs.astype(np.float32)
    exact, rounded = (EntailmentMap(operator, C=1, random_state=0).fit(given, labels) for given in (pairs, half))
    np.testing.assert_allclose(rounded.weights_, exact.weights_, atol=1e-4)
    np.testing.assert_allclose(rounded.decision_function(half), exact.decision_function(pairs), atol=1e-2)
    assert rounded.transform(half[:, 0]).dtype == np.float32
    assert exact.transform(pairs[:, 0]).dtype == np.float64


@pytest.mark.parametrize("unit", [1e-6, 0.5, 3.0, 1e6])
@pytest.mark.parametrize("operator", LEARNABLE)
def test_the_unit_of_the_vectors_does_not_matter(
    toy: tuple[np.ndarray, np.ndarray], operator: str, unit: float
) -> None:
    pairs, labels = toy
    plain, scaled = (EntailmentMap(operator, C=1, random_state=0).fit(given, labels) for given in (pairs, unit * pairs))
    np.testing.assert_allclose(scaled.decision_function(unit * pairs), plain.decision_function(pairs), atol=1e-6)
    np.testing.assert_allclose(scaled.weights_ * unit, plain.weights_, atol=1e-6)


def test_fewer_components_of_many_words_take_little_memory() -> None:
    rng = np.random.default_rng(0)
    words, pairs = rng.normal(size=(3000, 20)), rng.permutation(3000).reshape(-1, 2)
    tracemalloc.start()
    try:
        learned = EntailmentMap(n_components=4, random_state=0, max_iter=2).fit_rows(words, pairs, pairs[:, 0] % 2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert learned.weights_.shape == (20, 4)
    assert peak < 3000 * 3000  # bytes: an eighth of a table with a number for each two words


def test_fewer_components_begin_with_the_main_directions() -> None:
    rng = np.random.default_rng(0)
    words = rng.normal(size=(200, 4)) * [0.1, 5.0, 0.2, 3.0]
    learned = EntailmentMap(n_components=2, C=1e-9, random_state=0, max_iter=1).fit_rows(
        words, rng.permutation(200).reshape(-1, 2), np.arange(100) % 2
    )
    sizes = np.abs(learned.weights_) / np.abs(learned.weights_).max()
    np.testing.assert_allclose(sizes, [[0, 0], [1, 0], [0, 0], [0, 1]], atol=0.1)


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        ([[0, 1], [1, 2], [2, 3]], [1]),
        ([[0, 1], [1, 2], [2, 3]], [1, 0]),
        ([[0, 1, 2], [1, 2, 3]], [1, 0, 1]),
        ([[0, -1], [1, 2]], [1, 0]),
        ([[0, 4], [1, 2]], [1, 0]),
        ([[0.0, 1.5], [1.0, 2.0]], [1, 0]),
        (np.empty((0, 2), int), []),
    ],
)
def test_rows_that_are_no_pairs_are_refused(pairs: Any, labels: Any) -> None:
    with pytest.raises(InvalidInput):
        EntailmentMap(max_iter=1).fit_rows(np.eye(4), pairs, labels)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"operator": "cosine"}, "operator is 'cosine', expected one of forward, backward, factorised, difference"),
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


def test_a_map_that_did_not_converge_says_so(toy: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.warns(ConvergenceWarning, match="the map did not converge in 2 steps"):
        EntailmentMap(max_iter=2, random_state=0).fit(*toy)
