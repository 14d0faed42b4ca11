"""SKOS thesauri in Turtle, through rdflib. Links to other thesauri are not followed.

`broader` and `narrower`, and their kinds `broadMatch` and `narrowMatch`, are edges. So are `broaderTransitive` and
`narrowerTransitive` if no path of the others implies them. `prefLabel` is the label (in English, else without a
language, else the first by language), `altLabel` a synonym. All other triples are written back.

A taxonomy of another format gets a `ConceptScheme`, with its roots as top concepts. Where a file has one, new terms are
put into it, and a term becomes or ceases to be a top concept if it loses its parents or gets some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from entvec.errors import InvalidInput
from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats import rdf_terms
from entvec.graphs.formats.rdf_terms import (
    READ_A_REPORT,
    Statements,
    Triple,
    best_label,
    by_subject,
    check_uris,
    nodes_of,
    set_label,
    set_texts,
    term_of,
    texts_of,
    turtle,
)
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.structure import Reachability
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress

CORE = "http://www.w3.org/2004/02/skos/core#"
CONCEPT = CORE + "Concept"
UP = ("broader", "broadMatch", "broaderTransitive")
DOWN = ("narrower", "narrowMatch", "narrowerTransitive")
FIELDS = {SYNONYM: "altLabel", DEFINITION: "definition"}
SCHEME = "urn:x-entvec-scheme:terms"
"""The scheme of terms that have no namespace in common."""
TOPS = ("topConceptOf", "hasTopConcept")
NAME = re.compile(r"[^/#]*\Z")
"""What follows the namespace in a URI."""
MOST_NAMESPACES = 1000
library = partial(rdf_terms.library, "SKOS")


def matches(head: bytes) -> bool:
    """Return True if the text begins like Turtle or N-Triples."""
    return bool(
        re.match(
            rb"(?:\s|#[^\n]*\n)*(?:@prefix\b|@base\b|(?i:prefix|base)\s+[\w.-]*:?\s*<|<(?!html>)[^>\s]+>\s+<)", head
        )
    )


def read(file: File) -> Taxonomy:
    """Read concepts and their broader concepts."""
    rdflib = library()
    statements = turtle(rdflib, file)
    odd: dict[Any, Any] = {}
    relations: dict[str, list[tuple[Any, Any]]] = {}
    for i, (subject, relation, found) in enumerate(statements.triples):
        if i % READ_A_REPORT == 0:
            file.progress(len(file.content), len(file.content))
        odd |= dict.fromkeys((subject, relation, found))
        relations.setdefault(str(relation), []).append((subject, found))
    check_uris(rdflib, odd)
    edges: dict[tuple[str, str], None] = {}
    implied: dict[tuple[str, str], None] = {}
    for name in (*UP, *DOWN):
        file.progress(len(file.content), len(file.content))
        into = implied if name.endswith("Transitive") else edges
        into |= dict.fromkeys(sorted(_pairs(rdflib, relations.get(CORE + name, ()), name)))
    more = _not_implied(Taxonomy.from_edges(edges), implied, file.progress)
    types = relations.get(str(rdflib.RDF.type), ())
    typed = {subject for subject, _ in types}
    labelled = by_subject(rdflib, relations.get(CORE + "prefLabel", ()))
    concepts = {subject for subject, found in types if str(found) == CONCEPT}
    concepts |= {subject for subject, _ in relations.get(CORE + "prefLabel", ()) if subject not in typed}
    names = sorted(term_of(rdflib, node) for node in concepts)
    terms = dict.fromkeys([*names, *chain.from_iterable(edges), *chain.from_iterable(more)])
    fields = {field: by_subject(rdflib, relations.get(CORE + name, ())) for field, name in FIELDS.items()}
    file.progress(len(file.content), len(file.content))
    labels, about = {}, {}
    for term, node in nodes_of(rdflib, odd, terms).items():
        if (label := best_label(labelled.get(node, ()))) is not None and label.strip():
            labels[term] = str(label)
        if texts := {field: texts_of(found, node) for field, found in fields.items() if node in found}:
            about[term] = texts
    known = {CORE + name for name in (*UP, *DOWN, *FIELDS.values())}
    n_others = sum(len(pairs) for relation, pairs in relations.items() if relation not in known)
    n_others -= sum(map(_of_scheme(scheme_of(terms)), statements.triples))
    n_labelled = len({subject for subject, _ in relations.get(CORE + "prefLabel", ())})
    n_concepts = sum(str(found) == CONCEPT for _, _, found in statements.triples)
    rest = Rest("skos", statements, n_others - n_labelled - n_concepts)
    return Taxonomy.from_edges(chain(edges, more), terms=terms, labels=labels, about=about, rest=rest)


def _not_implied(made: Taxonomy, implied: Iterable[tuple[str, str]], progress: Progress) -> list[tuple[str, str]]:
    """Return the pairs that no path of edges implies."""
    pairs = list(implied)
    inside = [i for i, (hypo, hyper) in enumerate(pairs) if hypo in made and hyper in made]
    rows = np.array([[made.index(term) for term in pairs[i]] for i in inside], dtype=np.intp).reshape(-1, 2)
    reach = Reachability(len(made), made.hypo, made.hyper)
    follows = (rows[:, 0] == rows[:, 1]) | reach.pairs(rows[:, 0], rows[:, 1], progress)
    dropped = {inside[i] for i in np.flatnonzero(follows).tolist()}
    return [pair for i, pair in enumerate(pairs) if i not in dropped]


def _pairs(rdflib: Any, triples: Iterable[tuple[Any, Any]], relation: str) -> Iterator[tuple[str, str]]:
    for subject, found in triples:
        if isinstance(found, rdflib.Literal):
            raise InvalidInput(f"expected a concept after {relation}, found the text {str(found)!r}")
        hypo, hyper = (subject, found) if relation in UP else (found, subject)
        yield term_of(rdflib, hypo), term_of(rdflib, hyper)


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write the triples that were read, without those of missing terms and edges, and triples for what is new."""
    rdflib = library()
    core = rdflib.Namespace(CORE)
    graph = _kept(rdflib, core, taxonomy)
    known = graph.all_nodes()
    nodes = nodes_of(rdflib, known, taxonomy.terms)
    for term, node in nodes.items():
        if node not in known:
            graph.add((node, rdflib.RDF.type, core.Concept))
        set_label(rdflib, graph, core.prefLabel, node, taxonomy, term)
        for field, name in FIELDS.items():
            set_texts(rdflib, graph, [core[name]], node, set(taxonomy.about.get(term, {}).get(field, ())))
    relations = {name: rdflib.URIRef(CORE + name) for name in (*UP, *DOWN)}
    said = {pair for name in relations for pair in _pairs(rdflib, graph.subject_objects(relations[name]), name)}
    for hypo, hyper, _ in taxonomy.edges():
        if (hypo, hyper) not in said:
            graph.add((nodes[hypo], core.broader, nodes[hyper]))
    _set_scheme(rdflib, core, graph, taxonomy, nodes)
    # Turtle compares each namespace with all others; N-Triples, which are Turtle too, have none.
    many = len({NAME.sub("", str(node)) for node in graph.all_nodes()} | set(graph.predicates())) > MOST_NAMESPACES
    try:
        yield graph.serialize(format="nt" if many else "turtle")
    except Exception as error:
        raise Unwritable(f"rdflib cannot write it ({error})") from error


