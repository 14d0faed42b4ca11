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

A dog has at least the features of an animal; a thing has at most the features of an animal.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Matrix
from entvec.errors import InvalidInput
from entvec.theory.edges import EdgeList, Numbers, Structure
from entvec.theory.fixedpoint import Options, Schedule, iterate
from entvec.theory.inference import (
    Contradicted,
    Contradiction,
    Inference,
    NotConverged,
    Rows,
    name_list,
    node_number,
    numbers,
    per_edge,
    seen,
)
from entvec.theory.priors import NodePrior, Prior, independent, merged_prior
from entvec.theory.sweeps import Sweep, moved

TOLERANCE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-5}
"""The default tolerance by dtype. Rounding in sums of some tens of terms prevents smaller ones."""
PLAIN_SWEEPS = 8
"""The number of sweeps before the first Newton step. They decide between fixed points, and often suffice."""


class EntailmentGraph:
    """A graph of named vectors, with priors, entailments, negated entailments and observations.

    >>> import numpy as np
    >>> graph = EntailmentGraph(2)
    >>> graph.add_nodes(["animal", "dog"])
    >>> graph.add_entailments("dog", "animal")
    >>> graph.observe("dog", np.array([4.0, -4.0]))
    >>> graph.infer()["animal"].round(2)
    array([-0.02, -4.02])

    Parameters
    ----------
    n_features
        The length of every vector.
    prior
        The paper's theta_ik(X), a function of the current state: one of `entvec.theory.priors` or a function of your
        own. It starts from the prior log-odds of each node, which `add_nodes` takes.
    dtype
        float64 or float32.
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
        self._priors: Matrix = np.empty((0, n_features), self.dtype)  # with spare rows at the end
        self._observed: dict[int, Matrix] = {}
        self._entailments = EdgeList()
        self._negations = EdgeList()
        # The number of the latest change of each node. An inference stores how many changes preceded it, so bringing
        # it up to date examines only the nodes that changed later.
        self._n_changes = 0
        self._changed: Numbers = np.empty(0, np.intp)
        self._token = uuid4().hex
        # The graphs whose inferences may be used as a start, and up to which change: this graph, and those that it was
        # copied from, up to the copy.
        self._known: dict[str, float] = {self._token: np.inf}
        self._structure = Structure(0, self._entailments.arrays(), self._negations.arrays())
        self._outdated = False
        # Adding edges never removes a contradiction, so each edge is checked once.
        self._implied: dict[tuple[int, int], list[int]] = {}
        self._checked = (0, 0)

    def __copy__(self) -> EntailmentGraph:
        return deepcopy(self)  # a shallow copy would share arrays that either graph may change

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make a copy that can start from earlier inferences of its original, but not from later ones."""
        self.__dict__.update(state)
        self._known[self._token] = self._n_changes
        self._token = uuid4().hex
        self._known[self._token] = np.inf

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    @property
    def prior(self) -> Prior:
        """The function theta_ik(X). It cannot be replaced."""
        return self._prior

    def add_nodes(self, names: str | Sequence[str], prior: ArrayLike = 0.0) -> None:
        """Add one node or many, with prior log-odds: one number, one row for all nodes, or one row for each.

        Integers and lists are converted to floats, here and in all other methods.
        """
        new = name_list(names)
        repeated = next((n for n, known in seen(new, self._numbers) if known), None)
        if repeated is not None:
            raise InvalidInput(f"node {repeated!r} is there already, expected new names, each once")
        rows = self._rows(prior, len(new), "prior")
        nodes = np.arange(len(self), len(self) + len(new))
        if len(self) + len(new) > len(self._priors):
            room = (len(self) + len(new)) * 9 // 8
            priors, changed = np.empty((room, self.n_features), self.dtype), np.zeros(room, np.intp)
            priors[: len(self)], changed[: len(self)] = self._base(), self._changed[: len(self)]
            self._priors, self._changed = priors, changed
        self._priors[nodes] = rows
        self._numbers.update(zip(new, nodes.tolist(), strict=True))
        self._names.extend(new)
        self._note_change(nodes)

    def set_prior(self, names: str | Sequence[str], prior: ArrayLike) -> None:
        """Replace the prior log-odds of one node or many."""
        nodes = self._find(names)
        self._base()[nodes] = self._rows(prior, len(nodes), "prior")
        self._note_change(nodes)

    def add_entailments(self, hypo: str | Sequence[str], hyper: str | Sequence[str], weight: ArrayLike = 1.0) -> None:
        """State that each hypo entails its hyper (a dog is an animal).

        >>> graph = EntailmentGraph(2)
        >>> graph.add_nodes(["animal", "dog", "cat"])
        >>> graph.add_entailments(["dog", "cat"], "animal")

        Parameters
        ----------
        hypo, hyper
            Names of nodes, in pairs. A single name on one side is paired with every name of the other side.
        weight
            How firmly each is stated: one number, or one for each pair. 1 is a plain statement.
        """
        self._add_edges(self._entailments, "entailment", hypo, hyper, weight, None)

    def add_negations(
        self,
        hypo: str | Sequence[str],
        hyper: str | Sequence[str],
        weight: ArrayLike = 1.0,
        bound: ArrayLike | None = None,
    ) -> None:
        """State that each hypo does not entail its hyper (a bat is no bird).

        >>> graph = EntailmentGraph(2)
        >>> graph.add_nodes(["bat", "bird"])
        >>> graph.add_negations("bat", "bird")

        Parameters
        ----------
        hypo, hyper, weight
            As in `add_entailments`.
        bound
            The paper's constant C_ijk, between 0 (the statement has no effect) and 1. If it is None, each sweep
            computes C from the current state, as the probability that all other features obey the entailment.
        """
        self._add_edges(self._negations, "negated entailment", hypo, hyper, weight, bound)

    def observe(self, names: str | Sequence[str], log_odds: ArrayLike) -> None:
        """Fix nodes at these log-odds: inference does not change them."""
        nodes = self._find(names)
        self._observed.update(zip(nodes.tolist(), self._rows(log_odds, len(nodes), "log_odds"), strict=True))
        self._note_change(nodes)

    def release(self, names: str | Sequence[str]) -> None:
        """Let observed nodes be inferred again."""
        nodes = self._find(names)
        for node in nodes.tolist():
            if node not in self._observed:
                raise InvalidInput(f"node {self._names[node]!r} is not observed, so it cannot be released")
        for node in nodes.tolist():
            self._observed.pop(node, None)
        self._note_change(nodes)

    def contradictions(self) -> list[Contradiction]:
        """Return every denied entailment that the entailments imply, with the path that implies it."""
        structure = self._edges()
        n_entailments, n_negations = self._checked
        for path in structure.implied(n_entailments, n_negations):
            self._implied.setdefault((path[0], path[-1]), path)
        self._checked = len(structure.entailments.hypo), len(structure.negations.hypo)
        paths = [tuple(self._names[node] for node in path) for path in self._implied.values()]
        return [Contradiction(path[0], path[-1], path) for path in paths]

    def cycles(self) -> list[list[str]]:
        """Return every group of nodes that entail each other, directly or through others."""
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
        """Re-estimate all nodes until no number moves by more than `tol`; warn with `NotConverged` if that does not
        happen.

        >>> import numpy as np
        >>> graph = EntailmentGraph(2)
        >>> graph.add_nodes(["animal", "dog"])
        >>> graph.add_entailments("dog", "animal")
        >>> graph.observe("animal", np.array([4.0, -4.0]))
        >>> first = graph.infer()
        >>> graph.add_nodes("poodle")
        >>> graph.add_entailments("poodle", "dog")
        >>> graph.infer(start=first)["poodle"].round(2)
        array([4.02, 0.49])

        Unobserved nodes that entail each other, by edges of weight 1/2 or more, are equal, so they are inferred as one
        node with the sum of their priors. (Under a prior that couples nodes they are not merged.)

        Parameters
        ----------
        schedule
            "sequential" updates each node with its neighbours' newest values. "parallel" updates all nodes at once from
            the last sweep; it may oscillate where neighbours disagree, as a firm node and its many hyponyms do.
        damping
            The share of the old value that each update keeps, from 0 to below 1. Damping reduces oscillation. Without
            it, sequential sweeps alternate with Newton steps after a while, since they converge slowly where nodes
            disagree (`entvec.theory.newton`).
        tol
            The tolerance: absolute for numbers up to 1, relative beyond. By default 1e-6 for float64 and 1e-5 for
            float32.
        max_iter
            The largest number of sweeps.
        start
            An earlier inference of this graph. Only nodes that were added or changed since, and those that they affect,
            are inferred again. Fixed points need not be unique: another start or schedule may lead to another one.
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
        options = Options(schedule, damping, tol, max_iter, PLAIN_SWEEPS)
        if start is not None and start.n_changes > self._known.get(start.token, -1):
            raise InvalidInput("start was inferred from another graph, expected an inference of this one")
        if start is None or start.residual > tol or not isinstance(self.prior, NodePrior):
            rows, history, n_updated = self._infer_all(start, options)
            residual = history[-1]
        else:
            rows, history, n_updated = self._infer_changed(start, options)
            residual = max(history[-1], start.residual)
        result = Inference(
            names=tuple(self._names),
            rows=rows,
            n_iter=len(history),
            converged=history[-1] <= tol,
            residual=residual,
            history=tuple(history),
            n_updated=n_updated,
            token=self._token,
            n_changes=self._n_changes,
            numbers=self._numbers,
        )
        if not result.converged:
            warnings.warn(self._why_not(result, schedule, damping), NotConverged, stacklevel=2)
        return result

    def _infer_all(self, start: Inference | None, options: Options) -> tuple[Rows, list[float], int]:
        log_odds = self._base().copy()
        if start is not None:
            log_odds[: len(start.names)] = start.log_odds
        free = np.ones(len(self), dtype=bool)
        for node, row in self._observed.items():
            log_odds[node] = row
            free[node] = False
        found, history, n_updated = self._solve(self._edges(), log_odds, self._base(), free, options)
        return Rows.over(found), history, n_updated

    def _infer_changed(self, start: Inference, options: Options) -> tuple[Rows, list[float], int]:
        """Infer the nodes that changed since `start`, and those that they affect; all other nodes keep their rows."""
        structure = self._edges()
        front = structure.whole_cycles(np.flatnonzero(self._changed[: len(self)] > start.n_changes))
        rows = Rows.over(start.rows).replace(new := np.arange(len(start.names), len(self)), self._base()[new])

        def hearing(nodes: Numbers, before: Rows) -> Numbers:
            # A tenth of the tolerance: many neighbours that each moved a little may together move a node by more.
            far = moved(before.take(nodes), rows.take(nodes), options.tol / 10)
            return structure.whole_cycles(structure.hearing(nodes, *far))

        held = np.array([node for node in front.tolist() if node in self._observed], dtype=np.intp)
        if len(held):
            before, rows = rows, rows.replace(held, np.stack([self._observed[node] for node in held.tolist()]))
            front = np.union1d(front, hearing(held, before))
        heard = front
        history: list[float] = []
        n_updated = 0
        while len(history) < options.max_iter:
            # Changes spread through the graph: a node that they reach for the first time is updated once, together with
            # all others reached at that moment. When they reach no new node, all nodes reached are iterated together.
            before, settle = rows, not len(front)
            if settle:
                how = options._replace(max_iter=options.max_iter - len(history), plain=1)
            else:
                how = options._replace(max_iter=1, schedule="parallel")
            nodes = heard if settle else front
            rows, story, updated = self._infer_region(structure, nodes, rows, how)
            history += story if settle else []
            n_updated += updated
            front = np.setdiff1d(hearing(nodes, before), heard)
            heard = np.union1d(heard, front)
            if settle and not len(front):
                break
        return rows.settled(), history, n_updated

    def _infer_region(
        self, structure: Structure, nodes: Numbers, rows: Rows, options: Options
    ) -> tuple[Rows, list[float], int]:
        """Infer these nodes while their neighbours stay fixed."""
        region, numbers = structure.region(nodes)
        free = np.isin(numbers, nodes)
        free[[place for place, node in enumerate(numbers.tolist()) if node in self._observed]] = False
        log_odds, base = rows.take(numbers), self._base()[numbers]
        simple = self.prior == independent and structure.cyclic is None and not len(region.negations.hypo)
        if simple and options.max_iter > 1:
            # The terms of the neighbours are constant, so they are summed once and added to the priors.
            region, around = region.split(free)
            base = base[free] + Sweep(around, np.flatnonzero(free)).sums(log_odds)[1]
            numbers, log_odds, free = numbers[free], log_odds[free], np.ones(len(base), dtype=bool)
        found, history, n_updated = self._solve(region, log_odds, base, free, options)
        return rows.replace(numbers[free], found[free]), history, n_updated

    def _solve(
        self, structure: Structure, log_odds: Matrix, base: Matrix, free: NDArray[np.bool_], options: Options
    ) -> tuple[Matrix, list[float], int]:
        """Infer the free nodes of a structure; those that entail each other firmly are merged first."""
        prior = self.prior
        merges = isinstance(prior, NodePrior) and self._edges().cyclic is not None
        group = structure.equivalents(free) if merges else None
        if group is None or not isinstance(prior, NodePrior):
            return log_odds, *iterate(structure, log_odds, base, prior, free, options)
        _, member = np.unique(group, return_index=True)
        if prior == independent:
            others = np.setdiff1d(np.arange(len(group)), member)
            merged: Prior = prior
            merged_base = base[member]
            np.add.at(merged_base, group[others], base[others])
        else:
            merged, merged_base = merged_prior(prior, base, group, member), base
        log_odds = log_odds[member]
        story = iterate(structure.merged(group), log_odds, merged_base, merged, free[member], options)
        return log_odds[group], *story

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
        self._outdated = True
        self._note_change(np.concatenate([i, j]))

    def _note_change(self, nodes: Numbers) -> None:
        self._n_changes += 1
        self._changed[nodes] = self._n_changes

    def _edges(self) -> Structure:
        old = self._structure
        if self._outdated or old.n_nodes != len(self):
            entailments, negations = self._entailments.arrays(), self._negations.arrays()
            self._structure = Structure(len(self), entailments, negations, n_acyclic=old.n_known_acyclic)
            self._outdated = False
        return self._structure

    def _base(self) -> Matrix:
        return self._priors[: len(self)]

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
