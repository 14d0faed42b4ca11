"""Classes of OWL: what is an edge, what is a label, and that restrictions and all other triples come back."""

from pathlib import Path

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from entvec.errors import TaxonomyFileError
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write

HEAD = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY owl "http://www.w3.org/2002/07/owl#" > ]>
<rdf:RDF xmlns="http://example.org/pets#" xml:base="http://example.org/pets"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:obo="http://purl.obolibrary.org/obo/"
  xmlns:oio="http://www.geneontology.org/formats/oboInOwl#">
"""
PETS = (
    HEAD
    + """
<owl:Ontology rdf:about="http://example.org/pets"/>
<owl:ObjectProperty rdf:about="#eats"/>
<owl:Class rdf:about="#animal"><rdfs:subClassOf rdf:resource="&owl;Thing"/></owl:Class>
<owl:Class rdf:about="#dog">
  <rdfs:subClassOf rdf:resource="#animal"/>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#eats"/>
    <owl:someValuesFrom rdf:resource="#animal"/></owl:Restriction></rdfs:subClassOf>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#eats"/>
    <owl:someValuesFrom rdf:resource="#cat"/></owl:Restriction></rdfs:subClassOf>
  <rdfs:label xml:lang="de">Hund</rdfs:label><rdfs:label xml:lang="en">dog</rdfs:label>
  <oio:hasExactSynonym>hound</oio:hasExactSynonym>
  <obo:IAO_0000115>A pet that barks.</obo:IAO_0000115>
</owl:Class>
<owl:Class rdf:about="#cat"><rdfs:subClassOf rdf:resource="#animal"/></owl:Class>
<owl:Class rdf:about="#old"><rdfs:subClassOf rdf:resource="#animal"/>
  <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated></owl:Class>
<owl:Class><owl:unionOf rdf:parseType="Collection"><owl:Class rdf:about="#dog"/><owl:Class rdf:about="#cat"/>
</owl:unionOf></owl:Class>
</rdf:RDF>
"""
)
BASE = "http://example.org/pets#"
DOG, CAT, ANIMAL = BASE + "dog", BASE + "cat", BASE + "animal"


def graph(text: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format="xml")


def test_named_classes_are_terms_and_subclasses_are_below_them() -> None:
    pets = from_text(PETS)
    assert set(pets.terms) == {DOG, CAT, ANIMAL}
    assert {edge[:2] for edge in pets.edges()} == {(DOG, ANIMAL), (CAT, ANIMAL)}
    assert pets.roots == (ANIMAL,)
    assert (pets.label(DOG), pets.label(CAT)) == ("dog", CAT)
    assert pets.about[DOG] == {"synonym": ("hound",), "definition": ("A pet that barks.",)}


def test_every_triple_comes_back_and_the_second_export_is_the_first() -> None:
    once = to_text(from_text(PETS), "owl")
    assert isomorphic(graph(PETS), graph(once))
    assert to_text(from_text(once), "owl") == once
    assert left_out(from_text(PETS), "owl") == {}
    assert left_out(from_text(PETS), "csv")["other statements"] > 0


def test_changes_are_made_in_the_words_of_the_file_and_nothing_else_changes() -> None:
    pets = from_text(PETS)
    changed = pets.keeping(pets.hypo != pets.index(CAT)).with_edges([("poodle", DOG)])
    changed = changed.replaced(about={DOG: {"synonym": ("hound", "cur"), "definition": ("A pet that barks.",)}})
    again = from_text(to_text(changed, "owl"))
    assert again.equals(changed)
    after = graph(to_text(changed, "owl"))
    synonym = rdflib.URIRef("http://www.geneontology.org/formats/oboInOwl#hasExactSynonym")
    assert {str(each) for each in after.objects(rdflib.URIRef(DOG), synonym)} == {"hound", "cur"}
    assert len(list(after.triples((None, rdflib.OWL.someValuesFrom, None)))) == 2
    assert rdflib.Literal("Hund", lang="de") in set(after.objects(rdflib.URIRef(DOG), rdflib.RDFS.label))


def test_turtle_stays_turtle(tmp_path: Path) -> None:
    path = tmp_path / "pets.ttl"
    path.write_text(graph(PETS).serialize(format="turtle"))
    pets = read(path)
    assert pets.rest is not None
    assert pets.rest.format == "owl"
    write(pets, path)
    assert read(path).equals(pets)
    again = rdflib.Graph().parse(path, format="turtle")
    assert isomorphic(again, graph(PETS))


def test_the_content_decides_whether_turtle_has_classes_or_concepts() -> None:
    assert from_text("@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<http://a.b/c> a owl:Class .").terms == (
        "http://a.b/c",
    )


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"]), max_size=8)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), texts), max_size=8))
@settings(max_examples=40, deadline=None)
def test_restrictions_however_many_alike_come_out_the_same_each_time(some: list[tuple[str, str, str]]) -> None:
    made, node = rdflib.Graph(), rdflib.Namespace(BASE)
    made.bind("owl", rdflib.OWL)
    for hypo, hyper, note in some:
        blank = rdflib.BNode()
        made.add((node[hypo], rdflib.RDF.type, rdflib.OWL.Class))
        made.add((node[hypo], rdflib.RDFS.subClassOf, blank))
        made.add((blank, rdflib.OWL.onProperty, node[hyper]))
        made.add((node[hypo], rdflib.RDFS.comment, rdflib.Literal(note)))
    found = from_text(made.serialize(format="xml"), "owl")
    once = to_text(found, "owl")
    assert isomorphic(graph(once), made)
    assert to_text(from_text(once, "owl"), "owl") == once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "line 7: expected RDF/XML, found what is not"),
        (PETS.replace('"http://www.w3.org/2002/07/owl#" >', 'SYSTEM "file:///etc/passwd">'), "declaration of 'owl'"),
        (PETS.replace('owl "http://www.w3.org/2002/07/owl#"', 'a "aa"> <!ENTITY owl "&a;&a;"'), "declaration of 'owl'"),
        (PETS.replace('<rdfs:subClassOf rdf:resource="#animal"/>', "<rdfs:subClassOf>x</rdfs:subClassOf>"), "a text"),
    ],
)
def test_what_is_no_ontology_is_refused(text: str, message: str) -> None:
    with pytest.raises(TaxonomyFileError, match=message):
        from_text(text, "owl")


def test_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pets.owl"
    path.write_text(PETS.replace('version="1.0"', 'version="1.0" encoding="latin-1"'))
    with pytest.raises(TaxonomyFileError, match="expected text in UTF-8, found latin-1; save the file as UTF-8"):
        read(path)


def test_a_taxonomy_becomes_classes() -> None:
    made = Taxonomy.from_edges([("poodle", "dog")], labels={"dog": "Dog"}, about={"dog": {"synonym": ("hound",)}})
    assert from_text(to_text(made, "owl")).equals(made)
