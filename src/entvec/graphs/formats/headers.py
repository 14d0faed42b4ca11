"""Headers of tables: which column has the narrower term and which the broader one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

NARROWER = (
    "hypo", "child", "hyponym", "narrower", "source", "word1", "narrower term", "child term", "child category",
    "subcategory", "sub category", "subclass", "sub class", "child id",
)  # fmt: skip
"""Names of the column of the narrower term, whatever the other columns are called."""
HYPO = (
    *NARROWER, "term", "concept", "category", "class", "name", "label", "title", "product", "item", "word", "id",
)  # fmt: skip
HYPER = (
    "hyper", "parent", "hypernym", "broader", "target", "word2", "broader term", "parent term", "broader concept",
    "parent concept", "parent category", "super category", "superclass", "super class", "parent class",
    "parent name", "parent id", "broader id",
)  # fmt: skip
COLUMNS = ("hypo", "hyper", "probability", "relation", "hypo_label", "hyper_label", "definition")
LABELS = ("label", "name", "title", "term", "preferred label", "preflabel")
"""Names of the column of labels in tables whose terms have an `id`."""
# fmt: off
PARTS = frozenset((
    "hypo", "hyper", "hyponym", "hypernym", "child", "parent", "narrower", "broader", "sub", "super", "subcategory",
    "category", "term", "concept", "id", "ids", "name", "label", "title", "source", "target", "level", "type", "class",
    "relation", "probability", "subclass", "superclass", "description", "definition", "note", "notes", "code", "uri",
    "url", "language", "lang", "comment", "scope", "status", "date", "synonym", "synonyms", "price", "brand", "sku",
    "count", "frequency", "group", "word", "words", "product", "item", "identifier", "preflabel", "altlabel", "gloss",
))
"""Words that occur in column names."""
ALONE = frozenset((
    "term", "terms", "name", "names", "word", "words", "label", "labels", "concept", "concepts", "category",
    "categories", "product", "products",
))
# fmt: on
"""Names of a single column."""


LEVEL = re.compile(r"(l|lvl|level|tier|cat|category|category level|class|ebene|nivel|niveau)\s*([0-9])")
"""The name of a column with one level of a path from the top."""


class Header(NamedTuple):
    """The position of each column with a known name, and of the others."""

    at: dict[str, int]
    others: dict[str, int]


def named(cell: str) -> str:
    """Return the name of a column in a normal spelling.

    >>> named("Parent_ID"), named("parentCategory")
    ('parent id', 'parent category')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cell)
    return " ".join(re.split(r"[\s_-]+", apart.strip())).casefold()


def levels_of(cells: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of the levels of a path from the top, if at least two cells are numbered consecutively.

    >>> levels_of(["Level 1", "Level 2", "Level 3", "price"]), levels_of(["L2", "L1"]), levels_of(["dog", "animal"])
    ((0, 1, 2), (), ())
    """
    found = [(i, LEVEL.fullmatch(named(cell))) for i, cell in enumerate(cells)]
    levels = [(i, match[1], int(match[2])) for i, match in found if match is not None]
    first = levels[0][2] if levels else 0
    follow = all(name == levels[0][1] and number == first + k for k, (_, name, number) in enumerate(levels))
    return tuple(i for i, _, _ in levels) if len(levels) > 1 and follow else ()


def looks_like_one(cells: Sequence[str]) -> bool:
    """Return True if at least two cells consist of words that occur in column names.

    >>> looks_like_one(["Category", "Broader concept"]), looks_like_one(["dog", "animal"])
    (True, False)
    """
    return sum(not PARTS.isdisjoint(named(cell).split()) for cell in cells) > 1


def header_of(cells: Sequence[str]) -> Header | None:
    """Return the positions of the columns if the first line names them. Without a column of broader terms, rows are
    terms.

    >>> header_of(["id", "name", "parent_id"])
    Header(at={'hypo': 0, 'hyper': 2, 'hypo_label': 1}, others={})
    """
    names = [named(cell) for cell in cells]
    hyper = next((name for name in HYPER if name in names), None)
    hypo = next((name for name in HYPO if name in names), None)
    if hyper is None and hypo in ("subcategory", "sub category") and "category" in names:
        hyper = "category"
    if hyper is not None and hyper.endswith(" id") and "id" in names:
        hypo = "id"
    if hypo is None or (hyper is None and not looks_like_one([hypo, *(name for name in names if name not in HYPO)])):
        return None
    meant = {name: names.index(named(name)) for name in COLUMNS[2:] if named(name) in names}
    at = {"hypo": names.index(hypo)} | ({} if hyper is None else {"hyper": names.index(hyper)}) | meant
    if hypo == "id":
        at |= next(({"hypo_label": names.index(name)} for name in LABELS if name in names), {})
    if "definition" not in at and "description" in names:
        at["definition"] = names.index("description")
    return Header(at, {cell: i for i, cell in enumerate(cells) if i not in at.values()})


def pair_columns(names: Sequence[str], hypo: str | None = None, hyper: str | None = None) -> tuple[str, str]:
    """Return the names of the two columns of a table of pairs: those that the caller names, else those found in the
    header.

    >>> pair_columns(["id", "Child", "Parent"]), pair_columns(["child", "parent"], hyper="child")
    (('Child', 'Parent'), ('child', 'child'))

    Parameters
    ----------
    names
        The header of the table.
    hypo, hyper
        The columns of the narrower and of the broader term; None to find them by their names.
    """
    found = header_of(names)
    at = {} if found is None else {side: names[place] for side, place in found.at.items()}
    if len({"hypo", "hyper"} & set(at)) < 2:
        at = {}
    return (at.get("hypo", "hypo") if hypo is None else hypo, at.get("hyper", "hyper") if hyper is None else hyper)
