"""Checks that every function of this package applies to its arrays, and evaluation in blocks.

The arrays of one call must belong to one library and hold finite real floats over the same features. The mathematics
is written once, against the Array API standard, and runs on NumPy, PyTorch, JAX and CuPy arrays. Long NumPy arrays are
processed in blocks that fit the cache: allocating a new temporary array for every step of a formula would take longer
than the step itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, TypeAlias

import array_api_compat
import numpy as np
from array_api_compat import device as device

from entvec.errors import InvalidInput, NotLogOdds

Array: TypeAlias = Any
"""An array of any library that follows the Array API standard."""

BLOCK = 32_768
"""The number of elements in a block of a NumPy array. A dozen float64 temporaries of this size fit a 2 MB cache."""


def namespace(*arrays: Array) -> ModuleType:
    """Return the Array API namespace of the library that all the arrays belong to.

    For NumPy arrays this is NumPy itself, which follows the standard since version 2.1; the `clip` of array-api-compat
    is slower.
    """
    if all(isinstance(a, np.ndarray | np.generic) for a in arrays):
        return np
    try:
        if not all(map(array_api_compat.is_array_api_obj, arrays)):
            raise TypeError  # array_namespace would let Python numbers pass beside an array
        xp: ModuleType = array_api_compat.array_namespace(*arrays)
    except TypeError:
        given = ", ".join(f"{type(a).__module__}.{type(a).__qualname__}" for a in arrays)
        raise NotLogOdds(
            f"expected arrays of one library (NumPy, PyTorch, JAX, CuPy), got {given} in this order; "
            "convert them first, for example with numpy.asarray(values, dtype=float)"
        ) from None
    return xp


def check_vectors(**named: Array) -> ModuleType:
    """Raise an error unless the arguments are arrays of finite real floats over the same features; return their
    library.

    Pass the arrays under the names of the caller's own arguments: the error message uses these names.
    """
    xp = check_features(**named)
    check_finite(**named)
    return xp


def check_finite(**named: Array) -> None:
    """Raise an error if an array has NaN or infinite values."""
    xp = namespace(*named.values())
    for name, values in named.items():
        if not is_traced(values) and not _all_finite(xp, values):
            bad = int(xp.sum(xp.astype(~xp.isfinite(values), xp.int64)))
            raise InvalidInput(
                f"{name} holds {bad} NaN or infinite values among {math.prod(values.shape)}, expected finite "
                "log-odds; large ones such as 1e4 are fine and mean certainty"
            )


def check_features(**named: Array) -> ModuleType:
    """Raise an error unless the arrays hold real floats, have equally many features, and have leading axes that
    broadcast.
    """
    xp = namespace(*named.values())
    for name, values in named.items():
        if not xp.isdtype(values.dtype, "real floating"):
            raise NotLogOdds(
                f"{name} holds {values.dtype}, expected real floating-point log-odds; "
                "convert it first, for example with .astype(float) or, in PyTorch, .double()"
            )
        if values.ndim == 0:
            raise InvalidInput(f"{name} is a single number, expected an array whose last axis holds the features")
    shapes = {name: tuple(values.shape) for name, values in named.items()}
    given = " and ".join(f"{name} of shape {shape}" for name, shape in shapes.items())
    if len({shape[-1] for shape in shapes.values()}) > 1:
        raise InvalidInput(f"got {given}, expected the same number of features in the last axis")
    try:
        np.broadcast_shapes(*(shape[:-1] for shape in shapes.values()))
    except ValueError:
        raise InvalidInput(
            f"got {given}, expected leading axes that broadcast against each other; "
            "for all pairs of rows, give y[:, None] instead of y"
        ) from None
    return xp


def _all_finite(xp: ModuleType, values: Array) -> bool:
    # One sum takes half the time of isfinite on every element, and it is finite only if all elements are.
    # A sum of large finite values may overflow, so an infinite sum is followed by the exact test.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(xp.isfinite(xp.sum(values))) or bool(xp.all(xp.isfinite(values)))


def is_traced(values: Array) -> bool:
    """Return whether this is a tracer, JAX's placeholder for an array inside `jit`, which has no values yet."""
    return "jax" in sys.modules and isinstance(values, sys.modules["jax"].core.Tracer)


