"""Every address of the API: one row each, from which routes and their description are made."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from entvec.explore import schemas
from entvec.explore.answers import Explorer, Json


class Endpoint(NamedTuple):
    """One address of the API."""

    path: str
    asked: type[schemas.Asked] | None
    """The form of its request, sent by POST; none if it is a GET."""
    answered: type[schemas.Answered]
    answer: Callable[..., Awaitable[Json]] | Callable[..., Json]
    long: bool = False


ENDPOINTS = (
    Endpoint("/api/health", None, schemas.Health, Explorer.health),
    Endpoint("/api/score", schemas.Score, schemas.Scores, Explorer.score),
    Endpoint("/api/hypernyms", schemas.Search, schemas.Matches, Explorer.hypernyms),
    Endpoint("/api/hyponyms", schemas.Search, schemas.Matches, Explorer.hyponyms),
    Endpoint("/api/explain", schemas.Explain, schemas.Explained, Explorer.explain, long=True),
    Endpoint("/api/complete", schemas.Complete, schemas.Completed, Explorer.complete),
    Endpoint("/api/map", schemas.Map, schemas.Mapped, Explorer.map, long=True),
    Endpoint("/api/taxonomy/build", schemas.Build, schemas.Built, Explorer.build, long=True),
    Endpoint("/api/taxonomy/audit", schemas.Audit, schemas.Audited, Explorer.audit, long=True),
    Endpoint("/api/taxonomy/convert", schemas.Convert, schemas.Converted, Explorer.convert, long=True),
    Endpoint("/api/taxonomy/place", schemas.Place, schemas.Placed, Explorer.place, long=True),
    Endpoint("/api/taxonomy/common", schemas.Common, schemas.Shared, Explorer.common, long=True),
    Endpoint("/api/taxonomy/group", schemas.Group, schemas.Groups, Explorer.group, long=True),
    Endpoint("/api/theory", schemas.Theory, schemas.Theorised, Explorer.theory),
    Endpoint("/api/theory/world", None, schemas.World, Explorer.world),
)
