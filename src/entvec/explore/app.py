"""The web application: the API, the page, and what applies to every request."""

from __future__ import annotations

import asyncio
import logging
import re
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from entvec.errors import EntvecError, shown
from entvec.explore import documentation, openapi, query_parameters, static_files
from entvec.explore.compression import LARGE_BYTES as LARGE_ANSWER
from entvec.explore.compression import LEAST_BYTES, accepts_gzip, gzipped
from entvec.explore.endpoints import ENDPOINTS, Endpoint
from entvec.explore.http_errors import HttpError, from_validation_error
from entvec.explore.limits import DISCARDED, Limits, client_of
from entvec.explore.reading import LARGE_BYTES
from entvec.explore.response_headers import HEADERS
from entvec.explore.schemas import RequestModel
from entvec.explore.service import Lane, Service
from entvec.explore.static_files import File
from entvec.explore.threads import Stopped
from entvec.space import EntailmentSpace

HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[\w.~%-]{,255})(:[0-9]{,5})?", re.ASCII)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
STATUSES = {404: "not_found", 405: "wrong_method"}

log = logging.getLogger("entvec.explore")


def application(
    space: EntailmentSpace,
    *,
    limits: Limits | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
) -> Starlette:
    """Return the explorer of a space as an ASGI application.

    >>> import entvec
    >>> application(entvec.load(), hosts=frozenset({"entail.example.org"})).state.service.space
    EntailmentSpace(31,530 words x 300, mapped backward)

    Parameters
    ----------
    space
        The space that answers.
    limits
        What clients may ask for; by default `Limits()`.
    hosts
        The host names that it answers to, None for any. A page of another site can have its own name point at this
        machine and make the browser send requests there; their Host header has that name.
    endpoints
        The addresses of the API.
    """
    service = Service(space, limits or Limits())
    routes = [Route(row.path, partial(_respond, row, service), methods=row.methods) for row in endpoints]
    files = static_files.load()
    described = openapi.description(endpoints)
    to_read = File.of(documentation.page(described), "text/html; charset=utf-8").with_compressed()
    of_api = {"/api": to_read, "/api/": to_read, "/api/openapi.json": _json_file(described)}
    for address, file in (files | of_api).items():
        routes.append(Route(address, partial(_file, file)))
    app = Starlette(routes=routes, exception_handlers={HTTPException: partial(_http_exception, files["/"])})
    app.add_middleware(_Middleware, service=service, hosts=hosts)
    app.router.redirect_slashes = False
    app.state.service = service
    return app


async def _respond(row: Endpoint, service: Service, request: Request) -> Response:
    """Answer a request to one endpoint."""
    model = row.model(request.method)
    if model is None:  # also when the server is busy: it can still say that it is well
        answer = await row.handler(service)  # type: ignore[misc]
    else:
        client = client_of(request.client.host if request.client else "")
        with service.slots.slot(client):
            try:
                answer = await _handle(row, service, request, model, client)
            except EntvecError as error:  # inside, since to look for similar spellings is work, too
                raise await service.http_error(error) from None
    content = orjson.dumps(answer)
    found = File.of(content, "application/json") if request.method != "POST" else File(content, "application/json", "")
    if len(content) >= LEAST_BYTES and _takes_gzip(request) and not _is_there(found, request):
        compressed = gzipped(content) if len(content) < LARGE_ANSWER else await service.compressed(content)
        found = found._replace(compressed=compressed)
    return await _file(found, request)


async def _handle(row: Endpoint, service: Service, request: Request, model: type[RequestModel], client: str) -> Any:
    """Read a request and return the answer of its handler."""
    in_thread = partial(_in_thread, request, service, client)
    if request.method != "POST":
        _check_site(request)
        asked = model.model_validate_json(query_parameters.to_json(model, request.scope["query_string"]))
    else:
        body = await _body(request, service.limits)
        if len(body) <= LARGE_BYTES:
            asked = model.model_validate_json(body)
        elif row.long:
            return await in_thread(service.long, lambda: row.handler(service, service.readers.read(model, body)))
        else:
            asked = await in_thread(service.large, lambda: service.readers.read(model, body))
    if row.long:
        return await in_thread(service.long, lambda: row.handler(service, asked))
    return await row.handler(service, asked)  # type: ignore[misc]


