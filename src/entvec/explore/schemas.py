"""What is asked and what is answered, as JSON: the forms of all requests and answers.

The same classes check requests and make the OpenAPI description, so that neither can fall behind the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, FailFast, Field, StringConstraints, Tag

from entvec.explore.limits import (
    FEATURES,
    LIST_WORDS,
    MATCHES,
    TAXONOMY_EDGES,
    TAXONOMY_TERMS,
    WORD_LETTERS,
    WORDS,
)
from entvec.explore.refusals import KINDS, Kind
from entvec.graphs.formats import FORMATS, readable_formats

if TYPE_CHECKING:
    FormatName = ReadableName = str
else:  # a new row of the table is a new value here
    FormatName, ReadableName = Literal[tuple(FORMATS)], Literal[tuple(readable_formats())]

Word = Annotated[str, StringConstraints(min_length=1, max_length=WORD_LETTERS, pattern=r"\S")]
Probability = Annotated[float, Field(ge=0, le=1)]
K = Annotated[int, Field(ge=1, le=MATCHES)]
LogOdds = Annotated[float, Field(ge=-50, le=50)]
Pair = Annotated[tuple[Word, Word], Field(description="[hypo, hyper]: the first entails the second")]
# Of a long list the first mistake is told: to find and tell all of them would take others' time.
WordList = Annotated[list[Word], FailFast()]
PairList = Annotated[list[Pair], FailFast()]


class Asked(BaseModel):
    """A request: nothing is guessed, and what is not understood is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Answered(BaseModel):
    """An answer."""


# Words and pairs


class Score(Asked):
    """Does the first entail the second? Of each pair."""

    pairs: Annotated[PairList, Field(min_length=1, max_length=WORDS, examples=[[["dog", "animal"]]])]
    precision: Annotated[float, Field(ge=0.5, le=1, description="what share of verdicts must be right")] = 0.9
    unknown: Annotated[Literal["refuse", "null"], Field(description="of pairs with an unknown word")] = "refuse"


class Scored(Answered):
    """One pair."""

    hypo: str
    hyper: str
    score: float | None
    probability: float | None
    verdict: Literal["yes", "no", "unknown"] | None


class Scores(Answered):
    """All pairs, in the order of the request."""

    pairs: list[Scored]


class Search(Asked):
    """The best hypernyms, or hyponyms, of each word."""

    words: Annotated[WordList, Field(min_length=1, max_length=WORDS, examples=[["guitar"]])]
    k: K = 10
    specificity: Annotated[
        float | None, Field(ge=0, le=10, description="how much general words lose; none: the setting of the space")
    ] = None
    group: Annotated[bool, Field(description="list the forms of a word, such as its plural, as one")] = False
    among: Annotated[list[Word] | None, Field(max_length=WORDS, description="search these words only")] = None


class Match(Answered):
    """A word that was found."""

    word: str
    score: float
    probability: float | None
    variants: list[str]


class Found(Answered):
    """What was found for one word, best first."""

    word: str
    matches: list[Match]


class Matches(Answered):
    """What was found for each word, in the order of the request."""

    words: list[Found]


class Explain(Asked):
    """Why the first word entails the second, or why not."""

    hypo: Annotated[Word, Field(examples=["guitar"])]
    hyper: Annotated[Word, Field(examples=["instrument"])]
    k: Annotated[int, Field(ge=0, le=50, description="how many dimensions to tell the words of, on each side")] = 5


class Dimension(Answered):
    """One dimension, and the words of which its feature is known best."""

    number: int
    gain: float
    hypo: float
    hyper: float
    words: list[str]


class Strip(Answered):
    """All dimensions: for each its gain, and the log-odds that it is known of the hypo and of the hyper."""

    gain: list[float]
    hypo: list[float]
    hyper: list[float]


class Compared(Answered):
    """What one operator makes of the pair."""

    operator: str
    symbol: str
    score: float
    reversed_score: float
    beats: Annotated[float, Field(description="of other words in the place of the hypo, the share that score lower")]
    reversed_beats: float
    used: Annotated[bool, Field(description="whether this is the operator of the space")]


