"""A taxonomy of a list of words: no cycles, what is known holds, what is denied does not follow."""

from itertools import permutations
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import default_map, google_news, toy_world
from entvec.errors import InvalidInput
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.space.grouping import form
from entvec.taxonomy import Taxonomy, draft, induce
from entvec.vectors import Vectors

WORDS = [
    "dog", "cat", "poodle", "animal", "mammal", "pet", "horse", "bird", "eagle", "owl", "car", "truck", "bus",
    "vehicle", "transport", "piano", "guitar", "violin", "instrument", "device", "thing", "apple", "banana", "fruit",
    "food", "tree", "oak", "flower", "rose", "plant",
]  # fmt: skip
SPACE = EntailmentSpace.from_vectors(google_news().subset(WORDS), map=default_map())  # few words, to be quick
WORLD = toy_world()
TOY = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds").with_calibration(
    Calibration.platt(1.0, 1.0)
)
Pairs = list[tuple[str, str]]

lists = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12, unique=True)
pairs = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).filter(lambda pair: pair[0] != pair[1]))
upward = pairs.map(lambda some: [(min(pair), max(pair)) for pair in some])
"""Without cycles, since edges only lead on in the alphabet."""
FEW = ["animal", "bird", "cat", "dog", "mammal", "poodle"]
few_pairs = st.sets(st.sampled_from(list(permutations(FEW, 2))), max_size=8).map(sorted)


def edges(found: Taxonomy) -> set[tuple[str, str]]:
    return {(edge.hypo, edge.hyper) for edge in found.edges()}


# What comes out


def test_words_hang_under_what_they_entail() -> None:
    words = ["guitar", "dog", "animal", "piano", "cat", "device", "instrument"]
    found = induce(words, SPACE, least=0.5)
    under = {"guitar": "instrument", "piano": "instrument", "instrument": "device", "dog": "animal", "cat": "animal"}
    assert edges(found) == {*under.items()}
    assert found.terms == tuple(words)


def test_the_toy_world_becomes_its_own_tree() -> None:
    found = induce(["stone", "poodle", "dog", "cat", "animal"], TOY, least=0)
    assert found.entails("poodle", "dog")
    assert found.entails("dog", "animal")
    assert found.entails("cat", "animal")


@pytest.mark.parametrize("informed", [False, True])
def test_the_probability_of_an_edge_is_that_of_the_space(informed: bool) -> None:
    space = default_space() if informed else SPACE
    found = induce(["dog", "cat", "animal", "car", "vehicle"], space)
    assert len(found.hypo) == 3
    for hypo, hyper, probability in found.edges():
        assert probability == pytest.approx(space.probability(hypo, hyper), abs=1e-5)


@settings(max_examples=25)
@given(lists, st.sampled_from(["tree", "dag"]), st.sampled_from([0.0, 0.1, 0.6]))
def test_there_is_no_cycle_and_no_improbable_edge(words: list[str], shape: str, least: float) -> None:
    found = induce(words, SPACE, shape=shape, least=least)
    assert found.terms == tuple(words)
    assert nx.is_directed_acyclic_graph(found.to_networkx())
    assert all(edge.probability >= least for edge in found.edges())
    if shape == "tree":
        assert all(len(found.parents(word)) <= 1 for word in words)
    else:
        assert edges(found) == {*nx.transitive_reduction(nx.DiGraph(list(edges(found)))).edges}


def test_a_dag_may_have_more_parents_than_a_tree() -> None:
    tree, dag = (induce(WORDS, SPACE, shape=shape) for shape in ("tree", "dag"))
    several = [word for word in WORDS if len(dag.parents(word)) > 1]
    assert several
    for word in several:  # only the best parent may be less probable than not
        assert sum(edge.probability < 0.5 for edge in dag.edges() if edge.hypo == word) <= 1
    assert {edge.hypo for edge in tree.edges()} == {edge.hypo for edge in dag.edges()}


@settings(max_examples=12)
@given(lists, st.randoms(use_true_random=False))
def test_the_order_of_the_words_makes_no_difference(words: list[str], random: Random) -> None:
    shuffled = random.sample(words, len(words))
    assert edges(induce(words, SPACE)) == edges(induce(shuffled, SPACE))


