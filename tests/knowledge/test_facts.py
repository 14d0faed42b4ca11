"""What holds between two words, who says so, and what is denied."""

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import Knowledge
from entvec.knowledge.facts import facts, no_hierarchy
from entvec.knowledge.statements import empty, with_taxonomy

Pairs = list[tuple[str, str]]


def knowing(*statements: tuple[Pairs, Pairs]) -> Knowledge:
    """Return WordNet with edges and denials of files a.tsv, b.tsv and so on."""
    known = wordnet_knowledge()
    for letter, (edges, negations) in zip("abc", statements, strict=False):
        known = with_taxonomy(known, Taxonomy.from_edges(edges, negations=negations), f"{letter}.tsv")
    return known


def relations(known: Knowledge, first: str, second: str) -> dict[str, tuple[str, ...]]:
    return {name: fact.sources for name, fact in facts(known, first, second).items()}


DOG_ANIMAL: Pairs = [("dog", "animal")]
ANIMAL_DOG: Pairs = [("animal", "dog")]


@pytest.mark.parametrize("hypo", ["dog", "poodle"])
def test_a_denial_holds_for_a_word_and_all_below_it(hypo: str) -> None:
    known = knowing(([], DOG_ANIMAL))
    assert relations(known, hypo, "animal") == relations(known, "animal", hypo) == {}
    assert relations(known, hypo, "canine") == relations(known, "cat", "animal") == {"narrower": ("WordNet 3.0",)}


def test_what_was_above_through_a_denied_concept_is_gone_too() -> None:
    known = knowing(([], [("tree", "plant")]))
    tree, organism = (known.senses(word)[0].concept for word in ("tree", "organism"))
    assert wordnet_knowledge().path(tree, organism)
    assert not known.path(tree, organism)


def test_a_denial_of_the_reverse_changes_nothing() -> None:
    known = knowing(([], ANIMAL_DOG))
    assert relations(known, "poodle", "dog") == relations(known, "dog", "animal") == {"narrower": ("WordNet 3.0",)}
    assert list(known.conflicts()) == []


def test_a_word_below_keeps_what_does_not_come_from_the_denied_one() -> None:
    birds = Taxonomy.from_edges([("sparrow", "bird"), ("sparrow", "flyer"), ("bird", "flyer"), ("penguin", "bird")])
    known = with_taxonomy(
        with_taxonomy(empty(), birds, "birds"), Taxonomy.from_edges([], negations=[("bird", "flyer")]), "me"
    )
    assert relations(known, "sparrow", "flyer") == {"narrower": ("birds",)}
    assert relations(known, "penguin", "flyer") == {}


def test_all_senses_of_a_word_are_denied() -> None:
    known = knowing(([], [("crane", "bird")]))
    assert relations(known, "crane", "bird") == {}
    assert relations(known, "crane", "device") == {"narrower": ("WordNet 3.0",)}


def test_what_a_verb_implies_can_be_denied() -> None:
    assert relations(knowing(([], [("snore", "sleep")])), "snore", "sleep") == {}


@pytest.mark.parametrize("statements", [[([], DOG_ANIMAL), (DOG_ANIMAL, [])], [(DOG_ANIMAL, DOG_ANIMAL)]])
def test_an_assertion_of_the_same_or_a_later_source_stands_against_a_denial(
    statements: list[tuple[Pairs, Pairs]],
) -> None:
    known = knowing(*statements)
    assert relations(known, "dog", "animal") == {"narrower": (known.sources[-1],)}
    assert relations(known, "poodle", "animal") == {"narrower": ("WordNet 3.0", known.sources[-1])}


def test_a_later_denial_stands_against_an_assertion() -> None:
    assert relations(knowing((DOG_ANIMAL, []), ([], DOG_ANIMAL)), "dog", "animal") == {}


