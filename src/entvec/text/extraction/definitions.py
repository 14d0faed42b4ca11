"""Definitions of dictionaries, glossaries and encyclopaedias: the term, its definition, and the genus that it names.

An entry is a line or paragraph that begins with a term and `:`, a dash, a tab or `|` (a table of two columns), or with
a term in capital letters or in bold type and a comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from entvec.text.extraction import sentences
from entvec.text.extraction.lexicon import Lexicon
from entvec.text.extraction.matching import RELATIVE, Found
from entvec.text.extraction.phrases import Phrase, is_shared, name_of, names_above, past_kind, read_forwards, tokens_of
from entvec.text.extraction.word_lists import VAGUE

PATTERN = "definition"
LONGEST = 600
"""Characters of a definition that are read; the genus is at its beginning."""
TERM = r"[^\W\d_][\w'’-]{0,40}(?: [\w'’-]{1,40}){0,3}"
ENTRY = re.compile(
    rf"^[ \t]{{0,8}}(?:[-*+•][ \t]{{1,4}}|\|[ \t]{{0,8}})?"
    rf"(?:(?:\*\*|__)(?P<bold>{TERM})(?:\*\*|__)|(?P<term>{TERM}))"
    r"(?:[ \t]{0,4}(?P<mark>:|\t|\|)|[ \t]{1,4}(?P<dash>[-–—])|(?P<comma>,))(?:\*\*|__)?[ \t]{1,8}(?=[^\W\d_(])",
    re.MULTILINE,
)
LABEL = re.compile(r"(?:\([^()]{1,80}\)|(?:in|among|amongst|with) [^,.;]{1,60},)\s{1,4}", re.IGNORECASE)
"""Where a term is used: `(botany)`, `in Antiquity,`."""
OPENING = re.compile(
    r"(?:(?:one|any|each|either|some|member|name|all)\s(?:one\s)?of\s(?:the\s)?(?:(?:several|various|many|two|numerous)\s)?(?:of\s)?)",
    re.IGNORECASE,
)
ARTICLES = frozenset(("a", "an", "the", "any", "each", "every", "some", "several", "various"))


class Definition(NamedTuple):
    """An entry of a dictionary.

    >>> Definition("oboe", "A woodwind instrument with a double reed.", ["woodwind instrument"], 0, 47).genera
    ['woodwind instrument']

    Parameters
    ----------
    term
        The headword.
    text
        The definition.
    genera
        The broader terms with which the definition begins.
    start, end
        The position of the entry in the text.
    """

    term: str
    text: str
    genera: list[str]
    start: int
    end: int


def genera(definition: str, lexicon: Lexicon, *, bare: bool = True) -> list[str]:
    """Return the broader terms that a definition names.

    >>> from entvec.bundled import wordnet_knowledge
    >>> lexicon = Lexicon.of(wordnet_knowledge())
    >>> genera("any of several small birds that sing", lexicon)
    ['bird', 'small bird']
    >>> genera("in botany, a kind of tall tree", lexicon), genera("the act of running", lexicon)
    (['tree', 'tall tree'], ['act'])

    Parameters
    ----------
    definition
        Its beginning is enough.
    lexicon
        What is known of words.
    bare
        Whether the noun may have no article, as in `tool that drives nails`; then `that` or the like must follow it.
    """
    text = definition[:LONGEST].lstrip()
    if label := LABEL.match(text):
        text = text[label.end() :]
    opening = OPENING.match(text)
    tokens = tokens_of(sentences.joined(text[opening.end() if opening else 0 :]))
    phrase = read_forwards(tokens, 0, lexicon)
    if phrase is None:
        return []
    if not opening and phrase.determiner not in ARTICLES and not (bare and _goes_on(tokens, phrase)):
        return []
    if phrase.determiner == "the" and phrase.words[-1][0].isupper():
        return []  # another name of the same
    phrase = past_kind(tokens, phrase, lexicon)
    if lexicon[phrase.words[-1]].base in VAGUE or is_shared(tokens, phrase, lexicon):
        return []
    return names_above(phrase, lexicon)


def _goes_on(tokens: list[str], phrase: Phrase) -> bool:
    return not phrase.determiner and phrase.end < len(tokens) and tokens[phrase.end] in RELATIVE


def read_definitions(text: str, lexicon: Lexicon) -> Iterator[Definition]:
    r"""Yield the entries of a text whose definition names a genus.

    >>> from entvec.bundled import wordnet_knowledge
    >>> found = read_definitions("Hammer: a tool that drives nails.\nNote: see below.", Lexicon.of(wordnet_knowledge()))
    >>> [(each.term, each.genera) for each in found]
    [('hammer', ['tool'])]

    Parameters
    ----------
    text
        Lines or paragraphs.
    lexicon
        What is known of words.
    """
    entries = [entry for entry in ENTRY.finditer(text) if not entry["comma"] or _is_marked(entry)]
    starts = [*(entry.start() for entry in entries), len(text)]
    for entry, next_entry in zip(entries, starts[1:], strict=True):
        last = min(entry.end() + LONGEST, next_entry)
        end = text.find("\n\n", entry.end(), last)
        spelled, body = entry["bold"] or entry["term"], text[entry.end() : end if end >= 0 else last]
        found = genera(body, lexicon, bare=not entry["comma"])
        words = read_forwards(tokens_of(spelled), 0, lexicon)
        if not found or words is None or words.end != len(tokens_of(spelled)):
            continue
        first = sentences.starts(body)[1]
        term = name_of(words, lexicon)
        found = [hyper for hyper in found if hyper != term]
        if found and term not in VAGUE:
            yield Definition(term, sentences.joined(body[:first]), found, entry.start(), entry.end() + first)


def _is_marked(entry: re.Match[str]) -> bool:
    """Return whether a term before a comma is in bold type or in capital letters."""
    return bool(entry["bold"]) or entry["term"].split()[0].isupper()


def find(text: str, lexicon: Lexicon) -> Iterator[Found]:
    """Yield the pairs of all definitions of a text."""
    for each in read_definitions(text, lexicon):
        for hyper in each.genera:
            yield Found(each.term, hyper, PATTERN, each.start, each.end, each.start)
