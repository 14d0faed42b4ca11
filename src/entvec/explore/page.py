"""The files of the page, in memory: a request chooses one by its name, and no name of its own reaches the disk."""

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
    """A file as it is sent."""

    content: bytes
    media_type: str
    tag: str


def load() -> dict[str, File]:
    """All addresses of the page and what is there."""
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
            content = entry.read_bytes()
            found.append((address, File(content, media_type, f'"{sha256(content).hexdigest()[:16]}"')))
    return found
