"""The explorer of a small space, asked as a server would ask it; and servers of their own process."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from entvec.bundled import default_map, google_news, wordnet_knowledge
from entvec.explore import application
from entvec.space import EntailmentSpace

SOME = """
dog dogs poodle cat cats animal mammal bird eagle fish salmon car cars truck vehicle bicycle wheel guitar
piano violin instrument instruments music jazz apple banana cherry fruit food bread ice_cream drink water
city Paris London
country France person doctor teacher thing stone tree oak plant flower rose
""".split()  # noqa: SIM905
JSON = {"content-type": "application/json"}


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.told["error"]
        return found


class Caller:
    """Asks an application in this process, with full control of what is sent."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.service = app.state.service
        self._runner = asyncio.Runner()

    def close(self) -> None:
        self.service.close()
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(coroutine)

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        found: Answer = self.run(
            self.ask(method, path, headers={name.replace("_", "-"): headers[name] for name in headers})
        )
        return found

    def post(self, path: str, body: Any, **more: Any) -> Answer:
        found: Answer = self.run(self.ask("POST", path, body, **more))
        return found

    def together(self, *asked: tuple[str, Any]) -> list[Answer]:
        """Post all of these at the same time."""

        async def all_of_them() -> list[Answer]:
            return await asyncio.gather(*(self.ask("POST", path, body) for path, body in asked))

        found: list[Answer] = self.run(all_of_them())
        return found

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = b"",
        *,
        headers: dict[str, str] | None = None,
        parts: AsyncIterator[bytes] | None = None,
        host: str | None = "localhost:8765",
        client: str = "127.0.0.1",
        left: asyncio.Event | None = None,
    ) -> Answer:
        """Send one request; `parts` are those of a body that arrives piece by piece, without telling its length.

        `left` tells that the client has gone.
        """
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = (JSON if method == "POST" else {}) | (headers or {})
        if host is not None:
            named = {"host": host} | named
        if parts is None and content:
            named = {"content-length": str(len(content))} | named
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query.encode("utf-8", "replace"),
            "root_path": "",
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in named.items()],
            "client": (client, 50000),
            "server": ("127.0.0.1", 8765),
        }
        sent = parts or _whole(content)
        ended = False

        async def receive() -> dict[str, Any]:
            nonlocal ended
            if ended:
                await (left or asyncio.Event()).wait()
                return {"type": "http.disconnect"}
            try:
                return {"type": "http.request", "body": await anext(sent), "more_body": True}
            except StopAsyncIteration:
                ended = True
                return {"type": "http.request", "body": b"", "more_body": False}
            except ConnectionError:
                ended = True
                return {"type": "http.disconnect"}

        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        start, *rest = messages
        told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]}
        return Answer(start["status"], told, b"".join(message.get("body", b"") for message in rest))


async def _whole(content: bytes) -> AsyncIterator[bytes]:
    yield content


class Served(NamedTuple):
    """A server that is running."""

    process: "subprocess.Popen[str]"
    host: str
    port: int
    told: str

    def connected(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=30)

    def raw(self, sent: bytes) -> bytes:
        """What a server says to these bytes, until it hangs up."""
        with self.connected() as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                return everything(connection)
            except OSError:  # it hung up before all was sent
                return b""

    def stop(self, number: signal.Signals = signal.SIGTERM) -> str:
        """What it says at its end."""
        self.process.send_signal(number)
        _, told = self.process.communicate(timeout=60)
        return told


def everything(connection: socket.socket) -> bytes:
    found = b""
    while part := connection.recv(1 << 16):
        found += part
    return found


@pytest.fixture(scope="session")
def space() -> EntailmentSpace:
    """Fifty words, the bundled map, and WordNet."""
    small = EntailmentSpace.from_vectors(google_news().subset(SOME), map=default_map())
    return small.with_knowledge(wordnet_knowledge())


@pytest.fixture(scope="session")
def space_folder(space: EntailmentSpace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explored") / "space"
    space.save(folder)
    return folder


@pytest.fixture(scope="session")
def caller(space: EntailmentSpace) -> Iterator[Caller]:
    found = Caller(application(space))
    yield found
    found.close()


@pytest.fixture
def caller_of(space: EntailmentSpace) -> Iterator[Callable[..., Caller]]:
    """Another explorer, with other limits or of another space."""
    made = []

    def make(another: EntailmentSpace | None = None, **options: Any) -> Caller:
        made.append(Caller(application(another or space, **options)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@contextmanager
def running(command: Sequence[str]) -> Iterator[Served]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            assert process.stderr is not None
            told = ""
            while not (found := re.search(r"http://(\S+):(\d+)/", told)):
                line = process.stderr.readline()
                assert line, f"the server ended: {told}"
                told += line
            yield Served(process, found[1].strip("[]"), int(found[2]), told)
        finally:
            process.kill()


@pytest.fixture(scope="session")
def start(space_folder: Path) -> Callable[..., Any]:
    """Starts `entvec explore`, as a person would, on a free port; on fifty words, unless it is the bundled space."""

    def starting(*options: str, bundled: bool = False) -> Any:
        space = [] if bundled else ["--space", str(space_folder)]
        return running([sys.executable, "-m", "entvec", "explore", "--port", "0", *space, *options])

    return starting


@pytest.fixture(scope="session")
def start_script() -> Callable[[str], Any]:
    """Starts a server that is made by a script."""
    return lambda script: running([sys.executable, "-c", script])
