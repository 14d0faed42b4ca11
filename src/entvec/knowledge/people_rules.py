"""From the tables of people_lists and a Knowledge to rules: which words and concepts are people, insult or offend."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from entvec.array_types import Mask
from entvec.graphs.structure import Links
from entvec.knowledge.knowledge import Knowledge
from entvec.knowledge.people_lists import (
    HARMLESS_WORDS,
    INSULTING_GROUPS,
    INSULTS,
    NO_PEOPLE_WORDS,
    OFFENSIVE_CONCEPTS,
    OFFENSIVE_MARKS,
    OFFENSIVE_WORDS,
    PEOPLE,
    PEOPLE_WORDS,
)
from entvec.knowledge.sense_names import PARTS_OF_SPEECH
from entvec.vectors import forms
from entvec.vectors.words import spans

UNCOUNTED = 0.7
"""What the first sense of a word counts beside its meetings in tagged text; the n-th an n-th of it."""
MAJORITY = 0.5
"""The share of a word's meaning, by counts of its senses, that decides what the word is."""
PERSON, ANIMAL = ("00007846-n",), ("00015388-n",)


class Spellings(NamedTuple):
    """Words of one kind."""

    keys: frozenset[str]
    """In the form of `forms.key`."""
    plurals: frozenset[str]
    """Those of the keys. A plural that is a term by itself is another word: craps is a game."""
    exact: frozenset[str]
    """Terms that are of the kind only as they are spelled here: a Pole, but no pole."""
    exceptions: frozenset[str]
    """Terms in small letters that are not of the kind, although another spelling is: a wasp is no WASP."""

    def has(self, known: Knowledge, word: str) -> bool:
        """Return True if a word is of the kind."""
        key, term = forms.key(word), word.replace(" ", "_")
        if term in self.exact or term in self.exceptions:
            return term in self.exact
        return key in self.keys or (key in self.plurals and not forms.spelled(known.terms, word))


class Rules(NamedTuple):
    """What follows from a Knowledge for people."""

    people_words: Spellings
    offensive_words: Spellings
    offensive_senses: Mask
    """For each sense, in the order of `Knowledge.senses_of`: whether the term offends in it."""
    offensive_pairs: frozenset[tuple[str, int]]
    """The same, as terms and concepts."""
    people: Mask
    """For each concept: whether it is a group of people."""
    insults: Mask
    """For each concept: whether it is an insult to say so of a group of people."""
    persons: Mask
    animals: Mask


_RULES: WeakKeyDictionary[Knowledge, Rules] = WeakKeyDictionary()


def rules(known: Knowledge) -> Rules:
    """Return what follows from a Knowledge; it is computed once for each."""
    found = _RULES.get(known)
    if found is None:
        found = _RULES[known] = _rules(known)
    return found


def _rules(known: Knowledge) -> Rules:
    here, there = known.is_a.pairs()
    below = Links(len(known), there, here)
    people = _below(known, below, PEOPLE)
    insulting = _below(known, below, INSULTING_GROUPS)
    keys = forms.key_list(known.terms)
    offensive = _offensive_senses(known, keys)
    terms, concepts = known.senses_of.pairs()
    return Rules(
        people_words=_spellings(known, keys, people[concepts], _words(PEOPLE_WORDS), _words(NO_PEOPLE_WORDS)),
        offensive_words=_spellings(known, keys, offensive, _words(OFFENSIVE_WORDS), _words(HARMLESS_WORDS)),
        offensive_senses=offensive,
        offensive_pairs=frozenset(zip(known.terms.take(terms[offensive]), concepts[offensive].tolist(), strict=True)),
        people=people & ~insulting,
        insults=insulting | (_below(known, below, INSULTS) & ~people),
        persons=_below(known, below, PERSON),
        animals=_below(known, below, ANIMAL),
    )


def _words(table: Mapping[str, str]) -> list[str]:
    """Return the words of a table, which has them by the reason why they are there."""
    return " ".join(table.values()).split()


