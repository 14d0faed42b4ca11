"""The models of all requests and responses.

They validate the requests, and the OpenAPI document is made from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, FailFast, Field, StringConstraints, Tag

from entvec.evidence.features import RELATIONS
from entvec.evidence.judge import DECIDED
from entvec.explore import limits
from entvec.explore.http_errors import KINDS, check_same_length
from entvec.graphs.formats import FORMATS, readable_formats
from entvec.space.relating import parsed_rates
from entvec.taxonomy.review import ACTIONS

if TYPE_CHECKING:
    FormatName: TypeAlias = str
    ReadableName: TypeAlias = str
    ErrorKind: TypeAlias = str
    RelationName: TypeAlias = str
    ReviewRelation: TypeAlias = str
else:  # a new row of a table is a new value here
    FormatName, ReadableName = Literal[tuple(FORMATS)], Literal[tuple(readable_formats())]
    ErrorKind = Literal[tuple(KINDS)]
    RelationName = Literal[RELATIONS]
    ReviewRelation = Literal[tuple(ACTIONS)]

Word = Annotated[str, StringConstraints(min_length=1, max_length=limits.WORD_LETTERS, pattern=r"\S")]
Share = Annotated[float, Field(gt=0, lt=1)]
Probability = Annotated[float, Field(ge=0, le=1)]
K = Annotated[int, Field(ge=1, le=limits.MATCHES)]
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


# Words and pairs


Precision = Annotated[float, Field(ge=0.5, le=1, description="the share of answers that must be right")]
Missing = Annotated[
    Literal["error", "nan"],
    Field(description="error refuses a request with missing words, nan answers it without them: null, or no matches"),
]


class ScoreRequest(RequestModel):
    """Pairs: is the first a kind of the second?"""

    pairs: Annotated[PairList, Field(min_length=1, max_length=limits.WORDS, examples=[[["dog", "animal"]]])]
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


class RelationRequest(RequestModel):
    """Pairs: what is the first to the second?"""

    pairs: Annotated[PairList, Field(min_length=1, max_length=limits.WORDS, examples=[[["wheel", "car"]]])]
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


class SearchRequest(RequestModel):
    """The best hypernyms, or hyponyms, of each word."""

    words: Annotated[Words, Field(examples=[["guitar"]])]
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


class WordRequest(RequestModel):
    """A word: what it means, what it is a kind of, and what its kinds are."""

    word: Annotated[Word, Field(examples=["bank"], description="a word, a phrase, or a sense: bank#2")]
    k: Annotated[int, Field(ge=1, le=100, description="how many hypernyms, and how many hyponyms")] = 12
    group: Annotated[bool, Field(description="list the forms of a word, such as its plural, as one")] = True
    context: Annotated[
        str | None, Field(max_length=limits.CONTEXT, description="a text that uses the word, which tells its sense")
    ] = None


class RungMatch(Match):
    """A word above or below another one."""

    source: Annotated[
        Literal["facts", "text", "encoder", "neighbours", "spelling", "vectors"],
        Field(description="what speaks most for it; facts are known, everything else is inferred"),
    ]
    generality: Annotated[
        float | None, Field(description="the log of how many known concepts it covers; null where that is not known")
    ]


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
    senses: list[WordSense]
    above: list[RungMatch]
    below: list[RungMatch]
    neighbours: list[str]


class ExplainRequest(RequestModel):
    """Why the first word entails the second, or why not."""

    hypo: Annotated[Word, Field(examples=["guitar"])]
    hyper: Annotated[Word, Field(examples=["instrument"])]
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

    source: Literal["constant", "vectors", "facts", "neighbours", "spelling", "text"]
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


class CompleteRequest(RequestModel):
    """The words of the vocabulary that begin with these letters, the frequent ones first."""

    start: Annotated[str, Field(min_length=1, max_length=limits.WORD_LETTERS, examples=["gui"])]
    k: Annotated[int, Field(ge=1, le=50)] = 8


class CompleteResponse(ResponseModel):
    """Words."""

    words: list[str]


class MapRequest(RequestModel):
    """The neighbourhood of some words, for a picture."""

    words: Annotated[WordList, Field(min_length=1, max_length=12, examples=[["piano"]])]
    above: Annotated[int, Field(ge=0, le=30)] = 8
    below: Annotated[int, Field(ge=0, le=30)] = 8
    specificity: Annotated[float | None, Field(ge=0, le=10)] = None


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


# Taxonomies


class BuildRequest(RequestModel):
    """A taxonomy of a list of words."""

    words: Annotated[ListedWords, Field(examples=[["dog", "cat", "animal", "car", "vehicle"]])]
    shape: Literal["tree", "dag"] = "tree"
    least: Annotated[Probability, Field(description="the least probability of an edge")] = 0.5
    entails: Annotated[PairList, Field(max_length=limits.LIST_WORDS, description="pairs that hold")] = []
    not_entails: Annotated[PairList, Field(max_length=limits.LIST_WORDS, description="pairs that do not hold")] = []
    add: Annotated[bool, Field(description="add concepts that are missing")] = False
    root: Annotated[Word | None, Field(description="a term above all terms that have no parent")] = None


class BuiltEdge(Edge):
    """An edge, and whether the request asserted it."""

    known: bool


class BuildResponse(ResponseModel):
    """A taxonomy; each term is listed once."""

    terms: list[str]
    added: list[str]
    edges: list[BuiltEdge]
    denied: list[Pair]
    unknown: Annotated[list[str], Field(description="words without a vector, which were left out")]


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

    text: Annotated[str, Field(min_length=1, examples=["animal\n  dog\n  cat\n"])]
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

    taxonomy: EdgesOrText
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

    taxonomy: EdgesOrText
    format: FormatName


class ConvertResponse(ResponseModel):
    """The text of a file, and what its format cannot hold."""

    text: str
    file_name: str
    media_type: str
    left_out: dict[str, int]


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

    taxonomy: EdgesOrText
    rows: Annotated[list[ReviewRow], FailFast(), Field(max_length=limits.TAXONOMY_EDGES)]
    format: Annotated[FormatName | None, Field(description="of the text; by default that of the taxonomy")] = None


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


class PlaceRequest(RequestModel):
    """The parents and children of a term, from a few facts about it."""

    term: Annotated[Word, Field(examples=["theremin"])]
    entails: Facts = []
    entailed_by: Facts = []
    like: Annotated[Facts, Field(examples=[["violin", "piano"]])] = []
    not_entails: Facts = []
    own: Annotated[bool, Field(description="use the vector of the term, if it has one")] = True
    k: Annotated[int, Field(ge=1, le=100)] = 10


class PlaceResponse(ResponseModel):
    """Parents and children, best first."""

    term: str
    parents: list[Match]
    children: list[Match]


class CommonRequest(RequestModel):
    """What words have in common."""

    words: Annotated[ListedWords, Field(examples=[["apple", "banana", "cherry"]])]
    k: Annotated[int, Field(ge=1, le=100)] = 10
    share: Annotated[float, Field(gt=0, le=1, description="the share of the words that must entail a name")] = 1.0
    group: bool = True


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

    unknown: list[str]


class GroupRequest(RequestModel):
    """Words in groups that have a name each."""

    words: Annotated[ListedWords, Field(examples=[["apple", "banana", "car", "truck"]])]
    n: Annotated[int, Field(ge=1, le=limits.LIST_WORDS, description="how many groups", examples=[2])]
    k: Annotated[int, Field(ge=1, le=100)] = 3


class GroupResponse(ResponseModel):
    """The groups."""

    groups: list[NamedWords]
    unknown: list[str]


# Theory


class TheoryRequest(RequestModel):
    """Two things: for each feature, the log-odds that it is known."""

    hypo: Annotated[list[LogOdds], Field(min_length=1, max_length=limits.FEATURES, examples=[[4, 4, -4, -4, -4]])]
    hyper: Annotated[list[LogOdds], Field(min_length=1, max_length=limits.FEATURES, examples=[[4, -4, -4, -4, -4]])]


class OperatorScore(ResponseModel):
    """The scores of one operator in both directions, and what each feature adds to the first."""

    operator: str
    symbol: str
    score: float
    reversed_score: float
    by_feature: list[float] | None


class Posterior(ResponseModel):
    """The probability that each feature is known, given that the first thing entails the second."""

    hypo: list[float]
    hyper: list[float]


class TheoryResponse(ResponseModel):
    """Scores, the exact probability of the entailment, and both posteriors."""

    operators: list[OperatorScore]
    probability: float
    reversed_probability: float
    prior: Posterior
    exact: Posterior
    mean_field: Posterior
    steps: int


class WorldResponse(ResponseModel):
    """The toy world: things, features, and which feature is known for which thing."""

    words: list[str]
    features: list[str]
    known: list[list[bool]]


# The server


class KnowledgeSummary(ResponseModel):
    """What the space knows besides its vectors: its sources, and how much they say."""

    sources: list[str]
    terms: int
    senses: int
    concepts: int
    is_a: int
    denials: int


class HealthResponse(ResponseModel):
    """Whether the server is well, and which space it serves."""

    status: Literal["ok", "stopping"]
    version: str
    words: int
    dimension: int
    operator: str
    reading: str
    calibrated: bool
    specificity: dict[str, float]
    knowledge: KnowledgeSummary | None
    formats: dict[str, str]
    answered: int
    products: int


class ErrorBody(ResponseModel):
    """Why a request was refused: a kind for programs, a sentence for people."""

    kind: Annotated[ErrorKind, Field(description="; ".join(f"{kind}: {text}" for kind, text in KINDS.items()))]
    message: str
    where: str | None
    word: str | None
    suggestions: list[str]


class ErrorResponse(ResponseModel):
    """A refused request."""

    error: ErrorBody
