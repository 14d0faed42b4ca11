"""`Placed`: where each of many terms belongs in a taxonomy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import data_frame

if TYPE_CHECKING:
    import pandas as pd

PROBABLE = 0.5
"""The least probability of a place."""
UNREAD = "nothing is known of it: it is neither in the vocabulary nor among what the space knows"
IMPROBABLE = "no term is its parent with a probability of one half"
SAME_NAME = "the same name"


@dataclass(frozen=True, eq=False)
class Placed:
    """Where each of many terms belongs: arrays with a row for each; `placed.best` is the whole answer in one column."""

    terms: tuple[str, ...]
    taxonomy: Taxonomy
    parents: NDArray[np.int32]
    """The best parents of each term, as indices of the taxonomy's terms, the best first; -1 if there are no more."""
    probabilities: Floats
    """The probability that the term is a kind of each parent, as `space.probability` returns it; NaN if unknown."""
    fits: Floats
    """The probability that this parent is right and no candidate below it is; the probable parents come first. Those of
    a name that nobody knows are ordered by what the encoders say, too."""
    none: Floats
    """The probability that none of the candidates is above the term; NaN if nothing is known of the term."""
    same: NDArray[np.int32]
    """The term of the taxonomy that each is the same as, or -1."""
    same_probabilities: Floats
    same_reasons: tuple[str, ...]
    between: tuple[tuple[int, ...], ...]
    """Children of the best parent that are kinds of the term: it belongs between them."""
    between_probabilities: tuple[tuple[float, ...], ...]
    reasons: tuple[tuple[str, ...], ...]
    """Why, for each parent."""
    spellings: tuple[tuple[str, ...], ...]
    """Names that are spelled almost like a term without a place."""

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def best(self) -> NDArray[np.int32]:
        """The parent of each term, if it has a probability of one half; -1 for the others, which are unplaced."""
        sure = np.nan_to_num(self.probabilities[:, :1], nan=0.0) >= PROBABLE
        return np.where(sure & (self.parents[:, :1] >= 0), self.parents[:, :1], -1).ravel()

    @cached_property
    def unplaced(self) -> tuple[int, ...]:
        """The rows of terms that have neither a probable parent nor a term that is the same."""
        return tuple(np.flatnonzero((self.best < 0) & (self.same < 0)).tolist())

    def why_unplaced(self, row: int) -> str:
        """Return why a term has no place, and what else may be meant."""
        told = UNREAD if np.isnan(self.none[row]) else IMPROBABLE
        meant = self.spellings[row]
        return told + (f"; did you mean {', '.join(map(repr, meant))}?" if meant else "")

    def path(self, parent: int) -> tuple[str, ...]:
        """Return the labels on the way from a parent to the top, by its first parents."""
        return path_of(self.taxonomy, parent)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each suggested parent; this needs pandas."""
        rows, columns = np.nonzero(self.parents >= 0)
        label = self.taxonomy.label
        return data_frame(
            {
                "term": [self.terms[i] for i in rows],
                "rank": columns + 1,
                "parent": [label(self.taxonomy.terms[j]) for j in self.parents[rows, columns]],
                "probability": self.probabilities[rows, columns],
                "fit": self.fits[rows, columns],
                "reason": [self.reasons[i][j] for i, j in zip(rows, columns, strict=True)],
            }
        )


def path_of(taxonomy: Taxonomy, term: int) -> tuple[str, ...]:
    """Return the labels on the way from a term to the top, by first parents; it ends where it would go in a circle."""
    way: dict[int, None] = {}
    while term not in way:
        way[term] = None
        above = taxonomy.parents(taxonomy.terms[term])
        if not above:
            break
        term = taxonomy.index(above[0])
    return tuple(taxonomy.label(taxonomy.terms[each]) for each in way)
