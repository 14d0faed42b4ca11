"""Spaces made of bundled data: the one that answers by default, and one to measure with."""

from __future__ import annotations

from entvec.bundled import bundled_knowledge, default_map, google_news, held_out_map
from entvec.bundled.maps import DEFAULT_MAP_SHA256
from entvec.bundled.news import SHA256
from entvec.evidence.reader import Reader
from entvec.knowledge.people import is_offensive
from entvec.model.model import choose
from entvec.search.key_cache import KeyCache
from entvec.search.key_table import KeyTable
from entvec.space.space import EntailmentSpace


def default_space() -> EntailmentSpace:
    """Return the bundled vectors under the bundled map, calibrated; `entvec.load()` returns the same space.

    It knows WordNet, and reads any other term with the bundled encoders. Its keys are kept in the user's cache folder,
    or in the one that the environment variable ENTVEC_CACHE names.

    >>> space = default_space()
    >>> space
    EntailmentSpace(31,530 words x 300, mapped backward)
    >>> space.direction("animal", "dog").hypo
    'dog'
    """
    vocabulary = google_news().with_lookup(case=True, space=True).withholding(_offends)
    cache = KeyCache("default", f"{SHA256} {DEFAULT_MAP_SHA256}")
    keys = KeyTable(choose(vocabulary, map=default_map()), vocabulary, cache=cache)
    return EntailmentSpace.of_keys(keys, knowledge=bundled_knowledge, reader=Reader)


def _offends(word: str) -> bool:
    return is_offensive(bundled_knowledge(), word)


def held_out_space() -> EntailmentSpace:
    """Return the bundled vectors under the map that was learned without the nouns of `entvec.evaluate.taxonomy`."""
    return EntailmentSpace.from_vectors(google_news(), map=held_out_map())
