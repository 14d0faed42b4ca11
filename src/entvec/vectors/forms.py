"""Other spellings of a word: `Ice Cream`, `ice-cream`, `geese`, `running shoes`.

The key of a term ignores case, spaces, `_` and hyphens. In a list sorted by keys, all spellings of a term stand
together and are found by bisection, so opening a file builds no index. For words in any other order, `variants` lists
the spellings to look up.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

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
"""The endings of regular forms and of their bases, by part of speech (WordNet's rules)."""
ANY_ENDING = {kind: tuple(ending for ending, _ in endings) for kind, endings in ENDINGS.items()}
IRREGULAR_PLURALS = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "lice": "louse", "oxen": "ox", "dice": "die", "lives": "life",
    "wives": "wife", "knives": "knife", "leaves": "leaf", "wolves": "wolf", "halves": "half", "shelves": "shelf",
    "thieves": "thief", "loaves": "loaf", "calves": "calf", "selves": "self", "species": "species",
    "series": "series", "buses": "bus", "criteria": "criterion", "phenomena": "phenomenon", "analyses": "analysis",
    "crises": "crisis", "theses": "thesis", "shoes": "shoe", "news": "news", "lens": "lens", "lenses": "lens",
    "gases": "gas", "viruses": "virus", "bonuses": "bonus", "campuses": "campus", "caches": "cache",
    "headaches": "headache",
}  # fmt: skip
PLURALS_OF = {
    each: [plural for plural, singular in IRREGULAR_PLURALS.items() if singular == each != plural]
    for each in dict.fromkeys(IRREGULAR_PLURALS.values())
}
IRREGULAR_LINES = sorted(f"{plural} {NOUN} {singular}" for plural, singular in IRREGULAR_PLURALS.items())
SHORTEST_BASE = 3
"""Shorter bases are ignored, since they are rarely meant: `the` is not the base of `thing`."""
LONGEST_SPLIT = 40
"""Longer words are not tried as two words that lack a space."""
SYMBOLS = frozenset(("So", "Sk", "Cf", "Cc", "Co", "Cn"))
"""Unicode categories of characters that are not part of a word: emoji and invisible characters."""
ARTICLE = re.compile(r"(?:an?|the)[ _]+(?=\w)", re.IGNORECASE)
AROUND = ".,;:!?\"'`*()[]{}<>“”‘’«»„…–—- _"
"""Characters that may surround a word without being part of it. `#` and `+` are not among them, because of C#
and C++.
"""


def key(word: str) -> str:
    """Return the key of a word, which is the same for all its spellings.

    >>> key("Ice-Cream"), key("ice cream"), key("icecream")
    ('icecream', 'icecream', 'icecream')
    """
    return word.casefold().translate(SEPARATORS)


def last_word(phrase: str) -> str:
    """Return the last word of a phrase in lower case. As a rule the phrase is a kind of it.

    >>> last_word("Musical_instrument"), last_word("ice-cream"), last_word("dog")
    ('instrument', 'cream', 'dog')
    """
    return one_spaced(phrase).split(" ")[-1]


def one_spaced(phrase: str) -> str:
    """Return a phrase in lower case, with spaces between its words.

    >>> one_spaced("Self-propelled_vehicle")
    'self propelled vehicle'
    """
    return phrase.translate(ONE_SPACE).casefold()


def keys(words: Words) -> Words:
    """Return the keys of many words.

    >>> list(keys(Words.of(["Ice-Cream", "New_York"])))
    ['icecream', 'newyork']
    """
    return Words(np.frombuffer(_keys_text(words).encode(), np.uint8))


def key_list(words: Words) -> list[str]:
    """Return the keys of many words as strings, which is faster than reading each of them from `keys`.

    >>> key_list(Words.of(["Ice-Cream", "New_York"]))
    ['icecream', 'newyork']
    """
    return _keys_text(words).split("\n")[:-1]


def _keys_text(words: Words) -> str:
    folded = words.text.tobytes().decode().casefold()
    for separator in " _-":  # `translate` takes thirty times as long if any word is not ASCII
        folded = folded.replace(separator, "")
    return folded.replace("’", "'")


def spelled(terms: Words, word: str) -> list[int]:
    """Return the rows of the terms that are another spelling of the word; only those of the closest spelling.

    The exact spelling is the closest (a space equals `_`), then another case, then other separators.

    Parameters
    ----------
    terms
        Terms sorted by their keys.
    word
        A word in any case, with spaces, `_` or hyphens.
    """
    wanted = key(word)
    row = bisect_left(terms, wanted, key=key)
    found: dict[int, list[int]] = {}
    while row < len(terms) and key(term := terms[row]) == wanted:
        found.setdefault(_difference(term, word), []).append(row)
        row += 1
    return found[min(found)] if found else []


def _difference(term: str, word: str) -> int:
    """Return 0 for the same spelling, 1 for another case, 2 for another separator, 3 for words joined or split."""
    if term.replace("_", " ") == word.replace("_", " "):
        return 0
    if term.replace("_", " ").casefold() == word.replace("_", " ").casefold():
        return 1
    return 2 if term.translate(ONE_SPACE).casefold() == word.translate(ONE_SPACE).casefold() else 3


