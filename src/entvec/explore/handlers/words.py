"""Handlers of questions about words."""

from __future__ import annotations

from entvec import taxonomy
from entvec.explore import limits, schemas
from entvec.explore.http_errors import HttpError
from entvec.explore.service import Json, Service, unanswered
from entvec.explore.threads import checkpoint
from entvec.explore.unknown_words import known_among, unknown_words
from entvec.explore.word_cards import word_card


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
    definition = (request.definition or "").strip() or None
    if definition is not None and len(words) > 1:
        raise HttpError(422, "invalid", f"a definition of {len(words):,} words, expected one word", where="definition")
    among = None if request.among is None else tuple(request.among)
    lenient = request.missing == "nan" or service.space.reads
    if among is not None and lenient:
        among = tuple(known_among(service.space, among))
    service.check_known(among or ())
    options = request.model_dump(include={"k", "specificity", "group", "evidence", "context"})
    found = await service.search(verb, words, among=among, definition=definition, **options)
    missing = unanswered(words, found)
    if missing and not lenient:
        evidence = service.space.judge.evidence if service.space.adds_evidence else service.space.vocabulary
        raise evidence.not_found(missing)
    listed = [{"word": word, "matches": matches or []} for word, matches in zip(words, found, strict=True)]
    return {
        "words": listed,
        "unknown": await service.unknown([*missing, *(request.among or ())]),
        "misspelled": await service.misspelled(words if definition is None else []),
    }


def word(service: Service, request: schemas.WordRequest) -> Json:
    """All about a word: its senses, what is above and below it, what speaks for each, and words used like it."""
    options = request.model_dump(exclude={"word"})
    return word_card(service.space, request.word, **options)


async def complete(service: Service, request: schemas.CompleteRequest) -> Json:
    """Words of the vocabulary that begin with these letters, the frequent ones first."""
    return {"words": service.completion.words(request.start, request.k)}


def neighbourhood(service: Service, request: schemas.MapRequest) -> Json:
    """The neighbourhood of words as a graph: what they entail above, what entails them below."""
    words, space = request.words, service.space
    unknown: list[Json] = []
    if space.reads:
        words, unknown = known_among(space, words), unknown_words(space, words)
    if not words:
        return {"centre": [], "above": [], "below": [], "edges": [], "unknown": unknown}
    options = request.model_dump(exclude={"words"})
    return taxonomy.neighbourhood(words, space, **options, progress=checkpoint).to_dict() | {"unknown": unknown}
