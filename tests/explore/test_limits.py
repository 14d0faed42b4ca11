"""Every limit: what is exactly as much as allowed is answered, one more is refused with the way out."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from entvec.explore import limits, uvicorn_adapter
from entvec.explore.http_errors import HttpError
from entvec.explore.limits import Limits, Slots
from entvec.explore.reading import LARGE_BYTES
from entvec.explore.service import LONG_THREADS
from entvec.explore.threads import checkpoint


def words(n: int) -> list[str]:
    return ["dog"] * n


@pytest.mark.parametrize(
    ("path", "fits", "too_much"),
    [
        ("hypernyms", {"words": words(limits.WORDS)}, {"words": words(limits.WORDS + 1)}),
        ("hypernyms", {"words": ["dog"], "k": limits.MATCHES}, {"words": ["dog"], "k": limits.MATCHES + 1}),
        ("hypernyms", {"words": words(20), "k": 1000}, {"words": words(21), "k": 1000}),
        ("hyponyms", {"words": words(1000), "k": 20}, {"words": words(1000), "k": 21}),
        ("hyponyms", {"words": ["dog"], "k": 1}, {"words": ["dog"], "k": 0}),
        ("hyponyms", {"words": ["dog"], "among": words(1000)}, {"words": ["dog"], "among": words(1001)}),
        ("hypernyms", {"words": ["dog"], "specificity": 10}, {"words": ["dog"], "specificity": 10.001}),
        ("score", {"pairs": [["dog", "cat"]] * 1000}, {"pairs": [["dog", "cat"]] * 1001}),
        ("score", {"pairs": [["dog", "cat"]], "precision": 0.5}, {"pairs": [["dog", "cat"]], "precision": 0.49}),
        ("explain", {"hypo": "dog", "hyper": "cat", "k": 50}, {"hypo": "dog", "hyper": "cat", "k": 51}),
        ("complete", {"start": "d" * limits.WORD_LETTERS}, {"start": "d" * (limits.WORD_LETTERS + 1)}),
        ("complete", {"start": "d", "k": 50}, {"start": "d", "k": 51}),
        ("map", {"words": words(12)}, {"words": words(13)}),
        ("map", {"words": ["dog"], "above": 30}, {"words": ["dog"], "above": 31}),
        ("taxonomy/build", {"words": words(limits.LIST_WORDS)}, {"words": words(limits.LIST_WORDS + 1)}),
        ("taxonomy/common", {"words": words(limits.LIST_WORDS)}, {"words": words(limits.LIST_WORDS + 1)}),
        ("taxonomy/place", {"term": "x", "like": ["dog"], "k": 100}, {"term": "x", "like": ["dog"], "k": 101}),
        ("theory", {"hypo": [50] * 8, "hyper": [-50] * 8}, {"hypo": [1] * 9, "hyper": [1] * 9}),
        ("theory", {"hypo": [50], "hyper": [-50]}, {"hypo": [50.1], "hyper": [-50]}),
    ],
)
def test_the_size_of_a_request(caller: Any, path: str, fits: Any, too_much: Any) -> None:
    assert caller.post(f"/api/{path}", fits).status == 200
    answer = caller.post(f"/api/{path}", too_much)
    assert (answer.status, answer.error["kind"]) == (422, "invalid")


def test_the_length_of_a_word(caller: Any) -> None:
    fits = caller.post("/api/hypernyms", {"words": ["x" * limits.WORD_LETTERS]})
    assert fits.error["kind"] == "unknown_word"
    assert caller.post("/api/hypernyms", {"words": ["x" * (limits.WORD_LETTERS + 1)]}).error["kind"] == "invalid"


@pytest.mark.parametrize("as_text", [True, False])
def test_the_size_of_a_taxonomy(caller: Any, as_text: bool) -> None:
    def convert(n: int) -> Any:
        terms = [f"term {i}" for i in range(n)]
        given = {"text": "\n".join(terms), "format": "outline"} if as_text else {"terms": terms}
        return caller.post("/api/taxonomy/convert", {"taxonomy": given, "format": "tsv"})

    assert convert(limits.TAXONOMY_TERMS).status == 200
    answer = convert(limits.TAXONOMY_TERMS + 1)
    assert (answer.status, answer.error["kind"]) == (422, "invalid")
    assert "2,000" in answer.error["message"] or "2000" in answer.error["message"]


@pytest.mark.parametrize("as_text", [True, False])
def test_the_number_of_edges(caller: Any, as_text: bool) -> None:
    def convert(n: int) -> Any:
        pairs = [(f"child {i // 100}", f"parent {i % 100}") for i in range(n)]
        table = "hypo\thyper\n" + "".join(f"{hypo}\t{hyper}\n" for hypo, hyper in pairs)
        edges = [{"hypo": hypo, "hyper": hyper} for hypo, hyper in pairs]
        given = {"text": table, "format": "tsv"} if as_text else {"edges": edges}
        return caller.post("/api/taxonomy/convert", {"taxonomy": given, "format": "tsv"})

    assert convert(limits.TAXONOMY_EDGES).status == 200
    answer = convert(limits.TAXONOMY_EDGES + 1)
    assert (answer.status, answer.error["kind"]) == (422, "invalid")


# Bodies


def padded(n: int) -> bytes:
    """A good body of so many bytes."""
    return b'{"words": ["dog"]}'.ljust(n)


async def pieces(content: bytes, size: int = 100) -> AsyncIterator[bytes]:
    for first in range(0, len(content), size):
        yield content[first : first + size]


@pytest.mark.parametrize("told", [True, False], ids=["with content-length", "chunked"])
def test_the_length_of_a_body(caller_of: Callable[..., Any], told: bool) -> None:
    caller = caller_of(limits=Limits(body_bytes=1000))

    def post(n: int) -> Any:
        more = {} if told else {"parts": pieces(padded(n))}
        return caller.post("/api/hypernyms", padded(n) if told else b"", **more)

    assert post(1000).status == 200
    for n in (1001, 5000, 8000, 8001, 50_000):
        answer = post(n)
        assert (answer.status, answer.error["kind"]) == (413, "too_large")
        assert "1,000 bytes" in answer.error["message"]
        assert answer.headers["connection"] == "close"


def test_a_body_that_is_far_too_long_is_not_read(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(limits=Limits(body_bytes=1000))
    n_read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal n_read
        while True:
            n_read += 1000
            yield b"x" * 1000

    assert caller.post("/api/hypernyms", b"", parts=endless()).status == 413
    assert n_read < 20_000
    n_read = 0
    assert caller.post("/api/hypernyms", b"", parts=endless(), headers={"content-length": "9" * 30}).status == 413
    assert n_read == 0


def test_whoever_asks_before_sending_is_told_at_once(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(limits=Limits(body_bytes=1000))

    async def never() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    headers = {"expect": "100-continue", "content-length": "1001"}
    assert caller.post("/api/hypernyms", b"", parts=never(), headers=headers).status == 413


def test_a_slow_body(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(limits=Limits(body_seconds=0.05))

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"words": '
        await asyncio.sleep(30)
        yield b'["dog"]}'

    answer = caller.post("/api/hypernyms", b"", parts=slow())
    assert (answer.status, answer.error["kind"]) == (408, "too_slow")
    assert "0.05 seconds" in answer.error["message"]
    assert answer.headers["connection"] == "close"


def test_a_client_that_leaves_before_the_end_of_its_body(caller: Any) -> None:
    async def leaving() -> AsyncIterator[bytes]:
        yield b'{"words": '
        raise ConnectionError

    assert caller.post("/api/hypernyms", b"", parts=leaving()).status == 400


# At the same time


class Gate:
    """Stands in for a long answer: it lasts until the gate is opened."""

    def __init__(self, caller: Any, monkeypatch: pytest.MonkeyPatch, what: str = "explain") -> None:
        self.opened, self.n_calls = threading.Event(), 0
        monkeypatch.setattr(caller.service.space, what, self)

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.n_calls += 1
        assert self.opened.wait(10)
        raise HttpError(422, "invalid", "there")


EXPLAIN = {"hypo": "dog", "hyper": "animal"}


def while_long_ones_run(caller: Any, gate: Gate, clients: list[str], more: Any) -> tuple[list[int], Any]:
    """The statuses of long requests of these clients, and what `more` says while they run."""

    async def inside() -> Any:
        running = [
            asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN, client=client)) for client in clients
        ]
        await asyncio.sleep(0.02)
        told = await more()
        gate.opened.set()
        return [answer.status for answer in await asyncio.gather(*running)], told

    found: tuple[list[int], Any] = caller.run(inside())
    return found


def test_long_requests_of_one_client(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(long_per_client=2, long_in_flight=3))
    gate = Gate(caller, monkeypatch)

    async def more() -> Any:
        mine = await caller.ask("POST", "/api/explain", EXPLAIN, client="10.0.0.1")
        short = await caller.ask("POST", "/api/complete", {"start": "d"}, client="10.0.0.1")
        return mine, short

    statuses, (mine, short) = while_long_ones_run(caller, gate, ["10.0.0.1", "10.0.0.1", "10.0.0.2"], more)
    assert statuses == [422, 422, 422]
    assert (mine.status, mine.error["kind"]) == (429, "too_many")
    assert int(mine.headers["retry-after"]) >= 1
    assert short.status == 200
    monkeypatch.undo()
    assert caller.post("/api/explain", EXPLAIN, client="10.0.0.1").status == 200


def test_work_keeps_its_slot_until_it_has_ended(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(long_per_client=1))
    gate = Gate(caller, monkeypatch)

    async def leaving() -> list[int]:
        left = asyncio.Event()
        first = asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN, left=left))
        await asyncio.sleep(0.02)
        left.set()
        statuses = [(await first).status]
        statuses.append((await caller.ask("POST", "/api/explain", EXPLAIN)).status)  # the first one is still computed
        gate.opened.set()
        while caller.service.long.slots.taken:
            await asyncio.sleep(0.001)
        statuses.append((await caller.ask("POST", "/api/explain", EXPLAIN)).status)
        return statuses

    assert caller.run(leaving()) == [400, 429, 422]


def test_work_that_has_not_begun_is_dropped_when_its_client_leaves(
    caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = caller_of(limits=Limits(long_per_client=LONG_THREADS + 1))
    gate = Gate(caller, monkeypatch)

    async def leaving() -> tuple[int, int]:
        left = asyncio.Event()
        running = [asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN)) for _ in range(LONG_THREADS)]
        await asyncio.sleep(0.02)
        waiting = asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN, left=left))
        await asyncio.sleep(0.02)
        left.set()
        await waiting
        await asyncio.sleep(0.02)
        n_slots = caller.service.long.slots.taken.total()
        gate.opened.set()
        await asyncio.gather(*running)
        return n_slots, gate.n_calls

    assert caller.run(leaving()) == (LONG_THREADS, LONG_THREADS)


class Endless:
    """Stands in for work that reports its progress and never ends."""

    def __init__(self, caller: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()
        monkeypatch.setattr(caller.service.space, "explain", self)

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.begun.set()
        try:
            while True:
                checkpoint(1, 2)
                time.sleep(0.001)
        finally:
            self.ended.set()


def test_work_ends_when_its_client_leaves(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(long_per_client=1))
    work = Endless(caller, monkeypatch)

    async def leaving() -> int:
        left = asyncio.Event()
        asked = asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN, left=left))
        await asyncio.to_thread(work.begun.wait, 10)
        left.set()
        status: int = (await asked).status
        assert await asyncio.to_thread(work.ended.wait, 10)
        return status

    assert caller.run(leaving()) == 400


def test_work_that_takes_too_long(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(long_seconds=0.02))
    work = Endless(caller, monkeypatch)
    answer = caller.post("/api/explain", EXPLAIN)
    assert (answer.status, answer.error["kind"]) == (503, "too_long")
    assert "0.02 seconds" in answer.error["message"]
    assert work.ended.is_set()


def test_work_ends_when_the_server_gives_up(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of()
    work = Endless(caller, monkeypatch)

    async def stopping() -> Any:
        asked = asyncio.create_task(caller.ask("POST", "/api/explain", EXPLAIN))
        await asyncio.to_thread(work.begun.wait, 10)
        caller.service.give_up()
        return await asked

    answer = caller.run(stopping())
    assert (answer.status, answer.error["kind"]) == (503, "busy")
    assert work.ended.wait(10)


def test_long_requests_of_all_clients(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(long_per_client=2, long_in_flight=3))
    gate = Gate(caller, monkeypatch)
    statuses, other = while_long_ones_run(
        caller,
        gate,
        ["10.0.0.1", "10.0.0.1", "10.0.0.2"],
        lambda: caller.ask("POST", "/api/explain", EXPLAIN, client="10.0.0.3"),
    )
    assert statuses == [422, 422, 422]
    assert (other.status, other.error["kind"]) == (503, "busy")
    assert int(other.headers["retry-after"]) >= 1


def test_all_requests_together(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(in_flight=2))
    gate = Gate(caller, monkeypatch)
    statuses, (refused, page, health) = while_long_ones_run(
        caller,
        gate,
        ["10.0.0.1", "10.0.0.2"],
        lambda: asyncio.gather(
            caller.ask("POST", "/api/complete", {"start": "d"}),
            caller.ask("GET", "/"),
            caller.ask("GET", "/api/health"),
        ),
    )
    assert statuses == [422, 422]
    assert (refused.status, refused.error["kind"]) == (503, "busy")
    assert "retry-after" in refused.headers
    assert (page.status, health.status) == (200, 200)  # what is well is told even then
    assert caller.post("/api/complete", {"start": "d"}).status == 200


def test_one_client_cannot_take_all_places(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    caller = caller_of(limits=Limits(in_flight=4, per_client=2))
    gate = Gate(caller, monkeypatch)
    statuses, (mine, other) = while_long_ones_run(
        caller,
        gate,
        ["10.0.0.1", "10.0.0.1"],
        lambda: asyncio.gather(
            caller.ask("POST", "/api/complete", {"start": "d"}, client="10.0.0.1"),
            caller.ask("POST", "/api/complete", {"start": "d"}, client="10.0.0.2"),
        ),
    )
    assert statuses == [422, 422]
    assert (mine.status, mine.error["kind"]) == (429, "too_many")
    assert other.status == 200


def test_a_long_request_takes_no_place_until_it_is_there(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(limits=Limits(long_per_client=1))

    async def inside() -> Any:
        go_on = asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            await go_on.wait()
            yield b'{"hypo": "dog", "hyper": "cat"}'

        first = asyncio.create_task(caller.ask("POST", "/api/explain", parts=slow()))
        await asyncio.sleep(0.01)
        second = await caller.ask("POST", "/api/explain", EXPLAIN)
        go_on.set()
        return (await first).status, second.status

    assert caller.run(inside()) == (200, 200)


def test_suggestions_do_not_wait_for_long_requests(
    caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = caller_of()
    gate = Gate(caller, monkeypatch)
    asking = lambda: asyncio.wait_for(caller.ask("POST", "/api/hypernyms", {"words": ["guitarr"]}), 5)  # noqa: E731
    _, answer = while_long_ones_run(caller, gate, ["10.0.0.1"] * 4, asking)
    assert answer.error["suggestions"] == ["guitar"]


def test_nothing_is_kept_of_clients_that_have_gone() -> None:
    slots = Slots("requests", limit=5, per_client=1)
    with slots.slot("a"):
        assert slots.taken == {"a": 1}
        with pytest.raises(HttpError, match="wait for one of them"), slots.slot("a"):
            pass
    with pytest.raises(KeyError), slots.slot("b"):
        raise KeyError
    assert slots == Slots("requests", limit=5, per_client=1)
    assert not slots.taken


# SECURITY.md


ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_security_names_the_limits() -> None:
    given, adapter = Limits(), uvicorn_adapter
    assert f"| {given.head_bytes >> 10} KiB |" in SECURITY
    assert f"{given.body_bytes >> 20} MiB; {limits.DISCARDED * given.body_bytes >> 20} MiB more" in SECURITY
    seconds = (
        f"{given.head_seconds:g} s; {given.body_seconds:g} s, at most {given.head_seconds + given.body_seconds:g} s"
    )
    assert seconds in SECURITY
    assert f"read a response | {given.response_seconds:g} s |" in SECURITY
    assert f"computation | {given.long_seconds:g} s," in SECURITY
    of_all = (given.connections, given.in_flight, given.long_in_flight, given.large_in_flight)
    of_one = (given.connections_per_client, given.per_client, given.long_per_client, given.large_per_client)
    for row in (of_all, of_one):
        assert f"| {'; '.join(map(str, row))} |" in SECURITY
    assert f"more than {LARGE_BYTES >> 10} KiB" in SECURITY
    [end] = re.findall(r"SIGTERM \| (\d+) s", SECURITY)
    assert int(end) > adapter.GRACE_SECONDS + adapter.DRAIN_SECONDS + 2


def test_security_names_files_that_there_are() -> None:
    named = re.findall(r"`((?:tests/)?[a-z_]+(?:/[a-z_]+)*(?:/|\.py)?)`", SECURITY)
    paths = [name for name in named if "/" in name or name.endswith(".py")]
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / ("" if path.startswith("tests") else "src/entvec") / path).exists(), path
