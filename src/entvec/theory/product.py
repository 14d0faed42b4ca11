"""Matrix products in a process whose BLAS has threads.

The pool computes products beside functions of their numbers. Threads of the BLAS would compete with it for the
processors: they wake up for every product, and spin for a while after it in case another one follows. OpenBLAS uses no
threads for small products, so the pool computes tiles, which take about as long as the whole product on one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.runtime import blas_threads, blocks, in_threads
from entvec.theory.arrays import Array

TILE = 28 * 9216
"""How many multiplications OpenBLAS does without threads."""
ROWS, DEPTH = 28, 320
"""The rows of a tile, and how many products each of its numbers is a sum of."""
ROWS_AT_ONCE = 64 * ROWS
"""The rows that a thread of the pool computes at once."""


def product(a: Array, b: Array) -> Array:
    """Return the matrix product a @ b. If the BLAS has threads, the pool computes it.

    The last digits depend on whether the BLAS has threads, as those of `@` do.

    Parameters
    ----------
    a
        An array, usually with a row for each word; of another library than NumPy, it computes the product itself.
    b
        A matrix, or a single vector.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[2., 1.],
           [4., 3.]])
    """
    if not isinstance(a, np.ndarray) or a.ndim != 2 or len(a) < ROWS or blas_threads() == 1:
        return a @ b  # also for few rows, which do not repay cutting b into tiles
    if b.ndim == 1:
        return np.vecdot(a, b)
    out = np.empty((len(a), b.shape[1]), np.result_type(a, b))
    in_threads(lambda rows: _multiply(a[rows], b, out[rows]), blocks(len(a), ROWS_AT_ONCE))
    return out


def _multiply(a: NDArray[Any], b: NDArray[Any], out: NDArray[Any]) -> None:
    """Write a @ b to `out`, a sum of products of at most DEPTH columns and rows."""
    first, *others = blocks(len(b), DEPTH)
    _multiply_in_tiles(a[:, first], b[first], out)
    for depth in others:
        part = np.empty_like(out)
        _multiply_in_tiles(a[:, depth], b[depth], part)
        out += part


def _multiply_in_tiles(a: NDArray[Any], b: NDArray[Any], out: NDArray[Any]) -> None:
    n_tiles = len(a) // ROWS
    tiled = n_tiles * ROWS
    for columns in blocks(b.shape[1], max(1, TILE // (ROWS * len(b)))):
        part, into = np.ascontiguousarray(b[:, columns]), out[:, columns]
        if tiled:
            np.matmul(a[:tiled].reshape(n_tiles, ROWS, -1), part, out=into[:tiled].reshape(n_tiles, ROWS, -1))
        np.matmul(a[tiled:], part, out=into[tiled:])
