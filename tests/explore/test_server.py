"""A server as a person starts it: where it listens, how it is told to stop, and that it loses nothing then."""

import json
import re
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.errors import InvalidInput
from entvec.explore import address, listen, note_interrupts

HEALTH = b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n"
SLOW = """
import time
from entvec.bundled import toy_world
from entvec.explore import Limits, address, application, listen, serve
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

class Slow(EntailmentSpace):
    def hypernyms(self, *asked, **options):
        time.sleep(1)
        return super().hypernyms(*asked, **options)

world = toy_world()
space = Slow.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
listening = listen("127.0.0.1", 0)
app = application(space, limits=Limits(head_seconds=%g))
import sys
serve(app, listening, lambda: print(address(listening), file=sys.stderr, flush=True))
print(app.state.service.answered, file=sys.stderr)
"""
STUBBORN = """
import sys, time
from entvec.bundled import toy_world
from entvec.explore import Limits, address, application, listen, serve, uvicorn_adapter
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

class Stubborn(EntailmentSpace):
    def explain(self, *asked, **options):
        time.sleep(1000)

uvicorn_adapter.GRACE_SECONDS = 1
world = toy_world()
space = Stubborn.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
listening = listen("127.0.0.1", 0)
app = application(space, limits=Limits(long_seconds=1000))
serve(app, listening, lambda: print(address(listening), file=sys.stderr, flush=True))
print("ended", file=sys.stderr)
"""
REPORTING = STUBBORN.replace(
    "time.sleep(1000)",
    """print("begun", file=sys.stderr, flush=True)
        try:
            while True:
                checkpoint()
                time.sleep(0.01)
        except BaseException:
            print("stopped", file=sys.stderr, flush=True)
            raise""",
).replace("import sys, time", "import sys, time\nfrom entvec.explore.threads import checkpoint")


def post(path: str, body: Any, *headers: str) -> bytes:
    content = json.dumps(body).encode()
    lines = (f"POST {path} HTTP/1.1", "host: localhost", "content-type: application/json", *headers)
    return "\r\n".join((*lines, f"content-length: {len(content)}", "", "")).encode() + content


def received(connection: socket.socket) -> tuple[bytes, bytes]:
    """One answer: its head and its body, whole."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(1 << 16)
        assert part, f"hung up after {found!r}"
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    [length] = re.findall(rb"content-length: (\d+)", head)
    while len(body) < int(length):
        part = connection.recv(1 << 16)
        assert part, "hung up in the middle of an answer"
        body += part
    return head, body


def knock_until_refused(served: Any) -> None:
    """Timings are the machine's: the door is closed a little after the signal."""
    while True:
        served.connected().close()
        time.sleep(0.01)


def run(*options: str) -> Result:
    return CliRunner().invoke(app, ["explore", *options], env={"COLUMNS": "200", "TERM": "dumb"})


# Where it listens


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_tells_its_address_and_ends_in_order(start: Callable[..., Any], number: signal.Signals) -> None:
    with start() as served:
        assert served.host == "127.0.0.1"
        assert f"http://127.0.0.1:{served.port}/" in served.told
        with served.connected() as connection:
            connection.sendall(HEALTH)
            assert received(connection)[0].startswith(b"HTTP/1.1 200")
        told = served.stop(number)
    assert served.process.returncode == 0
    assert told == "entvec: stopped after 1 requests\n"


def test_another_host(start: Callable[..., Any]) -> None:
    with start("--host", "127.0.0.2") as served:
        assert served.host == "127.0.0.2"
        for name, status in (("127.0.0.2", b"200"), ("localhost", b"200"), ("evil.example", b"400")):
            told = served.raw(f"GET / HTTP/1.1\r\nhost: {name}:{served.port}\r\nconnection: close\r\n\r\n".encode())
            assert told[9:12] == status, name


def test_whoever_lets_others_in_is_known_by_any_name(start: Callable[..., Any]) -> None:
    with start("--host", "0.0.0.0") as served:  # noqa: S104
        assert served.host == "127.0.0.1"  # a browser could not go to 0.0.0.0
        told = served.raw(b"GET /api/health HTTP/1.1\r\nhost: my-machine.example\r\nconnection: close\r\n\r\n")
        assert told[9:12] == b"200"


def test_limits_of_the_command_line(start: Callable[..., Any]) -> None:
    with start("--body-bytes", "100") as served:
        told = served.raw(post("/api/hypernyms", {"words": ["dog"] * 50}))
        assert told.startswith(b"HTTP/1.1 413")


def test_a_port_that_is_taken_is_told_at_once_in_one_line() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        told = run("--port", str(port))
    assert told.exit_code == 1
    assert told.stdout == ""
    [line] = told.stderr.splitlines()
    assert f"port {port}" in line
    assert "--port 0" in line


