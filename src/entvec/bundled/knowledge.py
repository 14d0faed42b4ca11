"""What WordNet 3.0 knows of nouns and verbs; `tools/build_knowledge.py` made the file.

How probably words are meant in each of their senses: of the more frequent ones people judged it
(`tools/sense-shares.tsv`); of others, in senses that were never counted, `tools/weigh_senses.py` guessed it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from entvec.knowledge import Knowledge, storage

DATA = Path(__file__).parent / "data"
WORDNET_SOURCE = "WordNet 3.0"
WORDNET = DATA / "wordnet.knowledge"
GUESSES = DATA / "sense-guesses.npy"
JUDGED = DATA / "sense-shares.npy"
WORDNET_SHA256 = "2e2d7ed0de79589f6ce8ae49924d955491f9f66053319d3219f8f193409a1bb2"


@cache
def wordnet_knowledge() -> Knowledge:
    """Return all nouns and verbs of WordNet 3.0 with their senses, glosses and relations, memory-mapped.

    Adjectives and adverbs are left out: WordNet has no hierarchy of them.

    >>> known = wordnet_knowledge()
    >>> first, *_ = known.senses("Running shoes")
    >>> known.identifiers[first.concept], known.synonyms(known.above(first.concept)[0])
    ('04120489-n', ['shoe'])
    """
    guesses, judged = (np.load(path, mmap_mode="r") for path in (GUESSES, JUDGED))
    return replace(storage.load(WORDNET), guesses=guesses, judged=judged)


@cache
def gloss_words() -> Mapping[str, int]:
    """Return how many glosses of WordNet use each word or phrase.

    Words that fewer than ten use are left out, and phrases that fewer than three use or that have nothing below them.

    >>> [gloss_words().get(word, 0) for word in ("animal", "instrumentation", "musical_instrument", "running_shoe")]
    [383, 0, 43, 0]
    """
    lines = (DATA / "gloss-words.tsv").read_text(encoding="utf-8").splitlines()
    return {word: int(count) for word, count in (line.split("\t") for line in lines)}
