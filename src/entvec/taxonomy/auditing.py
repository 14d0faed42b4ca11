"""Audit a taxonomy: find cycles, contradictions, and edges that are improbable, reversed, missing or duplicates.

A space that knows something says what the ends of each edge are to each other (`relation_findings`). Where there are
vectors alone, an edge can be wrong in two ways, each with evidence of its own, whose log-odds add. If it is reversed,
the opposite is more probable in the space, and the shape of the taxonomy is unusual: a hyper usually has other
hypos, and more of them than its hypo has. If it leads astray, it is improbable in the space, and its ends
are far apart compared with the other edges of this taxonomy.

    turned = s(log-odds of the opposite - log-odds - SHAPE shape - TURNED)
    shape  = log(1 + other children of the hyper) - log(1 + children of the hypo)
    astray = s(distance - its median - ASTRAY)
    distance = -PAIR log-odds - NEAR cosine

The constants were fitted by `tools/fit_evidence.py` to trees with artificial errors, which no evaluation uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.graphs.structure import Links, Reachability, Steps, bits, cycles, strong_components, transitive_reduction
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import data_frame
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.evidence import Among, log_odds_of, reading, rows_of_terms
from entvec.taxonomy.findings import KINDS, Finding
from entvec.taxonomy.relation_findings import Relations
from entvec.theory.elementwise import known

if TYPE_CHECKING:
    import pandas as pd

SHAPE, TURNED = 2.4, 2.8
PAIR, NEAR, ASTRAY = 0.5, 5.7, 3.5
TYPICAL, TYPICAL_EDGES = -1.7, 10
"""The typical median distance, which has the weight of this many edges of the taxonomy."""
SUSPECT = 0.2
"""The least probability that an edge is wrong for a finding."""
SUGGESTED = 0.9
"""The least probability of an edge to any term above, for a missing edge to be suggested."""
PATH_STEPS, PATH_STEPS_EACH = 1_000_000, 50
"""The steps that the searches for paths may take in all, or for each edge if that is more. In a chain of n terms that
all state the top as well, the paths together have n² / 2 terms. Findings that are left are told without a path."""


@dataclass(frozen=True, eq=False)
class Audit:
    """All findings, the gravest kind first and in each kind the surest first."""

    findings: tuple[Finding, ...]
    n_terms: int
    n_edges: int
    without_vector: tuple[str, ...]
    """Terms without a vector; the space has no evidence for their edges."""

    def of(self, kind: str) -> tuple[Finding, ...]:
        """Return the findings of one kind."""
        if kind not in KINDS:
            raise InvalidInput(f"no kind {kind!r}, expected one of {', '.join(KINDS)}")
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        return {
            "terms": self.n_terms,
            "edges": self.n_edges,
            "without_vector": list(self.without_vector),
            "counts": {kind: len(self.of(kind)) for kind in KINDS},
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame of the findings, as `entvec taxonomy audit --format tsv`; this needs pandas."""
        plain = ("kind", "severity", "hypo", "hyper", "probability", "reversed_probability")
        columns = {name: [getattr(finding, name) for finding in self.findings] for name in plain}
        columns["path"] = [" => ".join(finding.path) for finding in self.findings]
        columns["reason"] = [finding.reason for finding in self.findings]
        columns["fix"], columns["id"] = (
            [getattr(finding, name) for finding in self.findings] for name in ("fix", "id")
        )
        return data_frame(columns)

    def by_precision(self) -> tuple[Finding, ...]:
        """Return all findings, the surest first, whatever their kinds."""
        return tuple(sorted(self.findings, key=lambda finding: -finding.severity))

    def without(self, accepted: Iterable[str]) -> Audit:
        """Return the audit without findings that people have accepted, by their identifiers."""
        known = set(accepted)
        return replace(self, findings=tuple(finding for finding in self.findings if finding.id not in known))


