"""Models of questions about words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from entvec.explore import limits
from entvec.explore.schemas.fields import (
    Definition,
    K,
    Missing,
    MisspelledWords,
    RequestModel,
    ResponseModel,
    UnknownWords,
    Word,
    WordList,
    Words,
)

Generality = Annotated[
    float | None, Field(description="the log of how many known concepts it covers; null where that is not known")
]


class SearchRequest(RequestModel):
    """The best hypernyms, or hyponyms, of each word."""

    words: Annotated[Words, Field(description="words or phrases", examples=[["guitar"]])]
    k: K = 10
    specificity: Annotated[
        float | None, Field(ge=0, le=10, description="penalty for general words; by default the setting of the space")
    ] = None
    group: Annotated[bool, Field(description="list the forms of a word, such as its plural, as one")] = False
    among: Annotated[list[Word] | None, Field(max_length=limits.WORDS, description="search these words only")] = None
    evidence: Annotated[
        Literal["all", "vectors"], Field(description="what the ranking rests on: all evidence, or the vectors alone")
    ] = "all"
    context: Annotated[
        str | None,
        Field(max_length=limits.CONTEXT, description="a text that uses the words, which tells their senses apart"),
    ] = None
    definition: Definition = None
    missing: Missing = "error"


class Match(ResponseModel):
    """A word that was found."""

    word: str
    score: Annotated[float | None, Field(description="null for a word without a vector, or of one")]
    probability: float | None
    variants: list[str]
    evidence: Annotated[
        float | None, Field(description="the log-odds that all sources add up to; null if the vectors alone decide")
    ] = None
    reason: Annotated[str | None, Field(description="what speaks most for the word")] = None
    sense: Annotated[str | None, Field(description="the sense in which facts speak for the word, as bank#2")] = None


class WordMatches(ResponseModel):
    """The matches of one word, best first."""

    word: str
    matches: list[Match]


class SearchResponse(ResponseModel):
    """The matches of each word, in the order of the request."""

    words: list[WordMatches]
    unknown: UnknownWords
    misspelled: MisspelledWords


class WordRequest(RequestModel):
    """A word: what it means, what it is a kind of, and what its kinds are."""

    word: Annotated[Word, Field(examples=["bank"], description="a word, a phrase, or a sense: bank#2")]
    k: Annotated[int, Field(ge=1, le=100, description="how many hypernyms, and how many hyponyms")] = 12
    group: Annotated[bool, Field(description="list the forms of a word, such as its plural, as one")] = True
    context: Annotated[
        str | None, Field(max_length=limits.CONTEXT, description="a text that uses the word, which tells its sense")
    ] = None
    definition: Definition = None
    specificity: Annotated[
        float | None, Field(ge=0, le=10, description="penalty for general words; by default the setting of the space")
    ] = None


class RungMatch(Match):
    """A word above or below another one."""

    source: Annotated[
        Literal["facts", "text", "encoder", "neighbours", "spelling", "vectors"],
        Field(description="what speaks most for it; facts are known, everything else is inferred"),
    ]
    generality: Generality


class WordSense(ResponseModel):
    """Something that a word means."""

    sense: str
    part_of_speech: str
    weight: Annotated[float, Field(description="how probably the word is meant so")]
    synonyms: list[str]
    gloss: str
    above: Annotated[list[str], Field(description="the concepts above it, the nearest first")]


class WordResponse(ResponseModel):
    """A word with its senses, the words above and below it, best first, and the known words that are used like it."""

    word: str
    read_by: Literal["vector", "facts", "encoder", "nothing"]
    objection: Annotated[str | None, Field(description="why nothing can be said of it")]
    suggestions: Annotated[
        list[str], Field(description="words that look like it, if it is neither known nor has a vector")
    ]
    people: Annotated[bool, Field(description="whether it is a group of people, of whom only facts are told")]
    generality: Generality
    senses: list[WordSense]
    above: list[RungMatch]
    below: list[RungMatch]
    neighbours: list[str]


class CompleteRequest(RequestModel):
    """The words of the vocabulary that begin with these letters, the frequent ones first."""

    start: Annotated[
        str,
        Field(min_length=1, max_length=limits.WORD_LETTERS, description="how they begin", examples=["gui"]),
    ]
    k: Annotated[int, Field(ge=1, le=50, description="how many words")] = 8


class CompleteResponse(ResponseModel):
    """Words."""

    words: list[str]


class MapRequest(RequestModel):
    """The neighbourhood of some words, for a picture."""

    words: Annotated[
        WordList, Field(min_length=1, max_length=12, description="what the map is drawn around", examples=[["piano"]])
    ]
    above: Annotated[int, Field(ge=0, le=30, description="how many words above each")] = 8
    below: Annotated[int, Field(ge=0, le=30, description="how many words below each")] = 8
    specificity: Annotated[
        float | None, Field(ge=0, le=10, description="penalty for general words; by default the setting of the space")
    ] = None


class Edge(ResponseModel):
    """The first entails the second."""

    hypo: str
    hyper: str
    probability: float | None


class MapResponse(ResponseModel):
    """Terms and edges; an edge leads from the specific term to the general one."""

    centre: list[str]
    above: list[str]
    below: list[str]
    edges: list[Edge]
    unknown: UnknownWords