def blockwise(function: Callable[..., Array]) -> Callable[..., Array]:
    """Make a function of one array, applied row by row, process long NumPy arrays in blocks of rows."""

    @wraps(function)
    def in_blocks(values: Array, /, **options: Any) -> Array:
        if not isinstance(values, np.ndarray) or values.size <= BLOCK:
            return function(values, **options)
        rows = values.reshape(-1, values.shape[-1])
        step = max(1, BLOCK // rows.shape[-1])
        first = function(rows[:step], **options)
        out = np.empty((len(rows), first.shape[-1]), first.dtype)
        out[:step] = first
        for start in range(step, len(rows), step):
            out[start : start + step] = function(rows[start : start + step], **options)
        return out.reshape(*values.shape[:-1], first.shape[-1])

    return in_blocks


def score_pairs(score: Callable[[Array, Array], Array], y: Array, x: Array, *, expands: bool = False) -> Array:
    """Check y and x, then score them; NumPy arrays are processed in blocks of pairs.

    Each block is checked and scored while it is in the cache. Leading axes that broadcast are split into blocks only if
    `expands` is true.

    Parameters
    ----------
    score
        The score function of two arrays.
    y, x
        The log-odds of the entailing and of the entailed side.
    expands
        Whether `score` makes temporary arrays of all pairs times all features. A score that is an inner product of maps
        makes none, and in blocks it would map each side many times.
    """
    check_features(y=y, x=x)
    if isinstance(y, np.ndarray) and (expands or y.shape == x.shape):
        return _score_blocks(score, y, x, lambda: check_finite(y=y, x=x))
    check_finite(y=y, x=x)
    return score(y, x)


def score_linear(score: Callable[[Array, Array], Array], y: Array, x: Array) -> Array:
    """Do the same as `score_pairs` for a score that is as cheap as its checks.

    The inputs are checked only if the result is not finite, so the score must be one that turns every NaN or infinity
    of y or x into a result that is not finite.
    """
    xp = check_features(y=y, x=x)
    with np.errstate(invalid="ignore"):
        scores = score(y, x)
    if not is_traced(scores) and not _all_finite(xp, scores):
        check_finite(y=y, x=x)
    return scores


def _score_blocks(score: Callable[[Array, Array], Array], y: Array, x: Array, complain: Callable[[], None]) -> Array:
    shape = np.broadcast_shapes(y.shape, x.shape)
    if math.prod(shape) <= BLOCK or len(shape) == 1:
        if not (_all_finite(np, y) and _all_finite(np, x)):
            complain()  # its message describes the whole arrays, not this block
        return score(y, x)
    y, x = (a.reshape((1,) * (len(shape) - a.ndim) + a.shape) for a in (y, x))
    step = BLOCK // math.prod(shape[1:])
    out = np.empty(shape[:-1], np.result_type(y, x))
    for start in range(0, shape[0], max(1, step)):
        # A row that is longer than a block is split along the next axis.
        part: Any = slice(start, start + step) if step else start
        whole: Any = slice(None) if step else 0
        y_part, x_part = (a[whole if a.shape[0] == 1 else part] for a in (y, x))
        out[part] = _score_blocks(score, y_part, x_part, complain)
    return out


def running_max(values: Array) -> Array:
    """Return the largest value so far along the last axis (NumPy's `maximum.accumulate`, which the standard lacks)."""
    xp = namespace(values)
    if xp is np:
        return np.maximum.accumulate(values, axis=-1)
    reach = 1
    while reach < values.shape[-1]:
        values = xp.concat([values[..., :reach], xp.maximum(values[..., reach:], values[..., :-reach])], axis=-1)
        reach *= 2
    return values
