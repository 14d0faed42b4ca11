"""Draw a taxonomy as a tree of text lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.cells import cell_len, set_cell_size

from entvec.errors import InvalidInput, shown
from entvec.graphs.structure import Links, break_cycles
from entvec.graphs.taxonomy import Taxonomy

AGAIN = "↑"
"""The mark after a term whose children are drawn elsewhere."""
BRANCH, LAST, BESIDE, BELOW = "├── ", "└── ", "│   ", "    "


def draw(
    taxonomy: Taxonomy,
    *,
    width: int | None = None,
    probabilities: bool = True,
    max_depth: int | None = None,
    max_children: int | None = None,
) -> str:
    """Return the taxonomy as lines of text, hypers above their hypos.

    The children of a term with several parents are drawn under its most probable parent (of equals, the first). Under
    the others there is only the term, with an arrow. The same holds for terms of a cycle.

    >>> edges = [("dog", "animal", 0.9), ("poodle", "dog"), ("dog", "pet", 0.4)]
    >>> print(draw(Taxonomy.from_edges(edges)))
    animal
    └── dog 0.90
        └── poodle
    pet
    └── dog 0.40 ↑

    Parameters
    ----------
    taxonomy
        The taxonomy to draw.
    width
        The number of columns of the terminal; longer lines are cut. None cuts no line.
    probabilities
        Write the probability of an edge after its hypo.
    max_depth
        The largest number of edges between a root and a term that is drawn.
    max_children
        The largest number of children to draw under one term, and of roots; the others are counted.
    """
    for name, value in (("width", width), ("max_depth", max_depth), ("max_children", max_children)):
        if value is not None and (not isinstance(value, int) or value < (name != "max_depth")):
            raise InvalidInput(f"{name} is {value!r}, expected a whole number above 0, or None")
    drawing = _Drawing(taxonomy, probabilities=probabilities, depth=max_depth, children=max_children, width=width)
    lines = drawing.lines()
    return "\n".join(line if width is None else _cut(line, width) for line in lines)


class _Drawing:
    """Chooses the parent under which each term is drawn with its children, and makes the lines."""

    def __init__(
        self, taxonomy: Taxonomy, *, probabilities: bool, depth: int | None, children: int | None, width: int | None
    ) -> None:
        self.taxonomy, self.probabilities, self.depth, self.children = taxonomy, probabilities, depth, children
        self.width = width
        n, hypo, hyper = len(taxonomy), taxonomy.hypo, taxonomy.hyper
        strength = np.where(np.isnan(taxonomy.probability), -1, taxonomy.probability)
        kept = break_cycles(n, hypo, hyper, strength)
        # The edge under which a term's children are drawn: one outside cycles, the most probable, then the first.
        order = np.argsort(-strength, kind="stable")
        self.home = np.full(n, -1, dtype=np.intp)
        best_last = order[::-1][kept[order[::-1]]]
        self.home[hypo[best_last]] = best_last
        self._edges = Links(n, hyper, np.arange(len(hyper)))

    def lines(self) -> Iterator[str]:
        """Yield a line for each root and each edge; without recursion, because a chain may be long."""
        tops = np.flatnonzero(self.home < 0)
        shown = tops if self.children is None else tops[: self.children]
        for top in shown:
            yield self._name(int(top))
            yield from self._under(int(top))
        if len(shown) < len(tops):
            yield _more(len(tops) - len(shown))

    def _under(self, top: int) -> Iterator[str]:
        stack = [("", self._entries(top, 0))]
        while stack:
            before, entries = stack[-1]
            if not entries:
                stack.pop()
                continue
            entry = entries.pop()
            yield before + (BRANCH if entries else LAST) + self._line(entry)
            edge = entry if isinstance(entry, int) else None
            if edge is not None and self.home[self.taxonomy.hypo[edge]] == edge:
                # Lines are cut at the width, so the indentation of a long chain need not grow beyond it.
                wide = self.width is not None and len(before) > self.width
                inside = before if wide else before + (BESIDE if entries else BELOW)
                stack.append((inside, self._entries(int(self.taxonomy.hypo[edge]), len(stack))))

    def _entries(self, term: int, depth: int) -> list[int | str]:
        """Return the edges to draw under a term, the last first, and a text if there are more."""
        edges = self._edges.of(term).tolist()
        limit = len(edges) if self.children is None else self.children
        if self.depth is not None and depth >= self.depth:
            limit = 0
        left_out = len(edges) - limit
        return [*([_more(left_out)] if left_out > 0 else []), *reversed(edges[:limit])]

    def _line(self, entry: int | str) -> str:
        if isinstance(entry, str):
            return entry
        hypo = int(self.taxonomy.hypo[entry])
        probability = float(self.taxonomy.probability[entry])
        known = f" {probability:.2f}" if self.probabilities and probability == probability else ""
        return f"{self._name(hypo)}{known}{'' if self.home[hypo] == entry else ' ' + AGAIN}"

    def _name(self, term: int) -> str:
        name = self.taxonomy.terms[term]
        return shown(self.taxonomy.labels.get(name, name))


def _more(n: int) -> str:
    return f"… {n:,} more"


def _cut(line: str, width: int) -> str:
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"
