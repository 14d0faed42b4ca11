"""Statements of one's own beside what is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import wordnet_knowledge
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import Knowledge, statements
from entvec.knowledge.statements import empty, with_taxonomy


def entails(known: Knowledge, hypo: str, hyper: str) -> bool:
    return any(
        high.concept in known.ancestors([low.concept]) for low in known.senses(hypo) for high in known.senses(hyper)
    )


def test_a_new_term_inherits_what_its_parent_is() -> None:
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges([("labradoodle", "dog")]), "mine")
    assert entails(known, "Labradoodles", "animal")
    assert not entails(wordnet_knowledge(), "labradoodle", "animal")


def test_known_terms_below_inherit_a_new_fact() -> None:
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges([("dog", "companion species")]), "mine")
    assert entails(known, "poodle", "companion species")


def test_the_sense_is_the_one_that_fits_the_edges() -> None:
    known = with_taxonomy(
        wordnet_knowledge(), Taxonomy.from_edges([("demoiselle", "crane"), ("crane", "bird")]), "mine"
    )
    (demoiselle, *_) = [sense for sense in known.senses("demoiselle") if sense.part_of_speech != "verb"]
    assert entails(known, "demoiselle", "bird")
    cranes = [
        at
        for at in known.ancestors([sense.concept for sense in known.senses("demoiselle")])
        if known.name(at) == "crane"
    ]
    assert all("bird" in known.glosses[at] for at in cranes)
    assert demoiselle


def test_labels_synonyms_and_definitions_are_taken() -> None:
    taxonomy = Taxonomy.from_edges(
        [("T:1", "T:2")],
        labels={"T:1": "hoodie", "T:2": "garment"},
        about={"T:1": {"synonym": ("hooded sweatshirt",), "definition": ("a sweatshirt with a hood",)}},
    )
    known = with_taxonomy(wordnet_knowledge(), taxonomy, "shop")
    (hoodie,) = known.senses("Hooded Sweatshirts")
    assert known.synonyms(hoodie.concept) == ["hoodie", "hooded_sweatshirt"]
    assert known.glosses[hoodie.concept] == "a sweatshirt with a hood"
    assert known.identifiers[hoodie.concept] == "T:1"
    assert entails(known, "hoodie", "clothing")


def test_homonyms_stay_apart() -> None:
    taxonomy = Taxonomy.from_edges([("M:1", "M:2"), ("M:3", "M:4")], labels={"M:1": "mercury", "M:3": "mercury"})
    known = with_taxonomy(empty(), taxonomy, "mine")
    assert len({sense.concept for sense in known.senses("mercury")}) == 2


def test_everything_known_before_is_known_after() -> None:
    before = wordnet_knowledge()
    after = with_taxonomy(before, Taxonomy.from_edges([("aardvark", "zzz"), ("hoodie", "garment")]), "mine")
    for word in ("aardvark", "dog", "zygote", "bank", "garment"):
        assert [(str(sense), sense.meetings) for sense in after.senses(word)] == [
            (str(sense), sense.meetings) for sense in before.senses(word)
        ]
    marks = {(before.terms[term], mark) for term, _, mark in before.marks.tolist()}
    assert {(after.terms[term], mark) for term, _, mark in after.marks.tolist()} == marks
    assert [after.sources[at] for at in sorted(set(after.origins.tolist()))] == ["WordNet 3.0", "mine"]


def test_improbable_edges_are_not_known() -> None:
    edges = [("a", "b", 0.49), ("b", "c", 0.5), ("c", "d")]
    known = with_taxonomy(empty(), Taxonomy.from_edges(edges), "mine")
    assert entails(known, "b", "d")
    assert not entails(known, "a", "b")
    assert "a" in known


def test_many_names_are_looked_up_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "NAMES_AT_ONCE", 2)
    edges = [("Poodles", "dog"), ("blorps", "Ice-Cream"), ("geese", "bird"), ("new thing", "blorps")]
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges(edges), "mine")
    assert [str(sense) for sense in known.senses("poodle")] == ["poodle#1"]
    assert known.synonyms(known.senses("Poodles")[0].concept) == ["poodle", "poodle_dog", "Poodles"]
    assert entails(known, "new thing", "dessert")
    assert [known.terms[row] for row, _ in known.find("new thing")] == ["new_thing"]


@pytest.mark.parametrize(("name", "source"), [("my\nfile", "my file"), ("  ", "your taxonomy"), ("\udcff", "\\udcff")])
def test_the_name_of_a_source_is_one_line(name: str, source: str) -> None:
    assert with_taxonomy(empty(), Taxonomy.from_edges([("a", "b")]), name).sources == (source,)


def test_when_too_many_steps_are_taken_the_edges_are_still_known(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Taxonomy.from_edges([("animal", "dog"), ("crane", "bird")])
    assert len(with_taxonomy(wordnet_knowledge(), mine, "mine").denials) == 1
    monkeypatch.setattr(statements, "STEPS", 0)
    monkeypatch.setattr(statements, "STEPS_EACH", 0)
    known = with_taxonomy(wordnet_knowledge(), mine, "mine")
    assert len(known.denials) == 0
    assert entails(known, "animal", "dog")


def test_in_a_cycle_nothing_is_reversed() -> None:
    cycle = with_taxonomy(empty(), Taxonomy.from_edges([("a", "b"), ("b", "a")]), "cycle")
    assert len(with_taxonomy(cycle, Taxonomy.from_edges([("a", "b")]), "mine").denials) == 0


def test_denials_are_kept_with_their_source() -> None:
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges([], negations=[("tomato", "fruit")]), "mine")
    ((hypo, hyper, source),) = known.denials.tolist()
    assert (known.name(hypo), known.name(hyper), known.sources[source]) == ("tomato", "fruit", "mine")


def edges(letters: str) -> st.SearchStrategy[list[tuple[str, str]]]:
    """Return edges from letters to later ones, so that no file reverses another."""
    pairs = st.lists(st.sampled_from(letters), min_size=2, max_size=2, unique=True)
    return st.lists(pairs.map(lambda pair: (min(pair), max(pair))), max_size=12)


@given(edges("abcdef"), edges("cdefgh"))
def test_two_files_say_what_one_would_say(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    both = with_taxonomy(with_taxonomy(empty(), Taxonomy.from_edges(first), "1"), Taxonomy.from_edges(second), "2")
    one = Taxonomy.from_edges(first + second)
    for hypo in one.terms:
        for hyper in one.terms:
            assert entails(both, hypo, hyper) == one.entails(hypo, hyper)
