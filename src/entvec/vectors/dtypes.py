"""The number types in which a matrix may be stored, and conversion to and from types that NumPy computes with.

NumPy has no bfloat16 (a float32 without its last 16 bits), so such a matrix is stored as unsigned integers. 16-bit
matrices are converted to float32 when vectors are looked up.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput

DtypeName = Literal["float64", "float32", "float16", "bfloat16"]
DtypeLike = str | type[Any] | np.dtype[Any]


class Dtype(NamedTuple):
    """How numbers are stored, and the type that they are converted to for computing."""

    stored: np.dtype[Any]
    computed: np.dtype[Any]


DTYPES: dict[DtypeName, Dtype] = {
    "float64": Dtype(np.dtype("<f8"), np.dtype(np.float64)),
    "float32": Dtype(np.dtype("<f4"), np.dtype(np.float32)),
    "float16": Dtype(np.dtype("<f2"), np.dtype(np.float32)),
    "bfloat16": Dtype(np.dtype("<u2"), np.dtype(np.float32)),
}


def check_dtype(dtype: DtypeLike) -> DtypeName:
    """Return the name of a dtype of the table; NumPy's own dtypes are accepted too. Raise an error for others."""
    try:
        name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in DTYPES:
        raise InvalidInput(f"dtype is {name!r}, expected one of {', '.join(DTYPES)}")
    return name


def encode(values: NDArray[Any], name: DtypeName) -> NDArray[Any]:
    """Convert finite numbers to the way they are stored; raise an error for numbers out of range.

    >>> encode(np.array([1.0, -2.5], dtype=np.float32), "bfloat16")
    array([16256, 49184], dtype=uint16)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if name == "bfloat16":
            narrow = np.ascontiguousarray(values, dtype="<f4")
            bits = narrow.view("<u4")
            # Add half a step, then truncate; ties are rounded to even by the last bit that remains.
            rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")
            fits = np.isfinite(narrow) & ((rounded & 0x7F80) != 0x7F80)  # a NaN may wrap around to 0
        else:
            rounded = values.astype(DTYPES[name].stored, copy=False)
            fits = np.isfinite(rounded)
    if not fits.all():
        raise InvalidInput(f"{values[~fits].flat[0]:g} does not fit in {name}")
    return np.asarray(rounded)


def decode(stored: NDArray[Any], name: DtypeName) -> NDArray[Any]:
    """Convert stored numbers to numbers to compute with: float64 for float64, else float32.

    >>> decode(np.array([16256, 49184], dtype=np.uint16), "bfloat16")
    array([ 1. , -2.5], dtype=float32)
    """
    if name == "bfloat16":
        return np.asarray(np.left_shift(stored, 16, dtype=np.uint32)).view(np.float32)
    return stored.astype(DTYPES[name].computed, copy=False)
