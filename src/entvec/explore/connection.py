"""One connection: what is said to bytes that are no request, and how long a request may take to begin."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from entvec.explore.headers import HEADERS
from entvec.explore.refusals import Refused

HEAD_BYTES = 1 << 16
"""Of a request before its body: the longest address and all headers."""
HEAD_SECONDS = 15.0
"""In which they must have arrived."""


class Connection(HttpToolsProtocol):
    """A connection that waits neither for ever nor for endless headers, and refuses in the words of the API."""

    head_seconds = HEAD_SECONDS
    _late: asyncio.TimerHandle | None = None
    _n_heads: int = 0
    _n_bytes: int | None = None
    """Of a head that has begun and is not complete."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected; something should follow."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes: the end of a head, or of none."""
        inside = self.cycle is not None and self.cycle.more_body
        before = self._n_heads
        super().data_received(data)
        behind = self._n_heads - before + inside > 1  # another request, so the bytes are not all of this head
        if self._n_bytes is not None and not behind and not self.transport.is_closing():
            self._n_bytes += len(data)
            if self._n_bytes > HEAD_BYTES:
                self._refuse(Refused(431, "too_large", f"address and headers have more than {HEAD_BYTES:,} bytes"))

    def eof_received(self) -> bool:  # type: ignore[override]
        """The other side sends no more, but may still listen."""
        waiting = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        if waiting:
            self.cycle.keep_alive = False
        return waiting  # whether the connection stays open until the answer is sent

    def on_message_begin(self) -> None:
        """The first bytes of a request."""
        super().on_message_begin()
        self._n_heads += 1
        self._n_bytes = 0
        self._wait()

    def on_headers_complete(self) -> None:
        """A request is there, but for its body."""
        self._n_bytes = None
        self._stop_waiting()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """What is no request."""
        self._refuse(Refused(400, "invalid", f"{msg.rstrip('.')}: expected HTTP/1.1"))

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.head_seconds, self._too_late)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if self._n_bytes is None:  # nothing was asked, so nothing is said
            self.transport.close()
        else:
            message = f"the headers did not arrive within {self.head_seconds:g} seconds; send the request again"
            self._refuse(Refused(408, "too_slow", message))

    def _refuse(self, refused: Refused) -> None:
        """Tell, and hang up: nobody knows where the next request would begin."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and not self.cycle.response_complete:  # whose answer would stand behind this one
            self.cycle.keep_alive = False
            return
        body = orjson.dumps(refused.to_dict())
        headers: dict[str, Any] = {"content-type": "application/json", "content-length": len(body)}
        lines = [f"{name}: {value}\r\n" for name, value in (headers | HEADERS | {"connection": "close"}).items()]
        self.transport.write(STATUS_LINE[refused.status] + "".join(lines).encode() + b"\r\n" + body)
        self.transport.close()
