"""Handlers: one function for each endpoint, from a validated request to the JSON of its response.

Short handlers are coroutines. Long ones are plain functions; a few threads run them. The first line of a docstring is
the summary of the endpoint in the OpenAPI document.
"""

from __future__ import annotations

from itertools import chain, compress
from math import isnan

import numpy as np

from entvec import __version__, taxonomy
from entvec.bundled import toy_world
from entvec.explore import limits, schemas
from entvec.explore.http_errors import HttpError, check_same_length
from entvec.explore.reading import prepared
from entvec.explore.service import Json, Scored, Service, matches_to_json, unanswered
from entvec.explore.threads import checkpoint
from entvec.explore.word_cards import word_card
from entvec.graphs.formats import FORMATS
from entvec.space.relating import assumed_rates
from entvec.theory import OPERATORS, EntailmentGraph, binary
from entvec.theory.elementwise import known

THEORY_TOLERANCE = 1e-4
"""Of log-odds: finer than a picture shows, and coarse enough that inference converges quickly."""


# Words and pairs


async def score(service: Service, request: schemas.ScoreRequest | schemas.ScoreQuery) -> Json:
    """Score of each pair; probability and verdict from all evidence: is the first a kind of the second?"""
    pairs = request.pairs
    found = await service.score(pairs)
    if request.missing == "error":
        service.check_known(list(chain.from_iterable(unanswered(pairs, found))))
    calibrated = service.space.calibration is not None or service.space.knowledge is not None
    rows = (_scored(pair, each) for pair, each in zip(pairs, found, strict=True))
    return {"pairs": [row | {"verdict": _verdict(row, request.precision) if calibrated else None} for row in rows]}


def _scored(pair: tuple[str, str], scored: Scored | None) -> Json:
    score, probability = scored or (None, None)
    return {"hypo": pair[0], "hyper": pair[1], "score": score, "probability": probability}


def _verdict(row: Json, precision: float) -> str:
    probability = row["probability"]
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
    return {"pairs": [each.to_dict() | {"sentence": each.sentence} for each in found], "base_rates": assumed}


async def hypernyms(service: Service, request: schemas.SearchRequest) -> Json:
    """The best hypernyms of each word: what it is a kind of."""
    return await _search(service, "hypernyms", request)


async def hyponyms(service: Service, request: schemas.SearchRequest) -> Json:
    """The best hyponyms of each word: its kinds."""
    return await _search(service, "hyponyms", request)


async def _search(service: Service, verb: str, request: schemas.SearchRequest) -> Json:
    words, k = request.words, request.k
    if len(words) * k > limits.ANSWERS:
        message = f"{len(words):,} words with k = {k:,} are more than {limits.ANSWERS:,} answers"
        raise HttpError(422, "invalid", f"{message}; ask for fewer at a time")
    among = None if request.among is None else tuple(request.among)
    if among is not None and request.missing == "nan":
        among = tuple(compress(among, service.is_known(among)))
    service.check_known(among or ())
    options = request.model_dump(include={"k", "specificity", "group", "evidence", "context"})
    found = await service.search(verb, words, among=among, **options)
    if request.missing == "error" and (missing := unanswered(words, found)):
        raise (service.space.judge.evidence if service.space.adds_evidence else service.space.vocabulary).not_found(
            missing
        )
    return {"words": [{"word": word, "matches": matches or []} for word, matches in zip(words, found, strict=True)]}


def word(service: Service, request: schemas.WordRequest) -> Json:
    """All about a word: its senses, what is above and below it, what speaks for each, and words used like it."""
    options = request.model_dump(exclude={"word"})
    return word_card(service.space, request.word, **options)


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
    return found.to_dict() | {"strip": strip, "operators": operators}


async def complete(service: Service, request: schemas.CompleteRequest) -> Json:
    """Words of the vocabulary that begin with these letters, the frequent ones first."""
    return {"words": service.completion.words(request.start, request.k)}


def neighbourhood(service: Service, request: schemas.MapRequest) -> Json:
    """The neighbourhood of words as a graph: what they entail above, what entails them below."""
    options = request.model_dump(exclude={"words"})
    return taxonomy.neighbourhood(request.words, service.space, **options, progress=checkpoint).to_dict()


# Taxonomies


def build(service: Service, request: schemas.BuildRequest) -> Json:
    """A taxonomy of a list of words; the pairs that the request asserts or denies override the vectors."""
    stated = {word for pair in (*request.entails, *request.not_entails) for word in pair}
    words, unknown = service.split_known(request.words)
    found = taxonomy.induce(words, service.space, **request.model_dump(exclude={"words"}), progress=checkpoint)
    asserted = set(request.entails)
    given = {*request.words, *stated, request.root}
    return {
        "terms": list(found.terms),
        "added": [term for term in found.terms if term not in given],
        "edges": [edge | {"known": (edge["hypo"], edge["hyper"]) in asserted} for edge in _edges(found)],
        "denied": [list(pair) for pair in found.denied()],
        "unknown": [word for word in unknown if word not in stated],
    }


