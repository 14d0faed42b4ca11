"""Names of array types that several packages use in annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Float32s: TypeAlias = NDArray[np.float32]
AnyFloats: TypeAlias = NDArray[np.floating[Any]]
"""Floats of any precision."""
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.int32]
"""Positions in a list of at most two billion items, in half the memory of `Ints`."""
Rows: TypeAlias = NDArray[np.int64]
"""Row numbers of words."""
Mask: TypeAlias = NDArray[np.bool_]
Matrix: TypeAlias = NDArray[Any]
"""An array of any number type."""
