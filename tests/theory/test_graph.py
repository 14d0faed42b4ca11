import copy
import gc
import itertools
import pickle
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from entvec.errors import InvalidInput, NodeNotFound
from entvec.theory import (
    Contradicted,
    Contradiction,
    EntailmentGraph,
    Inference,
    NotConverged,
    binary,
    fixedpoint,
    priors,
    sweeps,
)
from entvec.theory import graph as graph_module
from entvec.theory.fixedpoint import Schedule
from entvec.theory.meanfield import update_backward, update_forward
from entvec.theory.sweeps import Sweep

Pairs = list[tuple[int, int]]

SCHEDULES: list[Schedule] = list(get_args(Schedule))
#                  alive barks curly meows lifeless
TOY = {
    "unk": np.array([-4.0, -4.0, -4.0, -4.0, -4.0]),
    "animal": np.array([4.0, -4.0, -4.0, -4.0, -4.0]),
    "dog": np.array([4.0, 4.0, -4.0, -4.0, -4.0]),
    "poodle": np.array([4.0, 4.0, 4.0, -4.0, -4.0]),
    "cat": np.array([4.0, -4.0, -4.0, 4.0, -4.0]),
    "stone": np.array([-4.0, -4.0, -4.0, -4.0, 4.0]),
}
SHAPES: dict[str, tuple[int, Pairs]] = {
    "edge": (2, [(0, 1)]),
    "chain of 3": (3, [(0, 1), (1, 2)]),
    "chain of 4": (4, [(0, 1), (1, 2), (2, 3)]),
    "many hypos": (4, [(1, 0), (2, 0), (3, 0)]),
    "many hypers": (4, [(0, 1), (0, 2), (0, 3)]),
    "diamond": (4, [(0, 1), (0, 2), (1, 3), (2, 3)]),
}

often = settings(derandomize=True, deadline=None, max_examples=50)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def toy_graph(*observed: str, **options: Any) -> EntailmentGraph:
    """poodle => dog => animal => unk and cat => animal, with the named nodes observed."""
    graph = EntailmentGraph(5, **options)
    graph.add_nodes(list(TOY))
    graph.add_entailments(["poodle", "dog", "cat", "animal"], ["dog", "animal", "animal", "unk"])
    for name in observed:
        graph.observe(name, TOY[name])
    return graph


def numbered(
    rows: Any, entailments: Pairs, negations: Pairs | None = None, *, weight: float = 1.0, **options: Any
) -> EntailmentGraph:
    """A graph of nodes "0", "1", ... with these rows as their prior log-odds."""
    graph = EntailmentGraph(np.shape(rows)[1], **options)
    graph.add_nodes([str(i) for i in range(len(rows))], rows)
    graph.add_entailments(*names_of(entailments), weight)
    graph.add_negations(*names_of(negations or []))
    return graph


def names_of(pairs: Pairs) -> tuple[list[str], list[str]]:
    return [str(i) for i, _ in pairs], [str(j) for _, j in pairs]


def random_tree(n_nodes: int, **options: Any) -> EntailmentGraph:
    """A tree whose edges are weak enough that what happens in one corner stays there."""
    rng = np.random.default_rng(n_nodes)
    entailments = [(i, int(rng.integers(0, i))) for i in range(1, n_nodes)]
    return numbered(rng.normal(size=(n_nodes, 3)), entailments, weight=0.4, **options)


@contextmanager
def not_converging() -> Iterator[None]:
    with pytest.warns(NotConverged) as caught:
        yield
    assert len(caught) == 1


# What inference says


def test_what_is_known_of_a_hyper_is_known_of_its_hypos() -> None:
    found = toy_graph("animal").infer()
    for name in ("dog", "poodle", "cat"):
        known = sigmoid(found[name])
        assert known[0] > 0.9
        assert (np.abs(known[1:] - 0.5) < 0.2).all()


def test_what_is_unknown_of_a_hypo_is_unknown_of_its_hypers() -> None:
    found = toy_graph("dog").infer()
    assert (found["animal"][2:] < -3.5).all()
    assert (found["unk"][2:] < -3.5).all()
    assert (found["animal"][:2] > -1).all()


def test_nodes_without_edges_keep_their_priors() -> None:
    graph = toy_graph("dog")
    graph.set_prior("stone", TOY["stone"])
    np.testing.assert_array_equal(graph.infer()["stone"], TOY["stone"])


vectors = hnp.arrays(float, (2, 3), elements=st.floats(-5, 5, allow_subnormal=False))


@often
@given(vectors)
def test_forward_inference_is_the_two_node_case(rows: Any) -> None:
    y, prior = rows
    graph = numbered([y, prior], [(0, 1)])
    graph.observe("0", y)
    np.testing.assert_allclose(graph.infer()["1"], update_forward(prior, y))


@often
@given(vectors)
def test_backward_inference_is_the_two_node_case(rows: Any) -> None:
    prior, x = rows
    graph = numbered([prior, x], [(0, 1)])
    graph.observe("1", x)
    np.testing.assert_allclose(graph.infer()["0"], update_backward(prior, x))


@often
@given(vectors)
def test_at_a_fixed_point_every_node_is_the_update_from_its_neighbours(rows: Any) -> None:
    found = numbered(rows, [(0, 1)]).infer(tol=1e-10)
    np.testing.assert_allclose(found["0"], update_backward(rows[0], found["1"]), atol=1e-9)
    np.testing.assert_allclose(found["1"], update_forward(rows[1], found["0"]), atol=1e-9)


# How far it is from the truth


@pytest.mark.parametrize(
    ("shape", "measured"),
    [
        ("edge", 0.043),
        ("chain of 3", 0.062),
        ("chain of 4", 0.075),
        ("many hypos", 0.024),
        ("many hypers", 0.025),
        ("diamond", 0.050),
    ],
)
def test_distance_to_the_exact_posterior(shape: str, measured: float) -> None:
    """Mean distance of the marginals over 100 graphs with priors drawn from N(0, 1); the priors are 3 times as far."""
    n_nodes, edges = SHAPES[shape]
    rng = np.random.default_rng(0)
    far, near = [], []
    for _ in range(100):
        prior = rng.normal(size=(n_nodes, 2))
        exact = binary.graph_posterior(prior, edges)
        far.append(np.abs(sigmoid(prior) - exact).mean())
        near.append(np.abs(sigmoid(numbered(prior, edges).infer().log_odds) - exact).mean())
    assert np.mean(near) == pytest.approx(measured, rel=0.1)
    assert np.mean(near) < 0.4 * np.mean(far)
    assert np.mean(np.array(near) < far) >= 0.98


