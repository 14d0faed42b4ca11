"""Everything that depends on uvicorn, some of it on parts that uvicorn does not document.

uvicorn has no option for limits of bytes and time of a request, for the body of a 400 response, or for reading requests
that are still on their way when the server stops. So this module overrides methods of its HTTP protocol, which uses
the parser httptools (never h11), and of its server.
`tests/explore/test_uvicorn_adapter.py` lists what it relies on and says what breaks if uvicorn changes it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from typing import Any, Literal, cast

import orjson
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from entvec.explore.http_errors import HttpError
from entvec.explore.limits import DISCARDED, Limits, Slots, client_of
from entvec.explore.response_headers import HEADERS

DRAIN_SECONDS = 0.3
"""A server that stops reads its open connections for this long: a request may be on its way."""
GRACE_SECONDS = 60
"""For the answers to the requests that it has read it waits this long in all; then it stops what is still computed."""
IDLE_SECONDS = 15
"""A connection without a request is closed after this time."""
BACKLOG = 1024
PROBE_SECONDS = 0.5
"""If a client sends no more, the server checks this often whether it still waits for its answer."""
PART_BYTES = 1 << 12
"""Bytes are parsed in parts of this size, so that hundreds of short requests cannot be parsed at once."""


class _FlowControl(FlowControl):
    """Pauses and resumes a connection; `held` keeps it paused, whatever a request asks for."""

    held = False

    def resume_reading(self) -> None:
        """Read on, unless the connection is held."""
        if not self.held:
            super().resume_reading()


class HttpProtocol(HttpToolsProtocol):
    """A connection with limits of bytes and time for each request, from its first byte to its last.

    They also hold when the response is out before the request has ended. Requests that are sent before the last one
    is answered wait unparsed, and a response must be read in time. What is not HTTP is refused with the JSON of the
    API.
    """

    flow: _FlowControl
    url: bytes = b""
    _reading: Literal["nothing", "head", "body"] = "nothing"
    _n_begun = 0
    _n_bytes = 0
    """Bytes of the request that is being read."""
    _n_control = 0
    """Bytes of its head, or since the last byte of its body: trailers, or extensions of a chunk."""
    _unparsed = b""
    _read_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _probe_timer: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, limits: Limits, connections: Slots, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.limits, self._connections, self._slot = limits, connections, ExitStack()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer: a request should follow."""
        super().connection_made(transport)
        self.flow = _FlowControl(transport)
        transport.set_write_buffer_limits(0)  # so that `pause_writing` tells of every byte that is not sent
        self._start_read_timer()
        try:
            self._slot.enter_context(self._connections.slot(client_of(self.client[0] if self.client else "")))
        except HttpError as error:
            self._refuse(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._slot.close()
        for timer in (self._read_timer, self._write_timer, self._probe_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived."""
        self._unparsed += data
        self._parse()

    def _parse(self) -> None:
        """Parse bytes in parts, until a request has to wait for the answer to another; the rest waits as bytes."""
        while self._unparsed and not self.pipeline and not self.transport.is_closing():
            part, self._unparsed = self._unparsed[:PART_BYTES], self._unparsed[PART_BYTES:]
            before = self._n_begun
            super().data_received(part)
            if self._reading != "nothing" and self._n_begun == before:  # else some bytes are of an earlier request
                self._count(len(part))
            elif self._reading == "nothing" and (self.cycle is None or self.cycle.response_complete):
                self._start_read_timer()  # a request should follow
        if self._unparsed:
            self.flow.held = True
            self.flow.pause_reading()

    def _count(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        self._n_control += n_bytes
        most = self.limits.head_bytes + DISCARDED * self.limits.body_bytes
        if self._n_control > self.limits.head_bytes:
            self._refuse_head()
        elif self._n_bytes > most:
            self._refuse(HttpError(413, "too_large", f"the request has more than {most:,} bytes; send it in parts"))

    def on_response_complete(self) -> None:
        """Go on with the bytes that have waited for this response."""
        self.flow.held = False
        super().on_response_complete()
        self._parse()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection open while a client that sends no more waits for its answer."""
        waiting = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        if waiting:
            self.cycle.keep_alive = False
            self._probe_timer = self.loop.call_later(PROBE_SECONDS, self._probe)
        return waiting

    def _probe(self) -> None:
        """Send an interim response: only this tells a client that has gone from one that sends no more but waits."""
        if self.transport.is_closing() or self.cycle.response_started:
            return
        if not self.pipeline and self.cycle.scope["http_version"] == "1.1":  # older clients do not know it
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._probe_timer = self.loop.call_later(PROBE_SECONDS, self._probe)

    def on_message_begin(self) -> None:
        """Start counting: these are the first bytes of a request."""
        super().on_message_begin()
        self._reading = "head"
        self._n_begun += 1
        self._n_bytes = self._n_control = 0
        self._start_read_timer()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; trailers, which come after the body, are dropped."""
        if self._reading == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Expect the body. An error here is one of the parser, which refuses the request with status 400."""
        if self.parser.get_http_version() not in ("1.0", "1.1"):
            raise ValueError("another version of HTTP")
        super().on_headers_complete()
        self._reading = "body"
        if self.parser.should_upgrade():  # the parser does not go on after an offer to speak another protocol
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Add a part of the body."""
        self._n_control = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop counting: the request is complete."""
        self._reading = "nothing"
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the timer: the client should read its response."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self.limits.response_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer: the client has read its response."""
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or an address that is too long for the parser."""
        if len(self.url) >= self.limits.head_bytes:
            self._refuse_head()
        else:
            self._refuse(HttpError(400, "invalid", f"{msg.rstrip('.')}: expected HTTP/1.1"))

    def _start_read_timer(self) -> None:
        if self._read_timer is None:
            self._read_timer = self.loop.call_later(self.limits.head_seconds, self._time_out)

    def _time_out(self) -> None:
        if self._reading == "nothing":  # no request has begun, so there is nothing to answer
            self.transport.close()
        elif self._reading == "head":
            message = f"the headers did not arrive within {self.limits.head_seconds:g} seconds; send the request again"
            self._refuse(HttpError(408, "too_slow", message))
        else:
            self._read_timer = self.loop.call_later(self.limits.body_seconds, self._time_out_body)

    def _time_out_body(self) -> None:
        message = f"the request did not arrive within {self.limits.body_seconds:g} seconds; send it again"
        self._refuse(HttpError(408, "too_slow", message))

    def _refuse_head(self) -> None:
        message = f"address and headers, or trailers, have more than {self.limits.head_bytes:,} bytes"
        self._refuse(HttpError(431, "too_large", message))

    def _refuse(self, error: HttpError) -> None:
        """Send the error and close: there is no telling where the next request would begin."""
        if self.transport.is_closing():
            return
        self._unparsed, self.flow.held = b"", True
        self.flow.pause_reading()
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if self._reading != "body" or self.pipeline or cycle.response_started:
                cycle.keep_alive = False  # the answers to earlier requests come first, and then the connection ends
                return
            cycle.disconnected = True
            cycle.message_event.set()
        if self._reading != "body" or cycle.disconnected:  # else the request has its response
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
    on_start, on_stop, on_give_up
        Called when the server listens, when it begins to stop, and when it waits no longer for what is still computed.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        on_start: Callable[[], None],
        on_stop: Callable[[], None],
        on_give_up: Callable[[], None],
    ) -> None:
        connections = Slots("connections", limits.connections, limits.connections_per_client)
        self._protocol = partial(HttpProtocol, limits=limits, connections=connections)
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
            timeout_graceful_shutdown=GRACE_SECONDS + 1,
        )
        super().__init__(config)
        self._on_start, self._on_stop, self._on_give_up = on_start, on_stop, on_give_up

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
        loop.call_later(GRACE_SECONDS, self._on_give_up)
        await asyncio.sleep(DRAIN_SECONDS)
        await super().shutdown(sockets)


def plain_server(app: ASGIApp, on_start: Callable[[], None]) -> uvicorn.Server:
    """Return a server without limits of its own, for an application that has a lifespan, such as that of MCP.

    Parameters
    ----------
    app
        The ASGI application.
    on_start
        Called when the server listens.
    """

    class Notifying(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            on_start()

    return Notifying(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=3))


def _accept_queued(listening: socket.socket) -> Iterator[socket.socket]:
    """Accept the connections that wait in the queue of the operating system."""
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        connection.settimeout(0)
        yield connection
