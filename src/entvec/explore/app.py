"""The web application: the API, the page, and what applies to every request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
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
from entvec.explore import openapi, query_parameters, static_files
from entvec.explore.endpoints import ENDPOINTS, Endpoint
from entvec.explore.http_errors import HttpError, Kind, from_validation_error
from entvec.explore.limits import Admission, Limits
from entvec.explore.response_headers import HEADERS
from entvec.explore.schemas import RequestModel
from entvec.explore.service import Service
from entvec.explore.static_files import File
from entvec.space import EntailmentSpace

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
DISCARDED = 8
"""A body of up to this many times the limit is read to its end before it is refused: most clients listen only then."""
STATUSES: dict[int, Kind] = {404: "not_found", 405: "wrong_method"}

log = logging.getLogger("entvec.explore")


def application(
    space: EntailmentSpace,
    *,
    limits: Limits | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
) -> Starlette:
    """Return the explorer of a space as an ASGI application.

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

    >>> import entvec
    >>> application(entvec.load(), hosts=frozenset({"entail.example.org"})).state.service.space
    EntailmentSpace(31,530 words x 300, mapped backward)
    """
    limits = limits or Limits()
    service, admission = Service(space), Admission(limits)
    routes = [Route(row.path, _respond(row, service, admission), methods=row.methods) for row in endpoints]
    files = static_files.load()
    document = _json_file(openapi.description(endpoints))
    for address, file in (files | {"/api/openapi.json": document}).items():
        routes.append(Route(address, partial(_file, file)))
    app = Starlette(routes=routes, exception_handlers={HTTPException: partial(_http_exception, files["/"])})
    app.add_middleware(_Middleware, service=service, hosts=hosts)
    app.router.redirect_slashes = False
    app.state.service, app.state.limits = service, limits
    return app


def _respond(row: Endpoint, service: Service, admission: Admission) -> Callable[[Request], Any]:
    """Return the function that answers the requests of one endpoint."""

    async def respond(request: Request) -> Response:
        model = row.model(request.method)
        try:
            if model is None:  # also when the server is busy: it can still say that it is well
                answer = await row.handler(service)  # type: ignore[misc]
            else:
                with admission.admitted():
                    try:
                        answer = await handle(request, model)
                    except EntvecError as error:  # inside, since to look for similar spellings is work, too
                        raise await service.http_error(error) from None
        except ValidationError as error:
            return _error(from_validation_error(error))
        except HttpError as error:
            return _error(error)
        return _json(answer) if request.method == "POST" else await _file(_json_file(answer), request)

    async def handle(request: Request, model: type[RequestModel]) -> Any:
        if request.method == "POST":
            asked = model.model_validate_json(await _body(request, admission.limits))
        else:
            _check_site(request)
            asked = model.model_validate_json(query_parameters.to_json(model, request.scope["query_string"]))
        if row.long:
            with admission.admitted_long(request.client.host if request.client else ""):
                return await _unless_disconnected(request, service.in_thread(row.handler, service, asked))
        return await row.handler(service, asked)  # type: ignore[misc]

    return respond


async def _unless_disconnected(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of long work. If the client disconnects first, work that has not begun is cancelled."""
    answer, gone = asyncio.create_task(work), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise HttpError(400, "invalid", "the connection was closed before the answer was there")
        return answer.result()
    finally:
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
                    raise _too_large(limits)
                if n_bytes <= limits.body_bytes:
                    body += part
    except TimeoutError:
        message = f"the body did not arrive within {limits.body_seconds:g} seconds; send it again"
        raise HttpError(408, "too_slow", message, headers={"Connection": "close"}) from None
    except ClientDisconnect:
        raise HttpError(400, "invalid", "the connection was closed before the body was there") from None
    if n_bytes > limits.body_bytes:
        raise _too_large(limits)
    return bytes(body)


def _too_large(limits: Limits) -> HttpError:
    return HttpError(
        413,
        "too_large",
        f"the body has more than {limits.body_bytes:,} bytes, which is all that this server takes; send it in parts",
        headers={"Connection": "close"},
    )


async def _file(file: File, request: Request) -> Response:
    """Return a file, or status 304 if the client has it already."""
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": file.etag})
    return Response(file.content, media_type=None, headers={"Content-Type": file.media_type, "ETag": file.etag})


def _json_file(answer: Any) -> File:
    return File.of(orjson.dumps(answer), "application/json")


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
    """Checks the host name of every request, and adds the common headers to every response."""

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

        if self.hosts is not None and (host := _host(scope)) not in self.hosts:
            message = f"this server does not answer to the name {host!r:.100}, only to {', '.join(sorted(self.hosts))}"
            await _error(HttpError(400, "wrong_host", message))(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            if started:  # half a response cannot be taken back
                raise
            log.error(
                "%s %s failed", scope["method"], shown(scope["path"]), exc_info=error
            )  # the response has no traceback
            message = "the server made a mistake; its log says more, and other requests work"
            await _error(HttpError(500, "failed", message))(scope, receive, send_with_headers)


def _host(scope: Scope) -> str:
    """Return the host name of a request, without the port."""
    value: str = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return (value[: value.find("]") + 1] if value.startswith("[") else value.partition(":")[0]).lower()
