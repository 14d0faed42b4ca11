"""Requests that are not answered: a status, a kind for programs and a sentence for people."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from entvec.errors import EntvecError, MissingExtra, WordNotFound, shown

Kind = Literal[
    "invalid",
    "unknown_word",
    "missing_extra",
    "not_found",
    "wrong_method",
    "wrong_type",
    "wrong_host",
    "too_large",
    "too_slow",
    "too_many",
    "busy",
    "failed",
]
KINDS: dict[Kind, str] = {
    "invalid": "the request does not say what it should, or what it says cannot be",
    "unknown_word": "a word that the space does not have; `suggestions` are spelled like it",
    "missing_extra": "the server lacks an optional library",
    "not_found": "there is nothing at this address",
    "wrong_method": "the address is right, the method is not",
    "wrong_type": "the body is not declared as JSON",
    "wrong_host": "the request was meant for another server",
    "too_large": "the body is too long",
    "too_slow": "the body did not arrive in time",
    "too_many": "this client has too many long requests running",
    "busy": "the server has too many requests running",
    "failed": "an error of the server's own",
}
RETRY_SECONDS = {429: 2, 503: 1}
LONGEST_MESSAGE = 600
LONGEST_VALUE = 60
TOLD = 3
"""How many mistakes are told of one request."""
LONGEST_WHERE = 200


class Refused(Exception):
    """A request that is not answered."""

    def __init__(
        self,
        status: int,
        kind: Kind,
        message: str,
        *,
        where: str | None = None,
        word: str | None = None,
        suggestions: list[str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, shown(message)[:LONGEST_MESSAGE]
        self.where, self.word, self.suggestions = where, word, suggestions or []
        retry = {"Retry-After": str(RETRY_SECONDS[status])} if status in RETRY_SECONDS else {}
        self.headers = retry | (headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and texts, for JSON."""
        return {
            "error": {
                "kind": self.kind,
                "message": self.message,
                "where": self.where,
                "word": self.word,
                "suggestions": self.suggestions,
            }
        }


def of_error(error: EntvecError) -> Refused:
    """What entvec says of a request that it cannot answer."""
    if isinstance(error, WordNotFound):
        return Refused(422, "unknown_word", str(error), word=shown(str(error.word)), suggestions=error.suggestions)
    return Refused(422, "missing_extra" if isinstance(error, MissingExtra) else "invalid", str(error))


def of_validation(error: ValidationError) -> Refused:
    """What is wrong with the form of a request, and where."""
    found = error.errors(include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return Refused(400, "invalid", f"the body is no JSON: {found[0]['msg'].removeprefix('Invalid JSON: ')}")
    told = "; ".join(map(_told, found[:TOLD]))
    more = f" (and {len(found) - TOLD} more)" if len(found) > TOLD else ""
    return Refused(
        422, "invalid", f"{told}{more}; /api/openapi.json says what is expected", where=_where(found[0]) or None
    )


def _told(error: ErrorDetails) -> str:
    """One thing that is wrong."""
    where = _where(error)
    message = error["msg"].replace(" after validation", "")
    found = "" if error["type"] in ("missing", "extra_forbidden") else f", found {_shortened(error['input'])}"
    return f"{where}: {message}{found}" if where else f"{message}{found}"


def _where(error: ErrorDetails) -> str:
    """The names that lead to it; those in brackets are of forms to choose from, and in no request."""
    steps = (str(step) for step in error["loc"])
    return shown(".".join(step for step in steps if not step.startswith("(")))[:LONGEST_WHERE]


def _shortened(value: Any) -> str:
    """A value as JSON has it, or what kind of value it is."""
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return f"a text of {len(value):,} letters"
    return json.dumps(value, ensure_ascii=False, default=str)
