"""SKOS thesauri: what is an edge, what is a label, and that nothing else is lost."""

import logging
import warnings
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib.compare import isomorphic

from entvec.errors import InvalidInput, TaxonomyFileError, TaxonomyFileWarning
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write
from entvec.graphs.identifiers import with_uris
from entvec.graphs.structure import Links

PREFIXES = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix ex: <http://example.org/> .\n"
WINES = (
    PREFIXES
    + """
ex:wines a skos:ConceptScheme ; skos:hasTopConcept ex:wine ; skos:prefLabel "Wines"@en .
ex:wine a skos:Concept ; skos:prefLabel "vin"@fr, "wine"@en ; skos:notation "1"^^ex:code ; skos:inScheme ex:wines .
ex:red a skos:Concept ; skos:broader ex:wine ; skos:prefLabel "red wine"@en ; skos:related ex:white ;
    skos:altLabel "claret"@en, "vin rouge"@fr ; skos:definition "Wine that is red."@en .
ex:white a skos:Concept ; skos:prefLabel "Weißwein"@de .
ex:wine skos:narrower ex:white, ex:red .
ex:port skos:broaderTransitive ex:wine ; skos:broader ex:red .
ex:rose skos:broaderTransitive ex:wine .
ex:cava skos:broadMatch <http://other.example/sparkling> .
"""
)


@pytest.fixture
def wines(tmp_path: Path) -> Taxonomy:
    path = tmp_path / "wines.ttl"
    path.write_text(WINES, encoding="utf-8")
    return read(path)


def ex(*names: str) -> tuple[str, ...]:
    return tuple(f"http://example.org/{name}" for name in names)


def test_broader_narrower_and_their_kinds_are_edges(wines: Taxonomy) -> None:
    assert {edge[:2] for edge in wines.edges()} == {
        ex("red", "wine"),
        ex("white", "wine"),
        ex("port", "red"),
        ex("rose", "wine"),
        (*ex("cava"), "http://other.example/sparkling"),
    }
    assert wines.duplicates == ()


def test_a_scheme_is_no_term(wines: Taxonomy) -> None:
    assert not set(ex("wines", "code")) & set(wines.terms)


def test_labels_are_english_if_they_can_be(wines: Taxonomy) -> None:
    assert [wines.label(term) for term in ex("wine", "white", "red")] == ["wine", "Weißwein", "red wine"]
    assert wines.named("red wine") == ex("red")[0]
    assert wines.about[ex("red")[0]] == {"synonym": ("claret", "vin rouge"), "definition": ("Wine that is red.",)}


def test_every_triple_comes_back(wines: Taxonomy) -> None:
    before, after = (rdflib.Graph().parse(data=text, format="turtle") for text in (WINES, to_text(wines, "skos")))
    assert isomorphic(before, after)
    assert left_out(wines, "skos") == {}


def test_what_another_format_loses_is_counted(wines: Taxonomy) -> None:
    # scheme: type, top concept and label; of wine: the French label, notation and scheme; red is related to white
    assert left_out(wines, "obo") == {"other statements": 6}


def test_what_has_changed_is_changed_and_nothing_else(wines: Taxonomy, tmp_path: Path) -> None:
    wine, red, white = ex("wine", "red", "white")
    kept = wines.keeping(wines.hypo != wines.index(white))
    changed = kept.with_edges([("glühwein", wine)]).replaced(
        labels={**wines.labels, wine: "Wine"}, about={red: {"synonym": ("claret", "rosso")}}
    )
    write(changed, tmp_path / "new.ttl")
    again = read(tmp_path / "new.ttl")
    assert again.equals(changed)
    assert again.label("glühwein") == "glühwein"
    graph = rdflib.Graph().parse(tmp_path / "new.ttl")
    skos = rdflib.Namespace("http://www.w3.org/2004/02/skos/core#")
    node = rdflib.URIRef
    assert set(graph.objects(node(wine), skos.prefLabel)) == {
        rdflib.Literal("Wine", lang="en"),
        rdflib.Literal("vin", lang="fr"),
    }
    assert (node(red), skos.altLabel, rdflib.Literal("claret", lang="en")) in graph
    assert (node(red), skos.related, node(white)) in graph
    assert (node(wine), skos.narrower, node(white)) not in graph


