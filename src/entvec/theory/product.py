"""Matrix products in a process whose BLAS has threads.

entvec's thread pool computes products together with functions of their results. Threads of the BLAS would compete with
it for the processors: they wake up for every product, and spin for a while after it in case another one follows.
OpenBLAS uses no threads for small products, so the pool computes the product in tiles, which together take about as
long as the whole product on one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.runtime import blas_threads, blocks, in_threads
from entvec.theory.arrays import Array

TILE = 4 * 65_536
"""The largest number of multiplications for which OpenBLAS uses no threads."""
DEPTH, COLUMNS = 320, 32
"""The largest part of b in a tile, in rows and columns. BLAS kernels compute 4, 8 or 16 columns at a time."""
ROWS = 8
"""The number of rows of a tile is a multiple of this."""
AT_ONCE = 256 * TILE
"""The multiplications in one task of a thread of the pool: a few milliseconds of work."""


def product(a: Array, b: Array) -> Array:
    """Return the matrix product a @ b. If the BLAS has threads, entvec's thread pool computes it.

    The last digits depend on whether the BLAS has threads, as those of `@` do.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[2., 1.],
           [4., 3.]])

    Parameters
    ----------
    a
        An array, usually with a row for each word. An array of another library than NumPy uses that library's `@`.
    b
        A matrix, or a single vector.
    """
    if not isinstance(a, np.ndarray) or a.ndim != 2 or len(a) < ROWS or blas_threads() == 1:
        return a @ b  # also for few rows, for which cutting b into tiles would take longer
    if b.ndim == 1:
        return np.vecdot(a, b)
    out = np.empty((len(a), b.shape[1]), np.result_type(a, b))
    in_threads(lambda rows: _multiply(a[rows], b, out[rows]), blocks(len(a), max(1, AT_ONCE // max(1, b.size))))
    return out


def _multiply(a: NDArray[Any], b: NDArray[Any], out: NDArray[Any]) -> None:
    """Write a @ b to `out`, as a sum of products of at most DEPTH columns of a and rows of b."""
    first, *others = blocks(len(b), DEPTH)
    _multiply_in_tiles(a[:, first], b[first], out)
    for depth in others:
        part = np.empty_like(out)
        _multiply_in_tiles(a[:, depth], b[depth], part)
        out += part


def _multiply_in_tiles(a: NDArray[Any], b: NDArray[Any], out: NDArray[Any]) -> None:
    for columns in blocks(b.shape[1], COLUMNS):
        part, into = b[:, columns].copy(order="K"), out[:, columns]
        rows = max(1, TILE // max(1, part.size) // ROWS) * ROWS
        n_tiles = len(a) // rows
        tiled = n_tiles * rows
        if tiled:
            np.matmul(a[:tiled].reshape(n_tiles, rows, -1), part, out=into[:tiled].reshape(n_tiles, rows, -1))
        np.matmul(a[tiled:], part, out=into[tiled:])
