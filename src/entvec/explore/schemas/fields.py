"""Types of fields that several models share, and the bases of all models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, FailFast, Field, StringConstraints

from entvec.evidence.features import RELATIONS
from entvec.explore import limits
from entvec.explore.http_errors import KINDS
from entvec.graphs.formats import FORMATS, readable_formats

if TYPE_CHECKING:
    TaxonomyFormat: TypeAlias = str
    ReadableName: TypeAlias = str
    ErrorKind: TypeAlias = str
    RelationName: TypeAlias = str
else:  # a new row of a table is a new value here
    TaxonomyFormat, ReadableName = Literal[tuple(FORMATS)], Literal[tuple(readable_formats())]
    ErrorKind = Literal[tuple(KINDS)]
    RelationName = Literal[RELATIONS]

Word = Annotated[str, StringConstraints(min_length=1, max_length=limits.WORD_LETTERS, pattern=r"\S")]
Share = Annotated[float, Field(gt=0, lt=1)]
Probability = Annotated[float, Field(ge=0, le=1)]
K = Annotated[int, Field(ge=1, le=limits.MATCHES, description="how many matches of each word")]
LogOdds = Annotated[float, Field(ge=-50, le=50)]
Pair = Annotated[tuple[Word, Word], Field(description="[hypo, hyper]: the first entails the second")]
# Validation of a long list stops at the first mistake: collecting all of them would hold up other clients.
WordList = Annotated[list[Word], FailFast()]
PairList = Annotated[list[Pair], FailFast()]
Words = Annotated[WordList, Field(min_length=1, max_length=limits.WORDS)]
ListedWords = Annotated[WordList, Field(min_length=1, max_length=limits.LIST_WORDS)]
Facts = Annotated[WordList, Field(max_length=limits.LIST_WORDS)]


class RequestModel(BaseModel):
    """A request. Types are not converted, and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ResponseModel(BaseModel):
    """A response."""


Precision = Annotated[float, Field(ge=0.5, le=1, description="the share of answers that must be right")]
Missing = Annotated[
    Literal["error", "nan"],
    Field(description="error refuses a request with missing words, nan answers it without them: null, or no matches"),
]
Definition = Annotated[
    str | None,
    Field(max_length=limits.CONTEXT, description="what the word means, in a sentence, for a word that is new"),
]
Text = Annotated[
    str | None,
    Field(
        max_length=limits.TEXT,
        description="sentences, such as 'A theorbo is a kind of lute.': what they say counts as evidence",
    ),
]


class UnknownWord(ResponseModel):
    """A word that nothing can be said of."""

    word: str
    reason: str
    suggestions: Annotated[list[str], Field(description="known words that are spelled like it")]


UnknownWords = Annotated[list[UnknownWord], Field(description="words of the request that nothing can be said of")]


class Misspelled(ResponseModel):
    """A word that an encoder has read, and known words that may have been meant."""

    word: str
    suggestions: Annotated[list[str], Field(description="known words that are spelled like it")]


MisspelledWords = Annotated[
    list[Misspelled],
    Field(description="words of the request that only an encoder can read, and that look like known ones"),
]