def test_a_concept_that_is_gone_is_nowhere(wines: Taxonomy) -> None:
    wine = ex("wine")[0]
    text = to_text(Taxonomy.from_edges([], terms=[wine], labels={wine: "wine"}).replaced(rest=wines.rest), "skos")
    assert "ex:red" not in text
    assert "ex:white" not in text
    assert "skos:notation" in text


def test_a_concept_without_a_name_is_a_term(tmp_path: Path) -> None:
    path = tmp_path / "bare.ttl"
    path.write_text(PREFIXES + "ex:a skos:narrower [ skos:prefLabel 'b' ] .")
    (term,) = read(path).children(ex("a")[0])
    assert term.startswith("_:")
    assert read(path).named("b").startswith("_:")


@pytest.mark.parametrize(
    "term",
    ["dog", "ice cream", "_:1", "_: x", "x:1", "urn:x-entvec:dog", "urn:x-entvec:x%3A1", "urn:x-entvec:", "100%", "é"],
)
def test_whatever_a_term_looks_like_it_comes_back(tmp_path: Path, term: str) -> None:
    made = Taxonomy.from_edges([(term, "top")], labels={term: "named"})
    write(made, tmp_path / "odd.ttl")
    assert read(tmp_path / "odd.ttl").equals(made)


def test_a_label_that_is_the_identifier_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "same.ttl"
    path.write_text(PREFIXES + 'ex:a skos:broader ex:b ; skos:prefLabel "http://example.org/a"@en .')
    assert '"http://example.org/a"@en' in to_text(read(path), "skos")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ex:a skos:broader ex:b", "line 3: expected more Turtle, found the end"),
        ("ex:a\n skos:broader 'b .", "expected Turtle, found what is not .Quote expected in string"),
        ("no:a skos:broader ex:b .", "line 3: expected Turtle, .*Prefix"),
        ("<http://example.org/a b> skos:broader ex:b .", "expected a URI, found 'http://example.org/a b' with ' '"),
        ("ex:a skos:broader 'b' .", "expected a concept after broader, found the text 'b'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.ttl"
    path.write_text(PREFIXES + text)
    with pytest.raises(TaxonomyFileError, match=message):
        read(path)


def test_brackets_too_deep_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.ttl"
    path.write_text(PREFIXES + "ex:a ex:b " + "[ ex:b " * 5000)
    with pytest.raises(TaxonomyFileError, match="too deep"):
        read(path)


def test_names_without_a_base_and_concepts_without_a_type_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pets.ttl"
    path.write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        '<dog> skos:broader <animal> .\n<stone> skos:prefLabel "stone" .\n'
    )
    pets = read(path)
    assert len(pets) == 3
    assert pets.entails("http://x-entvec.invalid/dog", "http://x-entvec.invalid/animal")
    assert pets.named("stone") == "http://x-entvec.invalid/stone"


# Time and memory grow with the text, whatever it says


