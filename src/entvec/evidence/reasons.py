"""Says in a line what is known of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from entvec.evidence.definitions import word_of
from entvec.evidence.facts import Known
from entvec.evidence.gathering import Evidence
from entvec.knowledge import Knowledge
from entvec.knowledge.facts import Fact

SHOWN = 3
"""How many neighbours a reason names."""


def spoken(term: str) -> str:
    """Return a term as one says it."""
    return word_of(term).replace("_", " ")


def listed(words: Sequence[str]) -> str:
    """Return words as one lists them in a sentence.

    >>> listed(["cello", "piano", "viola"])
    'cello, piano and viola'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def reason(evidence: Evidence, first: str, second: str, known: Known, likeliest: str) -> str:
    """Return the fact that speaks for the likeliest relation, or else what there is instead of one.

    Parameters
    ----------
    evidence
        What the pair was judged by.
    first, second
        The words.
    known
        What is known of them.
    likeliest
        The relation that the reason is for.
    """
    named = evidence.meanings.is_sense(first), evidence.meanings.is_sense(second)
    if likeliest in known.facts:
        return path_in_words(evidence.meanings.known, known.facts[likeliest][1], named)
    new = [word for word in dict.fromkeys((first, second)) if not evidence.meanings.of(word)]
    if new:
        return "; ".join(_new(evidence, word) for word in new)
    if known.denied:
        relation, source = next(iter(known.denied.items()))
        return f"{source} denies that it is {relation}"
    if not known.comparable:
        return "they are known as different parts of speech"
    other = max(known.facts.values(), default=None, key=lambda weighted: weighted[0])
    if other is None and (names := list(filter(evidence.meanings.is_name, (first, second)))):
        return f"nothing that is known connects them, but {listed(names)} may be the name of something else"
    if other is None:
        senses = [
            str(evidence.meanings.of(word)[0].sense) for word in (first, second) if evidence.meanings.is_sense(word)
        ]
        return "nothing that is known connects them" + (f" ({', '.join(senses)})" if senses else "")
    return f"against {path_in_words(evidence.meanings.known, other[1], named)}"


def _new(evidence: Evidence, word: str) -> str:
    """Return which known words a new one is used like."""
    if evidence.neighbours is None or word not in evidence.vocabulary:
        return f"{spoken(word)} is new"
    near = [spoken(each) for each, _ in evidence.neighbours.of(word)[:SHOWN]]
    return f"{spoken(word)} is new, used like {', '.join(near)}" if near else f"{spoken(word)} is new"


def path_in_words(known: Knowledge, fact: Fact, named: tuple[bool, bool] = (False, False)) -> str:
    """Return the path of a fact, its sources, and its senses where they are not the first ones.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.knowledge.facts import facts
    >>> known = wordnet_knowledge()
    >>> for pair in (("cat", "dog"), ("wheel", "car"), ("movie", "film"), ("crane", "bird")):
    ...     print(path_in_words(known, next(iter(facts(known, *pair).values()))))
    cat -> feline -> carnivore <- canine <- dog (WordNet 3.0)
    wheel, a part of wheeled vehicle <- self-propelled vehicle <- motor vehicle <- car (WordNet 3.0)
    movie = film (WordNet 3.0)
    crane -> wading bird -> aquatic bird -> bird (WordNet 3.0, crane#5)

    Parameters
    ----------
    known
        What is known.
    fact
        A relation of two senses.
    named
        For both words, whether somebody asked for this sense, so that it is always told.
    """
    names = [spoken(fact.first.term), *(spoken(known.name(c)) for c in fact.path[1:-1]), spoken(fact.second.term)]
    both = zip((fact.first, fact.second), named, strict=True)
    senses = [str(sense) for sense, asked in both if asked or sense.number > 1]
    where = ", ".join((*(known.said_by(fact.path) or known.sources[:1]), *senses))
    if fact.relation == "same":
        return f"{names[0]} = {names[-1]} ({where})"
    said = names[0]
    for (low, high), name in zip(pairwise(fact.path), names[1:], strict=True):
        said += f"{_link(known, low, high)}{name}"
    return f"{said} ({where})"


def _link(known: Knowledge, low: int, high: int) -> str:
    """Return how one concept leads to the next on a path."""
    if high in known.above(low):
        return " -> "
    if low in known.above(high):
        return " <- "
    if high in known.implies.of(low):
        return " implies "
    return " has a part " if low in known.part_of.links.reached(high) else ", a part of "
