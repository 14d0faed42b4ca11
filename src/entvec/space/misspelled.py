"""Words that may be meant instead of one that is not known: an encoder reads misspelled words, too."""

from __future__ import annotations

from entvec.errors import WordNotFound
from entvec.evidence.gathering import Evidence
from entvec.evidence.reasons import spoken
from entvec.vectors.vocabulary import Vocabulary


def suggestions(vocabulary: Vocabulary, evidence: Evidence | None, word: str) -> list[str]:
    """Return known words that are spelled like one that is not known; of a phrase, its unknown words are replaced.

    Parameters
    ----------
    vocabulary
        The words that have vectors.
    evidence
        What is known; None if nothing is.
    word
        A word or a phrase.
    """
    if evidence is None:
        return [] if word in vocabulary else _like(vocabulary, word)
    words = word.split()
    if not words or _is_told(evidence, word):
        return []
    if len(words) == 1:
        return _like(evidence, word)
    meant = [_meant(evidence, each) for each in words]
    return [] if meant == words else [" ".join(meant)]


def _meant(evidence: Evidence, word: str) -> str:
    """Return the word of a phrase that is spelled most like one, if that is not known."""
    if not word.isalpha() or _is_told(evidence, word):
        return word
    return next(iter(_like(evidence, word)), word)


def _is_told(evidence: Evidence, word: str) -> bool:
    """Return whether a word is known, has a vector, or is in the texts that were given."""
    return evidence.known_word(word) or (evidence.text is not None and evidence.text.has(word))


def _like(source: Vocabulary | Evidence, word: str) -> list[str]:
    error = source.not_found([word])
    return list(map(spoken, error.suggestions)) if isinstance(error, WordNotFound) else []
