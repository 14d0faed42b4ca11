"""Models of questions about pairs of words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from entvec.evidence.features import RELATIONS
from entvec.evidence.judge import DECIDED
from entvec.explore import limits
from entvec.explore.http_errors import check_same_length
from entvec.explore.schemas.fields import (
    Definition,
    Missing,
    MisspelledWords,
    PairList,
    Precision,
    RelationName,
    RequestModel,
    ResponseModel,
    Share,
    Text,
    UnknownWords,
    Word,
    Words,
)
from entvec.space.relating import parsed_rates

Pairs = Annotated[PairList, Field(min_length=1, max_length=limits.WORDS)]


class ScoreRequest(RequestModel):
    """Pairs: is the first a kind of the second?"""

    pairs: Annotated[Pairs, Field(description="pairs of words", examples=[[["dog", "animal"]]])]
    precision: Precision = DECIDED
    missing: Missing = "error"


class ScoreQuery(RequestModel):
    """The same as query parameters: the first `hypo` with the first `hyper`, the second with the second."""

    hypo: Annotated[Words, Field(description="the first word of each pair", examples=[["dog"]])]
    hyper: Annotated[Words, Field(description="the second of each pair", examples=[["animal"]])]
    precision: Precision = DECIDED
    missing: Missing = "error"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs, as in a body."""
        check_same_length("words", hypo=self.hypo, hyper=self.hyper)
        return list(zip(self.hypo, self.hyper, strict=True))


class ScoredPair(ResponseModel):
    """One pair."""

    hypo: str
    hyper: str
    score: float | None
    probability: float | None
    verdict: Literal["yes", "no", "unknown"] | None


class ScoreResponse(ResponseModel):
    """All pairs, in the order of the request."""

    pairs: list[ScoredPair]
    unknown: UnknownWords
    misspelled: MisspelledWords


class RelationRequest(RequestModel):
    """Pairs: what is the first to the second?"""

    pairs: Annotated[Pairs, Field(description="pairs of words", examples=[[["wheel", "car"]]])]
    precision: Precision = DECIDED
    base_rates: Annotated[
        dict[RelationName, Share] | None,
        Field(description="shares of relations among all pairs that are asked about; the others share the rest"),
    ] = None
    missing: Missing = "error"

    @property
    def rates(self) -> dict[str, float] | None:
        """The base rates that were chosen."""
        return self.base_rates


