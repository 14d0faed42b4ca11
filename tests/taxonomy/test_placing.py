"""A term is placed by what is known of it: the paper's inference, among real words and in the toy world."""

import gc
import json
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput, WordNotFound
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.taxonomy import Fact, Taxonomy, UnknownWords, place
from entvec.taxonomy.placing import ASYMMETRY, HEAD, geometry, infer, own_facts
from entvec.theory.graph import EntailmentGraph
from entvec.vectors import Vectors

SPACE = default_space()
WORLD = toy_world()
Floats = NDArray[np.float64]


def toy(interpretation: str = "log_odds", **options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(
        Vectors(WORLD.words, WORLD.log_odds()), interpretation=interpretation, **options
    )


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> EntailmentSpace:
    """A toy space in which the inferred log-odds are the vector: nothing draws it to where vectors are."""
    monkeypatch.setattr("entvec.taxonomy.placing.RIDGE", 0.0)
    return toy()


TOY = toy()

# The inference is the paper's


def as_hyper(x: Floats) -> Floats:
    """What a hyper tells its hypo: -log s(-X)."""
    return np.logaddexp(0, x)


def as_hypo(y: Floats) -> Floats:
    """What a hypo tells its hyper: log s(Y)."""
    return -np.logaddexp(0, -y)


@pytest.mark.parametrize(
    "facts",
    [
        [Fact("animal", "entails")],
        [Fact("poodle", "entailed_by")],
        [Fact("cat", "like")],
        [Fact("animal", "entails"), Fact("poodle", "entailed_by"), Fact("dog", "like")],
        [Fact("stone", "entails", 0.3), Fact("cat", "entails", 0.7)],
        [Fact("dog", "own"), Fact("animal", "entails")],
    ],
)
def test_messages_are_those_of_a_graph_with_one_node_unknown(exact: EntailmentSpace, facts: list[Fact]) -> None:
    average = WORLD.log_odds().mean(axis=0)
    total = sum(fact.weight for fact in facts)
    graph = EntailmentGraph(len(WORLD.features))
    graph.add_nodes([fact.word for fact in facts])
    prior = average.copy()
    for _, relation, weight in facts:
        up, down = (weight / total * (1 + sign * ASYMMETRY[relation]) for sign in (1, -1))
        prior -= up * as_hyper(average) + down * as_hypo(average)
    graph.add_nodes("term", prior=prior)
    for word, relation, weight in facts:
        up, down = (weight / total * (1 + sign * ASYMMETRY[relation]) for sign in (1, -1))
        graph.observe(word, WORLD.log_odds(word))
        graph.add_entailments("term", word, up)
        graph.add_entailments(word, "term", down)
    np.testing.assert_allclose(infer(exact, facts), graph.infer()["term"], atol=1e-5)


def test_a_hyper_tells_what_is_there_and_a_hypo_what_is_not(exact: EntailmentSpace) -> None:
    alone, below, above = (infer(exact, [Fact("dog", relation)]) for relation in ("own", "entails", "entailed_by"))
    np.testing.assert_allclose(alone, WORLD.log_odds("dog"), atol=1e-9)
    assert (below >= alone - 1e-9).all()
    assert (above <= alone + 1e-9).all()
    assert (below > above + 0.1).any()


@given(st.floats(0.01, 100), st.permutations(["dog", "cat", "stone"]))
def test_only_the_shares_of_the_weights_count(factor: float, words: list[str]) -> None:
    facts = [Fact(word, "like", 1.0 + WORLD.words.index(word)) for word in ("dog", "cat", "stone")]
    others = [Fact(word, "like", factor * (1.0 + WORLD.words.index(word))) for word in words]
    np.testing.assert_allclose(infer(TOY, facts), infer(TOY, others), atol=1e-8)


def test_a_vector_of_the_space_is_found_again() -> None:
    """What the map loses it loses for all words; of what it keeps, the vector comes back."""
    found = infer(SPACE, [Fact("dog", "own")])
    own = google_news()["dog"].astype(np.float64)
    assert found @ own / np.linalg.norm(found) / np.linalg.norm(own) > 0.95


def test_what_nobody_has_told_anything_about_is_average() -> None:
    frame = geometry(TOY)
    np.testing.assert_allclose(frame.vector(frame.centre), WORLD.log_odds().mean(axis=0), atol=1e-9)


def test_a_space_in_which_terms_were_placed_is_freed() -> None:
    space = toy()
    place("wolf", space, like=["dog"])
    assert geometry(space) is geometry(space)
    freed = weakref.ref(space)
    del space
    gc.collect()
    assert freed() is None


# What is found


@pytest.mark.parametrize(
    ("term", "facts", "right"),
    [
        ("crane", {"like": ["eagle", "owl"]}, "bird"),
        ("bat", {"like": ["mouse", "rat"]}, "mammal"),
        ("theremin", {"like": ["violin", "piano"]}, "instrument"),
        ("theremin", {"entailed_by": ["violin", "cello"]}, "instrument"),
        ("zeppelin", {"entails": ["aircraft"]}, "vehicle"),
    ],
)
def test_a_fact_or_two_tell_where_a_term_belongs(term: str, facts: dict[str, Any], right: str) -> None:
    found = place(term, SPACE, **facts)
    assert right in found.parents.words
    if term in SPACE:
        assert right not in place(term, SPACE).parents.words


def test_without_its_own_vector_a_term_is_as_good_as_unknown() -> None:
    hidden, unknown, seen = (
        place("guitar", SPACE, own=False, like=["violin"]),
        place("theremin", SPACE, like=["violin"]),
        place("guitar", SPACE, like=["violin"]),
    )
    np.testing.assert_array_equal(hidden.vector, unknown.vector)
    assert hidden.facts == (Fact("violin", "like"),)
    assert seen.facts == (Fact("guitar", "own"), Fact("violin", "like"))
    assert not np.allclose(seen.vector, hidden.vector)


def test_a_term_is_never_its_own_parent_or_child() -> None:
    found = place("guitar", SPACE, own=False, like=["violin"], k=300)
    assert not {"guitar"} & {*found.parents.words, *found.children.words}


def test_neither_the_term_nor_its_facts_are_answers() -> None:
    found = place("Guitar", SPACE, like=["VIOLIN", "piano"], entails=["instrument"], entailed_by=["flute"], k=300)
    taken = {"Guitar", "guitar", "violin", "piano", "instrument", "flute"} & {*SPACE.vocabulary.words}
    spelled = {SPACE.vocabulary.words[SPACE.vocabulary.row(fact.word)] for fact in found.facts}
    assert spelled <= taken
    assert not spelled & {*found.parents.words, *found.children.words}


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        ("guitar", [("guitar", "own", 1.0)]),
        ("ICE CREAM", [("ICE CREAM", "own", 1.0)]),
        ("bass guitar", [("bass", "composed_of", 1 - HEAD), ("guitar", "composed_of", HEAD)]),
        ("bass-guitar", [("bass", "composed_of", 1 - HEAD), ("guitar", "composed_of", HEAD)]),
        (
            "old_bass guitar",
            [("old", "composed_of", 0.15), ("bass", "composed_of", 0.15), ("guitar", "composed_of", HEAD)],
        ),
        ("guitar qqqqq", []),
        ("qqqqq", []),
    ],
)
def test_a_phrase_is_made_of_its_words_and_mostly_of_the_last(term: str, wanted: list[tuple[str, str, float]]) -> None:
    found = own_facts(term, SPACE)
    assert [fact[:2] for fact in found] == [fact[:2] for fact in wanted]
    assert [fact.weight for fact in found] == pytest.approx([weight for *_, weight in wanted])


