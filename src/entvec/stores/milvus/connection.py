"""Connections to Milvus, a server or the embedded engine in this process; each error is one line.

milvus://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]    a server; milvus+https:// one behind TLS
milvus:FILE.db                                       the embedded engine, with its data in this file

Credentials that a URL lacks come from the environment: MILVUS_PASSWORD for the user of the URL, or MILVUS_TOKEN, or
MILVUS_USER with MILVUS_PASSWORD.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import grpc

from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.stores.contract import CLOSED
from entvec.stores.urls import shown_url

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of its dependencies, on newer versions of Python
    import pymilvus

PORT = 19530
CONNECTING = 5.0
"""The seconds to wait for a server."""
WITHOUT_PINGS = {"grpc.keepalive_time_ms": (1 << 31) - 1}
"""The embedded engine closes connections that send keepalive pings every ten seconds while it works."""
RETRIES = 6
"""How often a call that did not reach a server is repeated, after pauses of 0.01 to 3 s."""
UNREACHABLE, NO_DATABASE, NOT_ALLOWED = 2, 800, 1400
"""Error codes."""
NO_SPACE = ("no space left", "disk quota", "disk full", "file too large")
MADE_FIRST, MADE_LAST = {"collections", "databases"}, {"collections", "LOCK"}
"""The content of a folder of the embedded engine: while it is being made, and always."""
RETRIED = re.compile(r"\[\w+\] Retry run out of \d+ retry times, message=")
"""What the client puts before a message of Milvus."""
SHOWN = 300
"""How many letters of a message of Milvus are shown."""

_calling: ContextVar[bool] = ContextVar("calling Milvus", default=False)
_embedded: Counter[str] = Counter()
"""The number of connections of this process to each file."""
_lock = threading.Lock()
# The library logs each error with a traceback before raising it.
for _name in ("pymilvus", "pymilvus.milvus_client"):
    for _handler in logging.getLogger(_name).handlers:
        _handler.addFilter(lambda _: not _calling.get())


class _Server(NamedTuple):
    """The address of a server, and the credentials for it."""

    uri: str
    token: str
    database: str


class Connection:
    """A client of Milvus, whose methods are called by name."""

    def __init__(self, url: str) -> None:
        self.where = shown_url(url)
        scheme, _, rest = url.partition(":")
        self.path = None if rest.startswith("//") else Path(rest).expanduser().absolute()
        self._server = None if self.path is not None else _server(url, secure=scheme == "milvus+https")
        self._client: Any = None
        self._closed = False
        if self.path is not None and (not rest or not self.path.parent.is_dir()):
            raise StoreError(self.where, f"there is no folder {str(self.path.parent)!r} for the file; make it first")
        if self.path is None or _is_there(self.where, self.path):
            self._connect()

    @property
    def embedded(self) -> bool:
        """Whether Milvus is the embedded engine."""
        return self.path is not None

    @property
    def exists(self) -> bool:
        """Whether there is a database. A file is created by the first write."""
        return self._client is not None or self._closed

    def call(self, method: str, *args: Any, **options: Any) -> Any:
        """Call a method of the client."""
        if self._client is None:
            self._connect()
        with self._translating_errors():
            # Retrying does not help the embedded engine.
            return getattr(self._client, method)(*args, retry_times=RETRIES if self.path is None else 0, **options)

    def close(self) -> None:
        """Close the connection; the last one stops the embedded engine."""
        client, self._client, self._closed = self._client, None, True
        if client is None:
            return
        try:
            client.close()
        finally:
            self._leave()

    def _leave(self) -> None:
        """Stop the embedded engine, unless another connection of this process uses it."""
        if self.path is None:
            return
        with _lock:
            _embedded[str(self.path)] -= 1
            if not _embedded[str(self.path)]:
                _engines().release_server(str(self.path))

    def _connect(self) -> None:
        if self._closed:
            raise StoreError(self.where, CLOSED)
        server = self._server or self._start()
        try:
            with self._translating_errors():
                # The client would share connections by address, and an engine may reuse the port of an earlier one.
                self._client = pymilvus.MilvusClient(
                    server.uri,
                    token=server.token,
                    db_name=server.database,
                    timeout=CONNECTING,
                    dedicated=True,
                    grpc_options={} if self.path is None else WITHOUT_PINGS,
                )
        finally:
            if self._client is None:
                self._leave()

    def _start(self) -> _Server:
        """Start the embedded engine, unless it runs in this process."""
        path = str(self.path)
        with _lock, _quiet():
            uri = _engines().start_and_get_uri(path)
            if uri is None:
                raise StoreError(self.where, _why_not(path))
            _embedded[path] += 1
        return _Server(uri, "", "")

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        """Turn an error of the client into a StoreError: one line that says what to do."""
        try:
            with _quiet():
                yield
        except (pymilvus.MilvusException, grpc.RpcError) as error:
            raise StoreError(self.where, _problem(*_code_and_message(error))) from None


def _server(url: str, *, secure: bool) -> _Server:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or "/" in parts.path.strip("/") or parts.query or parts.fragment:
        raise InvalidInput(
            f"{shown_url(url)!r:.80} is no URL of Milvus, expected milvus://USER:PASSWORD@HOST:PORT/DATABASE, of which "
            "only the host is needed, or milvus:FILE.db"
        )
    shown = f"[{host}]" if ":" in host else host
    uri = f"{'https' if secure else 'http'}://{shown}:{port or (443 if secure else PORT)}"
    token = _token(shown_url(url), unquote(parts.username or ""), unquote(parts.password or ""))
    return _Server(uri, token, unquote(parts.path.strip("/")))


def _token(shown: str, user: str, password: str) -> str:
    password = password or os.environ.get("MILVUS_PASSWORD", "")
    if user and not password:
        raise InvalidInput(f"{shown!r:.80} has a user and no password; set MILVUS_PASSWORD, or give it in the URL")
    if not user and (token := os.environ.get("MILVUS_TOKEN", "")):
        return token
    user = user or os.environ.get("MILVUS_USER", "")
    return f"{user}:{password}" if user and password else ""


# The embedded engine


@cache
def _engines() -> Any:
    """Return the object that starts and stops the engines of milvus-lite."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            import_module("milvus_lite.adapter.grpc")  # otherwise it would be imported, and warn, when an engine starts
            from milvus_lite.server_manager import server_manager_instance
    except ImportError:
        raise MissingExtra("a space in a file of Milvus", needs="milvus-lite", extra="milvus") from None
    logging.getLogger("milvus_lite").addHandler(logging.NullHandler())
    return server_manager_instance


