"""Data that comes with the package, and downloads of data that may not; `entvec.space.default` builds spaces of it.

toy             a world of six things, small enough to check by eye
news            real word vectors: a sample of Google News
knowledge       all nouns and verbs of WordNet, their senses and relations; everyday statements beside them
wordnet         relations of WordNet's nouns among the words of these vectors
training_pairs  labelled pairs of these nouns, to learn from
everyday        pairs of frequent words with their relation, labelled by hand, to measure with
encoders        encoders of words, phrases and definitions, trained on WordNet
maps            maps of these vectors that were learned from such pairs
public          benchmarks that are downloaded on request
"""

from entvec.bundled.encoders import encoder, encoder_map, named_encoder
from entvec.bundled.everyday import EverydayPair, everyday_pairs
from entvec.bundled.knowledge import (
    BUNDLED_SOURCES,
    EVERYDAY_SOURCE,
    WORDNET_SOURCE,
    bundled_knowledge,
    gloss_words,
    wordnet_knowledge,
)
from entvec.bundled.maps import (
    RANKING_WEIGHTS,
    READING_WEIGHTS,
    RELATION_MODEL,
    TEXT_WEIGHTS,
    default_map,
    held_out_map,
)
from entvec.bundled.news import google_news
from entvec.bundled.public import PUBLIC, Public, fetch
from entvec.bundled.toy import ToyWorld, toy_world
from entvec.bundled.training_pairs import LabelledPairs, labelled_pairs
from entvec.bundled.wordnet import BENCHMARK, RELATIONS, IsA, isa

__all__ = [
    "BENCHMARK",
    "BUNDLED_SOURCES",
    "EVERYDAY_SOURCE",
    "PUBLIC",
    "RANKING_WEIGHTS",
    "READING_WEIGHTS",
    "RELATIONS",
    "RELATION_MODEL",
    "TEXT_WEIGHTS",
    "WORDNET_SOURCE",
    "EverydayPair",
    "IsA",
    "LabelledPairs",
    "Public",
    "ToyWorld",
    "bundled_knowledge",
    "default_map",
    "encoder",
    "encoder_map",
    "everyday_pairs",
    "fetch",
    "gloss_words",
    "google_news",
    "held_out_map",
    "isa",
    "labelled_pairs",
    "named_encoder",
    "toy_world",
    "wordnet_knowledge",
]
