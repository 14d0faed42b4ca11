"""Loads a space into a store, atomically."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import InvalidInput
from entvec.model.description import describe
from entvec.model.model import OTHER, Side
from entvec.progress import StageProgress
from entvec.search import approximate
from entvec.search.coordinates import Coordinates, fit
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.stores import nothing_there, open_store
from entvec.stores.contract import (
    FLAT,
    NAME,
    VERSION,
    Damaged,
    Exported,
    KeyBatch,
    Loading,
    Manifest,
    RowBatch,
    Store,
    in_blocks,
)
from entvec.stores.remote import MAP, coordinates_part, version_parts

Columns = Mapping[str, Sequence[Any] | NDArray[Any]]

ROWS_AT_ONCE = 8192
KINDS: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "T": str}
"""The types of additional columns, by NumPy's letters for kinds of dtypes."""
RESERVED = frozenset({"row", "word", "folded", "vector", "coordinates", "hubness"})
LOADED, INDEXED, TUNED = 0.4, 0.8, 0.99
"""The fraction of all work that is done after each stage, for progress callbacks."""


def export(
    table: KeyTable,
    url: str,
    *,
    name: str = "entvec",
    sides: Sequence[Side] | None = None,
    columns: Columns | None = None,
    index: str | None = None,
    recall: float = approximate.RECALL,
    progress: StageProgress | None = None,
) -> Exported:
    """Load a space into a database, where it replaces the version of the same name.

    `EntailmentSpace.export` documents the parameters; `table` has the words, their keys and the model.
    """
    start = time.monotonic()
    report = progress or (lambda *_: None)
    loaded, lost = False, list[str]()
    wanted = _sides(table, sides)
    added = _columns(table, columns or {})
    approximate.check_recall(recall)
    if not len(table):
        raise InvalidInput("the space has no words, so there is nothing to export")
    if (table.vocabulary.words.text == 0).any():
        odd = next(word for word in table.vocabulary.words if "\0" in word)
        raise InvalidInput(f"the word {odd!r} has a NUL in it, which databases cannot hold; leave it out")
    with closing(open_store(url, name)) as store:
        kind = _kind(store, index, len(table))
        report("comparing", 0.0)
        learned = {} if table.model.map is None else {MAP: as_bytes(table.model.map.save)}
        description = describe(table.model, table.dtype)
        version = _version(table, {"layout": VERSION, "sides": wanted, "index": kind, "recall": recall}, added)
        served = _serving(store)
        if served is None or served.version != version:
            made = {side: _coordinates(table, side, store.widest, report) for side in wanted}
            saved = {coordinates_part(side): as_bytes(partial(each.save, metadata={})) for side, each in made.items()}
            types = {name: KINDS[column.dtype.kind] for name, column in added.items()}
            widths = {side: each.width for side, each in made.items()}
            sizes = (len(table), table.vocabulary.dimension, widths)
            manifest = Manifest(version, *sizes, description, learned | saved, types)
            with store.loading(manifest) as loading:
                served = _serving(store)  # while this process waited, another one may have loaded the same space
                if served is None or served.version != version:
                    lost = [] if served is None else sorted(served.columns.keys() - added.keys())
                    _load(table, loading, made, added, kind, recall, report)
                    served, loaded = loading.manifest, True
        seconds = time.monotonic() - start
        return Exported(version, loaded, len(table), served.recall, store.size(), seconds, lost)


def _serving(store: Store) -> Manifest | None:
    """Return the manifest of the version that serves, if there is one that can be read."""
    try:
        tables = store.current()
        if tables is None:
            return None
        version_parts(tables, store.where, store.where)
    except Damaged:
        return None
    return tables.manifest


def remove_space(url: str, name: str) -> None:
    """Remove the space of this name from the database of a URL, all versions of it."""
    with closing(open_store(url, name)) as store:
        if name not in store.names():
            raise nothing_there(store, name)
        store.remove()


def _load(
    table: KeyTable,
    loading: Loading,
    made: Mapping[Side, Coordinates],
    columns: Mapping[str, NDArray[Any]],
    kind: str,
    recall: float,
    report: StageProgress,
) -> None:
    for block in _blocks(table, made, columns):
        loading.write(block)
        report("loading", LOADED * (block.first + len(block.words)) / len(table))
    report(f"building {kind} indexes", LOADED)
    loading.index(kind)
    found: dict[Side, Any] = {}
    for i, (side, coordinates) in enumerate(made.items()):
        report(f"trying searches for {side}nyms", INDEXED + (TUNED - INDEXED) * i / len(made))
        effort, measured = _tuned(table, loading, side, coordinates, kind, recall)
        found[side] = {"index": kind, "effort": effort, "candidates": approximate.CANDIDATES, "recall": measured}
    report("taking over", TUNED)
    loading.serve({**describe(table.model, table.dtype), "sides": found})
    report("done", 1.0)


