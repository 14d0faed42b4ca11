"""A sketch of keys: a search with it finds what a search of the keys finds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import google_news
from entvec.space import EntailmentSpace, space
from entvec.space.search import Keys, top
from entvec.space.sketch import sketch

WIDTH = 6


def keys_of(values: Any) -> Keys:
    return Keys(np.asarray(values, dtype=np.float32), "float32")


@given(st.integers(0, 2**32 - 1), st.floats(0, 5), st.sampled_from([0.01, 1.0, 100.0]))
def test_products_are_within_the_slack_of_those_of_the_keys(seed: int, spread: float, size: float) -> None:
    rng = np.random.default_rng(seed)
    keys = keys_of(size * rng.normal(size=(300, WIDTH + 3)) + rng.normal())
    centre = rng.normal(size=WIDTH)
    queries = np.column_stack([centre + spread * rng.normal(size=(4, WIDTH)), rng.normal(size=(4, 3))])
    coarse = sketch(keys, centre)
    asked, slack = coarse.translated(queries)
    out = np.empty((4, 300), dtype=np.float32)
    found = coarse.products(asked.astype(np.float32), slice(0, 300), out)
    exact = queries @ keys.stored.astype(np.float64).T
    assert (np.abs(found - exact).max(axis=1) <= slack).all()


def test_the_slack_is_small_for_queries_that_are_much_like_each_other() -> None:
    rng = np.random.default_rng(0)
    keys = keys_of(rng.normal(size=(500, 100)))
    centre = rng.normal(size=97)
    like = np.append(centre + 0.01 * rng.normal(size=97), [0.0, 0.0, 0.0])[None]
    unlike = np.append(centre + 10 * rng.normal(size=97), [0.0, 0.0, 0.0])[None]
    coarse = sketch(keys, centre)
    assert coarse.translated(like)[1][0] < 0.01 < 1 < coarse.translated(unlike)[1][0]


def test_columns_that_never_change_and_keys_that_are_all_equal() -> None:
    keys = keys_of(np.ones((10, WIDTH + 3)))
    coarse = sketch(keys, np.zeros(WIDTH))
    asked, slack = coarse.translated(np.ones((1, WIDTH + 3)))
    found = coarse.products(asked.astype(np.float32), slice(2, 10), np.empty((1, 8), dtype=np.float32))
    np.testing.assert_allclose(found, WIDTH + 3, atol=slack[0])


def test_a_search_of_the_sketch_finds_what_a_search_of_the_keys_finds() -> None:
    rng = np.random.default_rng(1)
    keys = keys_of(rng.normal(size=(3000, 40)))
    centre = rng.normal(size=37)
    queries = np.column_stack([centre + rng.normal(size=(5, 37)), rng.normal(size=(5, 3))])
    coarse = sketch(keys, centre)
    asked, slack = coarse.translated(queries)

    def rescore(query: int, rows: Any) -> Any:
        return np.vecdot(keys.stored[rows].astype(np.float64), queries[query])

    found = top(coarse, asked, 10, slack=slack, rescore=rescore)
    scores = queries @ keys.stored.astype(np.float64).T
    np.testing.assert_array_equal(found.rows, np.argsort(-scores, axis=1)[:, :10])


@pytest.mark.parametrize("operator", ["backward", "factorised"])
def test_a_space_makes_one_after_some_searches_and_its_answers_stay_the_same(
    operator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "MANY_WORDS", 1000)
    monkeypatch.setattr(space, "BEFORE_SKETCH", 2)
    news = EntailmentSpace.from_vectors(google_news().head(2000), interpretation="log_odds", operator=operator)
    words = news.vectors.words[300:310]
    before = news.hypernyms(list(words), specificity=0.5)
    one_by_one = [news.hypernyms(word, specificity=0.5) for word in words]
    assert set(news._sketches) == {"hyper"}
    for one, expected in zip(one_by_one, before, strict=True):
        assert one.words == expected.words
        np.testing.assert_array_equal(one.scores, expected.scores)


def test_a_small_vocabulary_has_none() -> None:
    news = EntailmentSpace.from_vectors(google_news().head(500))
    for word in news.vectors.words[:20]:
        news.hypernyms(word)
    assert not news._sketches
