"""Models of questions about a few words among others: where one belongs, what some have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from entvec.explore import limits
from entvec.explore.schemas.fields import Facts, ListedWords, RequestModel, ResponseModel, UnknownWords, Word
from entvec.explore.schemas.words import Match


class PlaceRequest(RequestModel):
    """The parents and children of a term, from a few facts about it."""

    term: Annotated[Word, Field(description="the word to place", examples=["theremin"])]
    entails: Annotated[Facts, Field(description="words that it is a kind of")] = []
    entailed_by: Annotated[Facts, Field(description="words that are kinds of it")] = []
    like: Annotated[Facts, Field(description="words beside it", examples=[["violin", "piano"]])] = []
    not_entails: Annotated[Facts, Field(description="words that it is no kind of")] = []
    own: Annotated[bool, Field(description="use the vector of the term, if it has one")] = True
    k: Annotated[int, Field(ge=1, le=100, description="how many parents and children")] = 10


class PlaceResponse(ResponseModel):
    """Parents and children, best first."""

    term: str
    parents: list[Match]
    children: list[Match]


class CommonRequest(RequestModel):
    """What words have in common."""

    words: Annotated[ListedWords, Field(description="words", examples=[["apple", "banana", "cherry"]])]
    k: Annotated[int, Field(ge=1, le=100, description="how many names")] = 10
    share: Annotated[float, Field(gt=0, le=1, description="the share of the words that must entail a name")] = 1.0
    group: Annotated[bool, Field(description="list the forms of a word, such as its plural, as one")] = True


class Name(ResponseModel):
    """A concept that words have in common."""

    word: str
    order: float
    probability: float | None
    entailed_by: int | None


class NamedWords(ResponseModel):
    """Words and the names of what they have in common, best first."""

    words: list[str]
    names: list[Name]
    unplaced: Annotated[dict[str, str], Field(description="words that the names do not rest on, and why")]


class CommonResponse(NamedWords):
    """What all words have in common."""

    unknown: UnknownWords


class GroupRequest(RequestModel):
    """Words in groups that have a name each."""

    words: Annotated[ListedWords, Field(description="words", examples=[["apple", "banana", "car", "truck"]])]
    n: Annotated[int, Field(ge=1, le=limits.LIST_WORDS, description="how many groups", examples=[2])]
    k: Annotated[int, Field(ge=1, le=100, description="how many names of each group")] = 3


class GroupResponse(ResponseModel):
    """The groups."""

    groups: list[NamedWords]
    unknown: UnknownWords
