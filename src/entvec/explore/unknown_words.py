"""Words that nothing can be said of: why, and which words are spelled like them. Answers list them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

from entvec.errors import shown
from entvec.explore.threads import checkpoint
from entvec.space import EntailmentSpace

SPELLED = 10
"""For how many words of an answer similar spellings are looked for."""
NOTHING = "nothing is known of it: it is neither in the vocabulary nor among what the space knows"


def answerable(space: EntailmentSpace, words: Sequence[str]) -> list[bool]:
    """Return for each word whether it can be asked about: it has a vector, is known, or an encoder can read it.

    >>> from entvec.space import default_space
    >>> answerable(default_space(), ["dog", "memory foam pillow", "qzqz"])
    [True, True, False]
    """
    there = space.vocabulary.rows(words) >= 0
    if space.knowledge is not None and not there.all():
        rest = (~there).nonzero()[0].tolist()
        there[rest] = space.judge.evidence.has([words[i].strip() for i in rest])
    return [bool(each) for each in there.tolist()]


def unknown_words(space: EntailmentSpace, words: Sequence[str]) -> list[dict[str, Any]]:
    """Return the words that cannot be asked about, each with the reason and similar spellings.

    >>> from entvec.space import default_space
    >>> unknown_words(default_space(), ["dog", "toasterrr"])
    []
    >>> [found] = unknown_words(default_space(), ["dog", "xqzt"])
    >>> found["word"], found["reason"]
    ('xqzt', "'xqzt' is no word: its letters do not follow each other as in English")

    Parameters
    ----------
    space
        The space that was asked.
    words
        All words that were asked about.
    """
    distinct = list(dict.fromkeys(words))
    there = answerable(space, distinct)
    missing = [word for word, known in zip(distinct, there, strict=True) if not known]
    return [
        {
            "word": shown(word),
            "reason": shown(objection(space, word)),
            "suggestions": space.suggestions(word) if i < SPELLED else [],
        }
        for i, word in enumerate(missing)
    ]


def objection(space: EntailmentSpace, word: str) -> str:
    """Return why nothing can be said of a word."""
    return (space.judge.evidence.objection(word.strip()) if space.reads else None) or NOTHING


def misspelled(space: EntailmentSpace, words: Sequence[str], most: int = SPELLED) -> list[dict[str, Any]]:
    """Return the words that only an encoder can read and that look like known ones.

    >>> from entvec.space import default_space
    >>> [found] = misspelled(default_space(), ["dog", "guitr", "memory foam pillow"])
    >>> found["word"], found["suggestions"][0]
    ('guitr', 'guitar')

    Parameters
    ----------
    space
        The space that was asked.
    words
        All words that were asked about.
    most
        For how many words similar spellings are looked for.
    """
    if not space.reads or not words:
        return []
    distinct = list(dict.fromkeys(words))
    read = [word for word, by in zip(distinct, space.read_by(distinct), strict=True) if by == "encoder"]
    found = []
    for word in read[:most]:
        checkpoint()
        if like := space.suggestions(word):
            found.append({"word": shown(word), "suggestions": like})
    return found


def known_among(space: EntailmentSpace, words: Sequence[str]) -> list[str]:
    """Return the words that can be asked about."""
    return list(compress(words, answerable(space, words)))
