"""What is wrong with a taxonomy: cycles, contradictions, edges that are improbable, reversed, missing or said twice.

An edge has three witnesses in the space (`entvec.taxonomy.evidence`), and one more in the taxonomy itself: its shape. A
hyper usually has other hypos, and more of them than the hypo has. All are log-odds, and add:

    support = evidence + log n + SHAPE (log(1 + other children of the hyper) - log(1 + children of the hypo))

How probably an edge is wrong is s(-DOUBT (support + 1)), where one edge in ten is. The two constants were fitted, like
those of the evidence, to trees that are never measured on, with errors put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.taxonomy.evidence import Among, Floats, Rows
from entvec.taxonomy.structure import closure, cycles, redundant, strong_components
from entvec.taxonomy.taxonomy import SYNONYM, Taxonomy
from entvec.theory.elementwise import known

KINDS = {
    "cycle": "terms that entail each other in a circle",
    "contradiction": "entailments that are denied and follow all the same",
    "reversed": "edges that seem to lead the wrong way",
    "improbable": "edges that the vectors do not support",
    "missing": "edges that the vectors suggest",
    "redundant": "edges that follow from others",
    "repeated": "edges that are said more than once",
    "self": "terms that are said to entail themselves",
    "orphan": "terms without any edge",
}
"""What there is to find, the gravest first."""

SHAPE, DOUBT = 1.5, 0.7
SUSPECT = 0.3
"""How probably wrong an edge must be to be named."""
SUGGESTED = 0.9
"""How probable an edge must be to be missed."""
MARGIN = 2.0
"""By how much more support the reversed edge must have, to call an edge reversed."""

Progress = Callable[[int, int], None]


class Finding(NamedTuple):
    """Something that is wrong, or may be."""

    kind: str
    hypo: str
    hyper: str | None
    reason: str
    severity: float
    """How probably it is wrong; 1 where there is no doubt."""
    probability: float | None = None
    """What the space alone says: the probability that the hypo entails the hyper."""
    reversed_probability: float | None = None
    """The probability of the opposite."""
    path: tuple[str, ...] = ()
    """The terms of a cycle, or of the way by which an edge is implied."""


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found, the gravest kind first and in each the surest first."""

    findings: tuple[Finding, ...]
    n_terms: int
    n_edges: int
    without_vector: tuple[str, ...]
    """Terms that the space does not know, so that nothing is said of the edges that they have."""

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        if kind not in KINDS:
            raise InvalidInput(f"no kind {kind!r}, expected one of {', '.join(KINDS)}")
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "terms": self.n_terms,
            "edges": self.n_edges,
            "without_vector": list(self.without_vector),
            "counts": {kind: len(self.of(kind)) for kind in KINDS},
            "findings": [finding._asdict() | {"path": list(finding.path)} for finding in self.findings],
        }


def audit(
    taxonomy: Taxonomy, space: EntailmentSpace | None = None, *, missing: bool = True, progress: Progress | None = None
) -> Audit:
    """All that seems wrong with a taxonomy; without a space, only what its edges tell.

    Terms are looked up in the space by their label, else by a synonym. `missing` also compares all pairs of terms,
    which takes time in the square of their number; `progress` is called with what is done of it and what there is.

    >>> found = audit(Taxonomy.from_edges([("dog", "animal"), ("animal", "pet"), ("pet", "dog")]))
    >>> found.findings[0].kind, found.findings[0].path
    ('cycle', ('dog', 'animal', 'pet', 'dog'))
    """
    if not len(taxonomy):
        raise InvalidInput("the taxonomy is empty, expected at least one term")
    evidence = None if space is None else _Evidence(taxonomy, space)
    found = [
        *_cycles(taxonomy, evidence),
        *_contradictions(taxonomy),
        *(() if evidence is None else _doubtful(taxonomy, evidence)),
        *(() if evidence is None or not missing else _missing(taxonomy, evidence, progress)),
        *_redundant(taxonomy),
        *(Finding("repeated", y, x, "said more than once", 1.0) for y, x in dict.fromkeys(taxonomy.repeated)),
        *(Finding("self", term, term, "everything entails itself", 1.0) for term in dict.fromkeys(taxonomy.selves)),
        *(Finding("orphan", term, None, "nothing above it, and nothing below", 1.0) for term in taxonomy.orphans),
    ]
    kinds = list(KINDS)
    found.sort(key=lambda finding: (kinds.index(finding.kind), -finding.severity))
    unknown = () if evidence is None else evidence.unknown
    return Audit(tuple(found), len(taxonomy), len(taxonomy.hypo), unknown)


