"""The description of the API, made of the table of endpoints."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from entvec import __version__
from entvec.explore import schemas
from entvec.explore.endpoints import ENDPOINTS, Endpoint

REFUSALS = {
    "400": "The body is no JSON, or the request was meant for another server.",
    "408": "The body did not arrive in time.",
    "413": "The body is too long.",
    "415": "The body is not declared as JSON.",
    "422": "The request does not say what it should, or names a word that the space does not have.",
    "429": "This client has too many long requests running; wait for one of them.",
    "503": "The server has too many requests running; try again.",
}


def description() -> dict[str, Any]:
    """The OpenAPI document."""
    forms: list[tuple[type[BaseModel], JsonSchemaMode]]
    forms = [(row.asked, "validation") for row in ENDPOINTS if row.asked is not None]
    forms += [(row.answered, "serialization") for row in ENDPOINTS]
    forms.append((schemas.Refusal, "serialization"))
    references, defined = models_json_schema(forms, ref_template="#/components/schemas/{model}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "entvec",
            "version": __version__,
            "summary": "Entailment in a vector space",
            "description": "Does a dog entail an animal? Words in, probabilities out. JSON in and out; a request that "
            "is not answered has an `error` with a kind for programs and a sentence for people.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {row.path: _path(row, references) for row in ENDPOINTS},
        "components": {"schemas": defined["$defs"]},
    }


def _path(row: Endpoint, references: dict[Any, Any]) -> dict[str, Any]:
    def content(model: type[Any], mode: str) -> dict[str, Any]:
        return {"application/json": {"schema": references[model, mode]}}

    refusal = content(schemas.Refusal, "serialization")
    expected = {status: {"description": text, "content": refusal} for status, text in REFUSALS.items()}
    told = {
        "operationId": row.answer.__name__,
        "summary": getdoc(row.answer),
        "responses": {
            "200": {"description": getdoc(row.answered), "content": content(row.answered, "serialization")},
            **(expected if row.asked is not None else {"400": expected["400"]}),
        },
    }
    if row.asked is None:
        return {"get": told}
    return {"post": told | {"requestBody": {"required": True, "content": content(row.asked, "validation")}}}