@pytest.mark.parametrize("n", [1000, 2000])
def test_transitive_statements_are_compared_in_one_walk(
    n: int, walks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def searched(*_: object) -> Any:
        raise AssertionError("a search for each statement")

    monkeypatch.setattr(Links, "path", searched)
    chain = (f"ex:c{i} skos:broader ex:c{i + 1} ; skos:broaderTransitive ex:c{n} .\n" for i in range(n))
    found = from_text(PREFIXES + "".join(chain), "skos")
    assert len(found.hypo) == n
    to_text(found, "skos")
    assert len(walks) == 2  # one to read, one to write, however long the chain is


def test_many_prefixes_and_namespaces_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 2000
    text = "".join(f"@prefix p{i}: <http://example.org/{i}#> .\np{i}:a skos:broader ex:top .\n" for i in range(n))
    text += "".join(f"ex:a <http://example.org/{i}/says> ex:b .\n" for i in range(n))

    calls: list[object] = []

    def compared(*given: object, **_: object) -> Any:
        calls.append(given)
        raise AssertionError("a comparison with each other namespace")

    monkeypatch.setattr("rdflib.namespace.insert_trie", compared)
    monkeypatch.setattr("rdflib.namespace.NamespaceManager.compute_qname", compared)
    found = from_text(PREFIXES + text, "skos")
    assert len(found.children("http://example.org/top")) == n
    written = to_text(found, "skos")
    assert from_text(written, "skos").equals(found)
    assert calls == []


def test_what_is_repeated_is_kept_once() -> None:
    found = from_text(PREFIXES + "ex:a skos:broader " + ", ".join(["ex:b"] * 20_000) + " .", "skos")
    assert found.rest is not None
    assert len(found.rest.content.triples) == 1


def test_what_rdflib_logs_is_one_warning(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    date = "<http://www.w3.org/2001/XMLSchema#date>"
    odd = (
        f'ex:a skos:broader ex:b ; ex:on "2020-13-45\x1b]0;x"^^{date}, "never"^^{date} .\n@prefix q: <http://a b/> .\n'
    )
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = from_text(PREFIXES + odd, "skos", name="odd.ttl")
        logging.getLogger("rdflib.term").warning("of somebody else")
    assert len(found) == 2
    assert [record.getMessage() for record in caplog.records] == ["of somebody else"]
    assert [each.category for each in told] == [TaxonomyFileWarning]
    message = str(told[0].message)
    assert message.startswith("odd.ttl: rdflib doubts ")
    assert message.isprintable()
    assert capfd.readouterr().err == ""


def test_an_error_has_no_letters_that_a_terminal_obeys() -> None:
    with pytest.raises(TaxonomyFileError) as refused:
        from_text(PREFIXES + "ex:a \x11evil:b ex:c .", "skos")
    assert "evil" in str(refused.value)
    assert str(refused.value).isprintable()


# Schemes and identifiers

SKOS = rdflib.Namespace("http://www.w3.org/2004/02/skos/core#")


def scheme_triples(taxonomy: Taxonomy) -> set[tuple[str, str, str]]:
    graph = rdflib.Graph().parse(data=to_text(taxonomy, "skos"), format="turtle")
    parts = (SKOS.inScheme, SKOS.topConceptOf, SKOS.hasTopConcept)
    return {(str(a), str(by).split("#")[1], str(b)) for a, by, b in graph if by in parts}


def test_a_new_thesaurus_has_a_scheme_with_its_roots_on_top() -> None:
    shop = with_uris(Taxonomy.from_edges([("hoodie", "clothing")], terms=["misc"]), "https://example.org/shop/")
    hoodie, clothing, misc = (f"https://example.org/shop/{name}" for name in ("hoodie", "clothing", "misc"))
    scheme = "https://example.org/shop"
    assert scheme_triples(shop) == {
        *((term, "inScheme", scheme) for term in (hoodie, clothing, misc)),
        *((term, "topConceptOf", scheme) for term in (clothing, misc)),
        *((scheme, "hasTopConcept", term) for term in (clothing, misc)),
    }
    again = from_text(to_text(shop, "skos"))
    assert again.equals(shop)
    assert again.label(misc) == "misc"
    assert left_out(again, "csv") == {}  # the scheme follows from the terms and edges


def test_a_scheme_that_is_there_gets_the_new_terms_and_its_tops_follow_the_edges(wines: Taxonomy) -> None:
    wine, red = ex("wine", "red")
    changed = wines.with_edges([(wine, ex("drink")[0])])
    told = scheme_triples(changed)
    assert (ex("wines")[0], "hasTopConcept", wine) not in told
    assert (ex("wines")[0], "hasTopConcept", ex("drink")[0]) in told
    assert (ex("drink")[0], "inScheme", ex("wines")[0]) in told
    assert not any(term == red for term, _, _ in told)  # it was in no scheme before, and has not changed


def test_a_base_is_the_beginning_of_a_uri_and_notes_are_not_lost_for_it(wines: Taxonomy) -> None:
    with pytest.raises(InvalidInput, match="expected the beginning of a URI that ends with"):
        with_uris(wines, "example")
    assert with_uris(wines, "https://example.org/") is wines
    with pytest.raises(InvalidInput, match="1 terms have no URI, such as 'new', in a file with notes"):
        with_uris(wines.with_edges([("new", ex("wine")[0])]), "https://example.org/")
    with pytest.raises(InvalidInput, match="there is a term 'http://a/dog' already"):
        with_uris(Taxonomy.from_edges([("dog", "http://a/dog")]), "http://a/")