def scheme_of(terms: Iterable[str]) -> str:
    """Return the URI of the scheme that terms of another format get: their namespace, if they have one in common.

    >>> scheme_of(["https://example.org/shop/hoodie", "https://example.org/shop/coat"]), scheme_of(["dog"])
    ('https://example.org/shop', 'urn:x-entvec-scheme:terms')
    """
    namespaces = {NAME.sub("", term) for term in terms}
    (namespace,) = namespaces if len(namespaces) == 1 else ("",)
    return namespace.rstrip("/#") if "://" in namespace.rstrip("/#") else SCHEME


def _of_scheme(scheme: str) -> Callable[[Triple], bool]:
    """Return a function that is True for triples about a scheme that follow from the terms and edges."""
    parts = {CORE + "inScheme", *(CORE + name for name in TOPS)}

    def follows(triple: Triple) -> bool:
        subject, relation, found = map(str, triple)
        return scheme in (subject, found) and (relation in parts or found == CORE + "ConceptScheme")

    return follows


def _set_scheme(rdflib: Any, core: Any, graph: Any, taxonomy: Taxonomy, nodes: dict[str, Any]) -> None:
    """Put terms into the scheme, and roots at its top; only statements about terms that changed are changed."""
    fresh = taxonomy.rest is None or taxonomy.rest.format != "skos"
    inside, tops = core.inScheme, [core[name] for name in TOPS]
    schemes = set(graph.subjects(rdflib.RDF.type, core.ConceptScheme))
    if fresh and (scheme := rdflib.URIRef(scheme_of(nodes))) not in nodes.values() and nodes:
        graph.add((scheme, rdflib.RDF.type, core.ConceptScheme))
        used, had_parent, old = {inside, *tops}, set(), set()
    elif len(schemes) == 1 and taxonomy.rest is not None and not fresh:
        (scheme,) = schemes
        before: Statements = taxonomy.rest.content
        used = {relation for _, relation, _ in before.triples}
        names = {core[name]: name for name in (*UP, *DOWN)}
        hierarchy = [([(subject, found)], names[by]) for subject, by, found in before.triples if by in names]
        had_parent = {hypo for pairs, name in hierarchy for hypo, _ in _pairs(rdflib, pairs, name)}
        old = {term_of(rdflib, subject) for subject, _, _ in before.triples}
        old |= {term for pairs, name in hierarchy for pair in _pairs(rdflib, pairs, name) for term in pair}
    else:
        return
    for term, node in nodes.items():
        above = bool(taxonomy.parents(term))
        if term not in old and inside in used:
            graph.add((node, inside, scheme))
        if term in old and above == (term in had_parent):
            continue
        for relation, triple in zip(tops, ((node, tops[0], scheme), (scheme, tops[1], node)), strict=True):
            if above:
                graph.remove(triple)
            elif relation in used:
                graph.add(triple)


