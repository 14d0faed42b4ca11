"""The files of the page, in memory: a request selects one by its address, so no request can name a file on disk."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from entvec.explore.compression import BEST, gzipped

PAGE = Path(__file__).parent / "page"
VIEWS = ("word", "pair", "map", "list", "hierarchy", "taxonomy", "theory")
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


COMPRESSED_ALREADY = ("font/woff2",)


class File(NamedTuple):
    """A response body with its media type, its entity tag (a hash of the content), and its compressed form, if any."""

    content: bytes
    media_type: str
    etag: str
    compressed: bytes | None = None

    @classmethod
    def of(cls, content: bytes, media_type: str) -> File:
        """Compute the entity tag."""
        return cls(content, media_type, f'"{sha256(content).hexdigest()[:16]}"')

    def with_compressed(self) -> File:
        """Return the file with its compressed form, if that is shorter."""
        if self.media_type in COMPRESSED_ALREADY:
            return self
        made = gzipped(self.content, BEST)
        return self._replace(compressed=made) if len(made) < len(self.content) else self

    @property
    def compressed_etag(self) -> str:
        """The entity tag of the compressed form, which is another sequence of bytes."""
        return f'{self.etag[:-1]}-gzip"'


def load() -> dict[str, File]:
    """Return the file of each address of the page; all views have the same one."""
    found = {
        f"/{path.relative_to(PAGE).as_posix()}": File.of(path.read_bytes(), MEDIA_TYPES[path.suffix]).with_compressed()
        for path in PAGE.rglob("*")
        if path.suffix in MEDIA_TYPES
    }
    index = found.pop("/index.html")
    return found | dict.fromkeys(("/", *(f"/{view}" for view in VIEWS)), index)
