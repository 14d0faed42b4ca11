"""Classes of OWL ontologies in RDF/XML or Turtle, through rdflib: `subClassOf` between named classes is an edge.

`label` is the label (in English, else without a language, else the first by language), exact synonyms and `altLabel`
are synonyms, definitions are those of SKOS and of the OBO Foundry. Restrictions, deprecated classes, properties and all
other triples are no part of the taxonomy, but are written back. Nothing is imported, and no ontology is reasoned over.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from entvec.errors import InvalidInput
from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats import rdf_terms
from entvec.graphs.formats.rdf_terms import (
    BASE,
    Statements,
    best_label,
    by_subject,
    check_uris,
    log_of_rdflib,
    nodes_of,
    set_label,
    set_texts,
    term_of,
    texts_of,
    turtle,
)
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.taxonomy import Taxonomy

OWL = "http://www.w3.org/2002/07/owl#"
THING, CLASS, DEPRECATED = OWL + "Thing", OWL + "Class", OWL + "deprecated"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
LABEL, IS_A = RDFS + "label", RDFS + "subClassOf"
FIELDS = {
    SYNONYM: (SKOS + "altLabel", "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym"),
    DEFINITION: (SKOS + "definition", "http://purl.obolibrary.org/obo/IAO_0000115"),
}
"""The properties of each field; new texts get the first, or another one that the file uses alone."""
PREFIXES = {"owl": OWL, "rdfs": RDFS, "skos": SKOS}
ENTITY = re.compile(rb"<!ENTITY\s+(%?\s*\S+)\s+(SYSTEM|PUBLIC|\"[^\"]*\"|'[^']*')")
LONGEST_ENTITY = 500
ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,99}encoding\s?=\s?["']([\w.-]+)""")

library = partial(rdf_terms.library, "OWL")


def matches(content: bytes) -> bool:
    """Return True for RDF/XML, and for Turtle with classes that has no concepts of SKOS."""
    if _syntax(content) == "xml":
        return OWL.encode() in content or IS_A.encode() in content or b"subClassOf" in content
    classes = re.search(rb"(?m)^[^#]*?(?:\bowl:Class\b|\brdfs:subClassOf\b|owl#Class>)", content)
    return bool(classes) and not re.search(rb"(?:core#|\bskos:)(?:Concept|broader|narrower)\b", content)


def _syntax(content: bytes) -> str:
    return "xml" if b"<rdf:RDF" in content[: 1 << 16] else "turtle"


def read(file: File) -> Taxonomy:
    """Read the named classes that are not deprecated, and which of them is a subclass of which."""
    rdflib = library()
    syntax = _syntax(file.content)
    graph, prefixes = _graph(rdflib, file) if syntax == "xml" else _of_turtle(rdflib, file)
    check_uris(rdflib, graph.all_nodes())
    node = rdflib.URIRef
    gone = {subject for subject, value in graph.subject_objects(node(DEPRECATED)) if str(value) in ("true", "1")}
    types = (node(CLASS), node(RDFS + "Class"))
    classes = {subject for kind in types for subject in graph.subjects(rdflib.RDF.type, kind)}
    pairs = list(graph.subject_objects(node(IS_A)))
    if any(isinstance(hyper, rdflib.Literal) for _, hyper in pairs):
        raise InvalidInput("expected a class after subClassOf, found a text")
    left_out = {*gone, node(THING)}
    named = {each for pair in pairs for each in pair if isinstance(each, node)}
    named |= {each for each in classes if isinstance(each, node)}
    terms = sorted(term_of(rdflib, each) for each in named - left_out)
    edges = sorted(
        (term_of(rdflib, hypo), term_of(rdflib, hyper)) for hypo, hyper in pairs if {hypo, hyper} <= named - left_out
    )
    labelled = by_subject(rdflib, graph.subject_objects(node(LABEL)))
    fields = {
        field: [by_subject(rdflib, graph.subject_objects(node(name))) for name in names]
        for field, names in FIELDS.items()
    }
    labels, about = {}, {}
    for term, each in nodes_of(rdflib, (), terms).items():
        if (label := best_label(labelled.get(each, ()))) is not None and label.strip():
            labels[term] = str(label)
        texts = {
            field: [text for found in several for text in texts_of(found, each)] for field, several in fields.items()
        }
        if told := {field: tuple(sorted(set(some))) for field, some in texts.items() if some}:
            about[term] = told
    n_read = len(terms) + len(edges) + len(labels) + sum(len(some) for told in about.values() for some in told.values())
    statements = Statements(dict.fromkeys(graph), prefixes)
    rest = Rest("owl", {"statements": statements, "syntax": syntax}, max(0, len(graph) - n_read))
    return Taxonomy.from_edges(edges, terms=terms, labels=labels, about=about, rest=rest)


def _of_turtle(rdflib: Any, file: File) -> tuple[Any, dict[str, str]]:
    triples, prefixes = turtle(rdflib, file)
    graph = rdflib.Graph(bind_namespaces="none")
    for triple in triples:
        graph.add(triple)
    return graph, prefixes