async def _in_thread(request: Request, service: Service, client: str, lane: Lane, function: Callable[[], Any]) -> Any:
    """Return the result of work in a thread; stop it if the client disconnects or the server ends."""
    work, stop = service.submit(lane, client, function)
    answer, gone = asyncio.wrap_future(work), asyncio.create_task(_disconnected(request))
    ending: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    service.waiting.add(ending)
    try:
        await asyncio.wait({answer, gone, ending}, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        if gone.done():
            raise HttpError(400, "invalid", "the connection was closed before the answer was there")
        raise HttpError(503, "busy", "the server stops before the answer is there; ask another one")
    except Stopped as error:
        message = f"the computation {error}, which is all that this server spends on one request; ask for less"
        raise HttpError(503, "too_long", message) from None
    finally:
        service.waiting.discard(ending)
        stop.stop()
        answer.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _check_site(request: Request) -> None:
    """Refuse a GET request that a page of another site makes the browser send; a link to click is allowed.

    Browsers do not send JSON to other sites without permission, so POST requests need no such check.
    """
    site, target = (request.headers.get(f"sec-fetch-{name}", "") for name in ("site", "dest"))
    if site in ("cross-site", "same-site") and target != "document":
        raise HttpError(403, "cross_site", "a page of another site sent this request; open the address itself")


async def _body(request: Request, limits: Limits) -> bytes:
    """Return the body of a request; refuse one that is not JSON, too long or too slow."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        # Browsers send the form of another site's page without permission, but not JSON.
        message = f"the body is {media_type or 'of no type'!r:.60}, expected application/json"
        raise HttpError(415, "wrong_type", message)
    declared = request.headers.get("content-length", "")
    length = int(declared[:20]) if declared.isdecimal() else 0
    if length > limits.body_bytes and (length > DISCARDED * limits.body_bytes or "expect" in request.headers):
        raise _too_large(limits)
    body, n_bytes = bytearray(), 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for part in request.stream():
                n_bytes += len(part)
                if n_bytes > DISCARDED * limits.body_bytes:
                    break
                if n_bytes <= limits.body_bytes:
                    body += part
    except TimeoutError:
        message = f"the body did not arrive within {limits.body_seconds:g} seconds; send it again"
        raise HttpError(408, "too_slow", message) from None
    except ClientDisconnect:
        raise HttpError(400, "invalid", "the connection was closed before the body was there") from None
    if n_bytes > limits.body_bytes:
        raise _too_large(limits)
    return bytes(body)


def _too_large(limits: Limits) -> HttpError:
    message = (
        f"the body has more than {limits.body_bytes:,} bytes, which is all that this server takes; send it in parts"
    )
    return HttpError(413, "too_large", message)


async def _file(file: File, request: Request) -> Response:
    """Return a file, compressed if the client takes that, or status 304 if it has it already."""
    compressed = file.compressed is not None and _takes_gzip(request)
    headers = {"ETag": file.compressed_etag if compressed else file.etag} if file.etag else {}
    if _is_there(file, request):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = file.media_type
    if file.compressed is None or not compressed:
        return Response(file.content, headers=headers)
    return Response(file.compressed, headers=headers | {"Content-Encoding": "gzip"})


def _takes_gzip(request: Request) -> bool:
    return accepts_gzip(request.headers.get("accept-encoding", ""))


def _is_there(file: File, request: Request) -> bool:
    """Return whether the client has the file already, in either form."""
    tags = request.headers.get("if-none-match", "")
    return bool(file.etag) and (file.etag in tags or file.compressed_etag in tags)


def _json_file(answer: Any) -> File:
    return File.of(orjson.dumps(answer), "application/json").with_compressed()


def _json(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(answer), status, headers, media_type="application/json")


def _error(error: HttpError) -> Response:
    return _json(error.to_dict(), error.status, error.headers)


async def _http_exception(index: File, request: Request, error: Exception) -> Response:
    """Answer a request for an unknown address or method; a browser gets the page, which shows the way back."""
    assert isinstance(error, HTTPException)  # noqa: S101  # this handler is registered for no other
    if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
        return Response(index.content, 404, media_type=index.media_type)
    kind = STATUSES.get(error.status_code, "invalid")
    message = f"{request.method} {request.url.path:.100}: {error.detail}; /api/openapi.json lists what there is"
    return _error(HttpError(error.status_code, kind, message, headers=dict(error.headers or {})))


class _Middleware:
    """Checks the host name of every request, turns errors into responses, and adds the common headers to them."""

    def __init__(self, app: ASGIApp, service: Service, hosts: frozenset[str] | None) -> None:
        self.app, self.service, self.hosts = app, service, hosts
        self.headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
                if self.service.stopping:
                    message["headers"].append((b"connection", b"close"))
                self.service.answered += 1
            await send(message)

        try:
            _check_host(scope, self.hosts)
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            if started:  # half a response cannot be taken back
                raise
            await _error(_to_http_error(error, scope))(scope, receive, send_with_headers)


def _check_host(scope: Scope, hosts: frozenset[str] | None) -> None:
    """Refuse a request for another host, and one whose host cannot be told: another program may read it differently."""
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    found = HOST.fullmatch(", ".join(given))
    if found is None or len(given) > 1:
        message = f"the request names the host {', '.join(given)!r:.100}, expected one name or address and its port"
        raise HttpError(400, "wrong_host", message)
    if hosts is not None and found["name"].lower() not in hosts:
        message = f"this server does not answer to the name {found['name']!r:.100}, only to {', '.join(sorted(hosts))}"
        raise HttpError(400, "wrong_host", message)


def _to_http_error(error: Exception, scope: Scope) -> HttpError:
    if isinstance(error, HttpError):
        return error
    if isinstance(error, ValidationError):
        return from_validation_error(error)
    # The log has the traceback, the response has not. Indented lines cannot pass for other messages of the log.
    lines = "".join(traceback.format_exception(error)).splitlines()
    where = shown(f"{scope['method']} {scope['path']:.200}")
    log.error("%s", "\n  ".join([f"{where} failed", *map(shown, lines)]))
    return HttpError(500, "failed", "the server made a mistake; its log says more, and other requests work")
