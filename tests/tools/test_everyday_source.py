"""Everyday statements beside WordNet: new concepts, links of old ones, and what the two say together."""

import numpy as np
import pytest

from entvec.bundled import EVERYDAY_SOURCE, WORDNET_SOURCE, bundled_knowledge, wordnet_knowledge
from entvec.evidence.meanings import Meanings
from entvec.evidence.reasons import path_in_words
from entvec.knowledge.facts import facts

SOURCE = pytest.importorskip("everyday_source", reason="the scripts come with the repository only")
STATEMENTS = pytest.importorskip("everyday_statements")
TABLE = [
    STATEMENTS.Statement("hoodie", ("sweatshirt",), "sweatshirt with a hood", ("hooded sweatshirt",)),
    STATEMENTS.Statement("rose", ("flower",), "", ()),
    STATEMENTS.Statement("tablet", ("computer", "gadget"), "flat computer", ()),
    STATEMENTS.Statement("zip hoodie", ("hoodie",), "hoodie with a zip", ()),
]


def test_new_concepts_come_after_those_of_wordnet() -> None:
    known = SOURCE.with_statements(wordnet_knowledge(), TABLE)
    n = len(wordnet_knowledge())
    assert known.sources == (WORDNET_SOURCE, EVERYDAY_SOURCE)
    assert [known.identifiers[at] for at in range(n, len(known))] == [
        "everyday:hoodie",
        "everyday:tablet",
        "everyday:zip hoodie",
    ]
    assert known.glosses[n] == "sweatshirt with a hood"
    assert known.synonyms(n) == ["hoodie", "hooded_sweatshirt"]
    assert [str(sense) for sense in known.senses("Hooded Sweatshirts")] == ["hooded_sweatshirt#1"]


def test_ways_lead_through_both_sources() -> None:
    known = SOURCE.with_statements(wordnet_knowledge(), TABLE)
    said = {pair: path_in_words(known, facts(known, *pair)["narrower"]) for pair in (("rose", "flower"),)}
    assert said == {("rose", "flower"): "rose -> flower (everyday)"}
    fact = facts(known, "zip hoodies", "clothing")["narrower"]
    assert fact.sources == (EVERYDAY_SOURCE, WORDNET_SOURCE)


def test_a_new_sense_has_the_share_that_the_others_leave() -> None:
    known = SOURCE.with_statements(wordnet_knowledge(), TABLE)
    [new] = [sense for sense in known.senses("tablet") if sense.concept >= len(wordnet_knowledge())]
    assert new.number == 5
    weights = {each.sense.number: each.weight for each in Meanings(known).of("tablet")}
    assert 0.2 <= weights[5] <= 0.9
    assert sum(weights.values()) == pytest.approx(1)


def test_senses_of_wordnet_keep_their_numbers_and_weights() -> None:
    old, known = wordnet_knowledge(), SOURCE.with_statements(wordnet_knowledge(), TABLE)
    for word in ("rose", "dog", "bank", "quickly"):
        assert known.senses(word) == old.senses(word)


def test_a_name_that_means_nothing_is_told() -> None:
    with pytest.raises(ValueError, match="'blorp' is no noun of WordNet, and has no definition"):
        SOURCE.with_statements(wordnet_knowledge(), [STATEMENTS.Statement("rose", ("blorp",), "", ())])


def test_wordnet_alone_is_what_the_statements_were_added_to() -> None:
    known = SOURCE.with_statements(wordnet_knowledge(), STATEMENTS.statements(), STATEMENTS.parts())
    bundled = bundled_knowledge()
    assert (known.terms.text == bundled.terms.text).all()
    for name in ("numbers", "frequencies", "guesses", "judged", "kinds", "origins", "part_origins", "marks"):
        assert np.array_equal(getattr(known, name), getattr(bundled, name)), name
    for name in ("senses_of", "members", "is_a", "instance_of", "part_of", "implies"):
        one, other = getattr(known, name), getattr(bundled, name)
        assert np.array_equal(one.counts, other.counts), name
        assert np.array_equal(one.targets, other.targets), name
    assert list(known.identifiers) == list(bundled.identifiers)
    assert list(known.glosses) == list(bundled.glosses)


PARTS = [STATEMENTS.Part("zipper", ("hoodie",)), STATEMENTS.Part("page", ("book", "magazine"))]


def test_parts_name_their_source_and_are_inherited() -> None:
    known = SOURCE.with_statements(wordnet_knowledge(), TABLE, PARTS)
    for part, whole, said in (
        ("page", "book", "page, a part of book (everyday)"),
        ("zipper", "zip hoodies", "zipper, a part of hoodie <- zip hoodie (everyday)"),
        (
            "wheel",
            "car",
            "wheel, a part of wheeled vehicle <- self-propelled vehicle <- motor vehicle <- car (WordNet 3.0)",
        ),
        ("finger", "arm", "finger, a part of arm (WordNet 3.0)"),
    ):
        assert path_in_words(known, facts(known, part, whole)["part"]) == said
        assert facts(known, whole, part)["whole"].sources == facts(known, part, whole)["part"].sources


def test_wordnet_alone_has_no_everyday_parts() -> None:
    assert "part" in facts(bundled_knowledge(), "page", "book")
    assert "part" not in facts(wordnet_knowledge(), "page", "book")


def test_every_statement_is_known() -> None:
    known = bundled_knowledge()
    for each in STATEMENTS.statements():
        if each.definition:
            concepts = {sense.concept for sense in known.senses(each.term)}
            assert any(known.identifiers[at] == f"everyday:{each.term}" for at in concepts), each.term


def test_hidden_words_are_hidden_from_statements() -> None:
    meanings = Meanings(bundled_knowledge())
    assert meanings.of("hoodie")
    assert not meanings.hiding(["hoodies"]).of("hoodie")