def test_a_phrase_is_what_its_last_word_is() -> None:
    assert "instrument" in place("bass guitar", SPACE).parents.words
    assert "instrument" not in place("guitar bass player", SPACE, k=3).parents.words


@pytest.mark.parametrize("denied", [[], ["stone"]])
def test_k_parents_and_k_children(denied: list[str]) -> None:
    most = place("puppy", TOY, like=["poodle"], not_entails=denied, k=99)
    for k in (0, 1, 3):
        found = place("puppy", TOY, like=["poodle"], not_entails=denied, k=k)
        assert (len(found.parents), len(found.children)) == (k, k)
        assert (found.parents.words, found.children.words) == (most.parents.words[:k], most.children.words[:k])


def test_there_are_no_more_parents_than_words() -> None:
    found = place("dog", TOY, k=99)
    assert sorted(found.parents.words) == sorted(found.children.words) == ["animal", "cat", "poodle", "stone", "unk"]


@pytest.mark.parametrize("k", [-1, 2.5])
def test_k_is_a_number_of_words(k: int) -> None:
    with pytest.raises(InvalidInput, match=f"k is {k}, expected"):
        place("theremin", SPACE, like=["violin", "piano"], k=k)


@pytest.mark.parametrize("interpretation", ["log_odds", "dup", "unk_dup"])
@pytest.mark.parametrize("operator", ["forward", "backward", "factorised"])
def test_every_interpretation_places_a_puppy_among_dogs(interpretation: str, operator: str) -> None:
    space = toy(interpretation, operator=operator, specificity=0)
    found = place("puppy", space, entails=["animal"], like=["poodle"])
    assert found.parents.probabilities is None
    assert found.parents.words.index("dog") < found.parents.words.index("stone")
    assert found.vector[:2].min() > 0  # alive, and barks


