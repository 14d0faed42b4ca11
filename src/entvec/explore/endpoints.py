"""The table of endpoints: routes, limits, the OpenAPI document and the list in the docs are made from it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from entvec.explore import schemas
from entvec.explore.handlers import pairs, server, taxonomies, theory, words
from entvec.explore.service import Json

GET, POST, BOTH = ("GET",), ("POST",), ("GET", "POST")


class Endpoint(NamedTuple):
    """One row of the table.

    >>> [row.path for row in ENDPOINTS if row.methods == POST]
    ['/api/taxonomy/review']

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
    Endpoint("/api/health", GET, None, schemas.HealthResponse, server.health),
    Endpoint("/api/word", BOTH, schemas.WordRequest, schemas.WordResponse, words.word, long=True),
    Endpoint("/api/pair", BOTH, schemas.PairRequest, schemas.PairResponse, pairs.pair, long=True),
    Endpoint("/api/score", BOTH, schemas.ScoreRequest, schemas.ScoreResponse, pairs.score, query=schemas.ScoreQuery),
    Endpoint(
        "/api/relation",
        BOTH,
        schemas.RelationRequest,
        schemas.RelationResponse,
        pairs.relation,
        query=schemas.RelationQuery,
    ),
    Endpoint("/api/hypernyms", BOTH, schemas.SearchRequest, schemas.SearchResponse, words.hypernyms),
    Endpoint("/api/hyponyms", BOTH, schemas.SearchRequest, schemas.SearchResponse, words.hyponyms),
    Endpoint("/api/explain", BOTH, schemas.ExplainRequest, schemas.ExplainResponse, pairs.explain, long=True),
    Endpoint("/api/complete", BOTH, schemas.CompleteRequest, schemas.CompleteResponse, words.complete),
    Endpoint("/api/map", BOTH, schemas.MapRequest, schemas.MapResponse, words.neighbourhood, long=True),
    Endpoint(
        "/api/taxonomy/build",
        BOTH,
        schemas.BuildRequest,
        schemas.BuildResponse,
        taxonomies.build,
        long=True,
        query=schemas.BuildQuery,
    ),
    Endpoint(
        "/api/taxonomy/audit",
        BOTH,
        schemas.AuditRequest,
        schemas.AuditResponse,
        taxonomies.audit,
        long=True,
        query=schemas.AuditQuery,
    ),
    Endpoint("/api/taxonomy/review", POST, schemas.ReviewRequest, schemas.ReviewResponse, taxonomies.review, long=True),
    Endpoint(
        "/api/taxonomy/convert",
        BOTH,
        schemas.ConvertRequest,
        schemas.ConvertResponse,
        taxonomies.convert,
        long=True,
        query=schemas.ConvertQuery,
    ),
    Endpoint("/api/taxonomy/place", BOTH, schemas.PlaceRequest, schemas.PlaceResponse, taxonomies.place, long=True),
    Endpoint("/api/taxonomy/common", BOTH, schemas.CommonRequest, schemas.CommonResponse, taxonomies.common, long=True),
    Endpoint("/api/taxonomy/group", BOTH, schemas.GroupRequest, schemas.GroupResponse, taxonomies.group, long=True),
    Endpoint("/api/theory", BOTH, schemas.TheoryRequest, schemas.TheoryResponse, theory.theory),
    Endpoint("/api/theory/world", GET, None, schemas.WorldResponse, theory.world),
)