def _is_there(where: str, path: Path) -> bool:
    """Return whether the embedded engine has data here; raise an error for another folder, into which it would
    write.
    """
    if not path.is_dir():
        return path.exists()
    names = {each.name for each in path.iterdir()}
    if names >= MADE_LAST:
        return True
    if names - MADE_FIRST:
        raise StoreError(where, "the folder has other things in it, expected what milvus-lite 3 made; name a new one")
    return False


def _why_not(path: str) -> str:
    """Return why the embedded engine does not start; it only writes the reason to its log."""
    import milvus_lite
    from milvus_lite.exceptions import DataDirLockedError

    try:
        with milvus_lite.MilvusLite(path):
            return "the embedded engine of Milvus does not start; try again"
    except DataDirLockedError:
        return "another process has it open; end that one, or use a Milvus server, which many can share"
    except (FileExistsError, NotADirectoryError):
        return "it is a file of something else, expected what milvus-lite 3 made, or nothing; choose another name"
    except Exception as error:  # noqa: BLE001 - the engine has no base class of errors
        return f"the embedded engine of Milvus cannot open it: {' '.join(str(error).split())[:SHOWN]}"


# Errors


def _problem(code: int, message: str) -> str:
    low = message.lower()
    if any(each in low for each in NO_SPACE):
        return "there is no space left for Milvus; free some and export again, the version before still serves"
    if code == NOT_ALLOWED or "auth check failure" in low or "unauthenticated" in low:
        return (
            "Milvus refuses the user or the password; give them in the URL (milvus://USER:PASSWORD@HOST), or set "
            "MILVUS_USER and MILVUS_PASSWORD, or MILVUS_TOKEN"
        )
    if code == NO_DATABASE or re.search(r"database(:\S+)? not found", low):
        return "there is no such database; create it, or leave it out of the URL"
    if code == UNREACHABLE:
        return (
            f"Milvus cannot be reached within {CONNECTING:g} s; is it running, are host and port right "
            f"({PORT} is the usual one), and does it want milvus+https?"
        )
    return f"Milvus says: {' '.join(message.split())[:SHOWN]}"


def _code_and_message(error: BaseException) -> tuple[int, str]:
    """Return the code and the message of an error, or of the connection error that caused it."""
    lost = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    refused = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
    behind = next(
        (each for each in (error, error.__cause__, error.__context__) if isinstance(each, grpc.RpcError)), None
    )
    status = behind.code() if behind is not None and hasattr(behind, "code") else None
    if status in lost or status in refused:
        return UNREACHABLE if status in lost else NOT_ALLOWED, str(status)
    if isinstance(error, grpc.RpcError):
        return -1, str(error.details() if hasattr(error, "details") else error)
    return int(getattr(error, "code", -1)), RETRIED.sub("", str(getattr(error, "message", error)))


@contextmanager
def _quiet() -> Iterator[None]:
    before = _calling.set(True)
    try:
        yield
    finally:
        _calling.reset(before)