def audit(
    taxonomy: Taxonomy, space: EntailmentSpace | None = None, *, missing: bool = True, progress: Progress | None = None
) -> Audit:
    """Return everything that seems wrong with a taxonomy.

    >>> found = audit(Taxonomy.from_edges([("dog", "animal"), ("animal", "pet"), ("pet", "dog")]))
    >>> found.findings[0].kind, found.findings[0].path
    ('cycle', ('dog', 'animal', 'pet', 'dog'))

    Parameters
    ----------
    taxonomy
        The taxonomy.
    space
        A calibrated space; without one, only the edges are examined. Terms are found by their label, or by a synonym.
    missing
        Also look where terms belong: missing edges, parents that are too distant, duplicates. A space that knows
        nothing compares all pairs of terms for this, so that the time grows with the square of their number.
    progress
        A callback that gets the number of terms compared so far and the number of all. What it raises ends the audit.
    """
    if not isinstance(taxonomy, Taxonomy):
        raise InvalidInput(f"{taxonomy!r:.40} is no Taxonomy; `read` reads one, Taxonomy.from_edges makes one of pairs")
    if not len(taxonomy):
        raise InvalidInput("the taxonomy is empty, expected at least one term")
    report = progress or (lambda *_: None)
    report(0, len(taxonomy))
    informed = space is not None and space.knowledge is not None
    relations = Relations(taxonomy, space) if informed and space is not None else None
    evidence = None if space is None or informed else Evidence(taxonomy, space, report)
    weights = relations.entails if relations else None if evidence is None else -evidence.wrong
    steps = Steps(max(PATH_STEPS, PATH_STEPS_EACH * len(taxonomy.hypo)))
    told = chain(
        _cycles(taxonomy, weights, steps),
        _contradictions(taxonomy, steps),
        () if evidence is None else _doubtful(taxonomy, evidence),
        () if relations is None else relations.findings(report, places=missing),
        _redundant(taxonomy, steps, report),
    )
    found = []
    for finding in told:
        report(0, len(taxonomy))
        found.append(finding)
    found += [
        *(() if evidence is None or not missing else _missing(taxonomy, evidence, report)),
        *(Finding("repeated", y, x, "said more than once", 1.0) for y, x in dict.fromkeys(taxonomy.duplicates)),
        *(Finding("self", term, term, "everything entails itself", 1.0) for term in dict.fromkeys(taxonomy.self_loops)),
        *(Finding("orphan", term, None, "nothing above it, and nothing below", 1.0) for term in taxonomy.orphans),
    ]
    kinds = list(KINDS)
    found.sort(key=lambda finding: (kinds.index(finding.kind), -finding.severity))
    unknown = relations.unknown if relations else () if evidence is None else evidence.unknown
    return Audit(tuple(found), len(taxonomy), len(taxonomy.hypo), unknown)


# Findings from the edges alone


def _cycles(taxonomy: Taxonomy, weights: AnyFloats | None, steps: Steps) -> Iterator[Finding]:
    """Yield a cycle for each edge that `break_cycles` drops, then one for each edge of a cycle that is not in those."""
    n, hypo, hyper = len(taxonomy), taxonomy.hypo, taxonomy.hyper
    weight = np.full(len(hypo), np.nan) if weights is None else weights
    part = strong_components(n, hypo, hyper)
    inside = np.flatnonzero(part[hypo] == part[hyper])
    edges = zip(hypo[inside].tolist(), hyper[inside].tolist(), strict=True)
    support = dict(zip(edges, weight[inside].tolist(), strict=True))
    named: set[tuple[int, int]] = set()

    def finding(low: int, high: int, nodes: list[int]) -> Finding:
        if not nodes:
            named.add((low, high))
            told = "in a circle with other edges, a long one"
            return Finding("cycle", taxonomy.terms[low], taxonomy.terms[high], told, 1.0)
        circle = [*nodes, nodes[0]]
        named.update(pairwise(circle))
        path = _names(taxonomy, circle)
        weakest = f"; the last step is the weakest: {_path_text(taxonomy, path[-2:])}"
        compared = not np.isnan([support[edge] for edge in pairwise(circle)]).any()
        told = _path_text(taxonomy, path) + (weakest if compared else "")
        return Finding("cycle", path[-2], path[-1], told, 1.0, path=path)

    for edge, nodes in cycles(n, hypo, hyper, weight, steps):
        yield finding(int(hypo[edge]), int(hyper[edge]), nodes)
    links = Links(n, hypo, hyper)
    for low, high in support:
        if (low, high) not in named:
            around = links.path(high, low, steps)
            weights = np.nan_to_num([support[edge] for edge in pairwise([*around, *around[:1]])], nan=-np.inf)
            last = int(weights.argmin()) + 1 if around else 0
            yield finding(low, high, around[last:] + around[:last])


