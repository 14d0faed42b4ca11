"""Models of questions about the theory."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from entvec.explore import limits
from entvec.explore.schemas.fields import LogOdds, RequestModel, ResponseModel

Features = Annotated[list[LogOdds], Field(min_length=1, max_length=limits.FEATURES)]


class TheoryRequest(RequestModel):
    """Two things: for each feature, the log-odds that it is known."""

    hypo: Annotated[Features, Field(description="of the specific thing", examples=[[4, 4, -4, -4, -4]])]
    hyper: Annotated[Features, Field(description="of the general thing", examples=[[4, -4, -4, -4, -4]])]


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
