"""Audit a taxonomy: find cycles, contradictions, and edges that are improbable, reversed, missing or duplicates.

The edges alone show some findings (`edge_findings`). A space that knows something says what the ends of each edge are
to each other (`relation_findings`); vectors alone say less (`vector_findings`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from entvec.errors import InvalidInput
from entvec.graphs.structure import Steps
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import data_frame
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy import edge_findings, vector_findings
from entvec.taxonomy.findings import KINDS, Finding
from entvec.taxonomy.relation_findings import Relations

if TYPE_CHECKING:
    import pandas as pd

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
    evidence = None if space is None or informed else vector_findings.Evidence(taxonomy, space, report)
    weights = relations.entails if relations else None if evidence is None else -evidence.wrong
    steps = Steps(max(PATH_STEPS, PATH_STEPS_EACH * len(taxonomy.hypo)))
    told = chain(
        edge_findings.cycles_of(taxonomy, weights, steps),
        edge_findings.contradictions(taxonomy, steps),
        () if evidence is None else vector_findings.doubtful(taxonomy, evidence),
        () if relations is None else relations.findings(report, places=missing),
        edge_findings.redundant(taxonomy, steps, report),
    )
    found = []
    for finding in told:
        report(0, len(taxonomy))
        found.append(finding)
    found += [
        *(() if evidence is None or not missing else vector_findings.missing(taxonomy, evidence, report)),
        *(Finding("repeated", y, x, "said more than once", 1.0) for y, x in dict.fromkeys(taxonomy.duplicates)),
        *(Finding("self", term, term, "everything entails itself", 1.0) for term in dict.fromkeys(taxonomy.self_loops)),
        *(Finding("orphan", term, None, "nothing above it, and nothing below", 1.0) for term in taxonomy.orphans),
    ]
    kinds = list(KINDS)
    found.sort(key=lambda finding: (kinds.index(finding.kind), -finding.severity))
    unknown = relations.unknown if relations else () if evidence is None else evidence.unknown
    return Audit(tuple(found), len(taxonomy), len(taxonomy.hypo), unknown)
