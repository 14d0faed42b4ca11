"""Wordnets of other languages: files in WN-LMF, and what the `wn` package has installed."""

import gzip
from pathlib import Path

import pytest
from typer.testing import CliRunner

import entvec
from entvec.bundled import bundled_knowledge
from entvec.cli import app
from entvec.errors import InvalidInput, KnowledgeFileError, KnowledgeFileNotFound, MissingExtra
from entvec.knowledge import Knowledge
from entvec.knowledge.facts import facts
from entvec.knowledge.lmf import with_wordnet
from entvec.knowledge.sources import gathered

wn = pytest.importorskip("wn", reason="needs wn: entvec[wn]")

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="toy" label="Spielzeug" language="{language}" email="a@b.c" license="CC0" version="{version}">
"""
TAIL = "</Lexicon></LexicalResource>\n"


def entry(name: str, lemma: str, *synsets: str, pos: str = "n", forms: tuple[str, ...] = (), counts: str = "") -> str:
    """A lexical entry with a sense for each synset."""
    written = "".join(f'<Form writtenForm="{form}"/>' for form in forms)
    senses = "".join(
        f'<Sense id="{name}-{at}" synset="{synset}">{counts if at == 1 else ""}</Sense>'
        for at, synset in enumerate(synsets)
    )
    word = f'<Lemma writtenForm="{lemma}" partOfSpeech="{pos}"/>'
    return f'<LexicalEntry id="{name}">{word}{written}{senses}</LexicalEntry>\n'


def synset(name: str, gloss: str = "", *relations: tuple[str, str], pos: str = "n") -> str:
    targets = "".join(f'<SynsetRelation relType="{kind}" target="{target}"/>' for kind, target in relations)
    return f'<Synset id="{name}" ili="" partOfSpeech="{pos}"><Definition>{gloss}</Definition>{targets}</Synset>\n'


GERMAN = HEAD.format(language="de", version="1") + "".join(
    [
        entry("e1", "Hund", "t-dog", forms=("Hunde", "Hundes")),
        entry("e2", "Tier", "t-animal", forms=("Tiere",)),
        entry("e3", "Lebewesen", "t-being"),
        entry("e4", "Pudel", "t-poodle"),
        entry("e5", "Bank", "t-bench", "t-bank", counts='<Count>7</Count>'),
        entry("e6", "Sitzmöbel", "t-seat"),
        entry("e7", "Kreditinstitut", "t-bank"),
        entry("e8", "Pfote", "t-paw"),
        entry("e9", "bellen", "t-bark", pos="v", forms=("bellte",)),
        entry("e10", "schnell", "t-quick", pos="a"),
        entry("e11", "Laika", "t-laika"),
        entry("e12", "böser Hund", "t-dog"),
        synset("t-dog", "ein Haustier", ("hypernym", "t-animal"), ("mero_part", "t-paw"), ("hyponym", "t-poodle")),
        synset("t-animal", "", ("hypernym", "t-being")),
        synset("t-being"),
        synset("t-poodle", "", ("hypernym", "t-dog")),
        synset("t-bench", "", ("hypernym", "t-seat")),
        synset("t-seat"),
        synset("t-bank"),
        synset("t-paw"),
        synset("t-bark", pos="v"),
        synset("t-quick", pos="a"),
        synset("t-laika", "", ("instance_hypernym", "t-dog")),
    ]
) + TAIL  # fmt: skip


@pytest.fixture
def german(tmp_path: Path) -> Path:
    path = tmp_path / "german.xml"
    path.write_text(GERMAN, encoding="utf-8")
    return path


def relations(known: Knowledge, first: str, second: str) -> set[str]:
    return set(facts(known, first, second))


def test_a_wordnet_is_a_knowledge(german: Path) -> None:
    known = with_wordnet(None, german)
    assert str(known) == "Spielzeug 1: 11 terms, 12 senses, 10 concepts, 5 is-a"
    assert known.glosses[known.senses("Hund")[0].concept] == "ein Haustier"
    assert known.synonyms(known.senses("Hund")[0].concept) == ["Hund", "böser_Hund"]


def test_its_relations_are_facts_from_whichever_side_they_are_stated(german: Path) -> None:
    known = with_wordnet(None, german)
    assert "narrower" in relations(known, "Pudel", "Lebewesen")
    assert "broader" in relations(known, "Tier", "Hund")
    assert "part" in relations(known, "Pfote", "Hund")
    assert "narrower" in relations(known, "Laika", "Tier")


def test_its_forms_are_those_of_its_words(german: Path) -> None:
    known = with_wordnet(None, german)
    assert [str(sense) for sense in known.senses("Hundes")] == ["Hund#1"]
    assert [str(sense) for sense in known.senses("bellte")] == ["bellen#v1"]
    assert known.is_flat("schnell")


def test_counted_senses_come_first(german: Path) -> None:
    known = with_wordnet(None, german)
    assert [str(sense) for sense in known.senses("Bank")] == ["Bank#2", "Bank#1"]


def test_a_compressed_file_is_read(german: Path, tmp_path: Path) -> None:
    (tmp_path / "german.xml.gz").write_bytes(gzip.compress(german.read_bytes()))
    assert str(with_wordnet(None, tmp_path / "german.xml.gz")) == str(with_wordnet(None, german))


def test_a_space_answers_in_the_language(german: Path) -> None:
    space = entvec.load(knowledge=[german])
    assert space.knowledge is not None
    assert space.knowledge.sources == ("Spielzeug 1",)
    found = space.relation("Pudel", "Lebewesen")
    assert found.relation == "narrower"
    assert found.reason == "Pudel -> Hund -> Tier -> Lebewesen (Spielzeug 1)"
    assert space.hypernyms("Pudel", k=2).words == ["Hund", "Tier"]


def test_the_command_line_takes_it_as_knowledge(german: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["relation", "Pudel", "Tier", "--knowledge", str(german)])
    assert "Pudel is a kind of Tier" in done.stdout
    done = CliRunner().invoke(app, ["info", str(german)])
    assert "Spielzeug 1" in done.stdout


def test_a_lexicon_that_wn_has_installed_is_called_by_its_name(
    german: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wn.config, "_dbpath", tmp_path / "wn.db", raising=False)
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")
    wn.add(german, progress_handler=None)
    known = gathered(bundled_knowledge(), ["wn:toy:1"])
    assert known is not None
    assert known.sources == ("Spielzeug 1",)
    assert "narrower" in relations(known, "Pudel", "Tier")
    with pytest.raises(InvalidInput, match="python -m wn download NAME"):
        gathered(None, ["wn:nothing:1"])


def test_a_wordnet_without_relations_names_the_concepts_of_wordnet(tmp_path: Path) -> None:
    known = bundled_knowledge()
    dog, animal = (known.identifiers[known.senses(word)[0].concept] for word in ("dog", "animal"))
    french = HEAD.format(language="fr", version="1.4") + "".join(
        [
            entry("e1", "chien", f"omw-fr-{dog}"),
            entry("e2", "animal domestique", f"omw-fr-{dog}"),
            entry("e3", "bête", f"omw-fr-{animal}"),
            synset(f"omw-fr-{dog}"),
            synset(f"omw-fr-{animal}"),
            TAIL,
        ]
    )
    (tmp_path / "french.xml").write_text(french, encoding="utf-8")
    space = entvec.load(knowledge=[tmp_path / "french.xml"])
    assert space.knowledge is not None
    assert space.knowledge.sources == (*known.sources, "Spielzeug 1.4")
    assert space.relation("chien", "bête").probabilities["narrower"] > 0.5
    assert space.relation("chien", "animal").relation == "narrower"
    assert space.relation("dog", "chien").relation == "same"
    assert space.relation("dog", "animal").relation == "narrower"


@pytest.mark.parametrize("content", ["", "<a/>", GERMAN[:900], GERMAN.replace('synset="t-dog"', "", 1)])
def test_what_is_no_wordnet_is_refused_by_its_name(content: str, tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text(content, encoding="utf-8")
    with pytest.raises(KnowledgeFileError, match=r"bad\.xml: "):
        with_wordnet(None, tmp_path / "bad.xml")


def test_a_wordnet_that_knows_no_kinds_of_anything_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bare.xml").write_text(
        HEAD.format(language="de", version="1") + entry("e", "Hund", "t") + synset("t") + TAIL
    )
    with pytest.raises(KnowledgeFileError, match="it has no hypernyms, and its identifiers do not end"):
        with_wordnet(bundled_knowledge(), tmp_path / "bare.xml")


def test_a_missing_file_and_a_missing_library_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KnowledgeFileNotFound, match=r"none\.xml: there is no such file"):
        with_wordnet(None, tmp_path / "none.xml")
    monkeypatch.setitem(__import__("sys").modules, "wn", None)
    with pytest.raises(MissingExtra, match=r"reading a wordnet needs wn; .*entvec\[wn\]"):
        with_wordnet(None, tmp_path / "none.xml")
