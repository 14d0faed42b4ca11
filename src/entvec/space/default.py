"""Spaces made of bundled data: the one that answers by default, and one to measure with."""

from entvec.bundled import default_map, google_news, held_out_map
from entvec.space.space import EntailmentSpace


def default_space() -> EntailmentSpace:
    """Return the bundled vectors under the bundled map, calibrated; `entvec.load()` returns the same space.

    >>> space = default_space()
    >>> space
    EntailmentSpace(31,530 words x 300, mapped backward)
    >>> space.direction("animal", "dog").hypo
    'dog'
    """
    return EntailmentSpace.from_vectors(google_news(), map=default_map())


def held_out_space() -> EntailmentSpace:
    """Return the bundled vectors under the map that was learned without the nouns of `entvec.evaluate.taxonomy`."""
    return EntailmentSpace.from_vectors(google_news(), map=held_out_map())
