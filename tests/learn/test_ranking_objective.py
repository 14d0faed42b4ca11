"""The losses of a map with two sides: gradients against finite differences, and what each loss asks for."""

from __future__ import annotations

import numpy as np
import pytest

from entvec.learn.ranking_objective import Batch, Parameters, Weights, initial, loss

RNG = np.random.default_rng(7)
N_HYPO, N_HYPER, N_QUERIES, N_CANDIDATES, DIMENSION, COMPONENTS = 9, 11, 6, 8, 5, 4


def batch() -> Batch:
    return Batch(
        hypo=RNG.standard_normal((N_HYPO, DIMENSION)),
        hyper=RNG.standard_normal((N_HYPER, DIMENSION)),
        n_queries=N_QUERIES,
        stands_for=RNG.uniform(1, 3, N_CANDIDATES),
        owner=np.array([0, 0, 1, 2, 3, 4, 5]),
        right=np.array([0, 1, 1, 2, 3, 4, 0]),
        share=np.array([0.4, 0.6, 1, 1, 1, 1, 1.0]),
        hidden=(np.array([0, 1]), np.array([5, 0])),
        pair_hypo=np.array([0, 1, 7, 8, 2]),
        pair_hyper=np.array([1, 2, 9, 10, 3]),
        label=np.array([True, False, True, False, True]),
        weight=RNG.uniform(0.1, 0.3, 5),
    )


BATCH = batch()


def parameters() -> Parameters:
    rng = np.random.default_rng(1)
    start = initial(BATCH.hypo, COMPONENTS, rng)
    return {name: value + 0.3 * rng.standard_normal(value.shape) for name, value in start.items()}


@pytest.mark.parametrize("weights", [Weights(0, 0), Weights(5, 0), Weights(0, 2), Weights()], ids=str)
@pytest.mark.parametrize("name", parameters())
def test_gradients_are_those_of_finite_differences(name: str, weights: Weights) -> None:
    p = parameters()
    _, gradient = loss(p, BATCH, weights)
    flat, step = p[name].ravel(), 1e-5
    numeric = np.empty(flat.size)
    for at, value in enumerate(flat.tolist()):
        flat[at] = value + step
        above = loss(p, BATCH, weights)[0]
        flat[at] = value - step
        numeric[at] = (above - loss(p, BATCH, weights)[0]) / (2 * step)
        flat[at] = value
    np.testing.assert_allclose(gradient[name].ravel(), numeric, rtol=1e-5, atol=1e-7)


def test_float32_is_close_to_float64() -> None:
    narrow = BATCH._replace(hypo=BATCH.hypo.astype(np.float32), hyper=BATCH.hyper.astype(np.float32))
    p = parameters()
    wide, by_wide = loss(p, BATCH)
    found, by_narrow = loss({name: value.astype(np.float32) for name, value in p.items()}, narrow)
    assert found == pytest.approx(wide, rel=1e-4)
    for name, by in by_wide.items():
        np.testing.assert_allclose(by_narrow[name], by, rtol=1e-2, atol=1e-4)


def test_the_intercept_begins_in_the_middle_of_the_scores() -> None:
    p = parameters()
    p["decision"][:] = 0
    loss(p, BATCH)
    assert p["decision"][1] > 0


def test_a_hypernym_of_all_queries_has_no_rival_and_no_nan() -> None:
    everything = BATCH._replace(
        owner=np.arange(N_QUERIES), right=np.zeros(N_QUERIES, int), share=np.ones(N_QUERIES), hidden=BATCH.hidden
    )
    everything = everything._replace(hidden=(np.empty(0, int), np.empty(0, int)))
    value, gradient = loss(parameters(), everything)
    assert np.isfinite(value)
    assert all(np.isfinite(by).all() for by in gradient.values())


def test_fewer_components_begin_with_the_main_axes() -> None:
    vectors = np.random.default_rng(0).standard_normal((200, 6)) * [9, 5, 0.1, 0.1, 0.1, 0.1]
    found = initial(vectors, 2, np.random.default_rng(0))["hypo_weights"]
    assert found.shape == (6, 2)
    assert np.abs(found[:2]).max(axis=1).min() > 10 * np.abs(found[2:]).max()
