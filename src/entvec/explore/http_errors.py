"""Refused requests: each has a status, a kind for programs and a sentence for people."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from entvec.errors import EntvecError, MissingExtra, WordNotFound, shown

KINDS = {
    "invalid": "a field of the request is missing, has the wrong type, or its value is not possible",
    "unknown_word": "the space does not have this word; `suggestions` are spelled like it",
    "missing_extra": "the server lacks an optional library",
    "not_found": "there is nothing at this address",
    "wrong_method": "the address is right, the method is not",
    "wrong_type": "the body is not declared as JSON",
    "wrong_host": "the request names another server",
    "cross_site": "a page of another site made the browser send this request",
    "too_large": "the body, or the address with the headers, is too long",
    "too_slow": "the request did not arrive in time",
    "too_long": "the answer takes longer to compute than this server allows",
    "too_many": "this client has too many requests running",
    "busy": "the server has too many requests running",
    "failed": "an error of the server itself",
}
HEADERS = {
    408: {"Connection": "close"},
    413: {"Connection": "close"},
    429: {"Retry-After": "2"},
    503: {"Retry-After": "1"},
}
"""Headers of refused requests by status."""
MAX_MESSAGE = 600
MAX_VALUE = 60
MAX_WHERE = 200
MAX_MISTAKES = 3
"""A message names at most this many mistakes of one request."""


@dataclass(eq=False)
class HttpError(Exception):
    """A refused request.

    >>> HttpError(422, "invalid", "k is 0, expected at least 1", where="k").to_dict()["error"]["where"]
    'k'

    Parameters
    ----------
    status
        The HTTP status; some have headers of their own (`HEADERS`).
    kind
        One of `KINDS`, for programs.
    message
        A sentence for people; it is cut to `MAX_MESSAGE` characters.
    where
        The field that is wrong.
    word, suggestions
        The word that the space does not have, and words that are spelled like it.
    headers
        More headers of the response.
    """

    status: int
    kind: str
    message: str
    where: str | None = None
    word: str | None = None
    suggestions: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.message = shown(self.message)[:MAX_MESSAGE]
        self.headers = HEADERS.get(self.status, {}) | self.headers

    def __str__(self) -> str:
        return self.message

    def to_dict(self) -> dict[str, Any]:
        """Return the body of the response."""
        return {"error": {name: getattr(self, name) for name in ("kind", "message", "where", "word", "suggestions")}}


def from_entvec_error(error: EntvecError) -> HttpError:
    """Convert an error of the library: an unknown word, a value that is not possible, a missing extra."""
    if isinstance(error, WordNotFound):
        return HttpError(422, "unknown_word", str(error), word=shown(str(error.word)), suggestions=error.suggestions)
    return HttpError(422, "missing_extra" if isinstance(error, MissingExtra) else "invalid", str(error))


def from_validation_error(error: ValidationError) -> HttpError:
    """Convert an error of pydantic; the message names the first mistakes and their fields."""
    found = error.errors(include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return HttpError(400, "invalid", f"the body is no JSON: {found[0]['msg'].removeprefix('Invalid JSON: ')}")
    mistakes = "; ".join(map(_mistake, found[:MAX_MISTAKES]))
    more = f" (and {len(found) - MAX_MISTAKES} more)" if len(found) > MAX_MISTAKES else ""
    message = f"{mistakes}{more}; /api/openapi.json says what is expected"
    return HttpError(422, "invalid", message, where=_where(found[0]) or None)


def check_same_length(things: str, **both: list[Any]) -> None:
    """Refuse two lists of different lengths.

    >>> check_same_length("features", hypo=[1, 2], hyper=[1])
    Traceback (most recent call last):
    ...
    entvec.explore.http_errors.HttpError: hypo has 2 features and hyper 1, expected as many of both
    """
    (first, one), (second, other) = both.items()
    if len(one) != len(other):
        message = f"{first} has {len(one)} {things} and {second} {len(other)}, expected as many of both"
        raise HttpError(422, "invalid", message, where=second)


def _mistake(error: ErrorDetails) -> str:
    where = _where(error)
    message = error["msg"].replace(" after validation", "")
    found = "" if error["type"] in ("missing", "extra_forbidden") else f", found {_shortened(error['input'])}"
    return f"{where}: {message}{found}" if where else f"{message}{found}"


def _where(error: ErrorDetails) -> str:
    """Return the path to the field. Steps in brackets name a choice of models and are not part of the request."""
    steps = (str(step) for step in error["loc"])
    return shown(".".join(step for step in steps if not step.startswith("(")))[:MAX_WHERE]


def _shortened(value: Any) -> str:
    """Return a value as JSON, or what kind of value it is if that would be long."""
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str) and len(value) > MAX_VALUE:
        return f"a text of {len(value):,} letters"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if text.isprintable() else json.dumps(value, default=str)
