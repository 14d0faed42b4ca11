"""`entvec explore`: the page on which entailment can be seen, and the API for programs."""

import logging
import warnings
from ipaddress import ip_address
from typing import Annotated

import typer

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, takes_options
from entvec.cli.progress import bar
from entvec.cli.trouble import note
from entvec.errors import TaxonomyFileWarning


@takes_options
def explore(
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="Where to listen; 0 takes a free one.")
    ] = 8765,
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines in, without any password.")
    ] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    space: AskingOptions = DEFAULT_ASKING,
    body_bytes: Annotated[int, typer.Option(min=1, help="The longest request to accept.")] = 1 << 20,
    in_flight: Annotated[int, typer.Option(min=1, help="How many requests to answer at the same time.")] = 512,
    per_client: Annotated[
        int, typer.Option(min=1, help="How many of these one client may have; behind a proxy all clients are one.")
    ] = 256,
) -> None:
    """Look at the space in a browser: words, pairs, a map, taxonomies, and the theory with sliders.

    Prints the address of the page, and serves it until Ctrl-C; requests that were accepted are answered first. The
    same address has an HTTP API, described at /api/openapi.json.

    Examples:

    * `entvec explore --open`
    * `entvec explore --port 0 --vectors glove.6B.100d.txt --map learned.safetensors`
    * `curl -s 'localhost:8765/api/hypernyms?words=guitar&k=3'`
    """
    from entvec.explore import LOOPBACK, Limits, address, application, listen, note_interrupts, serve

    heed_interrupts = note_interrupts()
    listening = listen(host, port)
    chosen = space.in_memory()
    limits = Limits(body_bytes=body_bytes, in_flight=in_flight, per_client=per_client)
    # Whoever lets other machines in is known by names that we do not know.
    local = ip_address(listening.getsockname()[0]).is_loopback
    app = application(chosen, limits=limits, hosts=LOOPBACK | {host.lower()} if local else None)
    with bar("preparing"):
        app.state.service.prepare()

    # What is odd about the text of a client is nothing to whoever runs the server.
    warnings.simplefilter("ignore", TaxonomyFileWarning)
    logging.getLogger("rdflib").setLevel(logging.ERROR)

    def tell() -> None:
        note(f"entvec: the explorer is at {address(listening)} (Ctrl-C ends it)")
        if not local:
            note(f"entvec: whoever reaches {host} can use it too; it asks for no password")
        if open_page:
            import webbrowser

            webbrowser.open(address(listening))

    heed_interrupts()
    serve(app, listening, tell)
    note(f"entvec: stopped after {app.state.service.answered:,} requests")
