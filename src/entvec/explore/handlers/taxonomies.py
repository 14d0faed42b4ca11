"""Handlers of questions about taxonomies."""

from __future__ import annotations

from itertools import chain, compress
from typing import TYPE_CHECKING, Any

from entvec import taxonomy
from entvec.evidence.ranking_reasons import entailing_fact
from entvec.explore import schemas
from entvec.explore.reading import prepared
from entvec.explore.service import Json, Service, matches_to_json
from entvec.explore.threads import checkpoint
from entvec.explore.unknown_words import answerable, misspelled, unknown_words
from entvec.explore.word_cards import generality_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entvec.graphs import Edge
    from entvec.space import EntailmentSpace

RESPELLED = 20
"""For how many words of a list similar spellings are looked for."""


def build(service: Service, request: schemas.BuildRequest | schemas.BuildQuery) -> Json:
    """A taxonomy of all words of a list; the pairs that the request asserts or denies override what is known."""
    space = service.space_with(request.text)
    asserted = set(request.entails)
    stated = {word for pair in (*request.entails, *request.not_entails) for word in pair}
    made = taxonomy.draft(
        request.words,
        space,
        shape=request.shape,
        least=request.least,
        entails=request.entails,
        not_entails=request.not_entails,
        add=request.add,
        root=request.root,
        roots=request.roots,
        progress=checkpoint,
    )
    found = made.taxonomy
    given = {*request.words, *stated, request.root}
    words = list(dict.fromkeys(request.words))
    there = dict(zip(words, answerable(space, words), strict=True))
    respelled = misspelled(space, list(compress(words, there.values())), RESPELLED)
    unknown = unknown_words(space, [word for word, known in there.items() if not known])
    like = {row["word"]: row["suggestions"] for row in chain(respelled, unknown)}
    return {
        "terms": list(found.terms),
        "added": [term for term in found.terms if term not in given],
        "edges": [
            edge._asdict() | {"known": (edge.hypo, edge.hyper) in asserted, "fact": _fact(space, edge)}
            for edge in found.edges()
        ],
        "generality": _generality(space, found.terms),
        "denied": [list(pair) for pair in found.denied()],
        "unplaced": [
            {
                "word": word,
                "reason": reason.partition("; did you mean")[0],
                "known": there.get(word, True),
                "suggestions": like.get(word, []),
            }
            for word, reason in made.unplaced.items()
        ],
        "guesses": [guess._asdict() | {"probability": _number(guess.probability)} for guess in made.guesses],
        "misspelled": respelled,
        "unknown": unknown,
    }


def _fact(space: EntailmentSpace, edge: Edge) -> str | None:
    """Return the fact by which an edge holds, in a line."""
    fact = entailing_fact(space.judge, edge.hypo, edge.hyper) if space.adds_evidence else None
    return None if fact is None else fact.text


def _generality(space: EntailmentSpace, terms: Sequence[str]) -> dict[str, float]:
    """Return how general the terms are of which that is known."""
    if not space.adds_evidence:
        return {}
    found = ((term, generality_of(space.judge, term)) for term in terms)
    return {term: general for term, general in found if general is not None}


def _number(value: float) -> float | None:
    return None if value != value else value  # NaN alone differs from itself


def audit(service: Service, request: schemas.AuditRequest | schemas.AuditQuery) -> Json:
    """What is wrong with a taxonomy: cycles, reversed, improbable and missing edges, the most serious first."""
    found = prepared(request).taxonomy
    made = taxonomy.audit(found, service.space, missing=request.missing, progress=checkpoint)
    return made.to_dict() | {
        "terms": list(found.terms),
        "labels": dict(found.labels),
        "edges": _edges(found),
    }


def review(_: Service, request: schemas.ReviewRequest) -> Json:
    """A taxonomy after a review: what was accepted changes it; with the review as a table and as SSSOM."""
    reviewed: Json = prepared(request)
    return reviewed


def convert(_: Service, request: schemas.ConvertRequest | schemas.ConvertQuery) -> Json:
    """A taxonomy as the text of a file in another format, and what that format cannot hold."""
    converted: Json = prepared(request)
    return converted


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
    words, unknown = _split(service.space, request.words)
    if not words:
        return {"words": [], "names": [], "unplaced": {}, "unknown": unknown}
    found = taxonomy.common(words, service.space, **request.model_dump(exclude={"words"}), progress=checkpoint)
    return found.to_dict() | {"unknown": unknown}


def group(service: Service, request: schemas.GroupRequest) -> Json:
    """Words in groups, and a name for each group."""
    words, unknown = _split(service.space, request.words)
    if not words:
        return {"groups": [], "unknown": unknown}
    groups = taxonomy.abstractions(words, service.space, **request.model_dump(exclude={"words"}), progress=checkpoint)
    return {"groups": [group.to_dict() for group in groups], "unknown": unknown}


def _split(space: EntailmentSpace, words: list[str]) -> tuple[list[str], list[Json]]:
    """Return the words that something speaks of, and what is said of the others."""
    return list(compress(words, answerable(space, words))), unknown_words(space, words)


def _edges(found: taxonomy.Taxonomy) -> list[Any]:
    return [edge._asdict() for edge in found.edges()]
