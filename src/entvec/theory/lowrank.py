"""Query and key maps for the factorised operator, with a proven error bound.

`factorised` sums f(y, x) = log(1 - s(-y) s(x)), which is not a product of a function of y and a function
of x. But f is very smooth, so a sum of a few products approximates it:

    f(y, x)  ~  q_1(y) k_1(x) + ... + q_r(y) k_r(x)      for y and x in [low, high],

and the operator over d features becomes an inner product over r * d. The functions q and k are Chebyshev series:
f is interpolated at n x n Chebyshev points, and the singular value decomposition of the n x n coefficients is truncated
after r terms. The bound on the error in one dimension is the sum of three parts:

1. Truncation. The truncated part is a known polynomial. The maximum of a polynomial of degree below n is at most
   1 / cos(pi n / 2m) times its maximum on m Chebyshev points (Ehlich & Zeller 1964), once per variable.
2. Interpolation. f is analytic in each variable while its imaginary part is below pi, so its
   Chebyshev coefficients decrease like rho^-n for the ellipses inside that strip (Trefethen 2013, theorem 8.2).
3. Rounding. A Chebyshev polynomial of degree k changes by up to k^2 times a change of its argument, and its
   recurrence has errors as large, so each coefficient counts (k + 1)^2 units in the last place of the dtype.

The first two are exact mathematics. The third covers the products of one feature; summing over many features
in one inner product adds the usual rounding error of a long sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import DTypeLike, NDArray

from entvec.errors import InvalidInput
from entvec.theory.arrays import Array, blockwise, check_vectors, device, is_traced, namespace
from entvec.theory.elementwise import known, log_entailed, unknown
from entvec.theory.product import product

WIDEST = 40
"""The largest width of the range. Its maps take a second to make, and twice the width would take ten times as long."""
OVERSAMPLING = 16
"""Points per degree at which the truncated part is measured; the bound is then 1% above the true maximum."""


@dataclass(frozen=True)
class LowRankMaps:
    """Maps whose inner product equals `factorised` up to `error` per feature, for values in [low, high].

    >>> import numpy as np
    >>> from entvec.theory import factorised
    >>> maps = LowRankMaps(low=-2.0, high=2.0, rank=4)
    >>> y, x = np.array([1.5, -0.3, 2.0]), np.array([-1.0, 0.7, 2.0])
    >>> maps.query(y).shape
    (12,)
    >>> abs(maps.query(y) @ maps.key(x) - factorised(y, x)) <= 3 * maps.error
    np.True_
    >>> f"{maps.error:.1e}"
    '1.1e-05'

    Parameters
    ----------
    low, high
        The range of the log-odds. The maps raise an error for values outside it.
    rank
        The number of products per feature, 1 to 64. A higher rank has a smaller error and longer maps.
    """

    low: float
    high: float
    rank: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InvalidInput(f"the range is [{self.low}, {self.high}], expected finite numbers low < high")
        if self.high - self.low > WIDEST:
            raise InvalidInput(
                f"the range [{self.low}, {self.high}] is {self.high - self.low} wide, expected at most {WIDEST}: the "
                "rank needed grows with the width; clip certain values first, a probability hardly changes beyond 20"
            )
        if not (isinstance(self.rank, int | np.integer) and 1 <= self.rank <= 64):
            raise InvalidInput(f"rank is {self.rank}, expected a whole number from 1 to 64")

    @property
    def error(self) -> float:
        """The error bound of one feature: no pair of float64 numbers in [low, high] has a larger error."""
        return self.error_in(np.float64)

    def error_in(self, dtype: DTypeLike) -> float:
        """Return the error bound for maps evaluated in another dtype, such as float32, whose rounding errors are
        larger.
        """
        return self._expansion.approximation + self._expansion.units * float(np.finfo(dtype).eps)

    def query(self, y: Array) -> Array:
        """Map vectors of the entailing side, (..., d), to query vectors, (..., d * rank)."""
        self._check_range(y=y)
        return _evaluate(y, low=self.low, high=self.high, coefficients=self._expansion.query)

    def key(self, x: Array) -> Array:
        """Map vectors of the entailed side, (..., d), to key vectors, (..., d * rank)."""
        self._check_range(x=x)
        return _evaluate(x, low=self.low, high=self.high, coefficients=self._expansion.key)

    @cached_property
    def _expansion(self) -> _Expansion:
        return _expand(self.low, self.high, self.rank)

    def _check_range(self, **named: Array) -> None:
        xp = check_vectors(**named)
        ((name, values),) = named.items()
        if is_traced(values) or math.prod(values.shape) == 0:
            return
        least, most = xp.min(values), xp.max(values)
        if bool(least < self.low) or bool(most > self.high):
            raise InvalidInput(
                f"{name} reaches from {float(least):g} to {float(most):g}, "
                f"but these maps hold for [{self.low:g}, {self.high:g}]; "
                f"make LowRankMaps(low, high, rank) for a wider range, or clip"
            )


@dataclass(frozen=True)
class _Expansion:
    query: NDArray[np.float64]  # (degree, rank) Chebyshev coefficients
    key: NDArray[np.float64]
    approximation: float  # the error in exact arithmetic
    units: float  # the additional rounding error, in units of the dtype's eps


def _expand(low: float, high: float, rank: int) -> _Expansion:
    degree = max(16, rank)
    while True:
        coefficients = _interpolate(low, high, degree)
        u, singular, vt = np.linalg.svd(coefficients)
        root = np.sqrt(singular[:rank])
        query, key = u[:, :rank] * root, vt[:rank].T * root
        cut_off = _largest_value(coefficients - query @ key.T)
        missed = _interpolation_error(low, high, degree)
        units = _rounding_units(query, key)
        eps = float(np.finfo(float).eps)
        if missed <= max(cut_off / 100, units * eps, eps):
            return _Expansion(query, key, cut_off + missed, units)
        degree += max(8, degree // 4)


def _interpolate(low: float, high: float, degree: int) -> NDArray[np.float64]:
    """Return the coefficients of f at the products of Chebyshev polynomials of degree below `degree`."""
    k = np.arange(degree)
    # T_k at the Chebyshev points is the cosine of a multiple of pi / 2n. Reducing that multiple as an integer keeps all
    # digits, which a recurrence at rounded points would not.
    polynomials = np.cos(np.outer(k, 2 * k + 1) % (4 * degree) * (np.pi / (2 * degree)))
    values = (low + high) / 2 + (high - low) / 2 * polynomials[1]
    transform = polynomials * (2 / degree)
    transform[0] /= 2
    return np.asarray(transform @ log_entailed(values[:, None], values[None, :]) @ transform.T)


def _rounding_units(query: NDArray[np.float64], key: NDArray[np.float64]) -> float:
    weight = (np.arange(len(query)) + 1.0) ** 2
    query, key = np.abs(query), np.abs(key)
    return 4 * float((weight @ query) @ key.sum(0) + query.sum(0) @ (weight @ key))


def _largest_value(coefficients: NDArray[np.float64]) -> float:
    degree = len(coefficients)
    m = OVERSAMPLING * degree
    basis = chebyshev.chebvander(chebyshev.chebpts1(m), degree - 1)
    factor = math.cos(math.pi * degree / (2 * m)) ** 2
    return max(float(np.abs(part @ basis.T).max()) for part in np.array_split(basis @ coefficients, degree)) / factor


def _interpolation_error(low: float, high: float, degree: int) -> float:
    """Return how far f can be from its interpolant: the smallest bound that the ellipses of the strip give.

    As a function of y, f = log((e^y + w) / (e^y + 1)) with w = s(-x). Where |Im y| <= pi - d, both
    |e^y + w| >= w sin d and |e^y + 1| >= sin d, which bounds |f|; x is the mirror image, f(y, x) = f(-x, -y).
    """
    centre, radius = (low + high) / 2, (high - low) / 2
    best = math.inf
    for d in np.linspace(0.02, math.pi / 2, 60):
        height = (math.pi - d) / radius
        rho = height + math.hypot(height, 1.0)
        reach = abs(centre) + radius * (rho + 1 / rho) / 2
        least_w = min(float(unknown(np.float64(high))), float(known(np.float64(low))))
        largest = reach + math.log1p(math.exp(-reach)) - math.log(least_w * math.sin(d)) + math.pi
        best = min(best, 4 * largest * rho ** (1 - degree) / (rho - 1))
    lebesgue = 1 + 2 / math.pi * math.log(degree)
    return best * (1 + lebesgue)


@blockwise
def _evaluate(values: Array, /, *, low: float, high: float, coefficients: NDArray[np.float64]) -> Array:
    xp = namespace(values)
    t = (values - (low + high) / 2) * (2 / (high - low))
    basis = [xp.ones_like(t), t]
    while len(basis) < len(coefficients):
        basis.append(2 * t * basis[-1] - basis[-2])
    weights = xp.asarray(coefficients, dtype=values.dtype, device=device(values))
    # The values of each polynomial are contiguous; stacking them so is faster than interleaving all polynomials.
    flat = xp.reshape(xp.stack(basis, axis=0), (len(basis), math.prod(values.shape)))
    products = product(xp.permute_dims(flat, (1, 0)), weights)
    return xp.reshape(products, (*values.shape[:-1], values.shape[-1] * weights.shape[-1]))
