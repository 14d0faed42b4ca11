"""URLs of databases: which kind of store they name, and how they are shown without their passwords."""

from __future__ import annotations

import os
import re
from pathlib import Path

from entvec.errors import InvalidInput

STORES: dict[str, str] = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "milvus": "milvus",
    "milvus+https": "milvus",
}
"""The module of a store here, by the scheme of its URLs."""
HIDDEN = "***"
SECRETS = ("password", "sslpassword", "token")
EXPECTED = "postgresql://USER@HOST/DATABASE, postgresql:FOLDER, milvus://HOST:PORT or milvus:FILE.db"
ANY_URL = re.compile(r"([a-z][a-z0-9+.-]+):[/\\]", re.IGNORECASE)
"""What begins like a URL, also after it was taken for a path, which leaves one / of two; C:/ is a drive."""


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
    # The // may be forgotten, or half of it lost where a URL was taken for a path.
    hidden = re.sub(r"(://|^[\w+.-]+:/?)([^:/@?]*):.*@", rf"\1\2:{HIDDEN}@", url, flags=re.DOTALL)
    if not is_url(hidden):  # the kind of database may be forgotten too
        hidden = re.sub(r"(^|[/\\])([^:/\\@?]*):(?!/).*@", rf"\1\2:{HIDDEN}@", hidden, flags=re.DOTALL)
    return re.sub(rf"\b({'|'.join(SECRETS)})=[^&]*", rf"\1={HIDDEN}", hidden, flags=re.IGNORECASE)


def url_without_password(url: str) -> str:
    """A URL that can be used again where the password comes from the environment.

    >>> url_without_password("postgresql://me:secret@example.org/words?password=secret&sslmode=require")
    'postgresql://me@example.org/words?sslmode=require'
    """
    shown = shown_url(url).replace(f":{HIDDEN}@", "@")
    left = re.sub(rf"\b({'|'.join(SECRETS)})={re.escape(HIDDEN)}&?", "", shown, flags=re.IGNORECASE)
    return left if left == shown else left.rstrip("?&")


def check_folder(path: str | Path) -> None:
    """Refuse the URL of a database in the place of a folder, without its password."""
    text = str(path)
    if os.path.isdir(text):  # noqa: PTH112 - Path.is_dir fails for a long text
        return
    shown = shown_url(re.sub(r":/(?=[^/])", "://", text, count=1) if "://" not in text else text)
    if is_url(text):
        raise InvalidInput(f"{shown!r:.80} is a database, expected a folder; EntailmentSpace.open asks a database")
    if scheme := ANY_URL.match(text):
        raise InvalidInput(f"{shown!r:.80}: there is no kind of database {scheme[1]!r:.40}, expected {EXPECTED}")
    if shown_url(text) != text:
        raise InvalidInput(f"{shown!r:.80} is no folder, and does not say which kind of database: expected {EXPECTED}")


def check_local(url: str) -> None:
    """Refuse a file or folder with an @ in it, which is a server whose // was forgotten, unless it is there."""
    scheme, _, rest = url.partition(":")
    if rest.startswith("//"):
        return
    path = Path(os.path.expanduser(rest))  # noqa: PTH111 - Path.expanduser fails for an unknown user
    if any("@" in each.name and not os.path.exists(each) for each in (path, *path.parents)):  # noqa: PTH110 - as above
        # What looks like a scheme may be a user, as in postgres:secret@host.
        shown = f"{scheme}:{HIDDEN}@{rest.rpartition('@')[2]}"
        raise InvalidInput(
            f"{shown!r:.80} would be a file or a folder with an @ in its name; a server is {scheme}://..."
        )
