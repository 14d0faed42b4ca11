"""What WordNet 3.0 knows of nouns and verbs; `tools/build_knowledge.py` made the file."""

from functools import cache
from pathlib import Path

from entvec.knowledge import Knowledge, storage

WORDNET = Path(__file__).parent / "data" / "wordnet.knowledge"


@cache
def wordnet_knowledge() -> Knowledge:
    """Return all nouns and verbs of WordNet 3.0 with their senses, glosses and relations, memory-mapped.

    Adjectives and adverbs are left out: WordNet has no hierarchy of them.

    >>> known = wordnet_knowledge()
    >>> first, *_ = known.senses("Running shoes")
    >>> known.identifiers[first.concept], known.synonyms(known.above(first.concept)[0])
    ('04120489-n', ['shoe'])
    """
    return storage.load(WORDNET)
