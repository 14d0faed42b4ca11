"""The web application: the API, the page, and what holds for every request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
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

from entvec.errors import EntvecError
from entvec.explore import openapi, page, refusals
from entvec.explore.answers import Explorer
from entvec.explore.endpoints import ENDPOINTS, Endpoint
from entvec.explore.headers import HEADERS
from entvec.explore.limits import Admission, Limits
from entvec.explore.refusals import Kind, Refused
from entvec.explore.schemas import Asked
from entvec.space import EntailmentSpace

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
DISCARDED = 8
"""Times the longest body: what is read to its end before it is refused, for most clients listen only then."""
STATUSES: dict[int, Kind] = {404: "not_found", 405: "wrong_method"}

log = logging.getLogger("entvec.explore")


def application(
    space: EntailmentSpace, *, limits: Limits | None = None, hosts: frozenset[str] | None = LOOPBACK
) -> Starlette:
    """The explorer of a space, as an ASGI application; `hosts` are the names that it answers to, None for any.

    A page of another site can make a browser send requests to this machine under a name of its own choice: that is why
    names matter.
    """
    explorer, admission = Explorer(space), Admission(limits or Limits())
    routes = [Route(row.path, _answering(row, explorer, admission), methods=[_method(row)]) for row in ENDPOINTS]
    routes.append(Route("/api/openapi.json", partial(_sent, _json(openapi.description()))))
    files = page.load()
    routes += [Route(address, partial(_file, file)) for address, file in files.items()]
    app = Starlette(routes=routes, exception_handlers={HTTPException: partial(_http_error, files["/"])})
    app.add_middleware(_Everywhere, explorer=explorer, hosts=hosts)
    app.router.redirect_slashes = False
    app.state.explorer = explorer
    return app


def _method(row: Endpoint) -> str:
    return "GET" if row.asked is None else "POST"


def _answering(row: Endpoint, explorer: Explorer, admission: Admission) -> Callable[[Request], Any]:
    """What answers the requests to one address."""

    async def answer(request: Request) -> Response:
        try:
            if row.asked is None:  # whether it is well, a server tells even if it has no place
                return _json(await row.answer(explorer))  # type: ignore[misc]
            with admission.admitted():
                try:
                    return _json(await told(request, row.asked))
                except EntvecError as error:  # inside, since to look for spellings is work, too
                    raise await explorer.refusal(error) from None
        except ValidationError as error:
            return _refusal(refusals.of_validation(error))
        except Refused as refused:
            return _refusal(refused)

    async def told(request: Request, form: type[Asked]) -> Any:
        asked = form.model_validate_json(await _body(request, admission.limits))
        if row.long:
            with admission.admitted_long(request.client.host if request.client else ""):
                return await _unless_gone(request, explorer.in_thread(row.answer, explorer, asked))
        return await row.answer(explorer, asked)  # type: ignore[misc]

    return answer


async def _unless_gone(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """What takes long, unless the client hangs up: then work that has not begun is not done, and makes place."""
    answer, gone = asyncio.create_task(work), asyncio.create_task(_hung_up(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Refused(400, "invalid", "the connection was closed before the answer was there")
        return answer.result()
    finally:
        answer.cancel()
        gone.cancel()


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request, limits: Limits) -> bytes:
    """The body of a request, if it is JSON, arrives in time and is not too long."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        # A form of another site's page can be sent without asking; JSON cannot.
        raise Refused(415, "wrong_type", f"the body is {media_type or 'of no type'!r:.60}, expected application/json")
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
        raise Refused(408, "too_slow", message, headers={"Connection": "close"}) from None
    except ClientDisconnect:
        raise Refused(400, "invalid", "the connection was closed before the body was there") from None
    if n_bytes > limits.body_bytes:
        raise _too_large(limits)
    return bytes(body)


def _too_large(limits: Limits) -> Refused:
    return Refused(
        413,
        "too_large",
        f"the body has more than {limits.body_bytes:,} bytes, which is all that this server takes; send it in parts",
        headers={"Connection": "close"},
    )


async def _sent(response: Response, _: Request) -> Response:
    return response


async def _file(file: page.File, request: Request) -> Response:
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": file.tag})
    return Response(file.content, media_type=None, headers={"Content-Type": file.media_type, "ETag": file.tag})


def _json(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(answer), status, headers, media_type="application/json")


def _refusal(refused: Refused) -> Response:
    return _json(refused.to_dict(), refused.status, refused.headers)


async def _http_error(index: page.File, request: Request, error: Exception) -> Response:
    """An address or a method that there is not; a browser gets the page, which says so and shows the way back."""
    assert isinstance(error, HTTPException)  # noqa: S101  # that is what it is registered for
    if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
        return Response(index.content, 404, media_type=index.media_type)
    kind = STATUSES.get(error.status_code, "invalid")
    message = f"{request.method} {request.url.path:.100}: {error.detail}; /api/openapi.json lists what there is"
    return _refusal(Refused(error.status_code, kind, message, headers=dict(error.headers or {})))


class _Everywhere:
    """What holds for every request: the name it was sent to, the headers of every answer, and the end of service."""

    def __init__(self, app: ASGIApp, explorer: Explorer, hosts: frozenset[str] | None) -> None:
        self.app, self.explorer, self.hosts = app, explorer, hosts
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
                if self.explorer.stopping:
                    message["headers"].append((b"connection", b"close"))
                self.explorer.answered += 1
            await send(message)

        if self.hosts is not None and (host := _host(scope)) not in self.hosts:
            message = f"this server does not answer to the name {host!r:.100}, only to {', '.join(sorted(self.hosts))}"
            await _refusal(Refused(400, "wrong_host", message))(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            if started:  # half an answer cannot be taken back
                raise
            log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)  # the answer has no traceback
            message = "the server made a mistake; its log says more, and other requests work"
            await _refusal(Refused(500, "failed", message))(scope, receive, send_with_headers)


def _host(scope: Scope) -> str:
    """The name that the request was sent to, without the port."""
    value: str = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return (value[: value.find("]") + 1] if value.startswith("[") else value.partition(":")[0]).lower()
