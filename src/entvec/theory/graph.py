"""Inference in graphs of entailments (the paper, section 2.2).

Nodes are vectors of log-odds that features are known. Edges say that one node entails another, or that it
does not. Inference finds log-odds for all nodes that agree with the priors and with the edges:

>>> import numpy as np
>>> graph = EntailmentGraph(n_features=2)
>>> graph.add_nodes(["animal", "dog", "thing"])
>>> graph.observe("animal", np.array([4.0, -4.0]))
>>> graph.add_entailments(["dog", "animal"], ["animal", "thing"])
>>> found = graph.infer()
>>> found["dog"].round(2), found["thing"].round(2)
(array([4.02, 0.02]), array([-0.02, -4.02]))
>>> found.converged
True

A dog has what an animal has, and may have more; a thing has at most what an animal has.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike

from entvec.errors import InvalidInput
from entvec.theory.edges import EdgeList, Numbers, Structure
from entvec.theory.inference import (
    Contradicted,
    Contradiction,
    Inference,
    Matrix,
    NotConverged,
    name_list,
    node_number,
    numbers,
    per_edge,
    seen,
)
from entvec.theory.priors import NodePrior, Prior, independent, merged_prior
from entvec.theory.sweeps import Schedule, iterate

TOLERANCE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-5}
"""Sums of some tens of terms cannot come closer to a fixed point than their own rounding."""


class EntailmentGraph:
    """Named vectors and what is said of them: priors, entailments, negated entailments, observations.

    `prior` is the paper's theta_ik(X), a function of the current state: one of `entvec.theory.priors` or
    your own. Every node also has its own prior log-odds, which that function starts from.
    """

    def __init__(self, n_features: int, *, prior: Prior = independent, dtype: Any = np.float64) -> None:
        if not isinstance(n_features, int | np.integer) or n_features < 1:
            raise InvalidInput(f"n_features is {n_features!r}, expected at least 1")
        if not callable(prior):
            raise InvalidInput(
                f"prior is {prior!r}, expected a function such as those of entvec.theory.priors; "
                "prior log-odds of single nodes are given to add_nodes"
            )
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise InvalidInput(f"dtype is {np.dtype(dtype)}, expected float32 or float64")
        self.n_features = n_features
        self.dtype = np.dtype(dtype)
        self._prior = prior
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._priors: list[Matrix] = []
        self._observed: dict[int, Matrix] = {}
        self._entailments = EdgeList()
        self._negations = EdgeList()
        # Every change gets a number, and every node remembers the last one that concerned it: with the number
        # at which an inference was made, it can be brought up to date by looking at newer changes only.
        self._revision = 0
        self._changed: list[int] = []
        self._inferred: dict[str, int] = {}
        self._structure: Structure | None = None

    def __copy__(self) -> EntailmentGraph:
        return deepcopy(self)  # two graphs must not share what one of them goes on to change

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    @property
    def prior(self) -> Prior:
        """The function theta_ik(X), fixed for the graph's life."""
        return self._prior

    def add_nodes(self, names: str | Sequence[str], prior: ArrayLike = 0.0) -> None:
        """Add one node or many. `prior`: log-odds, one number, one row for all, or one row for each.

        Whole numbers and lists are taken for the floats they mean, here and wherever a graph is given numbers.
        """
        new = name_list(names)
        repeated = next((n for n, known in seen(new, self._numbers) if known), None)
        if repeated is not None:
            raise InvalidInput(f"node {repeated!r} is there already, expected new names, each once")
        self._priors.append(self._rows(prior, len(new), "prior"))
        self._numbers.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
        self._names.extend(new)
        self._changed.extend([0] * len(new))
        self._touch(range(len(self) - len(new), len(self)))

    def set_prior(self, names: str | Sequence[str], prior: ArrayLike) -> None:
        """Replace the prior log-odds of one node or many."""
        nodes = self._find(names)
        self._base()[nodes] = self._rows(prior, len(nodes), "prior")
        self._touch(nodes)

    def add_entailments(self, hypo: str | Sequence[str], hyper: str | Sequence[str], weight: ArrayLike = 1.0) -> None:
        """Say that each hypo entails its hyper (a dog is an animal). A weight below 1 says it less firmly.

        Names come in pairs; one name on either side goes with all of the other side.
        """
        self._add_edges(self._entailments, "entailment", hypo, hyper, weight, None)

    def add_negations(
        self,
        hypo: str | Sequence[str],
        hyper: str | Sequence[str],
        weight: ArrayLike = 1.0,
        bound: ArrayLike | None = None,
    ) -> None:
        """Say that each hypo does not entail its hyper (a bat is no bird).

        `bound` is the paper's constant C_ijk, between 0 (nothing follows) and 1; without it, C is computed
        from the current state in every sweep, as the probability that all other features would allow it.
        """
        self._add_edges(self._negations, "negated entailment", hypo, hyper, weight, bound)

    def observe(self, names: str | Sequence[str], log_odds: ArrayLike) -> None:
        """Hold nodes fixed at these log-odds."""
        nodes = self._find(names)
        self._observed.update(zip(nodes.tolist(), self._rows(log_odds, len(nodes), "log_odds"), strict=True))
        self._touch(nodes)

    def release(self, names: str | Sequence[str]) -> None:
        """Let observed nodes be inferred again."""
        nodes = self._find(names)
        for node in nodes.tolist():
            if node not in self._observed:
                raise InvalidInput(f"node {self._names[node]!r} is not observed, so it cannot be released")
        for node in nodes.tolist():
            self._observed.pop(node, None)
        self._touch(nodes)

    def contradictions(self) -> list[Contradiction]:
        """Every denied entailment that follows from the entailments, with the path that shows it."""
        paths = [tuple(self._names[node] for node in path) for path in self._edges().implied]
        return [Contradiction(path[0], path[-1], path) for path in paths]

    def cycles(self) -> list[list[str]]:
        """Every group of nodes that entail each other, directly or through others."""
        return [[self._names[node] for node in group] for group in self._edges().cycles()]

    def infer(
        self,
        schedule: Schedule = "sequential",
        *,
        damping: float = 0.0,
        tol: float | None = None,
        max_iter: int = 1000,
        start: Inference | None = None,
    ) -> Inference:
        """Re-estimate all nodes until no number moves by more than `tol` (1e-6 for float64, 1e-5 for float32).

        The tolerance is relative for numbers beyond 1. "sequential" lets each node use its neighbours' newest
        values. "parallel" updates all nodes at once from the last sweep; where neighbours pull against each
        other, as a firm node and its many hyponyms do, it can swing for ever. `damping` keeps that share of
        the old values, which calms both.

        `start` is an earlier inference of this graph. Only what was added or changed since, and what that
        moves, is then inferred again. Fixed points need not be unique, so a start or another schedule can
        lead to another one.

        Cycles are legal: unobserved nodes that entail each other, by edges of weight 1/2 or more, are equal, so
        they are inferred as one node with the sum of their priors. (Not so under a prior that couples nodes.)
        """
        if schedule not in ("parallel", "sequential"):
            raise InvalidInput(f"schedule is {schedule!r}, expected 'parallel' or 'sequential'")
        if not 0 <= damping < 1:
            raise InvalidInput(f"damping is {damping}, expected 0 <= damping < 1")
        if tol is None:
            tol = TOLERANCE[self.dtype]
        if not (tol > 0 and max_iter >= 1):
            raise InvalidInput(f"tol is {tol} and max_iter {max_iter}, expected both positive")
        if not isinstance(start, Inference | None):
            raise InvalidInput(f"start is a {type(start).__name__}, expected an Inference, as infer returns it")
        if not len(self):
            raise InvalidInput("the graph is empty, expected at least one node; add some with add_nodes")
        structure = self._edges()
        self._warn_of_contradictions(structure)
        free = np.ones(len(self), dtype=bool)
        free[list(self._observed)] = False
        base, log_odds, stale = self._base(), self._initial(start), self._stale(start, structure, tol)
        prior = self.prior
        group = None
        if isinstance(prior, NodePrior) and (group := structure.equivalents(free)) is not None:
            structure = structure.merged(group)
            _, member = np.unique(group, return_index=True)
            prior = merged_prior(prior, base, group, member)
            log_odds, free = log_odds[member], free[member]
            stale = None if stale is None else np.unique(group[stale])
        history, n_updated = iterate(
            structure,
            log_odds,
            base,
            prior,
            schedule=schedule,
            damping=damping,
            tol=tol,
            max_iter=max_iter,
            free=free,
            stale=stale,
        )
        token = uuid4().hex
        self._inferred[token] = self._revision
        result = Inference(
            names=tuple(self._names),
            log_odds=log_odds if group is None else log_odds[group],
            n_iter=len(history),
            converged=history[-1] <= tol,
            residual=history[-1] if stale is None or start is None else max(history[-1], start.residual),
            history=tuple(history),
            n_updated=n_updated,
            token=token,
        )
        if not result.converged:
            warnings.warn(self._why_not(result, schedule, damping), NotConverged, stacklevel=2)
        return result

    def _initial(self, start: Inference | None) -> Matrix:
        log_odds = self._base().copy()
        if start is not None:
            if start.token not in self._inferred:
                raise InvalidInput("start was inferred from another graph, expected an inference of this one")
            log_odds[: len(start.names)] = start.log_odds
        for node, row in self._observed.items():
            log_odds[node] = row
        return log_odds

    def _stale(self, start: Inference | None, structure: Structure, tol: float) -> Numbers | None:
        """The nodes that a change since `start` can move: the changed ones and those next to them.

        A change in a cycle can merge or part all its nodes, so it concerns them all. None: all nodes can move.
        """
        if start is None or start.residual > tol or not isinstance(self.prior, NodePrior):
            return None
        changed = np.array(self._changed) > self._inferred[start.token]
        group = structure.equivalents(np.ones(len(self), dtype=bool))
        if group is not None:
            changed = np.isin(group, group[changed])
        return structure.around(np.flatnonzero(changed))

    def _warn_of_contradictions(self, structure: Structure) -> None:
        if len(structure.negations.hypo) and (found := self.contradictions()):
            more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
            text = "; ".join(map(str, found[:3])) + more
            warnings.warn(f"the graph contradicts itself: {text}", Contradicted, stacklevel=3)

    def _why_not(self, result: Inference, schedule: Schedule, damping: float) -> str:
        text = f"not converged after {result.n_iter} sweeps: a number was still {result.residual:.3g} off; "
        if cycles := self.cycles():
            names = ", ".join(cycles[0][:5])
            text += f"some nodes entail each other ({names}), which can pass evidence in circles; "
        if schedule == "parallel":
            return text + "try schedule='sequential'"
        return text + ("raise max_iter" if damping else "raise max_iter, or try damping=0.5")

    def _add_edges(
        self,
        edges: EdgeList,
        kind: str,
        hypo: str | Sequence[str],
        hyper: str | Sequence[str],
        weight: ArrayLike,
        bound: ArrayLike | None,
    ) -> None:
        i, j = self._find(hypo), self._find(hyper)
        if len(i) != len(j):
            if not (isinstance(hypo, str) or isinstance(hyper, str)):
                raise InvalidInput(f"got {len(i)} hypos and {len(j)} hypers, expected as many of each, or one name")
            i, j = np.broadcast_arrays(i, j)
        weights = per_edge("weight", weight, len(i), largest=np.inf)
        bounds = np.array(np.nan) if bound is None else per_edge("bound", bound, len(i), largest=1.0)
        if (i == j).any():
            name = self._names[int(i[i == j][0])]
            raise InvalidInput(f"{kind} of {name!r} and itself: everything entails itself, so there is nothing to say")
        keys = list(zip(i.tolist(), j.tolist(), strict=True))
        repeated = next((key for key, there in seen(keys, edges.keys) if there), None)
        if repeated is not None:
            names = " and ".join(repr(self._names[node]) for node in repeated)
            raise InvalidInput(f"the {kind} of {names} is there already, expected each once; use weight to stress one")
        edges.extend(keys, i, j, weights, bounds)
        self._structure = None
        self._touch(np.concatenate([i, j]))

    def _edges(self) -> Structure:
        if self._structure is None or self._structure.n_nodes != len(self):
            self._structure = Structure(len(self), self._entailments.arrays(), self._negations.arrays())
        return self._structure

    def _base(self) -> Matrix:
        if len(self._priors) != 1:
            self._priors = [np.concatenate([np.empty((0, self.n_features), self.dtype), *self._priors])]
        return self._priors[0]

    def _rows(self, values: ArrayLike, n: int, name: str) -> Matrix:
        given = numbers(name, values)
        if not np.isfinite(given).all():
            raise InvalidInput(f"{name} holds NaN or infinite values, expected finite log-odds")
        allowed = [(), (self.n_features,), (n, self.n_features)]
        if given.shape not in allowed:
            raise InvalidInput(
                f"{name} has shape {given.shape}, expected a number, ({self.n_features},) for all, "
                f"or {(n, self.n_features)} for each"
            )
        with np.errstate(over="ignore"):
            rows = np.array(np.broadcast_to(given, (n, self.n_features)), dtype=self.dtype)
        if not np.isfinite(rows).all():
            raise InvalidInput(f"{name} reaches {np.abs(given).max():g}, more than {self.dtype} can hold")
        return rows

    def _find(self, names: str | Sequence[str]) -> Numbers:
        return np.array([node_number(self._numbers, name) for name in name_list(names)], dtype=np.intp)

    def _touch(self, nodes: Iterable[int]) -> None:
        self._revision += 1
        for node in nodes:
            self._changed[node] = self._revision
