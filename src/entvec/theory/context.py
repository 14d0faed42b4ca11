"""Words in context (the paper, section 3): Word2Vec as an approximation of an entailment model.

A middle word and a context word share a hidden vector Y that entails them both. Backward inference computes Y, the
union of what the two words know, and the score approximates how probable Y is. Training with that score
moves a middle vector along the score's gradient; Word2Vec moves it along another one. The closer the two gradients are,
the better the interpretation explains what Word2Vec vectors mean.

The paper's score, Y > X_m - s(-Y).X'_c (with the backward operator >), is simpler than it looks: its two terms are
s(-Y).log s(-X_m) and -s(-Y).X'_c, and Y = X'_c - log s(-X_m), so their sum is -s(-Y).Y.

>>> import numpy as np
>>> middle, context = np.array([0.5, -1.0]), np.array([1.0, 0.3])
>>> round(float(score(middle, context, interpretation="log_odds")), 4)
-0.4562
>>> gradient(middle, context, interpretation="unk_dup").round(4)
array([0.171 , 0.1193])
"""

from __future__ import annotations

from entvec.errors import InvalidInput
from entvec.theory.arrays import Array, check_vectors, namespace
from entvec.theory.elementwise import known, log_known, log_unknown, unknown
from entvec.theory.interpret import INTERPRETATIONS, SHIFT, check_shift
from entvec.theory.operators import inner


def hidden(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """Return the hidden vector that entails both words: Y = X'_c - log s(-X_m), for each copy of the dimensions.

    >>> import numpy as np
    >>> hidden(np.array([0.5, -1.0]), np.array([1.0, 0.3]), interpretation="log_odds").round(3)
    array([1.974, 0.613])

    Parameters
    ----------
    middle
        The Word2Vec vector of the middle word.
    context
        X'_c: the context word's vector X_c plus what its prior adds. `update_backward(prior, x_c)` computes it.
    interpretation
        How `middle` is read as log-odds, a name in `INTERPRETATIONS`.
    shift
        The shift of "unk_dup".
    """
    copies = _copies(middle, context, interpretation, shift)
    return namespace(middle).concat([y for _, _, y in copies], axis=-1)


def score(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """Return the approximate log P(y, y => x_m, y => x_c): -Y.s(-Y), with the hidden vector Y.

    >>> import numpy as np
    >>> round(float(score(np.array([0.5, -1.0]), np.array([1.0, 0.3]))), 4)
    -0.0509

    Parameters
    ----------
    middle, context, interpretation, shift
        As in `hidden`.
    """
    y = hidden(middle, context, interpretation=interpretation, shift=shift)
    return -inner(y, unknown(y))


def gradient(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """Return the derivative of `score` with respect to the middle vector, for each dimension.

    Each copy of a dimension adds sign * s(-Y) (Y s(Y) - 1) s(X_m), with X_m = sign * V - shift.

    >>> import numpy as np
    >>> gradient(np.array([0.5, -1.0]), np.array([1.0, 0.3])).round(4)
    array([0.171 , 0.1193])

    Parameters
    ----------
    middle, context, interpretation, shift
        As in `hidden`.
    """
    return sum(sign * _slope(y) * known(x) for sign, x, y in _copies(middle, context, interpretation, shift))


def context_gradient(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """Return the derivative of `score` with respect to the context vector X'_c, for each dimension.

    >>> import numpy as np
    >>> context_gradient(np.array([0.5, -1.0]), np.array([1.0, 0.3])).round(4)
    array([0.8977, 0.0155])

    Parameters
    ----------
    middle, context, interpretation, shift
        As in `hidden`.
    """
    return sum(sign * _slope(y) for sign, _, y in _copies(middle, context, interpretation, shift))


def word2vec_score(middle: Array, context: Array) -> Array:
    """Return log s(X_m.X_c), which Skip-Gram with negative sampling maximises for an observed pair."""
    check_vectors(middle=middle, context=context)
    return log_known(inner(middle, context))


def word2vec_gradient(middle: Array, context: Array) -> Array:
    """Return the derivative of `word2vec_score` with respect to the middle vector: s(-X_m.X_c) X_c."""
    check_vectors(middle=middle, context=context)
    return unknown(inner(middle, context))[..., None] * context


def _slope(y: Array) -> Array:
    """Return the derivative of -Y s(-Y)."""
    return unknown(y) * (y * known(y) - 1)


def _copies(middle: Array, context: Array, interpretation: str, shift: float) -> list[tuple[int, Array, Array]]:
    """Return the copies that an interpretation makes of the dimensions, each as (sign, X_m, Y)."""
    check_vectors(middle=middle, context=context)
    check_shift(shift)
    if interpretation not in INTERPRETATIONS:
        raise InvalidInput(f"interpretation is {interpretation!r}, expected one of {', '.join(INTERPRETATIONS)}")
    if interpretation != "unk_dup" and shift != SHIFT:
        raise InvalidInput(f"shift={shift} was given for {interpretation!r}, but only 'unk_dup' has a shift")
    copies = []
    for sign, shifted in INTERPRETATIONS[interpretation].copies:
        x = sign * middle - shifted * shift
        copies.append((sign, x, sign * context - log_unknown(x)))
    return copies
