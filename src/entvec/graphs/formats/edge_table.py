"""Tables of edges: TSV, which has no quotes, and CSV, with quotes where needed.

CSV may have semicolons or vertical bars in place of commas, as spreadsheets write it in many countries.

The columns are `hypo`, `hyper`, `probability`, `relation` (`entails` or `not_entails`), `hypo_label`, `hyper_label` and
`definition` (of the hypo). Other columns are written back. Without a header the columns are hypo, hyper and
probability or relation. A row with only a hypo is a term, and one with ` > ` in it is a path from the top to a term.

If the first line looks like a header with unknown names, it is refused. If the parents come first, which their
repetition shows, a warning says so. Columns of levels (Level 1, Level 2) are paths from the top.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from entvec.graphs.annotations import DEFINITION, Rest
from entvec.graphs.formats.headers import ALONE, COLUMNS, Header, header_of, levels_of, looks_like_one, named
from entvec.graphs.formats.taxonomy_format import File, check_writable
from entvec.graphs.taxonomy import Taxonomy

PATH = " > "
"""The separator between the terms of a path from the top to a term."""
FEWEST_TO_TURN = 4
"""The number of edges without a header from which on a table is checked for parents in the first column."""
RELATIONS = ("entails", "not_entails")
SEPARATORS = {";": "semicolons", "|": "vertical bars"}
"""What separates the columns of CSV besides the comma, and its name."""
SEEN, COMPARED = 1 << 14, 50
"""The bytes, and the lines in them, that are examined to find the separator."""

NumberedRow = tuple[int, list[str]]


def matches_tsv(head: bytes) -> bool:
    """Return True if the first line has a tab, or no separator of another table."""
    return not matches_csv(head)


def matches_csv(head: bytes) -> bool:
    """Return True if the first line has no tab, and a comma or another separator of a table."""
    line = head.split(b"\n", 1)[0]
    return b"\t" not in line and (b"," in line or separator(head) != ",")


def read_tsv(file: File) -> Taxonomy:
    """Read edges from columns that are separated by tabs."""
    if (mark := separator(file.content)) in SEPARATORS:
        return _separated(file, mark)
    rows = ((number, line.rstrip("\r\n").split("\t")) for number, line in enumerate(file.lines(), start=1))
    return _Reader(file, "tsv").read(rows)


def read_csv(file: File) -> Taxonomy:
    """Read edges from columns that are separated by commas, semicolons or vertical bars."""
    return _separated(file, separator(file.content))


def _separated(file: File, mark: str) -> Taxonomy:
    if mark in SEPARATORS:
        file.warn(f"the columns are separated by {SEPARATORS[mark]}: read as such a table")
    return _Reader(file, "csv", mark).read(_csv_rows(file, mark))


def separator(content: bytes) -> str:
    r"""Return the separator of a table without tabs: a comma unless another one fits.

    A semicolon or a vertical bar fits if no line has more of them than the first, most lines have equally many, and it
    makes a header, or more columns than commas do.

    >>> separator(b"sofa;furniture;100,50\nchair;furniture;\n"), separator(b"salt; pepper,spice")
    (';', ',')
    """
    text = content.removeprefix(b"\xef\xbb\xbf")[:SEEN].decode(errors="replace")
    whole = text.splitlines()[: -1 if len(content) > SEEN else None]
    lines = [line for line in whole if line.strip()][:COMPARED]
    if not lines or "\t" in lines[0]:
        return ","
    best, most = ",", _width(lines, ",")
    for mark in SEPARATORS:
        width = _width(lines, mark)
        if width > most or (width > 1 and header_of(_cells(lines[0], mark)) and not header_of(_cells(lines[0], ","))):
            best, most = mark, width
    return best


def columns_of(content: bytes) -> list[str]:
    r"""Return the cells of the first line if a list of words is really a table. Commas alone may be part of names.

    >>> columns_of(b"name;parent\nsofa;furniture\n"), columns_of(b"salt, fine\nsalt, coarse\n")
    (['name', 'parent'], [])
    """
    mark = separator(content)
    cells = _cells(content.split(b"\n", 1)[0].decode(errors="replace"), mark)
    return cells if len(cells) > 1 and (mark in SEPARATORS or header_of(cells) or looks_like_one(cells)) else []


def _width(lines: Sequence[str], mark: str) -> int:
    """Return the number of columns that a separator makes; 1 if the lines are not a table with it."""
    widths = [len(_cells(line, mark)) for line in lines]
    as_first = sum(width == widths[0] for width in widths)
    return widths[0] if max(widths) == widths[0] and 2 * as_first > len(widths) else 1


def _cells(line: str, mark: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark), [])]


def _csv_rows(file: File, mark: str) -> Iterator[NumberedRow]:
    rows = csv.reader(file.lines(), strict=True, delimiter=mark)
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

    def __init__(self, file: File, name: str, mark: str = ",") -> None:
        self.file, self.name, self.mark = file, name, mark
        self.header: list[str] = []
        self.suspect: list[str] = []  # a first line with unknown names that may be a header
        self.again: set[str] = set()  # the cells of it that occur again, which those of a header do not
        self.paths: list[int] = []
        self.levels: tuple[int, ...] = ()  # the columns of the levels of a path from the top
        self.last_way: list[str] = []
        self.first = 0
        self.terms: list[str] = []
        self.negations: list[tuple[str, str]] = []
        self.labels: dict[str, str] = {}
        self.definitions: dict[str, dict[str, None]] = {}
        self.rest: dict[tuple[str, str], dict[str, str]] = {}
        # The position of each column with a known name, and of the others; a header may change them.
        self.at = {"hypo": 0, "hyper": 1, "probability": 2, "relation": 3}
        self.others: dict[str, int] = {}
        self.spaced: list[int] = []

    def read(self, rows: Iterator[NumberedRow]) -> Taxonomy:
        # `from_edges` consumes the edges first, which fills the list of negations.
        made = Taxonomy.from_edges(self.edges(rows), negations=self.negations)
        if self.suspect and not self.again:
            raise self.file.error(
                "expected edges, or a header that names the columns (hypo, hyper, ...), found "
                f"{', '.join(map(repr, self.suspect))}, which looks like another header; "
                "say which columns have the narrower and the broader term",
                line=self.first,
            )
        if not self.header and not self.file.columns and _parents_first(made):
            self.file.warn(
                f"the first column has the parents: all {len(made.hypo):,} terms of the second are there once; read in "
                "this order, hyper and then hypo; a header, or saying which columns are which, decides otherwise"
            )
            made = made.replaced(hypo=made.hyper, hyper=made.hypo)
        if self.levels:
            others = [title for i, title in enumerate(self.header) if i not in self.levels]
            self.file.warn(
                f"the columns {', '.join(self.header[i] for i in self.levels)} are read as ways from the broadest term "
                "to the narrowest; equal names are one term"
                + (f"; other columns are not kept: {', '.join(others)}" if others else "")
            )
        elif self.paths:
            self.file.warn(
                f"{len(self.paths):,} of the lines are paths with {PATH.strip()!r}, read from the broadest term to the "
                "narrowest; equal names are one term",
                line=self.paths[0],
            )
        if self.spaced and len(made.hypo) and not self.paths:
            self.file.warn(
                f"{len(self.spaced):,} of the lines have one column, with a space or comma in it: "
                "taken for a term alone; was a tab meant?",
                line=self.spaced[0],
            )
        alone = [term for term in dict.fromkeys(self.terms) if term not in made]
        if (
            not len(made.hypo)
            and not self.header
            and len(alone) > 1
            and 2 * sum("/" in term for term in alone) > len(alone)
        ):
            self.file.warn(
                "most lines have a '/': taken for terms alone; ways from the top have ' > ' between the terms"
            )
        rest = None
        if self.header and not self.levels and (self.others or set(self.header) - set(COLUMNS) or self.mark != ","):
            kinds = {place: name for name, place in self.at.items()}
            columns = tuple((title, kinds.get(i)) for i, title in enumerate(self.header))
            content = {"columns": columns, "rows": self.rest, "separator": self.mark}
            rest = Rest(self.name, content, sum(map(len, self.rest.values())))
        if not alone and not self.labels and not self.definitions and rest is None:
            return made
        about = {term: {DEFINITION: tuple(found)} for term, found in self.definitions.items()}
        labels = {term: label for term, label in self.labels.items() if label != term}
        return made.replaced(terms=(*made.terms, *alone), labels=labels, about=about, rest=rest)

    def edges(self, rows: Iterator[NumberedRow]) -> Iterator[Sequence[Any]]:
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
            self.again.update(cell for cell in cells[:2] if cell in self.suspect and number > self.first)
            if self.levels or (len(cells) == 1 and PATH in cells[0]):
                yield from self._path(self._levels(cells, number) if self.levels else cells[0].split(PATH), number)
                continue
            if len(cells) > width and not (self.file.columns and not headed):
                raise self.file.error(
                    f"expected at most {width} columns, as in the first line, found {len(cells)}", line=number
                )
            if len(cells) == 1 and set(cells[0]) & set(" ,;"):
                self.spaced.append(number)
            if not headed and not self.file.columns and len(cells) > 2 and cells[2].casefold() in RELATIONS:
                cells[2:] = [cells[3] if len(cells) > 3 else "", cells[2]]  # probability and relation in any order
            edge = self._edge(cells, number)
            if edge is not None:
                yield edge

    def _levels(self, cells: list[str], number: int) -> list[str]:
        """Return the path from the top in a line of levels; empty first cells repeat those of the line above."""
        steps = [cells[i] if i < len(cells) else "" for i in self.levels]
        first = next((i for i, step in enumerate(steps) if step), len(steps))
        steps = self.last_way[:first] + steps[first:]
        while steps and not steps[-1]:
            steps.pop()
        if not all(steps) or first > len(self.last_way):
            raise self.file.error("expected a term on each level above another one, found an empty cell", line=number)
        self.last_way = steps
        return steps

    def _path(self, line: list[str], number: int) -> Iterator[tuple[str, str]]:
        """Yield the edges of a path from the top to a term."""
        self.paths.append(number)
        steps = [step.strip() for step in line if step.strip()]
        self.terms += steps
        yield from (pair[::-1] for pair in pairwise(steps))

    def _is_header(self, cells: list[str], number: int) -> bool:
        """Return True if the first line names the columns, and store their positions."""
        if not self.file.columns and (levels := levels_of(cells)):
            self.header, self.levels = cells, levels
            return True
        found = self._asked(cells, number) if self.file.columns else header_of(cells)
        if found is not None:
            names = [named(cell) for cell in cells]
            if len(set(names)) < len(names):
                raise self.file.error("expected each column once, found a name twice in the header", line=number)
            self.header, (self.at, self.others) = cells, found
            return True
        if self.file.columns:
            return False
        if len(cells) == 1 and named(cells[0]) in ALONE:
            self.file.warn(f"{cells[0]!r} is taken for the title of the column, since it is no term", line=number)
            self.at = {"hypo": 0}
            return True
        if len(cells) > 4:
            raise self.file.error(
                f"expected 2 to 4 columns, or a header that names them (hypo, hyper, ...), found {len(cells)} columns; "
                "say which columns have the narrower and the broader term",
                line=number,
            )
        if len(cells) > 1 and looks_like_one(cells[:2]):
            self.suspect, self.first = cells[:2], number
        return False

    def _asked(self, cells: list[str], number: int) -> Header | None:
        """Return the header with the columns that the user has named; numbers mean that the file has no header."""
        wanted = self.file.columns
        if all(column.isdecimal() for column in wanted):
            self.at = {name: int(column) - 1 for name, column in zip(("hypo", "hyper"), wanted, strict=True)}
            if min(self.at.values()) < 0 or max(self.at.values()) >= len(cells):
                raise self.file.error(f"expected columns 1 to {len(cells)}, found {','.join(wanted)}", line=number)
            self.others = {str(i + 1): i for i in range(len(cells)) if i not in self.at.values()}
            return None
        if missing := [column for column in wanted if column not in cells]:
            raise self.file.error(f"no column {missing[0]!r}, expected one of {', '.join(cells)}", line=number)
        known = header_of(cells)
        at = {name: cells.index(column) for name, column in zip(("hypo", "hyper"), wanted, strict=True)}
        taken = set(at.values())
        at |= {name: i for name, i in (known.at if known else {}).items() if name not in at and i not in taken}
        return Header(at, {cell: i for i, cell in enumerate(cells) if i not in at.values()})

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
        self._keep(cells, (hypo, hyper))
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

    def _keep(self, cells: list[str], pair: tuple[str, str]) -> None:
        """Store the cells of other columns, and that the term has a line of its own."""
        kept = {name: cells[i] for name, i in self.others.items() if i < len(cells) and cells[i]}
        if kept or (self.header and not pair[1]):
            self.rest.setdefault(pair, kept)

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


def _parents_first(made: Taxonomy) -> bool:
    """Return True if each term of the second column occurs once, and those of the first column repeatedly."""
    if len(made.hypo) < FEWEST_TO_TURN or len(made.negations) or made.duplicates:
        return False
    below, above = (np.unique(side, return_counts=True)[1] for side in (made.hypo, made.hyper))
    return bool(above.max() == 1 and 2 * len(below) <= len(made.hypo))


def write_tsv(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a header and a line for each edge."""
    for row in _rows(taxonomy, "tsv"):
        for cell in row:
            check_writable(cell, "tables")
        yield "\t".join(row) + "\n"


