"""Requests that are not answered: a status, a kind for programs and a sentence for people."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ValidationError

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
    """What is wrong with the form of a request: the first thing, and where it is."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return Refused(400, "invalid", f"the body is no JSON: {first['msg'].removeprefix('Invalid JSON: ')}")
    where = shown(".".join(str(step) for step in first["loc"]))[:LONGEST_WHERE]
    found = "" if first["type"] == "missing" else f", found {first['input']!r:.60}"
    rest = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    message = f"{where}: {first['msg']}" if where else first["msg"]
    return Refused(
        422, "invalid", f"{message}{found}{rest}; /api/openapi.json says what is expected", where=where or None
    )