@often
@given(vectors)
def test_one_edge_is_understated(rows: Any) -> None:
    """The exact answer is the first sweep; each later one listens to an echo of its own and takes some of it back."""
    exact = binary.graph_posterior(rows, [(0, 1)])
    graph = numbered(rows, [(0, 1)])
    with not_converging():
        first = graph.infer("parallel", tol=1e-300, max_iter=1)
    np.testing.assert_allclose(sigmoid(first.log_odds), exact, atol=1e-12)
    hypo, hyper = sigmoid(graph.infer(tol=1e-9).log_odds)
    assert (sigmoid(rows[0]) <= hypo + 1e-9).all()
    assert (hypo <= exact[0] + 1e-9).all()
    assert (exact[1] <= hyper + 1e-9).all()
    assert (hyper <= sigmoid(rows[1]) + 1e-9).all()


def test_chains_of_undecided_nodes_are_understated() -> None:
    edges = SHAPES["chain of 4"][1]
    known = sigmoid(numbered(np.zeros((4, 1)), edges).infer().log_odds).ravel()
    np.testing.assert_allclose(binary.graph_posterior(np.zeros((4, 1)), edges).ravel(), [0.8, 0.6, 0.4, 0.2])
    np.testing.assert_allclose(known, [0.692, 0.555, 0.445, 0.308], atol=1e-3)


def test_strong_priors_in_a_loop_are_overstated() -> None:
    """Where evidence arrives on two ways it counts twice: marginals are further from 1/2 than the exact ones."""
    n_nodes, edges = SHAPES["diamond"]
    rng = np.random.default_rng(0)
    excess = []
    for _ in range(100):
        prior = rng.normal(0, 2, size=(n_nodes, 2))
        known = sigmoid(numbered(prior, edges).infer("sequential").log_odds)
        excess.append((np.abs(known - 0.5) - np.abs(binary.graph_posterior(prior, edges) - 0.5)).mean())
    assert 0.02 < np.mean(excess) < 0.05


@pytest.mark.parametrize(("n_features", "measured"), [(2, 0.062), (3, 0.035), (4, 0.019)])
def test_a_denied_edge_moves_every_feature_towards_the_exact_posterior(n_features: int, measured: float) -> None:
    rng = np.random.default_rng(0)
    distances = []
    for _ in range(50):
        prior = rng.normal(size=(2, n_features))
        exact = binary.graph_posterior(prior, negated=[(0, 1)])
        known = sigmoid(numbered(prior, [], [(0, 1)]).infer().log_odds)
        assert (np.sign(known - sigmoid(prior)) == np.sign(exact - sigmoid(prior))).all()
        assert np.abs(known - exact).mean() < np.abs(sigmoid(prior) - exact).mean()
        distances.append(np.abs(known - exact).mean())
    assert np.mean(distances) == pytest.approx(measured, rel=0.15)


def test_a_denied_edge_is_told_from_its_reverse() -> None:
    found = numbered(np.zeros((2, 2)), [], [(0, 1)]).infer()
    assert (found["0"] < 0).all()
    assert (found["1"] > 0).all()


def test_a_constant_bound_is_the_papers_c() -> None:
    graph = numbered(np.zeros((2, 1)), [])
    graph.observe("1", [1.0])
    graph.add_negations("0", "1", weight=2.0, bound=0.5)
    expected = -2 * np.log((1 - 0.5 * sigmoid(-1.0)) / (1 - 0.5))
    assert graph.infer()["0"] == pytest.approx(expected)


# Weights


def test_a_weight_multiplies_what_an_edge_says() -> None:
    graph = numbered(np.zeros((2, 3)), [(0, 1)], weight=0.3)
    graph.observe("1", [1.0, 0.0, -1.0])
    once = update_backward(np.zeros(3), np.array([1.0, 0.0, -1.0]))
    np.testing.assert_allclose(graph.infer()["0"], 0.3 * once)


def test_an_edge_of_weight_zero_says_nothing() -> None:
    prior = np.random.default_rng(0).normal(size=(2, 3))
    graph = numbered(prior, [(0, 1)], weight=0.0)
    graph.add_negations("1", "0", weight=0.0)
    np.testing.assert_array_equal(graph.infer().log_odds, prior)


def test_an_edge_of_weight_zero_contradicts_nothing() -> None:
    graph = numbered(np.zeros((2, 3)), [(0, 1), (1, 0)], [(0, 1)], weight=0.0)
    assert graph.contradictions() == []
    assert graph.cycles() == []


# Schedules


@pytest.mark.parametrize("negations", [[], [(5, 0), (1, 4), (2, 3)]])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_schedules_agree_at_the_fixed_point(schedule: Schedule, damping: float, negations: Pairs) -> None:
    prior = np.random.default_rng(0).normal(size=(6, 3))
    graph = numbered(prior, [(0, 1), (1, 2), (3, 1), (3, 4), (4, 5)], negations, weight=0.8)
    expected = graph.infer(tol=1e-10).log_odds
    np.testing.assert_allclose(graph.infer(schedule, damping=damping, tol=1e-10).log_odds, expected, atol=1e-8)


def test_sequential_sweeps_are_fewer() -> None:
    graph = numbered(np.zeros((8, 1)), [(i, i + 1) for i in range(7)])
    assert graph.infer("sequential").n_iter < 0.7 * graph.infer("parallel").n_iter


def swinging() -> EntailmentGraph:
    """One hypo firmly believed to know nothing, three hypers that demand it does: each side overrules the other."""
    return numbered([[-8.0], [4.0], [4.0], [4.0]], SHAPES["many hypers"][1])


def test_where_parallel_swings_sequential_and_damping_settle() -> None:
    with not_converging():
        assert not swinging().infer("parallel").converged
    assert swinging().infer("sequential").converged
    assert swinging().infer("parallel", damping=0.5).converged


