"""The explorer: a page that shows entailment, and an HTTP API for programs.

mcp_server       a server of the Model Context Protocol, for agents; mcp_tools, a method for each of its tools
server           listens and answers until a signal; uvicorn_adapter has everything that depends on uvicorn
app              `application`: an ASGI application of a space
openapi          the description of the API
endpoints        the table of endpoints: to add one, add a row
handlers         one function for each endpoint
service          the space, its threads and batches
schemas          models of requests and responses; query_parameters reads them from an address
batching         dynamic batching: requests of many clients share a matrix product
completion       words that begin with some letters
reading          processes that read large bodies
limits           how much clients may ask for
threads          threads whose work can be stopped
http_errors      refused requests
static_files     the files of the page; response_headers, the headers of every response
"""

from entvec.errors import MissingExtra

try:
    from entvec.explore.app import LOOPBACK, application
    from entvec.explore.endpoints import ENDPOINTS, Endpoint
    from entvec.explore.limits import Limits
    from entvec.explore.server import address, listen, note_interrupts, serve
except ModuleNotFoundError:
    raise MissingExtra("the explorer", needs="starlette uvicorn httptools pydantic", extra="explore") from None

__all__ = [
    "ENDPOINTS",
    "LOOPBACK",
    "Endpoint",
    "Limits",
    "address",
    "application",
    "listen",
    "note_interrupts",
    "serve",
]
