"""Findings from the edges alone: cycles, contradictions, and edges that follow from others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from entvec.array_types import AnyFloats
from entvec.graphs.structure import Links, Reachability, Steps, cycles, strong_components, transitive_reduction
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.taxonomy.findings import Finding


def cycles_of(taxonomy: Taxonomy, weights: AnyFloats | None, steps: Steps) -> Iterator[Finding]:
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
        weakest = f"; the last step is the weakest: {path_text(taxonomy, path[-2:])}"
        compared = not np.isnan([support[edge] for edge in pairwise(circle)]).any()
        told = path_text(taxonomy, path) + (weakest if compared else "")
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


def contradictions(taxonomy: Taxonomy, steps: Steps) -> Iterator[Finding]:
    """Yield entailments that are denied and follow all the same."""
    n, (hypo, hyper) = len(taxonomy), taxonomy.negations.T
    follows = (hypo == hyper) | Reachability(n, taxonomy.hypo, taxonomy.hyper).pairs(hypo, hyper)
    links = Links(n, taxonomy.hypo, taxonomy.hyper)
    for low, high in taxonomy.negations[follows].tolist():
        path = _names(taxonomy, links.path(low, high, steps))
        told = f"denied, but {path_text(taxonomy, path) if path else 'a long path of edges says so'}"
        yield Finding("contradiction", taxonomy.terms[low], taxonomy.terms[high], told, 1.0, path=path)


def redundant(taxonomy: Taxonomy, steps: Steps, progress: Progress) -> Iterator[Finding]:
    """Yield edges that follow from others."""
    n, hypo, hyper = len(taxonomy), taxonomy.hypo, taxonomy.hyper
    kept = transitive_reduction(n, hypo, hyper, lambda *_: progress(0, n))
    links = Links(n, hypo[kept], hyper[kept])
    for low, high in zip(hypo[~kept].tolist(), hyper[~kept].tolist(), strict=True):
        path = _names(taxonomy, links.path(low, high, steps))
        told = f"follows from {path_text(taxonomy, path) if path else 'a long path of other edges'}"
        yield Finding("redundant", taxonomy.terms[low], taxonomy.terms[high], told, 1.0, path=path)


def _names(taxonomy: Taxonomy, nodes: Iterable[int]) -> tuple[str, ...]:
    return tuple(taxonomy.terms[node] for node in nodes)


def path_text(taxonomy: Taxonomy, path: Sequence[str]) -> str:
    """Return a path as text, with the names of its terms."""
    return " => ".join(taxonomy.labels.get(term, term) for term in path)
