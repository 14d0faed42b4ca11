"""Findings from vectors alone: edges that seem to be reversed or to lead astray, and missing ones.

An edge can be wrong in two ways, each with evidence of its own, whose log-odds add. If it is reversed,
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

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.graphs.structure import Reachability, bits
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.edge_findings import path_text
from entvec.taxonomy.evidence import Among, log_odds_of, reading, rows_of_terms
from entvec.taxonomy.findings import Finding
from entvec.theory.elementwise import known

SHAPE, TURNED = 2.4, 2.8
PAIR, NEAR, ASTRAY = 0.5, 5.7, 3.5
TYPICAL, TYPICAL_EDGES = -1.7, 10
"""The typical median distance, which has the weight of this many edges of the taxonomy."""
SUSPECT = 0.2
"""The least probability that an edge is wrong for a finding."""
SUGGESTED = 0.9
"""The least probability of an edge to any term above, for a missing edge to be suggested."""


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


def doubtful(taxonomy: Taxonomy, evidence: Evidence) -> Iterator[Finding]:
    """Yield edges that are probably wrong: reversed, or astray."""
    for edge in np.flatnonzero(evidence.wrong >= SUSPECT).tolist():  # not NaN
        hypo, hyper, _ = taxonomy.edge(edge)
        there, back = (float(known(each[edge])) for each in (evidence.log_odds, evidence.opposite))
        told = f"{path_text(taxonomy, (hypo, hyper))} has a probability of {there:.2f}, the reverse of {back:.2f}"
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


def missing(taxonomy: Taxonomy, evidence: Evidence, progress: Progress) -> Iterator[Finding]:
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
                edge = path_text(taxonomy, (hypo, hyper))
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
