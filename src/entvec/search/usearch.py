"""usearch: an index of a neighbour graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import MissingExtra
from entvec.runtime import available_threads
from entvec.search import approximate
from entvec.search.coordinates import Form

FLAT, GRAPH = "flat", "hnsw"
NEIGHBOURS = 32
EXPANSION_WHILE_BUILDING = 24
"""A larger value makes links shorter. Queries are far from all keys, and reach them by long links."""
QUERIES_A_THREAD = 8
ONE_BY_ONE = 1000
"""One thread adds this many rows first: several threads on an empty graph may start two, and a search sees only one."""


def library() -> Any:
    """Return the module usearch.index; raise MissingExtra if it is not installed."""
    try:
        import usearch.index
    except ImportError:
        raise MissingExtra("searching with usearch", needs="usearch", extra="usearch") from None
    return usearch.index


@dataclass(frozen=True, eq=False)
class UsearchIndex:
    """An index of usearch."""

    index: Any
    kind: str

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.index.size, self.index.ndim

    def efforts(self, *, last: bool) -> Sequence[int]:  # noqa: ARG002
        """Return the numbers of nodes that a search in the graph keeps."""
        return approximate.EXPANSIONS if self.kind == GRAPH else (1,)

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """Return about the n best rows of each query; `approximate.Index` has the parameters."""
        self.index.expansion_search = max(effort, n)
        threads = max(1, min(available_threads(), len(queries) // QUERIES_A_THREAD))
        found = self.index.search(queries, n, threads=threads, exact=self.kind == FLAT)
        rows = np.atleast_2d(found.keys).astype(np.int64)  # one query has a result of one dimension
        counts = found.counts if len(queries) > 1 else np.array([rows.shape[1]])
        nearest = np.full((len(queries), n), -1, dtype=np.int64)
        nearest[:, : rows.shape[1]] = np.where(np.arange(rows.shape[1]) < counts[:, None], rows, -1)
        return nearest

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        self.index.save(str(path))
        if path.stat().st_size != self.index.serialized_length:  # usearch ignores a disk that was full at the end
            raise OSError(f"usearch wrote {path.stat().st_size:,} bytes of {self.index.serialized_length:,}")


def _build(kind: str, rows: NDArray[np.float32], form: Form, seed: int) -> UsearchIndex:
    """Return an index of the rows, added in a random order; the seed does not set the random numbers of usearch."""
    index = library().Index(
        ndim=rows.shape[1],
        metric="l2sq" if form == "euclidean" else "ip",
        dtype="f16",  # candidates get exact scores anyway
        connectivity=NEIGHBOURS,
        expansion_add=EXPANSION_WHILE_BUILDING,
    )
    # Random, because near rows that are added one after the other make short links.
    order = np.random.default_rng(seed).permutation(len(rows))
    for part, threads in ((order[:ONE_BY_ONE], 1), (order[ONE_BY_ONE:], available_threads())):
        if len(part):
            index.add(part, rows[part], threads=threads)
    return UsearchIndex(index, kind)


def _open(path: Path, kind: str) -> UsearchIndex:
    """Return the index of a file, as a memory map."""
    index = library().Index.restore(str(path), view=True)
    if index is None:
        raise ValueError("it is no index of usearch")
    return UsearchIndex(index, kind)


LIBRARY = approximate.Library("usearch", (FLAT, GRAPH), {FLAT: "passes", GRAPH: "expansion"}, library, _build, _open)
build = partial(approximate.build, LIBRARY)
load = partial(approximate.load, LIBRARY)