class RelationQuery(RequestModel):
    """The same as query parameters: the first `first` with the first `second`, and so on."""

    first: Annotated[Words, Field(description="the first word of each pair", examples=[["wheel"]])]
    second: Annotated[Words, Field(description="the second of each pair", examples=[["car"]])]
    precision: Precision = DECIDED
    base_rates: Annotated[
        list[str] | None, Field(max_length=len(RELATIONS), description="each as RELATION=SHARE: narrower=0.5")
    ] = None
    missing: Missing = "error"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs, as in a body."""
        check_same_length("words", first=self.first, second=self.second)
        return list(zip(self.first, self.second, strict=True))

    @property
    def rates(self) -> dict[str, float] | None:
        """The base rates that were chosen."""
        return None if self.base_rates is None else parsed_rates(self.base_rates)


class RelatedPair(ResponseModel):
    """One pair: a relation or `unknown`, the probabilities of the seven relations, and why."""

    first: str
    second: str
    sentence: Annotated[str, Field(description="the answer in plain English")]
    relation: RelationName | Literal["unknown"]
    probability: Annotated[float | None, Field(description="of the likeliest relation")]
    narrower: float | None
    broader: float | None
    same: float | None
    sibling: float | None
    part: float | None
    whole: float | None
    other: float | None
    situation: str
    shared: Annotated[str | None, Field(description="what two siblings have in common")]
    reason: str


class RelationResponse(ResponseModel):
    """All pairs, in the order of the request, and the shares of the relations that the probabilities assume."""

    pairs: list[RelatedPair]
    base_rates: dict[RelationName, float]
    unknown: UnknownWords
    misspelled: MisspelledWords


class ExplainRequest(RequestModel):
    """Why the first word entails the second, or why not."""

    hypo: Annotated[Word, Field(description="the specific word", examples=["guitar"])]
    hyper: Annotated[Word, Field(description="the general word", examples=["instrument"])]
    k: Annotated[int, Field(ge=0, le=50, description="how many dimensions to list, for and against")] = 5


class Dimension(ResponseModel):
    """One dimension, and the words for which its feature is most probably known."""

    number: int
    gain: float
    hypo: float
    hyper: float
    words: list[str]


class Strip(ResponseModel):
    """All dimensions: the gain of each, and the log-odds that it is known for the hypo and for the hyper."""

    gain: list[float]
    hypo: list[float]
    hyper: list[float]


class OperatorComparison(ResponseModel):
    """What one operator says of the pair."""

    operator: str
    symbol: str
    score: float
    reversed_score: float
    beats: Annotated[float, Field(description="the share of other words that score lower in the place of the hypo")]
    reversed_beats: float
    used: Annotated[bool, Field(description="whether this is the operator of the space")]


class EvidencePart(ResponseModel):
    """What one source adds to the evidence."""

    source: Annotated[
        str,
        Field(
            description="constant (before anything is known of the two), facts, vectors, neighbours, spelling, text, "
            "head (the words of a phrase), encoder, or names (a name that others may have, too)"
        ),
    ]
    log_odds: float


class Reason(ResponseModel):
    """A sentence that speaks for the entailment, against it, or for neither."""

    source: str
    side: Literal["for", "against", "neither"]
    text: str


class VectorsAlone(ResponseModel):
    """The probabilities that the vectors give alone."""

    probability: float
    reversed_probability: float


class SimilarWords(ResponseModel):
    """Known words that are used like the hypo, and what they are."""

    kind: str
    words: list[str]
    share: Annotated[float, Field(description="the share of all neighbours, weighted by likeness")]
    supports: Annotated[bool, Field(description="whether they are kinds of the hyper")]


class Reasoning(ResponseModel):
    """Why the first word entails the second, or why not, by all evidence."""

    headline: str
    verdict: Literal["yes", "no", "unknown"]
    probability: float | None
    relation: RelatedPair
    reasons: list[Reason]
    parts: Annotated[list[EvidencePart], Field(description="empty for adjectives and adverbs")]
    evidence: Annotated[float | None, Field(description="the sum of the parts, by which /api/hypernyms ranks")]
    vectors: VectorsAlone | None
    neighbours: list[SimilarWords]


class ExplainResponse(ResponseModel):
    """Why, by all evidence; then the score of the pair by dimension, and the scores of other operators.

    `reasoning` is null in a space that has only vectors. Score, dimensions and operators need vectors of both words.
    """

    hypo: str
    hyper: str
    score: float | None
    probability: float | None
    average: float | None
    offset: float | None
    carrying: list[Dimension]
    breaking: list[Dimension]
    rest: float | None
    reasoning: Reasoning | None
    strip: Strip
    operators: list[OperatorComparison]
    unknown: UnknownWords
    misspelled: MisspelledWords


class PairRequest(RequestModel):
    """Everything about one pair: what is the first to the second, and why?"""

    first: Annotated[Word, Field(description="a word or phrase", examples=["tomato"])]
    second: Annotated[Word, Field(description="what it may be", examples=["fruit"])]
    definition: Definition = None
    text: Text = None
    precision: Precision = DECIDED
    k: Annotated[int, Field(ge=0, le=20, description="how many analogous pairs")] = 4


class RelationWaterfall(ResponseModel):
    """What each source adds to the log-odds of the likeliest relation; the parts add up to its probability."""

    relation: RelationName
    parts: Annotated[list[EvidencePart], Field(description="empty if nothing was weighed: the same word twice")]
    log_odds: float | None
    probability: float


class AnalogousPair(ResponseModel):
    """A known pair whose words are to each other what the two words seem to be."""

    first: str
    second: str
    reason: str


class PairResponse(ResponseModel):
    """The relation, both directions of entailment, the evidence, and known pairs like this one."""

    first: str
    second: str
    relation: RelatedPair
    score: float | None
    reversed_score: float | None
    probability: Annotated[float | None, Field(description="that the first entails the second")]
    reversed_probability: float | None
    verdict: Literal["yes", "no", "unknown"]
    reversed_verdict: Literal["yes", "no", "unknown"]
    waterfall: Annotated[RelationWaterfall | None, Field(description="null if there is no evidence")]
    reasoning: Annotated[Reasoning | None, Field(description="null where rankings rest on the vectors alone")]
    rests_on: Annotated[list[str], Field(description="the sources of the answer; only `vectors` is the weakest answer")]
    analogous: list[AnalogousPair]
    base_rates: dict[RelationName, float]
    unknown: UnknownWords
    misspelled: MisspelledWords
