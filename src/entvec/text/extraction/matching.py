"""`PatternMatcher`: finds the patterns of a table in a text, and reads the noun phrases around them.

A text is first searched for the words of all patterns, at the speed of `str.find`. Only the sentences that have one are
split into tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from entvec.text.extraction import sentences
from entvec.text.extraction.lexicon import NOUNS, UNKNOWN, Lexicon
from entvec.text.extraction.patterns import HYPER, HYPO, HYPOS, Element, Pattern
from entvec.text.extraction.phrases import (
    Phrase,
    is_shared,
    name_of,
    names_above,
    past_kind,
    read_backwards,
    read_forwards,
    read_list,
    read_list_backwards,
    tokens_of,
)
from entvec.text.extraction.word_lists import DENIALS, KINDS, PREPOSITIONS, VAGUE, words

MOST_IN_SENTENCE = 32
"""How many needles of a sentence are looked at, so that the time for each character is bounded."""
CLAUSE = words(", ; : ( ) [ ] . ! ? — – - that because but while since whereas")
"""What may stand before the subject of a clause."""
RELATIVE = words(
    "that which who whose where of in used with having found made for consisting containing by from on between near"
)
SAME_PLURAL = ("fish", "species", "cattle", "fowl", "sheep", "deer", "fruit", "food", "matter", "work", "craft")
"""Endings of words whose plural is the word itself, or that have none."""
POINTING = words("this that these those his her its their our my your each every both")
"""Determiners of what a sentence alone speaks of: `its device is a sieve`."""
ARE = " are"
BEFORE = 2
"""How many words before the phrases may deny them."""


class Found(NamedTuple):
    """A pair that a sentence names, and where the sentence is."""

    hypo: str
    hyper: str
    pattern: str
    start: int
    end: int
    at: int
    """Where the words of the pattern are in it; for readers without such words, its start."""


class Context(NamedTuple):
    """A match whose phrases were read, for the checks."""

    left: Sequence[str]
    right: Sequence[str]
    hypos: Sequence[Phrase]
    hyper: Phrase
    left_start: int
    """Where the phrases on the left begin."""
    hyper_after: bool
    """True if the broader term is on the right."""
    direct: bool
    """False if the broader term was named as a kind of something."""
    lexicon: Lexicon


def _subject(match: Context) -> bool:
    if match.hypos[0].determiner in POINTING:
        return False
    return match.left_start == 0 or match.left[match.left_start - 1] in CLAUSE


def _start(match: Context) -> bool:
    return _subject(match) and match.left[match.left_start - 1 : match.left_start] != [","]


def _indefinite(match: Context) -> bool:
    plural = match.lexicon[match.hyper.words[-1]].plural
    return match.hyper.determiner in ("a", "an") or (plural and not match.hyper.determiner)


def _name(match: Context) -> bool:
    last = match.hypos[0].words[-1]
    word = match.lexicon[last]
    return last[0].isupper() and (word.kind == UNKNOWN or word.base[0].isupper())


def _relative(match: Context) -> bool:
    rest = match.right[match.hyper.end : match.hyper.end + 1] if match.hyper_after else []
    return bool(rest) and rest[0] in RELATIVE


def _plural(match: Context) -> bool:
    last = match.hyper.words[-1]
    return match.lexicon[last].plural or last.endswith(SAME_PLURAL)


def _bare(match: Context) -> bool:
    phrases = (match.hypos[0], match.hyper)
    return all(match.lexicon[each.words[-1]].plural and not each.determiner for each in phrases)


def _plain(match: Context) -> bool:
    return not any(each.determiner for each in match.hypos) and match.right[match.hypos[0].start][0].isalpha()


def _noun(match: Context) -> bool:
    first = match.right[match.hypos[0].start]
    return not match.lexicon.may_be_verb(first)


def _no_preposition(match: Context) -> bool:
    before = match.left[match.left_start - 1 : match.left_start]
    return not before or before[0].casefold() not in PREPOSITIONS


def _no_comma(match: Context) -> bool:
    return len(match.hypos) > 1 or match.left[-1] != ","


TESTS: dict[str, Callable[[Context], bool]] = {
    "subject": _subject,
    "start": _start,
    "direct": lambda match: match.direct,
    "indefinite": _indefinite,
    "name": _name,
    "relative": _relative,
    "plural": _plural,
    "bare": _bare,
    "plain": _plain,
    "noun": _noun,
    "no-preposition": _no_preposition,
    "no-comma": _no_comma,
}


class Read(NamedTuple):
    """What was read on one side of a needle: the phrases of each slot, and how far."""

    phrases: dict[str, list[Phrase]]
    at: int


class PatternMatcher:
    """Finds pairs by patterns."""

    def __init__(self, patterns: Sequence[Pattern], lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        needles: dict[str, list[Pattern]] = {}
        for pattern in patterns:
            for needle in pattern.needles:
                needles.setdefault(needle, []).append(pattern)
        self._needles = needles

    def find(self, text: str) -> Iterator[Found]:
        """Yield the pairs of a text, in the order of its sentences."""
        flat = text.replace("\n", " ")
        places = sorted((at, needle) for needle in self._needles for at in _occurrences(flat, needle))
        if not places:
            return
        starts = sentences.starts(text)
        before, seen = -1, 0
        for at, needle in places:
            number = bisect_right(starts, at) - 1
            seen = seen + 1 if number == before else 1
            before = number
            if seen > MOST_IN_SENTENCE:
                continue
            start, end = starts[number], starts[number + 1]
            left = tokens_of(sentences.joined(text[start:at]))
            right = tokens_of(sentences.joined(text[at + len(needle) : end]))
            if right and right[-1] == "?":
                continue
            left = self._begun(left, needle)
            for pattern in self._needles[needle]:
                for hypo, hyper in self._pairs(pattern, left, right):
                    yield Found(hypo, hyper, pattern.name, start, end, at)

    def _begun(self, left: list[str], needle: str) -> list[str]:
        """Return tokens whose first is in small letters if it is the plural of a word that nobody knows.

        `Hoodies, shirts and other garments`, `Hoodies are garments`; but `Kubernetes, Jenkins and other programs`.
        """
        if left[1:2] not in ([], [","]) or not left or self.lexicon[left[0]].kind != UNKNOWN:
            return left
        low = left[0].lower()
        if not self.lexicon[low].plural:
            return left
        among_plurals = needle.startswith(ARE) or any(self.lexicon[token].plural for token in left[1:])
        return [low, *left[1:]] if among_plurals else left

    def _pairs(self, pattern: Pattern, left: list[str], right: list[str]) -> Iterator[tuple[str, str]]:
        match = self._match(pattern, left, right)
        if match is None or not all(TESTS[check](match) for check in pattern.checks):
            return
        head = self.lexicon[match.hyper.words[-1]]
        if head.base in VAGUE or _is_denied(match):
            return
        if match.hyper_after and is_shared(right, match.hyper, self.lexicon):
            return
        hypers = names_above(match.hyper, self.lexicon)
        for phrase in match.hypos:
            hypo = name_of(phrase, self.lexicon)
            if hypo in VAGUE:
                continue
            # The church is a plain edifice: this one is, but it says little of all others.
            for hyper in hypers[:1] if phrase.determiner == "the" else hypers:
                if hypo != hyper:
                    yield hypo, hyper

    def _match(self, pattern: Pattern, left: list[str], right: list[str]) -> Context | None:
        """Return the phrases before and after a needle; None if they are not there."""
        before = self._read(pattern.before, left, len(left), self._phrases_before, backwards=True)
        after = self._read(pattern.after, right, 0, self._phrases_after, backwards=False)
        if before is None or after is None:
            return None
        phrases = before.phrases | after.phrases
        hyper = phrases[HYPER][0]
        hyper_after = HYPER in after.phrases
        direct = past_kind(right, hyper, self.lexicon) if hyper_after else hyper
        hypos = phrases.get(HYPOS) or phrases[HYPO]
        return Context(left, right, hypos, direct, before.at, hyper_after, direct is hyper, self.lexicon)

    def _read(
        self,
        elements: Sequence[Element],
        tokens: Sequence[str],
        at: int,
        read: Callable[[str, Sequence[str], int], list[Phrase]],
        *,
        backwards: bool,
    ) -> Read | None:
        """Read elements one after the other from a place, to the left or to the right."""
        found: dict[str, list[Phrase]] = {}
        for element in elements:
            if element.slot:
                phrases = found[element.slot] = read(element.slot, tokens, at)
                if not phrases:
                    return None
                at = phrases[0].start if backwards else phrases[-1].end
                continue
            beside = tokens[at - 1 : at] if backwards else tokens[at : at + 1]
            if beside and beside[0].casefold() in element.words:
                at += -1 if backwards else 1
            elif not element.optional:
                return None
        return Read(found, at)

    def _phrases_before(self, slot: str, left: Sequence[str], at: int) -> list[Phrase]:
        if slot == HYPOS:
            return read_list_backwards(left, at, self.lexicon)
        phrase = self._hyper_before(left, at) if slot == HYPER else read_backwards(left, at, self.lexicon)
        return [phrase] if phrase else []

    def _phrases_after(self, slot: str, right: Sequence[str], at: int) -> list[Phrase]:
        if slot == HYPOS:
            return read_list(right, at, self.lexicon)
        phrase = read_forwards(right, at, self.lexicon)
        return [phrase] if phrase else []

    def _hyper_before(self, left: Sequence[str], at: int) -> Phrase | None:
        """Return what a list explains: of `diseases of the skin` the plural, of `species of birds` the last phrase."""
        phrase = read_backwards(left, at, self.lexicon)
        if phrase is None or phrase.start == 0 or left[phrase.start - 1].casefold() not in PREPOSITIONS:
            return phrase
        outer = read_backwards(left, phrase.start - 1, self.lexicon)
        if outer is None:
            return phrase
        inner_word, outer_word = self.lexicon[phrase.words[-1]], self.lexicon[outer.words[-1]]
        if outer_word.plural and not inner_word.plural and outer_word.base not in KINDS and outer_word.kind == NOUNS:
            return outer
        return phrase


def _occurrences(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        if not text[end : end + 1].isalnum() or not needle[-1].isalnum():
            yield at
        at = text.find(needle, end)


def _is_denied(match: Context) -> bool:
    """Return whether the sentence denies the pair, or speaks of all others: `not a dog or other pet`, `unlike`."""
    before = {token.casefold() for token in match.left[max(0, match.left_start - BEFORE) : match.left_start]}
    return bool(before & DENIALS) or match.hyper.determiner in DENIALS or match.hypos[0].determiner in DENIALS
