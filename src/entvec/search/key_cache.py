"""The key cache: a file of keys in the user's cache folder, so that a command need not compute them again.

Keys are used only if they have the fingerprint and the hash that were written with them; a key table also compares a
few of them with those that it computes now. If a file cannot be read or written, keys are computed as if there were no
cache.
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
from entvec.search.keys import Keys
from entvec.vectors.dtypes import DtypeName

FOLDER = "ENTVEC_CACHE"
"""The environment variable that names the folder; an empty value turns the cache off."""


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

    def load(self, side: Side, dtype: DtypeName) -> Keys | None:
        """Return the keys of one side, as a memory map; None if there is no file or it must not be used."""
        if self._folder is None:
            return None
        path = self._path(side)
        try:
            description = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            keys = Keys(np.load(path, mmap_mode="r", allow_pickle=False), dtype, description["longest"])
            return keys if description == self._description(keys) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, side: Side, keys: Keys) -> None:
        """Write the keys of one side; do nothing if the folder cannot be written."""
        if self._folder is None:
            return
        path = self._path(side)
        with suppress(OSError, EntvecError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.save(file, keys.stored)
            with replacing(path.with_suffix(".json")) as temporary:
                temporary.write_text(json.dumps(self._description(keys)), encoding="utf-8")

    def _path(self, side: Side) -> Path:
        return Path(str(self._folder)) / f"{self._name}-{side}.npy"

    def _description(self, keys: Keys) -> dict[str, Any]:
        stored = np.ascontiguousarray(keys.stored)
        layout = f"{stored.dtype.str} {stored.shape}"
        digest = hashlib.sha256(stored.data).hexdigest()
        return {"fingerprint": self._fingerprint, "layout": layout, "sha256": digest, "longest": keys.longest}
