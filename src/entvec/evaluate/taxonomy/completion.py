"""Completion of a public taxonomy: a fifth of its terms are taken out and placed again, leaves and inner terms.

Papers on SemEval-Food and MeSH draw such terms by their own seeds, and train on the rest; nothing is trained here. A
term that is taken out leaves its children to its parents. Its parents are the right answers; an inner term is right
only if its children are found, too (`position`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from entvec.evaluate.metrics import rank_measures
from entvec.evaluate.taxonomy.gold_files import Gold, read_terms_and_edges
from entvec.evaluate.taxonomy.gold_trees import known_terms, read_golds
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.graphs import Taxonomy
from entvec.space import EntailmentSpace
from entvec.taxonomy import place_all

SHARE, MOST = 0.2, 1000
"""The share of terms that are taken out, and the most of them."""
LISTED = 10
"""How many parents are looked at; a right one after these counts as never found."""
HITS = (1, 5, 10)


def read_gold(paths: Sequence[Path]) -> Gold:
    """Return the taxonomy of two files, terms and edges by identifier, or of one, gold edges by name."""
    return read_terms_and_edges(*paths) if len(paths) == 2 else read_golds(paths)[0]


def taken_out(gold: Gold, seed: int = 0) -> tuple[Taxonomy, list[str], Taxonomy]:
    """Return the taxonomy without some terms, these terms, and the whole taxonomy.

    >>> gold = Gold("pets", ("poodle", "dog", "animal"), frozenset({("poodle", "dog"), ("dog", "animal")}))
    >>> rest, terms, _ = taken_out(gold)
    >>> len(rest), len(terms)
    (2, 1)
    """
    whole = Taxonomy.from_edges(sorted(gold.edges))
    placed = [term for term in whole.terms if whole.parents(term)]
    n = min(MOST, max(1, round(SHARE * len(placed))))
    chosen = {placed[i] for i in np.random.default_rng(seed).permutation(len(placed))[:n].tolist()}

    def remaining(term: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the parents of a term that stay; in the place of one that is taken out stand its own."""
        above: set[str] = set()
        for parent in set(whole.parents(term)) - seen:
            above |= remaining(parent, seen | {parent}) if parent in chosen else {parent}
        return above

    kept = [term for term in whole.terms if term not in chosen]
    edges = [(term, parent) for term in kept for parent in sorted(remaining(term) - {term})]
    return Taxonomy.from_edges(edges, terms=kept), sorted(chosen), whole


def evaluate(name: str, space: EntailmentSpace, paths: Sequence[Path]) -> list[StudyResult]:
    """Return rows for `place_all`, facts about what is taken out hidden and known, and for the words they share."""
    rest, terms, whole = taken_out(read_gold(paths))
    parents = {term: set(whole.parents(term)) & set(rest.terms) for term in terms}
    terms = [term for term in terms if parents[term]]
    known = known_terms(space, terms)
    rows = []
    for title, used in (
        ("place, facts hidden", space.hiding(terms) if known else space),
        (f"place, facts of {known:,} of {len(terms):,} known", space),
    )[: 2 if known else 1]:
        placed = place_all(terms, rest, used, k=LISTED)
        found = [[rest.terms[j] for j in row if j >= 0] for row in placed.parents.tolist()]
        below = [{rest.terms[j] for j in row} for row in placed.between]
        rows.append(_row(name, title, terms, parents, found, below, whole, baseline=False))
    shared = [_by_words(term, rest.terms) for term in terms]
    rows.append(_row(name, "most words shared", terms, parents, shared, [set()] * len(terms), whole, baseline=True))
    return rows


def _row(
    name: str,
    title: str,
    terms: list[str],
    parents: dict[str, set[str]],
    found: list[list[str]],
    below: list[set[str]],
    whole: Taxonomy,
    *,
    baseline: bool,
) -> StudyResult:
    ranks, positions = np.full(len(terms), np.inf), np.zeros(len(terms))
    for i, (term, answers, children) in enumerate(zip(terms, found, below, strict=True)):
        right = [place for place, answer in enumerate(answers, start=1) if answer in parents[term]]
        ranks[i] = right[0] if right else np.inf
        positions[i] = ranks[i] == 1 and children == {child for child in whole.children(term) if child not in parents}
    measures = rank_measures(ranks, HITS) | {"position": positions}
    return StudyResult.of_means(name, title, measures, baseline=baseline)


def _by_words(term: str, terms: Sequence[str]) -> list[str]:
    """Return the terms that share most words with a term, by Jaccard's index; the last word decides between equals."""
    own = term.casefold().split()

    def share(other: str) -> tuple[float, bool]:
        words = other.casefold().split()
        return len({*own} & {*words}) / len({*own, *words}), words[-1] == own[-1]

    best = sorted(terms, key=lambda other: (share(other), other), reverse=True)[:LISTED]
    return [other for other in best if share(other)[0] > 0]
