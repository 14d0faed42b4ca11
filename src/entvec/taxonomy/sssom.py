"""Reviews as mappings for machines: SSSOM in TSV.

SSSOM knows broader, narrower and the same. A decision there is the justification `semapv:ManualMappingCuration`, and a
rejected mapping has the predicate modifier `Not`; `sssom:NoTermFound` is the object of a term that has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from entvec import __version__
from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.graphs.identifiers import URI
from entvec.taxonomy.placed import SAME_NAME
from entvec.taxonomy.review_rows import ACCEPT, OPEN, REJECT, Row, share_of

SSSOM = ".sssom.tsv"
PREDICATES = {"narrower": "skos:broadMatch", "broader": "skos:narrowMatch", "same": "skos:exactMatch"}
FROM_PREDICATES = {
    **{predicate: relation for relation, predicate in PREDICATES.items()},
    "rdfs:subClassOf": "narrower",
    "skos:broader": "narrower",
    "skos:narrower": "broader",
    "owl:equivalentClass": "same",
}
"""What predicates mean that may come from others; all others are left to their owners."""
NO_TERM = "sssom:NoTermFound"
BY_HAND, REVIEWED, BY_NAME, BY_EVIDENCE = (
    f"semapv:{name}" for name in ("ManualMappingCuration", "MappingReview", "LexicalMatching", "CompositeMatching")
)
SLOTS = (
    "subject_id", "subject_label", "predicate_id", "predicate_modifier", "object_id", "object_label",
    "mapping_justification", "confidence", "comment",
)  # fmt: skip
WORDS = "urn:x-entvec:"
PREFIXES = {"entvec": WORDS}
KNOWN = ("skos", "semapv", "sssom", "owl", "rdfs", "rdf")
"""Prefixes that SSSOM has by itself; no other namespace may take them."""
CURIE = re.compile(r"([A-Za-z][\w.-]*):([^\s/][^\s]*)")
LICENSE = "https://w3id.org/sssom/license/unspecified"


def as_mappings(rows: Sequence[Row]) -> list[Row]:
    """Return what the decided rows say, in the relations that SSSOM knows.

    An edge that is to go is one that does not hold; one that stays all the same was confirmed. Rows that change no
    meaning, such as edges that follow from others, are left out.

    >>> rows = [Row("accept", "fish", "reverse", "salmon"), Row("reject", "car", "not narrower", "toy")]
    >>> for row in as_mappings(rows):
    ...     print(row.decision, row.term, row.relation, row.target)
    reject fish narrower salmon
    accept salmon narrower fish
    accept car narrower toy

    Parameters
    ----------
    rows
        The rows of a review.
    """
    found = []
    for row in rows:
        holds = row._replace(decision=ACCEPT, relation="narrower", instead="")
        if row.decision == OPEN:
            continue
        if row.relation in PREDICATES or (row.relation == "none" and not row.target):
            found.append(row)
        elif row.relation in ("not narrower", "reverse") and row.decision == REJECT:
            found.append(holds)
        elif row.relation == "not narrower":
            found.append(holds._replace(decision=REJECT))
        elif row.relation == "reverse":
            turned = holds._replace(
                term=row.target, target=row.term, term_label=row.target_label, target_label=row.term_label
            )
            found += [holds._replace(decision=REJECT), turned]
    return found


def as_sssom(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a file of mappings."""
    mappings = [row for row in rows if row.relation in PREDICATES or (row.relation == "none" and not row.target)]
    if len(mappings) < len(rows):
        other = next(row for row in rows if row not in mappings)
        raise InvalidInput(
            f"{other.relation!r} is no mapping of SSSOM, which knows broader, narrower and the same; use .csv"
        )
    curies = _Curies([*(row.term for row in rows), *(row.target for row in rows if row.target)])
    yield "#curie_map:\n"
    for prefix, namespace in curies.prefixes.items():
        yield f'#  {prefix}: "{namespace}"\n'
    yield f'#license: "{LICENSE}"\n#mapping_set_id: "{WORDS}review"\n'
    yield f'#mapping_tool: "entvec"\n#mapping_tool_version: "{__version__}"\n'
    yield "\t".join(SLOTS) + "\n"
    for row in mappings:
        how = BY_HAND if row.decision != OPEN else BY_NAME if row.reason == SAME_NAME else BY_EVIDENCE
        cells = {
            "subject_id": curies.of(row.term),
            "subject_label": row.term_label or row.term,
            "predicate_id": PREDICATES.get(row.relation, PREDICATES["same"]),
            "predicate_modifier": "Not" if row.decision == REJECT else "",
            "object_id": curies.of(row.target) if row.target else NO_TERM,
            "object_label": row.target_label or row.target,
            "mapping_justification": how,
            "confidence": "" if row.probability is None else f"{row.probability:g}",
            "comment": row.reason,
        }
        yield "\t".join(" ".join(cells[slot].split()) for slot in SLOTS) + "\n"


