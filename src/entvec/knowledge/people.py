"""What may be said of people: which words are groups of people, which terms offend, and what may answer.

Word vectors carry the insults of the texts that they were learned from. So for a group of people only known facts
answer, without those that insult, and a term that offends is no answer to anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from entvec.array_types import Mask
from entvec.knowledge.knowledge import Knowledge
from entvec.knowledge.people_rules import Spellings, all_spellings, rules
from entvec.knowledge.sense_names import Sense
from entvec.vectors import forms
from entvec.vectors.words import Words

SEPARATORS = re.compile(r"[ _-]")
AFTER_HEAD = re.compile(r"[ _](?:of|from|in|with|without|who|that|for|at|by|on)[ _]", re.IGNORECASE)
"""What separates the head of a phrase from what follows it: women from Iran."""


def is_people(known: Knowledge, word: str) -> bool:
    """Return True if a word means a group of people by nationality, religion, ethnicity, gender or orientation.

    A phrase that is not known is one if its head is, or if its head is a person and another of its words is.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> [is_people(known, word) for word in ("Muslim", "jews", "African-American", "young women", "Muslim leader")]
    [True, True, True, True, True]
    >>> [is_people(known, word) for word in ("teacher", "pole", "German car", "leader")]
    [False, False, False, False]
    """
    kind = rules(known).people_words
    return kind.has(known, word) or (_has_part(known, kind, word) and _is_people_phrase(known, word))


def is_offensive(known: Knowledge, word: str) -> bool:
    """Return True if a word, in most of what it means, is a slur or obscene; or if it is a phrase with such a word.

    >>> from entvec.bundled import wordnet_knowledge
    >>> [is_offensive(wordnet_knowledge(), word) for word in ("bullshit", "Bull-Shit", "bull", "queen", "tool")]
    [True, True, False, False, False]
    """
    kind = rules(known).offensive_words
    return kind.has(known, word) or (_has_part(known, kind, word) and word not in known)


def people_rows(known: Knowledge, words: Words) -> Mask:
    """Return for each of many words what `is_people` says."""
    return _rows(words, rules(known).people_words, lambda word: is_people(known, word))


def offensive_rows(known: Knowledge, words: Words) -> Mask:
    """Return for each of many words what `is_offensive` says."""
    return _rows(words, rules(known).offensive_words, lambda word: is_offensive(known, word))


def head_senses(known: Knowledge, phrase: str) -> list[Sense]:
    """Return the senses of a phrase or, if it is not known, of its longest known ending, which is its head.

    >>> from entvec.bundled import wordnet_knowledge
    >>> [str(head_senses(wordnet_knowledge(), phrase)[0]) for phrase in ("young Jews", "old African Americans")]
    ['Jew#1', 'African_American#1']
    >>> str(head_senses(wordnet_knowledge(), "women from Iran")[0])
    'woman#1'
    """
    if senses := known.senses(phrase):
        return senses
    words = SEPARATORS.split(AFTER_HEAD.split(phrase, maxsplit=1)[0])
    return next((senses for first in range(len(words)) if (senses := known.senses(" ".join(words[first:])))), [])


def answering_senses(known: Knowledge, word: str) -> list[Sense]:
    """Return the senses of a group of people whose facts may answer, the most frequent first.

    If none of them is a group, as for blacks, those of other spellings follow. Left out are verbs, animals, individuals
    who bear the name, and senses that insult or offend, unless the word is an insult in all its senses.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> [str(sense) for word in ("foreigner", "Arab") for sense in answering_senses(known, word)]
    ['foreigner#1', 'Arab#1']
    >>> len(known.senses("foreigner")), len(known.senses("Arab"))
    (2, 2)
    """
    found = rules(known)
    senses = head_senses(known, word)
    if not any(found.people[sense.concept] for sense in senses):
        rows = {row: None for sense in senses for row in all_spellings(known, forms.key(sense.term))}
        senses += [sense for row in rows for sense in known.term_senses(row) if found.people[sense.concept]]
    groups = [
        sense
        for sense in senses
        if not (sense.part_of_speech == "verb" or found.animals[sense.concept] or known.instance_of.of(sense.concept))
    ]
    offends = found.offensive_pairs
    clean = [sense for sense in groups if not (found.insults[sense.concept] or (sense.term, sense.concept) in offends)]
    return clean or groups


def answers(known: Knowledge, word: str) -> dict[int, int]:
    """Return the concepts above a group of people that may answer, each with the fewest steps to it.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> [known.name(concept) for concept in known.ancestors([known.senses("bisexual")[0].concept])][:3]
    ['bisexual', 'sensualist', 'person']
    >>> [known.name(concept) for concept in answers(known, "bisexual")][:2]
    ['bisexual', 'person']
    """
    insults = rules(known).insults
    above = known.ancestors(sense.concept for sense in answering_senses(known, word))
    return {concept: steps for concept, steps in above.items() if not insults[concept] and names(known, concept)}


def names(known: Knowledge, concept: int) -> list[str]:
    """Return the terms for a concept that do not offend, the best known first.

    >>> from entvec.bundled import wordnet_knowledge
    >>> names(wordnet_knowledge(), wordnet_knowledge().senses("feces")[0].concept)[:2]
    ['fecal_matter', 'faecal_matter']
    """
    found = rules(known)
    terms = [term for term in known.synonyms(concept) if (term, concept) not in found.offensive_pairs]
    return [term for term in terms if not found.offensive_words.has(known, term)]


# Words and phrases


def _has_part(known: Knowledge, kind: Spellings, word: str) -> bool:
    """Return True if a phrase has a word of a kind."""
    parts = SEPARATORS.split(word)
    return len(parts) > 1 and any(kind.has(known, part) for part in parts)


def _is_people_phrase(known: Knowledge, phrase: str) -> bool:
    """Return True if a phrase with people in it is not known, and its head is a person or a group of people."""
    if phrase in known:
        return False
    found = rules(known)
    heads = head_senses(known, phrase)
    # Some plurals are terms by themselves: leaders are a body of people, and no person.
    bases = [
        base for sense in heads[:1] for base, kind in forms.base_forms(sense.term, known.irregular) if kind == "noun"
    ]
    first = heads[:1] + [sense for base in bases for sense in known.senses(base)[:1]]
    return any(found.people[sense.concept] or found.persons[sense.concept] for sense in first)


def _rows(words: Words, kind: Spellings, question: Callable[[str], bool]) -> Mask:
    """Return what a question says of each word; it is asked only of those that have a word of the kind in them."""
    found = np.zeros(len(words), bool)
    exact, folded = kind.exact, kind.keys | kind.plurals
    phrases = words.text.tobytes().decode().casefold().replace("_", " ").replace("-", " ").split("\n")
    for row, (word, key, phrase) in enumerate(zip(words, forms.key_list(words), phrases, strict=False)):
        if key in folded or word in exact or (" " in phrase and not folded.isdisjoint(phrase.split(" "))):
            found[row] = question(word)
    return found
