"""`entvec mcp`: the space as tools for agents of language models."""

from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated

import typer

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, takes_options
from entvec.cli.trouble import note
from entvec.errors import MissingExtra


@takes_options
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, at /mcp, until Ctrl-C.")] = False,
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="With --http: where to listen; 0 takes a free one.")
    ] = 8766,
    host: Annotated[
        str,
        typer.Option(help="With --http: the address; 0.0.0.0 lets other machines in, without any password."),
    ] = "127.0.0.1",
    space: AskingOptions = DEFAULT_ASKING,
) -> None:
    """Give agents of language models tools: relation, hypernyms, hyponyms, place, common, audit and explain.

    This is a server of the Model Context Protocol. Without `--http` it speaks over the standard input and output, and
    the program of the agent starts it:

    `{"mcpServers": {"entvec": {"command": "entvec", "args": ["mcp"]}}}`

    Answers are small, have probabilities and reasons, and say where nothing is known.

    Examples:

    * `entvec mcp`
    * `entvec mcp --knowledge shop.ttl`
    * `entvec mcp --http --port 8766`
    """
    if find_spec("mcp") is None:  # else an error would name what the web page needs, and then this
        raise MissingExtra("the MCP server", needs="'mcp>=2' starlette uvicorn httptools pydantic", extra="mcp")
    from entvec.explore.mcp_server import PATH, make_server, serve_http
    from entvec.explore.server import address, listen

    if not http:
        server = make_server(space.in_memory())
        with suppress(KeyboardInterrupt):
            server.run("stdio")
        return
    listening = listen(host, port)
    server = make_server(space.in_memory())
    serve_http(
        server,
        listening,
        lambda: note(f"entvec: tools for agents are at {address(listening).rstrip('/')}{PATH} (Ctrl-C ends it)"),
    )