# The story of an inference


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_story_of_an_inference(schedule: Schedule) -> None:
    found = toy_graph("animal").infer(schedule)
    assert found.converged
    assert found.n_iter == len(found.history)
    assert found.residual == found.history[-1] <= 1e-6
    assert all(distance > 1e-6 for distance in found.history[:-1])
    assert found.n_updated == found.n_iter * (len(TOY) - 1)
    assert found.names == tuple(TOY)
    assert found.log_odds.shape == (6, 5)
    np.testing.assert_array_equal(found["dog"], found.log_odds[2])


def test_residual_is_what_another_sweep_would_have_moved() -> None:
    graph = numbered([[0.0], [0.0]], [(0, 1)])
    graph.observe("1", [0.0])
    with not_converging():
        found = graph.infer(damping=0.75, max_iter=2)
    np.testing.assert_allclose(found.history, np.log(2) * np.array([1, 0.75]))
    np.testing.assert_allclose(found["0"], np.log(2) * (1 - 0.75**2))


def test_not_converged_is_one_warning_that_says_what_to_do() -> None:
    graph = toy_graph("animal")
    with pytest.warns(
        NotConverged, match=r"after 1 sweeps: a number was still 1 off; try schedule='sequential'$"
    ) as caught:
        found = graph.infer("parallel", max_iter=1)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (found.converged, found.n_iter) == (False, 1)
    assert found.residual > 1e-6


@pytest.mark.parametrize(
    ("damping", "advice"), [(0.0, r"raise max_iter, or try damping=0\.5$"), (0.5, "raise max_iter$")]
)
def test_not_converged_in_sequence_asks_for_more_sweeps(damping: float, advice: str) -> None:
    with pytest.warns(NotConverged, match=f"; {advice}"):
        toy_graph("animal").infer(max_iter=1, damping=damping)


def test_not_converged_names_the_nodes_that_go_in_circles() -> None:
    graph = numbered(np.ones((2, 1)), [(0, 1), (1, 0)], weight=0.49)
    with pytest.warns(NotConverged, match=r"entail each other \(0, 1\)"):
        graph.infer(max_iter=3)


def test_convergence_at_the_last_allowed_sweep_is_convergence() -> None:
    graph = toy_graph("animal")
    n_iter = graph.infer().n_iter
    assert graph.infer(max_iter=n_iter).converged


def test_inference_leaves_graph_and_earlier_results_alone() -> None:
    graph = toy_graph("animal")
    first = graph.infer()
    copy = first.log_odds.copy()
    graph.observe("cat", TOY["cat"])
    graph.infer(start=first)
    np.testing.assert_array_equal(first.log_odds, copy)
    graph.release("cat")
    np.testing.assert_allclose(graph.infer().log_odds, copy)


def test_an_inference_knows_the_names_it_has() -> None:
    with pytest.raises(NodeNotFound, match=r"no node 'poodel' among the 6.*did you mean poodle"):
        toy_graph().infer()["poodel"]


# Observing


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_observed_nodes_never_move(schedule: Schedule) -> None:
    graph = toy_graph("animal", "poodle")
    found = graph.infer(schedule)
    np.testing.assert_array_equal(found["animal"], TOY["animal"])
    np.testing.assert_array_equal(found["poodle"], TOY["poodle"])


def test_an_observation_replaces_the_last_one_and_can_be_released() -> None:
    graph = toy_graph()
    free = graph.infer().log_odds
    graph.observe(["animal", "cat"], [TOY["unk"], TOY["cat"]])
    graph.observe("animal", TOY["animal"])
    assert graph.infer()["animal"].tolist() == TOY["animal"].tolist()
    graph.release(["animal", "cat"])
    np.testing.assert_array_equal(graph.infer().log_odds, free)


def test_everything_observed_leaves_nothing_to_infer() -> None:
    found = toy_graph(*TOY).infer()
    assert (found.converged, found.residual, found.n_updated) == (True, 0.0, 0)
    np.testing.assert_array_equal(found.log_odds, list(TOY.values()))


def test_priors_are_one_number_one_row_or_one_row_each() -> None:
    graph = EntailmentGraph(2)
    graph.add_nodes("a", 1)
    graph.add_nodes(["b", "c"], [1.0, 2.0])
    graph.add_nodes(["d", "e"], [[3.0, 4.0], [5.0, 6.0]])
    graph.set_prior(["e", "b"], [[7.0, 8.0], [9.0, 9.0]])
    graph.set_prior("d", 0.0)
    assert graph.infer().log_odds.tolist() == [[1, 1], [9, 9], [1, 2], [0, 0], [7, 8]]
    assert (len(graph), list(graph), "c" in graph, "f" in graph) == (5, list("abcde"), True, False)


# Cycles


@often
@given(hnp.arrays(float, (3, 2), elements=st.floats(-4, 4)), st.sampled_from(SCHEDULES))
def test_nodes_that_entail_each_other_are_one_node_exactly(prior: Any, schedule: Schedule) -> None:
    edges = [(0, 1), (1, 2), (2, 0)]
    found = numbered(prior, edges).infer(schedule)
    np.testing.assert_allclose(sigmoid(found.log_odds), binary.graph_posterior(prior, edges), atol=1e-9)
    np.testing.assert_allclose(found.log_odds, np.tile(prior.sum(axis=0), (3, 1)), atol=1e-12)


def test_a_cycle_meets_the_rest_of_the_graph_as_one_node() -> None:
    """dog and hound entail each other; what both say of animal is said once."""
    graph = numbered([[0.5], [0.7], [-1.0], [0.2]], [(0, 1), (1, 0), (0, 2), (1, 2), (3, 1)])
    merged = numbered([[1.2], [-1.0], [0.2]], [(0, 1), (2, 0)])
    np.testing.assert_allclose(graph.infer().log_odds, merged.infer().log_odds[[0, 0, 1, 2]], atol=1e-6)
    assert graph.cycles() == [["0", "1"]]


def test_merged_nodes_bring_their_whole_priors() -> None:
    couplings, base = np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([[0.3, -1.0], [-0.5, 0.2]])
    found = numbered(base, [(0, 1), (1, 0)], prior=priors.pairwise(couplings)).infer()
    expected = base.sum(axis=0) + 2 * sigmoid(found["0"]) @ couplings
    np.testing.assert_allclose(found.log_odds, [expected, expected], atol=1e-5)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_cycle_of_weaker_edges_is_iterated(schedule: Schedule) -> None:
    prior = np.random.default_rng(0).normal(size=(2, 2))
    found = numbered(prior, [(0, 1), (1, 0)], weight=0.4).infer(schedule, tol=1e-9)
    for node, other in ((0, 1), (1, 0)):
        share = 0.4 * (found.log_odds[other])  # -log s(-x) + log s(x) = x
        np.testing.assert_allclose(found.log_odds[node], prior[node] + share, atol=1e-8)