def _concepts(known: Knowledge, identifiers: Iterable[str]) -> list[int]:
    """Return those of some nouns that are known. WordNet sorts them by their identifiers, and has no others before."""
    others = np.flatnonzero(np.asarray(known.kinds) != PARTS_OF_SPEECH.index("noun"))
    nouns = int(others[0]) if len(others) else len(known)  # those of other sources come after WordNet's verbs
    found = []
    for identifier in identifiers:
        at = bisect_left(known.identifiers, identifier, hi=nouns)
        if at < nouns and known.identifiers[at] == identifier:
            found.append(at)
    return found


def _below(known: Knowledge, below: Links, identifiers: Collection[str]) -> Mask:
    """Return for each concept whether it is one of some, or below one by is-a; individuals are no groups."""
    found = np.zeros(len(known), bool)
    ring = np.array(_concepts(known, identifiers), np.int64)
    while len(ring):
        found[ring] = True
        lower = below.there[spans(below.starts[ring], below.starts[ring + 1] - below.starts[ring])]
        ring = np.flatnonzero(np.bincount(lower[~found[lower]]))  # each once
    return found


def _offensive_senses(known: Knowledge, keys: Sequence[str]) -> Mask:
    """Return for each sense whether its term offends in it: by a mark, by the gloss, or in any sense."""
    terms, concepts = known.senses_of.pairs()
    marked = known.marks[np.isin(known.marks[:, 2], _concepts(known, OFFENSIVE_MARKS)), :2]
    always = [row for word in _words(OFFENSIVE_WORDS) for row in _same_key(keys, forms.key(word))]
    found = np.isin(concepts, _concepts(known, OFFENSIVE_CONCEPTS)) | np.isin(terms, always)
    starts = known.senses_of.links.starts
    for term, concept in marked.tolist():
        senses = slice(starts[term], starts[term + 1])
        found[senses] |= concepts[senses] == concept
    return np.asarray(found)


def all_spellings(known: Knowledge, key: str) -> range:
    """Return the rows of all terms with this key."""
    return range(bisect_left(known.terms, key, key=forms.key), bisect_right(known.terms, key, key=forms.key))


def _same_key(keys: Sequence[str], key: str) -> range:
    """Return the same, given the keys of all terms, which is faster for many."""
    return range(bisect_left(keys, key), bisect_right(keys, key))


def _around(keys: Sequence[str], row: int) -> range:
    """Return the rows with the same key as one."""
    first, last = row, row + 1
    while first and keys[first - 1] == keys[row]:
        first -= 1
    while last < len(keys) and keys[last] == keys[row]:
        last += 1
    return range(first, last)


def _spellings(
    known: Knowledge, keys_of: Sequence[str], of_kind: Mask, always: Iterable[str], never: Iterable[str]
) -> Spellings:
    """Return the words that are of a kind in most of what they mean, given which senses are.

    Parameters
    ----------
    known
        What is known.
    keys_of
        The key of each term.
    of_kind
        For each sense, in the order of `senses_of`.
    always, never
        Words that are of the kind, or are not, whatever their senses.
    """
    terms, _ = known.senses_of.pairs()
    # By counts and order alone: a guess (`Knowledge.guesses`) that Kazakh is a language must not unprotect the people.
    weights = known.frequencies + UNCOUNTED / np.maximum(np.asarray(known.numbers, np.float64), 1)
    share = np.bincount(terms, weights * of_kind, len(known.terms))
    excess = (share - MAJORITY * np.bincount(terms, weights, len(known.terms))).tolist()
    keys = set(map(forms.key, always))
    exact: set[str] = set()
    exceptions: set[str] = set()
    settled = keys.union(map(forms.key, never))
    for row in np.flatnonzero(share).tolist():
        key = keys_of[row]
        if key not in settled:
            settled.add(key)
            rows = _around(keys_of, row)
            if sum(excess[at] for at in rows) >= 0:
                keys.add(key)
                exceptions.update(filter(str.islower, (known.terms[at] for at in rows if excess[at] < 0)))
            else:
                exact.update(known.terms[at] for at in rows if excess[at] >= 0)
    return Spellings(
        frozenset(keys), frozenset(_plurals(keys)), *(frozenset(some | _plurals(some)) for some in (exact, exceptions))
    )


def _plurals(words: Iterable[str]) -> set[str]:
    return set(chain.from_iterable(map(forms.plurals, words)))
