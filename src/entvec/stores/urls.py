"""URLs of databases: which kind of store they name, and how they are shown without their passwords."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from entvec.errors import InvalidInput


class StoreKind(NamedTuple):
    """A row of the table of databases."""

    module: str
    """Its function `open(url, name)` returns a `Store`."""
    urls: tuple[str, ...] = ()
    """The forms of its URLs, for messages."""
    title: str = ""
    needs: str = ""
    """The packages that the module imports, as pip calls them."""
    extra: str = ""
    """The extra of entvec that has these packages."""


_POSTGRES = StoreKind(
    "entvec.stores.postgres",
    ("postgresql://USER@HOST/DATABASE", "postgresql:FOLDER"),
    "PostgreSQL",
    needs="psycopg[binary] pgvector",
    extra="postgres",
)
_MILVUS = StoreKind(
    "entvec.stores.milvus", ("milvus://HOST:PORT", "milvus:FILE.db"), "Milvus", needs="pymilvus", extra="milvus"
)
STORES = {"postgresql": _POSTGRES, "postgres": _POSTGRES, "milvus": _MILVUS, "milvus+https": _MILVUS}
"""The databases, by the schemes of their URLs; a further database is a further row."""
HIDDEN = "***"
SECRETS = ("password", "sslpassword", "token")
ANY_URL = re.compile(r"([a-z][a-z0-9+.-]+):[/\\]", re.IGNORECASE)
"""The beginning of a URL, with one / if it was normalised as a path. C:/ is a drive."""


def expected_urls() -> str:
    """Return the forms that the URL of a database may have, for messages."""
    *others, last = dict.fromkeys(form for kind in STORES.values() for form in kind.urls)
    return f"{', '.join(others)} or {last}"


def url_and_name(text: str) -> tuple[str, str]:
    """Return the URL of a database, and the name of a space in it, which stands after a #.

    >>> url_and_name("postgresql:words#old"), url_and_name("postgresql:words")
    (('postgresql:words', 'old'), ('postgresql:words', 'entvec'))
    """
    url, sign, name = text.rpartition("#")
    if not sign or "@" in name:  # that # is in a password, which no message may show
        return text, "entvec"
    return url, name


def is_url(text: str) -> bool:
    """Return whether a text is the URL of a database.

    >>> is_url("postgresql:words"), is_url("words"), is_url("C:words")
    (True, False, False)
    """
    scheme, colon, _ = text.partition(":")
    return bool(colon) and scheme in STORES


def shown_url(url: str) -> str:
    """Return a URL without its passwords, for messages.

    >>> shown_url("postgresql://me:secret@example.org/words")
    'postgresql://me:***@example.org/words'

    If the URL is malformed, more than the password may be hidden.
    """
    # The // may be missing, or be one / if the URL was taken for a path.
    hidden = re.sub(r"(://|^[\w+.-]+:/?)([^:/@?]*):.*@", rf"\1\2:{HIDDEN}@", url, flags=re.DOTALL)
    if not is_url(hidden):  # the scheme may be missing too
        hidden = re.sub(r"(^|[/\\])([^:/\\@?]*):(?!/).*@", rf"\1\2:{HIDDEN}@", hidden, flags=re.DOTALL)
    return re.sub(rf"\b({'|'.join(SECRETS)})=[^&]*", rf"\1={HIDDEN}", hidden, flags=re.IGNORECASE)


def url_without_password(url: str) -> str:
    """Return the URL without its passwords, so that it works where they come from the environment.

    >>> url_without_password("postgresql://me:secret@example.org/words?password=secret&sslmode=require")
    'postgresql://me@example.org/words?sslmode=require'
    """
    shown = shown_url(url).replace(f":{HIDDEN}@", "@")
    left = re.sub(rf"\b({'|'.join(SECRETS)})={re.escape(HIDDEN)}&?", "", shown, flags=re.IGNORECASE)
    return left if left == shown else left.rstrip("?&")


def check_folder(path: str | Path) -> None:
    """Raise InvalidInput if the URL of a database is given as a folder; the message hides its password."""
    text = str(path)
    if os.path.isdir(text):  # noqa: PTH112 - Path.is_dir fails for a long text
        return
    shown = shown_url(re.sub(r":/(?=[^/])", "://", text, count=1) if "://" not in text else text)
    if is_url(text):
        raise InvalidInput(f"{shown!r:.80} is a database, expected a folder; EntailmentSpace.open asks a database")
    if scheme := ANY_URL.match(text):
        raise InvalidInput(f"{shown!r:.80}: there is no kind of database {scheme[1]!r:.40}, expected {expected_urls()}")
    if shown_url(text) != text:
        raise InvalidInput(
            f"{shown!r:.80} is no folder, and does not say which kind of database: expected {expected_urls()}"
        )


def check_local(url: str) -> None:
    """Raise InvalidInput for a new file whose name shows that something else was meant.

    An @ in its path is that of a server whose // was forgotten. A suffix such as .txt is that of another kind of file.
    """
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
    forms = STORES[scheme].urls
    suffix = Path(forms[-1]).suffix if forms else ""
    if suffix and path.suffix not in ("", suffix) and not os.path.isdir(path):  # noqa: PTH112 - as above
        raise InvalidInput(f"{url!r:.80} would be a database in a file of another kind, expected {' or '.join(forms)}")
