"""The table of endpoints: routes, limits, the OpenAPI document and the list in the docs are made from it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from entvec.explore import handlers, schemas
from entvec.explore.service import Json

GET, POST, BOTH = ("GET",), ("POST",), ("GET", "POST")


class Endpoint(NamedTuple):
    """One row of the table.

    Parameters
    ----------
    path
        The address; its last part names the operation in the OpenAPI document.
    methods
        GET for what takes no parameters, POST for what is too long or too deep for an address, both for the rest.
    request
        The model of the JSON body and of the query parameters; None if the endpoint takes no parameters.
    response
        The model of the response.
    handler
        Called with the service, and with the request if there is one. A coroutine function; a plain one if `long`.
    long
        Whether the handler runs in a thread and counts against the limits of long requests.
    query
        The model of the query parameters, if it differs from that of the body.

    >>> [row.path for row in ENDPOINTS if row.methods == POST]
    ['/api/taxonomy/build', '/api/taxonomy/audit', '/api/taxonomy/convert', '/api/taxonomy/review']
    """

    path: str
    methods: tuple[str, ...]
    request: type[schemas.RequestModel] | None
    response: type[schemas.ResponseModel]
    handler: Callable[..., Awaitable[Json]] | Callable[..., Json]
    long: bool = False
    query: type[schemas.RequestModel] | None = None

    def model(self, method: str) -> type[schemas.RequestModel] | None:
        """Return the model that validates requests of this method."""
        return self.request if method == "POST" else self.query or self.request


ENDPOINTS = (
    Endpoint("/api/health", GET, None, schemas.HealthResponse, handlers.health),
    Endpoint("/api/score", BOTH, schemas.ScoreRequest, schemas.ScoreResponse, handlers.score, query=schemas.ScoreQuery),
    Endpoint(
        "/api/relation",
        BOTH,
        schemas.RelationRequest,
        schemas.RelationResponse,
        handlers.relation,
        query=schemas.RelationQuery,
    ),
    Endpoint("/api/hypernyms", BOTH, schemas.SearchRequest, schemas.SearchResponse, handlers.hypernyms),
    Endpoint("/api/hyponyms", BOTH, schemas.SearchRequest, schemas.SearchResponse, handlers.hyponyms),
    Endpoint("/api/word", BOTH, schemas.WordRequest, schemas.WordResponse, handlers.word, long=True),
    Endpoint("/api/explain", BOTH, schemas.ExplainRequest, schemas.ExplainResponse, handlers.explain, long=True),
    Endpoint("/api/complete", BOTH, schemas.CompleteRequest, schemas.CompleteResponse, handlers.complete),
    Endpoint("/api/map", BOTH, schemas.MapRequest, schemas.MapResponse, handlers.neighbourhood, long=True),
    Endpoint("/api/taxonomy/build", POST, schemas.BuildRequest, schemas.BuildResponse, handlers.build, long=True),
    Endpoint("/api/taxonomy/audit", POST, schemas.AuditRequest, schemas.AuditResponse, handlers.audit, long=True),
    Endpoint(
        "/api/taxonomy/convert", POST, schemas.ConvertRequest, schemas.ConvertResponse, handlers.convert, long=True
    ),
    Endpoint("/api/taxonomy/review", POST, schemas.ReviewRequest, schemas.ReviewResponse, handlers.review, long=True),
    Endpoint("/api/taxonomy/place", BOTH, schemas.PlaceRequest, schemas.PlaceResponse, handlers.place, long=True),
    Endpoint("/api/taxonomy/common", BOTH, schemas.CommonRequest, schemas.CommonResponse, handlers.common, long=True),
    Endpoint("/api/taxonomy/group", BOTH, schemas.GroupRequest, schemas.GroupResponse, handlers.group, long=True),
    Endpoint("/api/theory", BOTH, schemas.TheoryRequest, schemas.TheoryResponse, handlers.theory),
    Endpoint("/api/theory/world", GET, None, schemas.WorldResponse, handlers.world),
)
