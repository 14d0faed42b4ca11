"""The main loop of graph inference: sweeps over the graph until no value moves."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Matrix
from entvec.errors import InvalidInput
from entvec.theory.edges import Structure
from entvec.theory.newton import Newton
from entvec.theory.priors import NodePrior, Prior, independent
from entvec.theory.sweeps import Sweep, in_blocks

Schedule: TypeAlias = Literal["parallel", "sequential"]

STEPS = 48
"""After this many Newton steps, plain sweeps are tried again, as many as there have been sweeps so far.

Newton steps ignore priors that couple features and denied edges, and may oscillate around them.
"""
FEATURES_AT_ONCE = 25
"""Features that do not depend on each other are iterated in blocks of this many; each block converges by itself."""


class Options(NamedTuple):
    """The schedule and the stopping rule of `iterate`; `EntailmentGraph.infer` documents them."""

    schedule: Schedule
    damping: float
    tol: float
    max_iter: int
    plain: int
    """The number of plain sweeps before the first Newton step."""


def iterate(
    structure: Structure, log_odds: Matrix, base: Matrix, prior: Prior, free: NDArray[np.bool_], options: Options
) -> tuple[list[float], int]:
    """Sweep over the `free` nodes, changing `log_odds` in place, until none moves by more than `tol`.

    After some undamped sequential sweeps, a Newton step precedes each further sweep. Returns the largest distance
    of each sweep, and the number of node updates in all sweeps.
    """
    schedule, damping, tol, max_iter, plain = options
    sets = [np.arange(len(free))] if schedule == "parallel" else structure.independent_sets()
    sweeps = [Sweep(structure, nodes[free[nodes]]) for nodes in sets if free[nodes].any()]
    newton = schedule == "sequential" and not damping and isinstance(prior, NodePrior)

    plan = cache(lambda: Newton(structure, free))
    one_plans = Lock()

    def steps() -> Newton:
        with one_plans:  # one thread plans the steps, and the others wait for its plan
            return plan()

    def converge(values: Matrix, base: Matrix) -> list[float]:
        history: list[float] = []
        trust: Matrix | None = None
        begin = plain
        while len(history) < max_iter and (not history or history[-1] > tol):
            if len(history) == begin + STEPS:
                begin, trust = 2 * len(history), None
            if newton and len(history) >= begin:
                trust = np.zeros_like(values) if trust is None else trust
                steps().apply(values, base, prior, trust, tol)
            distances = [sweep.apply(values, base, prior, damping).max() for sweep in sweeps]
            history.append(float(np.max(distances, initial=0.0)))
            if not np.isfinite(history[-1]):
                raise InvalidInput(
                    "log-odds are no longer finite: the prior returned NaN or infinity, or weights above 1 around a "
                    "cycle multiply without end; expected a finite prior, and weights of at most 1 around cycles"
                )
        return history

    def converge_block(block: slice) -> list[float]:
        values = np.ascontiguousarray(log_odds[:, block])
        history = converge(values, np.ascontiguousarray(base[:, block]))
        log_odds[:, block] = values
        return history

    if prior == independent and not np.isnan(structure.negations.bound).any():
        histories = in_blocks(converge_block, log_odds.shape, FEATURES_AT_ONCE)
    else:
        histories = [converge(log_odds, base)]
    n_iter = max(map(len, histories))
    history = [max(h[min(i, len(h) - 1)] for h in histories) for i in range(n_iter)]
    return history, n_iter * sum(len(sweep.nodes) for sweep in sweeps)
