"""faiss: an index by clusters, quick to build, and one by a graph of neighbours, for what clusters do not find."""

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

from entvec.errors import MissingExtra
from entvec.runtime import available_threads
from entvec.search import approximate
from entvec.search.coordinates import Form
from entvec.vectors.vocabulary import Rows

FLAT, CLUSTERS, GRAPH = "flat", "ivf", "hnsw"
NEIGHBOURS = 32
"""Of a node in the graph: twice as many on the lowest level."""
EXPANSION_WHILE_BUILDING = 40
"""More would make shorter links, and queries, which are far from all keys, need the long ones."""
POINTS_A_CLUSTER = 64
"""How many rows the place of a cluster is learned from."""
WORTH_PROBING = 1 / 16
"""Of the clusters: where more are needed, the graph is faster."""
QUERIES_A_THREAD, ROWS_A_THREAD = 8, 10_000
"""With less work than this, threads wait for each other longer than they work."""
EXPANSIONS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


def library() -> Any:
    """The library faiss."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of its bindings, on newer versions of Python
            import faiss
    except ImportError:
        raise MissingExtra("searching with faiss", needs="faiss-cpu", extra="faiss") from None
    return faiss


@contextmanager
def _threads(enough: int) -> Iterator[None]:
    """As many threads as are enough, and no more than there are processors; the setting is that of our own thread."""
    faiss = library()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(max(1, min(enough, available_threads())))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


@dataclass(frozen=True, eq=False)
class FaissIndex:
    """An index that faiss made."""

    made: Any
    kind: str

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many numbers each has."""
        return self.made.ntotal, self.made.d

    def efforts(self, *, last: bool) -> Sequence[int]:
        """Clusters that are looked at, or nodes of the graph that are kept while searching."""
        if self.kind == CLUSTERS:
            most = self.made.nlist if last else max(1, int(self.made.nlist * WORTH_PROBING))
            return [*(1 << i for i in range(int(most).bit_length() - 1)), most]
        return EXPANSIONS if self.kind == GRAPH else (1,)

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """About the n best rows of each query; -1 where fewer were found."""
        faiss = library()
        how = None
        if self.kind == CLUSTERS:
            how = faiss.SearchParametersIVF(nprobe=min(effort, self.made.nlist))
        elif self.kind == GRAPH:
            how = faiss.SearchParametersHNSW(efSearch=max(effort, n))
        with _threads(len(queries) // QUERIES_A_THREAD):
            return np.asarray(self.made.search(queries, n, params=how)[1], dtype=np.int64)

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        library().write_index(self.made, str(path))


class Faiss:
    """What faiss makes."""

    name = "faiss"
    kinds = (FLAT, CLUSTERS, GRAPH)
    effort = {FLAT: "passes", CLUSTERS: "nprobe", GRAPH: "expansion"}  # noqa: RUF012

    def check_installed(self) -> None:
        """Raise MissingExtra if the library is not installed."""
        library()

    def build(self, kind: str, rows: NDArray[np.float32], form: Form, seed: int) -> FaissIndex:
        """An index of rows; in more than a list of them, numbers have 16 bits: what is found gets exact scores."""
        faiss = library()
        metric = faiss.METRIC_L2 if form == "euclidean" else faiss.METRIC_INNER_PRODUCT
        n, width = rows.shape
        clusters = max(1, min(n // POINTS_A_CLUSTER, 1 << round(np.log2(2 * np.sqrt(n)))))
        factory = {FLAT: "Flat", CLUSTERS: f"IVF{clusters},SQfp16", GRAPH: f"HNSW{NEIGHBOURS},SQfp16"}[kind]
        index = faiss.index_factory(width, factory, metric)
        some = rows
        if kind == CLUSTERS:
            index.cp.seed, index.cp.min_points_per_centroid = seed, 1
            some = np.random.default_rng(seed).permutation(rows)[: clusters * POINTS_A_CLUSTER]
        elif kind == GRAPH:
            index.hnsw.efConstruction = EXPANSION_WHILE_BUILDING
            index.hnsw.rng = faiss.RandomGenerator(seed)
        with _threads(n // ROWS_A_THREAD):
            index.train(some)
            index.add(rows)
        return FaissIndex(index, kind)

    def open(self, path: Path, kind: str) -> FaissIndex:
        """An index in a file, by memory map."""
        faiss = library()
        # The older flag would map clusters only, and write them again as the name of the file they came from.
        return FaissIndex(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC), kind)


build = partial(approximate.build, Faiss())
load = partial(approximate.load, Faiss())
