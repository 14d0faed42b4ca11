"""Models of reviews of taxonomies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from entvec.explore import limits
from entvec.explore.schemas.fields import Probability, RequestModel, ResponseModel, TaxonomyFormat, Word
from entvec.explore.schemas.taxonomies import TREE, EdgesOrText
from entvec.explore.schemas.words import Edge
from entvec.taxonomy.review_actions import ACTIONS

if TYPE_CHECKING:
    ReviewRelation: TypeAlias = str
else:
    ReviewRelation = Literal[tuple(ACTIONS)]

REVIEW = [{"decision": "accept", "term": "car", "relation": "not narrower", "target": "animal"}]
"""An example of decisions."""


class ReviewRow(RequestModel):
    """One suggestion about a term, and what was decided about it."""

    decision: Literal["accept", "reject", ""] = ""
    term: Word
    relation: Annotated[ReviewRelation, Field(description="what becomes of the term if it is accepted")]
    target: Annotated[str, Field(max_length=limits.WORD_LETTERS)] = ""
    instead: Annotated[str, Field(max_length=limits.WORD_LETTERS, description="the parent that it leaves")] = ""
    probability: Probability | None = None
    reason: Annotated[str, Field(max_length=limits.CONTEXT)] = ""
    id: Annotated[str, Field(max_length=100, description="of a finding of an audit")] = ""


class ReviewRequest(RequestModel):
    """A taxonomy, and what people decided about suggestions for it."""

    taxonomy: Annotated[EdgesOrText, Field(description="edges, or the text of a file", examples=[TREE])]
    rows: Annotated[
        list[ReviewRow],
        FailFast(),
        Field(max_length=limits.TAXONOMY_EDGES, description="the decisions", examples=[REVIEW]),
    ]
    format: Annotated[TaxonomyFormat | None, Field(description="of the text; by default that of the taxonomy")] = None


class ReviewResponse(ResponseModel):
    """The taxonomy after the review, as a text, and the review as a table and as SSSOM."""

    text: str
    file_name: str
    media_type: str
    left_out: dict[str, int]
    terms: list[str]
    edges: list[Edge]
    labels: dict[str, str]
    changes: Annotated[list[str], Field(description="what the accepted rows changed, a line each")]
    table: Annotated[str, Field(description="all rows as CSV, as `entvec taxonomy apply` takes them")]
    mappings: Annotated[str, Field(description="the decided rows as SSSOM")]