def _blocks(
    table: KeyTable, made: Mapping[Side, Coordinates], columns: Mapping[str, NDArray[Any]]
) -> Iterator[RowBatch]:
    vectors = table.vocabulary
    for some in in_blocks(len(table), ROWS_AT_ONCE):
        rows = np.arange(some.start, some.stop)
        part = vectors.take(rows)
        keys: dict[Side, KeyBatch] = {}
        for side, coordinates in made.items():
            keys_of_side = table[side]
            keys[side] = KeyBatch(
                coordinates.keys(Keys(keys_of_side.stored[some], keys_of_side.dtype, keys_of_side.longest)),
                np.asarray(keys_of_side.hubness(rows), np.float64),
            )
        yield RowBatch(
            some.start,
            list(part.words),
            list(part.words.folded(case=True, space=True)),
            part.matrix.astype(np.float32),
            keys,
            {name: column[some].tolist() for name, column in columns.items()},
        )


# Tuning


@dataclass(frozen=True, eq=False)
class _Keys:
    """The keys of one side in a store, with the methods of `approximate.Index` that a trial calls."""

    loading: Loading
    side: Side

    @property
    def shape(self) -> tuple[int, int]:
        return self.loading.manifest.n_words, self.loading.manifest.widths[self.side]

    def efforts(self, *, last: bool) -> Sequence[int]:  # noqa: ARG002
        return self.loading.efforts(self.side)

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        return self.loading.nearest(self.side, queries, n, effort)


def _tuned(
    table: KeyTable, loading: Loading, side: Side, coordinates: Coordinates, kind: str, recall: float
) -> tuple[int, float]:
    """Return the least effort with which a search reaches the recall, and the recall that it reaches."""
    request = approximate.sample_request(table, side)
    queries = table.queries(request.take(slice(None, None, max(1, -(-len(request) // approximate.MEASURED)))))
    best = approximate.best_keys(table[side], queries)
    trial = approximate.Trial(queries, best, recall, approximate.CANDIDATES)
    index = cast("approximate.Index", _Keys(loading, side))  # a store saves its index itself: there is no `save`
    tuned = trial.tuned(index, kind, coordinates, last=True)
    return tuned.effort, round(tuned.recall, 4)


def _coordinates(table: KeyTable, side: Side, widest: int, report: StageProgress) -> Coordinates:
    report(f"keys of {side}s", 0.0)
    queries = table.queries(approximate.sample_request(table, side))
    return fit(table[side], queries, "euclidean", at_most=widest)


# Checks of the arguments


def _sides(table: KeyTable, sides: Sequence[Side] | None) -> list[Side]:
    """Return the sides to search, each once: by default both, or none if scores are no inner products."""
    if sides is None:
        return list(OTHER) if table.model.indexable else []
    if isinstance(sides, str) or not set(sides) <= OTHER.keys():
        raise InvalidInput(f"sides are {sides!r:.60}, expected some of hypo and hyper")
    if sides and not table.model.indexable:
        raise InvalidInput(
            f"{table.model.operator.name} is no inner product here, so no database can search it; "
            "`sides=()` exports the words alone, to be scored"
        )
    return [side for side in OTHER if side in sides]


def _columns(table: KeyTable, columns: Columns) -> dict[str, NDArray[Any]]:
    """Return additional columns as arrays with a value for each word, or raise InvalidInput."""
    checked = {}
    for name, values in columns.items():
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED:
            raise InvalidInput(
                f"a column is called {name!r:.60}, expected small letters, digits and _, a letter first, 40 at most, "
                f"and none of {', '.join(sorted(RESERVED))}"
            )
        array = np.asarray(values)
        if array.shape != (len(table),):
            raise InvalidInput(f"the column {name} has shape {array.shape}, expected a value for each of the words")
        if array.dtype.kind in "OU" and all(isinstance(value, str) for value in values):
            array = array.astype(np.dtypes.StringDType())
        if array.dtype.kind not in KINDS or (array.dtype.kind == "u" and array.max(initial=0) > np.iinfo(np.int64).max):
            raise InvalidInput(
                f"the column {name} has values of the kind {array.dtype}, expected bool, int, float or str, all alike"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InvalidInput(f"the column {name} has NaN or infinite values, expected finite numbers")
        if array.dtype.kind == "T" and any("\0" in value for value in array.tolist()):
            raise InvalidInput(f"the column {name} has a text with a NUL in it, which databases cannot hold")
        checked[name] = array
    return checked


def _kind(store: Store, index: str | None, n: int) -> str:
    if index is None:
        return FLAT if n < approximate.SMALL else store.kinds[0]
    if index not in store.kinds:
        raise InvalidInput(f"{store.where} has no index {index!r}, expected one of {', '.join(store.kinds)}")
    return index


def _version(table: KeyTable, settings: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of everything that is exported: the same content has the same version."""
    digest = hashlib.blake2b(digest_size=12)
    kinds = {name: column.dtype.kind for name, column in columns.items()}
    digest.update(json.dumps([table.fingerprint, settings, kinds], sort_keys=True).encode())
    for name in sorted(columns):
        digest.update(json.dumps(columns[name].tolist()).encode())
    return digest.hexdigest()


def as_bytes(save: Callable[[Path], None]) -> bytes:
    """Return the content of the file that `save` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.safetensors"
        save(path)
        return path.read_bytes()
