"""Numbers survive the way into a file and back, rounded to the nearest where there are fewer digits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.errors import InvalidInput
from entvec.vectors.dtypes import DTYPES, DtypeName, check_dtype, decode, encode

every_dtype = pytest.mark.parametrize("name", DTYPES)
properties = settings(derandomize=True, deadline=None)

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
FINITE = PATTERNS[(PATTERNS & 0x7F80) != 0x7F80]
LARGEST_BFLOAT16 = (2 - 2**-7) * 2.0**127
SMALLEST_BFLOAT16 = 2.0**-133


def float32_of_bits(*bits: int) -> Any:
    return np.array(bits, dtype=np.uint32).view(np.float32)


def through(values: Any, name: DtypeName) -> Any:
    return decode(encode(np.asarray(values), name), name)


@every_dtype
def test_a_name_of_the_table_is_a_dtype(name: DtypeName) -> None:
    assert check_dtype(name) == name


@pytest.mark.parametrize("name", ["float8", "int64", "<f4", "", "Float32"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"dtype is '{name}', expected one of float64, float32, float16, bfloat16$"):
        check_dtype(name)


@every_dtype
def test_numbers_are_stored_and_computed_with_as_the_table_says(name: DtypeName) -> None:
    stored = encode(np.array([[1.0, -2.5]]), name)
    assert stored.dtype == DTYPES[name].stored
    assert stored.dtype.newbyteorder("<") == stored.dtype
    assert decode(stored, name).dtype == DTYPES[name].computed
    assert decode(stored, name).tolist() == [[1.0, -2.5]]


@every_dtype
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 3), (2, 3, 4)])
def test_the_shape_is_kept(name: DtypeName, shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert encode(values, name).shape == shape
    np.testing.assert_array_equal(through(values, name), values)


@every_dtype
def test_every_layout_in_memory_will_do(name: DtypeName) -> None:
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    for layout in (values.T, values[::-1, ::2], np.asfortranarray(values), values.astype(">f4")):
        np.testing.assert_array_equal(through(layout, name), layout)
        stored = encode(values, name)
    np.testing.assert_array_equal(decode(stored[::-1, ::2], name), values[::-1, ::2])


@every_dtype
def test_a_single_row_is_decoded_as_in_the_matrix(name: DtypeName) -> None:
    stored = encode(np.arange(6, dtype=np.float32).reshape(2, 3), name)
    np.testing.assert_array_equal(decode(stored[1], name), [3, 4, 5])


@properties
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5))
def test_float64_survives_float64(values: list[float]) -> None:
    assert through(np.array(values, dtype=float), "float64").tolist() == values


@properties
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=5))
def test_float32_survives_float32_and_float64(values: list[float]) -> None:
    for name in ("float32", "float64"):
        assert through(np.array(values, dtype=np.float32), check_dtype(name)).tolist() == values


def test_every_finite_float16_survives() -> None:
    halves = PATTERNS.view(np.float16)
    halves = halves[np.isfinite(halves)]
    for name in ("float16", "float32", "float64"):
        np.testing.assert_array_equal(through(halves, check_dtype(name)), halves)
    assert encode(decode(halves, "float16"), "float16").tobytes() == halves.tobytes()


def test_every_finite_bfloat16_survives() -> None:
    np.testing.assert_array_equal(encode(decode(FINITE, "bfloat16"), "bfloat16"), FINITE)
    np.testing.assert_array_equal(encode(decode(FINITE, "bfloat16").astype(float), "bfloat16"), FINITE)


def test_bfloat16_is_a_float32_without_its_last_bits() -> None:
    assert decode(FINITE, "bfloat16").tobytes() == (FINITE.astype(np.uint32) << 16).tobytes()


@pytest.mark.parametrize(
    ("value", "nearest"),
    [
        (1 + 2**-7, 1 + 2**-7),
        (1 + 2**-8, 1),
        (1 + 2**-7 + 2**-8, 1 + 2**-6),
        (1 + 2**-8 + 2**-23, 1 + 2**-7),
        (1 + 2**-8 - 2**-23, 1),
        (2 - 2**-23, 2),
        (-1 - 2**-8, -1),
        (-1 - 2**-8 - 2**-23, -1 - 2**-7),
        (0.0, 0.0),
        (SMALLEST_BFLOAT16, SMALLEST_BFLOAT16),
        (SMALLEST_BFLOAT16 / 2, 0),
        (SMALLEST_BFLOAT16 * 1.5, SMALLEST_BFLOAT16 * 2),
        (SMALLEST_BFLOAT16 * 0.75, SMALLEST_BFLOAT16),
        (2.0**-126 - 2.0**-149, 2.0**-126),
        (2.0**-149, 0),
        (LARGEST_BFLOAT16, LARGEST_BFLOAT16),
        (LARGEST_BFLOAT16 * (1 + 2**-10), LARGEST_BFLOAT16),
        (-LARGEST_BFLOAT16 * (1 + 2**-10), -LARGEST_BFLOAT16),
    ],
)
def test_bfloat16_is_the_nearest_one_or_the_even_one_of_two(value: float, nearest: float) -> None:
    assert through(np.array([value], dtype=np.float32), "bfloat16").tolist() == [nearest]


@properties
@given(st.floats(-LARGEST_BFLOAT16, LARGEST_BFLOAT16, width=32))
def test_no_bfloat16_is_nearer_than_the_one_that_was_chosen(value: float) -> None:
    chosen = int(encode(np.array([value], dtype=np.float32), "bfloat16")[0])
    distances = np.abs(decode(FINITE, "bfloat16").astype(float) - value)
    nearest = FINITE[distances == distances.min()]
    assert chosen in nearest
    assert chosen % 2 == 0 or len(nearest) == 1


def test_the_sign_of_zero_is_kept() -> None:
    for name in DTYPES:
        assert np.signbit(through([-0.0, 0.0, -(2.0**-149)], name))[:2].tolist() == [True, False]
    assert encode(np.array([-(2.0**-149)], dtype=np.float32), "bfloat16").tolist() == [0x8000]


@properties
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
def test_bfloat16_is_that_of_ml_dtypes(bits: list[int]) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = float32_of_bits(*bits)
    values = values[np.abs(values) <= LARGEST_BFLOAT16]
    for wide in (values, values.astype(float)):
        expected = wide.astype(ml_dtypes.bfloat16)
        assert encode(wide, "bfloat16").tobytes() == expected.tobytes()
        np.testing.assert_array_equal(through(wide, "bfloat16"), expected.astype(np.float32))


TOO_LARGE = [
    (1e39, "float32"),
    (-1e300, "float32"),
    (65520.0, "float16"),
    (-1e5, "float16"),
    (float(np.finfo(np.float32).max), "bfloat16"),
    (LARGEST_BFLOAT16 + 2.0**119, "bfloat16"),
    (-3.4e38, "bfloat16"),
    (1e39, "bfloat16"),
    (-1e300, "bfloat16"),
]


@pytest.mark.parametrize(("value", "name"), TOO_LARGE)
def test_what_does_not_fit_is_refused_and_named(value: float, name: DtypeName) -> None:
    with pytest.raises(InvalidInput, match=f"^{value:g} does not fit in {name}$".replace("+", r"\+")):
        encode(np.array([[1.0, 2.0], [value, 1.0]]), name)


def test_the_largest_numbers_fit() -> None:
    assert through([65504.0, 65519.0, -65504.0], "float16").tolist() == [65504, 65504, -65504]
    largest = float(np.finfo(np.float32).max)
    assert through([largest, -largest], "float32").tolist() == [largest, -largest]
    assert through([LARGEST_BFLOAT16, -LARGEST_BFLOAT16], "bfloat16").tolist() == [LARGEST_BFLOAT16, -LARGEST_BFLOAT16]


def test_what_is_too_small_becomes_zero() -> None:
    assert through([1e-50, -1e-50], "float32").tolist() == [0, 0]
    assert through([1e-10], "float16").tolist() == [0]
    assert through([1e-50], "bfloat16").tolist() == [0]


@every_dtype
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(name: DtypeName, bad: float) -> None:
    with pytest.raises(InvalidInput, match=f"^{bad:g} does not fit in {name}$"):
        encode(np.array([1.0, bad]), name)


@every_dtype
@pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFF8000])
def test_every_kind_of_nan_is_refused(name: DtypeName, bits: int) -> None:
    with pytest.raises(InvalidInput, match=f"nan does not fit in {name}"):
        encode(float32_of_bits(bits), name)


def test_numbers_of_the_same_kind_are_not_copied() -> None:
    values = np.ones(3, dtype=np.float32)
    assert np.shares_memory(encode(values, "float32"), values)
    assert np.shares_memory(decode(values, "float32"), values)
