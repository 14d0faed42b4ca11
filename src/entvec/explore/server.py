"""The server: where it listens, and how it stops without losing a request that it has accepted."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from entvec.errors import InvalidInput
from entvec.explore.answers import Explorer
from entvec.explore.connection import Connection

DRAIN_SECONDS = 0.3
"""For how long open connections are still read after the door is closed: a request may be on its way."""
GRACE_SECONDS = 60
"""For how long requests that were read may take to be answered, then."""
IDLE_SECONDS = 15
"""After which a connection without a request is closed."""
BACKLOG = 1024


class Server(uvicorn.Server):
    """Stops in three steps: no new connections; what is still being sent is read; what was read is answered."""

    def __init__(self, config: uvicorn.Config, explorer: Explorer, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._explorer, self._tell_started = explorer, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and tell."""
        await super().startup(sockets)
        self._tell_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop without losing a request."""
        self._explorer.stopping = True  # answers now end their connections
        loop = asyncio.get_running_loop()
        for door in sockets or []:
            loop.remove_reader(door)
        for _ in range(3):
            await asyncio.sleep(0)  # whoever is on the way in gets there
        queue = [connection for door in sockets or [] for connection in _queueing(door)]
        for server in self.servers:
            server.close()
        for door in sockets or []:
            door.close()
        for connection in queue:
            await loop.connect_accepted_socket(self._connection, connection)
        await asyncio.sleep(DRAIN_SECONDS)
        await super().shutdown(sockets)
        self._explorer.close()

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """An end by a signal is an orderly one, so it is not raised again. Other threads get no signals."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _queueing(door: socket.socket) -> Iterator[socket.socket]:
    """Who has knocked and was not let in yet."""
    while True:
        try:
            connection, _ = door.accept()
        except OSError:
            return
        connection.settimeout(0)
        yield connection


def listen(host: str, port: int) -> socket.socket:
    """The socket to serve at; port 0 is any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no name of a machine"
        raise InvalidInput(f"host {host!r} is no address of this machine ({why}); try 127.0.0.1") from None
    found = socket.socket(family, kind, protocol)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen(BACKLOG)  # before the space is loaded: a port that is taken is told at once
    except OSError as error:
        found.close()
        raise InvalidInput(f"cannot listen at {host} port {port}: {error.strerror}; {_advice(error)}") from None
    return found


def _advice(error: OSError) -> str:
    if error.errno == errno.EADDRNOTAVAIL:
        return "this machine has no such address: try 127.0.0.1, or 0.0.0.0 for all that it has"
    return "--port 0 takes a port that is free"


def address(listening: socket.socket) -> str:
    """Where a browser finds what listens here."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/"


def serve(app: Starlette, listening: socket.socket, started: Callable[[], None] = lambda: None) -> None:
    """Answer requests until a signal says to stop."""
    explorer: Explorer = app.state.explorer
    config = uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        proxy_headers=False,  # a client is who it is, not who it says
        log_level="error",  # what is wrong with a request is told to whoever sent it
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    Server(config, explorer, started).run(sockets=[listening])
