"""Noun phrases in a list of tokens: read forwards or backwards from a place, alone or as a list.

A phrase is determiners, modifiers and a noun. Known terms are found by longest match, also where one has an `of`.
Other words count as nouns unless the lexicon knows them as something else, and a plural ends a phrase: modifiers in
English are singular. All readers take time in proportion to the tokens that they pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from entvec.text.extraction.lexicon import (
    ADJECTIVE,
    DETERMINER,
    MARK,
    NOUNS,
    PARTICIPLE,
    UNKNOWN,
    VERBS,
    Lexicon,
)
from entvec.text.extraction.word_lists import CONJUNCTIONS, DENIALS, KINDS, LIGHT, PREPOSITIONS

TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?:-?\d{1,4}(?!\d))?|\d+(?:[.,]\d+)*|&c|[^\w\s]")
LONGEST = 4
"""Words of a phrase; more of them are hardly ever a term."""
MODIFIERS = frozenset((NOUNS, UNKNOWN, ADJECTIVE, PARTICIPLE))
HEADS = frozenset((NOUNS, UNKNOWN))
SHORTEST = 2
"""Letters of a noun."""
POSSESSIVE = ("'s", "’s", "'", "’")
QUOTES = frozenset("\"'“”‘’«»*_`")


class Phrase(NamedTuple):
    """A noun phrase between two places of a list of tokens."""

    words: tuple[str, ...]
    """Its modifiers and its noun, without determiners."""
    start: int
    """Where its determiners begin."""
    end: int
    """After its last token."""
    determiner: str
    """The last of its determiners in small letters, or "" if there is none."""
    of: tuple[str, ...] = ()
    """The words after `of`, if they belong to it."""


def tokens_of(sentence: str) -> list[str]:
    """Return the words, numbers and marks of a sentence."""
    return TOKEN.findall(sentence)


def read_forwards(tokens: Sequence[str], at: int, lexicon: Lexicon) -> Phrase | None:
    """Return the phrase that begins at a place; None if there is none."""
    start, end = at, len(tokens)
    at, determiner = _past_determiners(tokens, at, lexicon)
    length = lexicon.length_from(tokens, at)
    words, head, at = list(tokens[at : at + length]), length, at + length
    if length and lexicon[words[-1]].plural:
        return Phrase(tuple(words), start, at, determiner)
    while at < end and len(words) <= LONGEST:
        token = tokens[at]
        word = lexicon[token]
        is_head = word.kind in HEADS or (word.kind == VERBS and word.is_term and not head)  # the leaves
        if not (is_head or word.kind in MODIFIERS) or len(token) < SHORTEST:
            break
        if word.kind == PARTICIPLE and words and head == len(words):
            break  # a horse trained: the noun came before
        words.append(token)
        at += 1
        if is_head and _may_be_head(token):
            head = len(words)
            if word.plural:
                break
    if not head or len(words) > max(LONGEST, length):
        return None
    return Phrase(tuple(words[:head]), start, at - (len(words) - head), determiner)


def _past_determiners(tokens: Sequence[str], at: int, lexicon: Lexicon) -> tuple[int, str]:
    """Return the place after articles, numbers and quotation marks, and the last of the articles."""
    determiner = ""
    while at < len(tokens):
        kind = lexicon[tokens[at]].kind
        if kind == DETERMINER:
            determiner = tokens[at].casefold()
        elif tokens[at] not in QUOTES and not (kind == MARK and tokens[at][0].isdigit()):
            break
        at += 1
    return at, determiner


def read_backwards(tokens: Sequence[str], before: int, lexicon: Lexicon) -> Phrase | None:
    """Return the phrase that ends before a place; None if there is none."""
    at = before - 1
    while at >= 0 and tokens[at] in QUOTES:
        at -= 1
    last = lexicon[tokens[at]] if at >= 0 else None
    if last is None or not (last.kind in HEADS or last.is_term) or not _may_be_head(tokens[at]):
        return None
    end = at + 1
    length = lexicon.length_to(tokens, end) or 1
    words = list(tokens[end - length : end])[::-1]
    at -= length
    while at >= 0 and len(words) <= LONGEST:
        word = lexicon[tokens[at]]
        if word.kind not in MODIFIERS or word.plural or len(tokens[at]) < SHORTEST:
            break
        words.append(tokens[at])
        at -= 1
    words.reverse()
    determiner = ""
    while at >= 0 and lexicon[tokens[at]].kind == DETERMINER:
        determiner = determiner or tokens[at].casefold()
        at -= 1
    if len(words) > max(LONGEST, length):
        return None
    is_verb = at >= 0 and (lexicon[tokens[at]].kind in HEADS or words[0].endswith("ing"))
    if is_verb and not determiner and lexicon[words[0]].kind == PARTICIPLE:
        words = words[1:]  # the man kept dogs; of keeping dogs
    return Phrase(tuple(words), at + 1, end, determiner)


def _may_be_head(token: str) -> bool:
    return len(token) >= SHORTEST and not token.endswith(POSSESSIVE)


def read_list(tokens: Sequence[str], at: int, lexicon: Lexicon) -> list[Phrase]:
    """Return the phrases of a list that begins at a place: `dogs, cats and small birds`.

    After a comma the sentence may go on with something else, so that only the first item counts unless the list ends
    with `and`, `or`, `etc.` or with the sentence.
    """
    found: list[Phrase] = []
    ended = False
    while (phrase := read_forwards(tokens, at, lexicon)) is not None:
        if found and (bool(phrase.determiner) != bool(found[0].determiner) or phrase.determiner in DENIALS):
            break
        if phrase.determiner == "other":  # dogs and other animals
            break
        phrase = with_of(tokens, phrase, lexicon)
        found.append(phrase)
        at = phrase.end
        if ended:
            return found
        at = _past_brackets(tokens, at)
        if at >= len(tokens) or tokens[at] in ".;:)]":
            return found
        separators = at
        while at < len(tokens) and (tokens[at] == "," or tokens[at] in CONJUNCTIONS):
            ended = ended or tokens[at] in CONJUNCTIONS
            at += 1
        if at == separators:
            break
        if at < len(tokens) and tokens[at] in ("etc", "&c", "others"):
            return found
    return found[:1]


def read_list_backwards(tokens: Sequence[str], before: int, lexicon: Lexicon) -> list[Phrase]:
    """Return the phrases of a list that ends before a place, in their order."""
    found: list[Phrase] = []
    at = before
    while (phrase := read_backwards(tokens, at, lexicon)) is not None:
        if found and bool(phrase.determiner) != bool(found[0].determiner):
            break
        found.append(phrase)
        at = phrase.start
        if at < 2 or tokens[at - 1] != ",":
            break
        at -= 1
    first = found[-1] if found else None
    if first is not None and len(found) > 1 and first.start == 1 and tokens[0].casefold() in PREPOSITIONS:
        found.pop()  # In the forest, dogs, cats and other animals
    return found[::-1]


def _past_brackets(tokens: Sequence[str], at: int) -> int:
    """Return the place after a remark in brackets."""
    if at < len(tokens) and tokens[at] in "([{":
        close = next((i for i in range(at, min(at + 12, len(tokens))) if tokens[i] in ")]}"), None)
        return at if close is None else close + 1
    return at


def with_of(tokens: Sequence[str], phrase: Phrase, lexicon: Lexicon) -> Phrase:
    """Return a phrase with what follows after `of`: oxide of zinc."""
    if phrase.end >= len(tokens) or tokens[phrase.end] != "of":
        return phrase
    inner = read_forwards(tokens, phrase.end + 1, lexicon)
    if inner is None:
        return phrase
    return phrase._replace(end=inner.end, of=inner.words)


def past_kind(tokens: Sequence[str], phrase: Phrase, lexicon: Lexicon) -> Phrase:
    """Return what a phrase is a kind of: the fish in `a kind of small fish`."""
    while lexicon[phrase.words[-1]].base in KINDS and phrase.end < len(tokens) and tokens[phrase.end] == "of":
        inner = read_forwards(tokens, phrase.end + 1, lexicon)
        if inner is None:
            break
        phrase = inner
    return phrase


def is_shared(tokens: Sequence[str], phrase: Phrase, lexicon: Lexicon) -> bool:
    """Return whether a singular phrase and the next one share a noun: `a market and borough town`."""
    if tokens[phrase.end : phrase.end + 1] not in (["and"], ["or"]) or lexicon[phrase.words[-1]].plural:
        return False
    following = read_forwards(tokens, phrase.end + 1, lexicon)
    return following is not None and len(following.words) > 1 and following.determiner not in ("a", "an", "the")


def name_of(phrase: Phrase, lexicon: Lexicon) -> str:
    """Return how a phrase is called as a narrower term: singular, without adjectives that say little."""
    words = list(phrase.words)
    if (known := lexicon.term(words)) is not None and not phrase.of:
        return known
    while len(words) > 1 and words[0].casefold() in LIGHT:
        words = words[1:]
    name = lexicon.term(words) or _spelled(words, lexicon)
    return f"{name} of {lexicon.term(phrase.of) or _spelled(phrase.of, lexicon)}" if phrase.of else name


def names_above(phrase: Phrase, lexicon: Lexicon) -> list[str]:
    """Return how a phrase is called as a broader term: the longest term that it ends in, and the phrase itself.

    >>> lexicon = Lexicon({"mammal": "mammal"})
    >>> names_above(Phrase(("small", "mammals"), 0, 2, ""), lexicon)
    ['mammal', 'small mammal']
    """
    words = list(phrase.words)
    while len(words) > 1 and words[0].casefold() in LIGHT - MEANT:
        words = words[1:]
    known = next((term for at in range(len(words)) if (term := lexicon.term(words[at:])) is not None), None)
    whole = _spelled(words, lexicon)
    return list(dict.fromkeys(filter(None, (known, whole)))) if len(words) < LONGEST else [known or whole]


MEANT = frozenset(("small", "large"))
"""Modifiers that a narrower term loses, and a broader one keeps."""


def _spelled(words: Sequence[str], lexicon: Lexicon) -> str:
    """Return words as they are in the middle of a sentence, the last one singular; names stay as they are written."""
    *modifiers, last = words
    head = lexicon[last]
    is_name = last[0].isupper() and head.base[0].isupper()
    spelled = [each if is_name and not each.isupper() else lexicon[each].base for each in modifiers]
    return " ".join([*spelled, head.base])
