"""Keys: mapped vectors as they are stored, one row for each word."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.model.model import Floats
from entvec.vectors.dtypes import DTYPES, DtypeName, decode
from entvec.vectors.vocabulary import Rows


class Keys(NamedTuple):
    """The keys of one side: mapped vectors as they are stored, and hubness in the last column."""

    stored: NDArray[Any]
    dtype: DtypeName
    longest: float
    """An upper bound of their lengths."""

    def __len__(self) -> int:
        return len(self.stored)

    def decoded(self, rows: Any) -> Floats:
        """Return these rows as numbers to compute with."""
        return decode(self.stored[rows], self.dtype)

    def hubness(self, rows: Rows) -> Floats:
        """Return the hubness of these words."""
        return decode(self.stored[rows, -1], self.dtype).astype(np.float64)

    @property
    def computed(self) -> np.dtype[Any]:
        """The dtype that products are computed in."""
        return DTYPES[self.dtype].computed