def _contradictions(taxonomy: Taxonomy, steps: Steps) -> Iterator[Finding]:
    n, (hypo, hyper) = len(taxonomy), taxonomy.negations.T
    follows = (hypo == hyper) | Reachability(n, taxonomy.hypo, taxonomy.hyper).pairs(hypo, hyper)
    links = Links(n, taxonomy.hypo, taxonomy.hyper)
    for low, high in taxonomy.negations[follows].tolist():
        path = _names(taxonomy, links.path(low, high, steps))
        told = f"denied, but {_path_text(taxonomy, path) if path else 'a long path of edges says so'}"
        yield Finding("contradiction", taxonomy.terms[low], taxonomy.terms[high], told, 1.0, path=path)


def _redundant(taxonomy: Taxonomy, steps: Steps, progress: Progress) -> Iterator[Finding]:
    n, hypo, hyper = len(taxonomy), taxonomy.hypo, taxonomy.hyper
    kept = transitive_reduction(n, hypo, hyper, lambda *_: progress(0, n))
    links = Links(n, hypo[kept], hyper[kept])
    for low, high in zip(hypo[~kept].tolist(), hyper[~kept].tolist(), strict=True):
        path = _names(taxonomy, links.path(low, high, steps))
        told = f"follows from {_path_text(taxonomy, path) if path else 'a long path of other edges'}"
        yield Finding("redundant", taxonomy.terms[low], taxonomy.terms[high], told, 1.0, path=path)


def _names(taxonomy: Taxonomy, nodes: Iterable[int]) -> tuple[str, ...]:
    return tuple(taxonomy.terms[node] for node in nodes)


def _path_text(taxonomy: Taxonomy, path: Sequence[str]) -> str:
    """Return a path as text, with the names of its terms."""
    return " => ".join(taxonomy.labels.get(term, term) for term in path)


# Findings from the vectors


class Evidence:
    """The evidence of the vectors for the edges of a taxonomy; NaN for edges of terms without a vector."""

    def __init__(self, taxonomy: Taxonomy, space: EntailmentSpace, progress: Progress = lambda *_: None) -> None:
        space = reading(space, _called(taxonomy, space))
        rows = rows_of_terms(taxonomy, space)
        self.terms = np.flatnonzero(rows >= 0)
        """The indices of terms that have a vector."""
        self.unknown = tuple(taxonomy.terms[i] for i in np.flatnonzero(rows < 0).tolist())
        self.among = Among(space, rows[self.terms])
        self.place = np.full(len(rows), -1, dtype=np.int64)  # of each term among those; -1 without a vector
        self.place[self.terms] = np.arange(len(self.terms))
        hypo, hyper = self.place[taxonomy.hypo], self.place[taxonomy.hyper]
        there = (hypo >= 0) & (hyper >= 0)
        hypo, hyper = hypo[there], hyper[there]
        self.children = np.bincount(taxonomy.hyper, minlength=len(rows))
        self.shape = np.log(self.children[taxonomy.hyper]) - np.log1p(self.children[taxonomy.hypo])
        progress(0, len(rows))
        self.log_odds, self.opposite, self.nearness, self.evidence = np.full((4, len(there)), np.nan)
        if len(hypo):
            self.log_odds[there] = self.among.log_odds(hypo, hyper)
            self.opposite[there] = self.among.log_odds(hyper, hypo)
            self.nearness[there] = self.among.nearness(hypo, hyper)
            standing = self.among.standing[hyper]
            self.evidence[there] = self.among.total(self.log_odds[there], standing, self.nearness[there])
        self.turned = known(self.opposite - self.log_odds - SHAPE * self.shape - TURNED)
        distance = -PAIR * self.log_odds - NEAR * self.nearness
        middle = float(np.median(distance[there])) if len(hypo) else TYPICAL
        middle = (len(hypo) * middle + TYPICAL_EDGES * TYPICAL) / (len(hypo) + TYPICAL_EDGES)
        self.astray = known(distance - middle - ASTRAY)
        self.wrong = 1 - (1 - self.turned) * (1 - self.astray)