# What the edges tell


def _cycles(taxonomy: Taxonomy, evidence: _Evidence | None) -> Iterator[Finding]:
    """A cycle for each edge that would have to go, and then one for each edge in a circle that was not yet named."""
    n, hypo, hyper = len(taxonomy), taxonomy.hypo, taxonomy.hyper
    weight = None if evidence is None else evidence.support
    named: set[tuple[int, int]] = set()

    def finding(nodes: list[int]) -> Finding:
        circle = [*nodes, nodes[0]]
        named.update(pairwise(circle))
        path = tuple(taxonomy.terms[node] for node in circle)
        weakest = "" if evidence is None else f"; the last step is the weakest: {_told(taxonomy, path[-2:])}"
        return Finding("cycle", path[-2], path[-1], _told(taxonomy, path) + weakest, 1.0, path=path)

    for nodes in cycles(n, hypo, hyper, weight):
        yield finding(nodes)
    part = strong_components(n, hypo, hyper)
    inside = np.flatnonzero(part[hypo] == part[hyper])
    for low, high in zip(hypo[inside].tolist(), hyper[inside].tolist(), strict=True):
        if (low, high) not in named:
            around = [taxonomy.index(term) for term in taxonomy.path(taxonomy.terms[high], taxonomy.terms[low])]
            yield finding(_weakest_last(around, taxonomy, weight))


def _weakest_last(nodes: list[int], taxonomy: Taxonomy, weight: Floats | None) -> list[int]:
    """The same circle, begun where its last step, back to the first node, is the one with the least support."""
    if weight is None:
        return nodes
    steps = dict(zip(zip(taxonomy.hypo.tolist(), taxonomy.hyper.tolist(), strict=True), weight.tolist(), strict=True))
    support = [steps[step] for step in zip(nodes, [*nodes[1:], nodes[0]], strict=True)]
    first = (int(np.nanargmin(support)) + 1) % len(nodes) if not np.isnan(support).all() else 0
    return nodes[first:] + nodes[:first]


def _contradictions(taxonomy: Taxonomy) -> Iterator[Finding]:
    for hypo, hyper in taxonomy.denied():
        path = taxonomy.path(hypo, hyper)
        if path:
            yield Finding("contradiction", hypo, hyper, f"denied, but {_told(taxonomy, path)}", 1.0, path=path)


def _redundant(taxonomy: Taxonomy) -> Iterator[Finding]:
    implied = redundant(len(taxonomy), taxonomy.hypo, taxonomy.hyper)
    rest = taxonomy.keeping(~implied)
    for edge in np.flatnonzero(implied).tolist():
        hypo, hyper, _ = taxonomy.edge(edge)
        path = rest.path(hypo, hyper)
        yield Finding("redundant", hypo, hyper, f"follows from {_told(taxonomy, path)}", 1.0, path=path)


def _told(taxonomy: Taxonomy, path: Sequence[str]) -> str:
    """A way along edges, by what its terms are called."""
    return " => ".join(map(taxonomy.label, path))


# What the vectors tell