def test_a_firmer_cycle_never_makes_its_nodes_less_sure_and_never_surer_than_equality() -> None:
    weights = (0.1, 0.3, 0.49, 0.5, 0.9, 0.99, 1.0)
    found = [numbered(np.ones((2, 1)), [(0, 1), (1, 0)], weight=w).infer().log_odds[0, 0] for w in weights]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(2)


def test_an_observed_node_in_a_cycle_is_not_merged() -> None:
    graph = numbered(np.zeros((2, 1)), [(0, 1), (1, 0)])
    graph.observe("0", [2.0])
    np.testing.assert_allclose(graph.infer()["1"], [2.0])


def test_a_function_prior_cannot_merge_and_says_that_evidence_goes_in_circles() -> None:
    graph = numbered(np.ones((2, 1)), [(0, 1), (1, 0)], prior=lambda base, _x, nodes: base[nodes])
    with pytest.warns(NotConverged, match="in circles"):
        graph.infer(max_iter=20)


# Contradictions


def test_contradictions_are_named_with_their_path_in_one_warning() -> None:
    graph = toy_graph("animal")
    graph.add_negations(["poodle", "cat"], ["animal", "animal"])
    expected = [
        Contradiction("poodle", "animal", ("poodle", "dog", "animal")),
        Contradiction("cat", "animal", ("cat", "animal")),
    ]
    assert sorted(graph.contradictions()) == sorted(expected)
    with pytest.warns(Contradicted) as caught:
        found = graph.infer()
    assert len(caught) == 1
    text = str(caught[0].message)
    assert text.startswith("the graph contradicts itself: ")
    assert "poodle does not entail animal, but poodle => dog => animal" in text
    assert "cat does not entail animal, but cat => animal" in text
    assert caught[0].filename == __file__
    assert found.converged


def test_many_contradictions_are_counted() -> None:
    graph = numbered(np.zeros((5, 2)), [(i, i + 1) for i in range(4)], [(i, 4) for i in range(4)])
    with pytest.warns(Contradicted, match=r"but .*; .*; .*\(and 1 more\)$"):
        graph.infer("sequential")


def test_a_denial_that_nothing_implies_is_no_contradiction() -> None:
    graph = toy_graph("animal")
    graph.add_negations(["animal", "stone"], ["dog", "animal"])
    assert graph.contradictions() == []
    assert graph.infer().converged


def test_a_denial_within_a_cycle_is_named_and_ignored() -> None:
    graph = numbered(np.ones((2, 2)), [(0, 1), (1, 0)], [(0, 1)])
    with pytest.warns(Contradicted, match="0 does not entail 1, but 0 => 1"):
        found = graph.infer()
    np.testing.assert_allclose(found.log_odds, 2.0)


# Starting from an earlier inference


def add_a_leaf(graph: EntailmentGraph) -> None:
    graph.add_nodes(["leaf", "alone"], [1.0, -2.0, 0.5])
    graph.add_entailments("leaf", "150", weight=0.5)


def change_a_prior(graph: EntailmentGraph) -> None:
    graph.set_prior("150", [2.0, -2.0, 1.0])


def observe_a_node(graph: EntailmentGraph) -> None:
    graph.observe("150", [2.0, -2.0, 1.0])


def connect_two_nodes(graph: EntailmentGraph) -> None:
    graph.add_entailments("150", "170", weight=0.5)


def deny_an_edge(graph: EntailmentGraph) -> None:
    graph.add_negations("150", "170")


def close_a_cycle(graph: EntailmentGraph) -> None:
    graph.add_entailments(["150", "170", "180"], ["170", "180", "150"])


def several_things(graph: EntailmentGraph) -> None:
    for change in (add_a_leaf, change_a_prior, observe_a_node, close_a_cycle):
        change(graph)