def test_a_placement_is_plain_enough_for_json() -> None:
    told = place("puppy", TOY, entails=["animal"], not_entails=["cat"]).to_dict()
    told = json.loads(json.dumps(told, allow_nan=False))
    assert (told["term"], told["not_entails"]) == ("puppy", ["cat"])
    assert told["facts"] == [{"word": "animal", "relation": "entails", "weight": 1.0}]
    assert len(told["vector"]) == 5
    assert "animal" not in told["parents"]["words"]


# Denials


def test_denied_words_are_left_out_and_nothing_else_changes() -> None:
    before = place("theremin", SPACE, like=["violin", "piano"], k=30)
    after = place("theremin", SPACE, like=["violin", "piano"], not_entails=["software"], k=29)
    assert "software" in before.parents.words
    assert after.parents.words == [word for word in before.parents.words if word != "software"]
    assert after.not_entails == ("software",)
    np.testing.assert_array_equal(before.vector, after.vector)


def test_what_a_taxonomy_has_below_a_denied_word_is_left_out_too() -> None:
    flat = Taxonomy.from_edges([("dog", "animal")], terms=["poodle", "cat"])
    deep = flat.with_edges([("poodle", "dog")])
    for taxonomy, wanted in ((flat, {"animal", "cat", "poodle"}), (deep, {"animal", "cat"})):
        found = place("wolf", SPACE, like=["horse"], not_entails=["dog"], taxonomy=taxonomy)
        assert {*found.parents.words} == wanted


# What is refused