class Explained(Answered):
    """The score of a pair, taken apart, and compared with that of other operators."""

    hypo: str
    hyper: str
    score: float
    probability: float | None
    average: float
    offset: float
    carrying: list[Dimension]
    breaking: list[Dimension]
    rest: float
    strip: Strip
    operators: list[Compared]


class Complete(Asked):
    """The words of the vocabulary that begin so, the frequent first."""

    start: Annotated[str, Field(min_length=1, max_length=WORD_LETTERS)]
    k: Annotated[int, Field(ge=1, le=50)] = 8


class Completed(Answered):
    """Words."""

    words: list[str]


class Map(Asked):
    """The neighbourhood of some words, for a picture."""

    words: Annotated[WordList, Field(min_length=1, max_length=12, examples=[["piano"]])]
    above: Annotated[int, Field(ge=0, le=30)] = 8
    below: Annotated[int, Field(ge=0, le=30)] = 8
    specificity: Annotated[float | None, Field(ge=0, le=10)] = None


class Edge(Answered):
    """The first entails the second."""

    hypo: str
    hyper: str
    probability: float | None


class Mapped(Answered):
    """Terms and edges; the edges lead from the specific to the general."""

    centre: list[str]
    above: list[str]
    below: list[str]
    edges: list[Edge]


# Taxonomies


class Build(Asked):
    """A taxonomy of a list of words."""

    words: Annotated[
        WordList, Field(min_length=1, max_length=LIST_WORDS, examples=[["dog", "cat", "animal", "car", "vehicle"]])
    ]
    shape: Literal["tree", "dag"] = "tree"
    least: Annotated[Probability, Field(description="how probable an edge must be")] = 0.1
    entails: Annotated[PairList, Field(max_length=LIST_WORDS, description="what is known")] = []
    not_entails: Annotated[PairList, Field(max_length=LIST_WORDS, description="what is denied")] = []
    add: Annotated[bool, Field(description="put in concepts that are missing")] = False
    root: Annotated[Word | None, Field(description="a term over all that would stay on top")] = None


class BuiltEdge(Edge):
    """An edge, and whether the request said so."""

    known: bool


class Built(Answered):
    """A taxonomy; every term is once among the terms."""

    terms: list[str]
    added: list[str]
    edges: list[BuiltEdge]
    denied: list[Pair]
    unknown: Annotated[list[str], Field(description="words that have no vector, and were left out")]


class GivenEdge(Asked):
    """The first entails the second."""

    hypo: Word
    hyper: Word
    probability: Probability | None = None


class Given(Asked):
    """A taxonomy, term by term and edge by edge."""

    terms: Annotated[WordList, Field(max_length=TAXONOMY_TERMS)] = []
    edges: Annotated[list[GivenEdge], FailFast(), Field(max_length=TAXONOMY_EDGES)] = []
    denied: Annotated[PairList, Field(max_length=TAXONOMY_EDGES)] = []


class Text(Asked):
    """A taxonomy as a file has it."""

    text: Annotated[str, Field(min_length=1, examples=["animal\n  dog\n  cat\n"])]
    format: Annotated[ReadableName | None, Field(description="none: told by the text itself")] = None


def _form(taxonomy: Any) -> str:
    """Which of both was meant, so that what is wrong with it is told of the right one."""
    return "(text)" if isinstance(taxonomy, Text) or (isinstance(taxonomy, dict) and "text" in taxonomy) else "(edges)"


GivenOrText = Annotated[Annotated[Given, Tag("(edges)")] | Annotated[Text, Tag("(text)")], Discriminator(_form)]


class Audit(Asked):
    """What is wrong with a taxonomy."""

    taxonomy: GivenOrText
    missing: Annotated[bool, Field(description="also tell which edges the vectors suggest")] = True


class Finding(Answered):
    """Something that is wrong, or may be."""

    kind: str
    hypo: str
    hyper: str | None
    reason: str
    severity: float
    probability: float | None
    reversed_probability: float | None
    path: list[str]


class Audited(Answered):
    """What was found, the gravest kind first and in each the surest first; and the taxonomy as it was understood."""

    terms: list[str]
    labels: Annotated[dict[str, str], Field(description="what terms are called, if not as they are written")]
    edges: list[Edge]
    without_vector: list[str]
    counts: dict[str, int]
    findings: list[Finding]


