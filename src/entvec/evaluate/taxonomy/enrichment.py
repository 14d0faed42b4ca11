"""SemEval-2016 Task 14: new word senses with definitions, to be put under a sense of WordNet.

Our answer is the best hypernym of the word, or of the first nouns of its definition, in the sense that fits the
definition. Wu & Palmer similarity compares it with the right sense: twice the depth of what they share by the sum of
their depths. The words are new to WordNet 3.0 by design, so no facts are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from entvec.bundled import wordnet_knowledge
from entvec.evaluate.taxonomy.gold_files import Item, read_items
from entvec.evaluate.taxonomy.results import StudyResult, columns
from entvec.knowledge import Knowledge, Sense
from entvec.space import EntailmentSpace

PARTS = {"n": "noun", "v": "verb"}
SHORTEST = 3
"""The least number of letters of a word of a definition that counts, so that no article does."""
LOOKED_AT = 10
"""How many hypernyms are looked at, until one is in WordNet as the same part of speech."""


def sense_named(known: Knowledge, name: str) -> Sense | None:
    """Return the sense that `lemma#pos#number` names; None if there is none.

    >>> str(sense_named(wordnet_knowledge(), "bank#n#2"))
    'bank#2'
    """
    lemma, part, number = name.rsplit("#", 2)
    senses = known.senses(lemma.replace("_", " "))
    return next(
        (each for each in senses if each.part_of_speech == PARTS.get(part) and str(each.number) == number), None
    )


def wu_palmer(known: Knowledge, first: int, second: int) -> float:
    """Return how similar two concepts are by what they share above them; a top concept has depth 1.

    >>> known = wordnet_knowledge()
    >>> dog, cat = (sense_named(known, f"{word}#n#1").concept for word in ("dog", "cat"))
    >>> round(wu_palmer(known, dog, cat), 2), wu_palmer(known, dog, dog)
    (0.86, 1.0)

    Parameters
    ----------
    known
        Concepts and what is above them.
    first, second
        Two concepts.
    """
    above = known.ancestors([first]), known.ancestors([second])
    shared = above[0].keys() & above[1].keys()
    if not shared:
        return 0.0
    depths = {concept: 2 * (known.depth(concept) + 1) for concept in shared}
    return max(depth / (depth + above[0][concept] + above[1][concept]) for concept, depth in depths.items())


def answer(known: Knowledge, space: EntailmentSpace, item: Item) -> Sense | None:
    """Return the sense under which an item is put: the best hypernym of its part of speech, in the sense that fits."""
    words = space.hypernyms([item.lemma], LOOKED_AT, missing="nan").words[0]
    for word in [*words, *(word for word in item.definition.split() if len(word) >= SHORTEST)]:
        senses = [each for each in known.senses(word) if each.part_of_speech == PARTS[item.part_of_speech]]
        if senses:
            fitting = [each.sense for each in space.senses(word, context=item.definition)]
            order = {(each.part_of_speech, each.number): place for place, each in enumerate(fitting)}
            return min(senses, key=lambda each: order.get((each.part_of_speech, each.number), len(order) + each.number))
    return None


def first_word(known: Knowledge, _space: EntailmentSpace, item: Item) -> Sense | None:
    """Return the baseline of the task: the first word of the definition of this part of speech, in its first sense."""
    for word in (word.strip(".,;:()\"'") for word in item.definition.split()):
        senses = known.senses(word) if len(word) >= SHORTEST else ()
        senses = [each for each in senses if each.part_of_speech == PARTS[item.part_of_speech]]
        if senses:
            return min(senses, key=lambda each: each.number)
    return None


METHODS = {
    "best hypernym, sense that fits": (answer, False),
    "first word, first sense (here)": (first_word, True),
}


def evaluate(name: str, space: EntailmentSpace, paths: Sequence[Path]) -> list[StudyResult]:
    """Return Wu & Palmer similarity, lemma matches and recall of each method; items without an answer count 0."""
    known = wordnet_knowledge()
    items = [each for each in read_items(*paths) if each.part_of_speech in PARTS]
    rows = []
    for title, (method, baseline) in METHODS.items():
        cases = []
        for item in items:
            right, found = sense_named(known, item.sense), method(known, space, item)
            same = right is not None and found is not None
            lemma = item.sense.split("#")[0].replace("_", " ").casefold()
            cases.append(
                {
                    "wu_palmer": wu_palmer(known, found.concept, right.concept) if found and right else 0.0,
                    "lemma_matches": float(same and found is not None and lemma == _plain(found.term)),
                    "answered": float(found is not None),
                }
            )
        rows.append(StudyResult.of_means(name, title, columns(cases), baseline=baseline))
    return rows


def _plain(term: str) -> str:
    return term.replace("_", " ").casefold()
