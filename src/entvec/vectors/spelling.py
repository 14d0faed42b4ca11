"""Words that look like one that was not found."""

from entvec.vectors.words import Words, fold


def similar_spellings(word: str, words: Words, k: int = 5) -> list[str]:
    """Words that differ in case or `_` only come first, then those one edit away, then two; frequent ones before rare.

    >>> similar_spellings("gutiar", Words.of(["piano", "sitar", "guitar", "Guitar", "guitars"]))
    ['guitar', 'Guitar', 'guitars']
    >>> similar_spellings("Ice Cream", Words.of(["cream", "ice_cream"]))
    ['ice_cream']
    """
    from rapidfuzz import process  # only errors need it
    from rapidfuzz.distance import OSA

    asked = fold(word, case=True, space=True)
    found = process.extract(
        asked,
        list(words.folded(case=True, space=True)),
        scorer=OSA.distance,
        score_cutoff=2 if len(asked) > 4 else 1 if len(asked) > 1 else 0,
        limit=None,
    )
    nearest = sorted((distance, row) for _, distance, row in found)
    return [words[row] for _, row in nearest[:k]]
