"""Matrix products: with threads of the BLAS and without, the numbers of `@`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from entvec.theory.product import AT_ONCE, COLUMNS, DEPTH, ROWS, product

SHAPES = [
    (1, 1, 1),
    (1, 300, 300),
    (ROWS, 20, 5),
    (ROWS + 1, 20, 5),
    (3, DEPTH + 1, 2),
    (2 * AT_ONCE // 90_000 + 1, 300, 300),
    (5000, 7, COLUMNS + 1),
    (6, 20, 5000),
    (2, 10_000, 3),
    (0, 3, 4),
    (3, 0, 4),
    (3, 4, 0),
]


@pytest.fixture(params=[1, 2], autouse=True)
def blas_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    with threadpool_limits(request.param, user_api="blas"):
        yield


def numbers(*shape: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_product_is_that_of_numpy(shape: tuple[int, int, int], dtype: Any, order: Any) -> None:
    n, depth, m = shape
    a, b = numbers(n, depth).astype(dtype, order=order), numbers(depth, m).astype(dtype, order=order)
    found = product(a, b)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, a @ b, atol=10 * max(1, depth) * np.finfo(dtype).eps)


def test_a_matrix_may_be_multiplied_with_a_vector() -> None:
    a, b = numbers(100, 300), numbers(300)
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(a[0], b), a[0] @ b)


def test_other_axes_are_those_of_numpy() -> None:
    a, b = numbers(2, 3, 4), numbers(4, 5)
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(a[0, 0], b), a[0, 0] @ b)
