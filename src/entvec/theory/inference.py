"""What graph inference returns and warns of, and how it reads names and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import EntvecWarning, InvalidInput, NodeNotFound
from entvec.interchange import word_list

Matrix: TypeAlias = NDArray[Any]


class NotConverged(EntvecWarning):
    """Inference stopped at its last allowed sweep, not at a fixed point."""


class Contradicted(EntvecWarning):
    """The graph says of some pair both that it is an entailment and that it is not."""


class Contradiction(NamedTuple):
    """A denied entailment that the other edges imply, along `path`."""

    hypo: str
    hyper: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.hypo} does not entail {self.hyper}, but {' => '.join(self.path)}"


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that are shared, and newer ones of some `nodes` that are not, in order; they may lie beyond the end."""

    shared: Matrix | Rows
    nodes: NDArray[np.intp]
    newer: Matrix

    @classmethod
    def over(cls, shared: Matrix | Rows) -> Rows:
        """All shared, so far."""
        empty = shared.newer[:0] if isinstance(shared, Rows) else shared[:0]
        return cls(shared, np.empty(0, np.intp), empty)

    def take(self, nodes: NDArray[np.intp]) -> Matrix:
        """A copy of the rows of these nodes."""
        shared = self.shared
        rows = shared.take(nodes) if isinstance(shared, Rows) else shared.take(nodes, axis=0, mode="clip")
        place = np.searchsorted(self.nodes, nodes)
        newer = np.append(self.nodes, -1)[place] == nodes
        rows[newer] = self.newer[place[newer]]
        return np.asarray(rows)

    def replace(self, nodes: NDArray[np.intp], rows: Matrix) -> Rows:
        """With these rows for these nodes."""
        kept = ~np.isin(self.nodes, nodes)
        numbers = np.concatenate([self.nodes[kept], nodes])
        order = np.argsort(numbers)
        return Rows(self.shared, numbers[order], np.concatenate([self.newer[kept], rows])[order])

    def settled(self) -> Rows:
        """The same with nothing but a matrix to share; a new one when as much as an eighth of it is outdated."""
        if isinstance(self.shared, Rows):
            return self.shared.replace(self.nodes, self.newer).settled()
        return Rows.over(self.whole()) if 8 * len(self.nodes) > len(self.shared) else self

    def whole(self) -> Matrix:
        """All rows in one matrix."""
        shared = self.shared.whole() if isinstance(self.shared, Rows) else self.shared
        if not len(self.nodes):
            return shared
        out = np.empty((max(len(shared), int(self.nodes[-1]) + 1), shared.shape[1]), shared.dtype)
        out[: len(shared)] = shared
        out[self.nodes] = self.newer
        return out


@dataclass(frozen=True, eq=False)
class Inference:
    """What inference found, and its story.

    `inference["dog"]` is one row; `log_odds` has a row for each node, in the order of `names`. `residual`
    is how far the last sweep found a number from its new value (relative to it beyond 1), `history` the same
    for every sweep, `n_updated` the number of node updates in all. The graph knows it again by
    its `token` and `n_changes`, the number of changes that the graph had seen.

    An inference that started from another one keeps the rows that moved, and shares the others with it, so it is
    made in no time in a graph of any size. Asked for `log_odds`, it copies them all together.
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
    numbers: dict[str, int] = field(repr=False)  # the graph's own, which may have come to know more names

    @cached_property
    def log_odds(self) -> Matrix:
        """A row for each node."""
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
    """The values as an array of floats, or an error that names them."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "fiu":
            return given if given.dtype.kind == "f" else given.astype(float)
    except (TypeError, ValueError, RuntimeError):
        pass  # ragged lists, or a tensor that NumPy cannot read: the same answer as for text and truth values
    raise InvalidInput(f"{name} is no array of numbers: got {type(values).__name__}, expected numbers or a NumPy array")


def per_edge(name: str, values: ArrayLike, n_edges: int, *, largest: float) -> NDArray[np.float64]:
    """One number for all edges or one for each, at least 0 and below `largest`."""
    given = numbers(name, values).astype(float)
    if given.ndim > 1 or given.size not in (1, n_edges) or not ((given >= 0) & (given < largest)).all():
        raise InvalidInput(
            f"{name} is {values!r}, expected 0 <= {name} < {largest:g}, one number or one for each of {n_edges} edges"
        )
    return given


def name_list(names: str | Sequence[str]) -> list[str]:
    """One name or many, as a list."""
    return [names] if isinstance(names, str) else word_list(names, "names")


def seen(items: Iterable[Any], before: Any) -> Iterator[tuple[Any, bool]]:
    """Each item, and whether it was there before or earlier among the items."""
    here = set()
    for item in items:
        yield item, item in before or item in here
        here.add(item)


def node_number(numbers: dict[str, int], name: str) -> int:
    """The number of the node of this name."""
    try:
        return numbers[name]
    except (KeyError, TypeError):
        close = get_close_matches(str(name), list(numbers)[:100_000], n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else "; add_nodes adds one"
        raise NodeNotFound(f"no node {name!r} among the {len(numbers)} of this graph{hint}") from None
