"""Several sources together: contradictions are told once."""

import warnings

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import KnowledgeWarning
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge.facts import facts
from entvec.knowledge.sources import gathered

NO_ANIMAL = Taxonomy.from_edges([], negations=[("dog", "animal")])
ANIMAL = Taxonomy.from_edges([("dog", "animal")])


def told(*sources: Taxonomy, names: list[str]) -> str:
    with pytest.warns(KnowledgeWarning) as found:
        gathered(wordnet_knowledge(), sources, names)
    (warning,) = found
    assert warning.filename == __file__
    return str(warning.message)


def test_a_contradiction_is_told_with_both_sources() -> None:
    assert told(NO_ANIMAL, names=["mine.tsv"]) == (
        "contradictions in what is known: 1, where the later source counts: "
        "mine.tsv says that dog is no animal, WordNet 3.0 says dog > domestic_animal > animal"
    )


def test_of_many_contradictions_a_few_are_named() -> None:
    animals = ("dog", "zebra", "cow", "tiger", "gorilla")
    taxonomy = Taxonomy.from_edges([], negations=[(animal, "animal") for animal in animals])
    text = told(taxonomy, names=["mine.tsv"])
    assert text.startswith("contradictions in what is known: ")
    assert text.count("WordNet 3.0 says") == 3
    assert text.endswith("; ...")


def test_files_may_contradict_each_other() -> None:
    assert "a.tsv says that dog is no animal, b.tsv says dog > animal" in told(
        NO_ANIMAL, ANIMAL, names=["a.tsv", "b.tsv"]
    )


def test_old_contradictions_are_not_told_again() -> None:
    with pytest.warns(KnowledgeWarning):
        known = gathered(wordnet_knowledge(), [NO_ANIMAL])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gathered(known, [Taxonomy.from_edges([("hoodie", "garment")])]) is not None
        assert gathered(None, [known]) is known


def test_cycles_are_told_and_harmless() -> None:
    taxonomy = Taxonomy.from_edges([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "top"), ("d", "other top")])
    with pytest.warns(KnowledgeWarning, match=r"mine: 3 terms are in cycles, such as 'a' below 'b', and so are known"):
        known = gathered(None, [taxonomy], ["mine"])
    assert known is not None
    assert set(facts(known, "x", "top")) == {"narrower"}
    assert facts(known, "x", "other top") == {}


def test_text_from_outside_is_escaped() -> None:
    taxonomy = Taxonomy.from_edges([("\x1b[1m", "b")], negations=[("\x1b[1m", "b")])
    assert "\x1b" not in told(taxonomy, names=["mine"])
