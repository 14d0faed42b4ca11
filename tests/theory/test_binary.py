import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from entvec.errors import InvalidInput
from entvec.theory import binary, factorised

#            alive barks curly meows lifeless
UNK = [0, 0, 0, 0, 0]
ANIMAL = [1, 0, 0, 0, 0]
DOG = [1, 1, 0, 0, 0]
POODLE = [1, 1, 1, 0, 0]
CAT = [1, 0, 0, 1, 0]
STONE = [0, 0, 0, 0, 1]

often = settings(derandomize=True, deadline=None, max_examples=60)


def any_prior(n_features: int) -> st.SearchStrategy[Any]:
    """Features may depend on each other in any way, and some bit vectors may be impossible."""
    weights = hnp.arrays(float, 2**n_features, elements=st.floats(0, 1).map(lambda w: round(w, 3)))
    return weights.filter(lambda w: w.sum() > 0.01).map(lambda w: w / w.sum())


def two_priors() -> st.SearchStrategy[Any]:
    return st.integers(0, 3).flatmap(lambda k: st.tuples(any_prior(k), any_prior(k)))


def two_log_odds(limit: float = 6) -> st.SearchStrategy[Any]:
    return st.integers(1, 4).flatmap(
        lambda k: hnp.arrays(float, (2, k), elements=st.floats(-limit, limit, allow_subnormal=False))
    )


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_table_1_of_the_paper() -> None:
    unk, f, g, not_f = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
    rows = np.array([unk, f, g, not_f])
    assert binary.entails(rows[:, None], rows).astype(int).tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 0, 1, 0],
        [1, 0, 0, 1],
    ]


def test_more_known_features_entail_fewer() -> None:
    assert binary.entails(POODLE, DOG)
    assert binary.entails(DOG, ANIMAL)
    assert binary.entails([POODLE, CAT, STONE], UNK).all()
    assert not binary.entails(ANIMAL, DOG)
    assert binary.entails([CAT, STONE, UNK], DOG).tolist() == [False, False, False]


def test_entailment_broadcasts_leading_axes() -> None:
    nouns = np.array([ANIMAL, DOG, CAT])
    assert binary.entails(nouns[:, None], nouns).astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]


def test_bits_are_the_binary_digits_lowest_first() -> None:
    assert binary.bit_vectors(3)[6].tolist() == [False, True, True]
    numbers = binary.bit_vectors(5) @ 2 ** np.arange(5)
    assert numbers.tolist() == list(range(32))


def test_no_features_leave_one_state() -> None:
    assert binary.bit_vectors(0).shape == (1, 0)
    assert binary.probability([1.0], [1.0]) == 1.0


def test_prior_normalises_any_weights() -> None:
    def count(bits: Any) -> Any:
        return np.log(1.0 + bits.sum(axis=1))

    np.testing.assert_allclose(binary.prior(2, count), np.array([1, 2, 2, 3]) / 8)


def test_prior_of_huge_weights_does_not_overflow() -> None:
    np.testing.assert_allclose(binary.prior(1, lambda bits: 1e4 + np.log(3) * bits[:, 0]), [0.25, 0.75])


