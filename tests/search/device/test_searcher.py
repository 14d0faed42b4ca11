"""A search on a device returns the results of exact search, however the device rounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.vectors import Vectors

pytest.importorskip("torch", reason="needs PyTorch: pip install 'entvec[gpu]'")

import torch

from entvec.search.device import searcher as device
from entvec.search.device.maxima import GROUPS, Maxima, maxima

DTYPES = ["bfloat16", "float32"]
RANDOM = np.random.default_rng(8)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def some(n: int, d: int = 20, **options: Any) -> EntailmentSpace:
    vectors = Vectors([f"w{i}" for i in range(n)], RANDOM.normal(size=(n, d)).astype(np.float32))
    return EntailmentSpace.from_vectors(vectors, **{"interpretation": "log_odds", **options})


def searchers(space: EntailmentSpace) -> list[device.DeviceSearcher]:
    return [searcher for searcher in space.searchers.values() if isinstance(searcher, device.DeviceSearcher)]


def same(space: EntailmentSpace, moved: EntailmentSpace, words: list[str], k: int, **options: Any) -> None:
    for side in ("hypernyms", "hyponyms"):
        here, there = (getattr(each, side)(words, k, **options) for each in (space, moved))
        assert np.array_equal(here.indices, there.indices)
        assert np.allclose(here.scores, there.scores, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("place", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", ["backward", "forward", "factorised", "dot", "cosine", "difference"])
def test_every_operator_finds_the_same_words(operator: str, dtype: str, place: str) -> None:
    space = some(900, operator=operator)
    same(space, space.on(place, dtype=dtype), list(space.vocabulary.words[:40]), 7)


@pytest.mark.parametrize("place", DEVICES)
@pytest.mark.parametrize("interpretation", ["dup", "unk_dup"])
def test_real_vectors_are_searched_alike(interpretation: str, place: str) -> None:
    news = google_news().head(3000)
    space = EntailmentSpace.from_vectors(news, interpretation=interpretation)
    same(space, space.on(place, dtype="bfloat16"), list(news.words[:64]), 10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_default_space_is_searched_alike_with_any_specificity_and_form(dtype: str) -> None:
    space = default_space()
    moved = space.on("cpu", dtype=dtype, sides=["hyper"])
    words = ["dog", "guitar", "virus", "democracy"]
    for options in ({}, {"specificity": 0}, {"specificity": 2.5}, {"group": True}, {"among": ["animal", "music"]}):
        here, there = (each.hypernyms(words, 10, **options) for each in (space, moved))
        assert here.words == there.words


@given(
    n=st.integers(1, 700),
    d=st.integers(1, 9),
    k=st.integers(1, 30),
    distinct=st.integers(1, 40),
    seed=st.integers(0, 99),
    dtype=st.sampled_from(DTYPES),
)
@settings(max_examples=40)
def test_of_equal_words_the_first_are_found(n: int, d: int, k: int, distinct: int, seed: int, dtype: str) -> None:
    """Many words share few different vectors, so nearly every score occurs more than once."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(distinct, d)).astype(np.float32)[random.integers(distinct, size=n)]
    space = EntailmentSpace.from_vectors(Vectors([f"w{i}" for i in range(n)], rows), interpretation="log_odds")
    same(space, space.on("cpu", dtype=dtype), list(space.vocabulary.words[:9]), k, exclude_self=False)


def test_a_rough_product_is_never_believed_without_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maxima that are wrong by as much as the error bound allows do not change the results."""
    space = some(2000)
    moved = space.on("cpu", dtype="bfloat16")
    exact = maxima

    def off(queries: Any, keys: Any, n_keys: int) -> Any:
        fine, _ = exact(queries, keys, n_keys)
        noise = (torch.rand(fine.shape, generator=torch.Generator().manual_seed(1)) - 0.5) * 0.02
        wrong = fine + noise
        return Maxima(wrong, wrong.view(len(fine), -1, GROUPS).amax(2).float())

    monkeypatch.setattr(device, "maxima", off)
    monkeypatch.setattr(device, "_narrow_error", lambda *args: torch.full((len(args[2]),), 0.2, dtype=torch.float64))
    same(space, moved, list(space.vocabulary.words[:50]), 10)


def test_queries_that_cannot_be_proven_are_answered_without_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    space = some(2000)
    moved = space.on("cpu")
    monkeypatch.setattr(device, "_narrow_error", lambda *args: torch.full((len(args[2]),), 1e9, dtype=torch.float64))
    monkeypatch.setattr(device, "EXTRA", (4, 8))
    same(space, moved, list(space.vocabulary.words[:20]), 10)
    assert [searcher.unproven for searcher in searchers(moved)] == [20, 20]


def test_keys_that_do_not_fit_are_moved_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_free", lambda _: 300_000)
    space = some(3000)
    moved = space.on("cpu")
    assert all(256 <= searcher.shard_rows < 2000 for searcher in searchers(moved))
    same(space, moved, list(space.vocabulary.words[:30]), 10)


def test_few_queries_at_a_time_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(device.BYTES_AT_ONCE, "cpu", 1 << 12)
    space = some(600)
    same(space, space.on("cpu"), list(space.vocabulary.words), 3)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_keys_of_every_kind_of_number(dtype: str) -> None:
    space = some(500, dtype=dtype)
    same(space, space.on("cpu"), list(space.vocabulary.words[:20]), 5)


def test_more_words_than_there_are_and_none_at_all() -> None:
    world = toy_world()
    space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    same(space, space.on("cpu"), list(world.words), 50)
    assert len(space.on("cpu").hypernyms([], 3)) == 0
    empty = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 3))), interpretation="log_odds")
    assert len(empty.on("cpu")) == 0


def test_a_space_comes_back_from_a_device_and_is_saved_from_there(tmp_path: Path) -> None:
    moved = some(50).on("cpu")
    assert "device" in repr(moved)
    with pytest.raises(InvalidInput, match="with_backend"):
        moved.save(tmp_path / "space")
    back = moved.with_backend("exact")
    back.save(tmp_path / "space")
    assert EntailmentSpace.load(tmp_path / "space").hypernyms("w1").words == moved.hypernyms("w1").words


def test_a_device_that_is_not_there_is_named_with_what_to_do() -> None:
    space = some(10)
    if not torch.cuda.is_available():
        with pytest.raises(InvalidInput, match="use 'cpu'"):
            space.on("cuda")
    for odd in ("gpu", "cuda:99", "meta", "mps"):
        with pytest.raises(InvalidInput, match="device"):
            space.on(odd)
    with pytest.raises(InvalidInput, match="dtype is 'float8'"):
        space.on("cpu", dtype="float8")
    with pytest.raises(InvalidInput, match="no inner product"):
        some(10, operator="weighted_cosine").on("cpu")
