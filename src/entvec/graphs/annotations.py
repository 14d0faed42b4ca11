"""Statements about the terms of a taxonomy other than edges: synonyms, definitions, and those that only one
format has.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

SYNONYM, DEFINITION = "synonym", "definition"
FIELDS = (SYNONYM, DEFINITION)
"""The fields of a term that more than one format can represent."""

About: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""The values of each field of some terms."""


class Rest(NamedTuple):
    """Other statements of a file, which only the writer of the same format understands."""

    format: str
    content: Any
    n: int
    """The number of statements, which are lost in any other format."""
