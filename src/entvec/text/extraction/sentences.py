"""Where sentences begin: abbreviations, initials, headings, list items and scanned pages do not mislead it."""

from __future__ import annotations

import re

from entvec.text.extraction.word_lists import ABBREVIATIONS, NUMBERED

LONGEST = 5000
"""Characters of a sentence; what is longer is cut, so that the time for each character is bounded."""
END = re.compile(
    r"[.!?][\"'”’)\]]{0,3}\s+(?=[\"'“‘(\[]?[^\W\d_a-z]|\d)|[;]\s+|\n[ \t]*(?=\n|[-*+•#|>]\s|\d{1,3}[.)]\s)"
    r"|(?<=[.!?\"'”’)\]])\n(?=[a-z][\w'’-]{0,40}(?: [\w'’-]{1,40}){0,3}(?:[ \t]{0,4}[:\t|]| [-–—])[ \t])"
)
"""The end of a sentence or of a clause, a blank line, the next item of a list, a heading, the next entry of a list of
terms.
"""
LAST_WORD = 16
"""How many characters before a full stop are looked at."""
BROKEN_WORD = re.compile(r"(?<=[a-z])(?:-|\u00ad)\n[ \t]*(?=[a-z])")
"""A hyphen at the end of a line, within a word."""


def starts(text: str) -> list[int]:
    """Return where the sentences of a text begin; the end of the text is the last number.

    >>> text = "Mr. T. Brown owns dogs, cats, etc. He sells them."
    >>> [text[a:b] for a, b in zip(starts(text), starts(text)[1:])]
    ['Mr. T. Brown owns dogs, cats, etc. He sells them.']
    >>> text = "Dogs bark. Cats do not."
    >>> [text[a:b] for a, b in zip(starts(text), starts(text)[1:])]
    ['Dogs bark. ', 'Cats do not.']
    """
    found = [0]
    for match in END.finditer(text):
        at, end = match.span()
        if text[at] == "." and text[at + 1].isspace() and _is_abbreviated(text, at, text[end : end + 1]):
            continue
        while end - found[-1] > LONGEST:
            found.append(found[-1] + LONGEST)
        found.append(end)
    while len(text) - found[-1] > LONGEST:
        found.append(found[-1] + LONGEST)
    if found[-1] < len(text) or not text:
        found.append(len(text))
    return found


def _is_abbreviated(text: str, at: int, after: str) -> bool:
    """Return whether the full stop at a place, and a space, belong to an abbreviation or to an initial."""
    word = text[max(0, at - LAST_WORD) : at].rsplit(None, 1)[-1:]
    last = word[0].strip("([\"'“‘&") if word else ""
    low = last.casefold()
    return len(last) == 1 or low in ABBREVIATIONS or (low in NUMBERED and after.isdigit())


def joined(sentence: str) -> str:
    r"""Return a sentence in one line, without the hyphens that line breaks have put into words.

    >>> joined("All ani-\nmals  are\nequal.")
    'All animals are equal.'
    """
    if "\n" in sentence or "\u00ad" in sentence:
        sentence = BROKEN_WORD.sub("", sentence).replace("\u00ad", "")
    return " ".join(sentence.split())
