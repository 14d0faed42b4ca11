"""Compounds that nobody knows are kinds of their head, and not of what modifies it: a knee replacement is no knee."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from entvec.evidence.read_pairs import ReadPairs
from entvec.evidence.read_ranking import ReadRanking
from entvec.evidence.reader import Reader
from entvec.evidence.reading_weights import ReadingWeights
from entvec.space import default_space

JUDGE = default_space().judge
KNOWN = JUDGE.evidence.meanings.known
SIZE = 200


class Compound(NamedTuple):
    phrase: str
    modifier: str
    head: str


def concepts(word: str) -> set[int]:
    return {sense.concept for sense in KNOWN.senses(word) if sense.part_of_speech == "noun"}


def compounds() -> list[Compound]:
    """Nouns of two words with different heads, drawn by chance: the last word is above them, and the first is not."""
    found: dict[str, Compound] = {}
    for row in np.random.default_rng(5).permutation(len(KNOWN.terms)).tolist():
        phrase = KNOWN.terms[row].replace("_", " ")
        words = phrase.split()
        if len(words) != 2 or not phrase.islower() or words[1] in found:
            continue
        modifier, head = words
        above = set(KNOWN.ancestors(concepts(phrase)))
        if concepts(modifier) and concepts(head) & above and not concepts(modifier) & above:
            found[head] = Compound(phrase, modifier, head)
            if len(found) == SIZE:
                break
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("heads_known", [True, False])
def test_modifiers_do_not_leak(heads_known: bool) -> None:
    asked = compounds()
    phrases, modifiers, heads = (list(column) for column in zip(*asked, strict=True))
    hidden = JUDGE.ranker.hiding([*phrases, *(() if heads_known else heads)])
    weighing = ReadPairs(ReadRanking(hidden, reader(), ReadingWeights.bundled()))
    of_head, of_modifier = (
        weighing.probabilities(phrases, words, JUDGE.model.base_rates)[:, [0, 2]].sum(axis=1)  # narrower, same
        for words in (heads, modifiers)
    )
    assert np.mean(of_modifier >= 0.5) <= 0.05
    assert np.mean(of_head >= 0.5) >= 0.9


def reader() -> Reader:
    found = JUDGE.evidence.reader
    assert found is not None
    return found
