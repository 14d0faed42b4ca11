import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from entvec.errors import InvalidInput
from entvec.theory import EntailmentGraph, binary, priors

ALL = slice(None)
COUPLINGS = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, 0.5], [-1.0, 0.5, 0.0]])

often = settings(derandomize=True, deadline=None, max_examples=50)
three_features = hnp.arrays(float, 3, elements=st.floats(-6, 6, allow_subnormal=False))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def theta_of(prior: priors.Prior, base: Any, log_odds: Any) -> Any:
    return prior(base[None], log_odds[None], ALL)[0]


def expected_gain(log_weight: Any, log_odds: Any, k: int) -> float:
    """How much more E_Q log P is with feature k known than unknown: what theta_k stands for (section 2.2)."""
    gain = 0.0
    for bits in itertools.product([0.0, 1.0], repeat=len(log_odds) - 1):
        others = np.delete(sigmoid(log_odds), k)
        probability = np.prod(np.where(bits, others, 1 - others))
        gain += probability * (log_weight(np.insert(bits, k, 1.0)) - log_weight(np.insert(bits, k, 0.0)))
    return gain


def test_independent_prior_is_the_nodes_own() -> None:
    base, log_odds = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    np.testing.assert_array_equal(priors.independent(base, log_odds, ALL), base)
    np.testing.assert_array_equal(priors.independent(base, log_odds, np.array([2, 0])), base[[2, 0]])


@often
@given(three_features, three_features)
def test_pairwise_prior_is_the_mean_field_of_its_couplings(base: Any, log_odds: Any) -> None:
    theta = theta_of(priors.pairwise(COUPLINGS), base, log_odds)
    for k in range(3):
        gain = expected_gain(lambda bits: base @ bits + bits @ COUPLINGS @ bits / 2, log_odds, k)
        assert theta[k] == pytest.approx(gain)


@often
@given(three_features, three_features)
def test_mutual_exclusion_is_the_jensen_bound_of_its_factors(base: Any, log_odds: Any) -> None:
    """Of E log(1 - x_k x_k') with the expectation over x_k' moved inside: x_k log(1 - s(X_k'))."""
    theta = theta_of(priors.mutual_exclusion([(0, 1), (2, 0)]), base, log_odds)
    log_unknown = np.log(sigmoid(-log_odds))
    gains = [log_unknown[1] + log_unknown[2], log_unknown[0], log_unknown[0]]
    np.testing.assert_allclose(theta - base, gains, atol=1e-12)


def test_excluded_by_something_certain() -> None:
    f, not_f = 0, 1
    theta = theta_of(priors.mutual_exclusion([(f, not_f)]), np.zeros(2), np.array([1e4, -1e4]))
    np.testing.assert_allclose(theta, [0, -1e4])


def test_no_pairs_exclude_nothing() -> None:
    base = np.array([1.0, -2.0])
    np.testing.assert_array_equal(theta_of(priors.mutual_exclusion([]), base, np.ones(2)), base)


@pytest.mark.parametrize("prior", [priors.independent, priors.mutual_exclusion([(0, 2)]), priors.pairwise(COUPLINGS)])
def test_rows_are_computed_by_themselves_and_keep_their_dtype(prior: priors.Prior) -> None:
    rng = np.random.default_rng(0)
    base, log_odds = rng.normal(size=(2, 5, 3))
    some = np.array([4, 1])
    np.testing.assert_allclose(prior(base, log_odds, some), prior(base, log_odds, ALL)[some])
    assert prior(base.astype(np.float32), log_odds.astype(np.float32), ALL).dtype == np.float32


