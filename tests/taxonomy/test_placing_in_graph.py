"""A term among the nodes of a graph: the paper's inference as it stands."""

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, NodeNotFound
from entvec.taxonomy import Taxonomy, place
from entvec.taxonomy.placing_in_graph import infer_node
from entvec.theory import EntailmentGraph
from entvec.theory.inference import Inference


@pytest.fixture(scope="module")
def world() -> Inference:
    toys = toy_world()
    graph = EntailmentGraph(toys.log_odds().shape[1])
    graph.add_nodes(toys.words)
    graph.observe(toys.words, toys.log_odds())
    return graph.infer()


def test_a_term_inherits_what_its_parent_entails(world: Inference) -> None:
    found = place("terrier", world, entails=["dog"])
    assert found.parents.words[:2] == ["unk", "animal"]
    assert found.parents[1].probability is not None
    assert found.parents[1].probability > 0.9
    assert found.children.words[0] == "poodle"


def test_it_is_the_node_that_the_whole_graph_would_infer(world: Inference) -> None:
    toys = toy_world()
    graph = EntailmentGraph(toys.log_odds().shape[1])
    graph.add_nodes([*toys.words, "terrier"])
    graph.observe(toys.words, toys.log_odds())
    graph.add_entailments("terrier", "dog")
    graph.add_entailments("poodle", "terrier")
    graph.add_negations("terrier", "cat")
    given = {"entails": ["dog"], "entailed_by": ["poodle"], "not_entails": ["cat"]}
    np.testing.assert_allclose(infer_node("terrier", world, given), graph.infer()["terrier"], atol=1e-6)


def test_what_it_is_like_shares_a_parent_that_nobody_knows(world: Inference) -> None:
    alone, both = (infer_node("parent", world, {"like": words}) for words in (["poodle"], ["poodle", "cat"]))
    shared = np.minimum(world["poodle"], world["cat"])
    assert np.corrcoef(both, shared)[0, 1] > np.corrcoef(alone, shared)[0, 1]  # and a term may be called parent


def test_facts_are_no_answers_nor_is_the_term(world: Inference) -> None:
    found = place("dog", world, entails=["animal"], not_entails=["cat"], k=10)
    assert not {"dog", "animal", "cat"} & {*found.parents.words, *found.children.words}


def test_a_node_of_that_name_is_one_more_fact_unless_it_misleads(world: Inference) -> None:
    mine, new = (place("dog", world, entails=["animal"], own=own).vector for own in (True, False))
    assert np.corrcoef(mine, world["dog"])[0, 1] > np.corrcoef(new, world["dog"])[0, 1]


def test_k_is_how_many(world: Inference) -> None:
    assert len(place("terrier", world, entails=["dog"], k=2).parents) == 2


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({}, "nothing is known"),
        ({"entails": ["cat"], "not_entails": ["cat"]}, "contradict"),
        ({"entails": ["terrier"]}, "its own facts"),
        ({"entails": "dog"}, "a list"),
    ],
)
def test_facts_must_make_sense(world: Inference, facts: dict[str, list[str]], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        place("terrier", world, **facts)  # type: ignore[arg-type]


def test_unknown_nodes_are_named(world: Inference) -> None:
    with pytest.raises(NodeNotFound, match="wolf"):
        place("terrier", world, entails=["wolf"])


def test_a_taxonomy_is_for_spaces(world: Inference) -> None:
    with pytest.raises(InvalidInput, match="beside a space"):
        place("terrier", world, entails=["dog"], taxonomy=Taxonomy.from_edges([("dog", "animal")]))
