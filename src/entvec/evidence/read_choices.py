"""The words among which the answers for a term that an encoder reads are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s, Floats, Ints
from entvec.model.model import Side
from entvec.vectors import forms


@dataclass(frozen=True, eq=False)
class Choices:
    """The words that may be answers."""

    rows: Ints
    """Rows of the vocabulary; terms without a vector have rows after these."""
    terms: Ints
    """-1 for a word that is not known."""
    texts: list[str]
    named: NDArray[np.bool_]
    """False for what only a phrase of which it is the head is called, as surgery is no name of a concept."""

    senses: tuple[Ints, Ints]
    """The place of a candidate and a concept that it means with some probability, for each of its concepts."""

    @cached_property
    def mapped(self) -> dict[tuple[Side, float], Float32s]:
        """The candidates mapped by the static table, for each side and specificity that was asked for."""
        return {}

    def most(self, by_concept: dict[int, float], n: int) -> Floats:
        """Return the most that any concept of each candidate has; 0 for those that have nothing.

        Parameters
        ----------
        by_concept
            A number for some concepts.
        n
            How many concepts there are.
        """
        of_concept, found = np.zeros(n), np.zeros(len(self.rows))
        of_concept[list(by_concept)] = list(by_concept.values())
        place, concept = self.senses
        np.maximum.at(found, place, of_concept[concept])
        return found

    @cached_property
    def keys(self) -> NDArray[np.object_]:
        """What all spellings of each word share."""
        return np.array([forms.key(text) for text in self.texts], object)
