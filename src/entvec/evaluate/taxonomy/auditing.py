"""How many errors an audit finds that were put into known trees: edges turned round, random edges, and cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from entvec.evaluate.taxonomy.measured import Row, row
from entvec.evaluate.taxonomy.trees import Tree
from entvec.space import EntailmentSpace
from entvec.taxonomy import Audit, Taxonomy, audit
from entvec.taxonomy.evidence import Among
from entvec.theory.elementwise import known

STUDY = "audit"
SHARE = 0.05
CYCLES = 2
LEAST_EDGES = 50
SEEDS = 5

Pair = tuple[str, str]


class Spoilt(NamedTuple):
    """A tree with errors in it, and which of its edges they are."""

    taxonomy: Taxonomy
    turned: frozenset[Pair]
    random: frozenset[Pair]
    closing: frozenset[Pair]
    """The edges that close a cycle."""

    @property
    def wrong(self) -> frozenset[Pair]:
        """All edges that were put in."""
        return self.turned | self.random | self.closing


def spoil(tree: Tree, seed: int) -> Spoilt:
    """Turn some edges of a tree round, add as many random ones, and edges that close two cycles."""
    rng = np.random.default_rng(seed)
    true = [(int(y), int(x)) for y, x in np.argwhere(tree.edges)]
    n = max(1, round(SHARE * len(true)))
    chosen = set(rng.permutation(len(true))[:n].tolist())
    turned = {(x, y) for i, (y, x) in enumerate(true) if i in chosen}
    edges = [(x, y) if i in chosen else (y, x) for i, (y, x) in enumerate(true)]
    random: set[tuple[int, int]] = set()
    while len(random) < n:
        y, x = rng.integers(len(tree.words), size=2).tolist()
        if y != x and not tree.ancestors[y, x] and not tree.ancestors[x, y]:
            random.add((y, x))
    untouched = [edge for i, edge in enumerate(true) if i not in chosen]
    steps = {(y, x) for y, x in untouched}
    # From an ancestor down to a hypo by two edges that are still there, so that a circle of three is closed.
    ways = sorted({(z, y) for y, x in steps for x2, z in steps if x == x2} - turned - random)
    closing = {ways[i] for i in rng.permutation(len(ways))[:CYCLES]}
    names = [(tree.words[y], tree.words[x]) for y, x in dict.fromkeys([*edges, *sorted(random), *sorted(closing)])]

    def named(pairs: set[tuple[int, int]]) -> frozenset[Pair]:
        return frozenset((tree.words[y], tree.words[x]) for y, x in pairs)

    return Spoilt(Taxonomy.from_edges(names, terms=tree.words), named(turned), named(random), named(closing))


def evaluate(space: EntailmentSpace, trees: Sequence[Tree], seeds: int = SEEDS) -> list[Row]:
    """The audit, the space's probability alone, and chance, on trees that are not too small."""
    cases = [spoil(tree, seed) for tree in trees if tree.edges.sum() >= LEAST_EDGES for seed in range(seeds)]
    found: dict[str, list[dict[str, float]]] = {"audit": [], "the space's probability alone": [], "chance": []}
    for case in cases:
        told = audit(case.taxonomy, space, missing=False)
        ranked = list(
            dict.fromkeys(
                (f.hypo, str(f.hyper)) for f in told.findings if f.kind in ("cycle", "reversed", "improbable")
            )
        )
        ranked += [edge for edge in by_probability(case.taxonomy, space) if edge not in set(ranked)]
        found["audit"].append(_measures(ranked, case) | {"cycles_named": _cycles_named(told, case)})
        found["the space's probability alone"].append(_measures(by_probability(case.taxonomy, space), case))
        n = len(case.taxonomy.hypo)
        found["chance"].append(
            {"precision": len(case.wrong) / n, "turned_found": len(case.wrong) / n, "random_found": len(case.wrong) / n}
        )
    return [
        row(
            STUDY, name, {each: np.array([m[each] for m in measured]) for each in measured[0]}, baseline=name != "audit"
        )
        for name, measured in found.items()
    ]


def by_probability(taxonomy: Taxonomy, space: EntailmentSpace) -> list[Pair]:
    """The edges of a taxonomy, the least probable first."""
    rows = np.array([space.vectors.row(term) for term in taxonomy.terms])
    probable = known(Among(space, rows).log_odds(taxonomy.hypo.astype(np.int64), taxonomy.hyper.astype(np.int64)))
    return [taxonomy.edge(i)[:2] for i in np.argsort(probable, kind="stable").tolist()]


def _measures(ranked: list[Pair], case: Spoilt) -> dict[str, float]:
    """Of as many edges as were put in: the share that is wrong; and the shares of each kind that are among them."""
    first = set(ranked[: len(case.wrong)])
    return {
        "precision": len(first & case.wrong) / len(case.wrong),
        "turned_found": len(first & case.turned) / len(case.turned),
        "random_found": len(first & case.random) / len(case.random),
    }


def _cycles_named(told: Audit, case: Spoilt) -> float:
    """The share of the edges that close a cycle which are a step of one that was named."""
    steps = {pair for finding in told.of("cycle") for pair in zip(finding.path, finding.path[1:], strict=False)}
    return len(case.closing & steps) / len(case.closing)
