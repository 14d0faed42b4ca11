"""A taxonomy: what goes in, what is asked, and what is refused."""

import pickle
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.errors import InvalidInput, TermNotFound, WordNotFound
from entvec.graphs import Taxonomy

EDGES = [("poodle", "dog", 0.8), ("dog", "animal", 0.9), ("cat", "animal"), ("dog", "pet"), ("cat", "pet", 0.5)]


@pytest.fixture
def animals() -> Taxonomy:
    return Taxonomy.from_edges(
        EDGES, negations=[("animal", "pet")], terms=["unicorn"], labels={"pet": "Pet", "cat": "cat"}
    )


def test_terms_come_first_and_then_as_they_are_met(animals: Taxonomy) -> None:
    assert animals.terms == ("unicorn", "poodle", "dog", "animal", "cat", "pet")
    assert len(animals) == 6
    assert repr(animals) == "Taxonomy(6 terms, 5 edges, 1 denied)"


def test_edges_come_back_in_order_with_nan_for_what_is_not_known(animals: Taxonomy) -> None:
    assert [edge[:2] for edge in animals.edges()] == [edge[:2] for edge in EDGES]
    np.testing.assert_array_equal([edge.probability for edge in animals.edges()], [0.8, 0.9, np.nan, np.nan, 0.5])
    assert animals.edge(1) == ("dog", "animal", 0.9)
    assert list(animals.denied()) == [("animal", "pet")]


def test_questions(animals: Taxonomy) -> None:
    assert animals.parents("dog") == ("animal", "pet")
    assert animals.children("animal") == ("dog", "cat")
    assert animals.ancestors("poodle") == ("dog", "animal", "pet")
    assert animals.descendants("pet") == ("dog", "cat", "poodle")
    assert animals.roots == ("animal", "pet")
    assert animals.orphans == ("unicorn",)
    assert animals.entails("poodle", "pet")
    assert animals.entails("poodle", "poodle")
    assert not animals.entails("pet", "poodle")
    assert "dog" in animals
    assert "wolf" not in animals


def test_a_path_is_a_shortest_way_up(animals: Taxonomy) -> None:
    assert animals.path("poodle", "pet") == ("poodle", "dog", "pet")
    assert animals.path("poodle", "poodle") == ("poodle",)
    assert animals.path("pet", "poodle") == animals.path("unicorn", "animal") == ()
    shortcut = animals.with_edges([("poodle", "toy"), ("toy", "pet"), ("poodle", "pet")])
    assert shortcut.path("poodle", "pet") == ("poodle", "pet")
    ring = Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
    assert ring.path("b", "a") == ("b", "c", "a")
    with pytest.raises(TermNotFound, match="no term 'wolf'"):
        animals.path("dog", "wolf")


def test_a_cycle_is_no_trap() -> None:
    ring = Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
    assert ring.ancestors("a") == ("b", "c", "a")
    assert ring.entails("c", "b")
    assert ring.roots == ()


def test_repeated_edges_and_selves_are_left_out_and_remembered() -> None:
    odd = Taxonomy.from_edges([("a", "b", 0.5), ("a", "a"), ("a", "b", 0.9), ("b", "a"), ("a", "b")])
    assert [edge[:2] for edge in odd.edges()] == [("a", "b"), ("b", "a")]
    assert odd.probability[0] == 0.5
    assert odd.duplicates == (("a", "b"), ("a", "b"))
    assert odd.self_loops == ("a",)


def test_labels_are_kept_where_they_differ_and_find_their_term(animals: Taxonomy) -> None:
    assert dict(animals.labels) == {"pet": "Pet"}
    assert animals.label("pet") == "Pet"
    assert animals.label("dog") == "dog"
    assert animals.named("Pet") == "pet"
    assert animals.named("dog") == "dog"


