"""Files of reviews: a table for people, `review.csv`, and mappings for machines, SSSOM in TSV.

SSSOM knows broader, narrower and the same. A decision there is the justification `semapv:ManualMappingCuration`, and a
rejected mapping has the predicate modifier `Not`; `sssom:NoTermFound` is the object of a term that has none.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from entvec import __version__
from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.files import read_whole, replacing
from entvec.graphs.identifiers import URI
from entvec.taxonomy.placing_many import SAME_NAME
from entvec.taxonomy.review import ACCEPT, ACTIONS, OPEN, REJECT, Row, decision_of

LARGEST = 1 << 30
"""The most bytes of a review that are read."""
COLUMNS = (
    "decision", "term", "term_label", "relation", "target", "target_label", "path", "probability", "runner_up",
    "reason", "instead", "id", "definition",
)  # fmt: skip
NEEDED = ("decision", "term", "relation", "target")
NUMBERS = ("probability", "runner_up")
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


def read_review(path: str | Path) -> list[Row]:
    """Read the rows of a review, from a table or from SSSOM; the content decides.

    Parameters
    ----------
    path
        A file of `write_review`, perhaps changed by people, or any SSSOM file.
    """
    path = Path(path)
    try:
        text = read_whole(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaxonomyFileError(path, f"expected text in UTF-8, found a byte that is none ({error.reason})") from None
    lines = text.split("\n")
    first = next((line for line in lines if not line.startswith("#")), "")
    if "subject_id" in first.split("\t"):
        return list(_of_sssom(path, lines))
    return list(_of_table(path, text, "\t" if "\t" in first else ","))


def write_review(rows: Sequence[Row], path: str | Path) -> None:
    """Write the rows of a review: SSSOM if the name ends with `.sssom.tsv`, else a table with commas, or tabs for .tsv.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_review([Row("accept", "sandal", "narrower", "footwear", probability=0.97)], f"{folder}/r.sssom.tsv")
    ...     read_review(f"{folder}/r.sssom.tsv")[0][:4]
    ('accept', 'sandal', 'narrower', 'footwear')

    Parameters
    ----------
    rows
        What is suggested.
    path
        The file to write or replace.
    """
    path = Path(path)
    text = review_text(rows, "sssom" if path.name.endswith(SSSOM) else path.suffix[1:])
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def review_text(rows: Sequence[Row], format: str = "csv") -> str:  # noqa: A002
    r"""Return a review as the text of a file: a table with commas, tsv with tabs, or sssom.

    >>> review_text([Row("accept", "sandal", "narrower", "footwear")], "tsv").split("\n")[1].split("\t")[:5]
    ['accept', 'sandal', '', 'narrower', 'footwear']

    Parameters
    ----------
    rows
        What is suggested.
    format
        csv, tsv or sssom.
    """
    return "".join(_as_sssom(rows)) if format == "sssom" else _as_table(rows, f".{format}")


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


# Tables


def _as_table(rows: Sequence[Row], suffix: str) -> str:
    made = io.StringIO()
    writer = csv.writer(made, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if (cell := getattr(row, column)) is None else cell for column in COLUMNS])
    return made.getvalue()


def _of_table(path: Path, text: str, mark: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text), delimiter=mark, strict=True)
    try:
        titles = [title.strip() for title in reader.fieldnames or ()]
        if lost := [name for name in NEEDED if name not in titles]:
            raise TaxonomyFileError(
                path,
                f"expected a review with the columns {', '.join(NEEDED)}, found none called {', '.join(lost)}; "
                "`entvec taxonomy place NEW --taxonomy T -o review.csv` makes one",
            )
        reader.fieldnames = titles
        for cells in reader:
            yield _row(path, cells, reader.line_num)
    except csv.Error as error:
        raise TaxonomyFileError(path, f"expected a table, found what is none ({error})", line=reader.line_num) from None


def _row(path: Path, cells: Mapping[str, str | None], line: int) -> Row:
    told = {name: (cells.get(name) or "").strip() for name in COLUMNS}
    try:
        decision = decision_of(told.pop("decision"))
        if not told["term"]:
            raise InvalidInput("expected a term, found an empty cell")
        if told["relation"] not in ACTIONS:
            raise InvalidInput(f"the relation is {told['relation']!r}, expected one of {', '.join(ACTIONS)}")
        numbers = {name: _number(told.pop(name), name) for name in NUMBERS}
    except InvalidInput as error:
        raise TaxonomyFileError(path, error.what, line=line) from None
    return Row(decision, **told, **numbers)  # type: ignore[arg-type]


def _number(text: str, name: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InvalidInput(f"the {name.replace('_', ' ')} is {text!r}, expected 0 to 1, or nothing")
    return value


# SSSOM


def _as_sssom(rows: Sequence[Row]) -> Iterator[str]:
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


def _of_sssom(path: Path, lines: Sequence[str]) -> Iterator[Row]:
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
        confidence = _number(cell("confidence"), "confidence")
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
