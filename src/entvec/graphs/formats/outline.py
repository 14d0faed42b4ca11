"""Outlines: indented lists with one term on each line, children below their parent, with or without bullets.

There are no comments, since words may begin with `#`. A term may occur more than once: under several parents, or again
at the top with its children.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from itertools import chain

import numpy as np

from entvec.graphs.formats.taxonomy_format import File, check_writable
from entvec.graphs.structure import Links
from entvec.graphs.taxonomy import Taxonomy

SYMBOL = "[-*+•‣◦▪●○■]"
MARK = rf"(?:{SYMBOL}|[0-9]{{1,9}}[.)])"
BLANK = r"[^\S\n]"
BULLET = re.compile(rf"{MARK}(?:\s+|\Z)")
LISTED = re.compile(rf"(?m)^(?:{BLANK}+\S|{SYMBOL}{BLANK})")
"""A line that is indented or has a bullet; a number is not enough, because a name may begin with one: 1. FC Köln."""
COLUMNS = re.compile(rf"(?m)^{BLANK}*(?:{MARK}{BLANK}+|(?!{MARK}{BLANK}))\S[^\t\n]*\t{BLANK}*\S")
"""A line with a tab between two texts; a tab after a bullet does not count."""
PLAIN = re.compile(r"[^\W\d_][^,]*")
"""A first line that needs no bullet: the file cannot be taken for another format."""
STEP = "  "
DEEPEST = 64
"""The deepest level that is written: the indentation of a chain of a million terms would fill a disk."""


def matches(content: bytes) -> bool:
    """Return True if no line has columns, and a line is indented or has a bullet."""
    text = content.decode(errors="replace")
    first, _, others = text.lstrip().partition("\n")
    bulleted = bool(BULLET.match(first))
    if not bulleted and any(mark in first and mark in others for mark in ",;|"):
        return False  # a separator in the first line only is part of a name
    return (bulleted or bool(LISTED.search(text))) and not COLUMNS.search(text)


def read(file: File) -> Taxonomy:
    """Read one term from each line; its parent is on the nearest line above it that is indented less."""
    terms: list[str] = []
    edges: list[tuple[str, str]] = []
    indents: list[str] = []
    above: list[str] = []
    bulleted: list[bool] = []
    beside: list[int] = []
    for number, line in enumerate(file.lines(), start=1):
        text = line.strip()
        if not text:
            continue
        indent = line[: len(line) - len(line.lstrip())].replace("\xa0", " ")  # web pages have both kinds of spaces
        depth = _depth(file, indents, indent, number)
        bullet = BULLET.match(text)
        term = text[bullet.end() :] if bullet else text
        _check_line(file, term, text, number)
        if depth == len(indents) - 1 and bullet and not bulleted[-1]:
            beside.append(number)
        indents[depth:], above[depth:], bulleted[depth:] = [indent], [term], [bool(bullet)]
        terms.append(term)
        if depth:
            edges.append((term, above[depth - 1]))
    if beside:
        file.warn(
            f"{len(beside):,} of the lines have a bullet, and the line before, which is indented as far, has none: "
            "taken for its neighbour; if it should be below, indent it more",
            line=beside[0],
        )
    return Taxonomy.from_edges(edges, terms=terms)


def _depth(file: File, indents: list[str], indent: str, number: int) -> int:
    """Return the level of a line, given the indentations of its possible parents and siblings."""
    level = bisect_left(indents, len(indent), key=len)
    if level < len(indents) and indents[level] == indent:
        return level
    if not indents or (level == len(indents) and indent.startswith(indents[-1])):
        return level
    if indents[-1].startswith(indent):
        nearest = " or ".join(map(_shown, indents[max(level - 1, 0) : level + 1]))
        raise file.error(
            f"expected an indentation that was there before, {nearest}, found {_shown(indent)}; "
            "move the line below or beside the one it belongs to",
            line=number,
        )
    raise file.error(
        f"expected an indentation that begins as that of the line before ({_shown(indents[-1])}), found "
        f"{_shown(indent)}; indent with spaces or with tabs, the same in all lines",
        line=number,
    )


def _check_line(file: File, term: str, text: str, number: int) -> None:
    if not term:
        raise file.error(
            f"expected a term after the bullet {text!r}, found none; write '- {text}' if that is the term", line=number
        )
    if "\t" in term:
        raise file.error(
            f"expected one term a line, found a tab inside {term[:80]!r}; read a table of edges as tsv", line=number
        )
    if "\r" in term:
        raise file.error(
            f"expected lines that end with a line feed, found a carriage return inside {term[:80]!r}; "
            "save the file with the line ends of Unix or Windows",
            line=number,
        )


def _shown(indent: str) -> str:
    for letter, name in ((" ", "space"), ("\t", "tab")):
        if not indent.strip(letter):
            return f"{len(indent):,} {name}{'' if len(indent) == 1 else 's'}"
    return repr(indent)


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a line for each edge and each top term; the children of a term are below its first line only."""
    terms = taxonomy.terms
    for term in terms:
        check_writable(term, "outlines")
    lines = _lines(taxonomy)
    top = next(lines, None)
    if top is None:
        return
    bare = PLAIN.fullmatch(terms[top[1]]) and not any(map(BULLET.match, terms))
    bullet = "" if bare else "- "
    for depth, row in chain([top], lines):
        yield f"{STEP * depth}{bullet}{terms[row]}\n"


def _lines(taxonomy: Taxonomy) -> Iterator[tuple[int, int]]:
    """Yield the depth and the index of the term of each line; without recursion, because a chain may be long."""
    n = len(taxonomy)
    children = Links(n, taxonomy.hyper, taxonomy.hypo)
    closed = (np.diff(children.starts) > 0).tolist()  # has children that are not written yet

    def tree(top: int) -> Iterator[tuple[int, int]]:
        stack = [(0, top)]
        too_deep: deque[int] = deque()
        while stack:
            depth, row = stack.pop()
            yield depth, row
            if closed[row] and depth == DEEPEST:
                too_deep.append(row)
            elif closed[row]:
                closed[row] = False
                stack += [(depth + 1, child) for child in reversed(children.of(row).tolist())]
            while too_deep and not stack:
                row = too_deep.popleft()
                if closed[row]:
                    stack.append((0, row))

    under = np.zeros(n, dtype=bool)
    under[taxonomy.hypo] = True
    for row in np.flatnonzero(~under).tolist():
        yield from tree(row)
    for row in range(n):
        if closed[row]:  # in a cycle that no term outside leads to
            yield from tree(row)