class _Evidence:
    """What is known of the edges of a taxonomy whose terms have vectors."""

    def __init__(self, taxonomy: Taxonomy, space: EntailmentSpace) -> None:
        rows = np.array([_row(taxonomy, space, term) for term in taxonomy.terms], dtype=np.int64)
        self.terms = np.flatnonzero(rows >= 0)
        """Those that have a vector."""
        self.unknown = tuple(taxonomy.terms[i] for i in np.flatnonzero(rows < 0).tolist())
        place = np.full(len(rows), -1, dtype=np.int64)
        place[self.terms] = np.arange(len(self.terms))
        self.among = Among(space, rows[self.terms])
        self.hypo, self.hyper = place[taxonomy.hypo], place[taxonomy.hyper]
        """The ends of all edges among the terms that have a vector; -1 for others."""
        self.edges = np.flatnonzero((self.hypo >= 0) & (self.hyper >= 0))
        children = np.bincount(taxonomy.hyper, minlength=len(rows))
        self._shape = SHAPE * (np.log(children[taxonomy.hyper]) - np.log1p(children[taxonomy.hypo]))
        self.support = np.full(len(taxonomy.hypo), np.nan)
        """Of each edge; NaN where a vector is missing."""
        self.support[self.edges] = self._support(self.hypo, self.hyper) + self._shape[self.edges]
        self.opposite = np.full(len(taxonomy.hypo), np.nan)
        """Of each edge the support that it would have the other way round."""
        self.opposite[self.edges] = self._support(self.hyper, self.hypo) - self._shape[self.edges]

    def _support(self, hypo: Rows, hyper: Rows) -> Floats:
        if not len(self.edges):
            return np.empty(0)
        return np.asarray(self.among.pairs(hypo[self.edges], hyper[self.edges]) + np.log(len(self.among)))

    def probabilities(self, edges: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """What the space says of some edges, as they are and the other way round."""
        hypo, hyper = self.hypo[edges], self.hyper[edges]
        return known(self.among.log_odds(hypo, hyper)), known(self.among.log_odds(hyper, hypo))


def _row(taxonomy: Taxonomy, space: EntailmentSpace, term: str) -> int:
    names = [taxonomy.label(term), *taxonomy.about.get(term, {}).get(SYNONYM, ())]
    return next((space.vectors.row(name) for name in names if name in space), -1)


def _doubtful(taxonomy: Taxonomy, evidence: _Evidence) -> Iterator[Finding]:
    edges = evidence.edges
    if not len(edges):
        return
    wrong = known(-DOUBT * (evidence.support[edges] + 1))
    there, back = evidence.probabilities(edges)
    turned = evidence.opposite[edges] > evidence.support[edges] + MARGIN
    turned &= known(-DOUBT * (evidence.opposite[edges] + 1)) < SUSPECT
    for i in np.flatnonzero(wrong >= SUSPECT).tolist():
        hypo, hyper, _ = taxonomy.edge(int(edges[i]))
        kind = "reversed" if turned[i] else "improbable"
        numbers = f"{_told(taxonomy, (hypo, hyper))} has a probability of {there[i]:.2f}, the reverse of {back[i]:.2f}"
        shape = _shape_told(taxonomy, hypo, hyper)
        yield Finding(kind, hypo, hyper, numbers + shape, float(wrong[i]), float(there[i]), float(back[i]))


def _shape_told(taxonomy: Taxonomy, hypo: str, hyper: str) -> str:
    below, others = len(taxonomy.children(hypo)), len(taxonomy.children(hyper)) - 1
    return (
        ""
        if others > below
        else (f"; {taxonomy.label(hyper)} has {others} other children, {taxonomy.label(hypo)} has {below}")
    )


def _missing(taxonomy: Taxonomy, evidence: _Evidence, progress: Progress | None) -> Iterator[Finding]:
    """For each term the best parent that it does not have, if it is better than those that it has."""
    among, n = evidence.among, len(evidence.among)
    if n < 2:
        return
    best_now = np.full(len(taxonomy), -np.inf)
    np.maximum.at(best_now, taxonomy.hypo[evidence.edges], evidence.support[evidence.edges] - np.log(n))
    least = np.log(SUGGESTED) - np.log1p(-SUGGESTED)
    place = np.full(len(taxonomy), -1, dtype=np.int64)
    place[evidence.terms] = np.arange(n)
    denied = place[taxonomy.negations]
    denied = denied[(denied >= 0).all(axis=1)]
    for block, support in among.matrix():
        terms = evidence.terms[block]
        related = closure(len(taxonomy), taxonomy.hypo, taxonomy.hyper, terms)[:, evidence.terms].toarray()
        below = closure(len(taxonomy), taxonomy.hyper, taxonomy.hypo, terms)[:, evidence.terms].toarray()
        possible = (among.standing[None] > among.standing[block, None]) & ~related & ~below
        here = denied[(denied[:, 0] >= block[0]) & (denied[:, 0] <= block[-1])]
        possible[here[:, 0] - block[0], here[:, 1]] = False
        found = np.where(possible, support, -np.inf)
        for i, j in enumerate(found.argmax(axis=1).tolist()):
            hypo = taxonomy.terms[terms[i]]
            if found[i, j] >= max(least, best_now[terms[i]]):
                hyper = taxonomy.terms[evidence.terms[j]]
                there, back = (
                    known(among.log_odds(*pair)) for pair in ((block[[i]], np.array([j])), (np.array([j]), block[[i]]))
                )
                edge = _told(taxonomy, (hypo, hyper))
                told = f"{edge} has a probability of {there[0]:.2f}, and no better parent is there now"
                yield Finding("missing", hypo, hyper, told, float(known(found[i, j])), float(there[0]), float(back[0]))
        if progress is not None:
            progress(int(block[-1]) + 1, n)
