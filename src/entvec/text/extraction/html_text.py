"""The text of HTML pages, by selectolax; pages that are made to keep a parser busy are refused."""

from __future__ import annotations

import re

from entvec.errors import MissingExtra
from entvec.text.extraction.word_lists import words

BLOCKS = "p,div,li,ul,ol,dl,dd,h1,h2,h3,h4,h5,h6,tr,table,section,article,blockquote,pre,br,hr,title,figcaption,caption"
NO_TEXT = ["script", "style", "noscript", "template", "svg", "math", "nav"]
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})")
ENDED_BY_OTHERS = words("""
    p li td th tr tbody thead tfoot dt dd option a br img hr input meta link area base col wbr source track param
    embed html body head
    """)
"""Tags that need no end, so that many of them are not one in the other."""
FORMATTING = words("b i u s em strong font code small big tt strike nobr")
"""Tags that a parser opens again in each new block."""
DEEPEST = 4000
MOST_REOPENED = 10_000_000


class Unreadable(ValueError):
    """A file that is skipped, and why."""


def text_of_html(page: str) -> str:
    r"""Return the text of a page, a paragraph for each block; terms of lists and cells of tables have marks after them.

    >>> text_of_html("<p>Guitars, <i>lutes</i> and other\n instruments</p><dl><dt>Lute<dd>an instrument</dl>")
    'Guitars, lutes and other instruments\n\nLute : an instrument'
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise MissingExtra("reading HTML", needs="selectolax", extra="html") from None
    _check(page)
    tree = LexborHTMLParser(page)
    tree.strip_tags(NO_TEXT)
    for selector, mark in ((BLOCKS, "\n\n"), ("dt", " : "), ("td,th", " | ")):
        for node in tree.css(selector):
            node.insert_after(mark)
            if selector == BLOCKS and node.tag != "dd":
                node.insert_before(mark)
    text = tree.root.text(deep=True, separator="") if tree.root else ""
    paragraphs = (" ".join(paragraph.split()).removesuffix(" |") for paragraph in text.split("\n\n"))
    return "\n\n".join(filter(None, paragraphs))


def _check(page: str) -> None:
    """Refuse pages whose tags are so deep in each other that a parser would take hours."""
    depth = deepest = formatting = most_formatting = tags = 0
    for found in TAG.finditer(page):
        tags += 1
        name = found[2].lower()
        if name in ENDED_BY_OTHERS:
            continue
        step = -1 if found[1] else 1
        depth = max(0, depth + step)
        deepest = max(deepest, depth)
        if name in FORMATTING:
            formatting = max(0, formatting + step)
            most_formatting = max(most_formatting, formatting)
    if deepest > DEEPEST or most_formatting * tags > MOST_REOPENED:
        raise Unreadable(f"it is a page with tags {deepest:,} deep in each other")