class Convert(Asked):
    """A taxonomy in another format."""

    taxonomy: GivenOrText
    format: FormatName


class Converted(Answered):
    """The text of a file, and what the format has no place for."""

    text: str
    file_name: str
    media_type: str
    left_out: dict[str, int]


class Place(Asked):
    """Where a term belongs, from what is known of it."""

    term: Annotated[Word, Field(examples=["theremin"])]
    entails: Annotated[WordList, Field(max_length=LIST_WORDS)] = []
    entailed_by: Annotated[WordList, Field(max_length=LIST_WORDS)] = []
    like: Annotated[WordList, Field(max_length=LIST_WORDS, examples=[["violin", "piano"]])] = []
    not_entails: Annotated[WordList, Field(max_length=LIST_WORDS)] = []
    own: Annotated[bool, Field(description="use the vector that the term has itself")] = True
    k: Annotated[int, Field(ge=1, le=100)] = 10


class Placed(Answered):
    """Its parents and children, best first."""

    term: str
    parents: list[Match]
    children: list[Match]


class Common(Asked):
    """What words have in common."""

    words: Annotated[WordList, Field(min_length=1, max_length=LIST_WORDS, examples=[["apple", "banana", "cherry"]])]
    k: Annotated[int, Field(ge=1, le=100)] = 10
    share: Annotated[float, Field(gt=0, le=1, description="which share of the words must entail it")] = 1.0
    group: bool = True


class Name(Answered):
    """A concept that words have in common."""

    word: str
    order: float
    probability: float | None
    entailed_by: int | None


class Named(Answered):
    """Words and the names of what they have in common, best first."""

    words: list[str]
    names: list[Name]


class Shared(Named):
    """What all words have in common."""

    unknown: list[str]


class Group(Asked):
    """Words in groups that have a name each."""

    words: Annotated[
        WordList, Field(min_length=1, max_length=LIST_WORDS, examples=[["apple", "banana", "car", "truck"]])
    ]
    n: Annotated[int, Field(ge=1, le=LIST_WORDS, description="how many groups", examples=[2])]
    k: Annotated[int, Field(ge=1, le=100)] = 3


class Groups(Answered):
    """The groups."""

    groups: list[Named]
    unknown: list[str]


# Theory


class Theory(Asked):
    """Two things of which features are known with these log-odds."""

    hypo: Annotated[list[LogOdds], Field(min_length=1, max_length=FEATURES, examples=[[4, 4, -4, -4, -4]])]
    hyper: Annotated[list[LogOdds], Field(min_length=1, max_length=FEATURES, examples=[[4, -4, -4, -4, -4]])]


class OperatorScore(Answered):
    """What one operator says, in both directions, and what each feature adds to the first."""

    operator: str
    symbol: str
    score: float
    reversed_score: float
    by_feature: list[float] | None


class Posterior(Answered):
    """How probably each feature is known once it is said that the first entails the second."""

    hypo: list[float]
    hyper: list[float]


class Theorised(Answered):
    """Scores, the exact probability of the entailment, and both posteriors."""

    operators: list[OperatorScore]
    probability: float
    reversed_probability: float
    prior: Posterior
    exact: Posterior
    mean_field: Posterior
    steps: int


class World(Answered):
    """The toy world: things, features, and which feature is known of which thing."""

    words: list[str]
    features: list[str]
    known: list[list[bool]]


# The server


class Health(Answered):
    """That the server is there, and what it serves."""

    status: Literal["ok", "stopping"]
    version: str
    words: int
    dimension: int
    operator: str
    reading: str
    calibrated: bool
    specificity: dict[str, float]
    formats: dict[str, str]
    answered: int
    products: int


class Problem(Answered):
    """Why a request was refused: a kind for programs, a sentence for people."""

    kind: Annotated[Kind, Field(description="; ".join(f"{kind}: {text}" for kind, text in KINDS.items()))]
    message: str
    where: str | None
    word: str | None
    suggestions: list[str]


class Refusal(Answered):
    """A request that was not answered."""

    error: Problem
