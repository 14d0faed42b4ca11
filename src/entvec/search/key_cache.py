"""The key cache: a file of keys in the user's cache folder, so that a command need not compute them again.

A file is used only if its hash is that of the file that was written, and if it has the keys that are now computed for a
few words. If a file cannot be read or written, keys are computed as if there were no cache.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from entvec.errors import EntvecError
from entvec.files import replacing
from entvec.model.model import Side
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys

FOLDER = "ENTVEC_CACHE"
"""The environment variable that names the folder; an empty value turns the cache off."""
CHECKED = 16
"""How many words have their keys computed and compared before a file is used."""


def cache_folder() -> Path | None:
    """Return the folder of ENTVEC_CACHE, else the usual cache folder of this system; None if the cache is off."""
    named = os.environ.get(FOLDER)
    if named is not None:
        return Path(named) if named else None
    from platformdirs import user_cache_path

    return user_cache_path("entvec") / "keys"


class KeyCache:
    """The cached keys of one space.

    Parameters
    ----------
    name
        The name of the space, which the files are named after. Keys of another space with this name are replaced.
    fingerprint
        A hash of everything that the keys are computed from.
    """

    def __init__(self, name: str, fingerprint: str) -> None:
        self._name, self._fingerprint = name, fingerprint
        self._folder = cache_folder()

    def load(self, table: KeyTable, side: Side) -> Keys | None:
        """Return the keys of one side, as a memory map; None if there is no file or it must not be used."""
        if self._folder is None:
            return None
        path = self._path(side)
        try:
            description = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            if description["fingerprint"] != self._fingerprint or description["sha256"] != _sha256(path):
                return None
            stored = np.load(path, mmap_mode="r", allow_pickle=False)
            keys = Keys(stored, table.dtype, float(description["longest"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return keys if _up_to_date(table, side, keys) else None

    def save(self, side: Side, keys: Keys) -> None:
        """Write the keys of one side; do nothing if the folder cannot be written."""
        if self._folder is None:
            return
        path = self._path(side)
        with suppress(OSError, EntvecError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.save(file, keys.stored)
            description = {"fingerprint": self._fingerprint, "sha256": _sha256(path), "longest": keys.longest}
            with replacing(path.with_suffix(".json")) as temporary:
                temporary.write_text(json.dumps(description), encoding="utf-8")

    def _path(self, side: Side) -> Path:
        return Path(str(self._folder)) / f"{self._name}-{side}.npy"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _up_to_date(table: KeyTable, side: Side, keys: Keys) -> bool:
    """Return whether the keys of a few words are those that are now computed: the code may have changed."""
    if keys.stored.shape != (len(table), table.width(side)):
        return False
    rows = np.linspace(0, len(table) - 1, min(CHECKED, len(table))).astype(np.int64)
    expected: Any = table.keys_of(side, table.vocabulary.take(rows).matrix.astype(np.float64))
    tolerance = 1e-4 * float(np.abs(expected).max(initial=0.0))
    return bool(np.allclose(keys.decoded(rows), expected, rtol=1e-4, atol=tolerance))
