"""The component of spaCy pipelines: hypernyms of tokens, and entities by what they are."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'entvec[spacy]'")

from spacy.tokens import Doc  # noqa: E402

from entvec.errors import InvalidInput  # noqa: E402
from entvec.spacy_pipe import EntvecPipe, make_pipe  # noqa: E402

TEXT = "The poodle chased a hoodie and ate grilled cheese sandwiches quickly."


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("entvec", config=config)
    return nlp


def test_a_token_has_hypernyms() -> None:
    doc = pipeline(k=3)(TEXT)
    poodle, hoodie = doc[1], doc[4]
    assert "dog" in poodle._.hypernyms
    assert len(poodle._.hypernyms) <= 3
    assert "garment" in hoodie._.hypernyms or "clothing" in hoodie._.hypernyms


def test_words_that_are_kinds_of_nothing_have_none() -> None:
    doc = pipeline()(TEXT + " 42 asdfghjkl")
    assert [token._.hypernyms for token in doc if token.text in ("The", "quickly", "42", ".", "asdfghjkl")] == [[]] * 5


def test_hypernyms_are_computed_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline(k=4)
    monkeypatch.setattr("entvec.load", lambda *_, **__: pytest.fail("the space was opened"))
    assert len(nlp(TEXT)) == 12


def test_a_phrase_has_hypernyms() -> None:
    doc = pipeline()("a grilled cheese sandwich")
    assert "sandwich" in doc[2:4]._.hypernyms


def test_things_of_a_type_are_entities() -> None:
    doc = pipeline(types={"ANIMAL": "animal", "FOOD": "food", "CLOTHES": "clothing"})(TEXT)
    assert {(ent.text, ent.label_) for ent in doc.ents} == {
        ("poodle", "ANIMAL"), ("hoodie", "CLOTHES"), ("grilled cheese sandwiches", "FOOD"),
    }  # fmt: skip


def test_entities_of_other_components_stay() -> None:
    nlp = pipeline(types={"ANIMAL": "animal"})
    ruler = nlp.add_pipe("entity_ruler", first=True)
    ruler.add_patterns([{"label": "BREED", "pattern": "poodle"}])
    assert [(ent.text, ent.label_) for ent in nlp("A poodle and a cat.").ents] == [
        ("poodle", "BREED"),
        ("cat", "ANIMAL"),
    ]


def test_only_nouns_and_verbs_are_asked_where_words_are_tagged() -> None:
    nlp = pipeline(types={"ANIMAL": "animal"})
    doc = Doc(nlp.vocab, words=["duck", "the", "duck"], pos=["VERB", "DET", "NOUN"])
    doc = nlp(doc)
    assert [(ent.start, ent.label_) for ent in doc.ents] == [(2, "ANIMAL")]


def test_the_space_may_know_more(tmp_path: Path) -> None:
    (tmp_path / "shop.tsv").write_text("child\tparent\nzorbel\tgarment\n")
    doc = pipeline(knowledge=[str(tmp_path / "shop.tsv")], types={"CLOTHES": "clothing"})("She bought a zorbel.")
    assert [ent.text for ent in doc.ents] == ["zorbel"]
    assert doc[3]._.hypernyms[0] == "garment"


def test_documents_and_pipelines_can_be_serialised(tmp_path: Path) -> None:
    nlp = pipeline(types={"ANIMAL": "animal"})
    nlp.to_disk(tmp_path / "pipeline")
    doc = spacy.load(tmp_path / "pipeline")("A poodle.")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert "dog" in again[1]._.hypernyms
    assert [ent.label_ for ent in again.ents] == ["ANIMAL"]


def test_documents_without_the_component_have_no_hypernyms() -> None:
    pipeline()
    assert spacy.blank("en")("A poodle.")[1]._.hypernyms == []


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidInput, match="least, longest and k are 2, 4 and 5"):
        EntvecPipe(least=2)


def test_spacy_finds_the_component_by_its_name() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_factories"]["entvec"].partition(":")
    assert getattr(import_module(module), name) is make_pipe


def test_without_spacy_an_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['spacy'] = None; import entvec.spacy_pipe"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603 - our own code
    assert "MissingExtra: the spaCy pipe needs spacy; install it with: pip install spacy" in done.stderr