def test_an_identifier_goes_before_a_label_and_a_shared_label_names_nothing() -> None:
    pair = Taxonomy.from_edges([("x:1", "x:2")], terms=["bank"], labels={"x:1": "bank", "x:2": "shore"})
    assert pair.named("bank") == "bank"
    both = Taxonomy.from_edges([("x:1", "x:2")], labels={"x:1": "bank", "x:2": "bank"})
    with pytest.raises(InvalidInput, match="2 terms are called 'bank': 'x:1', 'x:2'"):
        both.named("bank")


@pytest.mark.parametrize("ask", ["parents", "children", "ancestors", "label", "named", "index"])
def test_an_unknown_term_is_named_with_those_that_look_like_it(animals: Taxonomy, ask: str) -> None:
    with pytest.raises(TermNotFound, match="no term 'poodel' among 6; did you mean 'poodle'"):
        getattr(animals, ask)("poodel")
    with pytest.raises(WordNotFound, match="none that looks like it"):
        getattr(animals, ask)("zzzzzzzzz")


def test_forms_of_a_term_are_suggested_first() -> None:
    edges = [("icecreem", "food"), ("ice-cream", "food"), ("x:1", "food")]
    things = Taxonomy.from_edges(edges, labels={"x:1": "goose"})
    for asked, form in (("ice creams", "ice-cream"), ("foods", "food"), ("geese", "goose")):
        with pytest.raises(TermNotFound) as caught:
            things.index(asked)
        assert caught.value.suggestions[0] == form


def test_a_term_with_a_line_break_does_not_spoil_suggestions() -> None:
    with pytest.raises(TermNotFound, match="did you mean 'dog'"):
        Taxonomy.from_edges([("dog", "a\nb")]).index("dgo")


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("", "b")], "called ''"),
        ([("a", "  ")], "not empty"),
        ([("a", None)], r"edges\[0\]\[1\] is None, expected a string"),
        ([("a", "\ud800")], "UTF-8"),
        ([("a", "b", 1.5)], "probability is 1.5"),
        ([("a", "b", -0.1)], "probability is -0.1"),
        ([("a", "b", float("inf"))], "probability is inf"),
        ([("a",)], "expected \\(hypo, hyper\\)"),
        (["ab"], "expected \\(hypo, hyper\\)"),
    ],
)
def test_edges_that_mean_nothing_are_refused(edges: list[tuple[str, ...]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Taxonomy.from_edges(edges)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"terms": ("a", "a", "b")}, "'a' is there twice"),
        ({"hypo": [0, 0]}, "expected one length"),
        ({"hyper": [9]}, "no term, expected 0 to 1"),
        ({"hyper": [0]}, "twice or leads nowhere"),
        ({"hypo": [0, 0], "hyper": [1, 1], "probability": [0, 0]}, "twice or leads nowhere"),
        ({"labels": {"c": "C"}}, "'c', which is no term"),
        ({"labels": {"a": " "}}, "label of 'a'"),
        ({"about": {"c": {}}}, "'c', which is no term"),
    ],
)
def test_fields_that_do_not_fit_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Taxonomy.from_edges([("a", "b")]).replaced(**changes)


def test_it_cannot_be_changed(animals: Taxonomy) -> None:
    with pytest.raises(ValueError, match="read-only"):
        animals.hypo[0] = 3
    with pytest.raises(TypeError):
        animals.labels["dog"] = "Dog"  # type: ignore[index]


def test_more_edges_leave_those_that_are_there(animals: Taxonomy) -> None:
    more = animals.with_edges([("dog", "animal", 0.1), ("wolf", "animal", 0.7)], negations=[("wolf", "pet")])
    assert more.terms == (*animals.terms, "wolf")
    assert more.edge(1) == ("dog", "animal", 0.9)
    assert more.edge(5) == ("wolf", "animal", 0.7)
    assert list(more.denied()) == [("animal", "pet"), ("wolf", "pet")]
    assert (more.duplicates, more.labels) == ((), animals.labels)


