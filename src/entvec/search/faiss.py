"""faiss: an index of clusters, which builds fast, and one of a neighbour graph, where clusters have a low recall."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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

FLAT, CLUSTERS, GRAPH = "flat", "ivf", "hnsw"
NEIGHBOURS = 32
"""The neighbours of a node in the graph; the lowest level has twice as many."""
EXPANSION_WHILE_BUILDING = 40
"""A larger value makes links shorter. Queries are far from all keys, and reach them by long links."""
POINTS_A_CLUSTER = 64
"""The number of rows for each cluster that cluster centres are fitted to."""
WORTH_PROBING = 1 / 16
"""The largest share of the clusters to probe: a graph is faster than probing more."""
QUERIES_A_THREAD, ROWS_A_THREAD = 8, 10_000
"""With less work for each thread, threads wait for each other longer than they work."""


def library() -> Any:
    """Return the module faiss; raise MissingExtra if it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from its bindings, on newer versions of Python
            import faiss
    except ImportError:
        raise MissingExtra("searching with faiss", needs="faiss-cpu", extra="faiss") from None
    return faiss


@contextmanager
def _threads(enough: int) -> Iterator[None]:
    """Limit faiss to `enough` threads, and to the available ones. The setting holds for the calling thread only."""
    faiss = library()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(max(1, min(enough, available_threads())))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


@dataclass(frozen=True, eq=False)
class FaissIndex:
    """An index of faiss."""

    index: Any
    kind: str

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.index.ntotal, self.index.d

    def efforts(self, *, last: bool) -> Sequence[int]:
        """Return the numbers of clusters to probe, or of nodes that a search in the graph keeps."""
        if self.kind == CLUSTERS:
            most = self.index.nlist if last else max(1, int(self.index.nlist * WORTH_PROBING))
            return [*(1 << i for i in range(int(most).bit_length() - 1)), most]
        return approximate.EXPANSIONS if self.kind == GRAPH else (1,)

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """Return about the n best rows of each query; `approximate.Index` has the parameters."""
        faiss = library()
        parameters = None
        if self.kind == CLUSTERS:
            parameters = faiss.SearchParametersIVF(nprobe=min(effort, self.index.nlist))
        elif self.kind == GRAPH:
            parameters = faiss.SearchParametersHNSW(efSearch=max(effort, n))
        with _threads(len(queries) // QUERIES_A_THREAD):
            return np.asarray(self.index.search(queries, n, params=parameters)[1], dtype=np.int64)

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        # Through Python, because faiss itself only prints that a disk was full when it closed the file.
        with path.open("wb") as file:
            library().write_index(self.index, library().PyCallbackIOWriter(file.write))


def _build(kind: str, rows: NDArray[np.float32], form: Form, seed: int) -> FaissIndex:
    """Return an index; except in a flat one, numbers have 16 bits, since candidates get exact scores anyway."""
    faiss = library()
    metric = faiss.METRIC_L2 if form == "euclidean" else faiss.METRIC_INNER_PRODUCT
    n, width = rows.shape
    clusters = max(1, min(n // POINTS_A_CLUSTER, 1 << round(np.log2(2 * np.sqrt(n)))))
    factory = {FLAT: "Flat", CLUSTERS: f"IVF{clusters},SQfp16", GRAPH: f"HNSW{NEIGHBOURS},SQfp16"}[kind]
    index = faiss.index_factory(width, factory, metric)
    sample = rows
    if kind == CLUSTERS:
        index.cp.seed, index.cp.min_points_per_centroid = seed, 1
        sample = np.random.default_rng(seed).permutation(rows)[: clusters * POINTS_A_CLUSTER]
    elif kind == GRAPH:
        index.hnsw.efConstruction = EXPANSION_WHILE_BUILDING
        index.hnsw.rng = faiss.RandomGenerator(seed)
    with _threads(n // ROWS_A_THREAD):
        index.train(sample)
        index.add(rows)
    return FaissIndex(index, kind)


def _open(path: Path, kind: str) -> FaissIndex:
    """Return the index of a file, as a memory map."""
    faiss = library()
    # The older flag maps clusters only, and saves an index as a reference to the file it was read from.
    return FaissIndex(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC), kind)


LIBRARY = approximate.Library(
    "faiss", (FLAT, CLUSTERS, GRAPH), {FLAT: "passes", CLUSTERS: "nprobe", GRAPH: "expansion"}, library, _build, _open
)
build = partial(approximate.build, LIBRARY)
load = partial(approximate.load, LIBRARY)
