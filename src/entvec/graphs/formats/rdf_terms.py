"""What formats of RDF share: the node of each term, labels in several languages, and triples that are written back."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from threading import get_ident
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.graphs.formats.taxonomy_format import File
from entvec.graphs.optional_library import optional_library
from entvec.graphs.taxonomy import Taxonomy

WORDS = "urn:x-entvec:"
"""The prefix of URIs for words that are not URIs; they are read back as words."""
BASE = "http://x-entvec.invalid/"
"""The base of relative URIs in a file that declares none."""
URI = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`]*""")
NOT_URI = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")

REASON = re.compile(r"Bad syntax \((.*?)\) at \^ in:", re.DOTALL)
"""The reason inside a message of rdflib, which also has the position and the text around it."""

READ_A_REPORT = 1 << 9
"""The number of URIs and triples after which the progress callback is called."""


Triple: TypeAlias = tuple[Any, Any, Any]


class Statements(NamedTuple):
    """The triples of a file, and the namespace of each prefix."""

    triples: dict[Triple, None]
    prefixes: dict[str, str]


def library(feature: str) -> Any:
    """Import rdflib for a format, or raise MissingExtra."""
    return optional_library(feature, "rdflib", "skos")


def turtle(rdflib: Any, file: File) -> Statements:
    """Parse Turtle into plain dicts. (An rdflib graph stores each triple three times and compares every prefix with all
    others.)
    """
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
        with log_of_rdflib(file):
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


def by_subject(rdflib: Any, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the texts of each subject."""
    found: dict[Any, list[Any]] = {}
    for subject, text in pairs:
        if isinstance(text, rdflib.Literal):
            found.setdefault(subject, []).append(text)
    return found


def term_of(rdflib: Any, node: Any) -> str:
    """Return the term of a node: the URI, or the word that it was made for."""
    return f"_:{node}" if isinstance(node, rdflib.BNode) else _word(str(node)) or str(node)


def nodes_of(rdflib: Any, nodes: Iterable[Any], terms: Iterable[str]) -> dict[str, Any]:
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


def literals(rdflib: Any, graph: Any, node: Any, relation: Any) -> list[Any]:
    """Return the texts that a node has in one relation."""
    return [found for found in graph.objects(node, relation) if isinstance(found, rdflib.Literal)]


def best_label(labels: Iterable[Any]) -> Any:
    """Return the preferred label: English, else without a language, else the first by language."""

    def rank(label: Any) -> tuple[int, str, str]:
        language = (label.language or "").casefold()
        return (0 if language == "en" or language.startswith("en-") else 2 if language else 1), language, str(label)

    return min(labels, key=rank, default=None)


@contextmanager
def log_of_rdflib(file: File) -> Iterator[None]:
    """Turn what rdflib logs in this thread about values and URIs into one warning; otherwise it would appear on the
    terminal.
    """
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


def set_label(rdflib: Any, graph: Any, relation: Any, node: Any, taxonomy: Taxonomy, term: str) -> None:
    """Make the label of a term the best one of its node; labels in other languages stay."""
    there = best_label(literals(rdflib, graph, node, relation))
    minted = not isinstance(node, rdflib.BNode) and str(node) != term
    label = taxonomy.labels.get(term, term if minted or str(there) == term else None)
    if (None if there is None else str(there)) == label:
        return
    if there is not None:
        graph.remove((node, relation, there))
    if label is not None:
        graph.add((node, relation, rdflib.Literal(label, lang=there.language if there is not None else None)))


def set_texts(rdflib: Any, graph: Any, relations: Iterable[Any], node: Any, wanted: set[str]) -> None:
    """Set the texts of a node in several relations together; new texts are added to the first relation."""
    first, *others = relations
    said = set()
    for relation in (first, *others):
        for literal in literals(rdflib, graph, node, relation):
            if str(literal) in wanted:
                said.add(str(literal))
            else:
                graph.remove((node, relation, literal))
    for value in sorted(wanted - said):
        graph.add((node, first, rdflib.Literal(value)))


def texts_of(found: Mapping[Any, list[Any]], node: Any) -> tuple[str, ...]:
    """Return the distinct texts of a node, sorted."""
    return tuple(sorted({str(text) for text in found.get(node, ())}))


def check_uris(rdflib: Any, nodes: Iterable[Any]) -> None:
    """Raise InvalidInput if a URI has a character that none may have."""
    for node in nodes:
        if isinstance(node, rdflib.URIRef) and (letter := NOT_URI.search(node)):
            raise InvalidInput(f"expected a URI, found {str(node)[:80]!r} with {letter[0]!r} in it")
