"""The scorer returns the scores of the operator, for any dtype, order and number of pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from entvec.bundled import google_news, toy_world
from entvec.learn import FittedMap
from entvec.pairs.scorer import Scorer
from entvec.space import EntailmentSpace
from entvec.theory import INTERPRETATIONS, OPERATORS
from entvec.vectors import Vectors

SOME = google_news().head(300)
RNG = np.random.default_rng(0)
LEARNED = FittedMap(
    "factorised",
    RNG.normal(size=(300, 20)),
    RNG.normal(size=20),
    hyper_weights=RNG.normal(size=(300, 20)),
    hyper_bias=RNG.normal(size=20),
    hypo_offset=RNG.normal(size=301),
    hyper_offset=RNG.normal(size=301),
)


def toy_space(operator: str = "backward") -> EntailmentSpace:
    world = toy_world()
    vectors = Vectors(world.words, world.log_odds())
    return EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator=operator)


def scorer_of(space: EntailmentSpace, dtype: type = np.float32) -> Scorer:
    return Scorer(space.model, space.vocabulary, dtype, keys=space.keys)


def random_pairs(n: int, of: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.integers(0, of, n), rng.integers(0, of, n)


def one_by_one(space: EntailmentSpace, hypo: np.ndarray, hyper: np.ndarray) -> np.ndarray:
    words = space.vocabulary.words
    return np.array([space.score(words[y], words[x]) for y, x in zip(hypo.tolist(), hyper.tolist(), strict=True)])


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_operator_has_the_scores_of_single_pairs(operator: str, dtype: type) -> None:
    space = EntailmentSpace.from_vectors(SOME, operator=operator)
    hypo, hyper = random_pairs(50)
    expected = one_by_one(space, hypo, hyper)
    found = scorer_of(space, dtype).score(hypo, hyper)
    assert found.dtype == np.float64
    tolerance = 1e-12 if dtype is np.float64 else 2e-6
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def test_what_a_map_adds_for_each_side_is_in_the_score() -> None:
    space = EntailmentSpace.from_vectors(SOME, map=LEARNED)
    hypo, hyper = random_pairs(50)
    np.testing.assert_allclose(
        scorer_of(space, np.float64).score(hypo, hyper), one_by_one(space, hypo, hyper), rtol=1e-9
    )


def test_entailments_of_the_toy_world_score_higher_than_the_reverse() -> None:
    space, world = toy_space(), toy_world()
    true = [pair for pair in world.pairs() if world.entails(*pair)]
    hypo, hyper = (space.vocabulary.rows(side) for side in zip(*true, strict=True))
    scorer = scorer_of(space)
    assert (scorer.score(hypo, hyper) > scorer.score(hyper, hypo)).all()


def test_words_that_are_met_later_do_not_change_earlier_scores() -> None:
    space = EntailmentSpace.from_vectors(SOME)
    hypo, hyper = random_pairs(2000)
    together = scorer_of(space).score(hypo, hyper)
    scorer = scorer_of(space)
    parts = np.split(np.arange(2000), [1, 3, 3, 50, 1999])
    np.testing.assert_array_equal(np.concatenate([scorer.score(hypo[p], hyper[p]) for p in parts]), together)
    np.testing.assert_array_equal(scorer.score(hypo, hyper), together)


def test_scores_do_not_depend_on_whether_there_are_keys_of_16_bits() -> None:
    space = EntailmentSpace.from_vectors(SOME, dtype="float16")
    hypo, hyper = random_pairs(500)
    from_vectors = scorer_of(space).score(hypo, hyper)
    space.keys["hypo"]
    space.keys["hyper"]
    np.testing.assert_array_equal(scorer_of(space).score(hypo, hyper), from_vectors)
    np.testing.assert_allclose(scorer_of(space, np.float64).score(hypo, hyper), from_vectors, rtol=1e-6)


@pytest.mark.parametrize("operator", ["backward", "factorised", "cosine", "weighted_cosine"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("n", [2, 299, 300, 900])
def test_a_batch_of_any_size_has_the_scores_of_single_pairs(operator: str, dtype: str, n: int) -> None:
    space = EntailmentSpace.from_vectors(SOME, operator=operator, dtype=dtype)
    if space.model.indexable:
        space.keys["hypo"], space.keys["hyper"]
    hypo, hyper = random_pairs(n)
    words = space.vocabulary.words
    found = space.score([words[row] for row in hypo.tolist()], [words[row] for row in hyper.tolist()])
    some = slice(None, None, max(1, n // 40))
    np.testing.assert_allclose(found[some], one_by_one(space, hypo[some], hyper[some]), rtol=1e-9, atol=1e-12)


NUMBERS = st.floats(-50, 50) | st.integers(-3, 3).map(float) | st.sampled_from([1e-12, -1e-300, 5e-324, 0.1, 0.3])


@settings(max_examples=30, deadline=None)
@given(
    matrix=arrays(np.float64, st.tuples(st.integers(2, 3), st.integers(1, 6)), elements=NUMBERS),
    operator=st.sampled_from(list(OPERATORS)),
    interpretation=st.sampled_from(list(INTERPRETATIONS)),
    dtype=st.sampled_from(["float64", "float32", "float16", "bfloat16"]),
)
def test_a_batch_and_single_pairs_differ_by_rounding_at_most(
    matrix: np.ndarray, operator: str, interpretation: str, dtype: str
) -> None:
    """The bound that docs/space.md and docs/architecture.md state."""
    words = [f"w{i}" for i in range(len(matrix))]
    vectors = Vectors(words, matrix).astype(dtype)
    space = EntailmentSpace.from_vectors(vectors, operator=operator, interpretation=interpretation)
    hypo, hyper = np.divmod(np.arange(len(words) ** 2), len(words))
    single = one_by_one(space, hypo, hyper)
    lengths = np.linalg.norm(vectors.matrix.astype(np.float64), axis=1)
    bound = 1e-9 * np.abs(single) + 1e-12 * (1 + lengths[hypo] * lengths[hyper])
    batch = space.score([words[i] for i in hypo], [words[i] for i in hyper])
    assert (np.abs(batch - single) <= bound).all()
    one_side = np.concatenate([space.score(word, words) for word in words])
    assert (np.abs(one_side - single) <= bound).all()


def test_no_pairs_have_no_scores() -> None:
    none = np.array([], dtype=np.int64)
    assert scorer_of(toy_space()).score(none, none).shape == (0,)


def test_lists_of_words_are_scored_this_way() -> None:
    space = toy_space()
    found = space.score(["dog", "animal", "dog"], ["animal", "dog", "animal"])
    np.testing.assert_allclose(found, [space.score("dog", "animal"), space.score("animal", "dog"), found[0]])
