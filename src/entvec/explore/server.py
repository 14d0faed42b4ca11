"""The server: listen at an address, and answer until a signal arrives."""

from __future__ import annotations

import errno
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from starlette.applications import Starlette

from entvec.errors import InvalidInput
from entvec.explore.service import Service
from entvec.explore.uvicorn_adapter import BACKLOG, Server


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes one that is free.

    Call it before a space is loaded, so that a port in use is an error at once.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no name of a machine"
        raise InvalidInput(f"host {host!r} is no address of this machine ({why}); try 127.0.0.1") from None
    found = socket.socket(family, kind, protocol)  # asyncio sends at once only if the protocol is named
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        advice = "--port 0 takes a port that is free"
        if error.errno == errno.EADDRNOTAVAIL:
            advice = "this machine has no such address: try 127.0.0.1, or 0.0.0.0 for all that it has"
        raise InvalidInput(f"cannot listen at {host} port {port}: {error.strerror}; {advice}") from None
    return found


def address(listening: socket.socket) -> str:
    """Return the address for a browser."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/"


def note_interrupts() -> Callable[[], None]:
    """Note Ctrl-C from now on, and return a function that raises KeyboardInterrupt again if there was one.

    A library that is imported meanwhile may swallow the exception, and the server would start all the same.
    """
    noted = False

    def interrupt(*_: object) -> None:
        nonlocal noted
        noted = True
        raise KeyboardInterrupt

    def heed() -> None:
        if noted:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody wants something else
        signal.signal(signal.SIGINT, interrupt)
    return heed


def serve(app: Starlette, listening: socket.socket, on_start: Callable[[], None] = lambda: None) -> None:
    """Answer requests until SIGINT or SIGTERM; then finish those that clients have sent.

    Example::

        serve(application(entvec.load()), listen("127.0.0.1", 8765))

    Parameters
    ----------
    app
        What `application` returned.
    listening
        What `listen` returned; it is closed at the end.
    on_start
        Called when the server is ready.
    """
    service: Service = app.state.service

    def on_stop() -> None:
        service.stopping = True  # responses now close their connections

    server = Server(app, service.limits, on_start, on_stop, service.give_up)
    gc.collect()
    gc.freeze()  # so that no collection looks at the space again, which would hold up all clients
    with stopped_by_signals(server):
        server.run(sockets=[listening])
    gc.unfreeze()
    service.close()


class Stoppable(Protocol):
    """A server that stops soon after `should_exit` has become true."""

    should_exit: bool


@contextmanager
def stopped_by_signals(server: Stoppable) -> Iterator[None]:
    """Let signals stop the server; uvicorn raises them again when it has stopped, and that must not end the process."""
    if threading.current_thread() is not threading.main_thread():  # which gets no signals
        yield
        return

    def stop(*_: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
