"""Two Triton kernels: the maxima of groups of keys, and the scores of chosen keys.

In the first kernel all scores stay in registers; only the maximum of each `group` of them is written to memory. A tile
of scores is BLOCK_QUERIES x BLOCK_KEYS. Group g of a tile has the keys g, g + n, g + 2n, ..., where n is the number of
groups: one thread of a tensor-core product holds these columns anyway, so threads exchange nothing.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK_QUERIES, BLOCK_KEYS, BLOCK_FEATURES = 128, 256, 64
ROWS_AT_ONCE, FEATURES_AT_ONCE = 16, 512
TILES_TOGETHER = 16
"""Rows of tiles that run at the same time: they use the same keys, which stay in the cache."""


@triton.jit  # type: ignore[untyped-decorator]
def _maxima(  # type: ignore[no-untyped-def]
    queries,
    keys,
    fine,
    coarse,
    n_rows,
    n_columns,
    n_keys,
    width: tl.constexpr,
    group: tl.constexpr,
    block_queries: tl.constexpr,
    block_keys: tl.constexpr,
    block_features: tl.constexpr,
    together: tl.constexpr,
    product_dtype: tl.constexpr,
):
    groups: tl.constexpr = block_keys // group
    tile = tl.program_id(0)
    band = together * n_columns
    first_row = tile // band * together
    rows_here = tl.minimum(n_rows - first_row, together)
    row = first_row + tile % band % rows_here
    column = tile % band // rows_here
    some_queries = row * block_queries + tl.arange(0, block_queries)
    some_keys = column * block_keys + tl.arange(0, block_keys)
    some_features = tl.arange(0, block_features)
    y = queries + some_queries.to(tl.int64)[:, None] * width + some_features[None, :]
    x = keys + some_keys.to(tl.int64)[None, :] * width + some_features[:, None]
    scores = tl.zeros((block_queries, block_keys), tl.float32)
    for _ in range(width // block_features):
        scores = tl.dot(tl.load(y), tl.load(x), scores, input_precision=product_dtype)
        y += block_features
        x += block_features
    if (column + 1) * block_keys > n_keys:  # the last tile has padding after the keys
        scores = tl.where(some_keys[None, :] < n_keys, scores, float("-inf"))
    largest = tl.max(tl.reshape(scores, (block_queries, group, groups)), axis=1)
    some_groups = column * groups + tl.arange(0, groups)
    place = some_queries.to(tl.int64)[:, None] * (n_columns * groups) + some_groups[None, :]
    tl.store(fine + place, largest.to(fine.dtype.element_ty))
    tl.store(coarse + some_queries.to(tl.int64) * n_columns + column, tl.max(largest, axis=1))


def maxima(
    queries: torch.Tensor, keys: torch.Tensor, n_keys: int, group: int, fine: torch.Tensor, coarse: torch.Tensor
) -> None:
    """Write the largest score of each group to `fine`, and of each tile of keys to `coarse`.

    Parameters
    ----------
    queries, keys
        Matrices whose numbers of rows are multiples of BLOCK_QUERIES and BLOCK_KEYS.
    n_keys
        The number of keys; the other rows are padding.
    group
        The number of keys in a group.
    fine, coarse
        The results: a row for each query, a column for each group or tile.
    """
    n_rows, n_columns = len(queries) // BLOCK_QUERIES, len(keys) // BLOCK_KEYS
    features = BLOCK_FEATURES // (queries.element_size() // 2)  # the same number of bytes for every dtype
    _maxima[(n_rows * n_columns,)](
        queries,
        keys,
        fine,
        coarse,
        n_rows,
        n_columns,
        n_keys,
        width=keys.shape[1],
        group=group,
        block_queries=BLOCK_QUERIES,
        block_keys=BLOCK_KEYS,
        block_features=features,
        together=TILES_TOGETHER,
        product_dtype="tf32",
        num_warps=8,
        num_stages=3,
    )


@triton.jit  # type: ignore[untyped-decorator]
def _scores(  # type: ignore[no-untyped-def]
    queries,
    keys,
    rows,
    scores,
    n_rows,
    width,
    block_rows: tl.constexpr,
    block_features: tl.constexpr,
):
    query = tl.program_id(0).to(tl.int64)
    places = tl.program_id(1) * block_rows + tl.arange(0, block_rows)
    here = places < n_rows
    row = tl.load(rows + query * n_rows + places, mask=here, other=0)
    features = tl.arange(0, block_features)
    total = tl.zeros((block_rows,), tl.float32)
    for _ in range(tl.cdiv(width, block_features)):
        inside = features < width
        y = tl.load(queries + query * width + features, mask=inside, other=0.0)
        x = tl.load(keys + row[:, None] * width + features[None, :], mask=inside[None, :], other=0.0)
        total += tl.sum(x * y[None, :], axis=1)
        features += block_features
    tl.store(scores + query * n_rows + places, total, mask=here)


def scores(queries: torch.Tensor, keys: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return the scores of each query with chosen keys, in float32, without copying the keys.

    Parameters
    ----------
    queries, keys
        The queries and all keys, in float32.
    rows
        The rows of the keys of each query.
    """
    result = torch.empty(rows.shape, dtype=torch.float32, device=rows.device)
    grid = (len(rows), triton.cdiv(rows.shape[1], ROWS_AT_ONCE))
    _scores[grid](queries, keys, rows, result, rows.shape[1], keys.shape[1], ROWS_AT_ONCE, FEATURES_AT_ONCE)
    return result
