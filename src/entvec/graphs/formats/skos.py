"""SKOS thesauri in Turtle, through rdflib. Links to other thesauri are not followed.

`broader` and `narrower`, and their kinds `broadMatch` and `narrowMatch`, are edges. So are `broaderTransitive` and
`narrowerTransitive` if no path of the others implies them. `prefLabel` is the label (in English, else without a
language, else the first by language), `altLabel` a synonym. All other triples are written back.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from itertools import chain
from threading import get_ident
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

import numpy as np

from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.optional_library import optional_library
from entvec.graphs.structure import Reachability
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress

WORDS = "urn:x-entvec:"
"""The prefix of URIs for words that are not URIs; they are read back as words."""
BASE = "http://x-entvec.invalid/"
"""The base of relative URIs in a file that declares none."""
URI = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`]*""")
NOT_URI = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")
CORE = "http://www.w3.org/2004/02/skos/core#"
CONCEPT = CORE + "Concept"
UP = ("broader", "broadMatch", "broaderTransitive")
DOWN = ("narrower", "narrowMatch", "narrowerTransitive")
FIELDS = {SYNONYM: "altLabel", DEFINITION: "definition"}
REASON = re.compile(r"Bad syntax \((.*?)\) at \^ in:", re.DOTALL)
"""The reason inside a message of rdflib, which also has the position and the text around it."""

NAME = re.compile(r"[^/#]*\Z")
"""What follows the namespace in a URI."""
MOST_NAMESPACES = 1000
READ_A_REPORT = 1 << 9
"""The number of URIs and triples after which the progress callback is called."""

Triple: TypeAlias = tuple[Any, Any, Any]

library = partial(optional_library, "SKOS", "rdflib", "skos")


def matches(head: bytes) -> bool:
    """Return True if the text begins like Turtle or N-Triples."""
    return bool(
        re.match(
            rb"(?:\s|#[^\n]*\n)*(?:@prefix\b|@base\b|(?i:prefix|base)\s+[\w.-]*:?\s*<|<(?!html>)[^>\s]+>\s+<)", head
        )
    )


class Statements(NamedTuple):
    """The triples of a file, and the namespace of each prefix."""

    triples: dict[Triple, None]
    prefixes: dict[str, str]


def read(file: File) -> Taxonomy:
    """Read concepts and their broader concepts."""
    rdflib = library()
    statements = _parsed(rdflib, file)
    odd: dict[Any, Any] = {}
    relations: dict[str, list[tuple[Any, Any]]] = {}
    for i, (subject, relation, found) in enumerate(statements.triples):
        if i % READ_A_REPORT == 0:
            file.progress(len(file.content), len(file.content))
        odd |= dict.fromkeys((subject, relation, found))
        relations.setdefault(str(relation), []).append((subject, found))
    for node in odd:
        if isinstance(node, rdflib.URIRef) and (letter := NOT_URI.search(node)):
            raise InvalidInput(f"expected a URI, found {str(node)[:80]!r} with {letter[0]!r} in it")
    edges: dict[tuple[str, str], None] = {}
    implied: dict[tuple[str, str], None] = {}
    for name in (*UP, *DOWN):
        file.progress(len(file.content), len(file.content))
        into = implied if name.endswith("Transitive") else edges
        into |= dict.fromkeys(sorted(_pairs(rdflib, relations.get(CORE + name, ()), name)))
    more = _not_implied(Taxonomy.from_edges(edges), implied, file.progress)
    types = relations.get(str(rdflib.RDF.type), ())
    typed = {subject for subject, _ in types}
    labelled = _by_subject(rdflib, relations.get(CORE + "prefLabel", ()))
    concepts = {subject for subject, found in types if str(found) == CONCEPT}
    concepts |= {subject for subject, _ in relations.get(CORE + "prefLabel", ()) if subject not in typed}
    names = sorted(_name(rdflib, node) for node in concepts)
    terms = dict.fromkeys([*names, *chain.from_iterable(edges), *chain.from_iterable(more)])
    fields = {field: _by_subject(rdflib, relations.get(CORE + name, ())) for field, name in FIELDS.items()}
    file.progress(len(file.content), len(file.content))
    labels, about = {}, {}
    for term, node in _nodes(rdflib, odd, terms).items():
        if (label := _label(labelled.get(node, ()))) is not None and label.strip():
            labels[term] = str(label)
        texts = {field: tuple(sorted({*map(str, found[node])})) for field, found in fields.items() if node in found}
        if texts:
            about[term] = texts
    known = {CORE + name for name in (*UP, *DOWN, *FIELDS.values())}
    n_others = sum(len(pairs) for relation, pairs in relations.items() if relation not in known)
    n_labelled = len({subject for subject, _ in relations.get(CORE + "prefLabel", ())})
    n_concepts = sum(str(found) == CONCEPT for _, _, found in statements.triples)
    rest = Rest("skos", statements, n_others - n_labelled - n_concepts)
    return Taxonomy.from_edges(chain(edges, more), terms=terms, labels=labels, about=about, rest=rest)


