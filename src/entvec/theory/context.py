"""Words in context (the paper, section 3): Word2Vec as an approximation of an entailment model.

A middle word and a context word share a hidden vector Y that entails them both: backward inference
unifies what the two know, and the score says how probable the unification is. Training with that score
moves a middle vector along its gradient; Word2Vec moves it along another. The closer the two gradients,
the better the interpretation explains what Word2Vec vectors are.

The sum of operators in the paper's score, Y > X_m - s(-Y).X'_c, collapses: its two terms are
s(-Y).log s(-X_m) and -s(-Y).X'_c, and Y = X'_c - log s(-X_m), so together they are -s(-Y).Y.

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
    """The vector that unifies both words: Y = X'_c - log s(-X_m), for each copy of the dimensions.

    `middle` is the Word2Vec vector of the middle word. `context` is X'_c, the context word's vector with
    what its prior adds; `update_backward(prior, x_c)` computes it from X_c.
    """
    copies = _copies(middle, context, interpretation, shift)
    return namespace(middle).concat([y for _, _, y in copies], axis=-1)


def score(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """The approximate log P(y, y => x_m, y => x_c): -Y.s(-Y), with Y the hidden vector."""
    y = hidden(middle, context, interpretation=interpretation, shift=shift)
    return -inner(y, unknown(y))


def gradient(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """The derivative of `score` by the middle vector, for each dimension.

    Each copy adds sign * s(-Y) (Y s(Y) - 1) s(X_m), with X_m = sign * V - shift.
    """
    return sum(sign * _slope(y) * known(x) for sign, x, y in _copies(middle, context, interpretation, shift))


def context_gradient(middle: Array, context: Array, *, interpretation: str = "unk_dup", shift: float = SHIFT) -> Array:
    """The derivative of `score` by the context vector X'_c, for each dimension."""
    return sum(sign * _slope(y) for sign, _, y in _copies(middle, context, interpretation, shift))


def word2vec_score(middle: Array, context: Array) -> Array:
    """What Word2Vec's Skip-Gram with negative sampling maximises for an observed pair: log s(X_m.X_c)."""
    check_vectors(middle=middle, context=context)
    return log_known(inner(middle, context))


def word2vec_gradient(middle: Array, context: Array) -> Array:
    """The derivative of `word2vec_score` by the middle vector: s(-X_m.X_c) X_c."""
    check_vectors(middle=middle, context=context)
    return unknown(inner(middle, context))[..., None] * context


def _slope(y: Array) -> Array:
    """The derivative of -Y s(-Y)."""
    return unknown(y) * (y * known(y) - 1)


def _copies(middle: Array, context: Array, interpretation: str, shift: float) -> list[tuple[int, Array, Array]]:
    """The copies that an interpretation makes of the dimensions, each as (sign, X_m, Y)."""
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
