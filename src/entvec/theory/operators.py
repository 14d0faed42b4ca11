"""The entailment operators of the paper (section 2, Table 2) and the baselines that it compares them with.

Each is called `operator(y, x)` and answers "does y entail x?": is all that is known in x also known in y?
A dog entails an animal, so `backward(dog, animal)` is high, near 0, and `backward(animal, dog)` is low.
The last axis holds the features, leading axes broadcast, and the result has the dtype of the arguments.

All other packages work from the table `OPERATORS`. An operator is a score together with
a *query map* of y and a *key map* of x whose inner product is that score. So finding the words of a vocabulary
that y entails is a search for the largest inner product.

>>> import numpy as np
>>> animal, dog = np.array([4.0, -4.0]), np.array([4.0, 4.0])
>>> round(float(backward(dog, animal)), 3), round(float(backward(animal, dog)), 3)
(-0.073, -4.018)
>>> row = OPERATORS["backward"]
>>> float(row.query(dog) @ row.key(animal)) == float(backward(dog, animal))
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from entvec.errors import InvalidInput
from entvec.theory.arrays import (
    Array,
    check_vectors,
    device,
    is_traced,
    namespace,
    running_max,
    score_linear,
    score_pairs,
)
from entvec.theory.elementwise import known, log_entailed, log_known, log_unknown, unknown
from entvec.theory.lowrank import LowRankMaps

Score: TypeAlias = Callable[[Array, Array], Array]
Map: TypeAlias = Callable[[Array], Array]


class Mapped(NamedTuple):
    """The values of an elementwise function, and of its derivative."""

    value: Array
    slope: Array


Slopes: TypeAlias = Callable[[Array], tuple[Mapped, Mapped]]


def forward(y: Array, x: Array) -> Array:
    """Return the forward-inference operator, a circled < in the paper: s(X) . log s(Y). It is at most 0.

    >>> import numpy as np
    >>> dog, animal = np.array([4.0, 4.0]), np.array([4.0, -4.0])
    >>> round(float(forward(dog, animal)), 2), round(float(forward(animal, dog)), 2)
    (-0.02, -3.96)

    It follows from Jensen's inequality with the expectation over y inside the logarithm, and is what inference of x
    from y maximises.
    """
    return score_pairs(_forward, y, x)


def backward(y: Array, x: Array) -> Array:
    """Return the backward-inference operator, a circled > in the paper: s(-Y) . log s(-X). It is at most 0.

    >>> import numpy as np
    >>> dog, animal = np.array([4.0, 4.0]), np.array([4.0, -4.0])
    >>> round(float(backward(dog, animal)), 2), round(float(backward(animal, dog)), 2)
    (-0.07, -4.02)

    It follows from Jensen's inequality with the expectation over x inside the logarithm, and is what inference of y
    from x maximises. The paper finds that it fits Word2Vec vectors best.
    """
    return score_pairs(_backward, y, x)


def factorised(y: Array, x: Array) -> Array:
    """Return the factorised operator, an arrow with a tilde in the paper: sum_k log(1 - s(-Y_k) s(X_k)).

    >>> import numpy as np
    >>> dog, animal = np.array([4.0, 4.0]), np.array([4.0, -4.0])
    >>> round(float(factorised(dog, animal)), 2), round(float(factorised(animal, dog)), 2)
    (-0.02, -3.35)

    This is the exact log-probability of entailment if the features of x and y are independent. It is at most 0.
    """
    return score_pairs(_factorised, y, x, expands=True)


def dot(y: Array, x: Array) -> Array:
    """Return the dot product Y . X: a similarity that ignores direction.

    >>> import numpy as np
    >>> float(dot(np.array([4.0, 4.0]), np.array([4.0, -4.0])))
    0.0
    """
    return score_linear(inner, y, x)


def cosine(y: Array, x: Array) -> Array:
    """Return the cosine of the angle between Y and X, or 0 if one of them is the zero vector.

    >>> import numpy as np
    >>> float(cosine(np.array([3.0, 4.0]), np.array([1.0, 0.0])))
    0.6
    """
    return score_linear(_cosine, y, x)


def difference(y: Array, x: Array) -> Array:
    """Return the sum of the differences, sum_k (Y_k - X_k): how much more is known in y than in x.

    >>> import numpy as np
    >>> float(difference(np.array([4.0, 4.0]), np.array([4.0, -4.0])))
    8.0
    """
    return score_linear(_difference, y, x)


def weighted_cosine(y: Array, x: Array, *, floor: float = 0.5) -> Array:
    """Return the weighted cosine of Rei & Briscoe (2014), which weights dimensions by their rank in the entailed
    vector.

    It is cos(z Y, z X) with z_k = (1 - floor) (1 - r_k / (K + 1)) + floor, where r_k is the rank of X_k among the K
    values of X: 1 for the largest, and the mean rank for ties. No inner product of maps equals it, because the norm of
    z Y depends on both vectors.

    >>> import numpy as np
    >>> y, x = np.array([3.0, 4.0]), np.array([1.0, 0.0])
    >>> round(float(weighted_cosine(y, x)), 3), round(float(weighted_cosine(y, x, floor=1.0)), 3)
    (0.684, 0.6)

    Parameters
    ----------
    y, x
        The entailing and the entailed vectors.
    floor
        The constant C of Rei & Briscoe, from 0 to 1: the weight of the last rank. With 1 the result is the plain
        cosine.
    """
    if not 0 <= floor <= 1:
        raise InvalidInput(f"floor is {floor}, expected 0 to 1; Rei & Briscoe have 0.5")
    return score_pairs(lambda y, x: _weighted_cosine(y, x, floor), y, x)


def _forward(y: Array, x: Array) -> Array:
    return inner(log_known(y), known(x))


def _backward(y: Array, x: Array) -> Array:
    return inner(unknown(y), log_unknown(x))


def _factorised(y: Array, x: Array) -> Array:
    return namespace(y).sum(log_entailed(y, x), axis=-1)


def _cosine(y: Array, x: Array) -> Array:
    (y, square_y), (x, square_x) = _scaled(y), _scaled(x)
    return _ratio(inner(y, x), square_y, square_x)


def _difference(y: Array, x: Array) -> Array:
    xp = namespace(y)
    return xp.sum(y, axis=-1) - xp.sum(x, axis=-1)


def _weighted_cosine(y: Array, x: Array, floor: float) -> Array:
    weight = (floor + (1 - floor) * (1 - descending_ranks(x) / (x.shape[-1] + 1))) ** 2
    y, x = _scaled(y)[0], _scaled(x)[0]
    return _ratio(inner(y, weight * x), inner(y * y, weight), inner(x * x, weight))


def _forward_slopes(z: Array) -> tuple[Mapped, Mapped]:
    u, k = unknown(z), known(z)
    return Mapped(log_known(z), u), Mapped(k, k * u)


def _backward_slopes(z: Array) -> tuple[Mapped, Mapped]:
    u, minus_k = unknown(z), -known(z)
    return Mapped(u, u * minus_k), Mapped(log_unknown(z), minus_k)


def _ratio(product: Array, square_y: Array, square_x: Array) -> Array:
    """Return a cosine from its three inner products; the cosine with a zero vector is 0."""
    return product / (_root(square_y) * _root(square_x))


def inner(q: Array, k: Array) -> Array:
    """Return the inner product over the last axis."""
    return namespace(q).linalg.vecdot(q, k)


def unit(v: Array) -> Array:
    """Return the vector scaled to length 1; a zero vector is returned as it is."""
    v, square = _scaled(v)
    return v / _root(square)[..., None]


def _scaled(v: Array) -> tuple[Array, Array]:
    """Return vectors and their squared lengths; vectors whose squares would overflow or vanish are first divided."""
    xp = namespace(v)
    with np.errstate(over="ignore"):
        square = inner(v, v)
    limits = xp.finfo(v.dtype)
    extreme = ~((square > limits.smallest_normal / limits.eps) & (square < limits.max * limits.eps))
    if is_traced(square) or v.shape[-1] == 0 or not bool(xp.any(extreme)):
        return v, square
    size = xp.max(xp.abs(v), axis=-1, keepdims=True)
    v = v / xp.where(extreme[..., None] & (size > 0), size, xp.ones_like(size))
    return v, inner(v, v)


def _cosine_parts(y: Array, x: Array) -> Array:
    return unit(y) * unit(x)


def _root(square: Array) -> Array:
    """Return the square root, or 1 for the zero vector, whose inner products are 0 already."""
    xp = namespace(square)
    return xp.sqrt(xp.where(square == 0, 1.0, square))


def difference_query(y: Array) -> Array:
    """Return [sum Y, 1], the counterpart of `difference_key`."""
    xp = namespace(y)
    total = xp.sum(y, axis=-1)
    return xp.stack([total, xp.ones_like(total)], axis=-1)


def difference_key(x: Array) -> Array:
    """Return [1, -sum X], the counterpart of `difference_query`."""
    xp = namespace(x)
    total = xp.sum(x, axis=-1)
    return xp.stack([xp.ones_like(total), -total], axis=-1)


def descending_ranks(v: Array) -> Array:
    """Return the rank of each value within the last axis, 1 for the largest; equal values get their mean rank.

    >>> import numpy as np
    >>> descending_ranks(np.array([0.5, 3.0, 0.5, 1.0]))
    array([3.5, 1. , 3.5, 2. ])
    """
    xp = namespace(v)
    n = v.shape[-1]
    order = xp.argsort(-v)
    ordered = xp.take_along_axis(v, order)
    place = xp.arange(n, device=device(v))
    changes = ordered[..., 1:] != ordered[..., :-1]
    edge = ordered[..., :1] == ordered[..., :1]
    first = running_max(xp.where(xp.concat([edge, changes], axis=-1), place, 0))
    to_last = running_max(xp.flip(xp.where(xp.concat([changes, edge], axis=-1), n - 1 - place, 0), axis=-1))
    mean = xp.astype(first + (n - 1) - xp.flip(to_last, axis=-1), v.dtype) / 2 + 1
    return xp.take_along_axis(mean, xp.argsort(order))


@dataclass(frozen=True)
class Operator:
    """A row of `OPERATORS`: a score, and the maps that turn it into an inner product.

    >>> import numpy as np
    >>> dog, animal = np.array([4.0, 4.0]), np.array([4.0, -4.0])
    >>> row = OPERATORS["backward"]
    >>> row.maps, round(float(row.score(dog, animal)), 2), row.by_feature(dog, animal).round(2)
    ('exact', -0.07, array([-0.07, -0.  ]))

    Parameters
    ----------
    name, symbol
        The name in `OPERATORS`, and the sign in tables.
    score
        The function of (y, x).
    query, key
        The maps of y and of x whose inner product is the score; None if there are none.
    maps
        How well the inner product equals the score: "exact", "low-rank" (within the proven error of `low_rank`, for
        values in its range) or "none" (there are no maps, so each pair is scored by itself).
    low_rank
        The maps of a low-rank operator, with their range and error bound.
    slopes
        A function of log-odds that returns the values and derivatives of the query map and of the key map; None if maps
        cannot be learned for this operator.
    parts
        What each feature adds to the score: "sum" (the score of that feature alone), a function that returns it for all
        features, or None if the score is not a sum over features.
    """

    name: str
    symbol: str
    score: Score
    query: Map | None
    key: Map | None
    maps: Literal["exact", "low-rank", "none"]
    low_rank: LowRankMaps | None = None
    slopes: Slopes | None = None
    parts: Score | Literal["sum"] | None = "sum"

    def by_feature(self, y: Array, x: Array) -> Any:
        """Return what each feature adds to the score of a pair, along the last axis; None if the score is not a sum."""
        if self.parts is None:
            return None
        return self.score(y[..., None], x[..., None]) if self.parts == "sum" else self.parts(y, x)


def exact_operator(name: str, symbol: str, score: Score, query: Map, key: Map, **more: Any) -> Operator:
    """Return the row of an operator whose score is an inner product of maps; the maps check their arguments."""
    return Operator(name, symbol, score, partial(_checked, query), partial(_checked, key), "exact", **more)


def _checked(function: Map, v: Array) -> Array:
    check_vectors(v=v)
    return function(v)


def _itself(v: Array) -> Array:
    return v


WIDE = LowRankMaps(low=-4.0, high=4.0, rank=6)
"""The maps of the row "factorised". They raise an error for values outside the range; make other `LowRankMaps` for
those.
"""

OPERATORS: dict[str, Operator] = {
    row.name: row
    for row in (
        exact_operator("forward", "X ⧀ Y", forward, log_known, known, slopes=_forward_slopes),
        exact_operator("backward", "Y ⧁ X", backward, unknown, log_unknown, slopes=_backward_slopes),
        Operator("factorised", "Y ⇒̃ X", factorised, WIDE.query, WIDE.key, "low-rank", WIDE),
        exact_operator("dot", "Y · X", dot, _itself, _itself),
        exact_operator("cosine", "cos(Y, X)", cosine, unit, unit, parts=_cosine_parts),
        exact_operator("difference", "Σ (Y − X)", difference, difference_query, difference_key),
        Operator("weighted_cosine", "cos(zY, zX)", weighted_cosine, None, None, "none", parts=None),
    )
}
"""All operators by name."""