def test_independent_prior_is_a_product() -> None:
    p, q = sigmoid(0.7), sigmoid(-1.5)
    expected = [(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q]
    np.testing.assert_allclose(binary.independent([0.7, -1.5]), expected)


def test_mutually_exclusive_features_are_never_known_together() -> None:
    """The paper's f and not f: independence would leave a quarter of the probability to knowing both."""
    certain_of_one = np.array([20.0, 20.0])
    exclusive = binary.mutual_exclusion(certain_of_one, [(0, 1)])
    np.testing.assert_allclose(exclusive, [0, 0.5, 0.5, 0], atol=1e-8)
    assert exclusive[3] == 0
    np.testing.assert_allclose(binary.marginals(exclusive), [0.5, 0.5])
    assert binary.independent([0.0, 0.0])[3] == 0.25


def test_only_the_named_pairs_exclude_each_other() -> None:
    p = binary.mutual_exclusion(np.zeros(3), [(0, 1), (2, 1)])
    impossible = {i for i, bits in enumerate(binary.bit_vectors(3)) if bits[1] and (bits[0] or bits[2])}
    assert set(np.flatnonzero(p == 0)) == impossible
    np.testing.assert_array_equal(binary.mutual_exclusion([1.0, 2.0], []), binary.independent([1.0, 2.0]))


@often
@given(two_priors())
def test_probability_is_the_sum_over_all_pairs_that_entail(priors: Any) -> None:
    p_y, p_x = priors
    n_features = len(p_y).bit_length() - 1
    # product counts with the last bit fastest, bit_vectors with the first
    states = [bits[::-1] for bits in itertools.product([0, 1], repeat=n_features)]
    brute = sum(
        p_y[i] * p_x[j]
        for i, y in enumerate(states)
        for j, x in enumerate(states)
        if all(known_y or not known_x for known_y, known_x in zip(y, x, strict=True))
    )
    assert binary.probability(p_y, p_x) == pytest.approx(brute)
    assert binary.joint(p_y, p_x).sum() == pytest.approx(brute)


def test_joint_has_y_in_its_rows() -> None:
    f, f_and_g = [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]
    assert np.argwhere(binary.joint(f_and_g, f)).tolist() == [[3, 1]]
    assert not binary.joint(f, f_and_g).any()
    assert (binary.probability(f_and_g, f), binary.probability(f, f_and_g)) == (1, 0)


@often
@given(two_log_odds())
def test_factorised_operator_is_exact_for_independent_features(log_odds: Any) -> None:
    y, x = log_odds
    exact = binary.probability(binary.independent(y), binary.independent(x))
    assert exact == pytest.approx(float(np.exp(factorised(y, x))))


def test_factorised_operator_is_wrong_for_exclusive_features() -> None:
    half = np.zeros(2)
    exclusive = binary.mutual_exclusion(half, [(0, 1)])
    seen_as_independent = np.log(1 / 3) - np.log(2 / 3) + half
    exact = binary.probability(exclusive, exclusive)
    assert exact == pytest.approx(5 / 9)
    assert np.exp(factorised(seen_as_independent, seen_as_independent)) == pytest.approx((7 / 9) ** 2)


@often
@given(two_priors())
def test_posterior_is_the_marginals_of_the_normalised_joint(priors: Any) -> None:
    joint = binary.joint(*priors)
    assume(joint.sum() > 0)
    bits = binary.bit_vectors(len(joint).bit_length() - 1)
    y, x = binary.posterior(*priors)
    np.testing.assert_allclose(y, joint.sum(axis=1) @ bits / joint.sum(), atol=1e-12)
    np.testing.assert_allclose(x, joint.sum(axis=0) @ bits / joint.sum(), atol=1e-12)


def test_entailing_raises_what_y_knows_and_lowers_what_x_knows() -> None:
    y, x = binary.posterior([0.25] * 4, [0.25] * 4)
    np.testing.assert_allclose([y, x], [[2 / 3, 2 / 3], [1 / 3, 1 / 3]])


def test_one_feature_is_no_special_case() -> None:
    half = [0.5, 0.5]
    assert binary.probability(half, half) == binary.joint(half, half).sum() == 0.75
    np.testing.assert_allclose(binary.posterior(half, half), [[2 / 3], [1 / 3]])


def test_marginals_of_each_bit() -> None:
    np.testing.assert_allclose(binary.marginals([0.1, 0.2, 0.3, 0.4]), [0.6, 0.7])


@often
@given(two_log_odds(), st.sampled_from([(0, 1), (1, 0)]))
def test_graph_of_one_edge_is_the_posterior_of_two_vectors(log_odds: Any, edge: tuple[int, int]) -> None:
    hypo, hyper = edge
    y, x = binary.posterior(binary.independent(log_odds[hypo]), binary.independent(log_odds[hyper]))
    posterior = binary.graph_posterior(log_odds, entailments=[edge])
    np.testing.assert_allclose(posterior[hypo], y)
    np.testing.assert_allclose(posterior[hyper], x)


def known_together(bits: Any) -> Any:
    """A correlation across nodes and features: node 0's feature 0 with node 2's feature 1."""
    return 1.5 * bits[:, 0, 0] * bits[:, 2, 1]


@pytest.mark.parametrize("entailments", [[], [(0, 1)], [(0, 1), (2, 1)], [(0, 1), (1, 0)]])
@pytest.mark.parametrize("negated", [[], [(0, 2)], [(0, 2), (2, 0)]])
@pytest.mark.parametrize("log_weight", [None, known_together])
def test_graph_posterior_weighs_every_state(entailments: Any, negated: Any, log_weight: Any) -> None:
    log_odds = np.random.default_rng(1).normal(size=(3, 2))
    total, sums = 0.0, np.zeros((3, 2))
    for flat in itertools.product([0, 1], repeat=6):
        bits = np.reshape(flat, (3, 2))
        subset = {(i, j): bool((bits[j] <= bits[i]).all()) for i, j in itertools.permutations(range(3), 2)}
        if all(subset[edge] for edge in entailments) and not any(subset[edge] for edge in negated):
            weight = np.exp((log_odds * bits).sum() + (log_weight(bits[None])[0] if log_weight else 0))
            total, sums = total + weight, sums + weight * bits
    np.testing.assert_allclose(
        binary.graph_posterior(log_odds, entailments, negated, log_weight), sums / total, atol=1e-12
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binary.bit_vectors(21), "21 bits asked for, expected at most 20"),
        (lambda: binary.bit_vectors(-1), "-1 bits"),
        (lambda: binary.graph_posterior(np.zeros((3, 7))), "21 bits asked for.*mean-field"),
        (lambda: binary.joint(np.ones(2**13) / 2**13, np.ones(2**13) / 2**13), "4\\^K pairs.*at most 12"),
        (lambda: binary.marginals([0.5, 0.25, 0.25]), "probabilities has shape \\(3,\\)"),
        (lambda: binary.marginals([]), "probabilities has shape \\(0,\\)"),
        (lambda: binary.marginals([[1.0]]), "probabilities has shape \\(1, 1\\)"),
        (lambda: binary.probability([0.5, 0.4], [0.5, 0.5]), "prior_y sums to 0.9"),
        (lambda: binary.posterior([0.5, 0.5], [1.5, -0.5]), "prior_x sums to 1.*not negative"),
        (lambda: binary.probability([np.nan, 1.0], [0.5, 0.5]), "prior_y sums to nan"),
        (lambda: binary.probability([0.5, 0.5], [0.25] * 4), "prior_y is over 1 features and prior_x over 2"),
        (lambda: binary.posterior([1.0, 0, 0, 0], [0, 0, 0, 1.0]), "P\\(y => x\\) is 0"),
        (lambda: binary.entails([0, 1], [0.5, 1]), "x holds values other than 0 and 1"),
        (lambda: binary.entails([0, 2], [0, 1]), "y holds values other than 0 and 1"),
        (lambda: binary.entails(1, [1]), "y is a single number"),
        (lambda: binary.entails([0, 1], [0, 1, 0]), "same number of features"),
        (lambda: binary.entails(np.zeros((2, 1)), np.zeros((3, 1))), "leading axes that broadcast"),
        (lambda: binary.prior(2, lambda bits: bits[:2, 0]), "log_weight returned shape \\(2,\\), expected \\(4,\\)"),
        (lambda: binary.prior(1, lambda bits: np.full(2, -np.inf)), "largest log-weight is -inf"),
        (lambda: binary.prior(1, lambda bits: np.array([0.0, np.nan])), "largest log-weight is nan"),
        (lambda: binary.prior(1, lambda bits: np.array([0.0, np.inf])), "largest log-weight is inf"),
        (lambda: binary.independent([[0.0, 1.0]]), "one finite number for each feature"),
        (lambda: binary.independent([0.0, np.inf]), "one finite number for each feature"),
        (lambda: binary.mutual_exclusion([0.0, np.nan], []), "one finite number for each feature"),
        (lambda: binary.mutual_exclusion([0.0, 0.0], [(0, 2)]), "pairs name feature 0 to 2, expected 0 to 1"),
        (lambda: binary.mutual_exclusion([0.0, 0.0], [(-1, 1)]), "pairs name feature -1 to 1"),
        (lambda: binary.graph_posterior(np.zeros((3, 1)), [(0, 1), (1, 2)], [(0, 2)]), "at least one possible state"),
        (lambda: binary.graph_posterior([0.0, 0.0]), "log_odds has shape \\(2,\\), expected \\(nodes, features\\)"),
    ],
)
def test_refuses(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize("edge", [(0, 2), (-1, 0)])
def test_an_edge_of_a_graph_names_its_nodes(edge: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match=f"names nodes {edge[0]} and {edge[1]}, expected 0 to 1"):
        binary.graph_posterior(np.zeros((2, 1)), [edge])


def test_correlations_of_a_graph_are_one_weight_for_each_state() -> None:
    with pytest.raises(InvalidInput, match=r"log_weight returned shape \(2,\), expected \(4,\)"):
        binary.graph_posterior(np.zeros((2, 1)), log_weight=lambda bits: np.zeros(2))


def test_a_feature_does_not_exclude_itself() -> None:
    with pytest.raises(InvalidInput, match="the same feature twice"):
        binary.mutual_exclusion(np.zeros(2), [(1, 1)])
