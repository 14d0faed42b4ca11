"""Models of what the server says of itself, and of refused requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from entvec.explore.http_errors import KINDS
from entvec.explore.schemas.fields import ErrorKind, ResponseModel


class KnowledgeSummary(ResponseModel):
    """What the space knows besides its vectors: its sources, and how much they say."""

    sources: list[str]
    terms: int
    senses: int
    concepts: int
    is_a: int
    denials: int


class HealthResponse(ResponseModel):
    """Whether the server is well, and which space it serves."""

    status: Literal["ok", "stopping"]
    version: str
    words: int
    dimension: int
    operator: str
    reading: str
    calibrated: bool
    specificity: dict[str, float]
    knowledge: KnowledgeSummary | None
    formats: dict[str, str]
    answered: int
    products: int


class ErrorBody(ResponseModel):
    """Why a request was refused: a kind for programs, a sentence for people."""

    kind: Annotated[ErrorKind, Field(description="; ".join(f"{kind}: {text}" for kind, text in KINDS.items()))]
    message: str
    where: str | None
    word: str | None
    suggestions: list[str]


class ErrorResponse(ResponseModel):
    """A refused request."""

    error: ErrorBody
