"""Says in a line what texts say of a pair: how many sentences, and one of them."""

from __future__ import annotations

import re
from pathlib import PurePath

from entvec.evidence.text_facts import TextFacts

SHOWN = 120
"""Characters of a sentence."""
SO, REVERSE = "so", "the reverse"


def text_reason(facts: TextFacts | None, hypo: str, hyper: str, what: str = SO) -> str | None:
    """Return how many sentences say that a word is a kind of another, with one of them; None if none does.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.text import TextEvidence, extract
    >>> rows = extract("Guitars, lutes and other instruments were sold.", wordnet_knowledge())
    >>> print(text_reason(TextFacts(TextEvidence.of(rows), wordnet_knowledge()), "guitar", "instrument"))
    one sentence says so: 'Guitars, lutes and other instruments were sold.'

    Parameters
    ----------
    facts
        What texts say, if there are any.
    hypo, hyper
        The words.
    what
        What the sentences say, in words.
    """
    n, examples = (0, []) if facts is None else facts.sentences(hypo, hyper)
    if not examples:
        return None
    best = min(examples, key=lambda each: len(each.sentence))
    where = f" ({PurePath(best.file).name})" if best.file else ""
    said = f"one sentence says {what}" if n == 1 else f"{n:,} sentences say {what}, for example"
    return f"{said}: '{_cut(best.sentence, hypo, hyper)}'{where}"


def _cut(sentence: str, hypo: str, hyper: str) -> str:
    """Return a sentence, or the part of a long one in which both words are.

    >>> _cut("x " * 100 + "guitars, lutes and other instruments" + " y" * 100, "guitar", "instrument").strip(". xy")
    'guitars, lutes and other instruments'
    """
    if len(sentence) <= SHOWN:
        return sentence
    found = [at.span() for word in (hypo, hyper) if (at := re.search(_start(word), sentence, re.IGNORECASE))]
    first, last = (min(start for start, _ in found), max(end for _, end in found)) if found else (0, 0)
    begin = max(0, min(first, first - (SHOWN - (last - first)) // 2, len(sentence) - SHOWN))
    if begin:
        begin = min(first, sentence.find(" ", begin) + 1)
    end = begin + SHOWN
    end = max(sentence.rfind(" ", begin, end), begin + SHOWN // 2) if end < len(sentence) else len(sentence)
    return f"{'... ' if begin else ''}{sentence[begin:end].strip()}{' ...' if end < len(sentence) else ''}"


def _start(word: str) -> str:
    """Return an expression for a word whose end may be inflected."""
    return r"\b" + r"[\W_]+".join(re.escape(part[:-1]) for part in re.split(r"[\W_]+", word) if part) + r"\w*"
