"""The files of the page, in memory: a request selects one by its address, so no request can name a file on disk."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

VIEWS = ("word", "pair", "map", "taxonomy", "theory")
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class File(NamedTuple):
    """A response body with its media type and its entity tag, a hash of the content."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> File:
        """Compute the entity tag."""
        return cls(content, media_type, f'"{sha256(content).hexdigest()[:16]}"')


def load() -> dict[str, File]:
    """Return the file of each address of the page; all views have the same one."""
    found = dict(_below(files("entvec.explore") / "page", ""))
    index = found.pop("/index.html")
    return found | dict.fromkeys(("/", *(f"/{view}" for view in VIEWS)), index)


def _below(folder: Traversable, path: str) -> list[tuple[str, File]]:
    found = []
    for entry in folder.iterdir():
        address = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _below(entry, address)
        elif (media_type := MEDIA_TYPES.get("." + entry.name.rpartition(".")[2])) is not None:
            found.append((address, File.of(entry.read_bytes(), media_type)))
    return found
