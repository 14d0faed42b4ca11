"""OBO ontologies, through fastobo: `is_a` is an edge, `name` the label.

fastobo is the parser of pronto; it reports the line of an error and returns every clause. Obsolete terms, other
relations and types of relations are no part of the taxonomy, but are written back.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from entvec.errors import InvalidInput, TaxonomyFileWarning
from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.optional_library import optional_library
from entvec.graphs.taxonomy import Taxonomy

UNDERSTOOD = ("name", "def", "synonym", "is_a")
COMMENTS = re.compile(r"(?m)^[ \t]*![^\n]*")
STANZA = re.compile(r"(?m)(?<!\\\n)^(?=[ \t]*\[)")
"""The beginning of a frame: a line that starts with a bracket and does not continue the line before."""
PLAIN = re.compile(r"[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)?")
"""Identifiers and names that need no escapes."""

library = partial(optional_library, "OBO", "fastobo", "obo")


def matches(head: bytes) -> bool:
    """Return True if there is a header clause or the beginning of a frame."""
    return bool(re.search(rb"(?m)^(?:format-version:|\[(?:Term|Typedef|Instance)\])", head))


def read(file: File) -> Taxonomy:
    """Read the terms that are not obsolete, and their `is_a` clauses."""
    text = file.text()
    document = _document(file, text)
    terms: list[str] = []
    edges: list[tuple[str, str]] = []
    labels: dict[str, str] = {}
    about: dict[str, dict[str, tuple[str, ...]]] = {}
    renamed: list[str] = []
    for frame in _terms(document):
        if _is_obsolete(frame):
            continue
        term = str(frame.id)
        terms.append(term)
        edges += [(term, str(clause.term)) for clause in _clauses(frame, "is_a")]
        names = [clause.name.strip() for clause in _clauses(frame, "name")]
        if names and names[0] and labels.setdefault(term, names[0]) != names[0]:
            renamed.append(term)
        before = about.get(term, {})  # a term may have several stanzas
        fields = {
            SYNONYM: [clause.synonym.desc for clause in _clauses(frame, "synonym")],
            DEFINITION: [str(clause.definition) for clause in _clauses(frame, "def")],
        }
        if any(fields.values()):
            about[term] = {
                name: both
                for name, values in fields.items()
                if (both := tuple(dict.fromkeys([*before.get(name, ()), *values])))
            }
    known = {str(frame.id) for frame in _terms(document)}
    dangling = tuple(dict.fromkeys(hyper for _, hyper in edges if hyper not in known))
    if dangling:
        some = ", ".join(map(repr, dangling[:3]))
        warnings.warn(
            f"{file.path}: {len(dangling):,} parents after is_a have no [Term] of their own ({some}); "
            "they are terms without a name",
            TaxonomyFileWarning,
            stacklevel=3,  # the caller of `read`
        )
    if renamed:
        warnings.warn(
            f"{file.path}: {len(renamed):,} [Term] stanzas give another name to a term that has one "
            f"({', '.join(map(repr, renamed[:3]))}); the first counts",
            TaxonomyFileWarning,
            stacklevel=3,
        )
    rest = Rest("obo", {"text": text, "dangling": dangling}, _others(text, document))
    try:
        return Taxonomy.from_edges(edges, terms=terms, labels=labels, about=about, rest=rest)
    except InvalidInput as error:
        raise file.error(str(error)) from None


def _document(file: File, text: str) -> Any:
    try:
        document = _parsed(text)
    except SyntaxError as error:
        raise file.error(f"expected OBO, found what is not ({error.msg})", line=error.lineno) from None
    except ValueError as error:
        raise file.error(f"expected OBO, found what is not ({error})") from None
    if len(STANZA.split(text)) != len(document) + 1:
        raise file.error("expected OBO, found lines that begin with a bracket, but are no head of a stanza")
    return document


def _parsed(text: str) -> Any:
    fastobo = library()
    try:
        # fastobo does not accept comment lines; one thread keeps the order of the file.
        return fastobo.loads(COMMENTS.sub("", text), threads=1)
    except Exception:
        raise
    except BaseException as error:  # a panic of Rust is no Exception, and its class cannot be imported
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(str(error)) from None


def _others(text: str, document: Any) -> int:
    """Return the number of clauses that are no part of a taxonomy."""
    lost = sum(clause.raw_tag() not in ("format-version", "ontology") for clause in document.header)
    for stanza, frame in zip(STANZA.split(text)[1:], document, strict=True):
        if isinstance(frame, library().term.TermFrame) and not _is_obsolete(frame):
            lost += sum(clause.raw_tag() not in UNDERSTOOD for clause in frame)
        else:
            lost += sum(":" in line for line in COMMENTS.sub("", stanza).splitlines())
    return lost


def _terms(document: Any) -> Iterator[Any]:
    return (frame for frame in document if isinstance(frame, library().term.TermFrame))


def _clauses(frame: Any, tag: str) -> list[Any]:
    return [clause for clause in frame if clause.raw_tag() == tag]


def _is_obsolete(frame: Any) -> bool:
    return any(clause.obsolete for clause in _clauses(frame, "is_obsolete"))


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write the frames that were read, if their terms still exist, with the changes; then frames of new terms."""
    fastobo = library()
    kept: dict[str, Any] = {"text": "format-version: 1.4\n", "dangling": ()}
    if taxonomy.rest is not None and taxonomy.rest.format == "obo":
        kept = taxonomy.rest.content
    before = _parsed(kept["text"])
    header, *stanzas = STANZA.split(kept["text"])
    yield header.rstrip() + "\n\n"
    written = set()
    for stanza, frame in zip(stanzas, before, strict=True):
        text = stanza
        if isinstance(frame, library().term.TermFrame):
            term = str(frame.id)
            if term in taxonomy and term not in written:
                written.add(term)
                if _said(frame) != _wanted(taxonomy, term) and not _is_obsolete(frame):
                    text = str(_updated(fastobo, taxonomy, term, frame))
            elif term not in taxonomy and not _is_obsolete(frame):
                continue
        yield text.rstrip() + "\n\n"
    bare = {
        term
        for term in kept["dangling"]
        if term in taxonomy and term not in taxonomy.labels and not taxonomy.parents(term)
    }
    for term in taxonomy.terms:
        if term not in written and term not in bare:
            frame = fastobo.term.TermFrame(_ident(fastobo, term))
            yield str(_updated(fastobo, taxonomy, term, frame)).rstrip() + "\n\n"


