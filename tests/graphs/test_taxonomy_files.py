"""Taxonomies from texts that are in memory."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import entvec.taxonomy
from entvec.errors import InvalidInput, MissingExtra, TaxonomyFileError, TaxonomyFileWarning
from entvec.graphs import Taxonomy, from_text, read, to_text
from entvec.graphs.formats import FORMATS

READABLE = [name for name, row in FORMATS.items() if row.read is not None]
DOGS = Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal"), ("chow‑chow", "dog")])


def test_the_room_has_it_beside_its_counterpart() -> None:
    assert entvec.taxonomy.from_text is from_text
    assert {"from_text", "to_text"} <= set(dir(entvec.taxonomy))


@pytest.mark.parametrize("name", READABLE)
def test_what_becomes_a_text_comes_back_whether_or_not_the_format_is_named(name: str) -> None:
    text = to_text(DOGS, name)
    assert from_text(text, name).equals(DOGS)
    assert from_text(text).equals(DOGS)
    assert from_text("\ufeff" + text).equals(DOGS)


@pytest.mark.parametrize("name", READABLE)
def test_it_is_read_as_a_file_would_be(name: str, tmp_path: Path) -> None:
    text = to_text(DOGS, name)
    (tmp_path / "dogs").write_text(text, encoding="utf-8", newline="")
    here, there = from_text(text), read(tmp_path / "dogs")
    assert (here.terms, list(here.hypo), list(here.hyper)) == (there.terms, list(there.hypo), list(there.hyper))


def test_a_text_is_never_the_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dogs.tsv"
    path.write_text("dog\tanimal\n")
    monkeypatch.chdir(tmp_path)
    assert from_text(str(path)).terms == (str(path),)
    assert from_text("a\tb\n", name="dogs.tsv").terms == ("a", "b")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("dog\tanimal\n\n\tanimal\n", None, "^text, line 3: expected a hypo"),
        ("animal\n  dog\n cat\n", None, "^text, line 3: expected an indentation"),
        ("{\n\n!", None, "^text, line 3: expected JSON"),
        ("", None, "^text: it is empty, expected a taxonomy"),
        ("a\0b", None, "^text: this is no text"),
        ("dog\tanimal\n\udc80\tanimal\n", None, "^text, line 2: expected text in UTF-8"),
        ("graph TD", None, "^text: Mermaid flowcharts is a picture and is only written"),
        ("x", "dot", "^text: Graphviz is a picture"),
        ("<!doctype html>", None, "^text: this is a web page"),
    ],
)
def test_errors_name_the_text_and_its_line(text: str, name: str | None, message: str) -> None:
    with pytest.raises(TaxonomyFileError, match=message):
        from_text(text, name)
    with pytest.raises(TaxonomyFileError, match=message.replace("^text", "^what was pasted")):
        from_text(text, name, name="what was pasted")


def test_warnings_name_the_text_and_whoever_called() -> None:
    with pytest.warns(TaxonomyFileWarning, match="^text, line 2: 1 of the lines have one column") as told:
        from_text("dog\tanimal\ncat animal\n")
    assert told[0].filename == __file__


def test_what_is_no_text_and_a_format_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="expected the text of a taxonomy, found bytes; `read` takes files"):
        from_text(b"dog\tanimal")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"found \w+Path"):
        from_text(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="format is 'xls', expected one of tsv, csv, outline"):
        from_text("x", "xls")


@pytest.mark.parametrize("mark", ['"', "'"])
def test_a_text_has_no_encoding_whatever_it_declares(mark: str) -> None:
    text = to_text(Taxonomy.from_edges([("café", "place")]), "graphml")
    body = text[text.index("<graphml") :]
    declared = f"<?xml version={mark}1.0{mark} encoding={mark}iso-8859-1{mark}?>\n"
    assert from_text(declared + body).terms == ("café", "place")


def test_nothing_is_decompressed(tmp_path: Path) -> None:
    text = "BZh91AY&SY\tword\n"  # as a file of bzip2 begins
    assert from_text(text).terms == ("BZh91AY&SY", "word")
    (tmp_path / "x").write_text(text)
    with pytest.raises(TaxonomyFileError, match="damaged"):
        read(tmp_path / "x")


@given(st.text(st.characters(), max_size=60) | st.text(st.sampled_from("ab \t\n,-*{}<>[]\"':;@#\r1."), max_size=60))
@settings(max_examples=300, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_any_text_is_read_or_refused_in_order(text: str) -> None:
    try:
        found = from_text(text)
    except (TaxonomyFileError, MissingExtra):
        return
    assert all(term == term.strip() != "" for term in found.terms)
