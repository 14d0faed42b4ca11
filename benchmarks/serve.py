"""How fast the explorer answers many clients at once, beside the bare searches; its memory; and how it stops.

    python benchmarks/serve.py [--requests 20000] [--clients 64] [--memory 100000] [--stops 10] [--evidence vectors]

The server is a second process on this machine and serves the bundled space. Each client keeps a connection open and
asks for the ten best hypernyms of one word after the other. The baseline is the same searches without a server, as
many words at once as the server puts together, their matrix products alone, and the searches one word at a time.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import numpy as np

from entvec.runtime import available_threads
from entvec.search.request import Request
from entvec.space import EntailmentSpace
from entvec.space.default import default_space

K = 10
WORDS = 2_000
WARM_UP = 2_000
ROUNDS = 5
TICKS = os.sysconf("SC_CLK_TCK")
NO_ANSWER = "no answer"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--memory", type=int, default=100_000, help="how many requests to watch the memory for")
    parser.add_argument("--stops", type=int, default=10, help="how often to stop the server under load")
    parser.add_argument("--evidence", default="all", choices=["all", "vectors"], help="what rankings rest on")
    options = parser.parse_args()
    space = default_space()
    words = random.Random(0).sample(list(space.vocabulary.words), WORDS)  # noqa: S311
    print(f"{len(space):,} words x {space.vocabulary.dimension}, top {K}, {options.clients} clients, ", end="")
    print(f"{available_threads()} threads; Python {platform.python_version()}, NumPy {np.__version__}\n")
    if options.requests:
        speed(space, words, options.requests, options.clients, options.evidence)
    if options.memory:
        memory(words, options.memory, options.clients)
    if options.stops:
        stops(words, options.stops, options.clients)


class Server:
    """A server of its own process."""

    def __init__(self, process: "subprocess.Popen[str]", host: str, port: int) -> None:
        self.process, self.host, self.port = process, host, port

    def health(self) -> dict[str, Any]:
        """What it says of itself."""
        with urlopen(f"http://{self.host}:{self.port}/api/health") as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def resident(self) -> float:
        """Memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024

    def seconds(self) -> float:
        """Of its processors, so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def stopped(self) -> int:
        """How many requests it has answered, as it says when it has ended."""
        _, told = self.process.communicate(timeout=90)
        if self.process.returncode or "Traceback" in told:
            raise SystemExit(f"the server ended with {self.process.returncode}: {told}")
        return int(re.findall(r"stopped after ([\d,]+)", told)[0].replace(",", ""))


@contextmanager
def server() -> Iterator[Server]:
    command = [sys.executable, "-m", "entvec", "explore", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None  # noqa: S101
        told = ""
        while not (found := re.search(r"http://([\d.]+):(\d+)", told)):
            line = process.stderr.readline()
            if not line:
                raise SystemExit(f"the server did not start: {told}")
            told += line
        try:
            yield Server(process, found[1], int(found[2]))
        finally:
            process.terminate()


class Client(asyncio.Protocol):
    """Asks on one connection, each time the last question is answered; `asked` has the next, None to end."""

    def __init__(self, asked: Callable[[], bytes | None], ended: "asyncio.Future[None]", times: list[float]) -> None:
        self.asked, self.ended, self.times = asked, ended, times
        self.statuses: list[int] = []
        self.outcome = "closed"
        self.transport: Any = None
        self._buffer, self._needs, self._sent = bytearray(), 0, 0.0
        self._waiting = False

    def connection_made(self, transport: Any) -> None:
        """Ask the first question."""
        self.transport = transport
        self._ask()

    def _ask(self) -> None:
        question = self.asked()
        if question is None:
            self.transport.close()
            return
        self._sent, self._waiting = time.perf_counter(), True
        self.transport.write(question)

    def data_received(self, data: bytes) -> None:
        """When an answer is whole, ask again."""
        self._buffer += data
        if not self._needs:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            length = re.search(rb"content-length: (\d+)", self._buffer[:end])
            assert length is not None  # noqa: S101
            self._needs = end + 4 + int(length[1])
        if len(self._buffer) < self._needs:
            return
        self.times.append(time.perf_counter() - self._sent)
        self.statuses.append(int(self._buffer[9:12]))
        last = b"connection: close" in self._buffer[: self._needs]
        self._waiting, self._needs = False, 0
        self._buffer.clear()
        if last:
            self.transport.close()
        else:
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Tell how it ended."""
        if self._waiting:
            self.outcome = "half an answer" if self._buffer else NO_ANSWER
        if not self.ended.done():
            self.ended.set_result(None)


