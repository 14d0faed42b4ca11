"""Handlers of questions about pairs of words."""

from __future__ import annotations

from itertools import chain
from math import isnan
from typing import TYPE_CHECKING

from entvec.evidence.analogous import analogous
from entvec.evidence.relation_waterfall import relation_waterfall
from entvec.evidence.relations import ENTAILING, UNKNOWN
from entvec.explore import schemas
from entvec.explore.service import Json, Scored, Service, unanswered
from entvec.explore.unknown_words import misspelled, unknown_words
from entvec.space.encoding import text_of
from entvec.space.relating import assumed_rates
from entvec.theory import OPERATORS

if TYPE_CHECKING:
    from entvec.evidence.relations import Relation
    from entvec.space import EntailmentSpace

REVERSED = ("broader", "same")
"""The relations in which the second word entails the first."""
WEIGHTY = 0.05
"""A source that adds less to the log-odds, for or against, is none that an answer rests on."""


async def score(service: Service, request: schemas.ScoreRequest | schemas.ScoreQuery) -> Json:
    """Score of each pair; probability and verdict from all evidence: is the first a kind of the second?"""
    pairs = request.pairs
    found = await service.score(pairs)
    missing = list(chain.from_iterable(unanswered(pairs, found)))
    if request.missing == "error" and not service.space.reads:
        service.check_known(missing)
    calibrated = service.space.calibration is not None or service.space.knowledge is not None
    rows = (_scored(pair, each) for pair, each in zip(pairs, found, strict=True))
    verdicts = [
        row | {"verdict": _verdict(row["probability"], request.precision) if calibrated else None} for row in rows
    ]
    respelled = await service.misspelled(list(chain.from_iterable(pairs)))
    return {"pairs": verdicts, "unknown": await service.unknown(missing), "misspelled": respelled}


def _scored(pair: tuple[str, str], scored: Scored | None) -> Json:
    score, probability = scored or (None, None)
    return {"hypo": pair[0], "hyper": pair[1], "score": score, "probability": probability}


def _verdict(probability: float | None, precision: float) -> str:
    if probability is None:
        return "unknown"
    return "yes" if probability >= precision else "no" if probability <= 1 - precision else "unknown"


async def relation(service: Service, request: schemas.RelationRequest | schemas.RelationQuery) -> Json:
    """What the first word of each pair is to the second, how surely, and why."""
    pairs, rates = request.pairs, request.rates
    assumed = assumed_rates(service.space.judge, rates)
    found = await service.relations(pairs, request.precision, rates)
    if request.missing == "error":
        service.check_related(found)
    undecided = (word for each in found if isnan(each.probability) for word in (each.first, each.second))
    return {
        "pairs": list(map(_related, found)),
        "base_rates": assumed,
        "unknown": await service.unknown(list(undecided)),
        "misspelled": await service.misspelled(list(chain.from_iterable(pairs))),
    }


def _related(found: Relation) -> Json:
    return found.to_dict() | {"sentence": found.sentence}


def pair(service: Service, request: schemas.PairRequest) -> Json:
    """Everything about one pair: relation, both directions, the evidence source by source, and known pairs like it."""
    space = service.space_with(request.text)
    first, second, definition = request.first, request.second, request.definition
    found = space.relation(first, second, definition=definition, precision=request.precision)
    there, back = (sum(found.probabilities[name] for name in names) for names in (ENTAILING, REVERSED))
    score = space.score(first, second, definition=definition, missing="nan")
    reversed_score = space.score(second, text_of(space.encoder, first, definition), missing="nan")
    told = {
        "first": first,
        "second": second,
        "relation": _related(found),
        "score": _number(score),
        "reversed_score": _number(reversed_score),
        "probability": _number(there),
        "reversed_probability": _number(back),
        "verdict": _verdict(_number(there), request.precision),
        "reversed_verdict": _verdict(_number(back), request.precision),
        "base_rates": assumed_rates(space.judge, None),
        "unknown": unknown_words(space, [first, second]) if isnan(there) else [],
        "misspelled": misspelled(space, [second] if definition else [first, second]),
    }
    if definition is not None:  # the encoder has read it: what is known of the word is not asked
        return told | {"waterfall": None, "reasoning": None, "rests_on": ["encoder"], "analogous": []}
    reasoning = space.explain(first, second, k=0).reasoning if space.adds_evidence else None
    waterfall = _waterfall(space, found)
    parts = [] if waterfall is None else waterfall["parts"][1:]
    alike = () if found.likeliest == UNKNOWN else analogous(space.judge, first, second, found.likeliest, request.k)
    return told | {
        "waterfall": waterfall,
        "reasoning": None if reasoning is None else reasoning.to_dict(),
        "rests_on": [part["source"] for part in parts if abs(part["log_odds"]) >= WEIGHTY],
        "analogous": [each._asdict() for each in alike],
    }


def _waterfall(space: EntailmentSpace, found: Relation) -> Json | None:
    if found.likeliest == UNKNOWN:
        return None
    parts = relation_waterfall(space.judge, found.first, found.second, found.likeliest)
    return {
        "relation": found.likeliest,
        "parts": [part._asdict() for part in parts],
        "log_odds": sum(part.log_odds for part in parts) if parts else None,
        "probability": found.probability,
    }


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


def explain(service: Service, request: schemas.ExplainRequest) -> Json:
    """Why the first word entails the second: reasons, the sum of the evidence, dimensions, and all operators."""
    space = service.space
    found = space.explain(request.hypo, request.hyper, request.k)
    # The score of a word that is read is that of an encoder, which operators cannot be compared by.
    read = space.encoder is None and set(space.read_by([request.hypo, request.hyper])) != {"vector"}
    operators = [
        row._asdict() | {"symbol": OPERATORS[row.operator].symbol, "used": row.operator == space.operator}
        for row in (() if read or isnan(found.score) else space.compare(request.hypo, request.hyper))
    ]
    strip = {name: column.tolist() for name, column in found.strip._asdict().items()}
    unknown = unknown_words(space, [request.hypo, request.hyper])
    respelled = misspelled(space, [request.hypo, request.hyper])
    return found.to_dict() | {"strip": strip, "operators": operators, "unknown": unknown, "misspelled": respelled}