def audit(service: Service, request: schemas.AuditRequest) -> Json:
    """What is wrong with a taxonomy: cycles, reversed, improbable and missing edges, the most serious first."""
    found = prepared(request).taxonomy
    return taxonomy.audit(found, service.space, missing=request.missing, progress=checkpoint).to_dict() | {
        "terms": list(found.terms),
        "labels": dict(found.labels),
        "edges": _edges(found),
    }


def convert(_: Service, request: schemas.ConvertRequest) -> Json:
    """A taxonomy as the text of a file in another format, and what that format cannot hold."""
    converted: Json = prepared(request)
    return converted


def review(_: Service, request: schemas.ReviewRequest) -> Json:
    """A taxonomy after a review: what was accepted changes it; with the review as a table and as SSSOM."""
    reviewed: Json = prepared(request)
    return reviewed


def place(service: Service, request: schemas.PlaceRequest) -> Json:
    """The parents and children of a term, from a few facts about it."""
    found = taxonomy.place(request.term, service.space, **request.model_dump(exclude={"term"}), progress=checkpoint)
    return {
        "term": found.term,
        "parents": matches_to_json(found.parents),
        "children": matches_to_json(found.children),
    }


def common(service: Service, request: schemas.CommonRequest) -> Json:
    """What words have in common: the least general concepts that they entail."""
    words, unknown = service.split_known(request.words)
    found = taxonomy.common(words, service.space, **request.model_dump(exclude={"words"}), progress=checkpoint)
    return found.to_dict() | {"unknown": unknown}


def group(service: Service, request: schemas.GroupRequest) -> Json:
    """Words in groups, and a name for each group."""
    words, unknown = service.split_known(request.words)
    groups = taxonomy.abstractions(words, service.space, **request.model_dump(exclude={"words"}), progress=checkpoint)
    return {"groups": [group.to_dict() for group in groups], "unknown": unknown}


def _edges(found: taxonomy.Taxonomy) -> list[Json]:
    return [edge._asdict() for edge in found.edges()]


# Theory


async def theory(_: Service, request: schemas.TheoryRequest) -> Json:
    """What the operators say of two things, and how mean-field inference compares with the exact model."""
    check_same_length("features", hypo=request.hypo, hyper=request.hyper)
    y, x = np.array(request.hypo, dtype=np.float64), np.array(request.hyper, dtype=np.float64)
    prior_y, prior_x = binary.independent(y), binary.independent(x)
    exact_y, exact_x = binary.posterior(prior_y, prior_x)
    graph = EntailmentGraph(len(y))
    graph.add_nodes(["hypo", "hyper"], np.stack([y, x]))
    graph.add_entailments("hypo", "hyper")
    inferred = graph.infer(tol=THEORY_TOLERANCE)
    return {
        "operators": [
            {
                "operator": name,
                "symbol": row.symbol,
                "score": float(row.score(y, x)),
                "reversed_score": float(row.score(x, y)),
                "by_feature": row.by_feature(y, x).tolist() if row.parts == "sum" else None,
            }
            for name, row in OPERATORS.items()
        ],
        "probability": binary.probability(prior_y, prior_x),
        "reversed_probability": binary.probability(prior_x, prior_y),
        "prior": {"hypo": known(y).tolist(), "hyper": known(x).tolist()},
        "exact": {"hypo": exact_y.tolist(), "hyper": exact_x.tolist()},
        "mean_field": {name: known(row).tolist() for name, row in zip(graph, inferred.log_odds, strict=True)},
        "steps": inferred.n_iter,
    }


async def world(_: Service) -> Json:
    """The toy world of the theory: six things and their features."""
    toys = toy_world()
    return {"words": list(toys.words), "features": list(toys.features), "known": toys.bits.tolist()}


# The server


async def health(service: Service) -> Json:
    """Whether the server is well, and which space it serves."""
    space = service.space
    return {
        "status": "stopping" if service.stopping else "ok",
        "version": __version__,
        "words": len(space),
        "dimension": space.vocabulary.dimension,
        "operator": space.operator,
        "reading": space.model.interpretation or "mapped",
        "calibrated": space.calibration is not None,
        "specificity": space.specificity._asdict(),
        "knowledge": None if space.knowledge is None else space.knowledge.summary(),
        "formats": {name: row.title for name, row in FORMATS.items()},
        "answered": service.answered,
        "products": service.n_batches,
    }
