"""Compressed responses: files of the page are compressed once, answers when they are sent."""

from __future__ import annotations

import gzip
import re

LEAST_BYTES = 1 << 10
"""Shorter answers fit into one packet as they are."""
LEVEL, BEST = 5, 9
"""How hard answers are compressed while somebody waits, and files of the page."""
LARGE_BYTES = 1 << 16
"""Answers of so many bytes take milliseconds to compress: a thread does it."""
QUALITY = re.compile(r";\s*q=([01](?:\.\d{0,3})?)\s*$", re.IGNORECASE)


def accepts_gzip(header: str) -> bool:
    """Return whether a client takes gzip, by its header Accept-Encoding.

    >>> accepts_gzip("br, gzip"), accepts_gzip("gzip;q=0, *"), accepts_gzip("*;q=0.5"), accepts_gzip("")
    (True, False, True, False)
    """
    qualities: dict[str, float] = {}
    for part in header.lower().split(","):
        name, _, _ = part.partition(";")
        found = QUALITY.search(part)
        qualities[name.strip()] = float(found[1]) if found else 1.0
    return qualities.get("gzip", qualities.get("x-gzip", qualities.get("*", 0.0))) > 0


def gzipped(content: bytes, level: int = LEVEL) -> bytes:
    """Return the content compressed; the same bytes each time, since an entity tag is about them.

    >>> len(gzipped(b"dog " * 1000)) < 100
    True
    """
    return gzip.compress(content, level, mtime=0)
