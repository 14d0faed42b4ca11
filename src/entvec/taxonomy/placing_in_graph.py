"""Place a term among the nodes of a graph whose log-odds are inferred, by the paper's inference.

The graph does not change. The term is a node of a small graph of its own, in which the nodes of its facts are observed.
The term and the nodes that it is `like` share an unknown parent, which is one more node. Negated entailments have the
paper's message, with C computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from entvec.array_types import Floats
from entvec.space import Matches
from entvec.theory.elementwise import log_entailed
from entvec.theory.graph import EntailmentGraph
from entvec.theory.inference import Inference, node_number

ROWS_AT_ONCE = 4096


def infer_node(term: str, where: Inference, facts: Mapping[str, Sequence[str]], prior: ArrayLike = 0.0) -> Floats:
    """Return the log-odds of a term that has these relations to nodes of the inference.

    >>> from entvec.bundled import toy_world
    >>> world = toy_world()
    >>> graph = EntailmentGraph(world.log_odds().shape[1])
    >>> graph.add_nodes(world.words)
    >>> graph.observe(world.words, world.log_odds())
    >>> found = infer_node("terrier", graph.infer(), {"entails": ["dog"]})
    >>> bool(np.corrcoef(found, graph.infer()["dog"])[0, 1] > 0.9)
    True

    Parameters
    ----------
    term
        The name of the new node.
    where
        The result of an inference.
    facts
        The nodes in each relation: `entails`, `entailed_by`, `like` and `not_entails`.
    prior
        The prior log-odds of the term.
    """
    names = list(dict.fromkeys(name for words in facts.values() for name in words))
    graph = EntailmentGraph(where.log_odds.shape[1])
    parent = _unused("parent", {term, *names})
    graph.add_nodes(term, prior)
    graph.add_nodes(names)
    for name in names:
        graph.observe(name, where[name])
    if facts.get("like"):
        graph.add_nodes(parent)
        graph.add_entailments([term, *facts["like"]], parent)
    graph.add_entailments(term, list(facts.get("entails", ())))
    graph.add_entailments(list(facts.get("entailed_by", ())), term)
    graph.add_negations(term, list(facts.get("not_entails", ())))
    return np.asarray(graph.infer()[term], dtype=np.float64)


def best(term: Floats, where: Inference, left_out: Iterable[str], k: int) -> tuple[Matches, Matches]:
    """Return the nodes that the term most probably entails, and those that most probably entail it."""
    kept = np.ones(len(where.names), dtype=bool)
    kept[[node_number(where.numbers, name) for name in left_out if name in where.numbers]] = False

    def ranked(log_entailments: Callable[[Floats], Floats]) -> Matches:
        rows = where.log_odds
        blocks = (rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE))
        scores = np.concatenate([log_entailments(block).sum(axis=-1) for block in blocks])
        order = np.argsort(-np.where(kept, scores, -np.inf), kind="stable")[:k]
        order = order[kept[order] & np.isfinite(scores[order])]
        found = scores[order]
        return Matches(None, [where.names[i] for i in order.tolist()], order, found, np.exp(found), found)

    return ranked(lambda others: log_entailed(term, others)), ranked(lambda others: log_entailed(others, term))


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name
