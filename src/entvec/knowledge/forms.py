"""Finds a word in another spelling: `Ice Cream`, `ice-cream`, `geese`, `running shoes`.

Terms are sorted by their key, which ignores case, spaces, `_` and hyphens, so that all spellings of a term stand
together and are found by bisection: nothing is built when a file is opened.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from entvec.vectors.words import Words

SEPARATORS = str.maketrans({" ": None, "_": None, "-": None, "’": "'"})
ONE_SPACE = str.maketrans({"_": " ", "-": " ", "’": "'"})
NOUN, VERB = "noun", "verb"
ENDINGS = {
    NOUN: (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    VERB: (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
}
"""What regular forms end in, and what their base ends in: the rules of WordNet."""


def key(word: str) -> str:
    """Return what all spellings of a word share.

    >>> key("Ice-Cream"), key("ice cream"), key("icecream")
    ('icecream', 'icecream', 'icecream')
    """
    return word.casefold().translate(SEPARATORS)


def spelled(terms: Words, word: str) -> list[int]:
    """Return the rows of the terms that are the word in another spelling; only the closest of them.

    Exactly as written comes first (a space is an `_`), then another case, then other separators.

    Parameters
    ----------
    terms
        Sorted by their keys.
    word
        In any case, with spaces, `_` or hyphens.
    """
    wanted = key(word)
    row = bisect_left(terms, wanted, key=key)
    found: dict[int, list[int]] = {}
    while row < len(terms) and key(term := terms[row]) == wanted:
        found.setdefault(_difference(term, word), []).append(row)
        row += 1
    return found[min(found)] if found else []


def _difference(term: str, word: str) -> int:
    """Return 0 for the same spelling, 1 for another case, 2 for another separator, 3 for closed or open writing."""
    if term.replace("_", " ") == word.replace("_", " "):
        return 0
    if term.replace("_", " ").casefold() == word.replace("_", " ").casefold():
        return 1
    return 2 if term.translate(ONE_SPACE).casefold() == word.translate(ONE_SPACE).casefold() else 3


def base_forms(word: str, irregular: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the word may be a form of, and the part of speech: its last word a plural, or its first a verb.

    >>> list(base_forms("running shoes", []))
    [('running shoe', 'noun'), ('runne shoes', 'verb'), ('runn shoes', 'verb')]
    >>> next(base_forms("Canada geese", ["geese noun goose"]))
    ('Canada goose', 'noun')

    Parameters
    ----------
    word
        A word or a phrase.
    irregular
        Sorted lines of three words: a form, its part of speech, and its base.
    """
    words = word.translate(ONE_SPACE).split(" ")
    for kind, at in ((NOUN, len(words) - 1), (VERB, 0)):
        form = words[at].casefold()
        for base in _irregular(f"{form} {kind} ", irregular) or _regular(form, kind):
            yield " ".join([*words[:at], base, *words[at + 1 :]]), kind


def _irregular(start: str, irregular: Sequence[str]) -> list[str]:
    first = bisect_left(irregular, start)
    lines = takewhile(lambda line: line.startswith(start), islice(irregular, first, None))
    return [line.removeprefix(start) for line in lines]


def _regular(form: str, kind: str) -> list[str]:
    return [
        form.removesuffix(ending) + base
        for ending, base in ENDINGS[kind]
        if form.endswith(ending) and len(form) > len(ending)
    ]
