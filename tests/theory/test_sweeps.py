import threading
from typing import Any

import numpy as np
import pytest

from entvec.theory import sweeps
from entvec.theory.arrays import BLOCK
from entvec.theory.edges import Edges, Structure
from entvec.theory.priors import independent, pairwise
from entvec.theory.sweeps import FEATURES_AT_ONCE, Sweep, log_bound, moved

EPS = {np.float64: 1e-11, np.float32: 2e-4}


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def c_of(hypo: Any, hyper: Any, k: int, bound: float) -> float:
    """The paper's C_ijk: the given constant, or the product over all other features."""
    if not np.isnan(bound):
        return bound
    obeys = [1 - sigmoid(-hypo[m]) * sigmoid(hyper[m]) for m in range(len(hypo)) if m != k]
    return float(np.prod(obeys))


def equation_6(theta: Any, x: Any, structure: Structure) -> Any:
    """The paper's update of all nodes, as it stands there, with each edge's term times its weight."""
    new = theta.astype(float).copy()
    x = x.astype(float)
    e, d = structure.entailments, structure.negations
    for k in range(x.shape[1]):
        for i, j, w in zip(e.hypo, e.hyper, e.weight, strict=True):
            new[i, k] += w * -np.log(sigmoid(-x[j, k]))
            new[j, k] += w * np.log(sigmoid(x[i, k]))
        for i, j, w, bound in zip(d.hypo, d.hyper, d.weight, d.bound, strict=True):
            c = c_of(x[i], x[j], k, bound)
            new[i, k] -= w * np.log((1 - c * sigmoid(-x[j, k])) / (1 - c))
            new[j, k] += w * np.log((1 - c * sigmoid(x[i, k])) / (1 - c))
    return new


def random_edges(rng: np.random.Generator, n_nodes: int, n_edges: int) -> Edges:
    numbers = rng.choice(n_nodes * (n_nodes - 1), size=n_edges, replace=False)
    hypo, other = np.divmod(numbers, n_nodes - 1)
    hyper = (hypo + 1 + other) % n_nodes
    bound = np.where(rng.random(n_edges) < 0.5, np.nan, rng.uniform(0, 0.95, n_edges))
    return Edges(hypo, hyper, rng.uniform(0, 2, n_edges), bound)


def distance_of(expected: Any, before: Any, target: Any = None) -> Any:
    """The largest change of each node, absolute up to 1 and relative beyond."""
    return (np.abs(expected - before) / np.maximum(1, np.abs(expected if target is None else target))).max(axis=1)


def random_world(n_nodes: int, n_features: int, n_edges: int, n_denied: int, dtype: Any = np.float64) -> Any:
    rng = np.random.default_rng(n_nodes * n_features)
    structure = Structure(n_nodes, random_edges(rng, n_nodes, n_edges), random_edges(rng, n_nodes, n_denied))
    base, x = rng.normal(size=(2, n_nodes, n_features)).astype(dtype)
    return structure, base, x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_denied", [0, 9])
@pytest.mark.parametrize("n_features", [1, 5, FEATURES_AT_ONCE + 3])
def test_a_sweep_is_equation_6(dtype: Any, n_denied: int, n_features: int) -> None:
    structure, base, x = random_world(7, n_features, 12, n_denied, dtype)
    if n_features == 1 and n_denied:
        structure.negations.bound[:] = 0.4  # a computed C is 1 here: see the test of a lone feature
    expected = equation_6(base, x, structure)
    before = x.copy()
    distance = Sweep(structure, np.arange(7)).apply(x, base, independent, damping=0.0)
    assert x.dtype == dtype
    np.testing.assert_allclose(x, expected, rtol=EPS[dtype], atol=EPS[dtype])
    np.testing.assert_allclose(distance, distance_of(expected, before), rtol=EPS[dtype], atol=EPS[dtype])


