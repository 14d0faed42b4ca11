"""All about a word in one answer: its senses, what is above and below it, and the words that are used like it."""

from __future__ import annotations

import math
from typing import Any

from entvec.evidence.judge import Judge
from entvec.evidence.ranking_reasons import RankingReasons
from entvec.explore.service import Json, matches_to_json
from entvec.knowledge.people import is_offensive, is_people
from entvec.space import EntailmentSpace, Matches

NEIGHBOURS, SENSES, ABOVE = 6, 12, 6


def word_card(
    space: EntailmentSpace,
    word: str,
    k: int,
    *,
    group: bool,
    context: str | None = None,
    definition: str | None = None,
    specificity: float | None = None,
) -> Json:
    """Return a word with its senses, its hypernyms and hyponyms with their sources, and its neighbours.

    Parameters
    ----------
    space
        The space that answers.
    word
        A word, a phrase, or the name of a sense, as bank#2.
    k
        How many hypernyms and hyponyms to return.
    group
        Whether to list the forms of a word as one.
    context
        A text that uses the word.
    definition
        What the word means, for a new word.
    specificity
        How much general words lose.
    """
    status = spoken_of(space, word)
    weighs = space.adds_evidence
    told: dict[str, Any] = {} if context is None or not weighs else {"context": context}
    told |= {} if not (definition or "").strip() else {"definition": [definition]}
    options: Any = {"group": group, "specificity": specificity, "missing": "nan", **told}
    up, down = (verb([word], k, **options)[0] for verb in (space.hypernyms, space.hyponyms))
    card = status | {"above": _rows(space, up), "below": _rows(space, down)}
    if not weighs:
        return card | {"people": False, "generality": None, "senses": [], "neighbours": []}
    judge = space.judge
    described = space.senses(word, context=context or None)[:SENSES]
    return card | {
        "people": is_people(judge.evidence.meanings.known, judge.evidence.meanings.tidy(word)),
        "generality": generality_of(judge, word),
        "senses": [
            {
                "sense": str(each.sense),
                "part_of_speech": each.sense.part_of_speech,
                "weight": each.weight,
                "synonyms": [name for name in each.synonyms if not is_offensive(judge.evidence.meanings.known, name)],
                "gloss": each.definition,
                "above": [found.name for found in each.above[:ABOVE]],
            }
            for each in described
        ],
        "neighbours": judge.similar.nearest(judge.evidence.meanings.plain(word), NEIGHBOURS),
    }


def spoken_of(space: EntailmentSpace, word: str) -> Json:
    """Return what speaks of a word: a vector, facts, an encoder or nothing; why not; and words that look like it."""
    by = space.read_by(word)
    objection = space.judge.objection(word) if by == "nothing" and space.adds_evidence else None
    return {
        "word": word,
        "read_by": by,
        "objection": objection,
        "suggestions": space.suggestions(word),
    }


def _rows(space: EntailmentSpace, matches: Matches) -> list[Json]:
    rows = matches_to_json(matches)
    weighing, query = matches.weighing, matches.query
    for row in rows:
        if query is None or not isinstance(weighing, RankingReasons):
            row |= {"source": "vectors", "generality": None}
        else:
            said = weighing.said(query, row["word"])
            row |= {
                "source": said.source,
                "generality": generality_of(space.judge, row["word"], weighing.meant.get(query, query)),
            }
    return rows


def generality_of(judge: Judge, word: str, hypo: str | None = None) -> float | None:
    """Return how general a word is: the log of how many concepts are below the first sense that fits a narrower word.

    >>> from entvec.space import default_space
    >>> judge = default_space().judge
    >>> generality_of(judge, "animal") > generality_of(judge, "dog") > generality_of(judge, "poodle")
    True

    Parameters
    ----------
    judge
        What knows senses.
    word
        The word.
    hypo
        A narrower word, which tells the sense of the word: an instrument, of a guitar.
    """
    meanings, sizes = judge.evidence.meanings, judge.ranker.hierarchy.sizes
    senses = [sense.concept for sense, _ in meanings.of(word)]
    if not senses:
        return None
    related: set[int] = set()
    for sense, _ in () if hypo is None else meanings.of(hypo):
        related |= meanings.above(sense.concept).keys()
    fits = next((concept for concept in senses if concept in related), senses[0])
    return math.log(float(sizes[fits]))
