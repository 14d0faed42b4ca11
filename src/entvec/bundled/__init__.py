"""Data that comes with the package, and the addresses of data that may not.

toy        a world of six things, small enough to check by eye
news       real word vectors: a sample of Google News
wordnet    what is a what among their words: relations of WordNet's nouns
public     benchmarks that are fetched on request
"""

from entvec.bundled.news import google_news
from entvec.bundled.public import PUBLIC, fetch
from entvec.bundled.toy import ToyWorld, toy_world
from entvec.bundled.wordnet import RELATIONS, IsA, isa

__all__ = ["PUBLIC", "RELATIONS", "IsA", "ToyWorld", "fetch", "google_news", "isa", "toy_world"]
