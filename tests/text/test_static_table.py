"""The static table sums the vectors of pieces, weighted by their places."""

import numpy as np

from entvec.bundled import encoder
from entvec.text.static_table import TEXTS_AT_ONCE
from entvec.text.transformer import unpacked


def test_a_vector_is_the_weighted_sum_of_its_pieces() -> None:
    static = encoder("static")
    words, (start, end) = unpacked(static.parts, "words"), np.exp(static.parts["gains"])
    pieces = static.pieces.bare("hot air balloon " * 8)
    last = len(start) - 1
    total = sum(
        words[piece] * start[min(at, last)] * end[min(len(pieces) - 1 - at, last)] for at, piece in enumerate(pieces)
    )
    np.testing.assert_allclose(static(["hot air balloon " * 8])[0], total / np.linalg.norm(total), atol=1e-5)


def test_a_batch_equals_a_loop_of_singles() -> None:
    static = encoder("static")
    texts = [f"dog number {number}" for number in range(TEXTS_AT_ONCE + 3)]
    some = [0, 1, TEXTS_AT_ONCE - 1, TEXTS_AT_ONCE, TEXTS_AT_ONCE + 2]
    singles = np.concatenate([static([texts[at]]) for at in some])
    np.testing.assert_allclose(static(texts)[some], singles, atol=1e-6)


def test_the_order_of_words_matters() -> None:
    there, back = encoder("static")(["dog house", "house dog"])
    assert there @ back < 0.99


def test_a_text_without_pieces_has_a_zero_vector() -> None:
    dog, nothing = encoder("static")(["dog", "\u0301"])
    assert dog.any()
    assert not nothing.any()
