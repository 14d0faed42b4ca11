"""Opens the version of a space that a database serves."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from entvec.errors import EntvecError
from entvec.learn.fitted import FittedMap
from entvec.model.description import Unfit, check, is_number, model_of, of_sides
from entvec.model.model import Model, Side
from entvec.search.coordinates import Coordinates
from entvec.stores import nothing_there, open_store
from entvec.stores.backend import Index, RemoteBackend
from entvec.stores.contract import Damaged, Manifest, Store, Tables
from entvec.stores.vocabulary import RemoteVocabulary

T = TypeVar("T")

MAP = "map"
"""The name of the learned map, among the parts of a version."""


class RemoteSpace:
    """The space of one name in a database."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name

    def current(self) -> tuple[RemoteVocabulary, Model, RemoteBackend]:
        """Return the vocabulary, model and backend of the version that serves now."""
        tables = self.store.current()
        if tables is None:
            raise nothing_there(self.store, self.name)
        return version_parts(tables, self.store.where, self.name)

    def close(self) -> None:
        """Close the connection."""
        self.store.close()


def open_remote(url: str, name: str) -> RemoteSpace:
    """Return the space of this name in the database of a URL."""
    return RemoteSpace(open_store(url, name), name)


def version_parts(tables: Tables, where: str, name: str) -> tuple[RemoteVocabulary, Model, RemoteBackend]:
    """Return the vocabulary, model and backend of one version; raise Damaged if its description makes no sense.

    Parameters
    ----------
    tables
        The tables of the version.
    where, name
        The database and the name of the space, for messages.
    """
    manifest, description = tables.manifest, tables.manifest.description
    try:
        check(description, CHECKS)
        learned = None if description["interpretation"] is not None else _part(manifest, MAP, FittedMap.load)
        model = model_of(description, learned, manifest.dimension)
        indexes = {side: _index(manifest, side) for side in manifest.widths}
    except (Unfit, EntvecError) as problem:
        raise Damaged(where, f"{problem}; export the space again") from problem
    vocabulary = RemoteVocabulary(tables)
    return vocabulary, model, RemoteBackend(model, vocabulary, tables, indexes, f"{name} in {where}")


def coordinates_part(side: Side) -> str:
    """Return the name of the coordinates of one side, among the parts of a version."""
    return f"coordinates-{side}"


def _part(manifest: Manifest, name: str, load: Callable[[Path], T]) -> T:
    if name not in manifest.parts:
        raise Unfit(f"the part {name!r} is missing")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.safetensors"
        path.write_bytes(manifest.parts[name])
        try:
            return load(path)
        except EntvecError as error:
            raise Unfit(f"the part {name!r} cannot be read: {error.what}") from None


def _index(manifest: Manifest, side: Side) -> Index:
    entry = manifest.description["sides"].get(side)
    if entry is None:
        raise Unfit(f"the description has nothing of the side {side!r}")
    coordinates, _ = _part(manifest, coordinates_part(side), Coordinates.load)
    if coordinates.width != manifest.widths[side]:
        raise Unfit(f"expected keys of {coordinates.width} coordinates, found {manifest.widths[side]}")
    return Index(coordinates, entry["effort"], entry["candidates"])


def _sound_side(entry: Any) -> bool:
    counts = ("effort", "candidates")
    return (
        isinstance(entry, dict)
        and all(type(entry.get(name)) is int and entry[name] >= 1 for name in counts)
        and is_number(entry.get("recall"))
    )


CHECKS = {"sides": lambda value: of_sides(value, _sound_side)}
