"""Names that pick one sense of a word: bank#2, bank#v1, bank:institution."""

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import SenseNotFound
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge.facts import facts
from entvec.knowledge.sense_names import Selector, parse
from entvec.knowledge.statements import with_taxonomy

KNOWN = wordnet_knowledge()


@pytest.mark.parametrize(
    ("text", "word", "selector"),
    [
        ("bank", "bank", None),
        ("bank#2", "bank", Selector(2)),
        ("bank#n2", "bank", Selector(2, "noun")),
        ("ice cream#v12", "ice cream", Selector(12, "verb")),
        ("bank:financial institution", "bank", Selector(description="financial institution")),
        ("bank#2:money", "bank#2", Selector(description="money")),
        ("C#", "C#", None),
        ("#1", "#1", None),
        ("bank#0", "bank#0", None),
        ("bank:", "bank:", None),
        (":bank", ":bank", None),
        ("Note: a bank", "Note: a bank", None),
        ("12:30", "12:30", None),
        ("to bank", "bank", Selector(part_of_speech="verb")),
        ("To_give_up", "give_up", Selector(part_of_speech="verb")),
        ("to-do", "to-do", None),
        ("to 12", "to 12", None),
        ("http://bank", "http://bank", None),
    ],
)
def test_a_text_is_a_word_and_what_picks_a_sense(text: str, word: str, selector: Selector | None) -> None:
    assert parse(text) == (word, selector)


@pytest.mark.parametrize("word", ["bank", "walk", "crane", "goose", "running shoes", "China"])
def test_the_name_that_a_sense_prints_picks_it(word: str) -> None:
    for sense in KNOWN.senses(word):
        assert KNOWN.senses(str(sense)) == [sense]


@pytest.mark.parametrize(
    ("name", "sense"),
    [
        ("bank#2", "bank#2"),
        ("bank#v2", "bank#v2"),
        ("Geese#n1", "goose#1"),
        ("walk#8", "walk#v8"),  # there is no such noun
        ("walked#2", "walk#v2"),  # walked is a form of the verb
    ],
)
def test_a_number_is_that_of_the_noun_unless_it_says_verb_or_there_is_no_such_noun(name: str, sense: str) -> None:
    assert [str(found) for found in KNOWN.senses(name)] == [sense]


@pytest.mark.parametrize(
    ("name", "sense"),
    [
        ("plant:works", "plant#1"),  # a synonym
        ("bank:institution", "bank#2"),  # a kind of institution
        ("bank:Financial_Institutions", "bank#2"),
        ("crane:bird", "crane#5"),
        ("mouse:device", "mouse#4"),
        ("plant:factory", "plant#1"),  # a factory is a kind of plant
        ("bank:money", "bank#2"),  # its gloss says so
    ],
)
def test_a_description_is_a_synonym_or_what_the_sense_is_a_kind_of_or_a_word_of_its_gloss(
    name: str, sense: str
) -> None:
    assert [str(found) for found in KNOWN.senses(name)] == [sense]


def test_an_infinitive_picks_all_senses_of_the_verb_and_no_noun() -> None:
    assert {sense.part_of_speech for sense in KNOWN.senses("hammer")} == {"noun", "verb"}
    for name, verb in (("to hammer", "hammer"), ("to_hammer", "hammer"), ("to give up", "give up"), ("to do", "do")):
        assert KNOWN.senses(name) == [sense for sense in KNOWN.senses(verb) if sense.part_of_speech == "verb"] != []
    assert [str(sense) for sense in KNOWN.senses("to bank#2")] == ["bank#v2"]
    assert [str(sense) for sense in KNOWN.senses("to-do")] == ["to-do#1"]  # a noun that is spelled so
    assert [str(sense) for sense in KNOWN.senses("to leeward")] == ["to_leeward#1"]
    assert not KNOWN.is_flat("to order")  # made to order is an adverb, too
    assert KNOWN.senses("to guitar") == KNOWN.senses("to blorp") == []
    assert "expected guitar#1" in str(KNOWN.no_such_sense("to guitar"))


def test_facts_hold_between_the_senses_that_are_named() -> None:
    assert list(facts(KNOWN, "bank#2", "institution")) == ["narrower"]
    assert not facts(KNOWN, "bank#1", "institution")
    assert list(facts(KNOWN, "bank#1", "slope")) == ["narrower"]


def test_a_name_that_picks_no_sense_has_none_and_the_error_lists_those_that_there_are() -> None:
    for name in ("bank#99", "bank:zebra"):
        assert KNOWN.senses(name) == []
        error = KNOWN.no_such_sense(name)
        assert isinstance(error, SenseNotFound)
        assert f"no sense '{name}', expected bank#1 (sloping land" in str(error)
        assert "bank#2 (a financial institution" in str(error)
    assert KNOWN.no_such_sense("bank#1") is None
    assert KNOWN.no_such_sense("bank") is None
    assert KNOWN.no_such_sense("blorp#1") is None


def test_a_term_that_looks_like_the_name_of_a_sense_is_found_as_it_is() -> None:
    mine = with_taxonomy(KNOWN, Taxonomy.from_edges([("bank#2", "robot"), ("C#", "language")]), "mine.tsv")
    assert [sense.term for sense in mine.senses("bank#2")] == ["bank#2"]
    assert [sense.term for sense in mine.senses("C#")] == ["C#"]
    assert [str(sense) for sense in mine.senses("bank#1")] == ["bank#1"]