def write_csv(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a header and a line for each edge."""
    rest = taxonomy.rest
    mark = rest.content.get("separator", ",") if rest is not None and rest.format == "csv" else ","
    for row in _rows(taxonomy, "csv"):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n", delimiter=mark).writerow(row)
        yield line.getvalue()


def _rows(taxonomy: Taxonomy, name: str) -> Iterator[list[str]]:
    for text in chain(taxonomy.terms, taxonomy.labels.values()):
        check_writable(text, "tables", one_line=False)
    kept = taxonomy.rest.content if taxonomy.rest and taxonomy.rest.format == name else {"columns": (), "rows": {}}
    rows: dict[tuple[str, str], dict[str, str]] = kept["rows"]
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
    kinds = [kind for _, kind in kept["columns"]]
    columns = [*kept["columns"]] or [(column, column) for column in COLUMNS if not missing.get(column)]
    columns += [(column, column) for column in COLUMNS if kinds and column not in kinds and not missing.get(column)]
    if "hypo_label" in kinds and "hyper_label" not in kinds:  # labels are on the lines of the terms themselves
        columns = [column for column in columns if column[1] != "hyper_label"]
        below = {taxonomy.terms[i] for i in taxonomy.hypo.tolist()}
        rows = rows | {(term, ""): {} for term in taxonomy.labels if term not in below and (term, "") not in rows}
    yield [title for title, _ in columns]
    counts = {term: len(texts) for term, texts in definitions.items()}
    statements = list(_defining(taxonomy, counts, rows)) if rows else _defining(taxonomy, counts, rows)
    # The other columns of a removed edge go to the next edge of the same hypo.
    gone = rows.keys() - {(hypo, hyper) for hypo, hyper, _, _ in statements} if rows else set()
    spare: dict[str, list[dict[str, str]]] = {}
    for pair in rows:
        if pair in gone:
            spare.setdefault(pair[0], []).append(rows[pair])
    for hypo, hyper, probability, relation in statements:
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
        others = rows.get((hypo, hyper)) or (spare[hypo].pop(0) if spare.get(hypo) else {})
        yield [others.get(title, "") if kind is None else cells[kind] for title, kind in columns]


def _one_line(text: str) -> str:
    """Return the text on one line: white space in prose has no meaning."""
    return " ".join(text.split())


def _defining(
    taxonomy: Taxonomy, definitions: dict[str, int], rows: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, float, str]]:
    """Yield all statements, repeating lines of a term so that each line has one of its definitions.

    A term that had a line of its own with other columns still gets it.
    """
    n_lines = Counter[str]()
    alone = set(taxonomy.orphans)
    own = ((term, "", float("nan"), "") for term, hyper in rows if not hyper and term in taxonomy and term not in alone)
    for statement in chain(_statements(taxonomy), own):
        n_lines[statement[0]] += statement[0] in definitions
        yield statement
    for term, n in sorted(definitions.items()):
        for _ in range(n_lines[term], n):
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