def test_an_edge_outranks_its_reverse() -> None:
    known = knowing((ANIMAL_DOG, []))
    assert relations(known, "animal", "dog") == {"narrower": ("a.tsv",)}
    assert relations(known, "dog", "animal") == {"broader": ("a.tsv",)}
    assert relations(known, "cow", "animal") == {"narrower": ("WordNet 3.0",)}


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (
            [([], DOG_ANIMAL)],
            ["a.tsv says that dog is no animal, WordNet 3.0 says dog > domestic_animal > animal"],
        ),
        (
            [(ANIMAL_DOG, [])],
            ["a.tsv says that animal is a kind of dog, WordNet 3.0 says dog > domestic_animal > animal"],
        ),
        ([([], DOG_ANIMAL), (DOG_ANIMAL, [])], ["a.tsv says that dog is no animal, b.tsv says dog > animal"]),
        ([([], [("dog", "cat")])], []),
    ],
)
def test_conflicts_are_named_with_both_sources(statements: list[tuple[Pairs, Pairs]], told: list[str]) -> None:
    assert list(map(str, knowing(*statements).conflicts())) == told


def test_conflicts_among_earlier_sources_can_be_left_out() -> None:
    known = knowing(([], DOG_ANIMAL), ([], [("zebra", "animal")]))
    assert [conflict.source for conflict in known.conflicts(2)] == ["b.tsv"]


def test_terms_in_a_cycle_of_your_own_are_the_same() -> None:
    known = with_taxonomy(empty(), Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a")]), "mine")
    assert set(relations(known, "a", "b")) == {"same"}
    assert set(relations(known, "b", "a")) == {"same"}
    assert known.depth(known.senses("a")[0].concept) == 0


def test_parts_name_who_says_them() -> None:
    assert relations(knowing((ANIMAL_DOG, [])), "wheel", "car")["part"] == ("WordNet 3.0",)


@pytest.mark.parametrize(("part", "whole"), [("sleeve", "blazer"), ("wheel", "ambulance"), ("wheel", "car")])
def test_a_kind_has_the_parts_of_what_is_above_it(part: str, whole: str) -> None:
    known = wordnet_knowledge()
    assert len(facts(known, part, whole)["part"].path) > 2
    assert len(facts(known, whole, part)["whole"].path) > 2


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        pytest.param("poppy", "flower", id="a poppy is a flower, and flowering plants have flowers"),
        pytest.param("broth", "food", id="broth is food, and food has food in it"),
        pytest.param("bomb", "weapon", id="weaponry is weapons considered collectively"),
        pytest.param("breeze", "air", id="wind is air moving"),
    ],
)
def test_a_kind_of_a_whole_that_is_a_kind_of_the_part_has_no_such_part(kind: str, word: str) -> None:
    assert "whole" not in facts(wordnet_knowledge(), kind, word)
    assert "part" not in facts(wordnet_knowledge(), word, kind)


@pytest.mark.parametrize(("part", "whole"), [("weapon", "weaponry"), ("air", "wind"), ("rail", "railway")])
def test_what_is_said_to_be_a_part_of_the_word_itself_stays_one(part: str, whole: str) -> None:
    assert "part" in facts(wordnet_knowledge(), part, whole)


# Adjectives and adverbs


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("dog", "animal"), None),
        (("blorp", "animal"), None),
        (("Quickly", "animal"), "'Quickly' is an adjective or adverb, which has no hierarchy"),
        (("quickly", "slowly"), "'quickly' and 'slowly' are adjectives or adverbs, which have no hierarchy"),
    ],
)
def test_adjectives_and_adverbs_have_no_hierarchy(words: tuple[str, str], told: str | None) -> None:
    found = no_hierarchy(wordnet_knowledge(), *words)
    assert found is None if told is None else found is not None and found.startswith(told)


def test_a_term_of_yours_is_no_adjective() -> None:
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges([("quickly", "way")]), "mine")
    assert not known.is_flat("quickly")


def test_a_part_is_no_sibling_of_its_whole() -> None:
    known = knowing(([("roof", "gadget"), ("house", "gadget"), ("fork", "gadget")], []))
    assert relations(known, "fork", "house")["sibling"] == ("a.tsv",)
    assert relations(known, "roof", "house")["part"] == ("WordNet 3.0",)
    assert ("a.tsv",) not in relations(known, "roof", "house").values()
