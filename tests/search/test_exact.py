"""Exact search returns the result of a sort of all exact scores, for any keys, blocks and threads."""

import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.search.exact import BlockSizes, rounding_bound, top
from entvec.search.keys import Keys
from entvec.search.request import Hits
from entvec.vectors.dtypes import DTYPES, DtypeName, encode

FLOAT32 = np.dtype(np.float32)
DTYPE_NAMES: list[DtypeName] = list(DTYPES)


def keys_of(values: Any, dtype: DtypeName = "float32") -> Keys:
    return Keys(encode(np.asarray(values, dtype=np.float64), dtype), dtype, np.inf)


def exact_scores(keys: Keys, queries: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(np.vecdot(queries[:, None, :], keys.decoded(slice(None)).astype(np.float64)[None]))


def sorted_all(scores: NDArray[np.float64], k: int, among: NDArray[np.int64] | None = None) -> Hits:
    """Return the expected hits, by sorting all scores; equal scores are ordered by row."""
    rows = np.arange(scores.shape[1]) if among is None else among
    k = min(k, len(rows))
    best = np.argsort(-scores[:, rows], axis=1, kind="stable")[:, :k]
    return Hits(rows[best], np.take_along_axis(scores[:, rows], best, axis=1))


def searched(keys: Keys, queries: NDArray[Any], k: int, **options: Any) -> Hits:
    """Return the hits of a search, with the error bound of float32."""
    scores = exact_scores(keys, queries)
    longest = float(np.linalg.norm(keys.decoded(slice(None)).astype(np.float64), axis=1).max(initial=0.0))
    error_bound = rounding_bound(queries, longest, FLOAT32)
    return top(keys, queries, k, error_bound=error_bound, rescore=lambda query, rows: scores[query, rows], **options)


def check_same(found: Hits, expected: Hits) -> None:
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.scores, expected.scores)


SIZES = st.builds(BlockSizes, *[st.sampled_from([1, 2, 3, 7, 1 << 10])] * 4)


# The result is that of a sort


@given(data=st.data(), sizes=SIZES, dtype=st.sampled_from(DTYPE_NAMES), threads=st.integers(1, 4))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_search_is_a_sort(data: st.DataObject, sizes: BlockSizes, dtype: Any, threads: int) -> None:
    n, m, d = (data.draw(st.integers(0, most)) for most in (30, 6, 3))
    k = data.draw(st.integers(0, 33))
    seed = data.draw(st.integers(0, 2**32 - 1))
    among = data.draw(st.none() | st.sets(st.integers(0, n - 1)).map(sorted)) if n else None
    random = np.random.default_rng(seed)
    # Whole numbers, zeros of both signs among them: many keys are equal, and more have equal scores.
    values, queries = (random.integers(-2, 3, size=(count, d)) * random.choice([-1.0, 1.0]) for count in (n, m))
    rows = None if among is None else np.array(among, dtype=np.int64)
    found = searched(keys_of(values, dtype), queries, k, among=rows, threads=threads, sizes=sizes)
    check_same(found, sorted_all(exact_scores(keys_of(values, dtype), queries), k, rows))


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("order", ["rising", "falling", "mixed"])
def test_real_numbers_in_the_worst_order(dtype: DtypeName, order: str) -> None:
    random = np.random.default_rng(0)
    values, queries = random.normal(size=(3000, 20)), random.normal(size=(40, 20))
    values[::7] = values[0]  # and some that are equal
    if order != "mixed":  # for the first query each key is better than all before it
        values = values[np.argsort(values @ queries[0] * (1 if order == "rising" else -1))]
    keys = keys_of(values, dtype)
    expected = sorted_all(exact_scores(keys, queries), 10)
    sizes = BlockSizes(1 << 10, 128, 16, 1 << 8)
    for threads in (1, 3):
        check_same(searched(keys, queries, 10, threads=threads, sizes=sizes), expected)
    check_same(searched(keys, queries, 10), expected)


@given(
    data=st.data(),
    bound=st.sampled_from([0.0, 0.25, 0.5, 1.0, 100.0, 1e30]),
    sizes=SIZES,
    threads=st.integers(1, 3),
)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_what_the_product_leaves_undecided_is_settled_by_exact_scores(
    data: st.DataObject, bound: float, sizes: BlockSizes, threads: int
) -> None:
    n, m, k = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 12))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    exact = random.integers(-4, 5, size=(m, n)) / 2.0
    noise = random.choice([-1, -0.5, 0, 0.5, 1], size=(m, n)) * min(bound, 8.0)  # the product is as wrong as it may be
    keys = keys_of((exact + noise).T)  # their products with the unit vectors are exact + noise
    found = top(
        keys,
        np.eye(m),
        k,
        error_bound=np.full(m, bound),
        rescore=lambda query, rows: exact[query, rows],
        threads=threads,
        sizes=sizes,
    )
    check_same(found, sorted_all(exact, k))


def test_a_batch_is_a_loop_of_singles() -> None:
    random = np.random.default_rng(1)
    keys, queries = keys_of(random.normal(size=(500, 8))), random.normal(size=(600, 8))
    batch = searched(keys, queries, 5)
    for i in range(0, 600, 37):
        single = searched(keys, queries[i : i + 1], 5)
        check_same(single, Hits(batch.rows[i : i + 1], batch.scores[i : i + 1]))


