"""SKOS thesauri in Turtle, through rdflib. Links to other thesauri are not followed.

`broader` and `narrower`, and their kinds `broadMatch` and `narrowMatch`, are edges. So are `broaderTransitive` and
`narrowerTransitive` if no path of the others implies them. `prefLabel` is the label (in English, else without a
language, else the first by language), `altLabel` a synonym. All other triples are written back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import quote, unquote

from entvec.errors import InvalidInput
from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.optional_library import optional_library
from entvec.graphs.taxonomy import Taxonomy

WORDS = "urn:x-entvec:"
"""The prefix of URIs for words that are not URIs; they are read back as words."""
BASE = "http://x-entvec.invalid/"
"""The base of relative URIs in a file that declares none."""
URI = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`]*""")
NOT_URI = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")
CORE = "http://www.w3.org/2004/02/skos/core#"
UP = ("broader", "broadMatch", "broaderTransitive")
DOWN = ("narrower", "narrowMatch", "narrowerTransitive")
FIELDS = {SYNONYM: "altLabel", DEFINITION: "definition"}
REASON = re.compile(r"Bad syntax \((.*?)\) at \^ in:", re.DOTALL)
"""The reason inside a message of rdflib, which also has the position and the text around it."""

library = partial(optional_library, "SKOS", "rdflib", "skos")


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
    text = file.text()
    graph = rdflib.Graph(bind_namespaces="none")
    try:
        graph.parse(data=text, format="turtle", publicID=BASE)
    except RecursionError:
        raise file.error("expected Turtle, found brackets too deep to follow") from None
    except Exception as error:  # noqa: BLE001 - rdflib raises BadSyntax and other errors of its own parsing
        line = getattr(error, "lines", None)
        if isinstance(error, IndexError):  # the parser reached the end of the text
            raise file.error("expected more Turtle, found the end", line=text.count("\n") + 1) from None
        reason = REASON.search(str(error))
        told = reason[1] if reason else str(error) or type(error).__name__
        raise file.error(
            f"expected Turtle, found what is not ({told})", line=None if line is None else int(line) + 1
        ) from None
    core = rdflib.Namespace(CORE)
    for node in chain.from_iterable(graph):
        if isinstance(node, rdflib.URIRef) and (odd := NOT_URI.search(node)):
            raise InvalidInput(f"expected a URI, found {str(node)[:80]!r} with {odd[0]!r} in it")
    edges: dict[tuple[str, str], None] = {}
    implied: dict[tuple[str, str], None] = {}
    for name in (*UP, *DOWN):
        into = implied if name.endswith("Transitive") else edges
        into |= dict.fromkeys(sorted(_pairs(rdflib, graph, name)))
    made = Taxonomy.from_edges(edges)
    more = [
        (hypo, hyper)
        for hypo, hyper in implied
        if hypo not in made or hyper not in made or not made.entails(hypo, hyper)
    ]
    untyped = {node for node in graph.subjects(core.prefLabel, None) if graph.value(node, rdflib.RDF.type) is None}
    concepts = sorted(_name(rdflib, node) for node in {*graph.subjects(rdflib.RDF.type, core.Concept), *untyped})
    terms = dict.fromkeys([*concepts, *chain.from_iterable(edges), *chain.from_iterable(more)])
    labels, about = {}, {}
    for term, node in _nodes(rdflib, graph, terms).items():
        if (label := _label(graph, core, node)) is not None and label.strip():
            labels[term] = str(label)
        fields = {
            field: tuple(dict.fromkeys(sorted(map(str, _literals(graph, node, core[name])))))
            for field, name in FIELDS.items()
        }
        if found := {field: values for field, values in fields.items() if values}:
            about[term] = found
    return Taxonomy.from_edges(
        chain(edges, more),
        terms=terms,
        labels=labels,
        about=about,
        rest=Rest("skos", graph, _others(graph, core)),
    )


def _others(graph: Any, core: Any) -> int:
    """Return the number of triples that are no part of a taxonomy."""
    named = set(graph.subjects(core.prefLabel, None))
    known = {core[name] for name in (*UP, *DOWN, *FIELDS.values())}
    concepts = sum(1 for _, _, found in graph if found == core.Concept)
    return sum(relation not in known for _, relation, _ in graph) - len(named) - concepts


def _pairs(rdflib: Any, graph: Any, relation: str) -> Iterator[tuple[str, str]]:
    for subject, found in graph.subject_objects(rdflib.URIRef(CORE + relation)):
        if isinstance(found, rdflib.Literal):
            raise InvalidInput(f"expected a concept after {relation}, found the text {str(found)!r}")
        hypo, hyper = (subject, found) if relation in UP else (found, subject)
        yield _name(rdflib, hypo), _name(rdflib, hyper)


