"""OBO ontologies, through fastobo: `is_a` is an edge, `name` the label.

fastobo is the parser of pronto; it reports the line of an error and returns every clause. Obsolete terms, other
relations and types of relations are no part of the taxonomy, but are written back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from entvec.graphs.annotations import DEFINITION, SYNONYM, Rest
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.optional_library import optional_library
from entvec.graphs.taxonomy import Taxonomy

VALUES: dict[str, Callable[[Any], str]] = {
    "name": lambda clause: clause.name.strip(),
    "def": lambda clause: str(clause.definition),
    "synonym": lambda clause: clause.synonym.desc,
    "is_a": lambda clause: str(clause.term),
}
"""The clauses that are part of a taxonomy, and how to get the text of each."""
COMMENTS = re.compile(r"(?m)^[ \t]*![^\n]*")
STANZA = re.compile(r"(?m)(?<!\\\n)^(?=[ \t]*\[)")
"""The beginning of a frame: a line that starts with a bracket and does not continue the line before."""
PLAIN = re.compile(r"[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)?")
"""Identifiers and names that need no escapes."""

FRAMES_A_REPORT = 1 << 9
"""The number of frames after which the progress callback is called."""

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
    about: dict[str, dict[str, dict[str, None]]] = {}
    renamed: list[str] = []
    known: set[str] = set()
    for i, frame in enumerate(filter(_is_term, document)):
        if i % FRAMES_A_REPORT == 0:
            file.progress(0, len(file.content))
        term = str(frame.id)
        known.add(term)
        if _is_obsolete(frame):
            continue
        terms.append(term)
        said = _said(frame)
        edges += [(term, parent) for parent in said["is_a"]]
        name = next(iter(said["name"]), "")
        if name and labels.setdefault(term, name) != name:
            renamed.append(term)
        for field, tag in ((SYNONYM, "synonym"), (DEFINITION, "def")):
            if said[tag]:
                fields = about.setdefault(term, {})  # a term may have several stanzas
                fields.setdefault(field, {}).update(dict.fromkeys(said[tag]))
    dangling = tuple(dict.fromkeys(hyper for _, hyper in edges if hyper not in known))
    if dangling:
        some = ", ".join(map(repr, dangling[:3]))
        file.warn(
            f"{len(dangling):,} parents after is_a have no [Term] of their own ({some}); they are terms without a name"
        )
    if renamed:
        some = ", ".join(map(repr, renamed[:3]))
        file.warn(
            f"{len(renamed):,} [Term] stanzas give another name to a term that has one ({some}); the first counts"
        )
    texts = {term: {name: tuple(values) for name, values in fields.items()} for term, fields in about.items()}
    rest = Rest("obo", {"text": text, "dangling": dangling}, _others(text, document))
    return Taxonomy.from_edges(edges, terms=terms, labels=labels, about=texts, rest=rest)


def _document(file: File, text: str) -> Any:
    try:
        document = _parsed(text)
    except (SyntaxError, ValueError) as error:
        told, line = (error.msg, error.lineno) if isinstance(error, SyntaxError) else (error, None)
        raise file.error(f"expected OBO, found what is not ({told})", line=line) from None
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
    """Return the number of clauses that a taxonomy does not represent."""
    lost = sum(clause.raw_tag() not in ("format-version", "ontology") for clause in document.header)
    for stanza, frame in zip(STANZA.split(text)[1:], document, strict=True):
        if _is_term(frame) and not _is_obsolete(frame):
            lost += sum(clause.raw_tag() not in VALUES for clause in frame)
        else:
            lost += sum(":" in line for line in COMMENTS.sub("", stanza).splitlines())
    return lost


def _is_term(frame: Any) -> bool:
    return isinstance(frame, library().term.TermFrame)


def _is_obsolete(frame: Any) -> bool:
    return any(clause.raw_tag() == "is_obsolete" and clause.obsolete for clause in frame)


def _said(frame: Any) -> dict[str, list[str]]:
    """Return the texts of the clauses of a frame that a taxonomy represents."""
    said: dict[str, list[str]] = {tag: [] for tag in VALUES}
    for clause in frame:
        if (tag := clause.raw_tag()) in said:
            said[tag].append(VALUES[tag](clause))
    return said


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
        if _is_term(frame):
            term = str(frame.id)
            if term in taxonomy and term not in written:
                written.add(term)
                if not _is_obsolete(frame):
                    text = _updated(fastobo, taxonomy, term, frame, stanza)
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
            yield _updated(fastobo, taxonomy, term, frame).rstrip() + "\n\n"


def _updated(fastobo: Any, taxonomy: Taxonomy, term: str, frame: Any, stanza: str = "") -> str:
    """Return the text of a frame with the current name, synonyms, definition and parents of its term.

    If nothing has changed, this is the stanza as it was read.
    """
    about = taxonomy.about.get(term, {})
    definition = "\n".join(about.get(DEFINITION, ()))  # OBO allows only one
    wanted: dict[str, Sequence[str]] = {
        "name": [taxonomy.label(term)],
        "def": [definition] if definition else [],
        "synonym": about.get(SYNONYM, ()),
        "is_a": taxonomy.parents(term),
    }
    said = _said(frame)
    same = {"name": {term}, "is_a": {term}}  # as good as no name, and no parent
    if stanza and not any((set(said[tag]) ^ set(wanted[tag])) - same.get(tag, set()) for tag in VALUES):
        return stanza
    _check_text(fastobo, taxonomy.label(term))
    make = fastobo.term
    made: dict[str, Callable[[str], Any]] = {
        "name": make.NameClause,
        "def": make.DefClause,
        "synonym": lambda text: make.SynonymClause(fastobo.syn.Synonym(text, "RELATED")),
        "is_a": lambda parent: make.IsAClause(_ident(fastobo, parent)),
    }
    clauses = list(frame)
    for tag, values in wanted.items():
        kept = {*values, term} if tag == "is_a" else set(values)
        clauses = [clause for clause in clauses if clause.raw_tag() != tag or VALUES[tag](clause) in kept]
        there = set(said[tag])
        new = (value for value in values if value not in there)
        clauses += [made[tag](value) for value in new if tag != "name" or value != term or not frame]
    return str(make.TermFrame(frame.id, clauses))


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
