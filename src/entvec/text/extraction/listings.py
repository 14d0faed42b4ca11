"""Lists with a heading: the items of `Animals:` or `## Animals`, one a line, are kinds of what the heading names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from entvec.text.extraction.lexicon import Lexicon
from entvec.text.extraction.matching import Found
from entvec.text.extraction.phrases import Phrase, name_of, names_above, read_backwards, read_forwards, tokens_of
from entvec.text.extraction.word_lists import VAGUE

PATTERN = "list"
ITEM = r"[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4}"
LISTING = re.compile(
    rf"^(?:(?P<line>[^\n:]{{1,200}}):[ \t]*|\#{{1,6}}[ \t]{{1,4}}(?P<title>[^\n]{{1,80}}))\n(?:[ \t]*\n)?"
    rf"(?P<items>(?:{ITEM}[^\n]{{1,400}}(?:\n|\Z)){{2,}})",
    re.MULTILINE,
)
ITEM_START = re.compile(rf"^{ITEM}", re.MULTILINE)
ENDS = frozenset(".,;:(–—-")
"""What may stand after the term of an item."""


def find(text: str, lexicon: Lexicon) -> Iterator[Found]:
    r"""Yield the pairs of the lists of a text.

    >>> from entvec.bundled import wordnet_knowledge
    >>> text = "We sell the following fruits:\n- apples\n- red plums, by weight\n"
    >>> found = find(text, Lexicon.of(wordnet_knowledge()))
    >>> [(pair.hypo, pair.hyper) for pair in found]
    [('apple', 'fruit'), ('red plum', 'fruit')]

    Parameters
    ----------
    text
        Lines; items begin with a mark or a number.
    lexicon
        What is known of words.
    """
    for listing in LISTING.finditer(text):
        hyper = _heading(listing, lexicon)
        if hyper is None or not lexicon[hyper.words[-1]].plural or lexicon[hyper.words[-1]].base in VAGUE:
            continue
        for item in ITEM_START.finditer(text, listing.start("items"), listing.end("items")):
            end = text.find("\n", item.end(), listing.end("items"))
            tokens = tokens_of(text[item.end() : end if end >= 0 else listing.end("items")])
            phrase = read_forwards(tokens, 0, lexicon)
            if phrase is None or (phrase.end < len(tokens) and tokens[phrase.end] not in ENDS):
                continue
            hypo = name_of(phrase, lexicon)
            stop = end if end >= 0 else listing.end("items")
            for name in names_above(hyper, lexicon):
                if name != hypo:
                    yield Found(hypo, name, PATTERN, item.start(), stop, item.start())


def _heading(listing: re.Match[str], lexicon: Lexicon) -> Phrase | None:
    """Return the phrase at the end of a line before a list, or that is the whole of a title."""
    tokens = tokens_of(listing["line"] or listing["title"])
    phrase = read_backwards(tokens, len(tokens), lexicon)
    return phrase if phrase is not None and (listing["line"] or phrase.start == 0) else None
