"""Everything that depends on uvicorn, some of it on parts that uvicorn does not document.

uvicorn has no option for a time limit of request heads, for the body of a 400 response, or for reading requests that
are still on their way when the server stops. So this module overrides methods of its HTTP protocol and of its server.
`tests/explore/test_uvicorn_adapter.py` lists what it relies on and says what breaks if uvicorn changes it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import orjson
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from entvec.explore.http_errors import HttpError
from entvec.explore.limits import Limits
from entvec.explore.response_headers import HEADERS

DRAIN_SECONDS = 0.3
"""A server that stops reads its open connections for this long: a request may be on its way."""
GRACE_SECONDS = 60
"""Then it waits this long for the answers to the requests that it has read."""
IDLE_SECONDS = 15
"""A connection without a request is closed after this time."""
BACKLOG = 1024


class HttpProtocol(HttpToolsProtocol):
    """A connection with limits for the request head; it refuses what is not HTTP with the JSON of the API."""

    url: bytes = b""
    _timer: asyncio.TimerHandle | None = None
    _n_heads: int = 0
    _n_bytes: int | None = None
    """The bytes of a head that has begun and is not complete."""

    def __init__(self, *arguments: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.limits = limits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer: a request should follow."""
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed bytes to the HTTP parser; count those of the request head."""
        inside_body = self.cycle is not None and self.cycle.more_body
        before = self._n_heads
        super().data_received(data)
        pipelined = self._n_heads - before + inside_body > 1  # some of the bytes belong to an earlier request
        if self._n_bytes is not None and not pipelined and not self.transport.is_closing():
            self._n_bytes += len(data)
            if self._n_bytes > self.limits.head_bytes:
                self._refuse_head()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection open while a client that sends no more waits for its answer."""
        waiting = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        if waiting:
            self.cycle.keep_alive = False
        return waiting

    def on_message_begin(self) -> None:
        """Start counting: these are the first bytes of a request."""
        super().on_message_begin()
        self._n_heads += 1
        self._n_bytes = 0
        self._start_timer()

    def on_headers_complete(self) -> None:
        """Stop counting: the head is complete."""
        self._n_bytes = None
        self._stop_timer()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or an address that is too long for the parser."""
        if len(self.url) >= self.limits.head_bytes:
            self._refuse_head()
        else:
            self._refuse(HttpError(400, "invalid", f"{msg.rstrip('.')}: expected HTTP/1.1"))

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.limits.head_seconds, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self._n_bytes is None:  # no request has begun, so there is nothing to answer
            self.transport.close()
        else:
            message = f"the headers did not arrive within {self.limits.head_seconds:g} seconds; send the request again"
            self._refuse(HttpError(408, "too_slow", message))

    def _refuse_head(self) -> None:
        message = f"address and headers have more than {self.limits.head_bytes:,} bytes"
        self._refuse(HttpError(431, "too_large", message))

    def _refuse(self, error: HttpError) -> None:
        """Send the error and close: there is no telling where the next request would begin."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and not self.cycle.response_complete:  # its answer would come after this one
            self.cycle.keep_alive = False
            return
        body = orjson.dumps(error.to_dict())
        headers: dict[str, Any] = {"content-type": "application/json", "content-length": len(body)}
        lines = [f"{name}: {value}" for name, value in (headers | HEADERS | {"connection": "close"}).items()]
        status = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}"
        self.transport.write("\r\n".join((status, *lines, "", "")).encode() + body)
        self.transport.close()


class Server(uvicorn.Server):
    """Stops in three steps: accept no new connections; read what is still being sent; answer what was read.

    Parameters
    ----------
    app
        The ASGI application.
    limits
        The limits of request heads.
    on_start, on_stop
        Called when the server listens, and when it begins to stop.
    """

    def __init__(self, app: ASGIApp, limits: Limits, on_start: Callable[[], None], on_stop: Callable[[], None]) -> None:
        self._protocol = partial(HttpProtocol, limits=limits)
        config = uvicorn.Config(
            app,
            http=cast("type[asyncio.Protocol]", self._protocol),
            loop="asyncio",
            proxy_headers=False,  # the address of a client is that of its connection, whatever its headers say
            log_level="error",  # the client gets the message about a bad request; the log stays quiet
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._on_start, self._on_stop = on_start, on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and call `on_start`."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop without losing a request that a client has sent."""
        self._on_stop()
        loop, listening = asyncio.get_running_loop(), sockets or []
        for each in listening:
            loop.remove_reader(each)
        for _ in range(3):
            await asyncio.sleep(0)  # connections that asyncio is accepting get their protocol
        queued = [connection for each in listening for connection in _accept_queued(each)]
        for server in self.servers:
            server.close()
        for each in listening:
            each.close()
        make = partial(self._protocol, self.config, self.server_state, self.lifespan.state)
        for connection in queued:
            await loop.connect_accepted_socket(make, connection)
        await asyncio.sleep(DRAIN_SECONDS)
        await super().shutdown(sockets)


def _accept_queued(listening: socket.socket) -> Iterator[socket.socket]:
    """Accept the connections that wait in the queue of the operating system."""
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        connection.settimeout(0)
        yield connection
