"""A server of the Model Context Protocol: agents of language models ask a space through tools.

It speaks over the standard input and output, as programs that start it expect, or over HTTP at /mcp.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import wraps
from inspect import cleandoc
from ipaddress import ip_address
from socket import socket
from typing import TYPE_CHECKING, Any

import anyio

from entvec import __version__
from entvec.errors import EntvecError, MissingExtra
from entvec.explore.mcp_tools import TOOLS, Tools
from entvec.explore.server import stopped_by_signals
from entvec.explore.uvicorn_adapter import plain_server
from entvec.space import EntailmentSpace

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp_types import CallToolResult, TextContent, ToolAnnotations
except ImportError:  # also version 1 of the SDK, which calls these otherwise
    raise MissingExtra("the MCP server", needs="'mcp>=2'", extra="mcp") from None

if TYPE_CHECKING:
    from starlette.applications import Starlette

INSTRUCTIONS = (
    "Is-a relations between things: whether one is a kind of another, what is above and below it, where a new term "
    "belongs, and what is wrong in a taxonomy. Answers have probabilities and reasons. `unknown` means that nothing is "
    "known, which is no denial. Audit a taxonomy that you have written before you hand it over."
)
PATH = "/mcp"


def make_server(space: EntailmentSpace) -> MCPServer:
    """Return a server with a tool for each method that `TOOLS` names.

    Example::

        make_server(entvec.load()).run()  # over the standard input and output

    Parameters
    ----------
    space
        A calibrated space that knows something, such as the default one.
    """
    server: MCPServer = MCPServer("entvec", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    tools = Tools(space)
    for name in TOOLS:
        method = getattr(tools, name)
        server.add_tool(
            _answering(method),
            name=name,
            description=cleandoc(method.__doc__),
            annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        )
    return server


def _answering(method: Callable[..., dict[str, Any]]) -> Callable[..., CallToolResult]:
    """Return a tool that answers with one line of JSON, and with a sentence where a question makes no sense."""

    @wraps(method)
    def tool(**asked: Any) -> CallToolResult:
        try:
            told = method(**asked)
        except EntvecError as error:
            raise ToolError(str(error)) from None
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=told)

    tool.__annotations__ = {**method.__annotations__, "return": CallToolResult}
    return tool


def http_app(server: MCPServer, host: str = "127.0.0.1", names: list[str] | None = None) -> Starlette:
    """Return an ASGI application that serves a server at /mcp, without sessions.

    Parameters
    ----------
    server
        What `make_server` returned.
    host
        The address at which it listens. On this machine alone, requests must name it: no page of another site that a
        browser shows may ask.
    names
        Names by which other machines may call it; any if None.
    """
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    here = ["127.0.0.1", "localhost", "[::1]"] if local else names
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=here is not None,
        allowed_hosts=[f"{name}{port}" for name in here or () for port in ("", ":*")],
        allowed_origins=[f"http://{name}{port}" for name in here or () for port in ("", ":*")],
    )
    return server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, host=host, transport_security=security
    )


def serve_http(server: MCPServer, listening: socket, on_start: Callable[[], None] = lambda: None) -> None:
    """Answer at a socket until SIGINT or SIGTERM.

    Parameters
    ----------
    server
        What `make_server` returned.
    listening
        What `entvec.explore.listen` returned; it is closed at the end.
    on_start
        Called when the server is ready.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    app = http_app(server, listening.getsockname()[0])
    running = plain_server(app, on_start)
    with stopped_by_signals(running):
        anyio.run(running.serve, [listening])
