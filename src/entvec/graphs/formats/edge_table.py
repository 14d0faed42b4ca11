"""Tables of edges: TSV, which has no quotes, and CSV, with quotes where needed.

The columns are `hypo`, `hyper`, `probability`, `relation` (`entails` or `not_entails`), `hypo_label`, `hyper_label` and
`definition`, which is one of the hypo; other columns are written back. Without a header the columns are hypo, hyper and
probability or relation. A row with only a hypo is a term.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from entvec.graphs.annotations import DEFINITION, Rest
from entvec.graphs.formats.taxonomy_format import File, check_writable
from entvec.graphs.taxonomy import Taxonomy

HYPO = ("hypo", "child", "hyponym", "narrower", "source", "word1")
HYPER = ("hyper", "parent", "hypernym", "broader", "target", "word2")
COLUMNS = ("hypo", "hyper", "probability", "relation", "hypo_label", "hyper_label", "definition")
RELATIONS = ("entails", "not_entails")

Row = tuple[int, list[str]]


def matches_tsv(head: bytes) -> bool:
    """Return True if the first line has a tab, or has neither a tab nor a comma."""
    return not matches_csv(head)


def matches_csv(head: bytes) -> bool:
    """Return True if the first line has a comma and no tab."""
    line = head.split(b"\n", 1)[0]
    return b"," in line and b"\t" not in line


def read_tsv(file: File) -> Taxonomy:
    """Read edges from columns that are separated by tabs."""
    rows = ((number, line.rstrip("\r\n").split("\t")) for number, line in enumerate(file.lines(), start=1))
    return _Reader(file, "tsv").read(rows)


def read_csv(file: File) -> Taxonomy:
    """Read edges from columns that are separated by commas."""
    return _Reader(file, "csv").read(_csv_rows(file))


def _csv_rows(file: File) -> Iterator[Row]:
    rows = csv.reader(file.lines(), strict=True)
    while True:
        number = rows.line_num + 1
        try:
            yield number, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise file.error(f"expected comma-separated values, found what is not ({error})", line=number) from None


class _Reader:
    """Collects the edges, terms, negations, labels and definitions of rows."""

    def __init__(self, file: File, name: str) -> None:
        self.file, self.name = file, name
        self.terms: list[str] = []
        self.negations: list[tuple[str, str]] = []
        self.labels: dict[str, str] = {}
        self.definitions: dict[str, dict[str, None]] = {}
        self.rest: dict[tuple[str, str], dict[str, str]] = {}
        # The position of each column that has a meaning, and of the others; a header may change them.
        self.at = {"hypo": 0, "hyper": 1, "probability": 2, "relation": 3}
        self.others: dict[str, int] = {}
        self.spaced: list[int] = []

    def read(self, rows: Iterator[Row]) -> Taxonomy:
        # `from_edges` consumes the edges first, which fills the list of negations.
        made = Taxonomy.from_edges(self.edges(rows), negations=self.negations)
        if self.spaced and len(made.hypo):
            self.file.warn(
                f"{len(self.spaced):,} of the lines have one column, with a space or comma in it: "
                "taken for a term alone; was a tab meant?",
                line=self.spaced[0],
            )
        alone = [term for term in dict.fromkeys(self.terms) if term not in made]
        rest = None
        if self.others:
            rest = Rest(
                self.name, {"columns": tuple(self.others), "rows": self.rest}, sum(map(len, self.rest.values()))
            )
        if not alone and not self.labels and not self.definitions and rest is None:
            return made
        about = {term: {DEFINITION: tuple(found)} for term, found in self.definitions.items()}
        labels = {term: label for term, label in self.labels.items() if label != term}
        return made.replaced(terms=(*made.terms, *alone), labels=labels, about=about, rest=rest)

    def edges(self, rows: Iterator[Row]) -> Iterator[Sequence[Any]]:
        headed, width = None, 4
        for number, row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if headed is None:
                headed = self._is_header(cells, number)
                if headed:
                    width = len(cells)
                    continue
            if len(cells) > width:
                raise self.file.error(
                    f"expected at most {width} columns, as in the first line, found {len(cells)}", line=number
                )
            if len(cells) == 1 and set(cells[0]) & set(" ,;"):
                self.spaced.append(number)
            if not headed and len(cells) > 2 and cells[2].casefold() in RELATIONS:
                cells[2:] = [cells[3] if len(cells) > 3 else "", cells[2]]  # the two columns may be in either order
            edge = self._edge(cells, number)
            if edge is not None:
                yield edge

    def _is_header(self, cells: list[str], number: int) -> bool:
        """Return True if the first line names the columns, and note where they are."""
        names = [cell.casefold() for cell in cells]
        hypo, hyper = (next((name for name in known if name in names), None) for known in (HYPO, HYPER))
        if hypo is not None and hyper is not None:
            if len(set(names)) < len(names):
                raise self.file.error("expected each column once, found a name twice in the header", line=number)
            self.at = {name: names.index(name) for name in COLUMNS if name in names}
            self.at |= {"hypo": names.index(hypo), "hyper": names.index(hyper)}
            self.others = {cell: i for i, cell in enumerate(cells) if i not in self.at.values()}
            return True
        if len(cells) > 4:
            raise self.file.error(
                f"expected 2 to 4 columns, or a header that names them (hypo, hyper, ...), found {len(cells)} columns",
                line=number,
            )
        return False

    def _edge(self, cells: list[str], number: int) -> Sequence[Any] | None:
        def cell(name: str) -> str:
            place = self.at.get(name, len(cells))
            return cells[place] if place < len(cells) else ""

        hypo, hyper = cell("hypo"), cell("hyper")
        if not hypo:
            raise self.file.error(f"expected a hypo, found none before the hyper {hyper!r}", line=number)
        for term, name in ((hypo, "hypo_label"), (hyper, "hyper_label")):
            if term and (label := cell(name)):
                self.labels.setdefault(term, label)
        if definition := cell("definition"):
            self.definitions.setdefault(hypo, {})[definition] = None
        if kept := {name: cells[i] for name, i in self.others.items() if i < len(cells) and cells[i]}:
            self.rest.setdefault((hypo, hyper), kept)
        relation = cell("relation").casefold() or "entails"
        if relation not in RELATIONS:
            raise self.file.error(f"expected a relation of {' or '.join(RELATIONS)}, found {relation!r}", line=number)
        probability = self._probability(cell("probability"), number)
        if not hyper:
            self.terms.append(hypo)
            return None
        if relation == "not_entails":
            self.negations.append((hypo, hyper))
            return None
        return hypo, hyper, probability

    def _probability(self, text: str, number: int) -> float:
        try:
            value = float(text or "nan")
        except ValueError:
            value = math.inf
        if value < 0 or value > 1:  # not NaN
            raise self.file.error(
                f"expected a probability from 0 to 1, or nothing, in column 3 or under `probability`, found {text!r}; "
                "not_entails there denies the edge, and other columns need a header that names them",
                line=number,
            )
        return value


def write_tsv(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a header and a line for each edge."""
    for row in _rows(taxonomy, "tsv"):
        for cell in row:
            check_writable(cell, "tables")
        yield "\t".join(row) + "\n"


