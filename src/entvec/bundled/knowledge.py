"""What the package knows of nouns and verbs: WordNet 3.0, and everyday statements; `tools/build_knowledge.py` made it.

The everyday statements were written by hand for this package (`tools/everyday-statements.tsv`): what things are that
WordNet does not say, as that fruit is food, and what it does not know, such as a hoodie. How probably words are meant
in each of their senses: of the more frequent ones people judged it (`tools/sense-shares.tsv`); of others, in senses
that were never counted, `tools/weigh_senses.py` guessed it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.knowledge import PARTS_OF_SPEECH, Knowledge, storage
from entvec.knowledge.knowledge import Connections
from entvec.knowledge.sense_names import NOUN, VERB
from entvec.knowledge.texts import Beginning

DATA = Path(__file__).parent / "data"
WORDNET_SOURCE, EVERYDAY_SOURCE = BUNDLED_SOURCES = ("WordNet 3.0", "everyday")
"""How reasons name what comes with the package; statements of any other source are a user's."""
BUNDLED = DATA / "bundled.knowledge"
BUNDLED_SHA256 = "800828495afe8395315c94c1792f545e4b8ea83f89dc7de234b4abf0ae81417f"


@cache
def bundled_knowledge() -> Knowledge:
    """Return all nouns and verbs of WordNet 3.0 and the everyday statements, memory-mapped.

    Adjectives and adverbs are left out: WordNet has no hierarchy of them.

    >>> from entvec.knowledge.facts import facts
    >>> [fact] = facts(bundled_knowledge(), "Hoodies", "clothing").values()
    >>> fact.relation, fact.sources
    ('narrower', ('everyday', 'WordNet 3.0'))
    """
    return storage.load(BUNDLED)


@cache
def wordnet_knowledge() -> Knowledge:
    """Return WordNet 3.0 alone, without the everyday statements.

    >>> known = wordnet_knowledge()
    >>> first, *_ = known.senses("Running shoes")
    >>> known.identifiers[first.concept], known.synonyms(known.above(first.concept)[0])
    ('04120489-n', ['shoe'])
    """
    known = bundled_knowledge()
    n = int(np.argmax(of_everyday(known)))
    term, concept = known.senses_of.pairs()
    senses = np.flatnonzero(concept < n)
    rows = np.unique(term[senses])
    place = np.zeros(len(known.terms), np.int32)
    place[rows] = np.arange(len(rows))
    low, high = known.is_a.pairs()
    is_a = np.flatnonzero(np.asarray(known.origins) == 0)
    part, whole = known.part_of.pairs()
    parts = np.flatnonzero(np.asarray(known.part_origins) == 0)
    members = np.asarray(known.members.counts[:n])
    marks = known.marks.astype(np.int32)
    marks[:, 0] = place[marks[:, 0]]
    others: dict[str, Any] = {
        name: Connections(found.counts[:n], found.targets)
        for name in ("instance_of", "implies")
        if (found := getattr(known, name))
    }
    for name in ("numbers", "frequencies", "guesses", "judged"):
        others[name] = np.asarray(getattr(known, name))[senses]
    return replace(
        known,
        sources=(WORDNET_SOURCE,),
        terms=known.terms.take(rows),
        senses_of=Connections.of_pairs(len(rows), place[term[senses]], concept[senses]),
        members=Connections(members, place[known.members.targets[: int(members.sum(dtype=np.int64))]]),
        is_a=Connections.of_pairs(n, low[is_a], high[is_a]),
        part_of=Connections.of_pairs(n, part[parts], whole[parts]),
        origins=np.empty(0, np.int32),
        part_origins=np.empty(0, np.int32),
        marks=marks,
        kinds=known.kinds[:n],
        identifiers=Beginning(known.identifiers, n),
        glosses=Beginning(known.glosses, n),
        **others,
    )


def of_everyday(known: Knowledge) -> NDArray[np.bool_]:
    """Return for each concept whether everyday statements brought it: such nouns come after the verbs of WordNet."""
    kinds = np.asarray(known.kinds)
    verbs = np.cumsum(kinds == PARTS_OF_SPEECH.index(VERB))
    return np.asarray((kinds == PARTS_OF_SPEECH.index(NOUN)) & (verbs > 0))


@cache
def gloss_words() -> Mapping[str, int]:
    """Return how many definitions, of WordNet and of everyday statements, use each word or phrase.

    Words that fewer than ten use are left out, and phrases that fewer than three use or that have nothing below them.

    >>> [gloss_words().get(word, 0) for word in ("animal", "instrumentation", "musical_instrument", "running_shoe")]
    [386, 0, 45, 0]
    """
    lines = (DATA / "gloss-words.tsv").read_text(encoding="utf-8").splitlines()
    return {word: int(count) for word, count in (line.split("\t") for line in lines)}
