"""One connection, byte by byte: what a client may send before, during and after its request, and for how long."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from entvec.explore import uvicorn_adapter
from entvec.explore.limits import DISCARDED, Limits, Slots
from entvec.explore.uvicorn_adapter import PART_BYTES, HttpProtocol

LIMITS = Limits(head_bytes=1 << 14, body_bytes=1 << 14, head_seconds=60, body_seconds=60, response_seconds=60)
HURRIED = Limits(head_seconds=0.02, body_seconds=0.02, response_seconds=0.02)
HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\n"
EARLY = b"POST /early HTTP/1.1\r\nhost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
LATE = threading.Event()
READ = 1 << 18
"""As much as asyncio reads at once."""


class Transport(asyncio.Transport):
    """Keeps what is written, and how it was told to read."""

    def __init__(self) -> None:
        super().__init__({"peername": ("10.0.0.1", 50000), "sockname": ("127.0.0.1", 8765)})
        self.written, self.closing, self.aborted, self.paused = b"", False, False, False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = self.aborted = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high == 0  # else bytes that are not sent would have no time limit

    @property
    def statuses(self) -> list[int]:
        return [int(answer[:3]) for answer in self.written.split(b"HTTP/1.1 ")[1:]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body and answers; under /early it answers first."""
    while scope["path"] != "/early":
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        if not message["more_body"]:
            break
    await asyncio.sleep(0)  # an answer takes time
    while scope["path"] == "/late" and not LATE.is_set():
        await asyncio.sleep(0.001)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def connected(limits: Limits = LIMITS, connections: Slots | None = None) -> tuple[HttpProtocol, Transport]:
    slots = connections or Slots("connections", 10, 10)
    config = uvicorn.Config(app, lifespan="off", log_level="error", timeout_keep_alive=3600)
    protocol = HttpProtocol(config, ServerState(), {}, limits=limits, connections=slots)
    transport = Transport()
    protocol.connection_made(transport)
    return protocol, transport


