"""Keys: the mapped vectors of all words, as a search stores them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.vectors.dtypes import DTYPES, DtypeName, decode


class Keys(NamedTuple):
    """The keys of one side: a row for each word, with its mapped vector and, in the last column, its hubness.

    >>> keys = Keys(np.array([[1.0, 0.25], [2.0, 0.5]], dtype=np.float32), "float32", longest=2.1)
    >>> keys.hubness(np.array([1]))
    array([0.5])

    Parameters
    ----------
    stored
        The matrix in its stored form.
    dtype
        The name of its number type.
    longest
        An upper bound of the lengths of the keys.
    """

    stored: NDArray[Any]
    dtype: DtypeName
    longest: float

    def __len__(self) -> int:
        return len(self.stored)

    def decoded(self, rows: Any) -> AnyFloats:
        """Return the keys of these rows, in a dtype to compute with."""
        return decode(self.stored[rows], self.dtype)

    def hubness(self, rows: Rows) -> AnyFloats:
        """Return the hubness of the words of these rows."""
        return decode(self.stored[rows, -1], self.dtype).astype(np.float64)

    @property
    def computed(self) -> np.dtype[Any]:
        """The dtype that products are computed in."""
        return DTYPES[self.dtype].computed
