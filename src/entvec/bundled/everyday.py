"""Everyday pairs: 500 pairs of frequent nouns and verbs with their relation, labelled by hand, to measure with.

>>> pairs = everyday_pairs()
>>> len(pairs), sum(pair.split == "test" for pair in pairs)
(500, 350)
>>> next(pair.relation for pair in pairs if pair[:2] == ("bench", "furniture"))
'narrower'

docs/everyday-pairs.md has the rule that drew them, the criteria of the labels and the limits of the benchmark.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from entvec.errors import InvalidInput

EVERYDAY_PAIRS = Path(__file__).parent / "data" / "everyday-pairs.tsv"
RELATIONS = ("narrower", "broader", "same", "sibling", "part", "whole", "other")
"""The labels; narrower: the first is a kind of the second; part: the first is a part of the second."""
Split = Literal["development", "test"]
SPLITS: tuple[Split, ...] = ("development", "test")


class EverydayPair(NamedTuple):
    """Two words and the relation of the first to the second.

    >>> EverydayPair("dog", "animal", "noun", "narrower", None, False, "true", "test").relation
    'narrower'

    Parameters
    ----------
    first, second
        The words.
    part_of_speech
        noun or verb, of both words.
    relation
        One of RELATIONS.
    also
        A second relation that is as good an answer, or None.
    doubtful
        Whether competent speakers would disagree.
    stratum
        Why the pair was drawn: true, reversed, same, sibling, part, related or random. It is not a label.
    split
        development, to look at while building, or test. The two share no word.
    """

    first: str
    second: str
    part_of_speech: str
    relation: str
    also: str | None
    doubtful: bool
    stratum: str
    split: str

    def accepts(self, relation: str) -> bool:
        """Return whether an answer is right: the relation, or the one that is also possible.

        >>> ship = next(pair for pair in everyday_pairs() if pair[:2] == ("ship", "vessel"))
        >>> ship.accepts("narrower"), ship.accepts("same"), ship.accepts("broader")
        (True, True, False)
        """
        return relation in (self.relation, self.also)


def everyday_pairs(split: Split | None = None) -> list[EverydayPair]:
    """Return the pairs of one split, or all, in the order in which they were drawn.

    >>> len(everyday_pairs("development"))
    150
    """
    if split is not None and split not in SPLITS:
        raise InvalidInput(f"no split {split!r}, expected one of {', '.join(SPLITS)}, or None for all pairs")
    _, *lines = EVERYDAY_PAIRS.read_text(encoding="utf-8").splitlines()
    pairs = []
    for line in lines:
        first, second, part_of_speech, relation, also, doubtful, stratum, its_split = line.split("\t")
        pair = EverydayPair(
            first, second, part_of_speech, relation, also or None, doubtful == "yes", stratum, its_split
        )
        if split in (None, pair.split):
            pairs.append(pair)
    return pairs
