"""Measures a map on terms that it has not seen: their specific hypernyms, and pairs that are entailments or not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Ints, Matrix
from entvec.errors import InvalidInput
from entvec.learn.calibration import Calibration, calibrate
from entvec.learn.fitted import FittedMap
from entvec.learn.ranking_examples import Examples
from entvec.learn.term_graph import TermGraph
from entvec.theory import OPERATORS

MOST_HELD, SHARE_HELD = 500, 0.1
"""How many terms are held out by default: at most so many, and at most this share of those with a hypernym."""
FEWEST = 20
"""Fewer held-out pairs tell nothing, and no probabilities are fitted to them."""
QUERIES_AT_ONCE = 256
LIKELY = 1.96
"""Standard errors on each side of a mean that make a 95% interval."""


class Measure(NamedTuple):
    """A mean over held-out terms or pairs, with its 95% interval for another choice of them."""

    name: str
    mean: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, name: str, values: Matrix) -> Measure:
        """Return the mean of values and its interval.

        >>> print(Measure.of("MRR", np.array([1.0, 0.5, 0.25, 0.25])))
        MRR 0.500 (0.200 to 0.800), n = 4
        """
        mean = float(np.mean(values))
        half = LIKELY * float(np.std(values)) / len(values) ** 0.5
        return cls(name, mean, mean - half, mean + half, len(values))

    def __str__(self) -> str:
        return f"{self.name} {self.mean:.3f} ({self.low:.3f} to {self.high:.3f}), n = {self.n:,}"


class HeldOut(NamedTuple):
    """Terms to measure with, and all nodes that training must not see."""

    asked: Ints
    right: list[Ints]
    held: Ints

    @classmethod
    def drawn(cls, graph: TermGraph, wanted: int | None, rng: np.random.Generator) -> HeldOut:
        """Return terms by chance that have a specific hypernym and nothing below them, held out with their synonyms.

        What has something below it is an answer to other questions, and the map shall learn it.

        Parameters
        ----------
        graph
            What is known.
        wanted
            How many; by default a tenth of all terms, at most 500.
        rng
            What draws.
        """
        among = graph.hypernyms
        nodes = rng.permutation(np.setdiff1d(np.arange(len(graph)), among))
        right = graph.specific(nodes, among)
        there = np.flatnonzero([len(answers) > 0 for answers in right])
        n = min(MOST_HELD, int(SHARE_HELD * len(there))) if wanted is None else wanted
        return cls.of(graph, nodes[there[:n]])

    @classmethod
    def of(cls, graph: TermGraph, nodes: Ints) -> HeldOut:
        """Return these nodes, held out with their synonyms; asked are those that have a right answer left."""
        held = graph.held_with(nodes.tolist())
        among = np.setdiff1d(graph.hypernyms, held)
        right = graph.specific(nodes, among)
        there = [at for at, answers in enumerate(right) if len(answers)]
        return cls(nodes[there], [right[at] for at in there], held)


def reciprocal_ranks(fitted: FittedMap, hypo: Matrix, hyper: Matrix, right: list[Ints], own: Ints) -> Matrix:
    """Return one over the rank of the best right answer to each query, by the score less generality.

    Parameters
    ----------
    fitted
        The map.
    hypo, hyper
        The vectors of the queries and of all candidates.
    right
        The places of the right answers among the candidates.
    own
        The place of each query among the candidates, which is never its answer; -1 if it is none.
    """
    operator = OPERATORS[fitted.operator]
    if operator.query is None or operator.key is None:
        raise InvalidInput(f"{operator.name} is no inner product, expected one to rank by")
    keys = operator.key(fitted.hyper(hyper))
    less = fitted.offset("hyper_offset", hyper) - fitted.offset("generality", hyper)
    found = np.empty(len(hypo))
    for first in range(0, len(hypo), QUERIES_AT_ONCE):
        some = slice(first, first + QUERIES_AT_ONCE)
        scores = operator.query(fitted.hypo(hypo[some])) @ keys.T + less
        for at, row in enumerate(scores, start=first):
            best = row[right[at]].max()
            found[at] = 1 / (1 + np.sum(row > best) - (own[at] >= 0 and row[own[at]] > best))
    return found


def pair_scores(fitted: FittedMap, hypo: Matrix, hyper: Matrix) -> Matrix:
    """Return the scores of pairs of vectors, row by row."""
    score = OPERATORS[fitted.operator].score(fitted.hypo(hypo), fitted.hyper(hyper))
    return np.asarray(score + fitted.offset("hypo_offset", hypo) + fitted.offset("hyper_offset", hyper), np.float64)


class Measured(NamedTuple):
    """What was measured, and the probabilities that held-out pairs suggest; None if there are too few of them."""

    measures: tuple[Measure, ...]
    calibration: Calibration | None


def measure(
    fitted: FittedMap, vectors: Matrix, examples: Examples, held_out: HeldOut, rng: np.random.Generator
) -> Measured:
    """Return how good a map is on held-out terms.

    `specific MRR` is over all that may be answers; for `50% Acc` the better half of the pairs is called
    entailments, of which one half is, and `Dir Acc` is the share of entailments that score higher than their reverse.

    Parameters
    ----------
    fitted
        The map.
    vectors
        The vectors of `examples.texts`.
    examples
        What the map was fitted to.
    held_out
        The terms.
    rng
        Draws the pairs that are no entailments.
    """
    graph, asked = examples.graph, held_out.asked
    if not len(asked):
        return Measured((), None)
    among = np.setdiff1d(graph.answers, held_out.held)
    place = np.full(len(graph), -1)
    place[among] = np.arange(len(among))
    right = [place[answers] for answers in held_out.right]
    ranks = reciprocal_ranks(fitted, vectors[asked], vectors[among], right, place[asked])
    found = [Measure.of("specific MRR", ranks)]
    hypo, hyper, label = held_out_pairs(graph, held_out, rng)
    if min(label.sum(), (~label).sum()) < FEWEST:
        return Measured(tuple(found), None)
    scores, back = (pair_scores(fitted, vectors[a], vectors[b]) for a, b in ((hypo, hyper), (hyper, hypo)))
    called = np.zeros(len(scores), bool)
    called[np.argsort(-scores, kind="stable")[: int(label.sum())]] = True
    found.append(Measure.of("50% Acc", (called == label).astype(float)))
    direction = np.where(scores == back, 0.5, scores > back)[label]
    found.append(Measure.of("Dir Acc", direction))
    return Measured(tuple(found), calibrate(scores, label))


def held_out_pairs(
    graph: TermGraph, held_out: HeldOut, rng: np.random.Generator
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return labelled pairs of held-out terms, as many entailments as others: reversed, siblings and strangers."""
    sizes = [len(answers) for answers in held_out.right]
    hypo, hyper = np.repeat(held_out.asked, sizes), np.concatenate(held_out.right)
    drawn = rng.permutation(len(hypo))[: 4 * len(held_out.asked)]
    hypo, hyper = hypo[drawn], hyper[drawn]
    examples = Examples(graph, np.empty(0, np.int64), 0, rng)
    third = len(hypo) // 3
    others = [(hyper[:third], hypo[:third])]
    stranger, strange = hypo[third : 2 * third], rng.permutation(hyper)[:third]
    others.append((stranger, strange))
    first = graph.first_senses[hypo[2 * third :]]
    at, there = first, np.ones(len(first), bool)
    for way in (examples.above, examples.below, examples.members):
        at, more = way.one(at, rng)
        there &= more
    others.append((hypo[2 * third :][there], at[there]))
    wrong_hypo, wrong_hyper = (np.concatenate(side) for side in zip(*others, strict=True))
    apart = ~examples.entails(wrong_hypo, wrong_hyper) & (wrong_hypo != wrong_hyper)
    wrong_hypo, wrong_hyper = wrong_hypo[apart], wrong_hyper[apart]
    n = min(len(hypo), len(wrong_hypo))
    label = np.arange(2 * n) < n
    some = rng.permutation(len(wrong_hypo))[:n]
    return np.concatenate([hypo[:n], wrong_hypo[some]]), np.concatenate([hyper[:n], wrong_hyper[some]]), label