class _Curies:
    """Shortens identifiers by the prefixes of their namespaces."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.prefixes = dict(PREFIXES)
        self._of: dict[str, str] = {}
        namespaces: dict[str, str] = {}
        for term in dict.fromkeys(terms):
            short = CURIE.fullmatch(term)
            if "://" in term and URI.fullmatch(term) and (cut := max(term.rfind("/"), term.rfind("#")) + 1) < len(term):
                prefix = namespaces.setdefault(term[:cut], f"ns{len(namespaces) + 1}")
                self.prefixes[prefix] = term[:cut]
                self._of[term] = f"{prefix}:{term[cut:]}"
            elif short and short[1] not in (*KNOWN, "entvec", "urn", "http", "https"):
                self.prefixes[short[1]] = f"http://purl.obolibrary.org/obo/{short[1]}_"
                self._of[term] = term
            else:
                self._of[term] = f"entvec:{quote(term, safe='')}"

    def of(self, term: str) -> str:
        return self._of[term]


def of_sssom(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    """Yield the rows that the lines of a file of mappings say."""
    prefixes: dict[str, str] = {}
    inside, slots = False, None
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if line.startswith("#") and slots is None:
            told = line[1:]
            inside = told.strip() == "curie_map:" or (inside and told.startswith((" ", "\t")))
            prefix, sign, namespace = told.partition(":")
            if inside and sign and namespace.strip():
                prefixes[prefix.strip().strip("\"'")] = namespace.strip().strip("\"'")
        elif slots is None:
            slots = line.split("\t")
        elif line.strip():
            cells = dict(zip(slots, line.split("\t"), strict=False))
            yield from _mapping(path, cells, prefixes, number)


def _mapping(path: Path, cells: Mapping[str, str], prefixes: Mapping[str, str], line: int) -> Iterator[Row]:
    def cell(name: str) -> str:
        return cells.get(name, "").strip()

    relation = FROM_PREDICATES.get(cell("predicate_id"))
    if relation is None:
        return
    none = cell("object_id") == NO_TERM
    by_hand = cell("mapping_justification") in (BY_HAND, REVIEWED)
    refused = cell("predicate_modifier") == "Not"
    try:
        confidence = share_of(cell("confidence"), "confidence")
    except InvalidInput as error:
        raise TaxonomyFileError(path, error.what, line=line) from None
    term, target = (_identifier(cell(name), prefixes) for name in ("subject_id", "object_id"))
    if not term or not target:
        raise TaxonomyFileError(path, "expected a subject_id and an object_id, found an empty cell", line=line)
    labels = [
        label if label != end else "" for label, end in ((cell("subject_label"), term), (cell("object_label"), target))
    ]
    yield Row(
        REJECT if refused else ACCEPT if by_hand else OPEN,
        term,
        "none" if none else relation,
        "" if none else target,
        labels[0],
        "" if none else labels[1],
        probability=confidence,
        reason=cell("comment"),
    )


def _identifier(curie: str, prefixes: Mapping[str, str]) -> str:
    """Return the term that a CURIE means: a URI, an identifier of OBO, or a word."""
    prefix, sign, rest = curie.partition(":")
    if not sign or prefix not in prefixes:
        return curie
    namespace = prefixes[prefix]
    if namespace == WORDS:
        return unquote(rest)
    return curie if namespace == f"http://purl.obolibrary.org/obo/{prefix}_" else namespace + rest
