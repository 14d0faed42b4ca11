"""The OpenAPI document, made from the table of endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import getdoc
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from entvec import __version__
from entvec.explore import schemas
from entvec.explore.endpoints import BOTH, ENDPOINTS, GET, POST, Endpoint
from entvec.explore.query_parameters import parameters

ERRORS = {
    "400": (BOTH, "The body is not JSON, or the request names another server."),
    "403": (GET, "A page of another site made the browser send the request."),
    "408": (POST, "The request did not arrive in time."),
    "413": (POST, "The body is too long."),
    "415": (POST, "The body is not declared as JSON."),
    "422": (BOTH, "A field is missing or wrong, or the space does not have a word."),
    "429": (BOTH, "This client has too many requests running; wait for one of them."),
    "431": (BOTH, "Address and headers are too long."),
    "503": (BOTH, "The server has too many requests running, or the answer takes too long to compute."),
}
"""The statuses of refused requests, the methods that can get them, and what they mean."""
REFERENCE = "#/components/schemas/{model}"


def description(endpoints: Sequence[Endpoint] = ENDPOINTS) -> dict[str, Any]:
    """Return the OpenAPI document."""
    models: list[type[BaseModel]] = [row.request for row in endpoints if row.request is not None]
    models += [row.response for row in endpoints] + [schemas.ErrorResponse]
    _, definitions = models_json_schema([(each, "validation") for each in models], ref_template=REFERENCE)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "entvec",
            "version": __version__,
            "summary": "Entailment in a vector space",
            "description": "Does a dog entail an animal? Words in, probabilities out. Responses are JSON. Requests are "
            "query parameters (GET; a list is a repeated parameter) or JSON (POST). A refused request has an `error` "
            "with a kind for programs and a sentence for people.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {row.path: {method.lower(): _operation(row, method) for method in row.methods} for row in endpoints},
        "components": {"schemas": definitions["$defs"]},
    }


def _operation(row: Endpoint, method: str) -> dict[str, Any]:
    model = row.model(method)
    responses = {"200": {"description": getdoc(row.response), "content": _content(row.response)}}
    for status, (methods, text) in ERRORS.items():
        if method in methods and (model is not None or status == "400"):
            responses[status] = {"description": text, "content": _content(schemas.ErrorResponse)}
    name = row.path.rpartition("/")[2]
    operation = {
        "operationId": f"get_{name}" if method == "GET" and len(row.methods) > 1 else name,
        "summary": getdoc(row.handler),
        "responses": responses,
    }
    if model is None:
        return operation
    if method == "POST":
        return operation | {"requestBody": {"required": True, "content": _content(model)}}
    return operation | {
        "parameters": [
            {"name": name, "in": "query", "required": model.model_fields[name].is_required(), "schema": schema}
            for name, schema in parameters(model).items()
        ]
    }


def _content(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": REFERENCE.format(model=model.__name__)}}}
