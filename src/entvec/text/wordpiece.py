"""WordPiece, the tokenizer of BERT without case: text to numbers of pieces.

>>> pieces = WordPiece(["[UNK]", "[CLS]", "[SEP]", "shoe", "##s", "run", "##ning", "cafe", "-"])
>>> [pieces.vocabulary[piece] for piece in pieces("Running-shoes")]
['[CLS]', 'run', '##ning', '-', 'shoe', '##s', '[SEP]']
>>> pieces("Café"), pieces("hat")
([1, 7, 2], [1, 0, 2])

Text is normalised first: control characters are dropped, Chinese characters stand alone, accents are stripped, capital
letters are made small. It is then split at spaces and around each punctuation mark, and each word into the longest
pieces of the vocabulary from its start on. Only text makes pieces: `[SEP]` in a text is three of them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from entvec.errors import InvalidInput
from entvec.remembering import remembered

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100
"""A word of more letters is unknown."""
LONGEST_TEXT = 128
"""The most pieces of a text, with the start and the end; what is beyond them is cut off."""
WORDS_CACHED = 1 << 16
INSIDE = "##"
"""What a piece begins with that continues a word."""
ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
WHITE = "\t\n\r"


class WordPiece:
    """Splits texts into pieces of a vocabulary.

    Parameters
    ----------
    vocabulary
        The pieces; the number of a piece is its place. `[UNK]`, `[CLS]` and `[SEP]` must be among them.
    longest_text
        The most pieces of a text.
    """

    def __init__(self, vocabulary: Sequence[str], longest_text: int = LONGEST_TEXT) -> None:
        self.vocabulary = tuple(vocabulary)
        self.longest_text = longest_text
        self._number = {piece: number for number, piece in enumerate(self.vocabulary)}
        missing = [piece for piece in (UNKNOWN, START, END) if piece not in self._number]
        if missing:
            raise InvalidInput(f"no {missing[0]} among the {len(self.vocabulary):,} pieces, expected one")
        self._unknown, self._start, self._end = (self._number[piece] for piece in (UNKNOWN, START, END))

    def __reduce__(self) -> tuple[Any, ...]:  # the cache stays here
        return WordPiece, (self.vocabulary, self.longest_text)

    @property
    def unknown(self) -> int:
        """The number of the piece that stands for an unknown word."""
        return self._unknown

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, between the start and the end."""
        return [self._start, *self.bare(text, self.longest_text - 2), self._end]

    def bare(self, text: str, longest: int = LONGEST_TEXT) -> list[int]:
        """Return the numbers of a text's first pieces without a start and an end."""
        found = list(chain.from_iterable(map(self._pieces, words(text))))
        return found[:longest]

    @remembered(WORDS_CACHED)
    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the longest pieces of a word from its start on; all of it is unknown if one of them is."""
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        found, at = [], 0
        while at < len(word):
            inside = INSIDE if at else ""
            for end in range(len(word), at, -1):
                if (number := self._number.get(inside + word[at:end])) is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            at = end
        return tuple(found)


def words(text: str) -> list[str]:
    """Return the words and punctuation marks of a text, normalised.

    >>> words("Crème brûlée, 東京!")
    ['creme', 'brulee', ',', '東', '京', '!']
    """
    if text.isascii():
        if not text.isprintable():
            text = "".join(letter for letter in text if letter.isprintable() or letter in WHITE)
        return ASCII_WORDS.findall(text.lower())
    spaced = "".join(map(_cleaned, text))
    apart = unicodedata.normalize("NFD", spaced)
    # Letter by letter, since Python has another small sigma at the end of a word.
    plain = "".join(letter.lower() for letter in apart if unicodedata.category(letter) != "Mn")
    return [word for part in plain.split() for word in _at_punctuation(part)]


def _cleaned(letter: str) -> str:
    """Return a letter, spaces around a Chinese one, or nothing for a control character."""
    if letter in WHITE:
        return " "
    kind = unicodedata.category(letter)
    if letter == "\ufffd" or kind in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if kind == "Zs":
        return " "
    return f" {letter} " if any(first <= ord(letter) <= last for first, last in CHINESE) else letter


def _at_punctuation(part: str) -> Iterator[str]:
    word = ""
    for letter in part:
        if unicodedata.category(letter).startswith("P") or (letter.isascii() and not letter.isalnum()):
            if word:
                yield word
            yield letter
            word = ""
        else:
            word += letter
    if word:
        yield word
