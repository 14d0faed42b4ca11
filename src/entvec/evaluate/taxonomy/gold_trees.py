"""Taxonomies of public benchmarks, built anew from their terms: TExEval-2 and the WordNet subtrees of Bansal et al.

Edges are compared as they are in the file, ancestors as they follow from edges. What is known of the terms may hold
the answer: so each row is measured with the facts about them, and without.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np

from entvec.evaluate.taxonomy.gold_files import Gold, read_gold_edges, read_trees
from entvec.evaluate.taxonomy.results import StudyResult, columns
from entvec.graphs.structure import Links
from entvec.space import EntailmentSpace
from entvec.taxonomy import induce
from entvec.taxonomy.names import plain

Edges = frozenset[tuple[str, str]]
Method = Callable[[EntailmentSpace, Gold], Edges]
BRACKETS = ".ptb"


def read_golds(paths: Sequence[Path]) -> list[Gold]:
    """Return the taxonomies of some files: trees in brackets if the name ends with .ptb, else gold edges."""
    return [gold for path in paths for gold in (read_trees if path.suffix == BRACKETS else read_gold_edges)(path)]


def built(least: float) -> Method:
    """Return a method: the edges of `entvec.taxonomy.induce`, if they have this probability."""

    def edges(space: EntailmentSpace, gold: Gold) -> Edges:
        return frozenset(edge[:2] for edge in induce(gold.terms, space, least=least).edges())

    return edges


def longest_suffix(_space: EntailmentSpace, gold: Gold) -> Edges:
    """Return the edges of a baseline: each term is under the longest other term that its last words are."""
    forms = {plain(term): term for term in gold.terms}
    found = set()
    for term in gold.terms:
        words = term.replace("-", " ").split()
        tails = (forms.get(plain(" ".join(words[first:]))) for first in range(1, len(words)))
        if (tail := next((tail for tail in tails if tail not in (None, term)), None)) is not None:
            found.add((term, tail))
    return frozenset(found)


def closure(terms: Collection[str], edges: Edges) -> Edges:
    """Return all pairs that follow from edges.

    >>> sorted(closure(["a", "b", "c"], frozenset({("a", "b"), ("b", "c")})))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    names = list(terms)
    at = {name: i for i, name in enumerate(names)}
    low, high = (np.array([at[edge[side]] for edge in edges], dtype=np.int64) for side in (0, 1))
    up = Links(len(names), low, high)
    return frozenset((names[i], names[j]) for i in range(len(names)) for j in up.reached(i) if i != j)


def compare(found: Edges, gold: Gold) -> dict[str, float]:
    """Return precision, recall and F1 of edges, and of the ancestors that follow from them.

    >>> gold = Gold("pets", ("poodle", "dog", "animal"), frozenset({("poodle", "dog"), ("dog", "animal")}))
    >>> compare(frozenset({("poodle", "dog")}), gold)["edge_precision"]
    1.0
    """
    pairs = {"edge": (found, gold.edges), "ancestor": (closure(gold.terms, found), closure(gold.terms, gold.edges))}
    measures = {}
    for what, (there, true) in pairs.items():
        both = len(there & true)
        measures[f"{what}_precision"] = both / max(1, len(there))
        measures[f"{what}_recall"] = both / max(1, len(true))
        measures[f"{what}_f1"] = 2 * both / max(1, len(there) + len(true))
    return measures


def known_terms(space: EntailmentSpace, terms: Collection[str]) -> int:
    """Return of how many terms the space knows facts."""
    meanings = space.judge.evidence.meanings if space.knowledge is not None else None
    return 0 if meanings is None else sum(bool(meanings.of(term)) for term in terms)


def evaluate(name: str, space: EntailmentSpace, paths: Sequence[Path]) -> list[StudyResult]:
    """Return rows for `induce` with the facts about the terms and without, and for the longest suffix."""
    golds = read_golds(paths)
    terms = {term for gold in golds for term in gold.terms}
    known = known_terms(space, terms)
    hidden = space.hiding(list(terms)) if known else space
    rows: list[tuple[str, EntailmentSpace, Method, bool]] = [
        ("build, facts hidden", hidden, built(0.5), False),
        ("build --least 0, facts hidden", hidden, built(0.0), False),
        (f"build, facts of {known:,} of {len(terms):,} known", space, built(0.5), False),
        ("longest suffix", space, longest_suffix, True),
    ]
    if not known:
        del rows[2]
    return [
        StudyResult.of_means(
            name, title, columns([compare(method(used, gold), gold) for gold in golds]), baseline=baseline
        )
        for title, used, method, baseline in rows
    ]
