"""Fit how parents of new names are ordered (`entvec.taxonomy.read_scores`) to vocabularies with known parents.

    python tools/fit_parents.py science_eurovoc.taxo science_wordnet.taxo --hide science_wordnet

Each file has gold edges, `id TAB term TAB hypernym`. Facts about the terms of files that `--hide` names are hidden. The
weights are a softmax over the candidates of each term, of which one or several are right; a leave-one-file-out fit
says how well they do on another vocabulary. Five minutes on a core.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from entvec.evaluate.taxonomy.gold_files import Gold, read_gold_edges
from entvec.evaluate.taxonomy.gold_trees import compare
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.taxonomy import Taxonomy
from entvec.taxonomy.known_parents import KnownParents
from entvec.taxonomy.names import Names
from entvec.taxonomy.read_scores import SUREST, ReadScores

Floats = NDArray[np.float64]
NAMES = ("TRANSFORMER", "TABLE", "PAIR", "REVERSED", "FIT", "SUFFIX")
PENALTY = 0.01


class Choice(NamedTuple):
    """The candidates of a term, what describes them, and which are right."""

    term: str
    candidates: list[str]
    features: Floats
    right: NDArray[np.bool_]


def log_odds(p: Floats) -> Floats:
    """Log-odds, within bounds."""
    p = np.clip(p, SUREST, 1 - SUREST)
    return np.asarray(np.log(p) - np.log1p(-p))


def choices(gold: Gold, space: EntailmentSpace) -> list[Choice]:
    """Return the candidates of each term that are more general, and more probable than the reverse."""
    parents, scores = KnownParents(space, gold.terms, lambda *_: None), ReadScores(space)
    reader, p = space.judge.evidence.reader, parents.probability
    rank = np.argsort(np.argsort(-parents.standing, kind="stable"), kind="stable")
    names, found = Names(Taxonomy.from_edges([], terms=gold.terms)), []
    for i, term in enumerate(gold.terms):
        above = parents._above(i, rank)
        if not above or reader is None:
            continue
        below = [
            max((p[i, d] for d in above if rank[d] > rank[j] and p.get((d, j), 0.0) >= 0.5), default=0.0) for j in above
        ]
        there, back = (
            np.array([p[pair] for pair in pairs]) for pairs in ([(i, j) for j in above], [(j, i) for j in above])
        )
        others = [gold.terms[j] for j in above]
        columns = [
            scores._log_odds(reader, reader.transformer, [term] * len(above), others),
            scores._log_odds(reader, reader.table, [term] * len(above), others),
            *map(log_odds, (there, back, there * (1 - np.array(below)))),
            np.isin(above, names.heads(term)[:1]).astype(np.float64),
        ]
        right = np.array([(term, other) in gold.edges for other in others])
        found.append(Choice(term, others, np.stack(columns, axis=1), right))
    return found


def fit(some: Sequence[Choice]) -> Floats:
    """Return the weights under which the right candidates are most probable."""
    answered = [each for each in some if each.right.any()]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = PENALTY * weights @ weights, 2 * PENALTY * weights
        for each in answered:
            z = each.features @ weights
            share = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
            right = share[each.right].sum()
            total -= np.log(right) / len(answered)
            gradient = gradient + each.features.T @ (share - np.where(each.right, share / right, 0)) / len(answered)
        return float(total), gradient

    return np.asarray(minimize(loss, np.zeros(len(NAMES)), jac=True).x)


def edge_f1(gold: Gold, some: Sequence[Choice], weights: Floats) -> float:
    """Return the edge F1 of the best candidates that have a probability of one half."""
    best = {each.term: int((each.features @ weights).argmax()) for each in some}
    kept = [each for each in some if each.features[best[each.term], NAMES.index("PAIR")] >= 0]
    return compare(frozenset((each.term, each.candidates[best[each.term]]) for each in kept), gold)["edge_f1"]


def main() -> None:
    """Print the weights, and what a fit without each file reaches on it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--hide", nargs="*", default=[], metavar="NAME", help="files whose terms are hidden")
    options = parser.parse_args()
    space, golds = default_space(), [gold for path in options.files for gold in read_gold_edges(path)]
    parts = [choices(gold, space.hiding(gold.terms) if gold.name in options.hide else space) for gold in golds]
    for i, gold in enumerate(golds):
        others = [each for j, part in enumerate(parts) if j != i for each in part]
        if others:
            print(f"{gold.name}: edge F1 {edge_f1(gold, parts[i], fit(others)):.3f}, fitted without it")
    weights = fit([each for part in parts for each in part])
    print(", ".join(f"{name} {weight:.2f}" for name, weight in zip(NAMES, weights, strict=True)))


if __name__ == "__main__":
    main()
