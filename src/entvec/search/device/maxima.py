"""The largest score of each group of keys: enough for a search to find the groups with the best keys.

A tile has TILE keys in GROUPS groups. Group g of a tile has its keys g, g + n, g + 2n, ..., where n is GROUPS.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch

from entvec.runtime import blocks

GROUP = 16
"""The number of keys in a group."""
TILE = 256
GROUPS = TILE // GROUP
"""The number of groups in a tile."""
QUERIES = 128
"""Queries are padded to a multiple of this number."""
FEATURES = 64
"""Columns are padded to a multiple of this number."""
SCORES_AT_ONCE = 1 << 24


class Maxima(NamedTuple):
    """For each query, the largest score of each group of keys, rounded to bfloat16, and of each tile."""

    fine: torch.Tensor
    coarse: torch.Tensor


def maxima(queries: torch.Tensor, keys: torch.Tensor, n_keys: int) -> Maxima:
    """Return the maxima of all groups and tiles.

    Parameters
    ----------
    queries, keys
        Matrices padded to multiples of QUERIES and TILE rows, and of FEATURES columns.
    n_keys
        The number of keys; the other rows are padding.
    """
    tiles = len(keys) // TILE
    fine = torch.empty((len(queries), tiles * GROUPS), dtype=torch.bfloat16, device=keys.device)
    coarse = torch.empty((len(queries), tiles), dtype=torch.float32, device=keys.device)
    if (kernel := _kernel(keys)) is not None:
        kernel.maxima(queries, keys, n_keys, GROUP, fine, coarse)
    else:
        _plain(queries, keys, n_keys, fine, coarse)
    return Maxima(fine, coarse)


def keys_of_groups(groups: torch.Tensor) -> torch.Tensor:
    """Return the rows of the keys of each group, along a new last axis."""
    tile, place = groups // GROUPS, groups % GROUPS
    return (tile * TILE + place)[..., None] + GROUPS * torch.arange(GROUP, device=groups.device)


def _plain(queries: torch.Tensor, keys: torch.Tensor, n_keys: int, fine: torch.Tensor, coarse: torch.Tensor) -> None:
    """Do the same as the kernel, with the scores of some tiles at a time in memory."""
    at_once = max(1, SCORES_AT_ONCE // (len(queries) * TILE))
    for first in range(0, len(keys) // TILE, at_once):
        block = slice(first * TILE, (first + at_once) * TILE)
        scores = (queries @ keys[block].T).float()
        if block.stop > n_keys:
            scores[:, max(0, n_keys - block.start) :] = -torch.inf
        largest = scores.view(len(queries), -1, GROUP, GROUPS).amax(dim=2)
        tiles = slice(first, first + largest.shape[1])
        coarse[:, tiles] = largest.amax(dim=2)
        fine[:, tiles.start * GROUPS : tiles.stop * GROUPS] = largest.flatten(1)


def scores(queries: torch.Tensor, keys: torch.Tensor, rows: torch.Tensor, bytes_at_once: int) -> torch.Tensor:
    """Return the scores of each query with chosen keys, in the dtype of the keys.

    Parameters
    ----------
    queries, keys
        The queries and all keys.
    rows
        The rows of the keys of each query.
    bytes_at_once
        How much memory a copy of some keys may take.
    """
    queries = queries.to(keys.dtype)
    if keys.dtype == torch.float32 and (kernel := _kernel(keys)) is not None:
        result: torch.Tensor = kernel.scores(queries, keys, rows)
        return result
    result = torch.empty(rows.shape, dtype=keys.dtype, device=rows.device)
    at_once = max(1, bytes_at_once // (rows.shape[1] * keys.shape[1] * keys.element_size()))
    for block in blocks(len(rows), at_once):
        # Not a matrix product: the calling program may have allowed TF32 for those.
        result[block] = torch.linalg.vecdot(keys[rows[block]], queries[block, None])
    return result


def _kernel(keys: torch.Tensor) -> Any:
    return _kernels() if keys.is_cuda else None


@cache
def _kernels() -> Any:
    """Return the module of kernels; None if Triton is not installed (PyTorch installs it on Linux)."""
    try:
        from entvec.search.device import kernel
    except ModuleNotFoundError:
        return None
    return kernel