def test_of_equal_keys_the_first_comes_first() -> None:
    keys = keys_of([[0.0], [1.0], [-0.0], [1.0], [0.0]])
    assert searched(keys, np.array([[1.0]]), 5).rows.tolist() == [[1, 3, 0, 2, 4]]
    assert searched(keys, np.array([[-0.0]]), 5).rows.tolist() == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("m", [0, 1, 300])
def test_fewer_keys_than_are_wanted(n: int, m: int) -> None:
    found = searched(keys_of(np.ones((n, 2))), np.ones((m, 2)), 7)
    assert found.rows.shape == found.scores.shape == (m, n)
    assert (found.rows == np.arange(n)).all()
    assert searched(keys_of(np.ones((n, 2))), np.ones((m, 2)), 0).rows.shape == (m, 0)


def test_rows_to_choose_from_may_be_none() -> None:
    found = searched(keys_of(np.eye(3)), np.eye(3), 2, among=np.empty(0, np.int64))
    assert found.rows.shape == (3, 0)


def test_keys_that_are_no_numbers_are_not_found() -> None:
    values = np.array([[np.nan], [1.0], [np.nan], [2.0]], dtype=np.float32)  # of a damaged file

    def search_in(values: NDArray[np.float32]) -> Hits:
        keys = Keys(values, "float32", np.inf)
        return top(
            keys, np.ones((1, 1)), 3, error_bound=np.zeros(1), rescore=lambda query, rows: values[rows, 0].astype(float)
        )

    assert search_in(values).rows.tolist() == [[3, 1, -1]]
    assert search_in(values[::2]).rows.tolist() == [[-1, -1]]


def test_keys_of_a_file_are_walked_where_they_are(tmp_path: Any) -> None:
    values = np.random.default_rng(0).normal(size=(100, 4)).astype(np.float32)
    np.save(tmp_path / "keys.npy", values)
    keys = Keys(np.load(tmp_path / "keys.npy", mmap_mode="r"), "float32", np.inf)
    check_same(searched(keys, values[:9] * 1.0, 3), searched(Keys(values, "float32", np.inf), values[:9] * 1.0, 3))


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 700), scale=st.sampled_from([1e-3, 1.0, 1e3]))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_no_product_errs_more_than_rounding_says(seed: int, n: int, scale: float) -> None:
    random = np.random.default_rng(seed)
    signed = random.choice([0.0, 1.0])  # numbers of one sign err most
    queries, values = (np.abs(random.normal(size=(4, n))) - signed for _ in range(2))
    keys = (values * scale).astype(np.float32)
    exact = np.vecdot(queries[:, None], keys.astype(np.float64)[None])
    product = (queries.astype(np.float32) @ keys.T).astype(np.float64)
    longest = np.linalg.norm(keys.astype(np.float64), axis=1).max()
    bound = rounding_bound(queries, longest, FLOAT32)
    assert (np.abs(product - exact) <= bound[:, None]).all()
    assert (bound <= 2 * (n + 2) * 2.0**-23 * np.linalg.norm(queries, axis=1) * longest).all()  # and not in vain


# Memory


def peak_of(work: Any) -> int:
    work()  # allocates what is allocated only once
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_large_batch_takes_little_memory() -> None:
    random = np.random.default_rng(0)
    keys = keys_of(random.normal(size=(20_000, 8)))
    queries = random.normal(size=(1000, 8))

    def work() -> None:  # all scores would take 80 MB
        top(
            keys,
            queries,
            5,
            error_bound=rounding_bound(queries, 10.0, FLOAT32),
            rescore=lambda query, rows: np.vecdot(keys.stored[rows].astype(np.float64), queries[query]),
        )

    assert peak_of(work) < 25_000_000


def test_keys_that_are_all_equal_take_little_memory() -> None:
    keys, queries = keys_of(np.ones((20_000, 8))), np.ones((100, 8))

    def work() -> None:  # as candidates they would take 40 MB
        found = top(
            keys,
            queries,
            5,
            error_bound=rounding_bound(queries, 3.0, FLOAT32),
            sizes=BlockSizes(scores=1 << 16, candidates=1 << 15),
            rescore=lambda query, rows: np.vecdot(keys.stored[rows].astype(np.float64), queries[query]),
        )
        assert (found.rows == np.arange(5)).all()

    assert peak_of(work) < 20_000_000


def test_exact_scores_are_asked_for_a_few_at_a_time() -> None:
    sizes = []

    def rescore(query: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        sizes.append(len(rows))
        return np.zeros(len(rows))

    found = top(keys_of(np.zeros((50_000, 1))), np.ones((1, 1)), 3, error_bound=np.ones(1), rescore=rescore, threads=1)
    assert found.rows.tolist() == [[0, 1, 2]]
    assert max(sizes) <= 1 << 14


def test_two_threads_may_search_at_once() -> None:
    random = np.random.default_rng(3)
    keys, queries = keys_of(random.normal(size=(2000, 6))), random.normal(size=(2, 60, 6))
    expected = [searched(keys, some, 4, sizes=BlockSizes(scores=1 << 10)) for some in queries]
    found: dict[int, list[Hits]] = {0: [], 1: []}

    def work(i: int) -> None:
        found[i] += [searched(keys, queries[i], 4, sizes=BlockSizes(scores=1 << 10)) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(i,)) for i in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    for i, results in found.items():
        assert len(results) == 5
        for one in results:
            check_same(one, expected[i])