@pytest.mark.parametrize(
    "host", ["no.such.host.invalid", "x" * 300, "..", "192.0.2.1"], ids=["unknown", "long", "dots", "other"]
)
def test_a_host_that_is_not_here(host: str) -> None:
    with pytest.raises(InvalidInput, match=r"try 127\.0\.0\.1|--port 0"):
        listen(host, 0)


def test_help_names_the_options() -> None:
    told = run("--help")
    assert told.exit_code == 0
    for option in ("--port", "--host", "--open", "--space", "--body-bytes", "--in-flight", "--per-client", "127.0.0.1"):
        assert option in told.stdout


@pytest.mark.parametrize("option", [("--port", "65536"), ("--port", "-1"), ("--body-bytes", "0"), ("--in-flight", "0")])
def test_options_that_make_no_sense(option: tuple[str, str]) -> None:
    assert run(*option).exit_code == 2


def test_the_address_is_one_that_a_browser_can_go_to() -> None:
    for host, name in (("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("localhost", None)):  # noqa: S104
        with listen(host, 0) as listening:
            found = address(listening)
            port = listening.getsockname()[1]
            assert found.endswith(f":{port}/")
            assert name is None or found == f"http://{name}:{port}/"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as in a terminal: tests may run in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_is_heeded_even_if_a_library_swallows_it() -> None:
    heed = note_interrupts()
    heed()
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        heed()


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    heed = note_interrupts()
    signal.raise_signal(signal.SIGINT)
    heed()


def test_small_packets_are_sent_at_once() -> None:
    """Else each response would wait 40 ms for the acknowledgement of its headers."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # by which asyncio decides


# Connections


def test_an_answer_to_somebody_who_sends_no_more_but_listens(start: Callable[..., Any]) -> None:
    with start() as served:
        told = served.raw(post("/api/hypernyms", {"words": ["dog"]}))  # hangs up on its side at once
        assert told.startswith(b"HTTP/1.1 200")
        assert served.raw(post("/api/hypernyms", {"words": ["dog"]}) * 3).count(b"HTTP/1.1 200") == 3


def test_get_and_head_of_an_answer(start: Callable[..., Any]) -> None:
    with start() as served, served.connected() as connection:
        ends = b" /api/hypernyms?words=ice+cream&words=%C5%BC%C3%B3%C5%82w&k=2 HTTP/1.1\r\nhost: localhost\r\n\r\n"
        connection.sendall(b"GET" + ends)
        head, body = received(connection)
        assert head.startswith(b"HTTP/1.1 422")
        assert json.loads(body)["error"]["word"] == "żółw"
        ends = ends.replace(b"&words=%C5%BC%C3%B3%C5%82w", b"")
        connection.sendall(b"GET" + ends)
        head, body = received(connection)
        assert json.loads(body)["words"][0]["word"] == "ice cream"
        connection.sendall(b"HEAD" + ends + HEALTH)  # the next answer begins where the headers end
        both = b""
        while both.count(b"HTTP/1.1 200") < 2 or b'"status"' not in both:
            both += connection.recv(1 << 16)
        first, _, rest = both.partition(b"\r\n\r\n")
        assert rest.startswith(b"HTTP/1.1 200")
        same = [line for line in head.splitlines() if not line.startswith(b"date")]
        assert [line for line in first.splitlines() if not line.startswith(b"date")] == same


def test_an_address_that_is_too_long(start: Callable[..., Any]) -> None:
    with start() as served:
        told = served.raw(b"GET /api/hypernyms?" + b"words=dog&" * 7000 + b"k=1 HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert told.startswith(b"HTTP/1.1 431 ")
        assert json.loads(told.partition(b"\r\n\r\n")[2])["error"]["kind"] == "too_large"


def test_whoever_sends_too_much_hears_why(start: Callable[..., Any]) -> None:
    """A client that writes all before it reads would else find a broken connection."""
    with start() as served, served.connected() as connection:
        connection.sendall(post("/api/hypernyms", {"words": ["x" * 3_000_000]}))
        head, body = received(connection)
        assert head.startswith(b"HTTP/1.1 413")
        assert json.loads(body)["error"]["kind"] == "too_large"


def test_nobody_keeps_a_connection_without_asking(start_script: Callable[[str], Any]) -> None:
    with start_script(SLOW % 0.2) as served:
        with served.connected() as connection:
            assert connection.recv(100) == b""  # nothing was asked, so nothing is said
        with served.connected() as connection:
            connection.sendall(HEALTH[:20])
            head, body = received(connection)
            assert head.startswith(b"HTTP/1.1 408")
            assert json.loads(body)["error"]["kind"] == "too_slow"
            assert connection.recv(100) == b""
        with served.connected() as connection:
            for _ in range(2):  # between requests there is more time
                connection.sendall(HEALTH)
                assert received(connection)[0].startswith(b"HTTP/1.1 200")
                time.sleep(0.4)
            connection.sendall(HEALTH[:20])
            assert received(connection)[0].startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("half", [False, True], ids=["closed", "closed on one side"])
def test_work_is_stopped_for_a_client_that_has_gone(start_script: Callable[[str], Any], half: bool) -> None:
    with start_script(REPORTING) as served:
        with served.connected() as connection:
            connection.sendall(post("/api/explain", {"hypo": "dog", "hyper": "animal"}))
            assert served.process.stderr.readline() == "begun\n"
            if half:
                connection.shutdown(socket.SHUT_WR)
                told = connection.recv(1000)
                assert told.startswith(b"HTTP/1.1 100")
        assert select.select([served.process.stderr], [], [], 60)[0], "it goes on"
        assert served.process.stderr.readline() == "stopped\n"


# The end


def test_what_is_running_is_finished_and_nobody_else_let_in(start_script: Callable[[str], Any]) -> None:
    with start_script(SLOW % 15) as served:
        with served.connected() as asked, served.connected() as half, served.connected() as idle:
            idle.sendall(HEALTH)
            received(idle)
            asked.sendall(post("/api/hypernyms", {"words": ["poodle"]}))
            body = post("/api/complete", {"start": "d"})
            half.sendall(body[:-5])
            served.process.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionRefusedError):
                knock_until_refused(served)
            half.sendall(body[-5:])
            for connection in (half, asked):
                head, told = received(connection)
                assert head.startswith(b"HTTP/1.1 200")
                assert b"connection: close" in head
                assert json.loads(told)["words"]
                assert connection.recv(1) == b""
            assert idle.recv(1) == b""
        _, told = served.process.communicate(timeout=30)
    assert served.process.returncode == 0
    assert told.split() == ["3"]


def test_a_computation_does_not_keep_it_from_ending(start_script: Callable[[str], Any]) -> None:
    """Neither one whose client waits, nor one whose client has gone; both ignore that they should stop."""
    with start_script(STUBBORN) as served:
        with served.connected() as waiting, served.connected() as leaving:
            for connection in (waiting, leaving):
                connection.sendall(post("/api/explain", {"hypo": "dog", "hyper": "animal"}))
            leaving.close()
            time.sleep(0.5)
            served.process.send_signal(signal.SIGTERM)
            head, body = received(waiting)
            assert head.startswith(b"HTTP/1.1 503")
            assert json.loads(body)["error"]["kind"] == "busy"
        _, told = served.process.communicate(timeout=30)
    assert served.process.returncode == 0
    assert told == "ended\n"


def test_a_request_on_an_open_connection_is_answered_at_the_end(
    start_script: Callable[[str], Any],
) -> None:
    with start_script(SLOW % 15) as served:
        with served.connected() as connection:
            connection.sendall(HEALTH)
            received(connection)
            served.process.send_signal(signal.SIGTERM)
            connection.sendall(HEALTH)
            head, body = received(connection)
            assert head.startswith(b"HTTP/1.1 200")
            assert json.loads(body)["status"] in {"ok", "stopping"}
        served.process.communicate(timeout=30)
    assert served.process.returncode == 0


def test_under_load_every_answer_that_was_counted_arrives_whole(start: Callable[..., Any], space_folder: Path) -> None:
    whole, broken = [0], list[str]()
    lock = threading.Lock()

    def client(served: Any, n: int) -> None:
        question = post("/api/hypernyms", {"words": ["dog"], "k": 5}, *(["connection: close"] if n % 2 else []))
        while True:
            try:
                connection = served.connected()
            except ConnectionError:
                return
            with connection:
                while True:
                    try:
                        connection.sendall(question)
                        head, body = received(connection)
                        json.loads(body)
                    except (ConnectionError, AssertionError) as error:
                        broken.append(str(error))
                        return
                    with lock:
                        whole[0] += 1
                    if b"connection: close" in head:
                        break

    with start() as served:
        threads = [threading.Thread(target=client, args=(served, n)) for n in range(16)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        told = served.stop()
        for thread in threads:
            thread.join(30)
    assert served.process.returncode == 0
    [answered] = re.findall(r"stopped after ([\d,]+)", told)
    assert int(answered.replace(",", "")) == whole[0]
    assert not [each for each in broken if "middle" in each]
    assert whole[0] > 16