@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_nothing_is_certain(shape: str) -> None:
    assert edges(induce(WORDS, SPACE, shape=shape, least=1.0)) == set()


def test_a_word_alone_and_a_word_twice() -> None:
    alone = induce(["dog"], SPACE)
    assert (alone.terms, edges(alone)) == (("dog",), set())
    assert induce(["dog", "animal", "dog"], SPACE).equals(induce(["dog", "animal"], SPACE))


def test_every_word_stays_and_those_without_an_edge_have_a_reason() -> None:
    found = draft(["dog", "qqqqq", "animal", "piano"], SPACE)
    assert (found.taxonomy.terms, edges(found.taxonomy)) == (("dog", "qqqqq", "animal", "piano"), {("dog", "animal")})
    assert found.unplaced.keys() == {"qqqqq", "piano"}
    assert found.unplaced["qqqqq"].startswith("nothing is known of it")
    assert found.unplaced["piano"] == "no word of the list is its parent with the probability that is asked for"
    assert draft(["qqqqq", "zzzzz"], SPACE).unplaced.keys() == {"qqqqq", "zzzzz"}


# By what is known


def test_words_need_no_vector_where_they_are_known() -> None:
    space = default_space()
    words = ["sneaker", "shoe", "footwear"]
    assert "sneaker" not in space.vocabulary.words
    assert edges(induce(words, space)) >= {("sneaker", "shoe")}


def test_unsure_parents_are_guesses_beside_the_tree() -> None:
    space = default_space()
    words = ["boot", "footwear", "clothing", "shoe", "table", "furniture"]
    found = draft(words, space, least=0.9)
    tops = {word for word in words if not found.taxonomy.parents(word)}
    assert found.guesses
    for hypo, hyper, probability in found.guesses:
        assert hypo in tops
        assert 0.1 <= probability < 0.9
        assert probability == pytest.approx(space.probability(hypo, hyper), abs=1e-5)


def test_a_forest_is_better_than_a_bad_root() -> None:
    found = induce(["merchandise", "shirt", "clothing", "laptop", "computer"], default_space())
    assert edges(found) == {("shirt", "clothing"), ("laptop", "computer")}


def test_the_last_words_of_a_name_that_nobody_knows_are_a_guess() -> None:
    found = draft(["qqqqq jacket", "jacket", "garment"], default_space())
    if np.isnan(default_space().probability("qqqqq jacket", "jacket", missing="nan")):
        assert [guess[:2] for guess in found.guesses] == [("qqqqq jacket", "jacket")]
    else:
        assert "qqqqq jacket" in found.taxonomy


def test_long_lists_are_searched_and_short_ones_compared_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["sneaker", "shoe", "footwear", "poodle", "dog", "animal", "rain jacket", "jacket", "garment"]
    compared = induce(words, default_space())
    monkeypatch.setattr("entvec.taxonomy.known_parents.ALL_PAIRS", 3)
    assert edges(induce(words, default_space())) == edges(compared)


def test_roots_that_are_named_stay_on_top() -> None:
    for space in (SPACE, default_space()):
        found = induce(["poodle", "dog", "animal"], space, roots=["dog"])
        assert found.parents("dog") == ()
        assert found.parents("poodle")


def test_given_edges_are_imported_and_the_list_adds_evidence_of_its_own() -> None:
    found = draft(["dog", "animal"], default_space(), entails=[("cat", "animal")])
    assert found.imported == {("cat", "animal")}
    assert found.list_evidence.keys() == {("dog", "animal"), ("cat", "animal")}
    assert all(np.isfinite([*found.list_evidence.values()]))
    assert draft(["qqqqq"], SPACE).list_evidence == {}


# What is known and what is denied


@settings(max_examples=25)
@given(lists, upward, st.sampled_from(["tree", "dag"]))
def test_what_is_known_holds_whatever_the_vectors_say(words: list[str], said: Pairs, shape: str) -> None:
    found = induce(words, SPACE, entails=said, shape=shape)
    assert {*said} <= edges(found)
    assert nx.is_directed_acyclic_graph(found.to_networkx())
    for edge in found.edges():
        assert (edge.probability == 1.0) == (edge[:2] in said)
    assert {*found.terms} == {*words, *(word for pair in said for word in pair)}


