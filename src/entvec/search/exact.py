"""Exact search: for each query the k keys with the largest inner product, at the speed of the matrix product.

Keys are walked in blocks that stay in the cache, by a few threads, each with its own part of the keys. A running
threshold, the k-th best so far, spares the selection: after the first blocks hardly a score passes it. What the product
leaves undecided, because it is of few digits or approximate, is settled by exact scores, so the answer depends neither
on the blocks nor on the threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import Floats
from entvec.runtime import available_threads, blas_threads, in_threads
from entvec.search.keys import Keys
from entvec.search.request import Hits
from entvec.vectors.vocabulary import Rows

Rescore = Callable[[int, Rows], Floats]
"""The exact scores of a query, by its number, with the keys of these rows."""


RESCORED_AT_ONCE = 1 << 12
FEW_QUERIES = 8
"""So many are multiplied with the keys one by one: a matrix product would first copy all keys."""
KEYS_NEAR = 512
"""Keys that stay in the cache while each of a few queries is multiplied with them."""


class BlockSizes(NamedTuple):
    """How the work is cut; the answer does not depend on it."""

    scores: int = 1 << 20
    """Scores that a thread holds: 4 MB, of which the last are still in the cache when they are looked at."""
    keys: int = 1 << 14
    """The most keys of a block."""
    queries: int = 256
    candidates: int = 1 << 22
    """Candidates that a thread holds before it drops those that are no longer good enough."""


SIZES = BlockSizes()


def top(
    keys: Keys,
    queries: Floats,
    k: int,
    *,
    slack: Floats,
    rescore: Rescore,
    among: Rows | None = None,
    threads: int | None = None,
    sizes: BlockSizes = SIZES,
) -> Hits:
    """Return the k keys with the largest exact scores for each query; of equal ones the first rows.

    Parameters
    ----------
    keys, queries, k
        What is searched, a row for each query, and how many keys each gets.
    slack
        For each query a bound of how far a product in the dtype of the keys may be from the exact score.
    rescore
        Returns the exact scores of a query, by its number, with the keys of some rows.
    among
        The rows to choose from, in rising order; all if None.
    threads, sizes
        Into how many parts and blocks the keys are cut.
    """
    n = len(keys) if among is None else len(among)
    k = min(k, n)
    found = Hits.empty(len(queries), k)
    if k == 0 or len(queries) == 0:
        return found
    for first in range(0, len(queries), sizes.queries):
        some = slice(first, first + sizes.queries)
        narrow = np.ascontiguousarray(queries[some], dtype=keys.computed)
        block = max(1, min(sizes.keys, sizes.scores // len(narrow)))
        # One part per thread, as long as there are blocks for all of them: each part keeps a threshold of its own. A
        # BLAS with threads shares the work of each product by itself, and several at a time would get in its way.
        shared = len(narrow) > FEW_QUERIES and blas_threads() > 1
        workers = threads or (1 if shared else available_threads())
        parts = np.linspace(0, n, min(workers, -(-n // block)) + 1).astype(int).tolist()
        walk = partial(_walk, keys, narrow, k, slack[some], among, parts, block, sizes.candidates, rescore, first)
        _settle(in_threads(walk, range(len(parts) - 1)), found, first, k, slack[some], rescore)
    return found


class Candidates(NamedTuple):
    """Scores that may be among the best: of which query, of which key."""

    query: Rows
    row: Rows
    score: Floats

    def where(self, good: NDArray[Any]) -> Candidates:
        """Some of them: a mask, or places."""
        return Candidates(*(column[good] for column in self))

    def by_query(self, m: int) -> list[Candidates]:
        """Those of each query, in the order of the rows."""
        order = np.lexsort((self.row, self.query))
        ends = np.searchsorted(self.query[order], np.arange(m + 1))
        return [self.where(order[start:end]) for start, end in pairwise(ends.tolist())]


def _walk(
    keys: Keys,
    queries: Floats,
    k: int,
    slack: Floats,
    among: Rows | None,
    parts: list[int],
    block: int,
    most: int,
    rescore: Rescore,
    first_query: int,
    part: int,
) -> Candidates:
    """Return what may be among the k best keys of one part, from `parts[part]` to `parts[part + 1]`."""
    start, stop = parts[part : part + 2]
    m = len(queries)
    best = np.full((m, k), -np.inf, dtype=queries.dtype)
    least = np.full(m, -np.inf, dtype=queries.dtype)  # what a score must reach: the k-th best, less what is uncertain
    margin = (2 * slack).astype(queries.dtype)
    kept: list[Candidates] = []
    size = 0
    limit = max(most, 4 * m * k)
    buffer = np.empty((m, min(block, stop - start)), dtype=queries.dtype)
    for first in range(start, stop, block):
        last = min(first + block, stop)
        rows = slice(first, last) if among is None else among[first:last]
        scores = _products(queries, keys.decoded(rows), buffer[:, : last - first])
        for query in np.flatnonzero(~(scores.max(axis=1) < least)).tolist():  # NaN, of a damaged file, hides no others
            of_query = scores[query]
            passed = np.flatnonzero(of_query >= least[query])
            values = of_query[passed]
            better = np.concatenate([best[query], values])
            best[query] = np.partition(better, len(better) - k)[len(better) - k :]
            least[query] = best[query, 0] - margin[query]
            good = values >= least[query]
            passed, values = passed[good], values[good]
            found = passed + first if among is None else among[passed + first]
            kept.append(Candidates(np.full(len(passed), query), found, values))
            size += len(passed)
        if size > limit:
            together = _joined(kept)
            kept = [together.where(together.score >= least[together.query])]
            if len(kept[0].row) > limit // 2:  # many are as good as equal: only their exact scores can tell
                kept = _settled(kept[0], m, k, rescore, first_query)
            size = sum(len(some.row) for some in kept)
    return _joined(kept)


def _products(queries: Floats, keys: Floats, out: Floats) -> Floats:
    """Write the product of each query with each key into `out`, and return it."""
    if len(queries) > FEW_QUERIES:
        return np.matmul(queries, keys.T, out=out)
    for first in range(0, len(keys), KEYS_NEAR):
        some = slice(first, first + KEYS_NEAR)
        np.vecdot(queries[:, None], keys[None, some], out=out[:, some])
    return out


def _joined(several: list[Candidates]) -> Candidates:
    columns: Any = zip(*several, strict=True)
    return Candidates(*map(np.concatenate, columns))


def _settle(several: list[Candidates], found: Hits, first: int, k: int, slack: Floats, rescore: Rescore) -> None:
    """Give the candidates of all threads their exact scores, and write down the best."""
    candidates = _joined(several).by_query(len(slack))

    def settle(query: int) -> None:
        mine = candidates[query]
        if len(mine.row) > k:  # the threads' thresholds were lower than that of all keys
            enough = np.partition(mine.score, len(mine.score) - k)[len(mine.score) - k] - 2 * slack[query]
            mine = mine.where(mine.score >= enough)
        exact = _exact(rescore, first + query, mine.row)
        best = np.argsort(-exact, kind="stable")[:k]
        found.rows[first + query, : len(best)] = mine.row[best]
        found.scores[first + query, : len(best)] = exact[best]

    in_threads(settle, range(len(slack)))


def _settled(candidates: Candidates, m: int, k: int, rescore: Rescore, first: int) -> list[Candidates]:
    """The k best of each query by their exact scores."""
    kept = []
    for query, mine in enumerate(candidates.by_query(m)):
        best = np.argsort(-_exact(rescore, first + query, mine.row), kind="stable")[:k]
        kept.append(mine.where(best))
    return kept


def _exact(rescore: Rescore, query: int, rows: Rows) -> Floats:
    """Exact scores, a few at a time: the rows they need are copied."""
    parts = [rescore(query, rows[i : i + RESCORED_AT_ONCE]) for i in range(0, len(rows), RESCORED_AT_ONCE)]
    return np.concatenate(parts) if parts else np.empty(0)


def rounding(queries: Floats, longest: float, dtype: np.dtype[Any]) -> Floats:
    """How far a product of each query with a key of at most this length can be from the exact one.

    The usual bound of a sum of n products, n u / (1 - n u) times the sum of their sizes (Higham 2002, section 3.1), for
    n + 1, since the query is rounded as well, and with the product of the lengths in the place of that sum.
    """
    units = (queries.shape[1] + 1) * float(np.finfo(dtype).eps) / 2
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", queries, queries, dtype=np.float64))
        return np.asarray(units / (1 - units) * lengths * longest)
