"""Data that comes with the package, and the addresses of data that may not.

toy        a world of six things, small enough to check by eye
news       real word vectors: a sample of Google News
wordnet    what is a what among their words: relations of WordNet's nouns
pairs      labelled pairs of these relations, to learn from
public     benchmarks that are fetched on request
default    the space that answers without being given anything; one like it, to measure with
"""

from entvec.bundled.default import default_map, default_space, held_out_map, held_out_space
from entvec.bundled.news import google_news
from entvec.bundled.pairs import LabelledPairs, labelled_pairs
from entvec.bundled.public import PUBLIC, fetch
from entvec.bundled.toy import ToyWorld, toy_world
from entvec.bundled.wordnet import BENCHMARK, RELATIONS, IsA, isa

__all__ = [
    "BENCHMARK",
    "PUBLIC",
    "RELATIONS",
    "IsA",
    "LabelledPairs",
    "ToyWorld",
    "default_map",
    "default_space",
    "fetch",
    "google_news",
    "held_out_map",
    "held_out_space",
    "isa",
    "labelled_pairs",
    "toy_world",
]