def _called(taxonomy: Taxonomy, space: EntailmentSpace) -> list[str]:
    """Return the labels of the terms that have no vector, not even by a synonym."""
    rows = rows_of_terms(taxonomy, space)
    return [taxonomy.label(taxonomy.terms[i]) for i in np.flatnonzero(rows < 0).tolist()]


def _doubtful(taxonomy: Taxonomy, evidence: Evidence) -> Iterator[Finding]:
    for edge in np.flatnonzero(evidence.wrong >= SUSPECT).tolist():  # not NaN
        hypo, hyper, _ = taxonomy.edge(edge)
        there, back = (float(known(each[edge])) for each in (evidence.log_odds, evidence.opposite))
        told = f"{_path_text(taxonomy, (hypo, hyper))} has a probability of {there:.2f}, the reverse of {back:.2f}"
        if evidence.turned[edge] > evidence.astray[edge]:
            below, above = evidence.children[[taxonomy.hypo[edge], taxonomy.hyper[edge]]].tolist()
            kind, told = "reversed", told + _shape_text(taxonomy.label(hypo), below, taxonomy.label(hyper), above - 1)
        else:
            kind, told = "improbable", f"{told}, and their cosine is {evidence.nearness[edge]:z.2f}"
        yield Finding(kind, hypo, hyper, told, float(evidence.wrong[edge]), there, back)


def _shape_text(hypo: str, below: int, hyper: str, others: int) -> str:
    if others > below:
        return ""
    children = "child" if others == 1 else "children"
    return f"; {hyper} has {others} other {children}, {hypo} has {below}"


def _missing(taxonomy: Taxonomy, evidence: Evidence, progress: Progress) -> Iterator[Finding]:
    """Yield the best missing parent of each term, if some term above is surely better than its present parents.

    The sure term may be general; the suggested parent only has to be probable. A parent without a vector is never
    worse than another term.
    """
    among, n = evidence.among, len(evidence.among)
    if n < 2:
        return
    best_now = np.full(len(taxonomy), -np.inf)
    np.maximum.at(best_now, taxonomy.hypo, np.nan_to_num(evidence.evidence, nan=np.inf))
    least = log_odds_of(SUGGESTED)
    up = Reachability(len(taxonomy), taxonomy.hypo, taxonomy.hyper)
    down = Reachability(len(taxonomy), taxonomy.hyper, taxonomy.hypo)
    for block, all_evidence in among.matrix():
        terms = evidence.terms[block]
        related = up.rows(terms)[:, evidence.terms] | down.rows(terms)[:, evidence.terms]
        possible = (among.standing[None] > among.standing[block, None]) & ~related
        if len(taxonomy.negations):
            possible &= ~_denied(taxonomy, down, terms)[:, evidence.terms]
        possible &= all_evidence >= np.maximum(0.0, best_now[terms])[:, None]
        possible &= (possible & (all_evidence >= least)).any(axis=1, keepdims=True)
        best = np.where(possible, among.as_parents(all_evidence), -np.inf).argmax(axis=1)
        for i, j in enumerate(best.tolist()):
            hypo = taxonomy.terms[terms[i]]
            if possible[i, j]:
                hyper = taxonomy.terms[evidence.terms[j]]
                there, back = (
                    known(among.log_odds(*pair)) for pair in ((block[[i]], np.array([j])), (np.array([j]), block[[i]]))
                )
                edge = _path_text(taxonomy, (hypo, hyper))
                told = f"{edge} has a probability of {there[0]:.2f}, and more evidence than what is above now"
                yield Finding(
                    "missing", hypo, hyper, told, float(known(all_evidence[i, j])), float(there[0]), float(back[0])
                )
        progress(int(block[-1]) + 1, n)


def _denied(taxonomy: Taxonomy, down: Reachability, terms: Rows) -> NDArray[np.bool_]:
    """Return a row for each of some terms, with True for terms to which an edge would imply what is denied."""
    own = [0] * len(taxonomy)
    for i, term in enumerate(terms.tolist()):
        own[term] = 1 << i
    entailed = down.joined(own)  # the terms, as bits, that are above each term
    refused = [0] * len(taxonomy)
    for hypo, hyper in taxonomy.negations.tolist():
        refused[hyper] |= entailed[hypo]
    return bits(down.joined(refused), len(terms)).T
