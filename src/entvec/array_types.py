"""Names of array types that several packages use in annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Floats of 64 bits."""
Float32s: TypeAlias = NDArray[np.float32]
"""Floats of 32 bits."""
AnyFloats: TypeAlias = NDArray[np.floating[Any]]
"""Floats of any precision."""
Ints: TypeAlias = NDArray[np.int64]
"""Integers of 64 bits."""
Indices: TypeAlias = NDArray[np.int32]
"""Positions in a list of at most two billion items, in half the memory of `Ints`."""
Rows: TypeAlias = NDArray[np.int64]
"""Row numbers of words."""
Mask: TypeAlias = NDArray[np.bool_]
"""True or False for each item."""
Matrix: TypeAlias = NDArray[Any]
"""An array of any number type."""