def test_facts_without_a_vector_are_warned_of() -> None:
    with pytest.warns(UnknownWords, match="1 of 2 words have no vector: qqqqq"):
        found = place("theremin", SPACE, like=["violin", "qqqqq"])
    assert found.facts == (Fact("violin", "like"),)
    with pytest.raises(WordNotFound, match="no word 'qqqqq'"):
        place("theremin", SPACE, like=["qqqqq"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: place("qzqz", SPACE), "nothing is known of 'qzqz', not even a vector: say what it entails"),
        (lambda: place("guitar", SPACE, own=False), "nothing is known of 'guitar'"),
        (lambda: place("theremin", SPACE, not_entails=["toy"]), "nothing is known of 'theremin'"),
        (lambda: place(" ", SPACE, like=["violin"]), "expected a name that is not empty"),
        (lambda: place("guitar", SPACE, like=["guitar"]), r"'guitar' is among its own facts \(like\)"),
        (lambda: place("theremin", SPACE, like="violin"), "like is 'violin', expected a list"),
        (
            lambda: place("theremin", SPACE, entails=["device"], not_entails=["device"]),
            "'device' is said in both entails and not_entails, which contradict each other",
        ),
        (
            lambda: place("theremin", SPACE, entailed_by=["violin"], like=["violin"]),
            "'violin' is said in both entailed_by and like",
        ),
    ],
)
def test_what_cannot_be_placed_is_told(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ask()


def test_a_word_in_two_spellings_is_one_word() -> None:
    with pytest.raises(InvalidInput, match="contradict each other"):
        place("theremin", SPACE, entails=["ice_cream"], not_entails=["ice cream"])


# With a taxonomy

MUSIC = Taxonomy.from_edges(
    [("violin", "instrument"), ("x:1", "instrument"), ("instrument", "device"), ("qqqqq", "device")],
    labels={"x:1": "piano"},
)


def test_parents_and_children_are_terms_of_the_taxonomy() -> None:
    found = place("theremin", SPACE, like=["flute"], taxonomy=MUSIC)
    assert sorted(found.parents.words) == sorted(found.children.words) == ["device", "instrument", "piano", "violin"]
    assert found.parents.words[0] in ("instrument", "device")


def test_a_taxonomy_without_vectors_has_nothing_to_offer() -> None:
    found = place("theremin", SPACE, like=["flute"], taxonomy=Taxonomy.from_edges([("qqqqq", "zzzzz")]))
    assert found.parents.words == found.children.words == []


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            {"entails": ["piano"], "not_entails": ["device"]},
            "'theremin' does not entail 'device', but .* theremin => piano => instrument => device$",
        ),
        (
            {"entails": ["piano"], "entailed_by": ["device"]},
            "'theremin' entails 'piano', but .* piano => instrument => device => theremin$",
        ),
    ],
)
def test_facts_must_agree_with_the_taxonomy(facts: dict[str, Any], message: str) -> None:
    place("theremin", SPACE, **facts)  # alone they do not contradict each other
    with pytest.raises(InvalidInput, match=message):
        place("theremin", SPACE, **facts, taxonomy=MUSIC)


def test_a_term_of_the_taxonomy_has_its_edges() -> None:
    with pytest.raises(InvalidInput, match=r"'piano' does not entail 'device', but .* piano => instrument => device$"):
        place("piano", SPACE, not_entails=["device"], taxonomy=MUSIC)
    with pytest.raises(InvalidInput, match=r"'device' entails 'piano', but .* piano => instrument => device$"):
        place("device", SPACE, entails=["piano"], taxonomy=MUSIC)


@pytest.mark.parametrize("facts", [{"entails": ["toy"]}, {"entails": ["doll"]}])
def test_facts_must_agree_with_what_the_taxonomy_denies(facts: dict[str, Any]) -> None:
    denies = Taxonomy.from_edges([("doll", "toy")], negations=[("theremin", "toy")])
    with pytest.raises(InvalidInput, match="theremin"):
        place("theremin", SPACE, **facts, taxonomy=denies)


def test_a_part_of_a_name_that_is_not_known_is_told() -> None:
    with pytest.warns(UnknownWords, match="qqqqq is not"):
        assert own_facts("qqqqq guitar", SPACE) == [Fact("guitar", "composed_of", 1.0)]


DRINKS = Taxonomy.from_edges(
    [("X:2", "X:1"), ("X:3", "X:2")],
    labels={"X:1": "food", "X:2": "beverage", "X:3": "wine"},
    about={"X:2": {"synonym": ("drink",)}},
)


@pytest.mark.parametrize("name", ["beverage", "drink", "X:2"])
def test_a_taxonomy_knows_its_terms_by_label_synonym_and_identifier(name: str) -> None:
    with pytest.raises(InvalidInput, match="beverage => food"):
        place("cider", SPACE, entails=[name], not_entails=["food"], taxonomy=DRINKS)
    assert "wine" not in place("cider", SPACE, not_entails=[name], taxonomy=DRINKS).parents.words


def test_what_is_below_a_denied_word_may_be_a_child() -> None:
    assert "wine" in place("cider", SPACE, not_entails=["beverage"], taxonomy=DRINKS).children.words
