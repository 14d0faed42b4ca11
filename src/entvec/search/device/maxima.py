"""The largest score of every few keys: all that a search must look at to know where the best are.

Keys are in tiles of TILE, and each tile has TILE / GROUP groups. Group g of a tile has its keys g, g + n, g + 2n, ...,
with n groups in a tile.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch

GROUP = 16
TILE = 256
GROUPS = TILE // GROUP
"""In a tile."""
QUERIES = 128
"""The number of queries is a multiple of it."""
FEATURES = 64
"""And the number of features of this."""
SCORES_AT_ONCE = 1 << 24


class Maxima(NamedTuple):
    """For each query the largest score of each group of keys, rounded to bfloat16, and of each tile."""

    fine: torch.Tensor
    coarse: torch.Tensor


def maxima(queries: torch.Tensor, keys: torch.Tensor, n_keys: int) -> Maxima:
    """The maxima of all groups and tiles; keys after the first `n_keys` only fill the last tile."""
    tiles = len(keys) // TILE
    fine = torch.empty((len(queries), tiles * GROUPS), dtype=torch.bfloat16, device=keys.device)
    coarse = torch.empty((len(queries), tiles), dtype=torch.float32, device=keys.device)
    if (kernel := _kernel(keys)) is not None:
        kernel.maxima(queries, keys, n_keys, GROUP, fine, coarse)
    else:
        _plain(queries, keys, n_keys, fine, coarse)
    return Maxima(fine, coarse)


def keys_of_groups(groups: torch.Tensor) -> torch.Tensor:
    """The keys of each group: a new last axis of GROUP rows."""
    tile, place = groups // GROUPS, groups % GROUPS
    return (tile * TILE + place)[..., None] + GROUPS * torch.arange(GROUP, device=groups.device)


def _plain(queries: torch.Tensor, keys: torch.Tensor, n_keys: int, fine: torch.Tensor, coarse: torch.Tensor) -> None:
    """As the kernel does it, tile by tile, with the scores written down."""
    at_once = max(1, SCORES_AT_ONCE // (len(queries) * TILE))
    for first in range(0, len(keys) // TILE, at_once):
        some = slice(first * TILE, (first + at_once) * TILE)
        scores = (queries @ keys[some].T).float()
        if some.stop > n_keys:
            scores[:, max(0, n_keys - some.start) :] = -torch.inf
        largest = scores.view(len(queries), -1, GROUP, GROUPS).amax(dim=2)
        tiles = slice(first, first + largest.shape[1])
        coarse[:, tiles] = largest.amax(dim=2)
        fine[:, tiles.start * GROUPS : tiles.stop * GROUPS] = largest.flatten(1)


def scores(queries: torch.Tensor, keys: torch.Tensor, rows: torch.Tensor, bytes_at_once: int) -> torch.Tensor:
    """The scores of each query with keys of its own, by their rows, in the precision of the keys."""
    asked = queries.to(keys.dtype)
    if keys.dtype == torch.float32 and (kernel := _kernel(keys)) is not None:
        found: torch.Tensor = kernel.scores(asked, keys, rows)
        return found
    found = torch.empty(rows.shape, dtype=keys.dtype, device=rows.device)
    at_once = max(1, bytes_at_once // (rows.shape[1] * keys.shape[1] * keys.element_size()))
    for start in range(0, len(rows), at_once):
        some = slice(start, start + at_once)
        # As a sum of products and not as a matrix product, which a program may have allowed to use TF32.
        found[some] = torch.linalg.vecdot(keys[rows[some]], asked[some, None])
    return found


def _kernel(keys: torch.Tensor) -> Any:
    return _kernels() if keys.is_cuda else None


@cache
def _kernels() -> Any:
    """The kernels, where Triton is installed; PyTorch brings it along on Linux."""
    try:
        from entvec.search.device import kernel
    except ModuleNotFoundError:
        return None
    return kernel
