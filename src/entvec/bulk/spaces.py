"""The space of a job: which one it is, and where other processes open it by memory map, to share its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.bulk.folder import JobFolder
from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Side
from entvec.pairs.scorer import fill_whole
from entvec.space import EntailmentSpace

SAMPLED = 4096
"""How many vectors stand for all of them where spaces are told apart."""


class Given(NamedTuple):
    """A space, and the folder that it comes from, if it comes from one."""

    space: EntailmentSpace
    path: Path | None


def given(space: EntailmentSpace | str | Path) -> Given:
    """What a caller means by a space."""
    if isinstance(space, EntailmentSpace):
        return Given(space, None)
    if isinstance(space, str | Path):
        return Given(EntailmentSpace.load(space), Path(space).resolve())
    raise InvalidInput(f"space is {space!r:.60}, expected an EntailmentSpace or the folder of one")


def digest(space: EntailmentSpace) -> str:
    """A few letters that are others for another space: other words, other vectors, or read in another way."""
    told = hashlib.sha256()
    reading = space.model
    kept = [space.operator, reading.interpretation, reading.low_rank, space.specificity, space.dtype, space.calibration]
    engines = {side: [engine.name, sorted(engine.options.items())] for side, engine in space.engines.items()}
    told.update(repr([kept, len(space), space.vectors.dimension, engines]).encode())
    told.update(space.vectors.words.text.tobytes())
    some = np.unique(np.linspace(0, len(space) - 1, min(SAMPLED, len(space))).astype(np.int64))
    told.update(space.vectors.take(some).matrix.tobytes())
    if reading.map is not None:
        for part in fields(reading.map):
            value = getattr(reading.map, part.name)
            told.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return told.hexdigest()[:16]


def with_keys(found: Given, sides: Sequence[Side], folder: JobFolder) -> Path:
    """A folder with the space and its keys of these sides: the one that it comes from, or one that is made here."""
    if found.path is not None and all(map(found.space.is_prepared_for, sides)):
        return found.path
    if not folder.space.exists():
        prepare(found.space, sides)
        with folder.going_on_later():
            found.space.save(folder.space)
    return folder.space


def prepare(space: EntailmentSpace, sides: Sequence[Side]) -> None:
    """Make keys, in a way that makes the same ones in every process."""
    for side in sides:
        space.prepared(side)


def open_whole(space: EntailmentSpace, path: Path | None) -> dict[Side, NDArray[Any]]:
    """For each side a table of all words that a `Scorer` takes: the keys, or what was written to a folder."""
    if path is None:
        return {side: space.prepared(side).keys.stored for side in OTHER}
    return {side: np.load(path / f"{side}.npy", mmap_mode="r") for side in OTHER}


def write_tables(space: EntailmentSpace, folder: JobFolder) -> Path:
    """Tables of all words, for operators that need more than keys."""
    dtype = np.float64 if space.dtype == "float64" else np.float32
    with folder.going_on_later():
        folder.tables.mkdir(exist_ok=True)
        for side in OTHER:
            path = folder.tables / f"{side}.npy"
            new = path.with_suffix(".new")

            def table(width: int, new: Path = new) -> NDArray[Any]:
                return np.lib.format.open_memmap(new, mode="w+", dtype=dtype, shape=(len(space), width))

            if not path.exists():
                fill_whole(space, side, table)
                new.replace(path)
    return folder.tables


def file_settings(paths: Sequence[Path]) -> dict[str, Any]:
    """What tells files from others, or from what they were before."""
    stats = [path.stat() for path in paths]
    names = [str(path.resolve()) for path in paths]
    others = hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()[:16]
    return {
        "table": names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} others ({others})",
        "size": sum(stat.st_size for stat in stats),
        "modified": max(stat.st_mtime_ns for stat in stats),
    }