CHANGES = [
    add_a_leaf,
    change_a_prior,
    observe_a_node,
    connect_two_nodes,
    deny_an_edge,
    close_a_cycle,
    several_things,
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_warm_start_finds_the_same_with_less_work(
    change: Callable[[EntailmentGraph], None], schedule: Schedule
) -> None:
    graph = random_tree(2000)
    start = graph.infer(schedule)
    change(graph)
    warm, cold = graph.infer(schedule, start=start), graph.infer(schedule)
    np.testing.assert_allclose(warm.log_odds, cold.log_odds, atol=1e-4)
    assert not np.allclose(warm["150"], start["150"], atol=1e-3) or change is add_a_leaf
    assert warm.n_updated < 0.5 * cold.n_updated


def test_a_warm_start_stays_in_the_neighbourhood_of_the_change() -> None:
    graph = numbered(np.zeros((1000, 1)), [(i, i + 1) for i in range(999)], weight=0.4)
    start = graph.infer()
    graph.set_prior("500", 1.0)
    warm = graph.infer(start=start)
    moved = np.flatnonzero(np.any(warm.log_odds != start.log_odds, axis=1))
    assert 0 < 500 - moved.min() < 20
    assert 0 < moved.max() - 500 < 20
    assert warm.n_updated < 500 < start.n_updated


def test_releasing_is_a_change() -> None:
    graph = random_tree(50)
    cold = graph.infer(tol=1e-9)
    graph.observe("20", [3.0, 3.0, 3.0])
    observed = graph.infer(tol=1e-9, start=cold)
    graph.release("20")
    np.testing.assert_allclose(graph.infer(tol=1e-9, start=observed).log_odds, cold.log_odds, atol=1e-7)


def test_nothing_changed_is_nothing_to_do() -> None:
    graph = random_tree(50)
    start = graph.infer()
    again = graph.infer(start=start)
    assert (again.converged, again.n_updated) == (True, 0)
    np.testing.assert_array_equal(again.log_odds, start.log_odds)


def test_an_unconverged_start_is_only_a_better_place_to_begin() -> None:
    graph = random_tree(50)
    with not_converging():
        half_way = graph.infer(max_iter=5)
    rest = graph.infer(start=half_way)
    assert rest.n_updated == 50 * rest.n_iter
    assert rest.n_iter < graph.infer().n_iter
    np.testing.assert_allclose(rest.log_odds, graph.infer().log_odds, atol=1e-5)


def test_a_coarse_start_is_refined() -> None:
    graph = random_tree(50)
    coarse = graph.infer(tol=0.5)
    np.testing.assert_allclose(graph.infer(tol=1e-9, start=coarse).log_odds, graph.infer(tol=1e-9).log_odds, atol=1e-7)


def test_closing_a_cycle_reaches_the_neighbours_of_all_its_nodes() -> None:
    graph = numbered([[20.0], [20.0], [20.0], [0.0]], [(0, 1), (1, 2), (3, 1)])
    start = graph.infer()
    graph.add_entailments("2", "0")
    np.testing.assert_allclose(graph.infer(start=start).log_odds, graph.infer().log_odds, atol=1e-5)


def test_observing_a_node_of_a_cycle_reaches_all_that_were_merged_with_it() -> None:
    graph = numbered([[60.0], [0.0], [20.0], [0.0]], [(0, 1), (1, 2), (2, 3), (3, 0)])
    start = graph.infer()
    graph.observe("0", start["0"])
    np.testing.assert_allclose(graph.infer(start=start).log_odds, graph.infer().log_odds, atol=1e-5)


def test_a_start_of_another_graph_is_refused() -> None:
    other = numbered(np.zeros((2, 5)), []).infer()
    with pytest.raises(InvalidInput, match="start was inferred from another graph"):
        toy_graph().infer(start=other)


def test_a_start_of_a_graph_with_other_features_is_refused() -> None:
    with pytest.raises(InvalidInput, match="start was inferred from another graph"):
        numbered(np.zeros((2, 3)), []).infer(start=numbered(np.zeros((2, 5)), []).infer())


# Priors that are functions


def agreement(strength: float) -> priors.Prior:
    """Nodes 0 and 1 tend to know the same features: a coupling across nodes, x_0k x_1k."""

    def prior(base: Any, log_odds: Any, nodes: Any) -> Any:
        theta = base.copy()
        theta[[0, 1]] += strength * sigmoid(log_odds[[1, 0]])
        return theta[nodes]

    return prior


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_function_prior_may_couple_nodes(schedule: Schedule) -> None:
    base = np.random.default_rng(0).normal(size=(3, 2))
    found = numbered(base, [(0, 2)], prior=agreement(1.5)).infer(schedule)
    exact = binary.graph_posterior(base, [(0, 2)], log_weight=lambda bits: 1.5 * (bits[:, 0] & bits[:, 1]).sum(axis=1))
    blind = binary.graph_posterior(base, [(0, 2)])
    assert np.abs(sigmoid(found.log_odds) - exact).mean() < 0.05 < np.abs(blind - exact).mean()
    np.testing.assert_allclose(found["1"], base[1] + 1.5 * sigmoid(found["0"]), atol=1e-5)


def test_a_function_prior_is_asked_about_every_node_even_from_a_warm_start() -> None:
    graph = numbered(np.zeros((3, 2)), [(0, 2)], prior=agreement(1.5))
    start = graph.infer(tol=1e-9)
    graph.set_prior("2", 2.0)
    warm = graph.infer(tol=1e-9, start=start)
    assert (warm["1"] > start["1"] + 1e-3).all()
    np.testing.assert_allclose(warm.log_odds, graph.infer(tol=1e-9).log_odds, atol=1e-7)


# Graphs in which sweeps creep


def creeping(n_nodes: int, n_features: int = 3, second_hypers: int = 0, **options: Any) -> EntailmentGraph:
    """A tree of firm edges between nodes that disagree, where hypo and hyper give in by turns, each a little.

    Some nodes have a second hyper, as a few of WordNet's have.
    """
    rng = np.random.default_rng(n_nodes)
    pairs = {(i, int(rng.integers(i))) for i in range(1, n_nodes)}
    pairs |= {(int(i), int(rng.integers(i))) for i in rng.integers(1, n_nodes, second_hypers)}
    return numbered(rng.normal(size=(n_nodes, n_features)), sorted(pairs), **options)


def by_plain_sweeps(graph: EntailmentGraph, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Inference:
    with monkeypatch.context() as patch:
        patch.setattr(graph_module, "PLAIN_SWEEPS", 10**9)
        return graph.infer(max_iter=100_000, **options)


@pytest.mark.parametrize("second_hypers", [0, 60])
def test_where_plain_sweeps_creep_newtons_steps_get_to_the_same_place(
    second_hypers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = creeping(2000, second_hypers=second_hypers)
    slow, fast = by_plain_sweeps(graph, monkeypatch, tol=1e-9), graph.infer(tol=1e-9)
    assert fast.n_iter < 60 < slow.n_iter
    np.testing.assert_allclose(fast.log_odds, slow.log_odds, atol=1e-6)


def test_creeping_in_single_precision() -> None:
    single, double = (creeping(2000, dtype=dtype).infer() for dtype in (np.float32, np.float64))
    assert single.n_iter < 60
    np.testing.assert_allclose(single.log_odds, double.log_odds, rtol=1e-3, atol=1e-2)


def test_a_node_and_its_hundreds_of_hypos(monkeypatch: pytest.MonkeyPatch) -> None:
    prior = np.random.default_rng(0).normal(size=(401, 4))
    graph = numbered(prior, [(i, 0) for i in range(1, 401)])
    found = graph.infer(tol=1e-9)
    assert found.n_iter < 40
    np.testing.assert_allclose(found.log_odds, by_plain_sweeps(graph, monkeypatch, tol=1e-9).log_odds, rtol=1e-6)


def test_a_long_chain_takes_no_more_sweeps_than_a_short_one() -> None:
    """What the first node says is heard at the other end, ten thousand steps away."""
    prior = np.zeros((10_000, 1))
    prior[0] = -8.0
    found = numbered(prior, [(i, i + 1) for i in range(9_999)]).infer()
    assert found.converged
    assert found.n_iter < 80


@pytest.mark.parametrize("weight", [0.3, 0.9, 1.0])
def test_creeping_with_weights_denials_and_cycles(weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = creeping(300, weight=weight)
    graph.add_negations(["5", "90", "200"], ["77", "31", "150"], bound=0.5)
    graph.add_entailments("0", "250")  # everything above 250 is one
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Contradicted)
        slow, fast = by_plain_sweeps(graph, monkeypatch, tol=1e-9), graph.infer(tol=1e-9)
    assert fast.converged
    assert fast.n_iter <= min(60, slow.n_iter)
    np.testing.assert_allclose(fast.log_odds, slow.log_odds, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("options", [{"schedule": "parallel"}, {"damping": 0.3}])
def test_parallel_and_damped_sweeps_are_left_plain(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = creeping(50, weight=0.9)
    plain = by_plain_sweeps(graph, monkeypatch, **options)
    assert graph.infer(**options).history == plain.history


def test_features_that_do_not_meet_stop_each_in_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The story is that of the slowest; the numbers are those of each feature alone."""
    monkeypatch.setattr(fixedpoint, "FEATURES_AT_ONCE", 1)
    monkeypatch.setattr(sweeps, "BLOCK", 1)
    prior = np.random.default_rng(1).normal(size=(40, 5))
    edges = [(i, i // 2) for i in range(1, 40)]
    alone = [numbered(prior[:, [k]], edges).infer() for k in range(5)]
    found = numbered(prior, edges).infer()
    assert len({one.n_iter for one in alone}) > 1
    assert found.n_iter == max(one.n_iter for one in alone)
    assert found.residual == max(one.residual for one in alone)
    np.testing.assert_array_equal(found.log_odds, np.hstack([one.log_odds for one in alone]))


def test_one_added_node_moves_its_neighbourhood_only() -> None:
    graph = creeping(5000)
    found = graph.infer()
    for k in range(5):
        graph.add_nodes(f"new {k}", [0.5, -0.5, 1.0])
        graph.add_entailments(f"new {k}", [str(700 * k + 3), str(600 * k + 100)])
        found = graph.infer(start=found)
        assert found.converged
        assert 0 < found.n_updated < 2500
    # Another inference may find another fixed point, so ask whether this is one.
    everyone = Sweep(graph._edges(), np.arange(len(graph)))
    assert everyone.apply(found.log_odds.copy(), graph._base(), graph.prior, 0.0).max() < 1e-5


def test_a_change_that_echoes_for_long_settles_as_a_graph_of_its_own() -> None:
    """Two nodes that pull against each other, the one as hard as the other, give in by a hundredth a sweep."""
    graph = numbered([[30.0], [-30.01], [0.0]], [(1, 0)])
    start = graph.infer()
    graph.add_nodes("new", -0.5)
    graph.add_entailments("new", "0")
    warm = graph.infer(start=start)
    assert warm.n_iter < 80
    np.testing.assert_allclose(warm.log_odds, graph.infer().log_odds, atol=1e-4)


def test_an_inference_shares_what_did_not_move_and_is_whole_when_asked() -> None:
    graph = toy_graph("animal")
    graph.add_nodes([f"stone {i}" for i in range(40)])
    first = graph.infer()
    graph.add_nodes(["wolf", "rock"], [1.0, 0.0, 0.0, 0.0, 0.0])
    graph.add_entailments("rock", "stone")
    second = graph.infer(start=first)
    assert np.shares_memory(second.rows.shared, first.rows.shared)
    assert second.log_odds.shape == (48, 5)
    third = graph.infer(start=second)
    np.testing.assert_array_equal(third.log_odds, second.log_odds)
    for name, row in zip(second.names, second.log_odds, strict=True):
        np.testing.assert_array_equal(second[name], row)
    np.testing.assert_array_equal(second["dog"], first["dog"])
    with pytest.raises(NodeNotFound, match="no node 'wolf' in this inference: it came later"):
        first["wolf"]


def test_contradictions_are_found_as_edges_come() -> None:
    graph = toy_graph()
    graph.add_negations("poodle", "stone")
    assert graph.contradictions() == []
    graph.add_entailments("animal", "stone")
    assert graph.contradictions() == [Contradiction("poodle", "stone", ("poodle", "dog", "animal", "stone"))]
    graph.add_negations("cat", "stone")
    assert [(c.hypo, c.hyper) for c in graph.contradictions()] == [("poodle", "stone"), ("cat", "stone")]


# Symmetries


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Any, Pairs, list[int]]:
    n = draw(st.integers(2, 6))
    prior = draw(hnp.arrays(float, (n, 2), elements=st.floats(-3, 3, allow_subnormal=False)))
    edges = draw(st.lists(st.sampled_from(list(itertools.permutations(range(n), 2))), unique=True, max_size=6))
    return prior, edges, draw(st.permutations(range(n)))


@often
@given(worlds(), st.sampled_from(SCHEDULES))
def test_the_order_of_nodes_does_not_matter(world: tuple[Any, Pairs, list[int]], schedule: Schedule) -> None:
    prior, edges, order = world
    place = np.argsort(order)
    found = numbered(prior, edges, weight=0.3).infer(schedule, tol=1e-10)
    shuffled = numbered(prior[order], [(int(place[i]), int(place[j])) for i, j in edges], weight=0.3)
    np.testing.assert_allclose(shuffled.infer(schedule, tol=1e-10).log_odds, found.log_odds[order], atol=1e-8)


@often
@given(worlds())
def test_an_isolated_node_changes_nothing(world: tuple[Any, Pairs, list[int]]) -> None:
    prior, edges, _ = world
    graph = numbered(prior, edges, weight=0.3)
    before = graph.infer("parallel")
    graph.add_nodes("alone", 1.5)
    after = graph.infer("parallel")
    np.testing.assert_array_equal(after.log_odds[:-1], before.log_odds)
    assert (after["alone"] == 1.5).all()


@often
@given(worlds())
def test_unknown_for_known_and_hypo_for_hyper_is_the_mirror_image(world: tuple[Any, Pairs, list[int]]) -> None:
    prior, edges, _ = world
    found = numbered(prior, edges, weight=0.3).infer(tol=1e-10)
    mirrored = numbered(-prior, [(j, i) for i, j in edges], weight=0.3).infer(tol=1e-10)
    np.testing.assert_allclose(mirrored.log_odds, -found.log_odds, atol=1e-8)


# Precision


def test_single_precision_is_kept_and_close() -> None:
    prior = np.random.default_rng(0).normal(size=(6, 3))
    edges, denied = [(0, 1), (1, 2), (3, 1), (3, 4)], [(5, 0)]
    single = numbered(prior, edges, denied, dtype=np.float32).infer(tol=1e-5)
    assert single.log_odds.dtype == np.float32
    np.testing.assert_allclose(single.log_odds, numbered(prior, edges, denied).infer().log_odds, atol=1e-4)


def test_certain_priors_stay_finite() -> None:
    found = numbered([[1e4, -1e4, 1e4], [1e4, -1e4, -1e4]], [(0, 1)]).infer()
    np.testing.assert_allclose(found.log_odds, [[2e4, -1e4, 1e4], [1e4, -2e4, -1e4]])


# What is refused


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.add_nodes("dog"), "node 'dog' is there already"),
        (lambda g: g.add_nodes(["wolf", "wolf"]), "node 'wolf' is there already, expected new names, each once"),
        (lambda g: g.add_nodes("wolf", [1.0, 2.0]), r"prior has shape \(2,\), expected a number, \(5,\) for all"),
        (lambda g: g.add_nodes("wolf", np.nan), "prior holds NaN"),
        (lambda g: g.add_nodes("wolf", "high"), "prior is no array of numbers: got str"),
        (lambda g: g.set_prior("dog", [np.inf] * 5), "prior holds NaN or infinite"),
        (lambda g: g.set_prior("dog", np.zeros((2, 5))), r"prior has shape \(2, 5\).* or \(1, 5\) for each"),
        (lambda g: g.observe("dog", [0.0] * 4), r"log_odds has shape \(4,\)"),
        (lambda g: g.observe("dog", [np.nan] * 5), "log_odds holds NaN"),
        (lambda g: g.release("dog"), "node 'dog' is not observed"),
        (lambda g: g.add_entailments("dog", "dog"), "entailment of 'dog' and itself: everything entails itself"),
        (lambda g: g.add_negations("dog", "dog"), "negated entailment of 'dog' and itself"),
        (lambda g: g.add_entailments("dog", "animal"), "the entailment of 'dog' and 'animal' is there already"),
        (lambda g: g.add_entailments(["cat"] * 2, ["dog"] * 2), "the entailment of 'cat' and 'dog' is there already"),
        (lambda g: g.add_negations(["cat"] * 2, ["dog"] * 2), "the negated entailment of 'cat' and 'dog' is there"),
        (lambda g: g.add_entailments(["cat", "stone"], ["dog"]), "got 2 hypos and 1 hypers"),
        (lambda g: g.add_entailments("cat", "dog", weight=-1.0), "weight is -1.0, expected 0 <= weight < inf"),
        (lambda g: g.add_entailments("cat", "dog", weight=np.nan), "weight is nan"),
        (
            lambda g: g.add_entailments("cat", "dog", weight=[1.0, 2.0]),
            r"weight is \[1.0, 2.0\].*one for each of 1 edges",
        ),
        (lambda g: g.add_entailments("cat", "dog", weight=[[1.0]]), "expected 0 <= weight < inf"),
        (lambda g: g.add_negations("cat", "dog", bound=1.0), "bound is 1.0, expected 0 <= bound < 1"),
        (lambda g: g.add_negations("cat", "dog", bound=-0.1), "bound is -0.1"),
        (lambda g: g.add_negations("cat", "dog", bound=np.nan), "bound is nan"),
        (lambda g: g.infer("random"), "schedule is 'random', expected 'parallel' or 'sequential'"),
        (lambda g: g.infer(damping=1.0), "damping is 1.0, expected 0 <= damping < 1"),
        (lambda g: g.infer(damping=-0.5), "damping is -0.5"),
        (lambda g: g.infer(tol=0.0), "tol is 0.0 and max_iter 1000, expected both positive"),
        (lambda g: g.infer(tol=np.nan), "tol is nan"),
        (lambda g: g.infer(max_iter=0), "max_iter 0"),
        (lambda _: EntailmentGraph(3).infer(), "the graph is empty.*add_nodes"),
        (lambda _: EntailmentGraph(0), "n_features is 0, expected at least 1"),
        (lambda _: EntailmentGraph(3, dtype=int), "dtype is int64, expected float32 or float64"),
    ],
)
def test_refuses(call: Callable[[EntailmentGraph], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call(toy_graph("animal"))


@pytest.mark.parametrize(
    "call",
    [
        lambda g, name: g.add_entailments("dog", name),
        lambda g, name: g.add_negations(name, "dog"),
        lambda g, name: g.observe(name, 0.0),
        lambda g, name: g.set_prior(["cat", name], 0.0),
        lambda g, name: g.release(name),
    ],
)
def test_an_unknown_node_is_named_with_suggestions(call: Callable[[EntailmentGraph, str], None]) -> None:
    with pytest.raises(NodeNotFound, match=r"^no node 'anmal' among the 6 of this graph; did you mean animal"):
        call(toy_graph(), "anmal")
    with pytest.raises(NodeNotFound, match=r"^no node 'xyz' among the 6 of this graph; add_nodes adds one"):
        call(toy_graph(), "xyz")


@pytest.mark.parametrize(
    ("names", "message"),
    [([["dog"]], r"names\[0\] is \['dog'\], expected a string"), (5, "names is 5, expected a list of words")],
)
def test_names_are_strings(names: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        toy_graph().observe(names, 0.0)


def test_a_prior_too_large_for_the_dtype_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"prior reaches 1e\+300, more than float32 can hold"):
        EntailmentGraph(1, dtype=np.float32).add_nodes("a", 1e300)


def test_a_prior_function_of_the_wrong_shape_is_refused() -> None:
    graph = EntailmentGraph(2, prior=lambda base, log_odds, nodes: base[:1])
    graph.add_nodes(["a", "b"])
    with pytest.raises(InvalidInput, match=r"the prior returned shape \(1, 2\), expected \(2, 2\)"):
        graph.infer()


def test_the_default_tolerance_fits_the_dtype() -> None:
    """Random trees in float32 stall at the rounding of their log-odds, well above float64's tolerance."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        graph = EntailmentGraph(4, dtype=np.float32)
        graph.add_nodes([str(node) for node in range(40)], rng.normal(scale=3, size=(40, 4)))
        graph.add_entailments([str(node) for node in range(1, 40)], [str(rng.integers(node)) for node in range(1, 40)])
        assert graph.infer("sequential", damping=0.3).converged


def test_a_refused_edge_leaves_the_graph_as_it_was() -> None:
    graph = toy_graph("animal")
    before = graph.infer()
    with pytest.raises(InvalidInput, match="there already"):
        graph.add_entailments(["stone", "dog"], ["unk", "animal"])
    np.testing.assert_array_equal(graph.infer().log_odds, before.log_odds)
    graph.add_entailments("stone", "unk")


def test_refuses_bounds_of_another_number_than_edges() -> None:
    graph = toy_graph()
    with pytest.raises(InvalidInput, match=r"bound is .*one for each of 2 edges"):
        graph.add_negations(["cat", "dog"], ["dog", "cat"], bound=[0.1, 0.2, 0.3])
    graph.add_negations(["cat", "dog"], ["dog", "cat"], bound=[0.1, 0.2])


def test_a_refused_release_releases_nothing() -> None:
    graph = toy_graph("animal")
    with pytest.raises(InvalidInput, match="'dog' is not observed"):
        graph.release(["animal", "dog"])
    np.testing.assert_array_equal(graph.infer()["animal"], TOY["animal"])


def test_no_nodes_and_no_edges_may_be_added() -> None:
    graph = toy_graph("animal")
    before = graph.infer()
    graph.add_nodes([])
    graph.add_entailments([], [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after: Inference = graph.infer(start=before)
    assert after.n_updated == 0


# Keeping and sharing


@pytest.mark.parametrize(
    "prior", [priors.independent, priors.mutual_exclusion([(0, 4)]), priors.pairwise(np.zeros((5, 5)))]
)
def test_a_graph_can_be_pickled_and_goes_on_from_its_inferences(prior: priors.Prior) -> None:
    graph = toy_graph("animal", prior=prior)
    found = graph.infer()
    again, start = pickle.loads(pickle.dumps((graph, found)))  # noqa: S301
    np.testing.assert_array_equal(again.infer(start=start).log_odds, found.log_odds)


def test_a_copy_and_its_original_go_their_own_ways() -> None:
    graph = toy_graph("animal")
    found = graph.infer()
    other = copy.copy(graph)
    other.add_nodes("wolf")
    assert "wolf" not in graph
    graph.set_prior("poodle", 3.0)
    np.testing.assert_allclose(graph.infer(start=found).log_odds, graph.infer().log_odds, atol=1e-5)
    np.testing.assert_allclose(other.infer(start=found).log_odds, other.infer().log_odds, atol=1e-5)


@pytest.mark.parametrize("copied", [copy.copy, lambda graph: pickle.loads(pickle.dumps(graph))])  # noqa: S301
def test_a_copy_and_its_original_do_not_start_from_later_inferences_of_each_other(
    copied: Callable[[EntailmentGraph], EntailmentGraph],
) -> None:
    graph = toy_graph("animal")
    other = copied(graph)
    for each, one_else in [(graph, other), (other, graph)]:
        each.set_prior("poodle", 3.0)
        with pytest.raises(InvalidInput, match="another graph"):
            one_else.infer(start=each.infer())


def test_a_graph_does_not_grow_by_inferences_or_changes_of_the_same_nodes() -> None:
    graph = toy_graph("animal")

    def size_after(times: int) -> int:
        found = graph.infer()
        for i in range(times):
            graph.set_prior("poodle", float(i))
            graph.observe("cat", 1.0)
            graph.release("cat")
            found = graph.infer(start=found)
        return len(pickle.dumps(graph))

    before = size_after(1)
    assert size_after(50) - before < 20  # a counter that takes a few bytes more


def test_a_graph_and_its_inferences_are_freed() -> None:
    graph = toy_graph("animal")
    found = graph.infer()
    later = graph.infer(start=found)
    freed = [weakref.ref(each) for each in (graph, found, later)]
    del graph, found, later
    gc.collect()
    assert [each() for each in freed] == [None] * 3


def test_an_inference_of_a_graph_that_looks_the_same_is_no_start() -> None:
    with pytest.raises(InvalidInput, match="another graph"):
        toy_graph("animal").infer(start=toy_graph("animal").infer())
    with pytest.raises(InvalidInput, match="start is a ndarray, expected an Inference"):
        toy_graph("animal").infer(start=np.zeros((6, 5)))  # type: ignore[arg-type]


def test_an_inference_cannot_be_changed() -> None:
    found = toy_graph("animal").infer()
    with pytest.raises(ValueError, match="read-only"):
        found["dog"][:] = 99


def test_a_prior_that_returns_nan_is_told_at_once() -> None:
    graph = EntailmentGraph(1, prior=lambda base, log_odds, nodes: base[nodes] * np.nan)
    graph.add_nodes(["a", "b"])
    with pytest.raises(InvalidInput, match="no longer finite: the prior returned NaN"):
        graph.infer()


def test_one_name_goes_with_all_of_the_other_side() -> None:
    graph = EntailmentGraph(1)
    graph.add_nodes(["knife", "pan", "tool"])
    graph.observe("tool", 3.0)
    graph.add_entailments(["knife", "pan"], "tool")
    found = graph.infer()
    assert found["knife"] == found["pan"] > 3


def test_the_function_of_the_graph_is_not_mistaken_for_the_log_odds_of_a_node() -> None:
    with pytest.raises(InvalidInput, match=r"prior is -2\.0, expected a function.*given to add_nodes"):
        EntailmentGraph(2, prior=-2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", ["heavy", [[1.0], [1.0, 2.0]], True, None])
def test_what_is_no_array_of_numbers_is_told_by_name(values: Any) -> None:
    with pytest.raises(InvalidInput, match=f"^log_odds is no array of numbers: got {type(values).__name__}"):
        toy_graph().observe("cat", values)


def test_a_prior_that_returns_the_state_itself_leaves_it_alone() -> None:
    """Each of two equal nodes brings the state as its prior, so every sweep doubles it, once."""
    graph = numbered(np.ones((2, 1)), [(0, 1), (1, 0)], prior=priors.NodePrior(lambda base, log_odds: log_odds[:]))
    with not_converging():
        found = graph.infer(max_iter=3)
    assert found.log_odds.ravel().tolist() == [8.0, 8.0]
