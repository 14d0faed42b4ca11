"""The result and the warnings of graph inference, and the conversion of its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Matrix
from entvec.errors import EntvecWarning, InvalidInput, NodeNotFound
from entvec.interchange import word_list


class NotConverged(EntvecWarning):
    """Inference reached the largest number of sweeps before a fixed point."""


class Contradicted(EntvecWarning):
    """The graph states that some pair is an entailment and also that it is not."""


class Contradiction(NamedTuple):
    """A denied entailment that the other edges imply, along `path`.

    >>> print(Contradiction("poodle", "animal", ("poodle", "dog", "animal")))
    poodle does not entail animal, but poodle => dog => animal

    Parameters
    ----------
    hypo, hyper
        The ends of the denied entailment.
    path
        The names of the nodes from hypo to hyper; each entails the next.
    """

    hypo: str
    hyper: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.hypo} does not entail {self.hyper}, but {' => '.join(self.path)}"


@dataclass(frozen=True, eq=False)
class Rows:
    """A matrix stored as rows shared with an earlier result and newer rows of some `nodes`, which may extend it."""

    shared: Matrix | Rows
    nodes: NDArray[np.intp]
    newer: Matrix

    @classmethod
    def over(cls, shared: Matrix | Rows) -> Rows:
        """Return rows that are all shared."""
        empty = shared.newer[:0] if isinstance(shared, Rows) else shared[:0]
        return cls(shared, np.empty(0, np.intp), empty)

    def take(self, nodes: NDArray[np.intp]) -> Matrix:
        """Return a copy of the rows of these nodes."""
        shared = self.shared
        rows = shared.take(nodes) if isinstance(shared, Rows) else shared.take(nodes, axis=0, mode="clip")
        place = np.searchsorted(self.nodes, nodes)
        newer = np.append(self.nodes, -1)[place] == nodes
        rows[newer] = self.newer[place[newer]]
        return np.asarray(rows)

    def replace(self, nodes: NDArray[np.intp], rows: Matrix) -> Rows:
        """Return rows in which these nodes have these values."""
        kept = ~np.isin(self.nodes, nodes)
        numbers = np.concatenate([self.nodes[kept], nodes])
        order = np.argsort(numbers)
        return Rows(self.shared, numbers[order], np.concatenate([self.newer[kept], rows])[order])

    def settled(self) -> Rows:
        """Return the same rows, based on a plain matrix. The matrix is copied if an eighth of its rows are outdated."""
        if isinstance(self.shared, Rows):
            return self.shared.replace(self.nodes, self.newer).settled()
        return Rows.over(self.whole()) if 8 * len(self.nodes) > len(self.shared) else self

    def whole(self) -> Matrix:
        """Return all rows as one matrix."""
        shared = self.shared.whole() if isinstance(self.shared, Rows) else self.shared
        if not len(self.nodes):
            return shared
        out = np.empty((max(len(shared), int(self.nodes[-1]) + 1), shared.shape[1]), shared.dtype)
        out[: len(shared)] = shared
        out[self.nodes] = self.newer
        return out


@dataclass(frozen=True, eq=False)
class Inference:
    """The result of `EntailmentGraph.infer`: `inference["dog"]` is a row, `log_odds` is the matrix of all nodes.

    >>> import numpy as np
    >>> from entvec.theory import EntailmentGraph
    >>> graph = EntailmentGraph(2)
    >>> graph.add_nodes(["animal", "dog"])
    >>> inference = graph.infer()
    >>> inference["dog"], inference.converged, inference.n_iter
    (array([0., 0.]), True, 1)

    An inference that started from another one stores only the rows that moved and shares the others, so its
    cost does not depend on the size of the graph. The first use of `log_odds` copies all rows.

    Parameters
    ----------
    names
        The nodes, in the order of the rows.
    rows
        The log-odds, partly shared with an earlier inference.
    n_iter
        The number of sweeps.
    converged
        Whether the last sweep moved no number by more than the tolerance.
    residual
        How far the last sweep moved a number at most, relative to its size beyond 1.
    history
        The same for every sweep.
    n_updated
        The number of node updates in all sweeps.
    token, n_changes
        The graph's identifier, and the number of its changes before this inference.
    numbers
        The row number of each name; the graph may have added more since.
    """

    names: tuple[str, ...]
    rows: Rows = field(repr=False)
    n_iter: int
    converged: bool
    residual: float
    history: tuple[float, ...]
    n_updated: int
    token: str = field(repr=False)
    n_changes: int = field(repr=False)
    numbers: dict[str, int] = field(repr=False)  # shared with the graph, which may add names

    @cached_property
    def log_odds(self) -> Matrix:
        """The log-odds of all nodes, one row each."""
        whole = self.rows.whole()
        whole.flags.writeable = False  # a later inference may start from it
        return whole

    def __getitem__(self, name: str) -> Matrix:
        node = node_number(self.numbers, name)
        if node >= len(self.names):
            raise NodeNotFound(f"no node {name!r} in this inference: it came later; infer again with start=")
        row: Matrix = self.rows.take(np.array([node]))[0]
        row.flags.writeable = False
        return row


def numbers(name: str, values: ArrayLike) -> NDArray[np.floating]:
    """Return the values as an array of floats; raise an error that names the argument if they are not numbers."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "fiu":
            return given if given.dtype.kind == "f" else given.astype(float)
    except (TypeError, ValueError, RuntimeError):
        pass  # ragged lists, or a tensor that NumPy cannot read; the error is that of text and booleans
    raise InvalidInput(f"{name} is no array of numbers: got {type(values).__name__}, expected numbers or a NumPy array")


def per_edge(name: str, values: ArrayLike, n_edges: int, *, largest: float) -> NDArray[np.float64]:
    """Return one number for each edge, at least 0 and below `largest`."""
    given = numbers(name, values).astype(float)
    if given.ndim > 1 or given.size not in (1, n_edges) or not ((given >= 0) & (given < largest)).all():
        raise InvalidInput(
            f"{name} is {values!r}, expected 0 <= {name} < {largest:g}, one number or one for each of {n_edges} edges"
        )
    return given


def name_list(names: str | Sequence[str]) -> list[str]:
    """Return a list of one name or many."""
    return [names] if isinstance(names, str) else word_list(names, "names")


def seen(items: Iterable[Any], before: Any) -> Iterator[tuple[Any, bool]]:
    """Yield each item, and whether it is in `before` or occurred earlier among the items."""
    here = set()
    for item in items:
        yield item, item in before or item in here
        here.add(item)


def node_number(numbers: dict[str, int], name: str) -> int:
    """Return the row number of a node."""
    try:
        return numbers[name]
    except (KeyError, TypeError):
        close = get_close_matches(str(name), list(numbers)[:100_000], n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else "; add_nodes adds one"
        raise NodeNotFound(f"no node {name!r} among the {len(numbers)} of this graph{hint}") from None