def test_pairwise_prior_brings_inference_nearer_to_the_exact_posterior() -> None:
    """Node 0 entails node 1; in each node features 0 and 1 like each other."""
    base = np.random.default_rng(3).normal(size=(2, 3))
    exact = binary.graph_posterior(
        base, [(0, 1)], log_weight=lambda bits: np.einsum("snk,kl,snl->s", bits, COUPLINGS, bits) / 2
    )

    def distance(prior: priors.Prior) -> float:
        graph = EntailmentGraph(3, prior=prior)
        graph.add_nodes(["hypo", "hyper"], base)
        graph.add_entailments("hypo", "hyper")
        return float(np.abs(sigmoid(graph.infer().log_odds) - exact).mean())

    assert distance(priors.pairwise(COUPLINGS)) < 0.1 < distance(priors.independent)


def test_mutual_exclusion_lets_a_node_know_only_the_stronger_feature() -> None:
    """A riddle entails something alive and something lifeless; nothing is both."""

    def riddle(prior: priors.Prior) -> Any:
        graph = EntailmentGraph(2, prior=prior)
        graph.add_nodes(["riddle", "animal", "stone"])
        graph.observe(["animal", "stone"], [[3.0, -3.0], [-3.0, 2.0]])
        graph.add_entailments(["riddle", "riddle"], ["animal", "stone"])
        return sigmoid(graph.infer()["riddle"])

    alive, lifeless = riddle(priors.mutual_exclusion([(0, 1)]))
    assert alive > 0.9
    assert lifeless < 0.4
    assert (riddle(priors.independent) > 0.85).all()


def test_a_pair_said_twice_excludes_once() -> None:
    once, twice = (priors.mutual_exclusion(pairs) for pairs in ([(0, 1)], [(0, 1), (1, 0)]))
    state = np.array([[1.0, -2.0]])
    np.testing.assert_array_equal(once(state, state, slice(None)), twice(state, state, slice(None)))


def test_a_node_prior_of_your_own_sees_only_its_rows() -> None:
    def at_most_two(base: Any, log_odds: Any) -> Any:
        assert base.shape == log_odds.shape
        return np.minimum(base, 2.0) - (log_odds > 0)

    base, log_odds = np.array([[1.0], [5.0]]), np.array([[-1.0], [1.0]])
    prior = priors.NodePrior(at_most_two)
    assert prior(base, log_odds, ALL).tolist() == [[1.0], [1.0]]
    assert prior(base, log_odds, np.array([1])).tolist() == [[1.0]]


@pytest.mark.parametrize("couplings", [np.zeros((2, 3)), np.zeros(3), [[0.0, np.nan], [np.nan, 0.0]]])
def test_refuses_couplings_that_are_no_finite_square_matrix(couplings: Any) -> None:
    with pytest.raises(InvalidInput, match="finite square matrix"):
        priors.pairwise(couplings)


@pytest.mark.parametrize("couplings", [[[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
def test_refuses_couplings_of_a_feature_with_itself_or_one_way(couplings: Any) -> None:
    with pytest.raises(InvalidInput, match="symmetric with zeros on the diagonal"):
        priors.pairwise(couplings)


def test_refuses_couplings_for_another_number_of_features() -> None:
    with pytest.raises(InvalidInput, match="couplings are for 3 features, but the nodes have 2"):
        theta_of(priors.pairwise(COUPLINGS), np.zeros(2), np.zeros(2))


def test_refuses_a_feature_that_excludes_itself() -> None:
    with pytest.raises(InvalidInput, match="same feature twice"):
        priors.mutual_exclusion([(0, 1), (2, 2)])


@pytest.mark.parametrize("pair", [(0, 2), (-1, 0)])
def test_refuses_pairs_of_features_that_nodes_do_not_have(pair: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match=f"feature {min(pair)} to {max(pair)}, expected 0 to 1"):
        theta_of(priors.mutual_exclusion([pair]), np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("pairs", [[("alive", "lifeless")], [(0.5, 1.0)], [(0, 1, 2)]])
def test_pairs_are_numbers_of_features(pairs: Any) -> None:
    with pytest.raises(InvalidInput, match="expected pairs of numbers of features"):
        priors.mutual_exclusion(pairs)
