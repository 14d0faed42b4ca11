"""Maps that are fitted to what is known: batches never show held-out terms, and new terms find their place."""

from __future__ import annotations

import numpy as np
import pytest
from encoders import bag_of_words, shop

from entvec.errors import InvalidInput
from entvec.knowledge.sources import gathered
from entvec.learn.held_out import HeldOut, Measure, measure, reciprocal_ranks
from entvec.learn.ranking_examples import Examples
from entvec.learn.ranking_map import Recipe, fit_ranking_map
from entvec.learn.term_graph import TermGraph
from entvec.text import encoded

QUICK = Recipe(steps=300, queries=48, sampled=8, rate=2e-2)


@pytest.fixture(scope="module")
def graph() -> TermGraph:
    known = gathered(None, [shop()])
    assert known is not None
    return TermGraph.of(known)


def examples(graph: TermGraph, held_out: HeldOut, definitions: int = 100) -> Examples:
    return Examples(graph, held_out.held, definitions, np.random.default_rng(0))


def test_a_batch_has_no_held_out_term_and_right_answers_that_are_right(graph: TermGraph) -> None:
    held_out = HeldOut.drawn(graph, 10, np.random.default_rng(3))
    made = examples(graph, held_out)
    rng = np.random.default_rng(0)
    held = set(held_out.held.tolist())
    for _ in range(5):
        hypo, hyper, batch = made.draw(32, 4, rng)
        assert held.isdisjoint(made.nodes[hypo].tolist())
        assert held.isdisjoint(hyper.tolist())
        queries = hypo[: batch.n_queries]
        assert made.entails(queries[batch.owner], hyper[batch.right]).all()
        np.testing.assert_allclose(np.bincount(batch.owner, batch.share), 1)
        assert made.entails(hypo[batch.pair_hypo], hyper[batch.pair_hyper])[batch.label].all()
        assert not made.entails(hypo[batch.pair_hypo], hyper[batch.pair_hyper])[~batch.label].any()
        assert batch.weight[batch.label].sum() == pytest.approx(0.5)


def test_the_drawn_candidates_stand_for_all_others(graph: TermGraph) -> None:
    made = examples(graph, HeldOut.drawn(graph, 0, np.random.default_rng(0)))
    _, _, batch = made.draw(4, 2, np.random.default_rng(0))
    assert batch.stands_for.sum() == pytest.approx(len(made.candidates))


def test_definitions_are_texts_of_their_own(graph: TermGraph) -> None:
    made = examples(graph, HeldOut.drawn(graph, 0, np.random.default_rng(0)))
    assert len(made.defined) == 6
    assert "red shoe: something red that is a shoe" in made.texts
    without = examples(graph, HeldOut.drawn(graph, 0, np.random.default_rng(0)), definitions=0)
    assert without.texts == list(graph.texts)


def test_new_terms_find_their_hypernyms(graph: TermGraph) -> None:
    held_out = HeldOut.drawn(graph, 12, np.random.default_rng(1))
    made = examples(graph, held_out)
    vectors = encoded(bag_of_words(), made.texts)
    fitted = fit_ranking_map(vectors, made, recipe=QUICK)
    measures = {each.name: each for each in measure(fitted, vectors, made, held_out, np.random.default_rng(0)).measures}
    assert measures["specific MRR"].mean > 0.8
    assert measures["Dir Acc"].mean > 0.8
    assert fitted.settings["random_state"] == 0


def test_the_same_seed_gives_the_same_map(graph: TermGraph) -> None:
    made = examples(graph, HeldOut.drawn(graph, 0, np.random.default_rng(0)))
    vectors = encoded(bag_of_words(), made.texts)
    few = Recipe(steps=3, queries=16, sampled=4)
    one, again, other = (fit_ranking_map(vectors, made, recipe=few, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.hypo_weights, again.hypo_weights)
    assert not np.array_equal(one.hypo_weights, other.hypo_weights)


def test_a_fit_goes_on_from_another_map_and_may_be_stopped(graph: TermGraph) -> None:
    made = examples(graph, HeldOut.drawn(graph, 0, np.random.default_rng(0)))
    vectors = encoded(bag_of_words(), made.texts)
    first = fit_ranking_map(vectors, made, recipe=QUICK)
    second = fit_ranking_map(vectors, made, recipe=Recipe(steps=1, queries=8, sampled=4, rate=1e-6), start=first)
    for name in ("hyper_weights", "generality"):
        np.testing.assert_allclose(getattr(second, name), getattr(first, name), rtol=1e-3, atol=1e-4)

    def stop(part: float) -> None:
        if part > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_ranking_map(vectors, made, recipe=QUICK, progress=stop)
    with pytest.raises(InvalidInput, match="expected one for each of"):
        fit_ranking_map(vectors[:3], made)


def test_everything_held_out_is_an_error(graph: TermGraph) -> None:
    with pytest.raises(InvalidInput, match="no term is left to learn from"):
        Examples(graph, np.arange(len(graph)), 0, np.random.default_rng(0))


def test_reciprocal_ranks_ignore_the_query_itself() -> None:
    from entvec.learn.fitted import FittedMap

    plain = FittedMap("backward", np.eye(3), np.zeros(3))
    hypo = np.array([[4.0, 4.0, -4.0]])
    hyper = np.array([[4.0, -4.0, -4.0], [-4.0, -4.0, 4.0], [4.0, 4.0, -4.0], [-4.0, -4.0, -4.0]])
    right = [np.array([0])]
    assert reciprocal_ranks(plain, hypo, hyper, right, np.array([-1])).tolist() == [0.5]  # after what knows nothing
    assert reciprocal_ranks(plain, hypo, hyper, [np.array([2])], np.array([-1])).tolist() == [1 / 3]
    assert reciprocal_ranks(plain, hypo, hyper, [np.array([2])], np.array([3])).tolist() == [1 / 2]


def test_an_interval_holds_the_mean() -> None:
    found = Measure.of("x", np.array([0.0, 1.0] * 50))
    assert (found.mean, found.n) == (0.5, 100)
    assert found.high - found.low == pytest.approx(0.196)
