"""Saves a space to a folder and loads it, without pickle.

space.json             operator, interpretation, specificity, calibration, and which of the other files there are
vectors.safetensors    the vectors, as `Vectors.save` writes them
map.safetensors        the learned map, as `FittedMap.save` writes it
keys-hyper.safetensors, keys-hypo.safetensors
                       the keys of the words, if they were computed; like the vectors they are opened by memory map
engine-hyper, engine-hypo
                       folders of approximate indexes
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from entvec.errors import EntvecError, SpaceFileError, SpaceFileNotFound
from entvec.files import replacing_folder
from entvec.learn.fitted import FittedMap
from entvec.model.description import Check, Unfit, check, describe, is_number, model_of, of_sides
from entvec.model.model import Side
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import SEARCHERS, Searcher, load_searcher
from entvec.stores.urls import check_folder
from entvec.vectors import Vectors

VERSION = "space 1"
DESCRIPTION = "space.json"
VECTORS = "vectors.safetensors"
MAP = "map.safetensors"
KEYS = "keys-{}.safetensors"
SEARCHER = "engine-{}"


def save(table: KeyTable, searchers: Mapping[Side, Searcher], path: str | Path) -> None:
    """Write a space to a folder; an older space there stays until the new one is complete.

    Parameters
    ----------
    table
        The words, their keys and the model.
    searchers
        The searcher of each side that is not searched exactly.
    path
        The folder; one with other content is not replaced.
    """
    model, words = table.model, table.vocabulary.words
    description: dict[str, Any] = {
        "entvec": VERSION,
        **describe(model, table.dtype),
        "keys": {side: keys.longest for side, keys in table.computed.items()},
        "engines": {side: {"name": each.name, **each.options} for side, each in searchers.items()},
    }
    with replacing_folder(path, marked_by=DESCRIPTION) as folder:
        table.vocabulary.save(folder / VECTORS)
        if model.map is not None:
            model.map.save(folder / MAP)
        for side, keys in table.computed.items():
            Vectors.of_stored(words, keys.stored, keys.dtype).save(folder / KEYS.format(side))
        for side, searcher in searchers.items():
            searcher.save(folder / SEARCHER.format(side))
        (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def load(path: str | Path) -> tuple[KeyTable, dict[Side, Searcher]]:
    """Return the words, keys and searchers of a folder; what space.json says is checked against the other files."""
    check_folder(path)
    folder = Path(path)
    description = _description(folder)
    vectors: Vectors = _part(folder, VECTORS, Vectors.load)
    learned = None if description["interpretation"] is not None else _part(folder, MAP, FittedMap.load)
    try:
        model = model_of(description, learned, vectors.dimension)
    except Unfit as problem:
        raise SpaceFileError(folder / MAP, str(problem)) from None
    except EntvecError as error:
        raise SpaceFileError(folder / DESCRIPTION, str(error)) from error
    table = KeyTable(model, vectors.with_lookup(case=True, space=True), description["dtype"])
    table.computed |= {side: _keys(folder, side, table, longest) for side, longest in description["keys"].items()}
    searchers = {}
    for side, options in description["engines"].items():
        name = options.pop("name")
        searchers[side] = load_searcher(name, table, side, folder / SEARCHER.format(side), options)
    return table, searchers


def _keys(folder: Path, side: Side, table: KeyTable, longest: float) -> Keys:
    name = KEYS.format(side)
    stored: Vectors = _part(folder, name, Vectors.load)
    try:
        expected = (len(table), table.width(side), table.dtype)
    except EntvecError as error:  # low-rank maps for another range
        raise SpaceFileError(folder / DESCRIPTION, str(error)) from error
    if (len(stored), stored.dimension, stored.dtype) != expected:
        found = (len(stored), stored.dimension, stored.dtype)
        raise SpaceFileError(folder / name, f"expected keys of {expected}, found {found}; save the space again")
    if not np.array_equal(stored.words.text, table.vocabulary.words.text):
        raise SpaceFileError(folder / name, "the keys are of other words than the vectors; save the space again")
    return Keys(stored.stored, stored.dtype, longest)


def _part(folder: Path, name: str, load: Any) -> Any:
    try:
        return load(folder / name)
    except FileNotFoundError:
        raise SpaceFileError(folder / name, "the file is missing, expected it beside space.json") from None
    except EntvecError as error:
        problem, byte = getattr(error, "what", str(error)), getattr(error, "byte", None)
        raise SpaceFileError(folder / name, problem, byte=byte) from error


def _description(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTION
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise SpaceFileNotFound(
            folder, "there is no space: expected a folder that EntailmentSpace.save or `entvec space` wrote"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise SpaceFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(description, dict) or description.get("entvec") != VERSION:
        found = description.get("entvec") if isinstance(description, dict) else description
        raise SpaceFileError(
            path, f"expected {VERSION!r}, found {str(found)[:40]!r}; a newer entvec may have written it"
        )
    try:
        check(description, CHECKS)
    except Unfit as problem:
        raise SpaceFileError(path, str(problem)) from None
    return cast("dict[str, Any]", description)


CHECKS: dict[str, Check] = {
    "keys": lambda value: of_sides(value, lambda longest: is_number(longest) and longest >= 0),
    "engines": lambda value: of_sides(
        value, lambda entry: isinstance(entry, dict) and entry.get("name") in list(SEARCHERS)
    ),
}
