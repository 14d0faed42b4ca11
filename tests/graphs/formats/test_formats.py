"""What every format keeps: whatever is written comes back the same, and a damaged file is refused in order."""

import logging
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entvec.errors import (
    CannotWrite,
    InvalidInput,
    MissingExtra,
    TaxonomyFileError,
    TaxonomyFileNotFound,
    TaxonomyFileWarning,
)
from entvec.graphs import Taxonomy, left_out, read, to_text, write
from entvec.graphs.formats import FORMATS
from entvec.vectors.source import COMPRESSIONS

READABLE = [name for name, row in FORMATS.items() if row.read is not None]


def held(taxonomy: Taxonomy, name: str) -> Taxonomy:
    """The part of a taxonomy that a format has a place for."""
    holds = FORMATS[name].holds
    about: dict[str, dict[str, tuple[str, ...]]] = {
        term: {field: values for field, values in found.items() if field in holds}
        for term, found in taxonomy.about.items()
    }
    if name == "obo":  # which has one definition for each term
        for found in about.values():
            found["definition"] = tuple(filter(None, ["\n".join(found.get("definition", ()))]))
    return taxonomy.replaced(
        probability=taxonomy.probability if "probability" in holds else [float("nan")] * len(taxonomy.hypo),
        negations=taxonomy.negations if "negation" in holds else [],
        labels=taxonomy.labels if "label" in holds else {},
        about=about,
    )


ODD = [
    "the dog",
    "don't",
    'a "b"',
    "#tag",
    "a,b",
    "<b>&amp;",
    "x:1",
    "http://example.org/a b",
    "犬",
    "é",
    "a\\b",
    "[x]",
]


@pytest.fixture
def animals() -> Taxonomy:
    return Taxonomy.from_edges(
        [("poodle", "dog", 0.25), ("dog", "animal", 1 / 3), ("cat", "animal"), *((odd, "odd", 0.0) for odd in ODD)],
        negations=[("cat", "dog"), ("poodle", "dog")],
        terms=["unicorn"],
        labels={"dog": "Dog", "unicorn": 'Uni "corn"'},
        about={"dog": {"synonym": ("hound", 'so-called "cur"'), "definition": ("A pet; barks.",)}},
    )


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_comes_back(animals: Taxonomy, tmp_path: Path, name: str, compression: str) -> None:
    path = tmp_path / f"animals{FORMATS[name].suffixes[0]}{compression}"
    write(animals, path)
    assert read(path).equals(held(animals, name))


@pytest.mark.parametrize("name", READABLE)
def test_the_content_tells_the_format_if_the_name_does_not(animals: Taxonomy, tmp_path: Path, name: str) -> None:
    path = tmp_path / "animals"
    write(animals, path, format=name)
    assert read(path).equals(held(animals, name))
    assert path.read_text(encoding="utf-8") == to_text(animals, name)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_left_out_is_counted(animals: Taxonomy, name: str) -> None:
    all_parts = {
        "probability": ("probabilities", 14),
        "negation": ("negated entailments", 2),
        "label": ("labels", 2),
        "synonym": ("synonyms", 2),
        "definition": ("definitions", 1),
    }
    assert left_out(animals, name) == dict(told for part, told in all_parts.items() if part not in FORMATS[name].holds)


letters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"])
names = st.text(letters, min_size=1, max_size=8).map(str.strip).filter(bool)


EXTRAS = {"owl": "skos"}
"""The extra that brings the library of a format, where it is not called like the format."""


@st.composite
def taxonomies(draw: st.DrawFn) -> Taxonomy:
    terms = draw(st.lists(names, unique=True, max_size=6))
    if not terms:
        return Taxonomy.from_edges([])
    pair = st.tuples(st.sampled_from(terms), st.sampled_from(terms))
    edges = draw(st.lists(st.tuples(pair, st.none() | st.floats(0, 1)), max_size=6))
    return Taxonomy.from_edges(
        [(*ends, probability) for ends, probability in edges],
        negations=draw(st.lists(pair, max_size=2)),
        terms=terms,
        labels=draw(st.dictionaries(st.sampled_from(terms), names, max_size=3)),
        about=draw(
            st.dictionaries(
                st.sampled_from(terms),
                st.fixed_dictionaries(
                    {field: st.lists(names, unique=True, max_size=2).map(tuple) for field in ("synonym", "definition")}
                ),
                max_size=2,
            )
        ),
    )


@pytest.mark.parametrize("name", READABLE)
@given(taxonomy=taxonomies())
@settings(max_examples=25, deadline=None)
def test_any_taxonomy_comes_back_or_is_refused(name: str, taxonomy: Taxonomy) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        try:
            write(taxonomy, path, format=name)
        except CannotWrite:
            assert name == "obo"  # the others can hold any printable name
            return
        again = read(path, format=name)
        wanted = held(taxonomy, name)
        assert again.equals(wanted)
        before = path.read_bytes()
        write(again, path, format=name)
        assert path.read_text() == before.decode()  # export, import and export again: the same file


# Malformed files