def write_csv(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a header and a line for each edge."""
    for row in _rows(taxonomy, "csv"):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(row)
        yield line.getvalue()


def _rows(taxonomy: Taxonomy, name: str) -> Iterator[list[str]]:
    for text in chain(taxonomy.terms, taxonomy.labels.values()):
        check_writable(text, "tables", one_line=False)
    kept = taxonomy.rest.content if taxonomy.rest and taxonomy.rest.format == name else {"columns": (), "rows": {}}
    definitions = {
        term: list(map(_one_line if name == "tsv" else str.strip, found[DEFINITION]))
        for term, found in taxonomy.about.items()
        if found.get(DEFINITION)
    }
    missing = {
        "probability": np.isnan(taxonomy.probability).all(),
        "relation": not len(taxonomy.negations),
        "hypo_label": not taxonomy.labels,
        "hyper_label": not taxonomy.labels,
        "definition": not definitions,
    }
    columns = [column for column in COLUMNS if not missing.get(column)]
    yield [*columns, *kept["columns"]]
    for hypo, hyper, probability, relation in _defining(taxonomy, definitions):
        told = definitions.get(hypo)
        cells = {
            "hypo": hypo,
            "hyper": hyper,
            "probability": "" if probability != probability else repr(probability),
            "relation": relation,
            "hypo_label": taxonomy.labels.get(hypo, ""),
            "hyper_label": taxonomy.labels.get(hyper, ""),
            "definition": told.pop(0) if told else "",
        }
        others = kept["rows"].get((hypo, hyper), {})
        yield [cells[column] for column in columns] + [others.get(column, "") for column in kept["columns"]]


def _one_line(text: str) -> str:
    """Return a text of which a line of a table can be made: white space in prose has no meaning."""
    return " ".join(text.split())


def _defining(taxonomy: Taxonomy, definitions: dict[str, list[str]]) -> Iterator[tuple[str, str, float, str]]:
    """Yield all statements; a term has as many lines as definitions, of which each line takes one."""
    yield from _statements(taxonomy)
    for term, left in sorted(definitions.items()):
        while left:
            yield term, "", float("nan"), ""


def _statements(taxonomy: Taxonomy) -> Iterable[tuple[str, str, float, str]]:
    unknown = float("nan")
    for edge in taxonomy.edges():
        yield *edge, "entails"
    mentioned = set(taxonomy.negations.ravel().tolist())
    for hypo, hyper in taxonomy.denied():
        yield hypo, hyper, unknown, "not_entails"
    for term in taxonomy.orphans:
        if taxonomy.index(term) not in mentioned:
            yield term, "", unknown, ""