async def idle() -> None:
    """Let everything that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def closed(transport: Transport) -> None:
    """Wait for the end of the connection; only a hang takes so long."""
    async with asyncio.timeout(10):
        while not transport.closing:
            await asyncio.sleep(0.005)


def within_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(**given: Any) -> None:
        asyncio.run(test(**given))

    return run


async def flood(protocol: HttpProtocol, transport: Transport, again: bytes) -> int:
    """Send the same bytes for ever; returns how many were accepted before the connection was closed."""
    n_bytes = 0
    while not transport.closing:
        assert n_bytes < 20 * DISCARDED * LIMITS.body_bytes, "no end"
        protocol.data_received(again)
        n_bytes += len(again)
        await idle()
    return n_bytes


TRAILER = b"x: " + b"y" * 50 + b"\r\n"
ENDLESS = {
    "trailers": (CHUNKED + b"0\r\n", TRAILER * 20, 431),
    "one trailer": (CHUNKED + b"0\r\nx: ", b"y" * 1000, 431),
    "name of a trailer": (CHUNKED + b"0\r\n", b"y" * 1000, 431),
    "trailers after a body": (CHUNKED + b"2\r\nab\r\n0\r\n", TRAILER * 20, 431),
    "extension of a chunk": (CHUNKED + b"5;a=", b"y" * 1000, 431),
    "size of a chunk": (CHUNKED, b"0" * 1000, 431),
    "chunks of one byte": (CHUNKED, b"1\r\ny\r\n" * 200, 413),
    "chunks with extensions": (CHUNKED, b"1;" + b"y" * 900 + b"\r\ny\r\n", 413),
    "chunks": (CHUNKED, b"400\r\n" + b"y" * 1024 + b"\r\n", 413),
    "declared body": (b"content-length: 99999999999\r\n\r\n", b"y" * 1000, 413),
}


@pytest.mark.parametrize("name", ENDLESS)
@within_a_loop
async def test_an_endless_request_is_refused(name: str) -> None:
    first, again, status = ENDLESS[name]
    protocol, transport = connected()
    protocol.data_received(HEAD + first)
    await idle()
    n_bytes = await flood(protocol, transport, again)
    most = LIMITS.head_bytes if status == 431 else LIMITS.head_bytes + DISCARDED * LIMITS.body_bytes
    assert n_bytes <= most + 2 * PART_BYTES
    assert transport.statuses == [status]
    assert b'"error"' in transport.written
    assert len(protocol.headers) == 2
    assert sum(map(len, (protocol.cycle.body, transport.written))) < 4000
    protocol.connection_lost(None)


@pytest.mark.parametrize("name", ENDLESS)
@within_a_loop
async def test_an_endless_request_ends_after_its_response_too(name: str) -> None:
    first, again, _ = ENDLESS[name]
    protocol, transport = connected()
    protocol.data_received(EARLY + first)
    await idle()
    assert transport.statuses == [200]
    n_bytes = await flood(protocol, transport, again)
    assert n_bytes <= LIMITS.head_bytes + DISCARDED * LIMITS.body_bytes + 2 * PART_BYTES
    assert transport.statuses == [200]  # a second response would belong to nothing
    assert len(protocol.headers) == 2
    protocol.connection_lost(None)


@pytest.mark.parametrize("n_bytes", [1, 1000, LIMITS.body_bytes])
@within_a_loop
async def test_trailers_and_extensions_are_allowed(n_bytes: int) -> None:
    protocol, transport = connected()
    body = b"1;a=b\r\ny\r\n" * n_bytes if n_bytes < 2000 else b"%x\r\n" % n_bytes + b"y" * n_bytes + b"\r\n"
    for _ in range(2):  # on one connection
        protocol.data_received(HEAD + CHUNKED + body + b"0\r\n" + TRAILER * 3 + b"\r\n")
        await idle()
    assert transport.statuses == [200, 200]
    assert not transport.closing
    protocol.connection_lost(None)


@pytest.mark.parametrize("request_", [GET, HEAD + b"content-length: 2\r\n\r\n{}"], ids=["GET", "POST"])
@within_a_loop
async def test_pipelined_requests_wait_as_bytes(request_: bytes) -> None:
    protocol, transport = connected()
    n_requests, n_answered = READ // len(request_), 0
    protocol.data_received(request_ * n_requests)
    assert transport.paused
    while n_answered < n_requests:
        n_parsed = protocol._n_begun
        assert n_parsed - n_answered <= 2 * PART_BYTES / len(request_)
        for _ in range(20):
            await asyncio.sleep(0)
            assert transport.paused or not protocol._unparsed
        assert transport.written.count(b"ok") > n_answered, "no answer comes any more"
        n_answered = transport.written.count(b"ok")
    assert not transport.paused
    protocol.data_received(GET)
    await idle()
    assert transport.written.count(b"ok") == n_requests + 1
    protocol.connection_lost(None)


@within_a_loop
async def test_a_bad_request_behind_others_does_not_take_their_answers() -> None:
    protocol, transport = connected()
    protocol.data_received(GET * 3 + b"\x00\x01\r\n\r\n" + GET)
    await idle()
    assert transport.statuses == [200, 200, 200]
    assert transport.closing
    protocol.connection_lost(None)


BODY = b"POST / HTTP/1.1\r\nhost: localhost\r\n%b\r\n\r\n%b"
SMUGGLED = {
    "length and chunks": BODY % (b"content-length: 4\r\ntransfer-encoding: chunked", b"0\r\n\r\n" + GET),
    "chunks and length": BODY % (b"transfer-encoding: chunked\r\ncontent-length: 4", b"0\r\n\r\n" + GET),
    "two lengths": BODY % (b"content-length: 4\r\ncontent-length: 5", b"abcde" + GET),
    "two equal lengths": BODY % (b"content-length: 4\r\ncontent-length: 4", b"abcd" + GET),
    "list of lengths": BODY % (b"content-length: 4, 4", b"abcd" + GET),
    "sign": BODY % (b"content-length: +4", b"abcd" + GET),
    "space before a colon": BODY % (b"transfer-encoding : chunked", b"0\r\n\r\n" + GET),
    "unknown encoding": BODY % (b"transfer-encoding: xchunked", b"0\r\n\r\n" + GET),
    "chunks not last": BODY % (b"transfer-encoding: chunked, identity", b"0\r\n\r\n" + GET),
    "two encodings": BODY % (b"transfer-encoding: chunked\r\ntransfer-encoding: identity", b"0\r\n\r\n" + GET),
    "folded header": BODY % (b"x: a\r\n b\r\ncontent-length: 0", GET),
    "bare line feeds": GET.replace(b"\r", b"") * 2,
    "bare carriage return": BODY % (b"x: a\rcontent-length: 4\r\ncontent-length: 0", GET),
    "zero byte": BODY % (b"x: a\x00b\r\ncontent-length: 0", GET),
    "chunk with a line feed": BODY % (b"transfer-encoding: chunked", b"2\nab\n0\n\n" + GET),
    "chunk beyond all numbers": BODY % (b"transfer-encoding: chunked", b"fffffffffffffffff\r\nab"),
    "HTTP/0.9": b"GET /\r\n\r\n" + GET,
    "HTTP/2": b"GET / HTTP/2.0\r\nhost: localhost\r\n\r\n" + GET,
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "CONNECT": b"CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n" + GET,
}


@pytest.mark.parametrize("name", SMUGGLED)
@within_a_loop
async def test_a_request_that_others_may_read_differently_ends_the_connection(name: str) -> None:
    """A proxy in front could take the rest for a request of somebody else."""
    protocol, transport = connected()
    protocol.data_received(SMUGGLED[name])
    await idle()
    assert transport.statuses == [400]
    assert transport.closing
    protocol.connection_lost(None)


@pytest.mark.parametrize("name", [b"websocket", b"h2c"])
@within_a_loop
async def test_no_other_protocol_is_spoken(name: bytes) -> None:
    protocol, transport = connected()
    protocol.data_received(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: %b\r\n\r\n" % name)
    await idle()
    assert transport.statuses == [200]
    assert b"connection: close" in transport.written
    assert transport.closing
    protocol.connection_lost(None)


# Time


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"", []),
        (b"\r\n", []),
        (HEAD, [408]),
        (HEAD + b"content-length: 5\r\n\r\nab", [408]),
        (HEAD + CHUNKED + b"2\r\nab\r\n", [408]),
        (HEAD + CHUNKED + b"0\r\nx: ", [408]),
        (EARLY + b"content-length: 5\r\n\r\nab", [200]),
        (EARLY + CHUNKED + b"0\r\nx: y\r\n", [200]),
        (GET + b"|\r\n", [200]),
        (GET + HEAD, [200, 408]),
        (EARLY + b"content-length: 2\r\n\r\na|b", [200]),
    ],
)
@within_a_loop
async def test_every_request_has_its_time(sent: bytes, statuses: list[int]) -> None:
    """What comes after a bar is sent after the response."""
    protocol, transport = connected(HURRIED)
    for part in sent.split(b"|"):
        protocol.data_received(part)
        await idle()
    await closed(transport)
    assert transport.statuses == statuses
    protocol.connection_lost(None)


@within_a_loop
async def test_bytes_that_keep_coming_do_not_prolong_it() -> None:
    """The time of a request is that of all its bytes, not of each."""
    protocol, transport = connected(HURRIED)
    protocol.data_received(EARLY + CHUNKED)
    async with asyncio.timeout(10):
        while not transport.closing:
            protocol.data_received(b"1\r\ny\r\n")
            await asyncio.sleep(0.001)
    protocol.connection_lost(None)


@within_a_loop
async def test_a_response_must_be_read_in_time() -> None:
    protocol, transport = connected(Limits(response_seconds=0.02))
    protocol.data_received(GET)
    await idle()
    protocol.pause_writing()
    protocol.resume_writing()  # the client has read it
    await asyncio.sleep(0.05)
    assert not transport.aborted
    protocol.pause_writing()
    await closed(transport)
    assert transport.aborted
    protocol.connection_lost(None)


@within_a_loop
async def test_no_timer_outlives_its_connection() -> None:
    protocol, transport = connected(HURRIED)
    protocol.data_received(HEAD)
    protocol.pause_writing()
    protocol.connection_lost(None)
    await asyncio.sleep(0.1)
    assert not transport.aborted
    assert not transport.written


@within_a_loop
async def test_a_client_that_sends_no_more_is_asked_whether_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a client that has gone, the write fails; one that waits ignores it, as the standard says."""
    monkeypatch.setattr(uvicorn_adapter, "PROBE_SECONDS", 0.01)
    protocol, transport = connected()
    protocol.data_received(b"GET /late HTTP/1.1\r\nhost: localhost\r\n\r\n")
    assert protocol.eof_received()
    async with asyncio.timeout(10):
        while transport.statuses[:2] != [100, 100]:
            await asyncio.sleep(0.005)
        LATE.set()
        await closed(transport)
    assert transport.statuses[-1] == 200
    assert set(transport.statuses[:-1]) == {100}
    n_written = len(transport.written)
    await asyncio.sleep(0.05)
    assert len(transport.written) == n_written
    protocol.connection_lost(None)


# Many connections


@within_a_loop
async def test_connections_of_one_client() -> None:
    slots = Slots("connections", limit=3, per_client=2)
    first, _ = connected(connections=slots)
    second, _ = connected(connections=slots)
    third, transport = connected(connections=slots)
    assert transport.statuses == [429]
    assert transport.closing
    third.connection_lost(None)
    first.connection_lost(None)
    fourth, transport = connected(connections=slots)
    assert not transport.closing
    for each in (second, fourth):
        each.connection_lost(None)
    assert not slots.taken
