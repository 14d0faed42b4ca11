"""A term that is asked about with its definition, as one text that is the spelling of no term.

Such a text counts as new, whatever is known of its word: the encoders read the word and the definition together.
"""

from __future__ import annotations

MEANS = "\ue000"
"""Stands between a word and its definition: a character that nothing is written with."""


class Defined(str):
    """A word as it is shown, with the text that stands for it and its definition."""

    __slots__ = ("asked",)
    asked: str


def defined(word: str, definition: str | None) -> str:
    """Return the text of a word with its definition; the word itself without one.

    >>> parts(defined("pad thai", "a dish of noodles")), defined("dog", None)
    (('pad thai', 'a dish of noodles'), 'dog')
    """
    return word if definition is None or not word.strip() else f"{word.strip()}{MEANS}{definition}"


def parts(text: str) -> tuple[str, str | None]:
    """Return the word of a text and its definition, None if it has none."""
    word, mark, definition = text.partition(MEANS)
    return word, definition if mark else None


def word_of(text: str) -> str:
    """Return a text without its definition."""
    return parts(text)[0]


def named(text: str) -> str:
    """Return the word of a text as a string that carries the whole text: `asked_of` returns it.

    >>> word = named(defined("pad thai", "a dish of noodles"))
    >>> word, asked_of(word) == defined("pad thai", "a dish of noodles"), asked_of("dog")
    ('pad thai', True, 'dog')
    """
    if MEANS not in text:
        return text
    found = Defined(word_of(text))
    found.asked = text
    return found


def asked_of(word: str) -> str:
    """Return the text that stands for a word and its definition; the word itself if it has none."""
    return word.asked if isinstance(word, Defined) else word