def test_a_threaded_sweep_is_the_same() -> None:
    n_nodes, n_features = BLOCK // FEATURES_AT_ONCE + 10, 2 * FEATURES_AT_ONCE + 1
    structure, base, x = random_world(n_nodes, n_features, 400, 0)
    e = structure.entailments
    expected = base.copy()
    np.add.at(expected, e.hypo, -e.weight[:, None] * np.log(sigmoid(-x[e.hyper])))
    np.add.at(expected, e.hyper, e.weight[:, None] * np.log(sigmoid(x[e.hypo])))
    moved = distance_of(expected, x)
    distance = Sweep(structure, np.arange(n_nodes)).apply(x, base, independent, damping=0.0)
    np.testing.assert_allclose(x, expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(distance, moved, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("nodes", [[0], [5, 2], [1, 3, 4, 6]])
def test_a_sweep_moves_only_its_nodes(nodes: list[int]) -> None:
    structure, base, x = random_world(7, 4, 12, 9)
    expected, before = equation_6(base, x, structure), x.copy()
    distance = Sweep(structure, np.array(nodes)).apply(x, base, independent, damping=0.0)
    others = np.setdiff1d(np.arange(7), nodes)
    np.testing.assert_allclose(x[nodes], expected[nodes], rtol=1e-11)
    np.testing.assert_array_equal(x[others], before[others])
    np.testing.assert_allclose(distance, distance_of(expected, before)[nodes], rtol=1e-11)


def test_damping_keeps_a_share_of_the_old_values_but_reports_the_whole_distance() -> None:
    structure, base, x = random_world(7, 4, 12, 9)
    expected, before = equation_6(base, x, structure), x.copy()
    distance = Sweep(structure, np.arange(7)).apply(x, base, independent, damping=0.25)
    np.testing.assert_allclose(x, 0.25 * before + 0.75 * expected, rtol=1e-11)
    np.testing.assert_allclose(distance, distance_of(expected, before, target=x), rtol=1e-11)


def test_the_bound_of_a_denied_edge_keeps_small_terms_beside_large_ones() -> None:
    hypo, hyper = np.array([[-1e4, 20.0, 20.0]]), np.array([[1e4, -5.0, -5.0]])
    log_c = log_bound(hypo, hyper, np.array([np.nan]))
    each = np.log1p(-sigmoid(np.array(-20.0)) * sigmoid(np.array(-5.0)))
    np.testing.assert_allclose(log_c[0, 0], 2 * each, rtol=1e-6)
    assert log_c[0, 1] < -9e3


def test_the_prior_is_asked_with_the_values_before_the_sweep() -> None:
    structure, base, x = random_world(7, 2, 12, 0)
    prior = pairwise([[0.0, 1.0], [1.0, 0.0]])
    expected = equation_6(base + sigmoid(x[:, ::-1]), x, structure)
    Sweep(structure, np.arange(7)).apply(x, base, prior, damping=0.0)
    np.testing.assert_allclose(x, expected, rtol=1e-11)


def test_many_denied_edges_are_worked_through_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "EDGES_AT_ONCE", 4)
    structure, base, x = random_world(7, 4, 3, 15)
    expected = equation_6(base, x, structure)
    Sweep(structure, np.arange(7)).apply(x, base, independent, damping=0.0)
    np.testing.assert_allclose(x, expected, rtol=1e-11)


def test_certain_nodes_stay_finite() -> None:
    structure, base, x = random_world(7, 4, 12, 9)
    x *= 1e4
    Sweep(structure, np.arange(7)).apply(x, base, independent, damping=0.0)
    assert np.isfinite(x).all()


def test_log_bound_is_the_product_over_the_other_features() -> None:
    hypo, hyper = np.random.default_rng(0).normal(size=(2, 3, 4))
    found = np.exp(log_bound(hypo, hyper, np.array([np.nan, 0.3, 0.0])))
    np.testing.assert_allclose(found[0], [c_of(hypo[0], hyper[0], k, np.nan) for k in range(4)])
    np.testing.assert_allclose(found[1:], [[0.3] * 4, [0.0] * 4])


def test_a_bound_of_zero_says_nothing() -> None:
    structure, base, x = random_world(7, 4, 0, 9)
    structure.negations.bound[:] = 0.0
    Sweep(structure, np.arange(7)).apply(x, base, independent, damping=0.0)
    np.testing.assert_allclose(x, base)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_lone_feature_of_a_denied_edge_is_all_but_certain(dtype: Any) -> None:
    """With one feature C is 1: the hyper must know it and the hypo must not, whatever the other end says."""
    nothing = np.empty(0, dtype=np.intp)
    denied = Edges(np.array([0]), np.array([1]), np.ones(1), np.array([np.nan]))
    structure = Structure(2, Edges(nothing, nothing, np.empty(0), np.empty(0)), denied)
    x = np.zeros((2, 1), dtype)
    Sweep(structure, np.arange(2)).apply(x, np.zeros((2, 1), dtype), independent, damping=0.0)
    certain = -np.log(np.finfo(dtype).eps) - np.log(2)
    np.testing.assert_allclose(x, [[-certain], [certain]], rtol=1e-6)


def test_a_move_is_told_by_who_can_hear_it() -> None:
    """Hypos do not hear how surely something is unknown, nor hypers how surely it is known."""
    old = np.array([[-40.0, 0.0], [40.0, 0.0], [0.0, 0.0], [-1e6, 0.0], [0.0, 0.0]])
    new = np.array([[-39.0, 0.0], [39.0, 0.0], [0.0, 0.1], [-1e6 + 0.1, 0.0], [0.0, 1e-5]])
    known, unknown = moved(old, new, 1e-4)
    assert known.tolist() == [True, False, True, False, False]
    assert unknown.tolist() == [False, True, True, False, False]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_number_of_threads_is_read_when_it_is_needed(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTVEC_THREADS", threads)
    names = sweeps.in_blocks(lambda _: threading.current_thread().name, (BLOCK, 4), 1)
    assert len(names) == 4
    assert {name.startswith("entvec") for name in names} == {threads == "2"}