def test_some_edges_are_kept_by_a_mask(animals: Taxonomy) -> None:
    fewer = animals.keeping(~np.isnan(animals.probability))
    assert [edge.probability for edge in fewer.edges()] == [0.8, 0.9, 0.5]
    assert fewer.terms == animals.terms
    with pytest.raises(InvalidInput, match="mask of 5 edges"):
        animals.keeping(np.array([True]))
    with pytest.raises(InvalidInput, match="mask of 5 edges"):
        animals.keeping(np.arange(5))  # type: ignore[arg-type]


def test_it_goes_to_another_process(animals: Taxonomy) -> None:
    again = pickle.loads(pickle.dumps(animals))  # noqa: S301
    assert again.equals(animals)
    assert again.parents("dog") == ("animal", "pet")


def test_equal_means_says_the_same(animals: Taxonomy) -> None:
    shuffled = Taxonomy.from_edges(EDGES[::-1], negations=[("animal", "pet")], terms=["unicorn"], labels={"pet": "Pet"})
    assert shuffled.equals(animals)
    assert not animals.with_edges([("unicorn", "animal")]).equals(animals)
    assert not animals.replaced(labels={}).equals(animals)
    assert not animals.replaced(negations=[]).equals(animals)
    assert not animals.replaced(probability=np.full(5, 0.5)).equals(animals)
    assert not animals.replaced(about={"dog": {"synonym": ("hound",)}}).equals(animals)


def test_networkx_and_back(animals: Taxonomy) -> None:
    about = {"dog": {"synonym": ("hound", "cur"), "definition": ("a pet",)}}
    graph = animals.replaced(about=about).to_networkx()
    assert isinstance(graph, nx.DiGraph)
    assert graph.edges["dog", "animal"] == {"probability": 0.9}
    assert graph.edges["cat", "animal"] == {}
    assert graph.nodes["pet"] == {"label": "Pet"}
    assert graph.graph == {"negations": [["animal", "pet"]]}
    assert Taxonomy.from_networkx(graph).equals(animals.replaced(about=about))


def test_attributes_of_networkx_that_say_nothing_here_come_back() -> None:
    graph = nx.DiGraph(name="zoo")
    graph.add_node("dog", colour="brown")
    graph.add_edge("dog", "animal", since=1758, probability=0.9)
    again = Taxonomy.from_networkx(graph).to_networkx()
    assert (dict(again.nodes), dict(again.edges), again.graph) == (dict(graph.nodes), dict(graph.edges), graph.graph)


def test_a_graph_that_is_no_taxonomy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no directions"):
        Taxonomy.from_networkx(nx.Graph([("a", "b")]))
    with pytest.raises(InvalidInput, match="same name as text"):
        Taxonomy.from_networkx(nx.DiGraph([(1, "1")]))


names = st.text(min_size=1).filter(lambda text: text.strip() and text.isprintable())


@given(st.lists(st.tuples(names, names)))
def test_every_edge_is_there_once_or_was_left_out(edges: list[tuple[str, str]]) -> None:
    made = Taxonomy.from_edges(edges)
    found = {edge[:2] for edge in made.edges()}
    assert found == {(hypo, hyper) for hypo, hyper in edges if hypo != hyper}
    assert len(made.hypo) + len(made.duplicates) + len(made.self_loops) == len(edges)
    for hypo, hyper in found:
        assert hyper in made.parents(hypo)
        assert hypo in made.children(hyper)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_paths_are_as_short_as_those_of_networkx(edges: list[tuple[str, str]]) -> None:
    made = Taxonomy.from_edges(edges, terms=list("abcdef"))
    graph = made.to_networkx()
    for hypo in made.terms:
        shortest = nx.single_source_shortest_path_length(graph, hypo)
        for hyper in made.terms:
            path = made.path(hypo, hyper)
            assert len(path) == (shortest[hyper] + 1 if hyper in shortest else 0)
            assert made.entails(hypo, hyper) == bool(path)
            assert all(graph.has_edge(*step) for step in pairwise(path))


@pytest.mark.parametrize("negations", ["ab", ["ab"], [("a", "b", "c")]])
def test_denied_pairs_are_pairs(negations: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidInput, match="the denied entailment"):
        Taxonomy.from_edges([("dog", "animal")], negations=negations)
