"""Elementwise functions of log-odds, accurate for values of any size.

`x` is the log-odds that a feature is known and s the sigmoid: the feature is known with probability s(x) and unknown
with probability s(-x). Values range from 0.1 in a word vector to 1e4 for something certain, so no function
overflows or warns, and errors stay within a few units in the last place.
"""

from __future__ import annotations

import math

import numpy as np

from entvec.theory.arrays import Array, blockwise, is_traced, namespace


@blockwise
def known(x: Array, /) -> Array:
    """Return s(x) = 1 / (1 + exp(-x)).

    >>> import numpy as np
    >>> known(np.array([-1e4, 0.0, 1e4])).round(3)
    array([0. , 0.5, 1. ])
    """
    exp_x = _safe_exp(x)
    return exp_x / (1 + exp_x)


@blockwise
def unknown(x: Array, /) -> Array:
    """Return s(-x) = 1 - s(x), without the cancellation of the subtraction.

    >>> import numpy as np
    >>> unknown(np.array([-1e4, 0.0, 1e4])).round(3)
    array([1. , 0.5, 0. ])
    """
    return 1 / (1 + _safe_exp(x))


@blockwise
def log_known(x: Array, /) -> Array:
    """Return log s(x), which forward inference adds for an entailing vector `x`.

    >>> import numpy as np
    >>> log_known(np.array([-1e4, 0.0, 1e4])).round(3).tolist()
    [-10000.0, -0.693, 0.0]
    """
    xp = namespace(x)
    size = xp.abs(x)
    # `clip` is fastest with NumPy. In other libraries gradients matter, and at 0 only that of (x - |x|) / 2 is right.
    negative_part = xp.clip(x, -math.inf, 0.0) if xp is np else (x - size) / 2
    return negative_part - log1p_exp_minus(size)


@blockwise
def log_unknown(x: Array, /) -> Array:
    """Return log s(-x), which backward inference subtracts for an entailed vector `x`.

    >>> import numpy as np
    >>> log_unknown(np.array([-1e4, 0.0, 1e4])).round(3).tolist()
    [-0.0, -0.693, -10000.0]
    """
    xp = namespace(x)
    size = xp.abs(x)
    positive_part = xp.clip(x, 0.0, math.inf) if xp is np else (x + size) / 2
    return -(positive_part + log1p_exp_minus(size))


def log_entailed(y: Array, x: Array, /) -> Array:
    """Return log(1 - s(-y) s(x)): the log-probability that a feature does not violate "y entails x".

    With S = e^y + e^-x + e^(y-x) that probability is S / (1 + S), so its logarithm is -log(1 + 1/S).
    Nothing cancels, whether the probability is near 0 or near 1. Where both y << 0 and x >> 0, S itself
    would underflow; there S e^m is computed instead, and m is subtracted from the result.

    >>> import numpy as np
    >>> log_entailed(np.array([1e4, 0.0, -1e4]), np.array([1e4, 0.0, 1e4])).round(3).tolist()
    [-0.0, -0.288, -9999.307]
    """
    xp = namespace(y, x)
    limit = _largest_exponent(xp, xp.result_type(y, x)) / 2

    def log_sum(a: Array, b: Array) -> Array:
        exp_a, exp_b = xp.exp(xp.clip(a, -math.inf, limit)), xp.exp(xp.clip(b, -math.inf, limit))
        return xp.log1p(1 / (exp_a + exp_b + exp_a * exp_b))

    if _reaches(xp, y=y, x=x, limit=limit):
        m = xp.clip(xp.minimum(-y, x), limit, math.inf) - limit
        return -(log_sum(m + y, m - x) + m)
    return -log_sum(y, -x)


def _reaches(xp: Array, *, y: Array, x: Array, limit: float) -> bool:
    """Return whether some y << 0 and some x >> 0, so that S may underflow. Handling that case takes half as much time
    again.
    """
    if is_traced(y) or is_traced(x) or 0 in (*y.shape, *x.shape):
        return True
    return bool(xp.min(y) < -limit) and bool(xp.max(x) > limit)


def log1p_exp_minus(size: Array) -> Array:
    """Return log(1 + e^-size). NumPy overwrites `size`; other libraries need copies for their gradients."""
    if isinstance(size, np.ndarray):
        np.negative(size, out=size)
        np.exp(size, out=size)
        return np.log1p(size, out=size)
    xp = namespace(size)
    return xp.log1p(xp.exp(-size))


def _safe_exp(x: Array) -> Array:
    xp = namespace(x)
    limit = _largest_exponent(xp, x.dtype)
    return xp.exp(xp.clip(x, -limit, limit))


def _largest_exponent(xp: Array, dtype: object) -> float:
    """Return the largest z for which exp(z) and exp(-z) are both normal numbers of this dtype."""
    return -math.log(float(xp.finfo(dtype).smallest_normal))
