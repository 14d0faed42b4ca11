"""The paper's mathematics, as pure functions of arrays. This package knows no words, no files and no progress bars.

operators    scores that answer "does y entail x?": three operators of the paper and four baselines, in one table
interpret    ways to read word vectors as log-odds that features are known
binary       the exact model, by enumeration: the reference that the approximations are tested against
meanfield    the mean-field approximation for one entailment
graph        the mean-field approximation for a graph of entailments
context      words in context: the model that Word2Vec approximates
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entvec.theory.interpret import INTERPRETATIONS, dup, known, log_odds, unk_dup, unknown_mass
from entvec.theory.lowrank import LowRankMaps
from entvec.theory.operators import (
    OPERATORS,
    Operator,
    backward,
    cosine,
    difference,
    dot,
    factorised,
    forward,
    weighted_cosine,
)

if TYPE_CHECKING:
    from entvec.theory.graph import EntailmentGraph
    from entvec.theory.inference import Contradicted, Contradiction, Inference, NotConverged

__all__ = [
    "INTERPRETATIONS",
    "OPERATORS",
    "Contradicted",
    "Contradiction",
    "EntailmentGraph",
    "Inference",
    "LowRankMaps",
    "NotConverged",
    "Operator",
    "backward",
    "cosine",
    "difference",
    "dot",
    "dup",
    "factorised",
    "forward",
    "known",
    "log_odds",
    "unk_dup",
    "unknown_mass",
    "weighted_cosine",
]

_IN_GRAPH = {"Contradicted", "Contradiction", "EntailmentGraph", "Inference", "NotConverged"}


def __getattr__(name: str) -> Any:
    # The graph imports SciPy, which takes longer than all other modules, so it is imported on first use.
    if name in _IN_GRAPH:
        from entvec.theory import graph

        return getattr(graph, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_IN_GRAPH})