def _said(frame: Any) -> dict[str, set[str]]:
    """Return the statements of a frame that are part of a taxonomy."""
    term = str(frame.id)
    return {
        "name": {name for clause in _clauses(frame, "name") if (name := clause.name.strip()) != term},
        "def": {str(clause.definition) for clause in _clauses(frame, "def")},
        "synonym": {clause.synonym.desc for clause in _clauses(frame, "synonym")},
        "is_a": {str(clause.term) for clause in _clauses(frame, "is_a")} - {term},
    }


def _wanted(taxonomy: Taxonomy, term: str) -> dict[str, set[str]]:
    """Return the statements about a term that its frame should have."""
    about = taxonomy.about.get(term, {})
    return {
        "name": {taxonomy.labels[term]} if term in taxonomy.labels else set(),
        "def": set(about.get(DEFINITION, ())),
        "synonym": set(about.get(SYNONYM, ())),
        "is_a": set(taxonomy.parents(term)),
    }


def _updated(fastobo: Any, taxonomy: Taxonomy, term: str, frame: Any) -> Any:
    """Return the frame with the current name, synonyms, definition and parents of its term."""
    clauses = list(frame)
    about = taxonomy.about.get(term, {})
    make = fastobo.term
    label = taxonomy.label(term)
    _check_text(fastobo, label)

    def synonym(text: str) -> Any:
        return make.SynonymClause(fastobo.syn.Synonym(text, "RELATED"))

    definition = "\n".join(about.get(DEFINITION, ()))  # OBO allows only one
    wanted: tuple[tuple[str, Iterable[str], Any, Any], ...] = (
        ("name", [label], lambda clause: clause.name.strip(), make.NameClause),
        ("def", [definition] if definition else [], lambda clause: str(clause.definition), make.DefClause),
        ("synonym", about.get(SYNONYM, ()), lambda clause: clause.synonym.desc, synonym),
        (
            "is_a",
            taxonomy.parents(term),
            lambda clause: str(clause.term),
            lambda parent: make.IsAClause(_ident(fastobo, parent)),
        ),
    )
    for tag, values, value_of, made in wanted:
        there = {value_of(clause) for clause in clauses if clause.raw_tag() == tag}
        clauses = [
            clause
            for clause in clauses
            if clause.raw_tag() != tag or value_of(clause) in values or (tag == "is_a" and value_of(clause) == term)
        ]
        clauses += [
            made(value) for value in values if value not in there and (tag != "name" or value != term or not frame)
        ]
    return make.TermFrame(frame.id, clauses)


def _ident(fastobo: Any, term: str) -> Any:
    """Return an identifier that is read back as the term."""
    if PLAIN.fullmatch(term):
        return fastobo.id.parse(term)
    for make in (fastobo.id.parse, fastobo.id.UnprefixedIdent):
        try:
            ident = make(term)
            (again,) = _parsed(str(fastobo.term.TermFrame(ident, [fastobo.term.IsAClause(ident)])))
        except (ValueError, SyntaxError):
            continue
        if str(again.id) == str(again[0].term) == term:
            return ident
    raise Unwritable(f"{term!r} cannot be an identifier of OBO; rename the term, or use json")


def _check_text(fastobo: Any, text: str) -> None:
    if PLAIN.fullmatch(text):
        return
    frame = fastobo.term.TermFrame(fastobo.id.UnprefixedIdent("a"), [fastobo.term.NameClause(text)])
    try:
        (again,) = _parsed(str(frame))
        same = again[0].name.strip() == text
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise Unwritable(f"{text!r} cannot be a name in OBO; rename the term, or use json")
