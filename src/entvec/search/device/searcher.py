"""Exact search on a device: a product in a narrow dtype finds candidates, and exact scores rank them.

    narrow   16 bits, TF32 or float32: the largest score of each group of keys, with an error bound
    wide     the keys of the best groups in float32: scores with a far smaller error bound
    exact    the best of these in float64: the scores of the search without a device

Each step has an upper bound of the scores of all keys that it drops. If the k-th best exact score of a query is larger
than these bounds, the result is proven. Other queries are searched again with more groups; the search without a device
answers those that are still not proven. So the results do not depend on how a device rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput
from entvec.model.model import Side
from entvec.runtime import available_threads, blocks
from entvec.search.approximate import sample_request
from entvec.search.device.maxima import FEATURES, GROUPS, QUERIES, TILE, keys_of_groups, maxima, scores
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import exact
from entvec.search.request import Hits, Request
from entvec.vectors.vocabulary import first

DTYPES = {"bfloat16": torch.bfloat16, "tf32": torch.float32, "float32": torch.float32}
UNITS = {"bfloat16": 2.0**-9, "tf32": 2.0**-10, "float32": 2.0**-24}
"""The largest relative error of a number that is rounded to the dtype; TF32 may truncate instead."""
FINE_UNIT = 2.0**-8
"""The same for the maxima of groups, which are stored in 16 bits."""
EXTRA = (32, 240)
"""How many groups beside the k best are searched: at first, and then for queries that are not proven."""
FINALISTS = 16
"""How many keys get exact scores beside the k best."""
SHARE = 0.6
"""The share of the free memory of a device for keys; the rest is for temporary arrays."""
BYTES_AT_ONCE = {"cpu": 1 << 28, "cuda": 1 << 33}
"""The memory for the maxima of a block of queries, and then for the keys of their best groups."""
ROWS_AT_ONCE = 1 << 17
STEPS = 16
"""How many temporary arrays of the size of the keys their computation may need."""


@dataclass(frozen=True, eq=False)
class _Shard:
    """A part of the keys on the device, from row `first` on."""

    first: int
    wide: torch.Tensor
    narrow: torch.Tensor
    """The keys less `centre`, and two more columns: the score with the mean query, split into bfloat16 and the rest."""
    centre: torch.Tensor
    """The mean of the keys."""
    odds: torch.Tensor | None
    """If the maps of the model are low-rank: the log-odds of the words, and their offsets in the last column."""
    longest: float
    """The largest length of a key less `centre`."""
    lost: float
    """The largest length of the rounding error of such a key."""
    mean_score: float
    """The largest size of a score of such a key with the mean query."""
    mean_score_lost: float
    """The largest rounding error of such a score."""

    def __len__(self) -> int:
        return len(self.wide)


@dataclass(eq=False)
class DeviceSearcher:
    """Searches keys on a device of PyTorch: all of them at once, or in shards that fit its memory."""

    table: KeyTable
    keys: Keys
    device: torch.device
    dtype: str
    """The dtype of the first product: bfloat16, tf32 or float32."""
    side: Side
    odds_width: int
    """The columns of the log-odds with offset that exact scores need if the maps of the model are low-rank; else 0."""
    mean_query: AnyFloats
    """The mean of queries, subtracted from each before it is rounded: smaller numbers have smaller rounding errors."""
    shard_rows: int
    unproven: int = 0
    """How many queries the search without a device has answered so far."""
    name: str = "device"
    _resident: _Shard | None = field(default=None, repr=False)

    @property
    def error(self) -> float:
        """How far a product may be from the score, apart from rounding."""
        return self.table.model.error(self.table.vocabulary.dimension)

    @property
    def options(self) -> dict[str, Any]:
        """The device, and the dtype of the first product."""
        return {"device": str(self.device), "dtype": self.dtype}

    def save(self, path: Path) -> None:  # noqa: ARG002
        """Raise InvalidInput: moving keys to a device again is as fast as loading them."""
        raise InvalidInput(
            f"the keys are on the device {self.device}, which is not saved with a space; save "
            "`space.with_backend('exact')`, and move it again after it is loaded"
        )

    def search(self, request: Request, k: int) -> Hits:
        """Return the k best words of each query, with exact scores, best first. Equal scores are ordered by row."""
        k = min(k, len(self.keys))
        hits = Hits.empty(len(request), k)
        if not k or not len(request):
            return hits
        parts = []
        proven = np.ones(len(request), dtype=bool)
        for start in range(0, len(self.keys), self.shard_rows):
            shard = self._shard(start)
            part, part_proven = _search(self, shard, request, min(k, len(shard)), EXTRA[0])
            again = np.flatnonzero(~part_proven)
            if len(again):
                second, second_proven = _search(self, shard, request.take(again), min(k, len(shard)), EXTRA[1])
                part.rows[again], part.scores[again] = second
                proven[again] &= second_proven
            parts.append(part)
        rows, scores = (np.concatenate(column, axis=1) for column in zip(*parts, strict=True))
        best = np.lexsort((rows, -scores), axis=1)[:, :k]
        hits.rows[:], hits.scores[:] = (np.take_along_axis(each, best, axis=1) for each in (rows, scores))
        rest = np.flatnonzero(~proven)
        if len(rest):
            self.unproven += len(rest)
            hits.rows[rest], hits.scores[rest] = exact(self.table, request.take(rest), k)
        return hits

    def _shard(self, first: int) -> _Shard:
        if self._resident is not None:
            return self._resident
        shard = _upload(self, first, min(first + self.shard_rows, len(self.keys)))
        if len(shard) == len(self.keys):
            self._resident = shard
        return shard


def build(table: KeyTable, side: Side, *, device: str, dtype: str | None = None) -> DeviceSearcher:
    """Return a searcher with the keys of one side on a device.

    Parameters
    ----------
    table, side
        The keys: "hyper" to search for hypernyms, "hypo" for hyponyms.
    device
        The name of the device in PyTorch: cpu, cuda, cuda:1.
    dtype
        The dtype of the first product: by default bfloat16 on a GPU and float32 on a processor.
    """
    place = check_device(device)
    table.model.check_indexable("no device can search it faster")
    dtype = dtype or ("float32" if place.type == "cpu" else "bfloat16")
    if dtype not in UNITS:
        raise InvalidInput(f"dtype is {dtype!r}, expected one of {', '.join(UNITS)}")
    if side not in table.computed:
        table.compute(side, partial(_keys, table, side, place), _rows_at_once(table, side, place))
    keys, queries = table[side], table.queries(sample_request(table, side))
    low_rank = table.model.low_rank is not None
    odds_width = table.model.log_odds_and_offset(side, first(table.vocabulary)).shape[1] if low_rank else 0
    wide = keys.computed.itemsize * keys.stored.shape[1] + 8 * odds_width
    narrow = DTYPES[dtype].itemsize * _padded(keys.stored.shape[1] + 2, FEATURES)
    fits = int(SHARE * _free(place) / (wide + narrow + 4)) // TILE * TILE
    mean_query = queries.mean(axis=0, dtype=np.float64) if len(queries) else np.zeros(keys.stored.shape[1])
    shard_rows = max(TILE, min(fits, _padded(len(keys), TILE)))
    searcher = DeviceSearcher(table, keys, place, dtype, side, odds_width, mean_query, shard_rows)
    if searcher.shard_rows >= len(keys) > 0:
        searcher._shard(0)
    return searcher


def check_device(name: str) -> torch.device:
    """Return the device of this name; raise InvalidInput if this machine does not have it."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InvalidInput(f"no device {name!r}, expected cpu, cuda, or cuda:1 for the second GPU") from None
    if device.type not in BYTES_AT_ONCE:
        raise InvalidInput(f"device {name!r} is not supported, expected one of {', '.join(BYTES_AT_ONCE)}")
    if device.type == "cuda" and not torch.cuda.is_available():
        built = "this PyTorch was built without CUDA" if torch.version.cuda is None else "PyTorch finds no GPU here"
        raise InvalidInput(f"no device {name!r}: {built}; search without it, or use 'cpu'")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InvalidInput(f"no device {name!r}, there are {torch.cuda.device_count()} GPUs, counted from cuda:0")
    return device


