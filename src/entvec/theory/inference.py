"""What graph inference returns and warns of, and how it reads names and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput, NodeNotFound

Matrix: TypeAlias = NDArray[Any]


class NotConverged(UserWarning):
    """Inference stopped at its last allowed sweep, not at a fixed point."""


class Contradicted(UserWarning):
    """The graph says of some pair both that it is an entailment and that it is not."""


class Contradiction(NamedTuple):
    """A denied entailment that the other edges imply, along `path`."""

    hypo: str
    hyper: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.hypo} does not entail {self.hyper}, but {' => '.join(self.path)}"


@dataclass(frozen=True, eq=False)
class Inference:
    """What inference found, and its story.

    `log_odds` has a row for each node, in the order of `names`; `inference["dog"]` is one row. `residual`
    is how far the last sweep found a number from its new value (relative to it beyond 1), `history` the same
    for every sweep, `n_updated` the number of node updates in all. `token` is how the graph knows it again.
    """

    names: tuple[str, ...]
    log_odds: Matrix
    n_iter: int
    converged: bool
    residual: float
    history: tuple[float, ...]
    n_updated: int
    token: str

    def __post_init__(self) -> None:
        self.log_odds.flags.writeable = False  # a later inference may start from it

    def __getitem__(self, name: str) -> Matrix:
        return np.asarray(self.log_odds[node_number(self._numbers, name)])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}


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
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        raise InvalidInput(f"got {names!r}, expected the name of a node or a sequence of names")
    listed = list(names)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong:
        raise InvalidInput(f"got {wrong[0]!r} among the names, expected strings")
    return listed


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