@settings(max_examples=25)
@given(lists, pairs, st.sampled_from(["tree", "dag"]))
def test_what_is_denied_does_not_follow(words: list[str], denied: Pairs, shape: str) -> None:
    found = induce(words, SPACE, not_entails=denied, shape=shape, least=0.0)
    there = {pair for pair in denied if {*words} >= {*pair}}
    assert {*found.denied()} == there
    assert not any(found.entails(*pair) for pair in there)


def test_a_denial_costs_the_parents_that_lead_there() -> None:
    words = ["guitar", "instrument", "device"]
    assert induce(words, SPACE).path("guitar", "device") == ("guitar", "instrument", "device")
    assert edges(induce(words, SPACE, not_entails=[("guitar", "instrument")])) >= {("instrument", "device")}
    found = induce(words, SPACE, not_entails=[("guitar", "device")])
    assert edges(found) == {("instrument", "device")}
    assert list(found.denied()) == [("guitar", "device")]


@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_what_is_known_does_not_bring_back_what_is_denied(shape: str) -> None:
    found = induce(WORDS, SPACE, shape=shape, entails=[("poodle", "dog")], not_entails=[("poodle", "animal")])
    assert ("poodle", "dog") in edges(found)
    assert not found.entails("poodle", "animal")


@settings(max_examples=25)
@given(few_pairs, few_pairs, st.sampled_from(["tree", "dag"]))
def test_known_and_denied_both_hold(said: Pairs, denied: Pairs, shape: str) -> None:
    said = [(min(pair), max(pair)) for pair in said]
    claimed = Taxonomy.from_edges(said, terms=FEW)
    denied = [pair for pair in denied if not claimed.entails(*pair)]
    found = induce(FEW, SPACE, entails=said, not_entails=denied, shape=shape, least=0.0)
    assert {*said} <= edges(found)
    assert not any(found.entails(*pair) for pair in denied)


@settings(max_examples=25)
@given(few_pairs)
def test_a_dag_has_nothing_that_follows_but_what_is_known(said: Pairs) -> None:
    said = [(min(pair), max(pair)) for pair in said]
    found = induce(FEW, SPACE, entails=said, shape="dag", least=0.0)
    for edge in found.edges():
        rest = found.keeping(np.array([each != edge for each in found.edges()]))
        assert edge[:2] in said or not rest.entails(edge.hypo, edge.hyper)


@pytest.mark.parametrize(
    ("said", "denied", "path"),
    [
        ([("dog", "car")], ("dog", "car"), "dog => car"),
        ([("dog", "car"), ("car", "fruit")], ("dog", "fruit"), "dog => car => fruit"),
    ],
)
def test_what_is_both_known_and_denied_is_refused(said: Pairs, denied: tuple[str, str], path: str) -> None:
    hypo, hyper = denied
    with pytest.raises(InvalidInput, match=f"'{hypo}' does not entail '{hyper}', but {path} is known; leave one"):
        induce(["dog", "animal"], SPACE, entails=said, not_entails=[denied])


def test_what_is_known_must_not_go_round_in_a_circle() -> None:
    said = [("animal", "dog"), ("dog", "mammal"), ("mammal", "animal")]
    with pytest.raises(InvalidInput, match="in a circle, animal => dog => mammal => animal; leave one of these out"):
        induce([], SPACE, entails=said)


def test_known_edges_may_be_given_without_words() -> None:
    assert edges(induce([], SPACE, entails=[("dog", "car")])) == {("dog", "car")}


def test_words_of_known_edges_need_no_vector() -> None:
    found = induce(["dog", "animal"], SPACE, entails=[("qqqqq", "animal")])
    assert edges(found) == {("dog", "animal"), ("qqqqq", "animal")}


# A root, and concepts that were missing