def _graph(rdflib: Any, file: File) -> tuple[Any, dict[str, str]]:
    """Parse RDF/XML, without entities that read another file, or grow."""
    for name, value in ENTITY.findall(file.content):
        if name.startswith(b"%") or value in (b"SYSTEM", b"PUBLIC") or b"&" in value or len(value) > LONGEST_ENTITY:
            shown = name.decode(errors="replace")
            raise file.error(f"expected entities that are short texts, found the declaration of {shown!r}")
    declared = ENCODING.match(file.content)
    if declared and declared[1].lower() not in (b"utf-8", b"us-ascii"):
        raise file.error(f"expected text in UTF-8, found {declared[1].decode()}; save the file as UTF-8")
    file.text()  # says in which line there is no UTF-8
    graph = rdflib.Graph(bind_namespaces="none")
    try:
        with log_of_rdflib(file):
            graph.parse(data=file.content, format="xml", publicID=BASE)
    except Exception as error:  # noqa: BLE001 - rdflib and the parser of XML raise errors of their own
        line = getattr(error, "getLineNumber", lambda: None)()
        told = " ".join(str(error.getMessage() if hasattr(error, "getMessage") else error).split())
        raise file.error(f"expected RDF/XML, found what is not ({told})", line=line) from None
    file.progress(len(file.content), len(file.content))
    return graph, {prefix: str(namespace) for prefix, namespace in graph.namespaces()}


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write the triples that were read, with the changes, in the syntax they were in; new files are RDF/XML."""
    rdflib = library()
    node = rdflib.URIRef
    kept = taxonomy.rest.content if taxonomy.rest is not None and taxonomy.rest.format == "owl" else None
    before: Statements = kept["statements"] if kept else Statements({}, PREFIXES)
    graph = _kept(rdflib, taxonomy, before)
    known = graph.all_nodes()
    used = set(graph.predicates())
    fields = {field: sorted(map(node, names), key=lambda name: name not in used) for field, names in FIELDS.items()}
    nodes = nodes_of(rdflib, (), taxonomy.terms)
    for term, each in nodes.items():
        if each not in known:
            graph.add((each, rdflib.RDF.type, node(CLASS)))
        set_label(rdflib, graph, node(LABEL), each, taxonomy, term)
        for field, names in fields.items():
            set_texts(rdflib, graph, names, each, set(taxonomy.about.get(term, {}).get(field, ())))
    for hypo, hyper, _ in taxonomy.edges():
        graph.add((nodes[hypo], node(IS_A), nodes[hyper]))
    try:
        yield _ordered(rdflib, graph, before.prefixes).serialize(format=kept["syntax"] if kept else "xml")
    except Exception as error:
        raise Unwritable(f"rdflib cannot write it ({error})") from error


def _kept(rdflib: Any, taxonomy: Taxonomy, before: Statements) -> Any:
    """Return the triples that were read, without those of removed edges and classes."""
    node = rdflib.URIRef
    classes = {
        each for each, by, kind in before.triples if by == rdflib.RDF.type and str(kind) in (CLASS, RDFS + "Class")
    }
    deprecated = {each for each, by, _ in before.triples if str(by) == DEPRECATED}
    ends = {each for hypo, by, hyper in before.triples if str(by) == IS_A for each in (hypo, hyper)}
    named = {each for each in (classes | ends) - deprecated - {node(THING)} if isinstance(each, node)}
    gone = {each for each in named if term_of(rdflib, each) not in taxonomy}
    edges = {(hypo, hyper) for hypo, hyper, _ in taxonomy.edges()}
    graph = rdflib.Graph(bind_namespaces="none")
    for subject, by, found in before.triples:
        if subject in gone or found in gone:
            continue
        is_edge = str(by) == IS_A and subject != found and {subject, found} <= named
        if is_edge and (term_of(rdflib, subject), term_of(rdflib, found)) not in edges:
            continue
        graph.add((subject, by, found))
    return graph


def _ordered(rdflib: Any, graph: Any, prefixes: dict[str, str]) -> Any:
    """Return the triples sorted, and blank nodes named after their statements, so that the output is reproducible."""
    blank = [each for each in graph.all_nodes() if isinstance(each, rdflib.BNode)]
    around = {
        each: [*graph.predicate_objects(each), *((by, subject) for subject, by in graph.subject_predicates(each))]
        for each in blank
    }
    colour: dict[Any, str] = dict.fromkeys(blank, "")
    n_colours = -1
    while len(set(colour.values())) > n_colours:
        n_colours = len(set(colour.values()))
        colour = {
            each: _digest(sorted(f"{by.n3()} {colour.get(end, end.n3())}" for by, end in around[each]))
            for each in blank
        }

    def key(each: Any) -> str:
        return "_" + colour[each] if each in colour else str(each.n3())

    triples = sorted(graph, key=lambda triple: tuple(map(key, triple)))
    names: dict[Any, Any] = {}
    numbers: dict[str, int] = defaultdict(int)
    for each in dict.fromkeys(end for triple in triples for end in triple if end in colour):
        numbers[colour[each]] += 1
        names[each] = rdflib.BNode(f"b{colour[each][:16]}n{numbers[colour[each]]}")
    made = rdflib.Graph(bind_namespaces="none")
    for prefix, namespace in prefixes.items():
        made.bind(prefix, namespace)
    renamed = [tuple(names.get(each, each) for each in triple) for triple in triples]
    for triple in sorted(renamed, key=lambda triple: [each.n3() for each in triple]):
        made.add(triple)
    return made


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
