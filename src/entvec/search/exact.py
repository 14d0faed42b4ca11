"""Exact search: return for each query the k keys with the largest inner product, at the speed of the matrix product.

Threads share the keys: each searches one part, in blocks that stay in the cache. A threshold, the k-th best score so
far, replaces a full selection: after the first blocks hardly any score passes it. Products in float32 have an error
bound; where they leave the order open, exact scores decide. So the answer depends neither on the blocks nor on the
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.runtime import available_threads, blas_threads, blocks, in_threads
from entvec.search.keys import Keys
from entvec.search.request import Hits

Rescore = Callable[[int, Rows], AnyFloats]
"""Returns the exact scores of a query, given by its number, with the keys of these rows."""


RESCORED_AT_ONCE = 1 << 12
FEW_QUERIES = 8
"""Up to this many queries are multiplied with the keys one by one: a matrix product would first copy all keys."""
CACHED_KEYS = 512
"""This many keys stay in the cache while each of a few queries is multiplied with them."""


class BlockSizes(NamedTuple):
    """The sizes of the blocks of work. The answer does not depend on them."""

    scores: int = 1 << 20
    """The scores that a thread holds: 4 MB, which are still in the cache when they are compared."""
    keys: int = 1 << 14
    """The largest number of keys in a block."""
    queries: int = 256
    candidates: int = 1 << 22
    """A thread that holds more candidates than this drops those below the threshold."""


SIZES = BlockSizes()


def top(
    keys: Keys,
    queries: AnyFloats,
    k: int,
    *,
    error_bound: AnyFloats,
    rescore: Rescore,
    among: Rows | None = None,
    threads: int | None = None,
    sizes: BlockSizes = SIZES,
) -> Hits:
    """Return the k keys with the largest exact scores for each query. Equal scores are ordered by row.

    >>> keys = Keys(np.array([[1.0], [3.0], [2.0]], dtype=np.float32), "float32", 3.0)
    >>> top(keys, np.ones((1, 1)), 2, error_bound=np.zeros(1), rescore=lambda query, rows: keys.stored[rows, 0])
    Hits(rows=array([[1, 2]]), scores=array([[3., 2.]]))

    Parameters
    ----------
    keys
        The keys to search.
    queries
        The queries, one in each row.
    k
        How many keys to return for each query.
    error_bound
        For each query, the largest difference between a product in the dtype of the keys and the exact score.
    rescore
        Returns the exact scores of a query, given by its number, with the keys of some rows.
    among
        The rows to choose from, in rising order; None for all.
    threads
        How many parts the keys are cut into; by default one for each thread that helps.
    sizes
        The sizes of the blocks.
    """
    n = len(keys) if among is None else len(among)
    hits = Hits.empty(len(queries), min(k, n))
    for batch in blocks(len(queries), sizes.queries) if hits.rows.size else []:
        rounded = np.ascontiguousarray(queries[batch], dtype=keys.computed)
        block = max(1, min(sizes.keys, sizes.scores // len(rounded)))
        # Each part has its own threshold, so there are no more parts than threads, or than blocks. A BLAS with
        # threads shares the work of each product by itself; several products at a time would slow it down.
        shared = len(rounded) > FEW_QUERIES and blas_threads() > 1
        workers = threads or (1 if shared else available_threads())
        ends = np.linspace(0, n, min(workers, -(-n // block)) + 1).astype(int).tolist()
        places = Hits(hits.rows[batch], hits.scores[batch])
        search = _Batch(keys, rounded, places, error_bound[batch], among, rescore, batch.start)
        parts = [slice(*part) for part in pairwise(ends)]
        search.rank(in_threads(partial(search.candidates, block=block, most=sizes.candidates), parts))
    return hits


class Candidates(NamedTuple):
    """Scores that may be among the k best of a query: three columns of the same length."""

    query: Rows
    row: Rows
    score: AnyFloats

    def where(self, chosen: NDArray[Any]) -> Candidates:
        """Return the candidates that a mask or an array of positions chooses."""
        return Candidates(*(column[chosen] for column in self))

    def by_query(self, m: int) -> list[Candidates]:
        """Return the candidates of each of m queries, ordered by row."""
        order = np.lexsort((self.row, self.query))
        ends = np.searchsorted(self.query[order], np.arange(m + 1))
        return [self.where(order[start:end]) for start, end in pairwise(ends.tolist())]


@dataclass(frozen=True, eq=False)
class _Batch:
    """A batch of queries, rounded to the dtype of the keys, and the places for their hits."""

    keys: Keys
    queries: AnyFloats
    hits: Hits
    error_bound: AnyFloats
    among: Rows | None
    rescore: Rescore
    first: int
    """The number of the first query."""

    def candidates(self, part: slice, block: int, most: int) -> Candidates:
        """Return the candidates for the k best keys of one part, searched in blocks of keys; hold about `most`."""
        among, (m, k) = self.among, self.hits.rows.shape
        best = np.full((m, k), -np.inf, dtype=self.queries.dtype)
        threshold = np.full(
            m, -np.inf, dtype=self.queries.dtype
        )  # the k-th best score, less the errors of two products
        margin = (2 * self.error_bound).astype(self.queries.dtype)
        candidates: list[Candidates] = []
        size = 0
        limit = max(most, 4 * m * k)
        buffer = np.empty((m, min(block, part.stop - part.start)), dtype=self.queries.dtype)
        for first in range(part.start, part.stop, block):
            last = min(first + block, part.stop)
            rows = slice(first, last) if among is None else among[first:last]
            scores = _products(self.queries, self.keys.decoded(rows), buffer[:, : last - first])
            # Written with `~`: a maximum of NaN, from a damaged file, must not hide the other scores of its block.
            for query in np.flatnonzero(~(scores.max(axis=1) < threshold)).tolist():
                places = np.flatnonzero(scores[query] >= threshold[query])
                values = scores[query, places]
                better = np.concatenate([best[query], values])
                best[query] = np.partition(better, len(better) - k)[len(better) - k :]
                threshold[query] = best[query, 0] - margin[query]
                good = values >= threshold[query]
                places, values = places[good], values[good]
                row = places + first if among is None else among[places + first]
                candidates.append(Candidates(np.full(len(places), query), row, values))
                size += len(places)
            if size > limit:
                joined = _concatenate(candidates)
                candidates = [joined.where(joined.score >= threshold[joined.query])]
                if len(candidates[0].row) > limit // 2:  # many products are too close: only exact scores can decide
                    candidates = [
                        each.where(np.argsort(-self.exact(query, each.row), kind="stable")[:k])
                        for query, each in enumerate(candidates[0].by_query(m))
                    ]
                size = sum(len(each.row) for each in candidates)
        return _concatenate(candidates)

    def rank(self, parts: list[Candidates]) -> None:
        """Compute the exact scores of the candidates of all parts, and write the best to `hits`."""
        m, k = self.hits.rows.shape
        by_query = _concatenate(parts).by_query(m)

        def rank(query: int) -> None:
            candidates = by_query[query]
            if len(candidates.row) > k:  # each part had a lower threshold than all keys together have
                scores = candidates.score
                threshold = np.partition(scores, len(scores) - k)[len(scores) - k] - 2 * self.error_bound[query]
                candidates = candidates.where(scores >= threshold)
            self.hits.fill(query, candidates.row, self.exact(query, candidates.row))

        in_threads(rank, range(m))

    def exact(self, query: int, rows: Rows) -> AnyFloats:
        """Return exact scores, computed in blocks, since `rescore` copies the keys of the rows."""
        parts = [self.rescore(self.first + query, rows[some]) for some in blocks(len(rows), RESCORED_AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty(0)


def _products(queries: AnyFloats, keys: AnyFloats, out: AnyFloats) -> AnyFloats:
    """Write the product of each query with each key to `out`, and return it."""
    if len(queries) > FEW_QUERIES:
        return np.matmul(queries, keys.T, out=out)
    for first in range(0, len(keys), CACHED_KEYS):
        block = slice(first, first + CACHED_KEYS)
        np.vecdot(queries[:, None], keys[None, block], out=out[:, block])
    return out


def _concatenate(candidates: list[Candidates]) -> Candidates:
    columns: Any = zip(*candidates, strict=True)
    return Candidates(*map(np.concatenate, columns))


def rounding_bound(queries: AnyFloats, longest: float, dtype: np.dtype[Any]) -> AnyFloats:
    """Return for each query how far a product in this dtype with a key may be from the exact one.

    This is the usual bound of a sum of n products, n u / (1 - n u) times the sum of their sizes (Higham 2002, section
    3.1). Here n is one larger, since the query is rounded too, and the product of the lengths bounds that sum.

    Parameters
    ----------
    queries
        The queries, one in each row.
    longest
        An upper bound of the lengths of the keys.
    dtype
        The dtype in which products are computed.
    """
    units = (queries.shape[1] + 1) * float(np.finfo(dtype).eps) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", queries, queries, dtype=np.float64))
        return np.asarray(units / (1 - units) * lengths * longest)
