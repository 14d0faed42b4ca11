"""What an encoder is: texts in, vectors out, with a name, a dimension and a fingerprint.

Everything that calls for an `Encoder` works with any of them: the bundled ones, the adapters of this package, and
`CallableEncoder`, which makes an encoder of any function. A fingerprint holds a few numbers that the vectors of probe
phrases determine. A space or a map that was made with one encoder is useless with another; `agree` finds that out.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Float32s
from entvec.errors import InvalidInput

PROBES = ("dog", "running shoes", "to walk", "gestational diabetes", "theory: a tested explanation of facts")
NUMBERS_OF_A_PROBE = 4
DIGITS = 4
TEXTS_AT_ONCE = 1 << 12
"""How many texts are encoded between two reports of progress."""
TOLERANCE = 2e-3
"""Machines round differently. Vectors of another encoder differ by a hundred times as much."""


@runtime_checkable
class Encoder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """What a saved space or map calls the encoder, so that a person can find it again."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    def fingerprint(self) -> str:
        """A text that tells this encoder from others; compare it with `agree`."""

    def __call__(self, texts: Sequence[str]) -> Float32s:
        """Return an array with a row for each text."""


def fingerprint(encode: Callable[[Sequence[str]], ArrayLike]) -> str:
    """Return numbers that tell an encoder from others: its dimension, and a few mixtures of the vectors of probes.

    >>> fingerprint(lambda texts: [[len(text), 1.0] for text in texts]).split(",")[0]
    '2: 1.2048 -1.9021 -2.0098 -2.1064'
    """
    vectors = np.asarray(encode(PROBES), dtype=np.float64)
    dimension = vectors.shape[1]
    mixing = np.cos(np.outer(np.arange(1, dimension + 1), np.arange(1, NUMBERS_OF_A_PROBE + 1)))
    mixed = vectors @ mixing
    return f"{dimension}: " + ", ".join(" ".join(f"{number:.{DIGITS}f}" for number in row) for row in mixed)


def agree(first: str, second: str) -> bool:
    """Return whether two fingerprints are those of the same encoder, but for rounding.

    >>> agree("2: 1.2048 -2.2484", "2: 1.2047 -2.2484"), agree("2: 1.2048 -2.2484", "2: 1.3048 -2.2484")
    (True, False)
    """
    (dimension, numbers), (other_dimension, others) = (_numbers(each) for each in (first, second))
    if dimension != other_dimension or len(numbers) != len(others):
        return False
    return bool(np.all(np.abs(numbers - others) <= TOLERANCE * np.maximum(1, np.abs(numbers))))


def _numbers(text: str) -> tuple[str, NDArray[np.float64]]:
    dimension, _, rest = text.partition(": ")
    try:
        return dimension, np.array([float(number) for number in rest.replace(",", " ").split()])
    except ValueError:
        raise InvalidInput(f"{text[:40]!r} is no fingerprint of an encoder") from None


def checked(texts: Sequence[str]) -> list[str]:
    """Return the texts as a list, or raise InvalidInput for one that is empty or no text.

    >>> checked(["dog", " "])
    Traceback (most recent call last):
    entvec.errors.InvalidInput: text 1 is ' ', expected at least one letter
    """
    if isinstance(texts, str):
        raise InvalidInput(f"the texts are one text, {texts!r}, expected several: [{texts!r}]")
    found = list(texts)
    for at, text in enumerate(found):
        if not isinstance(text, str):
            raise InvalidInput(f"text {at} is {text!r}, expected a text")
        if not text.strip():
            raise InvalidInput(f"text {at} is {text!r}, expected at least one letter")
    return found


def checked_vectors(vectors: Any, n: int, name: str) -> Float32s:
    """Return what an encoder returned as float32, or raise InvalidInput if it has no finite row for each text."""
    found = np.asarray(vectors, dtype=np.float32)
    if found.ndim != 2 or len(found) != n or not found.shape[1]:
        raise InvalidInput(f"the encoder {name} returned an array of shape {found.shape}, expected ({n}, dimension)")
    if not np.isfinite(found).all():
        raise InvalidInput(f"the encoder {name} returned NaN or infinity, expected finite numbers")
    return found


def encoded(encoder: Encoder, texts: Sequence[str], progress: Callable[[float], None] = lambda _: None) -> Float32s:
    """Return the vectors of many texts; each distinct text is encoded once.

    >>> from entvec.bundled import encoder
    >>> encoded(encoder("static"), ["oboe", "violin", "oboe"]).shape
    (3, 192)

    Parameters
    ----------
    encoder
        The encoder.
    texts
        The texts; `_` is read as a space.
    progress
        A callback, called with the fraction that is done. If it raises an exception, encoding ends.
    """
    plain = [text.replace("_", " ") for text in texts]
    distinct = list(dict.fromkeys(plain))
    parts = [np.empty((0, encoder.dimension), np.float32)]
    for first in range(0, len(distinct), TEXTS_AT_ONCE):
        progress(first / len(distinct))
        parts.append(np.asarray(encoder(distinct[first : first + TEXTS_AT_ONCE]), np.float32))
    found = np.concatenate(parts)
    if len(distinct) == len(plain):
        return found
    place = {text: at for at, text in enumerate(distinct)}
    return found[[place[text] for text in plain]]


class CallableEncoder:
    """An encoder made of any function from texts to vectors.

    >>> lengths = CallableEncoder(lambda texts: [[len(text), 1.0] for text in texts], "lengths")
    >>> lengths(["dog", "cattle"]), lengths.dimension
    (array([[3., 1.],
           [6., 1.]], dtype=float32), 2)

    Parameters
    ----------
    encode
        Takes a list of texts and returns a row for each.
    name
        What a saved space or map calls the encoder.
    """

    def __init__(self, encode: Callable[[list[str]], ArrayLike], name: str) -> None:
        self._encode = encode
        self.name = name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def fingerprint(self) -> str:
        """Numbers that tell this encoder from others."""
        return fingerprint(self)

    @cached_property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self(PROBES[:1]).shape[1])

    def __call__(self, texts: Sequence[str]) -> Float32s:
        """Return an array with a row for each text."""
        found = checked(texts)
        if not found:
            return np.empty((0, self.dimension), np.float32)
        return checked_vectors(self._encode(found), len(found), self.name)
