"""A connection to Milvus, a server or the embedded engine in this process, whose errors are one line each.

milvus://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]    a server; milvus+https:// one behind TLS
milvus:FILE.db                                       the embedded engine, with its data there

What a URL does not tell comes from the environment: MILVUS_PASSWORD for its user, or MILVUS_TOKEN, or MILVUS_USER with
MILVUS_PASSWORD.
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

from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.stores.urls import shown_url

PORT = 19530
CONNECTING = 5.0
"""For so many seconds a server is waited for."""
WITHOUT_PINGS = {"grpc.keepalive_time_ms": (1 << 31) - 1}
"""The embedded engine ends a connection that asks every ten seconds whether it is there while it is at work."""
RETRIES = 6
"""How often a call that did not reach a server is made again, after pauses of 0.01 to 3 s."""
UNREACHABLE, NO_DATABASE, NOT_ALLOWED = 2, 800, 1400
"""Codes of errors."""
NO_SPACE = ("no space left", "disk quota", "disk full", "file too large")
MADE_FIRST, MADE_LAST = {"collections", "databases"}, {"collections", "LOCK"}
"""What a folder of the embedded engine has in it, when it is begun and always."""
RETRIED = re.compile(r"\[\w+\] Retry run out of \d+ retry times, message=")
"""What the client puts before the message of Milvus."""
SHOWN = 300
"""How many letters of what Milvus says are told."""

_asking: ContextVar[bool] = ContextVar("asking Milvus", default=False)
_embedded: Counter[str] = Counter()
"""How many connections of this process have which file open."""
_lock = threading.Lock()


class Refused(StoreError):
    """Something that Milvus answered with an error, of which its code and its own first line are kept."""

    def __init__(self, where: str, problem: str, code: int, reason: str) -> None:
        super().__init__(where, problem)
        self.code = code
        self.reason = reason


class _Server(NamedTuple):
    """What a URL says of a server."""

    uri: str
    token: str
    database: str


class Connection:
    """A client of Milvus; methods of the client are called by name."""

    def __init__(self, url: str) -> None:
        self.where = shown_url(url)
        library()
        scheme, _, rest = url.partition(":")
        self.path = None if rest.startswith("//") else Path(rest).expanduser().absolute()
        self._server = None if self.path is not None else _server(url, secure=scheme == "milvus+https")
        self._client: Any = None
        if self.path is not None and (not rest or not self.path.parent.is_dir()):
            raise StoreError(self.where, f"there is no folder {str(self.path.parent)!r} for the file; make it first")
        if self.path is None or _is_there(self.where, self.path):
            self._connect()

    @property
    def anything(self) -> bool:
        """Whether there is anything to be asked: a file that is not there is made when something is written."""
        return self._client is not None

    def ask(self, method: str, *args: Any, **options: Any) -> Any:
        """What a method of the client returns."""
        if self._client is None:
            self._connect()
        with self._told():
            # What the embedded engine cannot do, it cannot do the next time.
            return getattr(self._client, method)(*args, retry_times=RETRIES if self.path is None else 0, **options)

    def close(self) -> None:
        """Let the connection go; the last one of an embedded engine ends it."""
        client, self._client = self._client, None
        if client is None:
            return
        try:
            client.close()
        finally:
            self._leave()

    def _leave(self) -> None:
        """End the embedded engine, if no other connection of this process uses it."""
        if self.path is None:
            return
        with _lock:
            _embedded[str(self.path)] -= 1
            if not _embedded[str(self.path)]:
                _engines().release_server(str(self.path))

    def _connect(self) -> None:
        server = self._server or self._start()
        try:
            with self._told():
                # A connection of its own: shared ones are told apart by their address, and ports come again.
                self._client = library().MilvusClient(
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
        """The embedded engine, started if it does not run in this process yet."""
        path = str(self.path)
        with _lock, _quiet():
            uri = _engines().start_and_get_uri(path)
            if uri is None:
                raise StoreError(self.where, _why_not(path))
            _embedded[path] += 1
        return _Server(uri, "", "")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the client become ours."""
        try:
            with _quiet():
                yield
        except _errors() as error:
            raise self._trouble(*_said(error)) from None

    def _trouble(self, code: int, said: str) -> Refused:
        reason = " ".join(said.split())
        low = said.lower()
        if any(each in low for each in NO_SPACE):
            problem = "there is no space left for Milvus; free some and export again, the version before still serves"
        elif code == NOT_ALLOWED or "auth check failure" in low or "unauthenticated" in low:
            problem = (
                "Milvus refuses the user or the password; give them in the URL (milvus://USER:PASSWORD@HOST), or set "
                "MILVUS_USER and MILVUS_PASSWORD, or MILVUS_TOKEN"
            )
        elif code == NO_DATABASE or re.search(r"database(:\S+)? not found", low):
            problem = "there is no such database; create it, or leave it out of the URL"
        elif code == UNREACHABLE:
            problem = (
                f"Milvus cannot be reached within {CONNECTING:g} s; is it running, are host and port right "
                f"({PORT} is the usual one), and does it want milvus+https?"
            )
        else:
            problem = f"Milvus says: {reason[:SHOWN]}"
        return Refused(self.where, problem, code, said.partition("\n")[0])


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


# Libraries


@cache
def library() -> Any:
    """The library pymilvus."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of what it imports, on newer versions of Python
            import pymilvus
    except ImportError:
        raise MissingExtra("a space in Milvus", needs="pymilvus", extra="milvus") from None
    # It prints each error with a traceback before raising it; ours are told once, as errors.
    for name in ("pymilvus", "pymilvus.milvus_client"):
        for handler in logging.getLogger(name).handlers:
            handler.addFilter(lambda _: not _asking.get())
    return pymilvus


@cache
def _engines() -> Any:
    """What starts the engines of milvus-lite, and ends them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            import_module("milvus_lite.adapter.grpc")  # or it would be imported, and warn, when an engine starts
            from milvus_lite.server_manager import server_manager_instance
    except ImportError:
        raise MissingExtra("a space in a file of Milvus", needs="milvus-lite", extra="milvus") from None
    logging.getLogger("milvus_lite").addHandler(logging.NullHandler())
    return server_manager_instance


def _is_there(where: str, path: Path) -> bool:
    """Whether the embedded engine has data here; looked at first, since it would make its own in any folder."""
    if not path.is_dir():
        return path.exists()
    names = {each.name for each in path.iterdir()}
    if names >= MADE_LAST:
        return True
    if names - MADE_FIRST:
        raise StoreError(where, "the folder has other things in it, expected what milvus-lite 3 made; name a new one")
    return False


def _why_not(path: str) -> str:
    """Why the embedded engine does not start: it only writes that to its log."""
    import milvus_lite
    from milvus_lite.exceptions import DataDirLockedError

    try:
        with milvus_lite.MilvusLite(path):
            return "the embedded engine of Milvus does not start; try again"
    except DataDirLockedError:
        return "another process has it open; end that one, or use a Milvus server, which many can share"
    except (FileExistsError, NotADirectoryError):
        return "it is a file of something else, expected what milvus-lite 3 made, or nothing; choose another name"
    except Exception as error:  # noqa: BLE001 - whatever the engine raises
        return f"the embedded engine of Milvus cannot open it: {' '.join(str(error).split())[:SHOWN]}"


# Errors


def _errors() -> tuple[type[Exception], ...]:
    """What the client raises."""
    import grpc

    return library().MilvusException, grpc.RpcError


def _said(error: BaseException) -> tuple[int, str]:
    """The code of an error, and what it says; that of the connection tells more, if it is behind the client's own."""
    import grpc

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
    before = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(before)
