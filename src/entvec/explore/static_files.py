"""The files of the page, in memory: a request selects one by its address, so no request can name a file on disk."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent / "page"
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
    found = {
        f"/{path.relative_to(PAGE).as_posix()}": File.of(path.read_bytes(), MEDIA_TYPES[path.suffix])
        for path in PAGE.rglob("*")
        if path.suffix in MEDIA_TYPES
    }
    index = found.pop("/index.html")
    return found | dict.fromkeys(("/", *(f"/{view}" for view in VIEWS)), index)
