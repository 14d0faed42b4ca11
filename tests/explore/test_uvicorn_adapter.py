"""What the server needs of uvicorn beyond its documentation: if a new version lacks it, these tests say what broke."""

import ast
import asyncio
import inspect
import re
import socket
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from entvec.explore import Limits, listen
from entvec.explore.uvicorn_adapter import HttpProtocol, Server

METHODS = [
    (HttpToolsProtocol, "__init__", "config server_state app_state", "connections accepted at the end are not served"),
    (HttpToolsProtocol, "connection_made", "transport", "silent connections stay open for ever"),
    (HttpToolsProtocol, "connection_lost", "exc", "timers outlive their connections"),
    (HttpToolsProtocol, "data_received", "data", "requests have no limit of bytes (413, 431)"),
    (HttpToolsProtocol, "eof_received", "", "clients that close their side at once get no answer"),
    (HttpToolsProtocol, "on_message_begin", "", "requests have no limits (408, 413, 431)"),
    (HttpToolsProtocol, "on_header", "name value", "trailers are kept as headers"),
    (HttpToolsProtocol, "on_headers_complete", "", "every body is refused as a head (408, 431)"),
    (HttpToolsProtocol, "on_body", "body", "long bodies are refused as trailers (431)"),
    (HttpToolsProtocol, "on_message_complete", "", "every connection is closed as too slow (408)"),
    (HttpToolsProtocol, "on_response_complete", "", "requests that were sent before an answer are never answered"),
    (HttpToolsProtocol, "pause_writing", "", "clients that read no response keep their connection"),
    (HttpToolsProtocol, "resume_writing", "", "long responses are cut off"),
    (FlowControl, "pause_reading", "", "requests that are sent before an answer take memory without a limit"),
    (FlowControl, "resume_reading", "", "requests that are sent before an answer take memory without a limit"),
    (HttpToolsProtocol, "send_400_response", "msg", "what is not HTTP gets an answer that is not JSON"),
    (uvicorn.Server, "startup", "sockets", "`entvec explore` never prints its address"),
    (uvicorn.Server, "shutdown", "sockets", "requests on their way are lost when the server stops"),
    (uvicorn.Server, "run", "sockets", "`entvec explore` cannot listen before it loads the space"),
]
ATTRIBUTES = [
    ("protocol", "loop", "requests have no time limit (408)"),
    ("protocol", "transport", "connections cannot be refused or closed"),
    ("protocol", "flow", "requests that are sent before an answer take memory without a limit"),
    ("protocol", "pipeline", "requests that are sent before an answer take memory without a limit"),
    ("protocol", "client", "one client may open all connections"),
    ("protocol", "cycle", "an error in a later request would come before the answer to an earlier one"),
    ("cycle", "more_body", "clients that close their side in the middle of a body wait for an answer"),
    ("cycle", "response_started", "an error would come in the middle of a response"),
    ("cycle", "disconnected", "a request whose body was refused waits for it"),
    ("cycle", "message_event", "a request whose body was refused waits for it"),
    ("cycle", "response_complete", "an error in a later request would come before the answer to an earlier one"),
    ("cycle", "keep_alive", "connections stay open after an error"),
    ("server", "servers", "the server accepts connections while it stops"),
    ("server", "server_state", "connections accepted at the end are not served"),
    ("server", "lifespan", "connections accepted at the end are not served"),
    ("server", "should_exit", "signals do not stop the server"),
]


def broken(what: str, consequence: str) -> str:
    return (
        f"uvicorn {uvicorn.__version__} has changed {what}. Without it {consequence}. "
        "Mend src/entvec/explore/uvicorn_adapter.py, or stay below this version in pyproject.toml."
    )


@pytest.mark.parametrize(("owner", "name", "names", "why"), METHODS, ids=[row[1] for row in METHODS])
def test_methods(owner: type, name: str, names: str, why: str) -> None:
    method = getattr(owner, name, None)
    assert method is not None, broken(f"{owner.__name__}.{name}", why)
    found = list(inspect.signature(method).parameters)
    assert found[1 : 1 + len(names.split())] == names.split(), broken(f"the parameters of {owner.__name__}.{name}", why)


@pytest.fixture(scope="module")
def running() -> Iterator[dict[str, Any]]:
    """A server, a connection of it, and the request that it is reading."""
    ready, connected = threading.Event(), threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        connected.set()
        while (await receive())["type"] != "http.disconnect":
            pass

    listening = listen("127.0.0.1", 0)
    server = Server(app, Limits(), ready.set, lambda: None, lambda: None)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        assert ready.wait(10)
        with socket.create_connection(listening.getsockname()) as client:
            client.sendall(b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n12345")
            assert connected.wait(10)
            [protocol] = server.server_state.connections
            yield {"server": server, "protocol": protocol, "cycle": getattr(protocol, "cycle", None)}
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.mark.parametrize(("owner", "name", "why"), ATTRIBUTES, ids=[f"{owner}.{name}" for owner, name, _ in ATTRIBUTES])
def test_attributes(running: dict[str, Any], owner: str, name: str, why: str) -> None:
    assert hasattr(running[owner], name), broken(f"`{name}` of its {owner}", why)


def test_their_values(running: dict[str, Any]) -> None:
    protocol, cycle = running["protocol"], running["cycle"]
    assert isinstance(protocol, HttpProtocol), broken("how it makes protocols", "no request head has a limit")
    assert (cycle.more_body, cycle.response_complete, cycle.keep_alive) == (True, False, True)
    assert protocol.url == b"/", broken("`url` of its protocol", "long addresses get status 400 instead of 431")
    assert isinstance(protocol.loop, asyncio.AbstractEventLoop)
    assert isinstance(running["server"].lifespan.state, dict)


# Nothing else depends on them


SOURCES = sorted(Path(str(files("entvec.explore"))).glob("*.py"))


def test_only_the_adapter_imports_uvicorn() -> None:
    importing = re.compile(r"^\s*(?:from|import) (?:uvicorn|httptools)", re.MULTILINE)
    found = [each.name for each in SOURCES if importing.search(each.read_text(encoding="utf-8"))]
    assert found == ["uvicorn_adapter.py"]


def test_no_private_names_of_others() -> None:
    documented = ("_asdict", "_replace")  # of named tuples
    for each in SOURCES:
        for node in ast.walk(ast.parse(each.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr not in documented:
                own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                assert own or node.attr.endswith("__"), f"{each.name}:{node.lineno}: {ast.unparse(node)}"