def _name(rdflib: Any, node: Any) -> str:
    """Return the term of a node: the URI, or the word that it was made for."""
    return f"_:{node}" if isinstance(node, rdflib.BNode) else _word(str(node)) or str(node)


def _nodes(rdflib: Any, graph: Any, terms: Iterable[str]) -> dict[str, Any]:
    """Return the node of each term; only nodes of the graph can be blank."""
    blank = {f"_:{node}": node for node in graph.all_nodes() if isinstance(node, rdflib.BNode)}
    return {
        term: blank[term] if term in blank else rdflib.URIRef(_minted(term) if _needs_minting(term) else term)
        for term in terms
    }


def _minted(word: str) -> str:
    return WORDS + quote(word, safe="")


def _word(uri: str) -> str | None:
    """Return the word that a URI was made for, if there is one."""
    if not uri.startswith(WORDS):
        return None
    word = unquote(uri[len(WORDS) :])
    return word if word.strip() and _minted(word) == uri and _needs_minting(word) else None


def _needs_minting(term: str) -> bool:
    """Return True if a term is not a URI, or is one that would be read back as a word."""
    return not URI.fullmatch(term) or _word(term) is not None


def _literals(graph: Any, node: Any, relation: Any) -> list[Any]:
    return [found for found in graph.objects(node, relation) if isinstance(found, library().Literal)]


def _label(graph: Any, core: Any, node: Any) -> Any:
    """Return the preferred label: English, else without a language, else the first by language."""

    def rank(label: Any) -> tuple[int, str, str]:
        language = (label.language or "").casefold()
        return (0 if language == "en" or language.startswith("en-") else 2 if language else 1), language, str(label)

    return min(_literals(graph, node, core.prefLabel), key=rank, default=None)


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write the triples that were read, without those of missing terms and edges, and triples for what is new."""
    rdflib = library()
    core = rdflib.Namespace(CORE)
    graph = _kept(rdflib, core, taxonomy)
    known = graph.all_nodes()
    nodes = _nodes(rdflib, graph, taxonomy.terms)
    for term, node in nodes.items():
        if node not in known:
            graph.add((node, rdflib.RDF.type, core.Concept))
        _set_label(rdflib, graph, core, node, taxonomy, term)
        for field, name in FIELDS.items():
            wanted = set(taxonomy.about.get(term, {}).get(field, ()))
            there = _literals(graph, node, core[name])
            for literal in there:
                if str(literal) not in wanted:
                    graph.remove((node, core[name], literal))
            for value in sorted(wanted - set(map(str, there))):
                graph.add((node, core[name], rdflib.Literal(value)))
    said = {pair for name in (*UP, *DOWN) for pair in _pairs(rdflib, graph, name)}
    for hypo, hyper, _ in taxonomy.edges():
        if (hypo, hyper) not in said:
            graph.add((nodes[hypo], core.broader, nodes[hyper]))
    try:
        yield graph.serialize(format="turtle")
    except Exception as error:
        raise Unwritable(f"rdflib cannot write it ({error})") from error


def _kept(rdflib: Any, core: Any, taxonomy: Taxonomy) -> Any:
    """Return the triples that were read, without those of edges and concepts that no longer exist."""
    graph = rdflib.Graph(bind_namespaces="none")
    if taxonomy.rest is None or taxonomy.rest.format != "skos":
        graph.bind("skos", core)
        return graph
    before = taxonomy.rest.content
    for prefix, namespace in before.namespaces():
        graph.bind(prefix, namespace)
    gone = {node for node in set(before.subjects(rdflib.RDF.type, core.Concept)) if _name(rdflib, node) not in taxonomy}
    hierarchy = {core[name]: name in UP for name in (*UP, *DOWN)}
    edges = {(hypo, hyper) for hypo, hyper, _ in taxonomy.edges()}
    for subject, relation, found in before:
        if subject in gone or found in gone:
            continue
        if relation in hierarchy:
            hypo, hyper = (subject, found) if hierarchy[relation] else (found, subject)
            pair = _name(rdflib, hypo), _name(rdflib, hyper)
            implied = relation.endswith("Transitive") and pair[0] in taxonomy and pair[1] in taxonomy
            if pair not in edges and pair[0] != pair[1] and not (implied and taxonomy.entails(*pair)):
                continue
        graph.add((subject, relation, found))
    return graph


def _set_label(rdflib: Any, graph: Any, core: Any, node: Any, taxonomy: Taxonomy, term: str) -> None:
    there = _label(graph, core, node)
    minted = not isinstance(node, rdflib.BNode) and str(node) != term
    label = taxonomy.labels.get(term, term if minted or str(there) == term else None)
    if (None if there is None else str(there)) == label:
        return
    if there is not None:
        graph.remove((node, core.prefLabel, there))
    if label is not None:
        graph.add((node, core.prefLabel, rdflib.Literal(label, lang=there.language if there is not None else None)))