def _parsed(rdflib: Any, file: File) -> Statements:
    """Parse Turtle into plain dicts: a graph of rdflib indexes each triple thrice and compares each prefix with all."""
    notation3 = import_module("rdflib.plugins.parsers.notation3")
    text = file.text()
    found = Statements({}, {})
    symbol = cache(rdflib.URIRef)

    class Sink(notation3.RDFSink):  # type: ignore[misc,name-defined]  # rdflib is imported when it is needed
        def __init__(self) -> None:
            super().__init__(self)
            self.n_read = 0

        def report(self) -> None:
            self.n_read += 1
            if self.n_read % READ_A_REPORT == 0:
                file.progress(parser.startOfLine, len(file.content))

        def add(self, triple: Triple) -> None:
            self.report()
            found.triples[triple] = None

        def bind(self, prefix: str, namespace: bytes) -> None:
            self.report()
            found.prefixes[prefix] = namespace.decode("latin-1")

        def setDefaultNamespace(self, namespace: bytes) -> None:  # noqa: N802 - a name of rdflib's
            self.bind("", namespace)

        def newSymbol(self, uri: str) -> Any:  # noqa: N802 - a name of rdflib's
            self.report()
            return symbol(uri)

    parser = notation3.SinkParser(Sink(), baseURI=BASE, turtle=True)
    try:
        with _log_of_rdflib(file):
            parser.loadBuf(text)
    except RecursionError:
        raise file.error("expected Turtle, found brackets too deep to follow") from None
    except Exception as error:  # noqa: BLE001 - rdflib raises BadSyntax and other errors of its own parsing
        raise _turtle_error(file, text, error) from None
    return found


def _turtle_error(file: File, text: str, error: Exception) -> TaxonomyFileError:
    if isinstance(error, IndexError):  # the parser reached the end of the text
        return file.error("expected more Turtle, found the end", line=text.count("\n") + 1)
    line = getattr(error, "lines", None)
    reason = REASON.search(str(error))
    told = reason[1] if reason else str(error) or type(error).__name__
    return file.error(f"expected Turtle, found what is not ({told})", line=None if line is None else int(line) + 1)


@contextmanager
def _log_of_rdflib(file: File) -> Iterator[None]:
    """Make one warning of what rdflib logs in this thread about values and URIs; it would go to the terminal."""
    told: list[logging.LogRecord] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.thread != get_ident():
            return True
        told.append(record)
        return False

    logger = logging.getLogger("rdflib.term")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)
    if told:
        file.warn(f"rdflib doubts {len(told):,} values or URIs, the first: {told[0].getMessage()}")


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
        yield _name(rdflib, hypo), _name(rdflib, hyper)


def _by_subject(rdflib: Any, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the texts of each subject."""
    found: dict[Any, list[Any]] = {}
    for subject, text in pairs:
        if isinstance(text, rdflib.Literal):
            found.setdefault(subject, []).append(text)
    return found


def _name(rdflib: Any, node: Any) -> str:
    """Return the term of a node: the URI, or the word that it was made for."""
    return f"_:{node}" if isinstance(node, rdflib.BNode) else _word(str(node)) or str(node)


def _nodes(rdflib: Any, nodes: Iterable[Any], terms: Iterable[str]) -> dict[str, Any]:
    """Return the node of each term; only the given nodes can be blank."""
    blank = {f"_:{node}": node for node in nodes if isinstance(node, rdflib.BNode)}
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


def _label(labels: Iterable[Any]) -> Any:
    """Return the preferred label: English, else without a language, else the first by language."""

    def rank(label: Any) -> tuple[int, str, str]:
        language = (label.language or "").casefold()
        return (0 if language == "en" or language.startswith("en-") else 2 if language else 1), language, str(label)

    return min(labels, key=rank, default=None)


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write the triples that were read, without those of missing terms and edges, and triples for what is new."""
    rdflib = library()
    core = rdflib.Namespace(CORE)
    graph = _kept(rdflib, core, taxonomy)
    known = graph.all_nodes()
    nodes = _nodes(rdflib, known, taxonomy.terms)
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
    relations = {name: rdflib.URIRef(CORE + name) for name in (*UP, *DOWN)}
    said = {pair for name in relations for pair in _pairs(rdflib, graph.subject_objects(relations[name]), name)}
    for hypo, hyper, _ in taxonomy.edges():
        if (hypo, hyper) not in said:
            graph.add((nodes[hypo], core.broader, nodes[hyper]))
    # Turtle compares each namespace with all others; N-Triples, which are Turtle too, have none.
    many = len({NAME.sub("", str(node)) for node in graph.all_nodes()} | set(graph.predicates())) > MOST_NAMESPACES
    try:
        yield graph.serialize(format="nt" if many else "turtle")
    except Exception as error:
        raise Unwritable(f"rdflib cannot write it ({error})") from error


def _kept(rdflib: Any, core: Any, taxonomy: Taxonomy) -> Any:
    """Return the triples that were read, without those of edges and concepts that no longer exist."""
    graph = rdflib.Graph(bind_namespaces="none")
    if taxonomy.rest is None or taxonomy.rest.format != "skos":
        graph.bind("skos", core)
        return graph
    before: Statements = taxonomy.rest.content
    for prefix, namespace in before.prefixes.items() if len(before.prefixes) <= MOST_NAMESPACES else ():
        graph.bind(prefix, namespace)
    typed = (rdflib.RDF.type, core.Concept)
    concepts = {node for node, relation, found in before.triples if (relation, found) == typed}
    gone = {node for node in concepts if _name(rdflib, node) not in taxonomy}
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


def _set_label(rdflib: Any, graph: Any, core: Any, node: Any, taxonomy: Taxonomy, term: str) -> None:
    there = _label(_literals(graph, node, core.prefLabel))
    minted = not isinstance(node, rdflib.BNode) and str(node) != term
    label = taxonomy.labels.get(term, term if minted or str(there) == term else None)
    if (None if there is None else str(there)) == label:
        return
    if there is not None:
        graph.remove((node, core.prefLabel, there))
    if label is not None:
        graph.add((node, core.prefLabel, rdflib.Literal(label, lang=there.language if there is not None else None)))