def samples() -> dict[str, bytes]:
    taxonomy = Taxonomy.from_edges(
        [("poodle", "dog", 0.25), ("dog", "animal")],
        negations=[("cat", "dog")],
        labels={"dog": "Dog"},
        about={"dog": {"synonym": ("hound",), "definition": ("A pet",)}},
    )
    return {name: to_text(taxonomy, name).encode() for name in READABLE}


@pytest.mark.parametrize("name", READABLE)
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused_or_read_but_nothing_else(name: str, data: st.DataObject) -> None:
    damaged = bytearray(samples()[name])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged)))
        change = data.draw(st.sampled_from(["replace", "insert", "delete", "cut", "repeat"]))
        some = data.draw(st.binary(min_size=1, max_size=3) | st.sampled_from([b'"', b"\n", b"<", b"[", b"\\", b"\t"]))
        if change == "replace":
            damaged[at : at + len(some)] = some
        elif change == "insert":
            damaged[at:at] = some
        elif change == "delete":
            del damaged[at : at + 5]
        elif change == "cut":
            del damaged[at:]
        else:
            damaged[at:at] = damaged[at : at + 40]
    logging.disable(logging.WARNING)  # rdflib tells of what is no good URI
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder) / "damaged"
            path.write_bytes(damaged)
            try:
                taxonomy = read(path, format=name)
            except TaxonomyFileError:
                return
            path.write_text(to_text(taxonomy, name), encoding="utf-8", newline="")  # what can be read can be written
            assert len(read(path, format=name)) == len(taxonomy)
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", READABLE)
def test_bytes_that_are_no_text_are_named_with_their_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    content = samples()[name]
    at = content.index(b"poodle")
    path.write_bytes(content[:at] + b"\xff" + content[at:])
    line = content[:at].count(b"\n") + 1
    with pytest.raises(TaxonomyFileError, match=f"line {line}: expected"):
        read(path, format=name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"a\0b", "no text"),
        (b"<?xml version='1.0'?><rdf/>", "XML, but not GraphML"),
        (b"<!doctype html>", "web page"),
        (b"<html>\n  <body>\n", "web page"),
        (b"flowchart BT\n a-->b\n", "Mermaid flowcharts is a picture and is only written; expected one of tsv"),
        (b"digraph x { a -> b }", "Graphviz is a picture and is only written"),
    ],
)
def test_strangers_are_told_what_they_are(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stranger"
    path.write_bytes(content)
    with pytest.raises(TaxonomyFileError, match=message):
        read(path)


def test_what_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyFileNotFound, match="there is no such file"):
        read(tmp_path / "none.tsv")
    with pytest.raises(TaxonomyFileError, match="it is a folder, expected a file of a taxonomy"):
        read(tmp_path)
    (tmp_path / "cut.tsv.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(TaxonomyFileError, match=r"the \.gz data is damaged"):
        read(tmp_path / "cut.tsv.gz")


def test_a_format_that_nobody_knows_is_refused(tmp_path: Path, animals: Taxonomy) -> None:
    with pytest.raises(InvalidInput, match="format is 'xls', expected one of tsv, csv"):
        read(tmp_path / "x", format="xls")
    with pytest.raises(InvalidInput, match="format is 'xls'"):
        to_text(animals, "xls")
    with pytest.raises(CannotWrite, match="its name does not tell the format; expected a name ending in one of"):
        write(animals, tmp_path / "x")
    with pytest.raises(CannotWrite, match="only read"):
        write(animals, tmp_path / "x.tsv.zip")
    with pytest.raises(InvalidInput, match="expected a taxonomy and then a path, found str"):
        write("x", tmp_path / "x.tsv")  # type: ignore[arg-type]


def test_a_name_that_a_format_cannot_hold_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.tsv"
    path.write_text("old")
    with pytest.raises(CannotWrite, match="tab or a line break"):
        write(Taxonomy.from_edges([("a\tb", "c")]), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "library"), [("skos", "rdflib"), ("owl", "rdflib"), ("obo", "fastobo"), ("graphml", "networkx")]
)
def test_a_library_that_is_missing_is_named(
    name: str, library: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    path = tmp_path / f"x{FORMATS[name].suffixes[0]}"
    path.write_text("x")
    for act in (lambda: read(path), lambda: to_text(Taxonomy.from_edges([]), name)):
        with pytest.raises(MissingExtra, match=f"pip install {library} .*entvec\\[{EXTRAS.get(name, name)}\\]"):
            act()


def test_networkx_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match="pip install networkx"):
        Taxonomy.from_edges([]).to_networkx()


def test_the_first_line_tells_a_table_with_commas_from_one_with_tabs(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    for text, terms in (("a,b\n", 2), ("a,b\tc,d\n", 2), ("alone\n", 1)):
        path.write_text(text)
        assert len(read(path)) == terms
    path.write_text("a,b\tc\n")
    assert read(path).terms == ("a,b", "c")


def test_a_space_where_a_tab_was_meant_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "pets.tsv"
    path.write_text("dog\tanimal\ncat animal\n")
    with pytest.warns(TaxonomyFileWarning, match="line 2: 1 of the lines have one column, with a space or comma in it"):
        assert read(path).orphans == ("cat animal",)
