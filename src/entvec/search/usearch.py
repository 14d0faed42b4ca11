"""usearch: an index by a graph of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import MissingExtra
from entvec.runtime import available_threads
from entvec.search import approximate
from entvec.search.coordinates import Form
from entvec.vectors.vocabulary import Rows

FLAT, GRAPH = "flat", "hnsw"
NEIGHBOURS = 32
EXPANSION_WHILE_BUILDING = 24
"""More would make shorter links, and queries, which are far from all keys, need the long ones."""
QUERIES_A_THREAD = 8
ONE_BY_ONE = 1000
"""Rows that one thread adds: several that begin with an empty graph may make two, of which a search sees only one."""
EXPANSIONS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


def library() -> Any:
    """usearch's module of indexes."""
    try:
        import usearch.index
    except ImportError:
        raise MissingExtra("searching with usearch", needs="usearch", extra="usearch") from None
    return usearch.index


@dataclass(frozen=True, eq=False)
class UsearchIndex:
    """An index that usearch made."""

    made: Any
    kind: str

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many numbers each has."""
        return self.made.size, self.made.ndim

    def efforts(self, *, last: bool) -> Sequence[int]:  # noqa: ARG002
        """How many nodes of the graph are kept while searching."""
        return EXPANSIONS if self.kind == GRAPH else (1,)

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """About the n best rows of each query; -1 where fewer were found."""
        self.made.expansion_search = max(effort, n)
        threads = max(1, min(available_threads(), len(queries) // QUERIES_A_THREAD))
        found = self.made.search(queries, n, threads=threads, exact=self.kind == FLAT)
        rows = np.atleast_2d(found.keys).astype(np.int64)  # the answer to a batch of one is no batch
        counts = found.counts if len(queries) > 1 else np.array([rows.shape[1]])
        made = np.full((len(queries), n), -1, dtype=np.int64)
        made[:, : rows.shape[1]] = np.where(np.arange(rows.shape[1]) < counts[:, None], rows, -1)
        return made

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        self.made.save(str(path))


class Usearch:
    """What usearch makes."""

    name = "usearch"
    kinds = (FLAT, GRAPH)
    effort = {FLAT: "passes", GRAPH: "expansion"}  # noqa: RUF012

    def check_installed(self) -> None:
        """Raise MissingExtra if the library is not installed."""
        library()

    def build(self, kind: str, rows: NDArray[np.float32], form: Form, seed: int) -> UsearchIndex:
        """An index of rows, in an order drawn with the seed; what else is random in it, the library decides."""
        index = library().Index(
            ndim=rows.shape[1],
            metric="l2sq" if form == "euclidean" else "ip",
            dtype="f16",  # what it finds gets exact scores anyway
            connectivity=NEIGHBOURS,
            expansion_add=EXPANSION_WHILE_BUILDING,
        )
        order = np.random.default_rng(seed).permutation(len(rows))  # neighbours that come together make short links
        for some, threads in ((order[:ONE_BY_ONE], 1), (order[ONE_BY_ONE:], available_threads())):
            if len(some):
                index.add(some, rows[some], threads=threads)
        return UsearchIndex(index, kind)

    def open(self, path: Path, kind: str) -> UsearchIndex:
        """An index in a file, by memory map."""
        made = library().Index.restore(str(path), view=True)
        if made is None:
            raise ValueError("it is no index of usearch")
        return UsearchIndex(made, kind)


build = partial(approximate.build, Usearch())
load = partial(approximate.load, Usearch())
