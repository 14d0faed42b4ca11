"""Spaces with evidence from texts: given, saved, loaded."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from entvec.bundled import toy_world
from entvec.errors import SpaceFileError
from entvec.graphs import Taxonomy
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace, default_space
from entvec.text import Evidence, Example
from entvec.text.extraction.evidence_file import table_of
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(
    Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds", specificity=0.0
).with_calibration(Calibration.platt(1.0, 2.0))


def row(hypo: str, hyper: str, n: int = 3) -> Evidence:
    sentence = f"A {hypo} is a {hyper}."
    return Evidence(hypo, hyper, "is-a", n, n, (Example(sentence, "zoo.txt", 0),))


ROWS = [row("labradoodle", "dog"), row("poodle", "pet")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(table_of(ROWS), tmp_path / "evidence.parquet")
    return tmp_path / "evidence.parquet"


def test_a_space_that_knows_nothing_learns_from_texts() -> None:
    read = TOYS.with_evidence(ROWS)
    assert read.hypernyms("labradoodle").words == ["dog"]
    assert "pet" in read.hypernyms("poodle").words
    assert "labradoodle" in read.hyponyms("dog").words
    found = read.relation("labradoodle", "dog")
    assert (found.relation, found.reason) == (
        "narrower",
        "3 sentences say so, for example: 'A labradoodle is a dog.' (zoo.txt)",
    )


def test_one_sentence_speaks_for_a_word_that_has_a_vector() -> None:
    reasoning = TOYS.with_evidence([row("stone", "cat", 1)]).explain("stone", "cat", k=0).reasoning
    assert reasoning is not None
    assert {part.source: part.log_odds for part in reasoning.parts}["text"] > 0


def test_what_is_known_and_what_texts_say_are_kept_beside_each_other() -> None:
    facts = Taxonomy.from_edges([("dog", "animal")])
    for read in (TOYS.with_knowledge(facts).with_evidence(ROWS), TOYS.with_evidence(ROWS).with_knowledge(facts)):
        assert read.relation("dog", "animal").situation == "both known"
        assert read.relation("labradoodle", "dog").relation == "narrower"
        assert len(read.with_specificity(1.0).text or ()) == 2


def test_evidence_is_added_and_forgotten(file: Path) -> None:
    read = TOYS.with_evidence(file).with_evidence([row("beagle", "dog")])
    assert set(read.hyponyms("dog", k=9).words) >= {"beagle", "labradoodle"}
    assert TOYS.with_evidence(file, None).text is None
    assert read.with_evidence(None, [row("beagle", "dog")]).judge.evidence.has(["beagle", "labradoodle"]).tolist() == [
        True,
        False,
    ]


def test_a_space_says_that_it_has_text_evidence() -> None:
    assert "2 rows of text evidence" in repr(TOYS.with_evidence(ROWS))
    assert "text" not in repr(TOYS)


def test_a_saved_space_has_the_files(tmp_path: Path, file: Path) -> None:
    read = TOYS.with_evidence(file, [row("beagle", "dog")])
    read.save(tmp_path / "space")
    file.unlink()
    again = EntailmentSpace.load(tmp_path / "space")
    assert len(again.text or ()) == 3
    assert again.relation("labradoodle", "dog") == read.relation("labradoodle", "dog")
    (tmp_path / "space" / "evidence-1.parquet").write_bytes(b"PAR1")
    with pytest.raises(SpaceFileError, match=r"evidence-1\.parquet: it is damaged"):
        EntailmentSpace.load(tmp_path / "space")


def test_the_default_space_stays_as_it_is() -> None:
    before = default_space().hypernyms("dog", k=5).words
    default_space().with_evidence([row("dog", "gadget", 99)])
    assert default_space().hypernyms("dog", k=5).words == before
