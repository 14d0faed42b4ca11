"""Models of questions about taxonomies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, FailFast, Field, Tag

from entvec.explore import limits
from entvec.explore.schemas.fields import (
    Facts,
    ListedWords,
    MisspelledWords,
    Pair,
    PairList,
    Probability,
    ReadableName,
    RequestModel,
    ResponseModel,
    TaxonomyFormat,
    Text,
    UnknownWords,
    Word,
    WordList,
)
from entvec.explore.schemas.words import Edge

TREE = {"text": "animal\n  dog\n  car\n"}
"""An example of a taxonomy."""


class BuildRequest(RequestModel):
    """A taxonomy of a list of words."""

    words: Annotated[
        ListedWords, Field(description="what it is made of", examples=[["dog", "cat", "animal", "car", "vehicle"]])
    ]
    shape: Annotated[
        Literal["tree", "dag"], Field(description="tree: a word has one parent; dag: it may have several")
    ] = "tree"
    least: Annotated[Probability, Field(description="the least probability of an edge")] = 0.5
    entails: Annotated[PairList, Field(max_length=limits.LIST_WORDS, description="pairs that hold")] = []
    not_entails: Annotated[PairList, Field(max_length=limits.LIST_WORDS, description="pairs that do not hold")] = []
    add: Annotated[bool, Field(description="add concepts that are missing")] = False
    root: Annotated[Word | None, Field(description="a term above all terms that have no parent")] = None
    roots: Annotated[
        Facts, Field(description="words that stay on top, such as the roots of a list with a hierarchy")
    ] = []
    text: Text = None


class BuildQuery(RequestModel):
    """The same as query parameters, without pairs that hold or do not hold."""

    words: Annotated[
        ListedWords, Field(description="what it is made of", examples=[["dog", "cat", "animal", "car", "vehicle"]])
    ]
    shape: Annotated[
        Literal["tree", "dag"], Field(description="tree: a word has one parent; dag: it may have several")
    ] = "tree"
    least: Annotated[Probability, Field(description="the least probability of an edge")] = 0.5
    add: Annotated[bool, Field(description="add concepts that are missing")] = False
    root: Annotated[Word | None, Field(description="a term above all terms that have no parent")] = None
    roots: Annotated[Facts, Field(description="words that stay on top")] = []

    @property
    def entails(self) -> list[tuple[str, str]]:
        """None: pairs need a body."""
        return []

    not_entails = entails

    @property
    def text(self) -> None:
        """None: a text needs a body."""


class BuiltEdge(Edge):
    """An edge, whether the request asserted it, and the fact that it rests on."""

    known: bool
    fact: Annotated[str | None, Field(description="what is known, in a line; null where the edge is inferred")]


class Guess(ResponseModel):
    """A parent that is not probable enough for an edge."""

    hypo: str
    hyper: str
    probability: Annotated[float | None, Field(description="null if only the last words of the term speak for it")]


class UnplacedWord(ResponseModel):
    """A word without an edge, and why."""

    word: str
    reason: str
    known: Annotated[bool, Field(description="whether anything is known of it")]
    suggestions: Annotated[list[str], Field(description="known words that are spelled like it")]


class BuildResponse(ResponseModel):
    """A taxonomy; each term is listed once, and every word of the request is one."""

    terms: list[str]
    added: list[str]
    edges: list[BuiltEdge]
    generality: Annotated[
        dict[str, float], Field(description="the log of how many known concepts each term covers, where that is known")
    ]
    denied: list[Pair]
    unplaced: Annotated[list[UnplacedWord], Field(description="words without an edge")]
    guesses: Annotated[list[Guess], Field(description="less probable parents of words that have none")]
    misspelled: MisspelledWords
    unknown: UnknownWords


class GivenEdge(RequestModel):
    """The first entails the second."""

    hypo: Word
    hyper: Word
    probability: Probability | None = None


class TaxonomyEdges(RequestModel):
    """A taxonomy as terms and edges."""

    terms: Annotated[WordList, Field(max_length=limits.TAXONOMY_TERMS)] = []
    edges: Annotated[list[GivenEdge], FailFast(), Field(max_length=limits.TAXONOMY_EDGES)] = []
    denied: Annotated[PairList, Field(max_length=limits.TAXONOMY_EDGES)] = []


class TaxonomyText(RequestModel):
    """A taxonomy as the text of a file."""

    text: Annotated[str, Field(min_length=1, description="the text of a file", examples=["animal\n  dog\n  cat\n"])]
    format: Annotated[ReadableName | None, Field(description="by default recognised from the text")] = None


def _edges_or_text(taxonomy: Any) -> str:
    """Choose the model, so that error messages are about the right one."""
    is_text = isinstance(taxonomy, TaxonomyText) or (isinstance(taxonomy, dict) and "text" in taxonomy)
    return "(text)" if is_text else "(edges)"


EdgesOrText = Annotated[
    Annotated[TaxonomyEdges, Tag("(edges)")] | Annotated[TaxonomyText, Tag("(text)")], Discriminator(_edges_or_text)
]


class AuditRequest(RequestModel):
    """What is wrong with a taxonomy."""

    taxonomy: Annotated[EdgesOrText, Field(description="edges, or the text of a file", examples=[TREE])]
    missing: Annotated[bool, Field(description="also list edges that the vectors suggest")] = True


class TaxonomyQuery(RequestModel):
    """A taxonomy as query parameters: the text of a short file."""

    text: Annotated[str, Field(min_length=1, description="the text of a file", examples=["animal\n  dog\n  cat\n"])]
    text_format: Annotated[ReadableName | None, Field(description="by default recognised from the text")] = None

    @property
    def taxonomy(self) -> TaxonomyText:
        """The taxonomy, as in a body."""
        return TaxonomyText(text=self.text, format=self.text_format)


class AuditQuery(TaxonomyQuery):
    """The same as query parameters."""

    missing: Annotated[bool, Field(description="also list edges that the vectors suggest")] = True


class Finding(ResponseModel):
    """Something that is wrong, or may be."""

    id: Annotated[str, Field(description="the same in every audit")]
    kind: str
    hypo: str
    hyper: str | None
    reason: str
    severity: float
    probability: float | None
    reversed_probability: float | None
    path: list[str]
    instead: Annotated[str | None, Field(description="the present parent of a term that has a better one")]
    fix: Annotated[str, Field(description="what mends it; what `entvec taxonomy apply` does")]


class AuditResponse(ResponseModel):
    """The findings, the most serious kind first and the surest first in each; and the taxonomy as it was read."""

    terms: list[str]
    labels: Annotated[dict[str, str], Field(description="names of terms, where they differ from the term")]
    edges: list[Edge]
    without_vector: list[str]
    counts: dict[str, int]
    findings: list[Finding]


class ConvertRequest(RequestModel):
    """A taxonomy in another format."""

    taxonomy: Annotated[EdgesOrText, Field(description="edges, or the text of a file", examples=[TREE])]
    format: Annotated[TaxonomyFormat, Field(description="of the answer", examples=["tsv"])]


class ConvertQuery(TaxonomyQuery):
    """The same as query parameters."""

    format: Annotated[TaxonomyFormat, Field(description="of the answer", examples=["tsv"])]


class ConvertResponse(ResponseModel):
    """The text of a file, and what its format cannot hold."""

    text: str
    file_name: str
    media_type: str
    left_out: dict[str, int]
