"""Draws batches for the losses of `ranking_objective` from what a Knowledge says of its terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Ints
from entvec.errors import InvalidInput
from entvec.learn.ranking_objective import Batch
from entvec.learn.term_graph import Lists, TermGraph, joined

STEEPNESS = 2.5
"""A hypernym at distance n weighs 1 / n^2.5."""
SHALLOW = np.array([1, 4, 1])
"""A term of a taxonomy, a noun and a verb at a smaller depth are general,"""
GENERAL = 0.1
"""and weigh a tenth."""
INSTANCE = 0.3
"""The kinds of an individual weigh a third: Paris -> city."""
FARTHEST, RAREST_SENSE = 6, 2
"""Of labelled pairs."""
OF_ALL_PAIRS = {"entailment": 0.5, "reversed": 0.08, "sibling": 0.09, "part": 0.03, "random": 0.3}
"""The share of each kind of labelled pairs."""
STRANGERS = 2
"""How many unrelated pairs are drawn for each entailment."""
DEFINED = 0.2
"""The share of queries that are terms with their definitions."""


class Drawn(NamedTuple):
    """The texts of a batch as rows, and the batch without vectors."""

    hypo: Ints
    hyper: Ints
    batch: Batch


class Examples:
    """What there is to learn from; a held-out node is neither hypo nor hyper.

    A row is a node, or, after all nodes, a term with the definition of one of its senses.

    Parameters
    ----------
    graph
        What is known.
    held
        Nodes to keep away.
    definitions
        How many terms are learned with a definition, too.
    rng
        Draws them.
    """

    def __init__(self, graph: TermGraph, held: Ints, definitions: int, rng: np.random.Generator) -> None:
        self.graph, n = graph, len(graph)
        free = np.ones(n, bool)
        free[held] = False
        node, concept, number, place = graph.senses.T
        self.free = free
        # What each concept says of the nodes above it
        i, j = joined(graph.high, concept)
        low, hyper, sense = graph.low[i], node[j], number[j].astype(np.float64)
        says = graph.steps[i] ** -STEEPNESS / sense**2 / place[j]
        says[graph.depth[graph.high[i]] < SHALLOW[graph.kinds[graph.high[i]]]] *= GENERAL
        says[np.isin(low, graph.individuals)] *= INSTANCE
        near = (graph.steps[i] <= FARTHEST) & (sense <= RAREST_SENSE)
        self.defined = self._drawn(definitions, np.unique(low), rng)
        # and what each row says: a node by all its senses, a definition by one.
        s, t = joined(concept, low)
        r, u = joined(self.defined[:, 1], low)
        row = np.concatenate([node[s], n + r])
        above = np.concatenate([hyper[t], hyper[u]])
        weight = np.concatenate([says[t] / number[s], says[u]])
        near = np.concatenate([near[t] & (number[s] <= RAREST_SENSE), near[u]])
        self.entailed = np.unique(row * n + above)
        learned = free[above] & (above != self.nodes[row]) & free[self.nodes[row]]
        if not learned.any():
            raise InvalidInput("no term is left to learn from; hold fewer terms out")
        codes, of_code = np.unique((row * n + above)[learned], return_inverse=True)
        owner, says = codes // n, np.bincount(of_code, weights=weight[learned])
        share = says / np.bincount(owner, says, len(self.nodes))[owner]
        self.right = Lists(len(self.nodes), owner, codes % n, share)
        codes = np.unique((row * n + above)[learned & near])
        self.positive = Lists(len(self.nodes), codes // n, codes % n)
        self.candidates = np.union1d(above[learned], graph.answers[free[graph.answers]])
        rows = np.flatnonzero(self.right.has_any)
        self.terms, self.definitions = rows[rows < n], rows[rows >= n]
        # Siblings and parts
        member = free[node] & (number <= RAREST_SENSE)
        self.members = Lists(graph.n_concepts, concept[member], node[member])
        up, parts = graph.parents, graph.parts
        self.above = Lists(graph.n_concepts, up[:, 0], up[:, 1])
        self.below = Lists(graph.n_concepts, up[:, 1], up[:, 0])
        both = np.concatenate([parts, parts[:, ::-1]])
        self.beside = Lists(graph.n_concepts, both[:, 0], both[:, 1])

    def _drawn(self, n: int, with_hypernyms: Ints, rng: np.random.Generator) -> Ints:
        """Return some senses of free nodes that have a definition: rows (node, concept)."""
        node, concept, number, _ = self.graph.senses.T
        has_gloss = np.array([bool(gloss.strip()) for gloss in self.graph.glosses], bool)
        there = has_gloss[concept] & self.free[node] & np.isin(concept, with_hypernyms) & (number <= RAREST_SENSE)
        some = rng.permutation(np.flatnonzero(there))[:n]
        return self.graph.senses[np.sort(some), :2]

    @cached_property
    def nodes(self) -> Ints:
        """The node of each row."""
        return np.concatenate([np.arange(len(self.graph)), self.defined[:, 0]])

    @cached_property
    def texts(self) -> list[str]:
        """The text of each row, for an encoder."""
        texts, glosses = self.graph.texts, self.graph.glosses
        told = (f"{texts[node]}: {plain_definition(glosses[concept])}" for node, concept in self.defined.tolist())
        return [*texts, *told]

    def entails(self, rows: Ints, nodes: Ints) -> NDArray[np.bool_]:
        """Return whether nodes are hypernyms of rows in any sense."""
        codes = rows * len(self.graph) + nodes
        at = np.minimum(np.searchsorted(self.entailed, codes), len(self.entailed) - 1)
        return np.asarray(self.entailed[at] == codes)

    def draw(self, n_queries: int, n_sampled: int, rng: np.random.Generator) -> Drawn:
        """Return a batch by chance.

        Parameters
        ----------
        n_queries
            How many rows are asked for, at most.
        n_sampled
            How many other nodes compete with the hypernyms of the queries.
        rng
            What draws.
        """
        n_defined = min(len(self.definitions), int(n_queries * DEFINED))
        queries = np.concatenate(
            [
                rng.choice(self.terms, min(len(self.terms), n_queries - n_defined), replace=False),
                rng.choice(self.definitions, n_defined, replace=False),
            ]
        )
        owner, hyper, share = self.right.of(queries)
        needed = np.unique(hyper)
        others = np.setdiff1d(self.candidates, needed)
        sampled = rng.choice(others, min(n_sampled, len(others)), replace=False)
        candidates = np.concatenate([needed, sampled])
        stands_for = np.ones(len(candidates))
        stands_for[len(needed) :] = len(others) / max(1, len(sampled))
        place = np.full(len(self.graph), -1)
        place[candidates] = np.arange(len(candidates))
        own = place[self.nodes[queries]]
        hidden = np.flatnonzero(own >= 0), own[own >= 0]
        kinds = self._pairs(queries, needed, rng)
        hypos, at_hypo = _table(queries, [hypo for hypo, _ in kinds.values()])
        hypers, at_hyper = _table(candidates, [hyper for _, hyper in kinds.values()])
        sizes = np.array([len(hypo) for hypo, _ in kinds.values()])
        kind = np.repeat(np.arange(len(kinds)), sizes)
        weight = np.array(list(OF_ALL_PAIRS.values())) / np.maximum(1, sizes)
        batch = Batch(
            np.empty((0, 0)), np.empty((0, 0)), len(queries), stands_for, owner, place[hyper], share, hidden,
            at_hypo, at_hyper, kind == 0, weight[kind],
        )  # fmt: skip
        return Drawn(hypos, hypers, batch)

    def _pairs(self, queries: Ints, hypernyms: Ints, rng: np.random.Generator) -> dict[str, tuple[Ints, Ints]]:
        """Return labelled pairs of each kind: rows as hypos, nodes as hypers."""
        n = len(self.graph)
        owner, hyper = self.positive.of(queries)
        found = {"entailment": (queries[owner], hyper)}
        plain = queries[owner] < n
        some = rng.permutation(np.flatnonzero(plain))[: len(queries)]
        back = hyper[some], queries[owner[some]]
        found["reversed"] = _where(~self.entails(*back), *back)
        nodes = queries[queries < n]
        first = self.graph.first_senses[nodes]
        for kind, ways in (("sibling", (self.above, self.below)), ("part", (self.beside,))):
            at, there = first, np.ones(len(nodes), bool)
            for way in (*ways, self.members):
                at, more = way.one(at, rng)
                there &= more
            there &= (at != nodes) & ~self.entails(nodes, at)
            found[kind] = nodes[there], at[there]
        stranger = np.tile(queries[owner], STRANGERS)
        strange = rng.choice(hypernyms, len(stranger))
        apart = ~self.entails(stranger, strange) & ~self.entails(strange, self.nodes[stranger])
        found["random"] = _where(apart & (self.nodes[stranger] != strange), stranger, strange)
        return {kind: found[kind] for kind in OF_ALL_PAIRS}


def plain_definition(gloss: str) -> str:
    """Return a definition without the examples that WordNet has after it, in one line.

    >>> plain_definition('of little worth; "a picayune sum"')
    'of little worth'
    """
    return " ".join(gloss.partition('; "')[0].split())


def _where(there: NDArray[np.bool_], *columns: Ints) -> Any:
    return tuple(column[there] for column in columns)


def _table(first: Ints, others: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return distinct rows of which some come first, and the places of others among them."""
    flat = np.concatenate(others)
    more = np.setdiff1d(flat, first)
    table = np.concatenate([first, more])
    order = np.argsort(table)
    return table, order[np.searchsorted(table, flat, sorter=order)]
