"""`Lexicon`: the part of speech and the base form of words, and which phrases are terms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from entvec.knowledge import PARTS_OF_SPEECH, Knowledge
from entvec.text.extraction.word_lists import DETERMINERS, NOT_HEADS, STOPS
from entvec.vectors.forms import ENDINGS, IRREGULAR_PLURALS, NOUN, VERB

NOUNS, UNKNOWN, ADJECTIVE, PARTICIPLE, VERBS, ADVERB, DETERMINER, STOP, MARK = "nxaevrdsp"
"""Kinds of words. A participle may be a modifier; a mark is punctuation or a number."""
LENGTHS = range(6, 1, -1)
"""Words of a term of several words, whatever each of them is; the longest is tried first."""
MOST_CACHED = 1 << 18
SHORTEST_SINGULAR = 3
RATHER = 1.5
"""How many times as often a word must be a verb as it is a noun to count as a verb."""
ACRONYMS = re.compile(r"[A-Z][A-Z0-9]*[A-Z]s")
"""The plural of an acronym: GPUs."""
ENDS_IN_IE = tuple(f"{letter}ies" for letter in "bdfksvw")
"""Plurals whose singular rather ends in `ie` if nobody knows it: hoodies, selfies."""
NO_PLURAL = ("ss", "us", "is", "ous", "ics")
"""Endings of words that are hardly ever plurals."""


class Word(NamedTuple):
    """What is known of a word as it is written."""

    kind: str
    base: str
    """The singular of a noun, in the spelling of the term; else the word in small letters."""
    plural: bool
    is_term: bool = False
    """True if it is known as a noun, whatever else it is more often."""


class Lexicon(dict[str, Word]):
    """Words by their spelling. A word that is not in the dictionary yet is looked up among the terms.

    >>> from entvec.bundled import wordnet_knowledge
    >>> lexicon = Lexicon.of(wordnet_knowledge(), ["blorp"])
    >>> lexicon["geese"], lexicon["blorps"].base
    (Word(kind='n', base='goose', plural=True, is_term=True), 'blorp')
    >>> lexicon.term(["musical", "instruments"]), lexicon.term(["small", "instruments"])
    ('musical instrument', None)

    Parameters
    ----------
    terms
        The spelling of each noun and noun phrase, by its spelling in lower case.
    names
        Terms with capital letters that are other terms in lower case: China.
    verbs, all_verbs
        Words that are verbs rather than nouns, and all words that may be verbs.
    adjectives
        The spelling of adjectives and adverbs, by their spelling in lower case.
    irregular
        The singular of irregular plurals.
    """

    def __init__(
        self,
        terms: dict[str, str],
        names: Collection[str] = (),
        verbs: Collection[str] = (),
        all_verbs: Collection[str] = (),
        adjectives: Mapping[str, str] | None = None,
        irregular: Mapping[str, str] = IRREGULAR_PLURALS,
    ) -> None:
        self._terms, self._names = terms, frozenset(names)
        self._verbs, self._all_verbs = frozenset(verbs), frozenset(all_verbs)
        self._adjectives, self._irregular = adjectives or {}, irregular
        several = [term.split(" ") for term in terms if " " in term]
        self._first_two = {(words[0], words[1]) for words in several}
        self._last_two = {(words[-2], words[-1]) for words in several}

    @classmethod
    def of(cls, known: Knowledge | None, terms: Iterable[str] = ()) -> Lexicon:
        """Return the lexicon of what is known, with terms of the user's own.

        Parameters
        ----------
        known
            Its terms are nouns and verbs; its other words adjectives and adverbs. None for no knowledge.
        terms
            Nouns and noun phrases, singular.
        """
        nouns: dict[str, str] = {}
        names: set[str] = set()
        verbs: set[str] = set()
        all_verbs: set[str] = set()
        adjectives: dict[str, str] = {}
        irregular = dict(IRREGULAR_PLURALS)
        if known is not None:
            nouns, names, verbs, all_verbs = _terms_of(known)
            adjectives = {word.casefold(): word for word in known.flat}
            for line in known.irregular:
                form, kind, base = line.rsplit(" ", 2)
                if kind == NOUN:
                    irregular.setdefault(form, base)
                elif base in verbs:
                    verbs.add(form)
        for term in terms:
            spelled = " ".join(term.replace("_", " ").split())
            if spelled:
                nouns[spelled.casefold()] = spelled
                verbs.discard(spelled.casefold())
        return cls(nouns, names, verbs, all_verbs, adjectives, irregular)

    def __missing__(self, token: str) -> Word:
        if len(self) >= MOST_CACHED:
            self.clear()
        word = self[token] = self._looked_up(token)
        return word

    def term(self, words: Sequence[str]) -> str | None:
        """Return the term that some words are, the last of them singular or plural; None if it is not known."""
        if len(words) == 1:
            word = self[words[0]]
            return word.base if word.is_term else None
        start = " ".join(words[:-1]).casefold() + " "
        last = words[-1].casefold()
        return self._terms.get(start + last) or self._terms.get(start + self[last].base.casefold())

    def length_from(self, tokens: Sequence[str], at: int) -> int:
        """Return how many words the longest term of several words has that begins at a place; 0 if there is none."""
        if at + 1 >= len(tokens):
            return 0
        first, second = tokens[at].casefold(), tokens[at + 1].casefold()
        if (first, second) not in self._first_two and (first, self[second].base) not in self._first_two:
            return 0
        lengths = (n for n in LENGTHS if at + n <= len(tokens))
        return next((n for n in lengths if self.term(tokens[at : at + n]) is not None), 0)

    def length_to(self, tokens: Sequence[str], end: int) -> int:
        """Return how many words the longest term of several words has that ends before a place; 0 if there is none."""
        if end < 2:
            return 0
        first, second = tokens[end - 2].casefold(), tokens[end - 1].casefold()
        if (first, second) not in self._last_two and (first, self[second].base) not in self._last_two:
            return 0
        lengths = (n for n in LENGTHS if n <= end)
        return next((n for n in lengths if self.term(tokens[end - n : end]) is not None), 0)

    def _looked_up(self, token: str) -> Word:
        low = token.casefold()
        if not token[0].isalpha():
            return Word(MARK, low, plural=False)
        if low in DETERMINERS:
            return Word(DETERMINER, low, plural=False)
        if low in STOPS:
            return Word(STOP, low, plural=False)
        if token in self._names:
            return Word(NOUNS, token, plural=False, is_term=True)
        return self._noun(low) or self._other(token, low)

    def _noun(self, low: str) -> Word | None:
        if "-" in low and low not in self._terms and (joined := low.replace("-", "")) in self._terms:
            return self._noun(joined)  # a hyphen that a line break has left
        if low in NOT_HEADS:
            return Word(ADJECTIVE, self._terms.get(low) or self._adjectives.get(low, low), plural=False)
        singular = self._singular(low)
        if singular is not None:
            kind = VERBS if low in self._verbs or singular in self._verbs else NOUNS
            return Word(kind, self._terms[singular], plural=True, is_term=True)
        if low in self._terms:
            return Word(VERBS if low in self._verbs else NOUNS, self._terms[low], plural=False, is_term=True)
        return None

    def _singular(self, low: str) -> str | None:
        """Return the term whose plural a word is; None if there is none."""
        base = self._irregular.get(low)
        if base is not None:
            return base if base in self._terms and base != low else None
        if low.endswith(NO_PLURAL) and (low.endswith("ss") or low in self._terms):
            return None  # glass, physics; but fabrics and kiwis are plurals
        if low.endswith("s") and len(low) > SHORTEST_SINGULAR:
            for ending, its_base in ENDINGS[NOUN]:
                if low.endswith(ending) and (found := low.removesuffix(ending) + its_base) in self._terms:
                    return found
        return None

    def _other(self, token: str, low: str) -> Word:
        """Return what a word is that is no noun, or none that is known."""
        if low in self._adjectives or (low.endswith("est") and self._is_superlative(low)):
            return Word(ADVERB if low.endswith("ly") else ADJECTIVE, self._adjectives.get(low, low), plural=False)
        if ACRONYMS.fullmatch(token):
            return Word(UNKNOWN, token[:-1], plural=True)
        if token[0].isupper() and not (low.endswith("ed") and self._is_form(low, self._all_verbs)):
            in_headline = token.isupper() and token[-1].isalpha() and len(token) > SHORTEST_SINGULAR
            name = token.title() if in_headline else token
            return Word(UNKNOWN, name, plural=False)
        if low.endswith(("ed", "ing")) and self._is_form(low, self._all_verbs):
            return Word(PARTICIPLE, low, plural=False)
        if low in self._verbs or self._is_form(low, self._verbs):
            return Word(VERBS, low, plural=False)
        if low.endswith("ly"):
            return Word(ADVERB, low, plural=False)
        if low.endswith("s") and not low.endswith(NO_PLURAL) and len(low) > SHORTEST_SINGULAR:
            return Word(UNKNOWN, _regular_singular(low), plural=True)
        return Word(UNKNOWN, low, plural=False)

    def _is_superlative(self, low: str) -> bool:
        return any(base in self._adjectives or base in NOT_HEADS for base in (low[:-3], low[:-2], f"{low[:-4]}y"))

    def may_be_verb(self, token: str) -> bool:
        """Return whether a word is a verb or a form of one, whatever else it is."""
        return token in self._all_verbs or self._is_form(token, self._all_verbs)

    def _is_form(self, low: str, verbs: Collection[str]) -> bool:
        bases = [low.removesuffix(end) + base for end, base in ENDINGS[VERB] if low.endswith(end)]
        return any(base in verbs or (base[-2:-1] == base[-1:] and base[:-1] in verbs) for base in bases)  # stopped


def _regular_singular(low: str) -> str:
    """Return the singular of a word that nobody knows.

    >>> [_regular_singular(word) for word in ("blorps", "glyries", "hoodies", "flaxes", "wushes")]
    ['blorp', 'glyry', 'hoodie', 'flax', 'wush']
    """
    if low.endswith(ENDS_IN_IE):
        return low.removesuffix("s")
    for ending, base in sorted(ENDINGS[NOUN], key=lambda row: -len(row[0])):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            return low.removesuffix(ending) + base
    return low


def _terms_of(known: Knowledge) -> tuple[dict[str, str], set[str], set[str], set[str]]:
    """Return the spellings of nouns, the names that are other nouns in small letters, the words that are rather verbs
    than nouns, and all verbs.
    """
    spellings = [term.replace("_", " ") for term in known.terms]
    of_term = np.repeat(np.arange(len(spellings)), known.senses_of.counts)
    is_verb = known.kinds[known.senses_of.targets] == PARTS_OF_SPEECH.index(VERB)
    seen = known.frequencies + 0.5
    n = len(spellings)
    as_noun = np.bincount(of_term, weights=np.where(is_verb, 0, seen), minlength=n)
    as_verb = np.bincount(of_term, weights=np.where(is_verb, seen, 0), minlength=n)
    nouns: dict[str, str] = {}
    all_nouns = {spellings[at] for at in np.flatnonzero(as_noun)}
    for at in np.flatnonzero(as_noun):
        spelled = spellings[at]
        low = spelled.casefold()
        if nouns.get(low, low.upper()) != low:  # of two spellings the one in small letters
            nouns[low] = spelled
    names = {spelled for spelled in all_nouns if spelled != (low := spelled.casefold()) and low in all_nouns}
    which = (as_verb > RATHER * as_noun, as_verb > 0)
    verbs, all_verbs = ({spellings[at].casefold() for at in np.flatnonzero(each)} for each in which)
    return nouns, names, verbs, all_verbs
