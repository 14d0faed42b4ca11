"""How many errors an audit finds that were put into known trees: edges turned round, random edges, and cycles.

Random edges mostly lead to words that have nothing else below them, which is not how people err. So there is a second
way to spoil a tree: words without children are filed under a wrong concept that has three children or more. In one
tree, of animals alone, that is a fine distinction; so it is done to pairs of trees, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from entvec.evaluate.taxonomy.measured import Floats, Row, row
from entvec.evaluate.taxonomy.trees import Tree
from entvec.space import EntailmentSpace
from entvec.taxonomy import Audit, Taxonomy, audit
from entvec.taxonomy.evidence import Among
from entvec.theory.elementwise import known

STUDY = "audit"
SHARE = 0.05
CYCLES = 2
LEAST_EDGES = 50
LEAST_CHILDREN = 3
SEEDS = 5

Pair = tuple[str, str]
Places = set[tuple[int, int]]


class Spoilt(NamedTuple):
    """A tree with errors in it, and which of its edges they are."""

    taxonomy: Taxonomy
    turned: frozenset[Pair]
    added: frozenset[Pair]
    """Edges between words neither of which entails the other."""
    closing: frozenset[Pair]
    """Edges that close a cycle."""

    @property
    def wrong(self) -> frozenset[Pair]:
        """All edges that were put in."""
        return self.turned | self.added | self.closing


def spoil(tree: Tree, seed: int, *, misfiled: bool = False) -> Spoilt:
    """Turn some edges of a tree round, add as many wrong ones, and edges that close two cycles."""
    rng = np.random.default_rng(seed)
    true = [(int(y), int(x)) for y, x in np.argwhere(tree.edges)]
    n = max(1, round(SHARE * len(true)))
    chosen = set(rng.permutation(len(true))[:n].tolist())
    turned = {(x, y) for i, (y, x) in enumerate(true) if i in chosen}
    added = _added(tree, n, rng, misfiled=misfiled)
    # Down from a grandparent by two edges that are still there, so that a circle of three is closed.
    steps = {edge for i, edge in enumerate(true) if i not in chosen}
    ways = sorted({(z, y) for y, x in steps for x2, z in steps if x == x2} - turned - added)
    closing = {ways[i] for i in rng.permutation(len(ways))[:CYCLES]}
    edges = dict.fromkeys(
        [*(edge for edge in true if edge in steps), *sorted(turned), *sorted(added), *sorted(closing)]
    )

    def named(pairs: Places) -> frozenset[Pair]:
        return frozenset((tree.words[y], tree.words[x]) for y, x in pairs)

    words = [(tree.words[y], tree.words[x]) for y, x in edges]
    return Spoilt(Taxonomy.from_edges(words, terms=tree.words), named(turned), named(added), named(closing))


def _added(tree: Tree, n: int, rng: np.random.Generator, *, misfiled: bool) -> Places:
    """Edges that are wrong: between any two words, or from one without children to one with several."""
    children = tree.edges.sum(axis=0)
    hypos = np.flatnonzero(children == 0) if misfiled else np.arange(len(children))
    hypers = np.flatnonzero(children >= LEAST_CHILDREN) if misfiled else np.arange(len(children))
    unrelated = ~(tree.ancestors | tree.ancestors.T | np.eye(len(children), dtype=bool))
    possible = np.argwhere(unrelated[np.ix_(hypos, hypers)])
    drawn = possible[rng.permutation(len(possible))[:n]]
    return {(int(hypos[y]), int(hypers[x])) for y, x in drawn}


def joined(first: Tree, second: Tree) -> Tree:
    """Two trees as one list of words, with nothing in common."""
    others = [i for i, word in enumerate(second.words) if word not in first.words]
    n, m = len(first.words), len(others)
    ancestors = np.zeros((n + m, n + m), dtype=bool)
    ancestors[:n, :n] = first.ancestors
    ancestors[n:, n:] = second.ancestors[np.ix_(others, others)]
    return Tree((*first.words, *(second.words[i] for i in others)), ancestors)


def evaluate(space: EntailmentSpace, trees: Sequence[Tree], seeds: int = SEEDS) -> list[Row]:
    """The audit, and the least probable edges first, for each way to spoil trees that are not too small."""
    large = [tree for tree in trees if tree.edges.sum() >= LEAST_EDGES]
    pairs = [joined(*two) for two in zip(large, [*large[1:], large[0]], strict=True)]
    rows = []
    for name, several, misfiled in (
        ("random edges", large, False),
        ("misfiled words", large, True),
        ("misfiled words, two trees", pairs, True),
    ):
        cases = [spoil(tree, seed, misfiled=misfiled) for tree in several for seed in range(seeds)]
        group = np.repeat(np.arange(len(several)), seeds)  # one tree, spoilt in several ways
        least_probable = [by_probability(case.taxonomy, space) for case in cases]
        audited = [_audited(*each, space) for each in zip(cases, least_probable, strict=True)]
        probable = [_measures(ranked, case) for case, ranked in zip(cases, least_probable, strict=True)]
        rows += [
            row(STUDY, f"{name}: audit", _columns(audited), groups=group),
            row(STUDY, f"{name}: least probable edges", _columns(probable), groups=group, baseline=True),
        ]
    return rows


def _columns(measured: list[dict[str, float]]) -> dict[str, Floats]:
    return {each: np.array([measures[each] for measures in measured]) for each in measured[0]}


def _audited(case: Spoilt, least_probable: list[Pair], space: EntailmentSpace) -> dict[str, float]:
    told = audit(case.taxonomy, space, missing=False)
    doubtful = [finding for kind in ("reversed", "improbable") for finding in told.of(kind)]
    doubtful.sort(key=lambda finding: -finding.severity)
    found = [(each.hypo, str(each.hyper)) for each in (*told.of("cycle"), *doubtful)]
    ranked = list(dict.fromkeys([*found, *least_probable]))
    return _measures(ranked, case) | {"cycles_named": _cycles_named(told, case)}


def by_probability(taxonomy: Taxonomy, space: EntailmentSpace) -> list[Pair]:
    """The edges of a taxonomy, the least probable first."""
    among = Among(space, space.vectors.rows_of_all(taxonomy.terms))
    probable = known(among.log_odds(taxonomy.hypo.astype(np.int64), taxonomy.hyper.astype(np.int64)))
    return [taxonomy.edge(i)[:2] for i in np.argsort(probable, kind="stable").tolist()]


def _measures(ranked: list[Pair], case: Spoilt) -> dict[str, float]:
    """Of as many edges as were put in: the share that is wrong; and the shares of each kind that are among them."""
    first = set(ranked[: len(case.wrong)])
    return {
        "precision": len(first & case.wrong) / len(case.wrong),
        "turned_found": len(first & case.turned) / max(1, len(case.turned)),
        "added_found": len(first & case.added) / max(1, len(case.added)),
    }


def _cycles_named(told: Audit, case: Spoilt) -> float:
    """The share of the edges that close a cycle which are a step of one that was named."""
    steps = {step for finding in told.of("cycle") for step in pairwise(finding.path)}
    return len(case.closing & steps) / max(1, len(case.closing))
