"""How many of the errors that were put into known trees an audit finds: reversed edges, random edges, and cycles.

Random edges mostly lead to words without children, which is not how people err. So there is a second way to corrupt a
tree: words without children are filed under a wrong concept that has three children or more. Within one tree, of
animals only, such an error is hard to see; so it is also done to pairs of trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from entvec.evaluate.taxonomy.knowing import NEW, STRICT, hidden_words, knowing
from entvec.evaluate.taxonomy.results import StudyResult, columns
from entvec.evaluate.taxonomy.wordnet_trees import Tree
from entvec.space import EntailmentSpace
from entvec.taxonomy import Audit, Taxonomy, audit
from entvec.taxonomy.evidence import Among
from entvec.taxonomy.review_rows import Pair
from entvec.taxonomy.weighing import entailment
from entvec.theory.elementwise import known

STUDY = "audit"
ABOUT_EDGES = ("reversed", "part", "whole", "sibling", "sense", "improbable")
"""Findings that say of an edge that it is wrong."""
SHARE = 0.05
CYCLES = 2
LEAST_EDGES = 50
LEAST_CHILDREN = 3
SEEDS = 5

Edges = set[tuple[int, int]]


class Corrupted(NamedTuple):
    """A tree with errors, and which of its edges are wrong."""

    taxonomy: Taxonomy
    turned: frozenset[Pair]
    added: frozenset[Pair]
    """Edges between words neither of which entails the other."""
    closing: frozenset[Pair]
    """Edges that close a cycle."""

    @property
    def wrong(self) -> frozenset[Pair]:
        """Return all wrong edges."""
        return self.turned | self.added | self.closing


def corrupt(tree: Tree, seed: int, *, misfiled: bool = False) -> Corrupted:
    """Reverse some edges of a tree, add as many wrong ones, and add edges that close two cycles."""
    rng = np.random.default_rng(seed)
    true = [(int(y), int(x)) for y, x in np.argwhere(tree.edges)]
    n = max(1, round(SHARE * len(true)))
    chosen = set(rng.permutation(len(true))[:n].tolist())
    turned = {(x, y) for i, (y, x) in enumerate(true) if i in chosen}
    added = _added(tree, n, rng, misfiled=misfiled)
    # Edges from a grandparent to its grandchild, two edges that are still there below it, close cycles of three.
    steps = {edge for i, edge in enumerate(true) if i not in chosen}
    ways = sorted({(z, y) for y, x in steps for x2, z in steps if x == x2} - turned - added)
    closing = {ways[i] for i in rng.permutation(len(ways))[:CYCLES]}
    edges = dict.fromkeys(
        [*(edge for edge in true if edge in steps), *sorted(turned), *sorted(added), *sorted(closing)]
    )

    def named(pairs: Edges) -> frozenset[Pair]:
        return frozenset((tree.words[y], tree.words[x]) for y, x in pairs)

    words = [(tree.words[y], tree.words[x]) for y, x in edges]
    return Corrupted(Taxonomy.from_edges(words, terms=tree.words), named(turned), named(added), named(closing))


def _added(tree: Tree, n: int, rng: np.random.Generator, *, misfiled: bool) -> Edges:
    """Return wrong edges: between any two words, or from words without children to words with several."""
    children = tree.edges.sum(axis=0)
    hypos = np.flatnonzero(children == 0) if misfiled else np.arange(len(children))
    hypers = np.flatnonzero(children >= LEAST_CHILDREN) if misfiled else np.arange(len(children))
    unrelated = ~(tree.ancestors | tree.ancestors.T | np.eye(len(children), dtype=bool))
    possible = np.argwhere(unrelated[np.ix_(hypos, hypers)])
    drawn = possible[rng.permutation(len(possible))[:n]]
    return {(int(hypos[y]), int(hypers[x])) for y, x in drawn}


def joined(first: Tree, second: Tree) -> Tree:
    """Return one list of the words of two trees, with no edge between these."""
    others = [i for i, word in enumerate(second.words) if word not in first.words]
    n, m = len(first.words), len(others)
    ancestors = np.zeros((n + m, n + m), dtype=bool)
    ancestors[:n, :n] = first.ancestors
    ancestors[n:, n:] = second.ancestors[np.ix_(others, others)]
    return Tree((*first.words, *(second.words[i] for i in others)), ancestors)


def evaluate(space: EntailmentSpace, trees: Sequence[Tree], seeds: int = SEEDS) -> list[StudyResult]:
    """Return, for each way to corrupt trees, a row for the audit and one for the least probable edges."""
    large = [tree for tree in trees if tree.edges.sum() >= LEAST_EDGES]
    pairs = [joined(*two) for two in zip(large, [*large[1:], large[0]], strict=True)]
    rows = []
    worlds = (NEW, STRICT) if space.knowledge is None else ()
    for name, several, misfiled in (
        ("random edges", large, False),
        ("misfiled words", large, True),
        ("misfiled words, two trees", pairs, True),
    ):
        cases = [corrupt(tree, seed, misfiled=misfiled) for tree in several for seed in range(seeds)]
        group = np.repeat(np.arange(len(several)), seeds)  # cases of one tree are not independent
        least_probable = [by_probability(case.taxonomy, space) for case in cases]
        audited = [_audited(*each, space) for each in zip(cases, least_probable, strict=True)]
        probable = [_measures(ranked, case) for case, ranked in zip(cases, least_probable, strict=True)]
        rows += [
            StudyResult.of_means(STUDY, f"{name}: audit", columns(audited), groups=group),
            StudyResult.of_means(
                STUDY, f"{name}: least probable edges", columns(probable), groups=group, baseline=True
            ),
        ]
        for world in worlds:
            found = []
            for i, tree in enumerate(several):
                known = knowing(space, hidden_words(tree, world))
                found += [_by_relations(case, known) for case in cases[i * seeds : (i + 1) * seeds]]
            rows.append(StudyResult.of_means(STUDY, f"{name}: {world}", columns(found), groups=group))
    return rows


def _audited(case: Corrupted, least_probable: list[Pair], space: EntailmentSpace) -> dict[str, float]:
    found = audit(case.taxonomy, space, missing=False)
    doubtful = [finding for kind in ("reversed", "improbable") for finding in found.of(kind)]
    doubtful.sort(key=lambda finding: -finding.severity)
    edges = [(each.hypo, str(each.hyper)) for each in (*found.of("cycle"), *doubtful)]
    ranked = list(dict.fromkeys([*edges, *least_probable]))
    return _measures(ranked, case) | {"cycles_named": _cycles_named(found, case)}


def _by_relations(case: Corrupted, space: EntailmentSpace) -> dict[str, float]:
    """Return the measures of an audit in a space that knows something: its findings, then the least probable edges."""
    taxonomy = case.taxonomy
    found = audit(taxonomy, space, missing=False)
    doubtful = [each for each in found.by_precision() if each.kind in ABOUT_EDGES]
    edges = [(each.hypo, str(each.hyper)) for each in (*found.of("cycle"), *doubtful)]
    hypo, hyper = ([taxonomy.terms[i] for i in side.tolist()] for side in (taxonomy.hypo, taxonomy.hyper))
    order = np.argsort(entailment(space, hypo, hyper), kind="stable").tolist()
    ranked = list(dict.fromkeys([*edges, *(taxonomy.edge(i)[:2] for i in order)]))
    return _measures(ranked, case) | {"cycles_named": _cycles_named(found, case)}


def by_probability(taxonomy: Taxonomy, space: EntailmentSpace) -> list[Pair]:
    """Return the edges of a taxonomy, the least probable first."""
    among = Among(space, space.vocabulary.rows_of_all(taxonomy.terms))
    probable = known(among.log_odds(taxonomy.hypo.astype(np.int64), taxonomy.hyper.astype(np.int64)))
    return [taxonomy.edge(i)[:2] for i in np.argsort(probable, kind="stable").tolist()]


def _measures(ranked: list[Pair], case: Corrupted) -> dict[str, float]:
    """Return, for as many first edges as there are wrong ones, the precision, and the share of each kind found."""
    first = set(ranked[: len(case.wrong)])
    return {
        "precision": len(first & case.wrong) / len(case.wrong),
        "turned_found": len(first & case.turned) / max(1, len(case.turned)),
        "added_found": len(first & case.added) / max(1, len(case.added)),
    }


def _cycles_named(found: Audit, case: Corrupted) -> float:
    """Return the share of the edges that close a cycle that are part of a reported cycle."""
    steps = {step for finding in found.of("cycle") for step in pairwise(finding.path)}
    return len(case.closing & steps) / max(1, len(case.closing))
