"""Query parameters of GET requests, as the JSON that a POST request would have in its body.

The same models validate both, so a GET request gets the answers and the error messages of the POST request.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from pydantic import BaseModel

from entvec.explore.http_errors import HttpError
from entvec.explore.limits import WORDS

JSON_LITERAL = re.compile(r"-?(0|[1-9][0-9]{,99})(\.[0-9]{1,99})?([eE][+-]?[0-9]{1,9})?|true|false")

MAX_PARAMETERS = 2 * WORDS + 10
"""As many as a request has that scores the most pairs: to parse more would hold up other clients."""


@cache
def parameters(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each query parameter of a model.

    A field that may be null has the schema of its other type: leaving the parameter out means null.
    """
    return {name: _without_null(field) for name, field in model.model_json_schema()["properties"].items()}


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" not in field:
        return field
    [other] = (option for option in field["anyOf"] if option != {"type": "null"})
    return {**{key: value for key, value in field.items() if key not in ("anyOf", "default")}, **other}


def to_json(model: type[BaseModel], query_string: bytes) -> str:
    """Return the JSON of a query string; a list is a repeated parameter.

    A text that is not a number where the model wants one stays a text, so that the model refuses it. So does a
    parameter that the model does not have, or one that is repeated and is not a list.

    >>> from entvec.explore.schemas import SearchRequest
    >>> to_json(SearchRequest, b"words=ice+cream&words=dog&k=3&group=true")
    '{"words": ["ice cream", "dog"], "k": 3, "group": true}'
    """
    schemas = parameters(model)
    fields = []
    if query_string.count(b"&") > MAX_PARAMETERS:
        message = f"the address has {query_string.count(b'&') + 1:,} parameters, expected at most {MAX_PARAMETERS:,}"
        raise HttpError(422, "invalid", f"{message}; send them in the body of a POST request")
    for name, texts in parse_qs(query_string.decode("utf-8", "replace"), keep_blank_values=True).items():
        schema = schemas.get(name, {})
        is_list = schema.get("type") == "array"
        is_text = (schema["items"] if is_list else schema).get("type", "string") == "string"
        values = [text if not is_text and JSON_LITERAL.fullmatch(text) else json.dumps(text) for text in texts]
        value = values[0] if len(values) == 1 and not is_list else f"[{', '.join(values)}]"
        fields.append(f"{json.dumps(name)}: {value}")
    return f"{{{', '.join(fields)}}}"
