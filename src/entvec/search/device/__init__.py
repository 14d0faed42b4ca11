"""Exact search on a device of PyTorch: a GPU, or the processor.

searcher  `DeviceSearcher`: a product in 16 bits finds candidates, and exact scores rank them
maxima    the largest score of each group of keys, without storing all scores
kernel    the same in Triton, for GPUs
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from entvec.errors import InvalidInput, MissingExtra
from entvec.model.model import Side
from entvec.search.key_table import KeyTable

if TYPE_CHECKING:
    from entvec.search.device.searcher import DeviceSearcher


def build(table: KeyTable, side: Side, *, device: str = "cuda", dtype: str | None = None) -> DeviceSearcher:
    """Return a searcher with the keys of one side on a device; `searcher.build` has the parameters."""
    try:
        from entvec.search.device import searcher
    except ModuleNotFoundError:
        raise MissingExtra("a search on a device", needs="torch", extra="gpu") from None
    return searcher.build(table, side, device=device, dtype=dtype)


def load(table: KeyTable, side: Side, path: Path, options: dict[str, Any]) -> DeviceSearcher:  # noqa: ARG001
    """Raise InvalidInput: keys on a device are never saved."""
    raise InvalidInput(f"{path}: keys on a device are not saved with a space; save it without, and move it again")
