"""The senses of a word for people: names, weights, glosses, synonyms, and what lies above them."""

from __future__ import annotations

from typing import Any, NamedTuple

from entvec.errors import InvalidInput
from entvec.evidence.context import definition
from entvec.evidence.gathering import Evidence
from entvec.evidence.reasons import spoken
from entvec.knowledge import Sense


class Above(NamedTuple):
    """A concept above a sense."""

    concept: int
    name: str
    steps: int


class DescribedSense(NamedTuple):
    """A sense, and what is said of it."""

    sense: Sense
    weight: float
    """How probably the word is meant in this sense; the weights of all senses of a word sum to one."""
    synonyms: tuple[str, ...]
    """Other terms for it, the best known first."""
    gloss: str
    above: tuple[Above, ...]
    """All concepts above it, the nearest first."""

    @property
    def definition(self) -> str:
        """The gloss without its examples."""
        return definition(self.gloss)

    def to_dict(self) -> dict[str, Any]:
        """Return the sense as JSON can hold it."""
        row = {"sense": str(self.sense), "part_of_speech": self.sense.part_of_speech, "weight": self.weight}
        above = [{"name": name, "steps": steps} for _, name, steps in self.above]
        return row | {"synonyms": list(self.synonyms), "gloss": self.gloss, "above": above}


def described(evidence: Evidence, word: str, context: str | None = None) -> list[DescribedSense]:
    """Return the senses of a word, the most probable first; none if the word is not known.

    Raises SenseNotFound for the name of a sense, such as `bank#99`, that picks none.

    >>> from entvec.space import default_space
    >>> evidence = default_space().judge.evidence
    >>> for found in described(evidence, "bank")[:2] + described(evidence, "bank", "the river flooded the grass")[:1]:
    ...     print(found.sense, f"{found.weight:.2f}", found.above[0].name, "|", found.gloss[:38])
    bank#2 0.64 financial institution | a financial institution that accepts d
    bank#1 0.15 slope | sloping land (especially the slope bes
    bank#1 0.79 slope | sloping land (especially the slope bes

    Parameters
    ----------
    evidence
        What is known, and vectors.
    word
        In any spelling, or the name of a sense.
    context
        Words around it that tell the sense; without, weights are those of tagged text.
    """
    known, senses = evidence.meanings.known, evidence.meanings.all_of(word)
    if not senses and (error := known.no_such_sense(word)):
        raise error
    if context is not None and not context.strip():
        raise InvalidInput("the context is empty, expected a sentence or some words")
    weights = evidence.contexts.weights(word, context or "")
    by_concept = {sense.concept: sense for sense, _ in reversed(senses)}  # several spellings may share a concept
    return [_described(evidence, by_concept[concept], weight) for concept, weight in weights.items()]


def _described(evidence: Evidence, sense: Sense, weight: float) -> DescribedSense:
    known = evidence.meanings.known
    synonyms = tuple(spoken(term) for term in known.synonyms(sense.concept) if term != sense.term)
    above = evidence.meanings.above(sense.concept).items()
    higher = tuple(Above(concept, spoken(known.name(concept)), steps) for concept, steps in above if steps)
    return DescribedSense(sense, weight, synonyms, known.glosses[sense.concept], higher)
