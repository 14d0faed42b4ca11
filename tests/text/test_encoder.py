"""Every encoder keeps one contract: rows for texts, a name, a dimension and a fingerprint that tells it from others."""

import pickle

import numpy as np
import pytest

from entvec.bundled import encoder
from entvec.errors import InvalidInput
from entvec.text import CallableEncoder, Encoder, agree, fingerprint

LENGTHS = CallableEncoder(lambda texts: [[len(text), text.count("o"), 1.0] for text in texts], "lengths")
ALL: dict[str, Encoder] = {"callable": LENGTHS, "small": encoder("small"), "static": encoder("static")}


@pytest.fixture(params=ALL)
def some(request: pytest.FixtureRequest) -> Encoder:
    return ALL[request.param]


def test_an_encoder_is_an_encoder(some: Encoder) -> None:
    assert isinstance(some, Encoder)
    assert some.name


def test_there_is_a_row_for_each_text(some: Encoder) -> None:
    found = some(["dog", "hot dog", "dog"])
    assert found.shape == (3, some.dimension)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[0], found[2], atol=1e-6)


def test_no_texts_give_no_rows(some: Encoder) -> None:
    assert some([]).shape == (0, some.dimension)


@pytest.mark.parametrize("texts", [["dog", ""], ["dog", " \t"], "dog", ["dog", 3]])
def test_what_is_no_text_is_refused(some: Encoder, texts: list[str]) -> None:
    with pytest.raises(InvalidInput, match=r"text|dog"):
        some(texts)


def test_a_fingerprint_agrees_with_itself_alone() -> None:
    for name, one in ALL.items():
        for other_name, other in ALL.items():
            assert agree(one.fingerprint, other.fingerprint) == (name == other_name)


def test_a_fingerprint_survives_rounding() -> None:
    small = encoder("small")
    rounded = fingerprint(lambda texts: small(texts).astype(np.float16))
    assert agree(small.fingerprint, rounded)


def test_what_is_no_fingerprint_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is no fingerprint"):
        agree("384: dog", LENGTHS.fingerprint)


@pytest.mark.parametrize("rows", [[[1.0]], [1.0, 2.0], [[np.nan], [1.0]], [[], []]])
def test_a_function_that_returns_something_else_is_refused(rows: list[list[float]]) -> None:
    with pytest.raises(InvalidInput, match="the encoder broken returned"):
        CallableEncoder(lambda texts: rows, "broken")(["dog", "cat"])


def test_an_underscore_is_a_space() -> None:
    there, here = encoder("static")(["hot_dog", "hot dog"])
    np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("name", ["small", "static"])
def test_an_encoder_travels_to_another_process(name: str) -> None:
    used = encoder(name)
    expected = used(["hot dog"])
    again = pickle.loads(pickle.dumps(used))  # noqa: S301 - our own
    np.testing.assert_array_equal(again(["hot dog"]), expected)
    assert len(pickle.dumps(used)) < 18e6  # the weights are not unpacked on the way


def test_unknown_pieces_are_counted() -> None:
    assert encoder("small").unknown(["dog", "\u0939\u093f", "dog \u0939\u093f", "\u0301"]).tolist() == [0, 1, 0.5, 1]


def test_an_unknown_head_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no head 'tail', expected one of decision, generality"):
        encoder("static").head("tail")