def _keys(table: KeyTable, side: Side, device: torch.device, vectors: AnyFloats) -> AnyFloats:
    """Compute keys on the device: on a processor, computing all keys takes longer than a search."""
    computed = table.keys_of(side, _moved(vectors, device))
    keys: AnyFloats = computed.to(torch.float64 if table.dtype == "float64" else torch.float32).cpu().numpy()
    return keys


def _rows_at_once(table: KeyTable, side: Side, device: torch.device) -> int:
    """Return how many keys a thread computes at once, so that the temporary arrays of all threads fit on the device."""
    row = STEPS * 8 * table.width(side)
    return max(1, min(ROWS_AT_ONCE // 8, BYTES_AT_ONCE[device.type] // (available_threads() * row)))


def _upload(searcher: DeviceSearcher, first: int, last: int) -> _Shard:
    """Copy the keys from row `first` to `last` to the device, in both dtypes."""
    keys, device = searcher.keys, searcher.device
    width = keys.stored.shape[1]
    wide = torch.empty((last - first, width), dtype=getattr(torch, keys.computed.name), device=device)
    odds = None
    if searcher.odds_width:
        odds = torch.empty((last - first, searcher.odds_width), dtype=torch.float64, device=device)
    for here in blocks(last - first, ROWS_AT_ONCE):
        rows = slice(first + here.start, first + here.stop)
        block = np.ascontiguousarray(keys.decoded(rows), dtype=keys.computed)
        wide[here] = torch.tensor(block, device=device)  # a copy, since PyTorch warns of read-only memory
        if odds is not None:
            vectors = searcher.table.vocabulary.take(np.arange(rows.start, rows.stop)).matrix.astype(np.float64)
            odds[here] = torch.from_numpy(searcher.table.model.log_odds_and_offset(searcher.side, vectors)).to(device)
    centre = wide.mean(dim=0, dtype=torch.float64)
    mean_query = torch.from_numpy(searcher.mean_query).to(device)
    padded = (_padded(last - first, TILE), _padded(width + 2, FEATURES))
    narrow = torch.zeros(padded, dtype=DTYPES[searcher.dtype], device=device)
    largest = torch.zeros(4, dtype=torch.float64, device=device)
    cut = UNITS["tf32"] if searcher.dtype == "tf32" else 0.0  # the product itself rounds to TF32
    for here in blocks(last - first, ROWS_AT_ONCE):
        centred, rounded = wide[here].double() - centre, narrow[here]
        rounded[:, :width] = centred
        score = centred @ mean_query
        rounded[:, width] = score.bfloat16()  # which every dtype of the product represents exactly
        rounded[:, width + 1] = score - rounded[:, width].double()
        length = centred.norm(dim=1)
        lost = (rounded[:, :width].double() - centred).norm(dim=1) + cut * length
        rest = rounded[:, width + 1].double()
        score_lost = (rounded[:, width].double() + rest - score).abs() + cut * rest.abs()
        columns = (length, lost, score.abs(), score_lost)
        largest = torch.maximum(largest, torch.stack([column.max() for column in columns]))
    return _Shard(first, wide, narrow, centre, odds, *largest.tolist())


def _search(searcher: DeviceSearcher, shard: _Shard, request: Request, k: int, extra: int) -> tuple[Hits, Any]:
    """Return the best keys of a shard for all queries, and which results are proven; search queries in blocks."""
    bytes_at_once = BYTES_AT_ONCE[searcher.device.type]
    maxima_bytes = 2 * len(shard.narrow) // (TILE // GROUPS) + 4 * len(shard.narrow) // TILE
    at_once = _padded(max(1, bytes_at_once // maxima_bytes), QUERIES)
    hits = Hits(np.empty((len(request), k), np.int64), np.empty((len(request), k)))
    proven = np.empty(len(request), dtype=bool)
    for block in blocks(len(request), at_once):
        rows, scores, sure = _best(searcher, shard, request.take(block), k, extra)
        hits.rows[block], hits.scores[block] = (rows + shard.first).cpu().numpy(), scores.cpu().numpy()
        proven[block] = sure.cpu().numpy()
    return hits, proven


def _best(
    searcher: DeviceSearcher, shard: _Shard, request: Request, k: int, extra: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Search a shard: choose groups by narrow scores, then keys by wide scores, and rank these by exact scores.

    Return for each query the best rows, their exact scores, and whether it is proven that no other key is better.
    """
    vectors = _moved(request.vectors, searcher.device)
    mapped = searcher.table.model.mapped(request.side, vectors)
    queries = torch.cat([mapped, mapped.new_full((len(mapped), 1), -request.specificity)], dim=1)
    m, width = queries.shape
    narrow = torch.zeros((_padded(m, QUERIES), shard.narrow.shape[1]), dtype=shard.narrow.dtype, device=searcher.device)
    centred = queries - torch.from_numpy(searcher.mean_query).to(searcher.device)
    narrow[:m, :width] = centred
    narrow[:m, width : width + 2] = 1
    error = _narrow_error(searcher, shard, centred, narrow[:m, :width])
    largest = maxima(narrow, shard.narrow, len(shard))
    groups, dropped = _groups(largest.fine[:m], largest.coarse[:m], k + extra)
    dropped = dropped.double() + error + queries @ shard.centre
    rows, values, dropped_wide = _finalists(searcher, shard, queries, groups, k + FINALISTS)
    dropped = torch.maximum(dropped, dropped_wide.double() + _wide_error(searcher, shard, queries))
    best = _exact(searcher, shard, request, vectors, queries, rows).masked_fill(torch.isneginf(values), -torch.inf)
    rows, order = rows.sort(dim=1)  # so that a stable sort orders equal scores by row
    best, order = best.gather(1, order).sort(dim=1, descending=True, stable=True)
    return rows.gather(1, order)[:, :k], best[:, :k], best[:, k - 1] > dropped


def _groups(fine: torch.Tensor, coarse: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the n best groups of the n best tiles, and an upper bound of the narrow scores of all others."""
    tile_values, tiles = coarse.topk(min(n + 1, coarse.shape[1]), dim=1)
    dropped = _last(tile_values, n)
    tiles = tiles[:, :n]
    inside = fine.view(len(fine), -1, GROUPS).gather(1, tiles[..., None].expand(-1, -1, GROUPS)).flatten(1).float()
    values, places = inside.topk(min(n + 1, inside.shape[1]), dim=1)
    rest = _last(values, n)
    dropped = torch.maximum(dropped, torch.where(torch.isfinite(rest), rest + FINE_UNIT * rest.abs(), rest))
    places = places[:, :n]
    return tiles.gather(1, places // GROUPS) * GROUPS + places % GROUPS, dropped


def _finalists(
    searcher: DeviceSearcher, shard: _Shard, queries: torch.Tensor, groups: torch.Tensor, n: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the n best keys of some groups by wide scores, these scores, and the best score of the other keys."""
    rows = keys_of_groups(groups).flatten(1)
    inside = rows < len(shard)
    rows = rows.clamp(max=len(shard) - 1)
    wide = scores(queries, shard.wide, rows, BYTES_AT_ONCE[searcher.device.type]).masked_fill(~inside, -torch.inf)
    values, places = wide.topk(min(n + 1, wide.shape[1]), dim=1)
    return rows.gather(1, places[:, :n]), values[:, :n], _last(values, n)


def _last(values: torch.Tensor, n: int) -> torch.Tensor:
    """Return the first value after the n best, which bounds all that are dropped; -inf if there are no more."""
    if values.shape[1] > n:
        return values[:, n]
    return torch.full_like(values[:, 0], -torch.inf)


def _narrow_error(
    searcher: DeviceSearcher, shard: _Shard, centred: torch.Tensor, rounded: torch.Tensor
) -> torch.Tensor:
    """Return for each query how far a narrow score may be from the exact one less the product with the centre."""
    lengths = centred.norm(dim=1)
    off = (centred - rounded.double()).norm(dim=1)
    if searcher.dtype == "tf32":
        off = off + UNITS["tf32"] * lengths
    # The bound of `rounding_bound` in float32, doubled: tensor cores may truncate instead of rounding.
    sizes = (lengths + off) * (shard.longest + shard.lost) + shard.mean_score
    summed = 2 * (centred.shape[1] + 4) * UNITS["float32"] * sizes
    bound: torch.Tensor = (
        off * shard.longest + (lengths + off) * shard.lost + shard.mean_score_lost + summed + searcher.error
    )
    return bound


def _wide_error(searcher: DeviceSearcher, shard: _Shard, queries: torch.Tensor) -> torch.Tensor:
    """Return for each query how far a wide score may be from the exact one, as `rounding_bound` does."""
    units = (queries.shape[1] + 1) * torch.finfo(shard.wide.dtype).eps / 2
    bound: torch.Tensor = units / (1 - units) * queries.norm(dim=1) * searcher.keys.longest + searcher.error
    return bound


def _exact(
    searcher: DeviceSearcher,
    shard: _Shard,
    request: Request,
    vectors: torch.Tensor,
    queries: torch.Tensor,
    rows: torch.Tensor,
) -> torch.Tensor:
    """Return the scores of each query with the keys of its rows, in float64."""
    if shard.odds is None:
        return torch.einsum("mcw,mw->mc", shard.wide[rows].double(), queries)
    model, side = searcher.table.model, request.side
    y, offset = model.log_odds(side, vectors), model.offset(side, vectors)
    result = torch.empty(rows.shape, dtype=torch.float64, device=rows.device)
    at_once = max(1, BYTES_AT_ONCE[searcher.device.type] // (16 * rows.shape[1] * y.shape[1] * 8))
    for block in blocks(len(rows), at_once):
        here, there = y[block, None], shard.odds[rows[block]]
        pair = (here, there[..., :-1]) if side == "hypo" else (there[..., :-1], here)
        penalty = queries[block, -1:] * shard.wide[rows[block], -1].double()
        result[block] = model.operator.score(*pair) + offset[block, None] + there[..., -1] + penalty
    return result


def _moved(vectors: AnyFloats, device: torch.device) -> torch.Tensor:
    """Copy vectors to the device in their own dtype, and return them in float64."""
    return torch.tensor(vectors, device=device).double()


def _padded(n: int, to: int) -> int:
    return -(-n // to) * to


def _free(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return 1 << 62  # the keys are in this memory already