def test_a_root_is_over_all_that_would_stay_on_top() -> None:
    words = ["dog", "animal", "truck", "vehicle", "banana"]
    bare, rooted = induce(words, SPACE), induce(words, SPACE, root="everything")
    assert rooted.terms == ("everything", *words)
    assert edges(bare) <= edges(rooted)
    on_top = {word for word in words if not bare.parents(word)}
    assert edges(rooted) - edges(bare) == {(word, "everything") for word in on_top}
    assert rooted.roots == ("everything",)
    added = [edge.probability for edge in rooted.edges() if edge.hyper == "everything"]
    assert np.isnan(added).all()


def test_concepts_are_added_where_they_bring_words_together() -> None:
    space = default_space()
    words = ["dog", "cat", "horse", "piano", "guitar", "violin"]
    found = induce(words, space, add=True)
    assert found.terms[: len(words)] == tuple(words)
    added = found.terms[len(words) :]
    assert {"animal", "mammal"} & {*added}
    assert found.path("dog", next(concept for concept in added if concept in ("animal", "mammal")))
    there = {form(word) for word in words}
    for concept in added:
        assert len(found.children(concept)) >= 2
        assert form(concept) not in there
    assert nx.is_directed_acyclic_graph(found.to_networkx())


def test_an_added_concept_may_be_called_like_the_root() -> None:
    found = induce(["dog", "cat", "horse"], SPACE, add=True, root="animal")
    assert found.terms.count("animal") == 1
    assert all(found.entails(word, "animal") for word in ("dog", "cat", "horse"))
    assert nx.is_directed_acyclic_graph(found.to_networkx())
    assert found.self_loops == ()


def test_a_root_may_be_known() -> None:
    found = induce(["dog", "truck"], SPACE, entails=[("dog", "everything")], root="everything")
    assert edges(found) == {("dog", "everything"), ("truck", "everything")}


def test_nothing_is_put_under_a_root_that_entails_it() -> None:
    found = induce(["dog"], SPACE, entails=[("animal", "thing")], root="animal")
    assert nx.is_directed_acyclic_graph(found.to_networkx())


@settings(max_examples=8)
@given(lists, st.sampled_from(["tree", "dag"]), upward)
def test_what_is_added_always_has_two_children(words: list[str], shape: str, said: Pairs) -> None:
    found = induce(words, SPACE, add=True, shape=shape, entails=said)
    given_ = {*words, *(word for pair in said for word in pair)}
    assert given_ <= {*found.terms}
    assert all(len(found.children(term)) >= 2 for term in found.terms if term not in given_)


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": "ring"}, "shape is 'ring', expected 'tree' or 'dag'"),
        ({"least": 1.5}, r"least is 1\.5, expected a probability, 0 to 1"),
        ({"least": float("nan")}, "least is nan, expected a probability"),
        ({"root": "dog"}, "root is 'dog', which is one of the words; leave it out"),
        ({"entails": [("dog", "dog")]}, "'dog' entails itself: that says nothing, expected two words"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        induce(["dog", "animal"], SPACE, **options)  # type: ignore[arg-type]


def test_a_text_is_no_list() -> None:
    with pytest.raises(InvalidInput, match="words is 'dog', expected a list of words"):
        induce("dog", default_space())


def test_nothing_is_no_list() -> None:
    with pytest.raises(InvalidInput, match="no words, expected at least one"):
        induce([], SPACE)


def test_probabilities_are_needed() -> None:
    with pytest.raises(InvalidInput, match="this space has no probabilities, expected a calibrated one"):
        induce(["dog", "animal"], SPACE.with_calibration(None))


def test_a_denied_word_that_is_not_in_the_list_does_not_come_in() -> None:
    found = induce(["dog", "animal"], SPACE, not_entails=[("dog", "cat")])
    assert found.terms == ("dog", "animal")
    assert not list(found.denied())


def test_what_is_known_not_to_be_below_the_root_is_not_put_there() -> None:
    found = induce(
        ["dog", "animal", "vehicle"], SPACE, entails=[("dog", "animal")], not_entails=[("dog", "things")], root="things"
    )
    assert edges(found) == {("dog", "animal"), ("vehicle", "things")}


def test_a_space_is_needed() -> None:
    with pytest.raises(InvalidInput, match="expected an EntailmentSpace"):
        induce(["dog"], "default")  # type: ignore[arg-type]