def _kept(rdflib: Any, core: Any, taxonomy: Taxonomy) -> Any:
    """Return the triples that were read, without those of removed edges and concepts."""
    graph = rdflib.Graph(bind_namespaces="none")
    if taxonomy.rest is None or taxonomy.rest.format != "skos":
        graph.bind("skos", core)
        return graph
    before: Statements = taxonomy.rest.content
    for prefix, namespace in before.prefixes.items() if len(before.prefixes) <= MOST_NAMESPACES else ():
        graph.bind(prefix, namespace)
    typed = (rdflib.RDF.type, core.Concept)
    concepts = {node for node, relation, found in before.triples if (relation, found) == typed}
    gone = {node for node in concepts if term_of(rdflib, node) not in taxonomy}
    hierarchy = {core[name]: name for name in (*UP, *DOWN)}
    edges = {(hypo, hyper) for hypo, hyper, _ in taxonomy.edges()}
    implied: dict[tuple[str, str], list[Triple]] = {}
    for triple in before.triples:
        subject, relation, found = triple
        if subject in gone or found in gone:
            continue
        if relation in hierarchy:
            ((hypo, hyper),) = _pairs(rdflib, [(subject, found)], hierarchy[relation])
            if (hypo, hyper) not in edges and hypo != hyper:
                if relation.endswith("Transitive") and hypo in taxonomy and hyper in taxonomy:
                    implied.setdefault((hypo, hyper), []).append(triple)
                continue
        graph.add(triple)
    for pair in implied.keys() - set(_not_implied(taxonomy, implied, lambda *_: None)):
        for triple in implied[pair]:
            graph.add(triple)
    return graph