def base_forms(word: str, irregular: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the base forms that a word may have, with the part of speech: a plural last word, or an inflected first
    verb.

    >>> list(base_forms("running shoes", []))
    [('running shoe', 'noun'), ('runne shoes', 'verb'), ('runn shoes', 'verb')]
    >>> next(base_forms("Canada geese", ["geese noun goose"]))
    ('Canada goose', 'noun')

    Parameters
    ----------
    word
        A word or a phrase.
    irregular
        Sorted lines of three words: an irregular form, its part of speech, and its base.
    """
    words = word.translate(ONE_SPACE).split(" ")
    if len(words) > 1:  # mothers-in-law
        whole = word.casefold().replace("_", " ")
        yield from ((base, NOUN) for base in _irregular(f"{whole} {NOUN} ", irregular))
    for kind, at in ((NOUN, len(words) - 1), (VERB, 0)):
        form = words[at].casefold()
        for base in _irregular(f"{form} {kind} ", irregular) or _regular(form, kind):
            yield " ".join([*words[:at], base, *words[at + 1 :]]), kind


def _irregular(start: str, irregular: Sequence[str]) -> list[str]:
    found = []
    at = bisect_left(irregular, start)
    while at < len(irregular) and (line := irregular[at]).startswith(start):
        found.append(line.removeprefix(start))
        at += 1
    return found


def _regular(form: str, kind: str) -> list[str]:
    if not form.endswith(ANY_ENDING[kind]):
        return []
    return [
        form.removesuffix(ending) + base
        for ending, base in ENDINGS[kind]
        if form.endswith(ending) and len(form) > len(ending)
    ]


def tidied(text: str) -> list[str]:
    """Return the words that a text may stand for: without surrounding marks, symbols and article, with other
    separators.

    The closest come first, and those without accents last. A text that is a single word of plain letters has none.

    >>> tidied("the Ice-Cream!"), tidied("piano")
    (['the Ice-Cream', 'the Ice Cream', 'the-Ice-Cream', 'Ice-Cream', 'Ice Cream'], [])
    >>> tidied("pizza 🍕"), tidied("jalapeño"), tidied("C++")
    (['pizza'], ['jalapeno'], [])
    """
    if text.isascii() and text.isalnum():
        return []
    letters = "".join(" " if unicodedata.category(each) in SYMBOLS else each for each in text.replace("’", "'"))
    plain = " ".join(unicodedata.normalize("NFC", letters).split()).strip(AROUND)
    bare = ARTICLE.sub("", plain, count=1) if ARTICLE.match(plain) else plain
    found = [spelling for each in (plain, bare) for spelling in (each, *_with_separators(each))]
    found += ["".join(filter(str.isascii, unicodedata.normalize("NFKD", each))).strip(AROUND) for each in found]
    return [each for each in dict.fromkeys(found) if each and each != text]


def read_as(text: str) -> str:
    """Return a text in the form that encoders read: lower case, without marks, symbols, accents and article.

    >>> read_as("The Vacuum_Cleaner!"), read_as("pad-thai 🍜"), read_as("crème brûlée")
    ('vacuum cleaner', 'pad thai', 'creme brulee')
    """
    letters = "".join(" " if unicodedata.category(each) in SYMBOLS else each for each in text.translate(ONE_SPACE))
    apart = unicodedata.normalize("NFD", letters)
    plain = " ".join("".join(each for each in apart if unicodedata.category(each) != "Mn").split()).strip(AROUND)
    return (ARTICLE.sub("", plain, count=1) if ARTICLE.match(plain) else plain).casefold()


def _with_separators(phrase: str) -> list[str]:
    """Return a phrase with spaces, then with hyphens, between its words."""
    return [re.sub(r"[ _-]+", separator, phrase) for separator in " -" if not phrase.isalnum()]


def variants(word: str) -> list[str]:
    """Return the spellings that forms of a word may have in a vocabulary, its own among them; the closest come first.

    Other separators come first, then singular and plural, then the base of a verb. All are in lower case, with spaces
    instead of `_`.

    >>> variants("Ice-Creams")[:3], "ice cream" in variants("Ice-Creams"), "e-mail" in variants("email")
    (['ice creams', 'ice-creams', 'icecreams'], True, True)
    >>> [form in variants(form_of) for form, form_of in (("goose", "geese"), ("boxes", "box"), ("stop", "stopping"))]
    [True, True, True]
    """
    plain = word.casefold().translate(ONE_SPACE)
    bases = [(base, kind) for base, kind in base_forms(plain, IRREGULAR_LINES) if len(base) >= SHORTEST_BASE]
    singulars = [base for base, kind in bases if kind == NOUN]
    verbs = [base for base, kind in bases if kind == VERB]
    verbs += [verb[:-1] for verb in verbs if verb[-2:-1] == verb[-1:]]  # stopped: stopp, stop
    forms = dict.fromkeys([plain, *singulars, *plurals(plain), *verbs])
    return list(dict.fromkeys(chain.from_iterable(map(_separated, forms))))


def plurals(word: str) -> list[str]:
    """Return the possible plurals of a word in lower case.

    >>> plurals("woman"), plurals("lady")
    (['women', 'womans', 'women'], ['ladys', 'ladies'])
    """
    head, space, last = word.rpartition(" ")
    found = [*PLURALS_OF.get(last, ()), last + "s"]
    if last.endswith(("s", "x", "z", "ch", "sh", "o")):
        found.append(last + "es")
    if last.endswith("y"):
        found.append(last[:-1] + "ies")
    if last.endswith("man"):
        found.append(last[:-2] + "en")
    return [head + space + plural for plural in found]


def _separated(form: str) -> list[str]:
    """Return a form with a space, a hyphen or nothing between its words; a single word is also split in two."""
    words = form.split(" ")
    if len(words) > 1:
        return [separator.join(words) for separator in (" ", "-", "")]
    if len(form) > LONGEST_SPLIT:
        return [form]
    return [form, *(form[:at] + separator + form[at:] for at in range(1, len(form)) for separator in " -")]
