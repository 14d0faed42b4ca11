"""What a Knowledge says, as arrays: nodes, senses, what is above, specific hypernyms, what is held out together."""

from __future__ import annotations

import numpy as np
import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import InvalidInput, KnowledgeWarning
from entvec.graphs import Taxonomy
from entvec.knowledge.sources import gathered
from entvec.learn.term_graph import Lists, TermGraph, joined


@pytest.fixture(scope="module")
def wordnet() -> TermGraph:
    return TermGraph.of(wordnet_knowledge())


def graph(*edges: tuple[str, str]) -> TermGraph:
    known = gathered(None, [Taxonomy.from_edges(edges)])
    assert known is not None
    return TermGraph.of(known)


def names(found: TermGraph, nodes: object) -> set[str]:
    return {found.texts[at] for at in np.asarray(nodes).tolist()}


def test_lists_return_the_entries_of_owners_in_their_order() -> None:
    lists = Lists(4, np.array([3, 1, 3]), np.array([10, 11, 12]), np.array([0.1, 0.2, 0.3]))
    place, numbers, shares = lists.of(np.array([3, 0, 1]))
    assert place.tolist() == [0, 0, 2]
    assert numbers.tolist() == [10, 12, 11]
    assert shares.tolist() == [0.1, 0.3, 0.2]
    found, there = lists.one(np.array([0, 1]), np.random.default_rng(0))
    assert there.tolist() == [False, True]
    assert found[1] == 11


def test_joined_finds_all_equal_pairs() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 9, 30), rng.integers(0, 9, 20)
    i, j = joined(left, right)
    assert sorted(zip(i.tolist(), j.tolist(), strict=True)) == [
        (a, b) for a in range(30) for b in range(20) if left[a] == right[b]
    ]


def test_all_that_is_above_counts_its_steps_and_depth() -> None:
    found = graph(("poodle", "dog"), ("dog", "animal"), ("poodle", "pet"))
    place = {text: int(found.first_senses[at]) for at, text in enumerate(found.texts)}
    above = {(int(a), int(b)): int(s) for a, b, s in zip(found.low, found.high, found.steps, strict=True)}
    assert above[place["poodle"], place["animal"]] == 2
    assert above[place["poodle"], place["pet"]] == 1
    assert (place["dog"], place["pet"]) not in above
    assert found.depth[[place["poodle"], place["dog"], place["animal"]]].tolist() == [1, 1, 0]
    assert names(found, found.hypernyms) == {"dog", "animal", "pet"}


def test_denied_ways_do_not_count() -> None:
    said = Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal")])
    with pytest.warns(KnowledgeWarning, match="contradictions"):
        known = gathered(None, [said, Taxonomy.from_edges([], negations=[("poodle", "animal")])])
    assert known is not None
    found = TermGraph.of(known)
    place = {text: int(found.first_senses[at]) for at, text in enumerate(found.texts)}
    above = set(zip(found.low.tolist(), found.high.tolist(), strict=True))
    assert (place["poodle"], place["animal"]) not in above
    assert (place["dog"], place["animal"]) in above


def test_verbs_have_to_and_case_is_one_node(wordnet: TermGraph) -> None:
    texts = set(wordnet.texts)
    assert {"to walk", "walk", "turkey", "New York", "ice cream"} <= texts
    assert len({text.casefold() for text in texts}) == len(texts)


def test_specific_hypernyms_are_near_and_deep(wordnet: TermGraph) -> None:
    place = {text: at for at, text in enumerate(wordnet.texts)}
    asked = np.array([place["poodle"], place["guitar"], place["to stroll"]])
    dog, guitar, stroll = (names(wordnet, each) for each in wordnet.specific(asked, wordnet.hypernyms))
    assert {"dog", "domestic animal"} <= dog
    assert "entity" not in dog
    assert "stringed instrument" in guitar
    assert "to walk" in stroll


def test_synonyms_and_spellings_are_held_out_together(wordnet: TermGraph) -> None:
    place = {text: at for at, text in enumerate(wordnet.texts)}
    held = names(wordnet, wordnet.held_with([place["car"]]))
    assert {"car", "automobile", "motorcar", "railcar", "gondola"} <= held
    assert "truck" not in held
    assert {"ice cream", "ice-cream cone"} & names(wordnet, wordnet.nodes_of(["Ice-Cream"])) == {"ice cream"}
    assert names(wordnet, wordnet.nodes_of(["walk"])) == {"walk", "to walk"}


def test_nothing_to_learn_is_an_error() -> None:
    with pytest.warns(KnowledgeWarning, match="no term is said to be a kind of another"):
        known = gathered(None, [Taxonomy.from_edges([], terms=["dog"])])
    assert known is not None
    with pytest.raises(InvalidInput, match="nothing to learn"):
        TermGraph.of(known)
