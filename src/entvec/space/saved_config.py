"""The configuration of a saved space: config.json, each entry checked, with the hashes of the other files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, cast

from entvec.errors import SpaceFileError, SpaceFileNotFound
from entvec.files import file_digest, read_whole
from entvec.model.description import Check, Unfit, check, is_number, of_sides
from entvec.model_folders import CONFIG, LARGEST, OLDER_CONFIG
from entvec.runtime import in_threads
from entvec.search.local import SEARCHERS

VERSION = "space 3"
OLDER = "space 2"
"""The version before, whose configuration was space.json."""
UNVERIFIED = "space 1"
"""The version before that, which had no hashes."""
VERSIONS = (VERSION, OLDER, UNVERIFIED)
VECTORS = "vectors.safetensors"
MOST_FILES = 1 << 12
"""Files of evidence."""
IDENTITY = ("name", "dimension", "fingerprint")
"""What is saved of an encoder."""


def verify_files(folder: Path, files: Mapping[str, list[Any]]) -> None:
    """Raise SpaceFileError if a file is not the one that was saved."""
    names = list(files)

    def problem(number: int) -> str | None:
        path = folder / names[number]
        size, digest = files[names[number]]
        try:
            if not path.is_file():
                return "it is no file" if path.exists() else "the file is missing, expected it beside config.json"
            if path.stat().st_size == size and file_digest(path) == digest:
                return None
            return "it is damaged, or of another space; save the space again"
        except OSError as error:
            return f"it cannot be read: {error.strerror or error}"

    for name, found in zip(names, in_threads(problem, range(len(names))), strict=True):
        if found is not None:
            raise SpaceFileError(folder / name, found)


def digest_of(description: Mapping[str, Any]) -> str:
    """Return the hash of all other entries of a configuration."""
    others = {name: value for name, value in description.items() if name != "digest"}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


def config_file(folder: Path) -> Path:
    """Return the file that describes a space: config.json, or space.json of an older version."""
    older = folder / OLDER_CONFIG
    return older if older.exists() and not (folder / CONFIG).exists() else folder / CONFIG


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a space in a folder; raise SpaceFileError if an entry is wrong."""
    path = config_file(folder)
    try:
        description = json.loads(read_whole(path, LARGEST))
    except (FileNotFoundError, NotADirectoryError):
        raise SpaceFileNotFound(
            folder, "there is no space: expected a folder that EntailmentSpace.save or `entvec space` wrote"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise SpaceFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(description, dict) or description.get("entvec") not in VERSIONS:
        found = description.get("entvec") if isinstance(description, dict) else description
        raise SpaceFileError(
            path, f"expected {VERSION!r}, found {str(found)[:40]!r}; a newer entvec may have written it"
        )
    hashed = description["entvec"] != UNVERIFIED
    try:
        usual = {"knowledge": None, "encoder": None, "reads": False, "evidence": 0}
        check(usual | description, CHECKS | HASHES if hashed else CHECKS)
    except Unfit as problem:
        raise SpaceFileError(path, str(problem)) from None
    if hashed and description["digest"] != digest_of(description):
        raise SpaceFileError(path, "it is damaged, or was changed by hand; save the space again")
    return cast("dict[str, Any]", description)


CHECKS: dict[str, Check] = {
    "keys": lambda value: of_sides(value, lambda longest: is_number(longest) and longest >= 0),
    "engines": lambda value: of_sides(
        value, lambda entry: isinstance(entry, dict) and entry.get("name") in list(SEARCHERS)
    ),
    "knowledge": lambda value: value is None or _is_knowledge(value),
    "encoder": lambda value: value is None or _is_encoder(value),
    "reads": lambda value: isinstance(value, bool),
    "evidence": lambda value: type(value) is int and 0 <= value < MOST_FILES,
}
HASHES: dict[str, Check] = {
    "files": lambda value: isinstance(value, dict) and VECTORS in value and all(map(_is_file, value.items())),
    "digest": lambda value: isinstance(value, str),
}


def _is_file(entry: tuple[str, Any]) -> bool:
    """Return whether an entry is the name of a file in the folder, with its size and hash."""
    path, found = PurePosixPath(entry[0]), entry[1]
    inside = not path.is_absolute() and ".." not in path.parts
    return inside and isinstance(found, list) and [type(each) for each in found] == [int, str]


def _is_encoder(entry: Any) -> bool:
    """Return whether an entry has the name, the dimension and the fingerprint of an encoder."""
    return isinstance(entry, dict) and {name: type(value) for name, value in entry.items()} == dict(
        zip(IDENTITY, (str, int, str), strict=True)
    )


def _is_knowledge(entry: Any) -> bool:
    """Return whether an entry has the names of sources, and perhaps the hash of the bundled file."""
    sound = isinstance(entry, dict) and isinstance(entry.get("sources"), list) and entry.keys() <= {"sources", "sha256"}
    return sound and all(isinstance(each, str) for each in (*entry["sources"], entry.get("sha256", "")))
