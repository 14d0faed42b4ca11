"""Suggestions for a word that was not found."""

from collections.abc import Sequence

import numpy as np

from entvec.vectors.forms import variants
from entvec.vectors.words import Words, fold

MOST_EDITS = 2


def similar_spellings(word: str, words: Words, k: int = 5) -> list[str]:
    """Return words that are spelled like a missing one: its forms first, then words one edit away, then two.

    Among equally close words the frequent ones come first.

    >>> similar_spellings("gutiar", Words.of(["piano", "sitar", "guitar", "Guitar", "guitars"]))
    ['guitar', 'Guitar', 'guitars']
    >>> similar_spellings("Ice-Creams", Words.of(["cream", "ice_cream"]))
    ['ice_cream']

    Parameters
    ----------
    word
        The word that was not found.
    words
        The vocabulary, frequent words first.
    k
        How many words to return at most.
    """
    return similar_spellings_of_all([word], words, k)[0]


def similar_spellings_of_all(asked: Sequence[str], words: Words, k: int = 5) -> list[list[str]]:
    """Return the suggestions for several words. Scanning the vocabulary takes most of the time, and is done once for
    all.
    """
    from rapidfuzz import process  # only errors need it
    from rapidfuzz.distance import OSA

    spelled = fold(words.text.tobytes().decode(), case=True, space=True).split("\n")[:-1]
    folded = [fold(word, case=True, space=True) for word in asked]
    edits = process.cdist(folded, spelled, scorer=OSA.distance, score_cutoff=MOST_EDITS, dtype=np.uint8)
    forms = [variants(word) for word in asked]
    rows = _rows_of_forms({form for several in forms for form in several}, spelled)
    found = []
    for of_word, word, distances in zip(forms, folded, edits, strict=True):
        near = np.flatnonzero(distances <= _most_edits(word))
        near = near[np.argsort(distances[near], kind="stable")[:k]]
        best = [*(row for form in of_word for row in rows.get(form, [])), *near.tolist()]
        found.append(list(dict.fromkeys(words[row] for row in dict.fromkeys(best)))[:k])
    return found


def _most_edits(word: str) -> int:
    return MOST_EDITS if len(word) > 4 else 1 if len(word) > 1 else 0


def _rows_of_forms(forms: set[str], spelled: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in np.flatnonzero(np.fromiter(map(forms.__contains__, spelled), bool, len(spelled))).tolist():
        found.setdefault(spelled[row], []).append(row)
    return found
