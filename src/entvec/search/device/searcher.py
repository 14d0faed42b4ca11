"""Exact search on a device: a product of few digits finds where the best keys can be, and exact scores decide.

    narrow   keys and queries in 16 bits (or TF32): the largest score of each group of keys, within a proven error
    wide     keys of the best groups in float32: scores with far smaller errors
    exact    the best of these in float64, as the search without a device has them

What was left out at each step is bounded from above. A query whose k-th best exact score is larger than all these
bounds is proven; the few that are not are asked again with more groups, and at last the search without a device
answers them. So the answers are the same, whatever the device rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from entvec.errors import InvalidInput
from entvec.model.model import Floats, Side
from entvec.runtime import available_threads
from entvec.search.approximate import sample_request
from entvec.search.device.maxima import FEATURES, GROUPS, QUERIES, TILE, keys_of_groups, maxima, scores
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import exact
from entvec.search.request import Hits, Request
from entvec.vectors.vocabulary import first

DTYPES = {"bfloat16": torch.bfloat16, "tf32": torch.float32, "float32": torch.float32}
UNITS = {"bfloat16": 2.0**-9, "tf32": 2.0**-10, "float32": 2.0**-24}
"""How far a number is from what the product takes for it, relative to its size; TF32 may cut digits off."""
FINE_UNIT = 2.0**-8
"""The same for the maxima of groups, which are kept in 16 bits."""
EXTRA = (32, 240)
"""How many groups are looked at beside the k best: at first, and then for queries that are not proven."""
FINALISTS = 16
"""How many keys get exact scores beside the k best."""
SHARE = 0.6
"""Of the free memory of a device, what keys may take; the rest is for what is computed with them."""
BYTES_AT_ONCE = {"cpu": 1 << 28, "cuda": 1 << 33}
"""For the maxima of some queries, and then for the keys of their best groups."""
ROWS_AT_ONCE = 1 << 17
STEPS = 16
"""How many arrays of the size of the keys there may be on the way to these."""


@dataclass(frozen=True, eq=False)
class LogOdds:
    """The log-odds of the words of one side, and their offsets in one more column."""

    table: KeyTable
    side: Side

    @cached_property
    def row_bytes(self) -> int:
        """Of one word."""
        return 8 * int(self._of(first(self.table.vocabulary)).shape[1])

    def rows(self, start: int, stop: int) -> Floats:
        """Those of some words."""
        return self._of(self.table.vocabulary.take(np.arange(start, stop)).matrix.astype(np.float64))

    def _of(self, vectors: Floats) -> Floats:
        model = self.table.model
        return np.concatenate([model.log_odds(self.side, vectors), model.offset(self.side, vectors)[:, None]], axis=1)


class _Best(NamedTuple):
    """Of each query: the best rows, their scores, and whether it is proven that there are no better ones."""

    rows: torch.Tensor
    scores: torch.Tensor
    proven: torch.Tensor


@dataclass(frozen=True, eq=False)
class _Shard:
    """Some of the keys, on the device."""

    first: int
    wide: torch.Tensor
    narrow: torch.Tensor
    """Less their mean, and with two more columns: the score of a usual query, its first digits and the others."""
    centre: torch.Tensor
    odds: torch.Tensor | None
    longest: float
    """The length of a narrow key, without the two columns."""
    lost: float
    """The length of what rounding takes off it."""
    usual: float
    """The score of a usual query, less its mean."""
    usual_lost: float

    def __len__(self) -> int:
        return len(self.wide)


@dataclass(eq=False)
class DeviceSearcher:
    """Keys on a device of PyTorch: all of them, or as many at a time as it has memory for."""

    table: KeyTable
    keys: Keys
    device: torch.device
    dtype: str
    """Of the first product: bfloat16, tf32 or float32."""
    odds: LogOdds | None
    """What exact scores are made of if the keys are those of low-rank maps."""
    usual: Floats
    """The mean of queries: what they have in common gives each key a number, which needs no rounding twice."""
    shard_rows: int
    unproven: int = 0
    """How many queries the search without a device had to answer so far."""
    name: str = "device"
    _resident: _Shard | None = field(default=None, repr=False)

    @property
    def error(self) -> float:
        """How far the product may be from the score even if nothing were rounded."""
        return self.table.model.error(self.table.vocabulary.dimension)

    @property
    def options(self) -> dict[str, Any]:
        """Where it is, and how it computes."""
        return {"device": str(self.device), "dtype": self.dtype}

    def with_table(self, table: KeyTable) -> DeviceSearcher:
        """Return the searcher for the same keys under another model."""
        return replace(self, table=table)

    def save(self, path: Path) -> None:  # noqa: ARG002
        """Refuse: a device is of one machine, and takes as long to fill as to load."""
        raise InvalidInput(
            f"the keys are on the device {self.device}, which is not saved with a space; save "
            "`space.with_backend('exact')`, and move it again after it is loaded"
        )

    def search(self, request: Request, k: int) -> Hits:
        """The k best keys of each question with exact scores, best first; of equal ones the first rows."""
        k = min(k, len(self.keys))
        found = Hits.empty(len(request), k)
        if not k or not len(request):
            return found
        parts = []
        proven = np.ones(len(request), dtype=bool)
        for start in range(0, len(self.keys), self.shard_rows):
            shard = self._shard(start)
            part = _search(self, shard, request, min(k, len(shard)), EXTRA[0])
            again = np.flatnonzero(~part[1])
            if len(again):
                wider, sure = _search(self, shard, request.take(again), min(k, len(shard)), EXTRA[1])
                part[0].rows[again], part[0].scores[again] = wider
                proven[again] &= sure
            parts.append(part[0])
        rows, scores = (np.concatenate(column, axis=1) for column in zip(*parts, strict=True))
        best = np.lexsort((rows, -scores), axis=1)[:, :k]
        found.rows[:], found.scores[:] = (np.take_along_axis(each, best, axis=1) for each in (rows, scores))
        rest = np.flatnonzero(~proven)
        if len(rest):
            self.unproven += len(rest)
            found.rows[rest], found.scores[rest] = exact(self.table, request.take(rest), k)
        return found

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
        The words to search: "hyper" for hypernyms, "hypo" for hyponyms.
    device
        As PyTorch names it: cpu, cuda, cuda:1.
    dtype
        Of the first product: by default bfloat16 on a GPU and float32 on a processor.
    """
    place = check_device(device)
    table.model.check_indexable("no device can search it faster")
    dtype = dtype or ("float32" if place.type == "cpu" else "bfloat16")
    if dtype not in UNITS:
        raise InvalidInput(f"dtype is {dtype!r}, expected one of {', '.join(UNITS)}")
    if side not in table.made:
        table.make(side, partial(_keys, table, side, place), _rows_at_once(table, side, place))
    keys, queries = table[side], table.queries(sample_request(table, side))
    odds = LogOdds(table, side) if table.model.low_rank is not None else None
    wide = keys.computed.itemsize * keys.stored.shape[1] + (0 if odds is None else odds.row_bytes)
    narrow = DTYPES[dtype].itemsize * _padded(keys.stored.shape[1] + 2, FEATURES)
    fits = int(SHARE * _free(place) / (wide + narrow + 4)) // TILE * TILE
    usual = queries.mean(axis=0, dtype=np.float64) if len(queries) else np.zeros(keys.stored.shape[1])
    shard_rows = max(TILE, min(fits, _padded(len(keys), TILE)))
    searcher = DeviceSearcher(table, keys, place, dtype, odds, usual, shard_rows)
    if searcher.shard_rows >= len(keys) > 0:
        searcher._shard(0)
    return searcher


