"""URLs of databases: which kind of store they name, and how they are shown without their passwords."""

from __future__ import annotations

import re

STORES: dict[str, str] = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "milvus": "milvus",
    "milvus+https": "milvus",
}
"""The module of a store here, by the scheme of its URLs."""
HIDDEN = "***"
SECRETS = ("password", "sslpassword", "token")


def is_url(text: str) -> bool:
    """Whether a text names a database, and no folder.

    >>> is_url("postgresql:words"), is_url("words"), is_url("C:words")
    (True, False, False)
    """
    scheme, colon, _ = text.partition(":")
    return bool(colon) and scheme in STORES


def shown_url(url: str) -> str:
    """A URL without the passwords in it, for messages.

    >>> shown_url("postgresql://me:secret@example.org/words")
    'postgresql://me:***@example.org/words'

    Where a password was not written as a URL must have it, more is hidden than needed rather than less.
    """
    hidden = re.sub(r"://([^:/@?]*):.*@", rf"://\1:{HIDDEN}@", url, flags=re.DOTALL)
    return re.sub(rf"\b({'|'.join(SECRETS)})=[^&]*", rf"\1={HIDDEN}", hidden, flags=re.IGNORECASE)
