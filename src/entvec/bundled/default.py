"""The space that answers without being given anything: bundled vectors under the bundled map."""

from pathlib import Path

from entvec.bundled.news import google_news
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace

DATA = Path(__file__).parent / "data"
PATH = DATA / "default-map.safetensors"


def default_map() -> FittedMap:
    """The map of Google News vectors that `tools/train_default_map.py` made; its model card is docs/default-map.md."""
    return FittedMap.load(PATH)


def held_out_map() -> FittedMap:
    """A map like the default one that has not seen the 2,960 nouns of `entvec.evaluate.taxonomy`: to measure with."""
    return FittedMap.load(DATA / "held-out-map.safetensors")


def held_out_space() -> EntailmentSpace:
    """The bundled vectors under that map."""
    return EntailmentSpace.from_vectors(google_news(), map=held_out_map())


def default_space() -> EntailmentSpace:
    """The bundled vectors under the bundled map, calibrated: what `entvec.load()` gives.

    >>> space = default_space()
    >>> space
    EntailmentSpace(31,530 words x 300, mapped backward)
    >>> space.direction("animal", "dog").hypo
    'dog'
    """
    return EntailmentSpace.from_vectors(google_news(), map=default_map())
