"""The toy world: six things and their known features, small enough to check by eye.

>>> world = toy_world()
>>> print(world)
        alive  barks  curly  meows  lifeless
unk       .      .      .      .       .
animal    #      .      .      .       .
dog       #      #      .      .       .
poodle    #      #      #      .       .
cat       #      .      .      #       .
stone     .      .      .      .       #
>>> world.entails("poodle", "animal"), world.entails("animal", "poodle")
(True, False)
>>> world.log_odds("dog", strength=4.0)
array([ 4.,  4., -4., -4., -4.])
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.theory import binary

KNOWN = {
    "unk": [],
    "animal": ["alive"],
    "dog": ["alive", "barks"],
    "poodle": ["alive", "barks", "curly"],
    "cat": ["alive", "meows"],
    "stone": ["lifeless"],
}
FEATURES = ("alive", "barks", "curly", "meows", "lifeless")


@dataclass(frozen=True, eq=False)
class ToyWorld:
    """Things, features, and which features each thing is known to have. Entailment is set inclusion of the features.

    >>> world = ToyWorld(("animal", "dog"), ("lives", "barks"), np.array([[True, False], [True, True]]))
    >>> world.bits.shape
    (2, 2)

    Parameters
    ----------
    words
        The things.
    features
        The features.
    bits
        A row for each thing and a column for each feature.
    """

    words: tuple[str, ...]
    features: tuple[str, ...]
    bits: NDArray[np.bool_]

    def log_odds(self, *words: str, strength: float = 4.0) -> NDArray[np.float64]:
        """Return the vectors of these words, or of all: `strength` for a known feature, minus that for others."""
        if not strength > 0:
            raise InvalidInput(f"strength is {strength}, expected a positive number")
        rows = [self._row(word) for word in words or self.words]
        signs = np.where(self.bits[rows], float(strength), -float(strength))
        return np.asarray(signs[0] if len(words) == 1 else signs)

    def entails(self, hypo: str, hyper: str) -> bool:
        """Return whether hypo has all known features of hyper."""
        y, x = (self.bits[self._row(word)] for word in (hypo, hyper))
        return bool(binary.entails(y, x))

    def pairs(self) -> list[tuple[str, str]]:
        """Return all pairs (hypo, hyper) of two different words, entailments first."""
        return sorted(permutations(self.words, 2), key=lambda pair: not self.entails(*pair))

    def _row(self, word: str) -> int:
        if word not in self.words:
            raise InvalidInput(f"no {word!r} in the toy world, expected one of {', '.join(self.words)}")
        return self.words.index(word)

    def __str__(self) -> str:
        width = max(map(len, self.words))
        lines = [" " * width + "".join(f"  {feature}" for feature in self.features)]
        for word, row in zip(self.words, self.bits, strict=True):
            marks = zip(row, self.features, strict=True)
            cells = ("#".center(len(f)) if known else ".".center(len(f)) for known, f in marks)
            lines.append(word.ljust(width) + "".join(f"  {cell}" for cell in cells))
        return "\n".join(line.rstrip() for line in lines)


def toy_world() -> ToyWorld:
    """Return the toy world of the documentation and the tests."""
    bits = np.array([[feature in known for feature in FEATURES] for known in KNOWN.values()])
    return ToyWorld(tuple(KNOWN), FEATURES, bits)