def check_device(name: str) -> torch.device:
    """The device of this name, if there is one here."""
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


def _keys(table: KeyTable, side: Side, device: torch.device, vectors: Floats) -> Floats:
    """The keys of some words, computed on the device: a processor takes longer to make them all than to search."""
    made = table.keys_of(side, _moved(vectors, device))
    kept: Floats = made.to(torch.float64 if table.dtype == "float64" else torch.float32).cpu().numpy()
    return kept


def _rows_at_once(table: KeyTable, side: Side, device: torch.device) -> int:
    """As many as every thread has memory for on the device, with all that they become on the way."""
    row = STEPS * 8 * table.width(side)
    return max(1, min(ROWS_AT_ONCE // 8, BYTES_AT_ONCE[device.type] // (available_threads() * row)))


def _upload(searcher: DeviceSearcher, first: int, last: int) -> _Shard:
    keys, device = searcher.keys, searcher.device
    width = keys.stored.shape[1]
    wide = torch.empty((last - first, width), dtype=_torch_dtype(keys), device=device)
    odds = None
    if searcher.odds is not None:
        odds = torch.empty((last - first, searcher.odds.row_bytes // 8), dtype=torch.float64, device=device)
    for start in range(first, last, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, last))
        here = slice(rows.start - first, rows.stop - first)
        block = np.ascontiguousarray(keys.decoded(rows), dtype=keys.computed)
        wide[here] = torch.tensor(block, device=device)  # a copy: PyTorch warns of pages that cannot be written
        if odds is not None and searcher.odds is not None:
            odds[here] = torch.from_numpy(searcher.odds.rows(rows.start, rows.stop)).to(device)
    centre = wide.mean(dim=0, dtype=torch.float64)
    usual = torch.from_numpy(searcher.usual).to(device)
    padded = (_padded(last - first, TILE), _padded(width + 2, FEATURES))
    narrow = torch.zeros(padded, dtype=DTYPES[searcher.dtype], device=device)
    largest = torch.zeros(4, dtype=torch.float64, device=device)
    cut = UNITS["tf32"] if searcher.dtype == "tf32" else 0.0  # what the product takes off, after this
    for start in range(0, last - first, ROWS_AT_ONCE):
        centred = wide[start : start + ROWS_AT_ONCE].double() - centre
        rounded = narrow[start : start + len(centred)]
        rounded[:, :width] = centred
        score = centred @ usual
        rounded[:, width] = score.bfloat16()  # all that any kind of product keeps
        rounded[:, width + 1] = score - rounded[:, width].double()
        length = centred.norm(dim=1)
        lost = (rounded[:, :width].double() - centred).norm(dim=1) + cut * length
        rest = rounded[:, width + 1].double()
        score_lost = (rounded[:, width].double() + rest - score).abs() + cut * rest.abs()
        columns = (length, lost, score.abs(), score_lost)
        largest = torch.maximum(largest, torch.stack([column.max() for column in columns]))
    return _Shard(first, wide, narrow, centre, odds, *largest.tolist())


def _search(searcher: DeviceSearcher, shard: _Shard, request: Request, k: int, extra: int) -> tuple[Hits, Any]:
    """The best keys of a shard for all questions, some of these at a time, and which are proven."""
    bytes_at_once = BYTES_AT_ONCE[searcher.device.type]
    maxima_bytes = 2 * len(shard.narrow) // (TILE // GROUPS) + 4 * len(shard.narrow) // TILE
    at_once = _padded(max(1, bytes_at_once // maxima_bytes), QUERIES)
    found = Hits(np.empty((len(request), k), np.int64), np.empty((len(request), k)))
    proven = np.empty(len(request), dtype=bool)
    for start in range(0, len(request), at_once):
        some = slice(start, start + at_once)
        best = _best(searcher, shard, request.take(some), k, extra)
        found.rows[some] = (best.rows + shard.first).cpu().numpy()
        found.scores[some] = best.scores.cpu().numpy()
        proven[some] = best.proven.cpu().numpy()
    return found, proven


def _best(searcher: DeviceSearcher, shard: _Shard, request: Request, k: int, extra: int) -> _Best:
    vectors = _moved(request.vectors, searcher.device)
    mapped = searcher.table.model.mapped(request.side, vectors)
    asked = torch.cat([mapped, mapped.new_full((len(mapped), 1), -request.specificity)], dim=1)
    m, width = asked.shape
    narrow = torch.zeros((_padded(m, QUERIES), shard.narrow.shape[1]), dtype=shard.narrow.dtype, device=searcher.device)
    centred = asked - torch.from_numpy(searcher.usual).to(searcher.device)
    narrow[:m, :width] = centred
    narrow[:m, width : width + 2] = 1
    error = _narrow_error(searcher, shard, centred, narrow[:m, :width])
    largest = maxima(narrow, shard.narrow, len(shard))
    groups, left = _groups(largest.fine[:m], largest.coarse[:m], k + extra)
    left = left.double() + error + asked @ shard.centre
    rows, values, left_wide = _finalists(searcher, shard, asked, groups, k + FINALISTS)
    left = torch.maximum(left, left_wide.double() + _wide_error(searcher, shard, asked))
    exactly = _exact(searcher, shard, request, vectors, asked, rows).masked_fill(torch.isneginf(values), -torch.inf)
    rows, order = rows.sort(dim=1)  # of equal scores the first rows come first
    exactly, order = exactly.gather(1, order).sort(dim=1, descending=True, stable=True)
    return _Best(rows.gather(1, order)[:, :k], exactly[:, :k], exactly[:, k - 1] > left)


def _groups(fine: torch.Tensor, coarse: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The n best groups of the n best tiles, and a bound of all others."""
    tile_values, tiles = coarse.topk(min(n + 1, coarse.shape[1]), dim=1)
    left = _last(tile_values, n)
    tiles = tiles[:, :n]
    inside = fine.view(len(fine), -1, GROUPS).gather(1, tiles[..., None].expand(-1, -1, GROUPS)).flatten(1).float()
    values, places = inside.topk(min(n + 1, inside.shape[1]), dim=1)
    rest = _last(values, n)
    left = torch.maximum(left, torch.where(torch.isfinite(rest), rest + FINE_UNIT * rest.abs(), rest))
    places = places[:, :n]
    return tiles.gather(1, places // GROUPS) * GROUPS + places % GROUPS, left


def _finalists(
    searcher: DeviceSearcher, shard: _Shard, asked: torch.Tensor, groups: torch.Tensor, n: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The n best keys of groups by wide scores, these, and the best score of the others."""
    rows = keys_of_groups(groups).flatten(1)
    inside = rows < len(shard)
    rows = rows.clamp(max=len(shard) - 1)
    found = scores(asked, shard.wide, rows, BYTES_AT_ONCE[searcher.device.type]).masked_fill(~inside, -torch.inf)
    values, places = found.topk(min(n + 1, found.shape[1]), dim=1)
    return rows.gather(1, places[:, :n]), values[:, :n], _last(values, n)


def _last(values: torch.Tensor, n: int) -> torch.Tensor:
    """The first value after the n best: what is left out; nothing is if there are no more."""
    if values.shape[1] > n:
        return values[:, n]
    return torch.full_like(values[:, 0], -torch.inf)


def _narrow_error(
    searcher: DeviceSearcher, shard: _Shard, centred: torch.Tensor, rounded: torch.Tensor
) -> torch.Tensor:
    """How far a narrow score may be from the exact one less what the centre adds, for each query."""
    lengths = centred.norm(dim=1)
    off = (centred - rounded.double()).norm(dim=1)
    if searcher.dtype == "tf32":
        off = off + UNITS["tf32"] * lengths
    # A sum of n products in float32, as in `rounding`; tensor cores may cut digits off where others round.
    sizes = (lengths + off) * (shard.longest + shard.lost) + shard.usual
    summed = 2 * (centred.shape[1] + 4) * UNITS["float32"] * sizes
    bound: torch.Tensor = (
        off * shard.longest + (lengths + off) * shard.lost + shard.usual_lost + summed + searcher.error
    )
    return bound


def _wide_error(searcher: DeviceSearcher, shard: _Shard, asked: torch.Tensor) -> torch.Tensor:
    """How far a wide score may be from the exact one: the bound of `rounding`."""
    units = (asked.shape[1] + 1) * torch.finfo(shard.wide.dtype).eps / 2
    bound: torch.Tensor = units / (1 - units) * asked.norm(dim=1) * searcher.keys.longest + searcher.error
    return bound


def _exact(
    searcher: DeviceSearcher,
    shard: _Shard,
    request: Request,
    vectors: torch.Tensor,
    asked: torch.Tensor,
    rows: torch.Tensor,
) -> torch.Tensor:
    """The scores in float64."""
    if shard.odds is None:
        return torch.einsum("mcw,mw->mc", shard.wide[rows].double(), asked)
    model, side = searcher.table.model, request.side
    y, offset = model.log_odds(side, vectors), model.offset(side, vectors)
    found = torch.empty(rows.shape, dtype=torch.float64, device=rows.device)
    at_once = max(1, BYTES_AT_ONCE[searcher.device.type] // (16 * rows.shape[1] * y.shape[1] * 8))
    for start in range(0, len(rows), at_once):
        some = slice(start, start + at_once)
        here, there = y[some, None], shard.odds[rows[some]]
        pair = (here, there[..., :-1]) if side == "hypo" else (there[..., :-1], here)
        hubness = asked[some, -1:] * shard.wide[rows[some], -1].double()
        found[some] = model.operator.score(*pair) + offset[some, None] + there[..., -1] + hubness
    return found


def _moved(vectors: Floats, device: torch.device) -> torch.Tensor:
    """Vectors on the device: in their own precision on the way there, in float64 then."""
    return torch.tensor(vectors, device=device).double()


def _padded(n: int, to: int) -> int:
    return -(-n // to) * to


def _free(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return 1 << 62  # the keys are in the memory of the machine already


def _torch_dtype(keys: Keys) -> torch.dtype:
    return torch.float64 if keys.computed == np.float64 else torch.float32