def question(path: str, body: Any, *, close: bool = False) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    ending = "connection: close\r\n" if close else ""
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{ending}"
        f"content-length: {len(content)}\r\n\r\n"
    ).encode() + content


async def load(at: Server, questions: list[bytes], n: int, clients: int) -> tuple[list[float], float]:
    """Ask n questions with as many clients at once; how long each and all took."""
    times: list[float] = []
    left = iter(questions[i % len(questions)] for i in range(n))
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    protocols = []
    for _ in range(clients):
        ended = loop.create_future()
        _, protocol = await loop.create_connection(
            lambda ended=ended: Client(lambda: next(left, None), ended, times),  # type: ignore[misc]
            at.host,
            at.port,
        )
        protocols.append(protocol)
    await asyncio.gather(*(protocol.ended for protocol in protocols))
    if len(times) != n:
        outcomes = sorted({protocol.outcome for protocol in protocols})
        code = at.process.poll()
        raise SystemExit(f"{len(times)} of {n} questions were answered; connections: {outcomes}; exit code: {code}")
    return times, time.perf_counter() - started


def speed(space: EntailmentSpace, words: list[str], n: int, clients: int, evidence: str) -> None:
    """The server and the bare searches take turns, and of each the best round counts: the machine may be shared."""
    questions = [question("/api/hypernyms", {"words": [word], "k": K, "evidence": evidence}) for word in words]
    health = b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    space.keys["hyper"]
    rounds: list[Round] = []
    with server() as at:
        asyncio.run(load(at, questions, WARM_UP, clients))
        for _ in range(ROUNDS):
            before, busy, own = at.health(), at.seconds(), time.process_time()
            times, total = asyncio.run(load(at, questions, n // ROUNDS, clients))
            busy, own = at.seconds() - busy, time.process_time() - own
            done = len(times)
            batch = done / (at.health()["products"] - before["products"])
            bare = searched(space, words, max(1, round(batch)), evidence)
            singly = searched(space, words[:200], 1, evidence)[0]
            product = multiplied(space, words, max(1, round(batch)))
            rounds.append(Round(times, total / done, busy / done, own / done, batch, *bare, singly, *product))
        one, one_total = asyncio.run(load(at, questions, 1000, 1))
        _, bare_total = asyncio.run(load(at, [health], 5000, clients))
    best = min(rounds, key=lambda each: each.seconds)
    p50, p99 = np.percentile(best.times, [50, 99]) * 1e3
    all50, all99 = np.percentile(np.concatenate([each.times for each in rounds]), [50, 99]) * 1e3
    bare, processor = (min(getattr(each, name) for each in rounds) for name in ("bare", "bare_processor"))
    singly, product, busy = (min(getattr(each, name) for each in rounds) for name in ("singly", "product", "busy"))
    multiplying = min(each.product_processor for each in rounds)
    print(f"{ROUNDS} rounds of {n // ROUNDS:,} requests, {clients} clients: {1 / best.seconds:,.0f} a second, ", end="")
    print(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms in the best (all: p50 {all50:.1f} ms, p99 {all99:.1f} ms)")
    print(f"  {best.seconds * 1e3:.2f} ms a request, {best.batch:.1f} words a search")
    print(f"  the same searches without a server: {bare * 1e3:.2f} ms a word, ", end="")
    print(f"the server takes {best.seconds / bare:.2f} times that; ", end="")
    print(f"their products alone {product * 1e3:.2f} ms, {best.seconds / product:.2f} times that")
    print(f"  one word a search: {singly * 1e3:.2f} ms, the server takes {best.seconds / singly:.2f} of that")
    print(f"  processor time a request: server {busy * 1e3:.2f} ms, {busy / processor:.2f} times that of the ", end="")
    print(
        f"searches ({processor * 1e3:.2f} ms), which are {processor / multiplying:.2f} times that of their products ",
        end="",
    )
    print(f"({multiplying * 1e3:.2f} ms); clients {best.own * 1e3:.2f} ms")
    print(f"one client: {len(one) / one_total:,.0f} requests a second, p50 {np.median(one) * 1e3:.1f} ms")
    print(f"requests without a search (/api/health), {clients} clients: {5000 / bare_total:,.0f} a second\n")


class Round(NamedTuple):
    """Seconds of all requests; then seconds a request."""

    times: list[float]
    seconds: float
    busy: float
    own: float
    batch: float
    bare: float
    bare_processor: float
    singly: float
    product: float
    product_processor: float


def searched(space: EntailmentSpace, words: list[str], together: int, evidence: Any) -> tuple[float, float]:
    """Seconds a word, and seconds of processors."""
    parts = [words[first : first + together] for first in range(0, len(words), together)]
    start, busy = time.perf_counter(), time.process_time()
    for part in parts:
        list(space.hypernyms(part, k=K, evidence=evidence))
    return (time.perf_counter() - start) / len(words), (time.process_time() - busy) / len(words)


def multiplied(space: EntailmentSpace, words: list[str], together: int) -> tuple[float, float]:
    """Seconds a word, and seconds of processors, for the matrix products alone."""
    keys = space.keys["hyper"].stored
    request = Request("hypo", space.vectors.matrix[: len(words)], space.specificity.hypernyms)
    queries = space.keys.queries(request).astype(np.float32)
    start, busy = time.perf_counter(), time.process_time()
    for first in range(0, len(words), together):
        keys @ queries[first : first + together].T
    return (time.perf_counter() - start) / len(words), (time.process_time() - busy) / len(words)


def memory(words: list[str], n: int, clients: int) -> None:
    """Whether the server grows: searches, scores, misspelled words and bad requests in turn."""
    pick = random.Random(1)  # noqa: S311
    questions = [question("/api/hypernyms", {"words": [word], "k": K}) for word in words]
    questions += [question("/api/score", {"pairs": [[word, "thing"]]}) for word in words[:400]]
    questions += [question("/api/hyponyms", {"words": [f"{word}x{i}"]}) for i, word in enumerate(words[:100])]
    questions += [question("/api/hypernyms", b'{"words": ["dog"')] * 50
    pick.shuffle(questions)
    step = max(1, n // 10)
    with server() as at:
        asyncio.run(load(at, questions, step, clients))
        first = at.resident()
        print(f"memory after {step:,} requests: {first:.1f} MB; after each {step:,} more: ", end="", flush=True)
        for _ in range(n // step):
            asyncio.run(load(at, questions, step, clients))
            print(f"{at.resident() - first:+.1f}", end=" ", flush=True)
        last = at.resident()
    print(f"MB; growth {(last - first) * 1e6 / n:.1f} bytes a request\n")


def stops(words: list[str], times: int, clients: int) -> None:
    """Whether a request is lost when the server is told to stop while it is busy."""
    total: dict[str, int] = {}
    for attempt in range(times):
        with server() as at:
            whole, outcomes = asyncio.run(stopped_under_load(at, words, clients, 1 + 0.13 * attempt))
            answered = at.stopped()
        for name, count in {"answered": answered, "whole answers": whole, **outcomes}.items():
            total[name] = total.get(name, 0) + count
    lost = total["answered"] - total["whole answers"]
    print(f"stopped {times} times under load: {total['answered']:,} requests answered, ", end="")
    print(f"{total['whole answers']:,} whole answers received, {lost} lost; ", end="")
    print(", ".join(f"{name} {total.get(name, 0)}" for name in ("half an answer", NO_ANSWER, "not let in")))


async def stopped_under_load(at: Server, words: list[str], clients: int, after: float) -> tuple[int, dict[str, int]]:
    """Half of the clients keep their connection, half make a new one for each question."""
    loop = asyncio.get_running_loop()
    outcomes: dict[str, int] = {"half an answer": 0, NO_ANSWER: 0, "not let in": 0}
    received: list[float] = []

    async def ask_on(n: int) -> None:
        pick = random.Random(n)  # noqa: S311
        close = n % 2 == 1

        def asked() -> bytes:
            return question("/api/hypernyms", {"words": [pick.choice(words)], "k": K}, close=close)

        while True:
            ended = loop.create_future()
            try:
                _, client = await loop.create_connection(lambda: Client(asked, ended, received), at.host, at.port)  # noqa: B023
            except ConnectionError:
                return
            await client.ended
            if client.outcome == NO_ANSWER and not client.statuses:
                outcomes["not let in"] += 1  # it was queueing at the door when that was closed
            elif client.outcome != "closed":
                outcomes[client.outcome] += 1

    asking = asyncio.gather(*(ask_on(n) for n in range(clients)))
    await asyncio.sleep(after)
    at.process.send_signal(signal.SIGTERM)
    await asking
    return len(received), outcomes


if __name__ == "__main__":
    main()
