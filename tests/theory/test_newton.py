from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.theory import newton
from entvec.theory.edges import Edges, Structure
from entvec.theory.newton import Newton
from entvec.theory.priors import independent
from entvec.theory.sweeps import Sweep

often = settings(derandomize=True, deadline=None, max_examples=40)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def structure(n_nodes: int, pairs: list[tuple[int, int]], weight: float = 1.0) -> Structure:
    hypo, hyper = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    nothing = np.empty(0)
    unsaid = Edges(nothing.astype(np.intp), nothing.astype(np.intp), nothing, nothing)
    return Structure(n_nodes, Edges(hypo, hyper, np.full(len(pairs), weight), np.full(len(pairs), np.nan)), unsaid)


def jacobian(world: Structure, x: Any) -> Any:
    """dX_i/dX_j of one feature, as a dense matrix."""
    out = np.zeros((world.n_nodes, world.n_nodes))
    e = world.entailments
    for i, j, w in zip(e.hypo, e.hyper, e.weight, strict=True):
        out[i, j] += w * sigmoid(x[j])
        out[j, i] += w * sigmoid(-x[i])
    return out


def residual(world: Structure, x: Any, base: Any) -> Any:
    after = x.copy()
    Sweep(world, np.arange(world.n_nodes)).apply(after, base, independent, 0.0)
    return after - x


def exact_step(world: Structure, x: Any, base: Any, free: Any) -> Any:
    """(1 - J)^-1 r for each feature, by a dense solver, over the free nodes."""
    r, step = residual(world, x, base), np.zeros_like(x)
    for k in range(x.shape[1]):
        left = np.eye(world.n_nodes) - jacobian(world, x[:, k])
        step[free, k] = np.linalg.solve(left[np.ix_(free, free)], r[free, k])
    return step


@st.composite
def trees(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Trees with edges in both directions."""
    n = draw(st.integers(1, 30))
    edges = [(i, draw(st.integers(0, i - 1))) for i in range(1, n)]
    return n, [(i, j) if draw(st.booleans()) else (j, i) for i, j in edges]


def small_step(n: int, seed: int, n_features: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, n_features))
    return x, x + 1e-3 * rng.normal(size=x.shape)


@often
@given(trees(), st.sampled_from([0.3, 0.45]), st.data())
def test_in_a_tree_the_step_is_that_of_a_dense_solver(
    tree: tuple[int, list[tuple[int, int]]], weight: float, data: st.DataObject
) -> None:
    n, pairs = tree
    world = structure(n, pairs, weight)
    free = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    x, base = small_step(n, len(pairs))
    base += x - (x + residual(world, x, x))  # so that x is all but a fixed point, and no step is cut
    expected = x + exact_step(world, x, base, free)
    Newton(world, free).apply(x, base, independent, np.zeros_like(x), 1e-9)
    np.testing.assert_allclose(x, expected, atol=1e-9)


def test_a_loop_of_nodes_leaves_as_a_chain_does() -> None:
    """Four nodes around a loop, and three of a clique: no one has more neighbours than may leave."""
    world = structure(7, [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6)], 0.3)
    x, base = small_step(7, 0)
    base += x - (x + residual(world, x, x))
    expected = x + exact_step(world, x, base, np.ones(7, dtype=bool))
    Newton(world, np.ones(7, dtype=bool)).apply(x, base, independent, np.zeros_like(x), 1e-9)
    np.testing.assert_allclose(x, expected, atol=1e-9)


def test_nodes_that_all_have_many_neighbours_are_approached_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 8
    world = structure(n, [(i, j) for j in range(n) for i in range(j + 1, n)], 0.05)
    distances = []
    for steps in (0, 1, 5, 20):
        monkeypatch.setattr(newton, "LAST_STEPS", steps)
        x, base = small_step(n, 0)
        base += x - (x + residual(world, x, x))
        expected = x + exact_step(world, x, base, np.ones(n, dtype=bool))
        Newton(world, np.ones(n, dtype=bool)).apply(x, base, independent, np.zeros_like(x), 1e-9)
        distances.append(np.abs(x - expected).max())
    assert distances[0] > 2 * distances[1] > 8 * distances[2] > 0
    assert distances[3] < 1e-9


def test_a_step_without_end_is_cut() -> None:
    """X = 40 and X = -40 pull against each other with a gain of all but 1."""
    world = structure(2, [(0, 1)])
    x = np.array([[-40.0, -0.1], [40.0, 0.1]])
    before, base = x.copy(), np.array([[-80.5, 0.0], [80.0, 0.0]])
    Newton(world, np.ones(2, dtype=bool)).apply(x, base, independent, np.zeros_like(x), 1e-9)
    assert (np.abs(x - before) <= np.maximum(1, np.abs(before))).all()
    assert (np.abs(x - before)[:, 0] > 5).all()


def test_a_number_that_turns_back_is_trusted_half_as_much() -> None:
    world, free = structure(1, []), np.ones(1, dtype=bool)
    x, trust = np.array([[0.0, 0.0]]), np.zeros((1, 2))
    steps = Newton(world, free)
    for target, expected in (([9.0, -9.0], [1.0, -1.0]), ([-9.0, -9.0], [-0.5, -1.0]), ([-9.0, -9.0], [-0.5, -1.0])):
        before = x.copy()
        steps.apply(x, before + np.array([target]), independent, trust, 1e-9)
        np.testing.assert_allclose(trust, [expected])
        np.testing.assert_allclose(x - before, np.array([expected]) * np.maximum(1, np.abs(before)))


def test_features_that_are_settled_are_left_alone() -> None:
    world = structure(2, [(0, 1)], 0.5)
    x, base = small_step(2, 0)
    base[:, 0] = x[:, 0] - residual(world, x, x)[:, 0]
    before = x.copy()
    Newton(world, np.ones(2, dtype=bool)).apply(x, base, independent, np.zeros_like(x), 1e-6)
    np.testing.assert_array_equal(x[:, 0], before[:, 0])
    assert (x[:, 1:] != before[:, 1:]).all()
