"""Approximate search: the change of coordinates keeps every ranking, and all indexes pass one contract suite."""

import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.array_types import AnyFloats
from entvec.bundled import google_news, toy_world
from entvec.errors import EntvecError, InvalidInput, MissingExtra, SpaceFileError
from entvec.model.model import OTHER, Model, Side
from entvec.search import approximate, coordinates
from entvec.search.coordinates import FORMS, Coordinates, Form, fit
from entvec.search.exact import top
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import SEARCHERS, Searcher, build_searcher, load_searcher
from entvec.search.request import Request
from entvec.space import EntailmentSpace
from entvec.theory import OPERATORS
from entvec.vectors import Vectors

KINDS = [("faiss", "flat"), ("faiss", "ivf"), ("faiss", "hnsw"), ("usearch", "flat"), ("usearch", "hnsw")]
LIBRARIES = {"faiss": "faiss", "usearch": "usearch.index"}
N, WIDTH = 600, 9


def world(n: int = N, seed: int = 0) -> tuple[Keys, NDArray[np.float64]]:
    """Return keys and queries like those of `backward`: of one sign, in eight clusters, hubness in the last column."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(8, WIDTH - 1))
    points, others = (centres[rng.integers(8, size=m)] + rng.normal(size=(m, WIDTH - 1)) / 2 for m in (n, 100))
    keys = -np.log1p(np.exp(-points))
    queries = 1 / (1 + np.exp(-others))
    hubness = keys @ queries.mean(axis=0)
    stored = np.column_stack([keys, hubness]).astype(np.float32)
    return Keys(stored, "float32", np.inf), np.column_stack([queries, np.full(len(queries), -0.9)])


class RawTable(KeyTable):
    """A table of given keys, with queries that need no mapping."""

    def __init__(self, keys: Keys, queries: AnyFloats) -> None:
        words = Vectors(list(map(str, range(len(queries)))), queries)
        super().__init__(Model(OPERATORS["dot"], "log_odds"), words, keys.dtype, {"hyper": keys})

    def __len__(self) -> int:
        return len(self.computed["hyper"])

    def width(self, side: Side) -> int:
        return int(self.computed[side].stored.shape[1])

    def queries(self, request: Request) -> AnyFloats:
        return request.vectors.astype(np.float64)


def searcher_of(name: str, keys: Keys, queries: AnyFloats, **options: Any) -> Searcher:
    return build_searcher(name, RawTable(keys, queries), "hyper", **options)


def load_saved(path: Path, name: str, *, shape: tuple[int, int] = (600, 9), **options: Any) -> Searcher:
    keys, queries = world()
    stored = keys.stored if shape == keys.stored.shape else np.zeros(shape, np.float32)
    return load_searcher(name, RawTable(Keys(stored, "float32", np.inf), queries), "hyper", path, options)


def request_of(queries: AnyFloats) -> Request:
    return Request("hypo", queries, 0.0)


def exact_of(keys: Keys, queries: AnyFloats) -> Any:
    return RawTable(keys, queries).rescorer(request_of(queries), queries)


def recall(searcher: Searcher, keys: Keys, queries: AnyFloats, k: int = 10) -> float:
    found = searcher.search(request_of(queries), k).rows
    best = top(keys, queries, k, error_bound=np.full(len(queries), 1e-4), rescore=exact_of(keys, queries)).rows
    return float(np.mean([np.isin(*pair).mean() for pair in zip(best, found, strict=True)]))


# Coordinates


def distances(queries: AnyFloats, keys: AnyFloats) -> AnyFloats:
    return np.asarray(((queries[:, None, :].astype(float) - keys[None].astype(float)) ** 2).sum(axis=2))


@pytest.mark.parametrize("form", FORMS)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(2, 40),
    width=st.integers(2, 12),
    offset=st.sampled_from([0.0, 5.0]),
    specificity=st.sampled_from([0.0, 0.9, 2.0]),
)
@settings(max_examples=40, deadline=None)
def test_the_change_of_coordinates_keeps_every_ranking(
    form: Form, seed: int, n: int, width: int, offset: float, specificity: float
) -> None:
    rng = np.random.default_rng(seed)
    keys = Keys(rng.normal(size=(n, width)).astype(np.float32) - np.float32(offset), "float32", np.inf)
    sample, queries = (rng.normal(size=(m, width)) + offset for m in (30, 5))
    sample[:, -1], queries[:, -1] = -0.9, -specificity  # queries may have another specificity than the sample
    fitted = fit(keys, sample, form, dropped=0.0)
    scores = queries @ keys.stored.T.astype(float)
    if form == "euclidean":
        found = -distances(fitted.queries(queries), fitted.keys(keys)) / 2
    else:
        found = fitted.queries(queries).astype(float) @ fitted.keys(keys).T.astype(float)
    scores, found = (each - each.mean(axis=1, keepdims=True) for each in (scores, found))
    scale = np.abs(fitted.queries(queries)).max() * np.abs(fitted.keys(keys)).max()
    np.testing.assert_allclose(found, scores, atol=3e-5 * (1 + scale) * (1 + np.sqrt(width)))


def test_the_distance_of_two_keys_is_how_much_their_scores_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(coordinates.POWER, "euclidean", 0.0)
    keys, queries = world()
    fitted = fit(keys, queries, "euclidean", dropped=0.0)
    rows = fitted.keys(keys)[:, : fitted.for_keys.shape[1]].astype(float)
    apart = ((rows[0] - rows[1:50]) ** 2).sum(axis=1)
    scores = queries @ keys.stored[:50].T.astype(float)
    differ = ((scores[:, :1] - scores[:, 1:]) ** 2).mean(axis=0)
    np.testing.assert_allclose(apart, differ, rtol=0.15)  # a little is added for queries unlike the sample


@pytest.mark.parametrize(("form", "power"), [("inner product", 1.0), ("euclidean", 3.0)])
def test_keys_are_spread_as_a_power_of_queries(form: Form, power: float) -> None:
    keys, queries = world()
    fitted = fit(keys, queries, form)
    n = 5
    by_keys, by_queries = (
        np.sqrt((each[:, :n].astype(float) ** 2).mean(axis=0)) for each in (fitted.keys(keys), fitted.queries(queries))
    )
    np.testing.assert_allclose(by_keys, by_queries**power, rtol=0.15)


def test_coordinates_without_variance_are_dropped() -> None:
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(500, 20))
    keys = Keys((plain @ rng.normal(size=(20, 60))).astype(np.float32), "float32", np.inf)
    queries = rng.normal(size=(400, 60))
    fitted = fit(keys, queries, "inner product")
    assert fitted.for_keys.shape == (60, 20)
    assert fitted.width == 32
    scores, found = queries @ keys.stored.T.astype(float), fitted.queries(queries) @ fitted.keys(keys).T
    scores -= scores.mean(axis=1, keepdims=True)
    assert np.corrcoef(scores.ravel(), found.ravel())[0, 1] > 0.9999


def test_one_large_coordinate_does_not_hide_the_others() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(500, 12)) * np.array([1000.0, *[1.0] * 11])
    fitted = fit(Keys(matrix.astype(np.float32), "float32", np.inf), rng.normal(size=(300, 12)), "euclidean")
    assert fitted.for_keys.shape[1] == 12


@pytest.mark.parametrize("form", FORMS)
def test_keys_that_are_all_the_same_have_coordinates(form: Form) -> None:
    keys = Keys(np.ones((5, 3), dtype=np.float32), "float32", np.inf)
    fitted = fit(keys, np.ones((4, 3)), form)
    assert np.isfinite(fitted.keys(keys)).all()
    assert np.isfinite(fitted.queries(np.ones((2, 3)))).all()


@pytest.mark.parametrize("form", FORMS)
def test_coordinates_come_back_from_a_file(form: Form, tmp_path: Path) -> None:
    keys, queries = world()
    fitted = fit(keys, queries, form)
    fitted.save(tmp_path / "c", {"index": "of mine"})
    again, metadata = Coordinates.load(tmp_path / "c")
    assert (again.digest, again.form, metadata) == (fitted.digest, form, {"index": "of mine"})
    np.testing.assert_array_equal(again.keys(keys), fitted.keys(keys))


@pytest.mark.parametrize("end", [0, 5, 300, -1])
def test_a_file_of_coordinates_that_ends_early_is_refused(end: int, tmp_path: Path) -> None:
    fit(*world(), "euclidean").save(tmp_path / "c", {})
    (tmp_path / "c").write_bytes((tmp_path / "c").read_bytes()[:end])
    with pytest.raises(SpaceFileError, match="expected"):
        Coordinates.load(tmp_path / "c")


def test_coordinates_of_other_shapes_are_refused(tmp_path: Path) -> None:
    Coordinates(np.zeros(3), np.zeros((3, 2)), np.zeros((4, 2)), np.empty(0)).save(tmp_path / "c", {})
    with pytest.raises(SpaceFileError, match="two matrices of the same shape"):
        Coordinates.load(tmp_path / "c")


# The contract

Build = Callable[..., Searcher]


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def build(request: pytest.FixtureRequest) -> Build:
    name, kind = request.param
    pytest.importorskip(LIBRARIES[name])
    return partial(searcher_of, name, index=kind)


@pytest.fixture(scope="module")
def searcher(build: Build) -> Searcher:
    return build(*world())


def test_it_finds_nearly_all_of_the_best(searcher: Searcher) -> None:
    keys, queries = world()
    assert searcher.options["measured_recall"] >= 0.95
    assert recall(searcher, keys, queries) >= 0.95


def test_scores_are_exact_and_the_best_come_first(searcher: Searcher) -> None:
    keys, queries = world()
    rows, scores = searcher.search(request_of(queries), 5)
    assert rows.shape == scores.shape == (len(queries), 5)
    assert rows.dtype == np.int64
    stored = keys.stored.T.astype(float)
    expected = np.take_along_axis(queries @ stored, rows, axis=1)
    # The order of a sum depends on the processor; where its terms cancel out, rounding is relative to the terms.
    rounding = 1e-14 * np.take_along_axis(np.abs(queries) @ np.abs(stored), rows, axis=1)
    assert (np.abs(scores - expected) <= rounding).all()
    assert (np.diff(scores, axis=1) <= 0).all()


def test_a_batch_has_the_answers_of_its_queries(searcher: Searcher) -> None:
    _keys, queries = world()
    together = searcher.search(request_of(queries[:20]), 4)
    for i in range(20):
        alone = searcher.search(request_of(queries[i : i + 1]), 4)
        np.testing.assert_array_equal(alone.rows[0], together.rows[i])


@pytest.mark.parametrize("k", [N, N + 1, 10 * N, N // 2])
def test_as_many_as_there_are_can_be_asked_for(k: int, searcher: Searcher) -> None:
    keys, queries = world()
    found = searcher.search(request_of(queries[:3]), k)
    exact = top(keys, queries[:3], k, error_bound=np.full(3, 1e-4), rescore=exact_of(keys, queries))
    np.testing.assert_array_equal(found.rows, exact.rows)
    np.testing.assert_array_equal(found.scores, exact.scores)


def test_many_are_found_even_if_few_places_were_to_be_looked_at(searcher: Searcher) -> None:
    _keys, queries = world()
    found = searcher.search(request_of(queries), 150)
    assert (found.rows >= 0).all()


def test_nothing_asked_nothing_found(searcher: Searcher) -> None:
    _keys, queries = world()
    assert searcher.search(request_of(queries), 0).rows.shape == (len(queries), 0)
    assert searcher.search(request_of(queries[:0]), 3).rows.shape == (0, 3)


def test_of_equal_keys_the_first_rows_are_found(build: Build) -> None:
    keys, queries = world(40)
    double = Keys(np.concatenate([keys.stored, keys.stored]), "float32", np.inf)
    found = build(double, queries).search(request_of(queries), 80).rows
    np.testing.assert_array_equal(found[:, 1::2], found[:, ::2] + 40)


def test_one_index_serves_every_specificity(searcher: Searcher) -> None:
    keys, queries = world()
    for specificity in (0.0, 0.5, 1.0, 1.5):
        other = np.column_stack([queries[:, :-1], np.full(len(queries), -specificity)])
        assert recall(searcher, keys, other) >= 0.9


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_keys_of_every_kind_of_number_are_indexed(dtype: Any, build: Build) -> None:
    from entvec.vectors.dtypes import encode

    keys, queries = world()
    stored = Keys(encode(keys.stored, dtype), dtype, np.inf)
    assert recall(build(stored, queries), stored, queries) >= 0.95


@pytest.mark.parametrize("form", FORMS)
def test_the_form_may_be_chosen(form: Form, build: Build) -> None:
    keys, queries = world()
    searcher = build(keys, queries, form=form, recall=0.9, candidates=5)
    assert searcher.options["form"] == form
    assert searcher.options["recall"] == 0.9
    assert recall(searcher, keys, queries) >= 0.85


@pytest.mark.parametrize("n", [1, 2, 3, 70])
def test_a_few_keys_are_enough(n: int, build: Build) -> None:
    keys, queries = world(n)
    assert recall(build(keys, queries), keys, queries) == 1.0


def test_less_effort_is_made_where_less_recall_is_wanted(build: Build) -> None:
    keys, queries = world()
    high, low = (build(keys, queries, recall=share, candidates=1, form="inner product") for share in (1.0, 0.01))
    effort = [
        next(each.options[name] for name in ("nprobe", "expansion", "passes") if name in each.options)
        for each in (high, low)
    ]
    assert effort[0] >= effort[1]
    assert high.options["measured_recall"] >= low.options["measured_recall"]


# Files


def test_a_saved_searcher_gives_the_same_answers(searcher: Searcher, tmp_path: Path) -> None:
    _keys, queries = world()
    searcher.save(tmp_path / "searcher")
    options = json.loads(json.dumps(searcher.options))
    again = load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **options)
    assert again.options == searcher.options
    for k in (1, 10, N):
        one, two = (each.search(request_of(queries), k) for each in (searcher, again))
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.scores, two.scores)


def test_what_was_loaded_can_be_saved_elsewhere(searcher: Searcher, tmp_path: Path) -> None:
    _keys, queries = world()

    def loaded(path: Path) -> Searcher:
        return load_saved(path, searcher.name, shape=(N, WIDTH), **searcher.options)

    searcher.save(tmp_path / "first")
    loaded(tmp_path / "first").save(tmp_path / "second")
    shutil.rmtree(tmp_path / "first")
    again = loaded(tmp_path / "second").search(request_of(queries), 3)
    np.testing.assert_array_equal(again.rows, searcher.search(request_of(queries), 3).rows)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux lists memory maps")
def test_an_index_is_mapped_not_read(build: Build, tmp_path: Path) -> None:
    searcher = build(*world())
    searcher.save(tmp_path / "searcher")
    again = load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **searcher.options)
    assert str(tmp_path / "searcher" / approximate.INDEX) in Path("/proc/self/maps").read_text()
    del again


@pytest.mark.parametrize("shape", [(N + 1, WIDTH), (N, WIDTH + 1)])
def test_a_searcher_of_other_keys_is_refused(shape: tuple[int, int], searcher: Searcher, tmp_path: Path) -> None:
    searcher.save(tmp_path / "searcher")
    with pytest.raises(SpaceFileError, match=f"expected {shape[0]:,} keys of {shape[1]} .* found {N:,} of {WIDTH},"):
        load_saved(tmp_path / "searcher", searcher.name, shape=shape, **searcher.options)


@pytest.mark.parametrize("file", [approximate.INDEX, approximate.COORDINATES])
def test_another_file_in_its_place_is_refused(file: str, build: Build, searcher: Searcher, tmp_path: Path) -> None:
    searcher.save(tmp_path / "searcher")
    build(*world(seed=1)).save(tmp_path / "other")
    (tmp_path / "other" / file).replace(tmp_path / "searcher" / file)
    with pytest.raises(SpaceFileError, match=f"{file}: expected the (coordinates|index) that .* saved"):
        load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **searcher.options)


@pytest.mark.parametrize("file", [approximate.INDEX, approximate.COORDINATES])
def test_a_missing_file_is_named(file: str, searcher: Searcher, tmp_path: Path) -> None:
    searcher.save(tmp_path / "searcher")
    (tmp_path / "searcher" / file).unlink()
    with pytest.raises(SpaceFileError, match=f"{file}: the file is missing"):
        load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **searcher.options)


def test_a_file_that_the_library_cannot_read_is_refused(searcher: Searcher, tmp_path: Path) -> None:
    searcher.save(tmp_path / "searcher")
    (tmp_path / "searcher" / approximate.INDEX).write_bytes(b"no index at all" * 20)
    fitted, _ = Coordinates.load(tmp_path / "searcher" / approximate.COORDINATES)
    fitted.save(
        tmp_path / "searcher" / approximate.COORDINATES,
        {"index": approximate._mark(tmp_path / "searcher" / approximate.INDEX)},
    )
    with pytest.raises(SpaceFileError, match=f"{searcher.name} cannot read it"):
        load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **searcher.options)


@pytest.mark.parametrize(
    "change",
    [{"index": "up"}, {"index": None}, {"index": ["ivf"]}, {"candidates": 0}, {"candidates": "3"}, {"candidates": 2.5}],
)
def test_options_that_no_searcher_was_saved_with_are_refused(
    change: dict[str, Any], searcher: Searcher, tmp_path: Path
) -> None:
    searcher.save(tmp_path / "searcher")
    with pytest.raises(SpaceFileError, match="expected the options that an index was saved with"):
        load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **(searcher.options | change))


@pytest.mark.parametrize("value", [None, 0, -1, 2.5, "8", True])
def test_so_is_an_effort_that_is_no_number(value: Any, searcher: Searcher, tmp_path: Path) -> None:
    searcher.save(tmp_path / "searcher")
    name = next(name for name in ("nprobe", "expansion", "passes") if name in searcher.options)
    with pytest.raises(SpaceFileError, match="expected the options that an index was saved with"):
        load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **(searcher.options | {name: value}))


def test_one_flipped_bit_anywhere_is_refused_before_the_library_sees_it(
    searcher: Searcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searcher.save(tmp_path / "searcher")
    path = tmp_path / "searcher" / approximate.INDEX
    content = path.read_bytes()
    module = import_module(SEARCHERS[searcher.name])
    monkeypatch.setattr(module, "library", lambda: pytest.fail("the library was asked to read a damaged file"))
    monkeypatch.setattr(
        module, "load", partial(approximate.load, module.LIBRARY._replace(check_installed=lambda: None))
    )
    for bit in np.linspace(0, 8 * len(content) - 1, 60).astype(int).tolist():
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(
            SpaceFileError, match="index: expected the index that was saved, found another or a damaged"
        ):
            load_saved(tmp_path / "searcher", searcher.name, shape=(N, WIDTH), **searcher.options)


@pytest.mark.parametrize("row", [N, 1 << 40, -2, -(1 << 40)])
def test_rows_that_no_word_has_are_refused(row: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    keys, queries = world()
    searcher = searcher_of("faiss", keys, queries)
    nearest = type(searcher.index).nearest  # type: ignore[attr-defined]

    def damaged(self: Any, *args: Any) -> Any:
        rows = nearest(self, *args)
        rows[0, 3] = row
        return rows

    monkeypatch.setattr(type(searcher.index), "nearest", damaged)  # type: ignore[attr-defined]
    with pytest.raises(EntvecError, match=f"the index names row .* of {N} words; build it again"):
        searcher.search(request_of(queries), 3)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("operator", ["dot", "cosine", "backward", "difference"])
def test_an_index_of_vectors_of_any_size_finds_enough_or_is_refused(name: str, operator: str) -> None:
    pytest.importorskip(LIBRARIES[name])
    directions = np.random.default_rng(0).normal(size=(300, 6))
    words = [f"word_{i}" for i in range(len(directions))]
    for size in (1e-25, 1e-8, 1.0, 1e3, 1e7, 1e15, 1e20):
        vectors = Vectors(words, size * directions)
        space = EntailmentSpace.from_vectors(vectors, operator=operator, interpretation="log_odds")
        try:
            found = space.with_backend(name, index="hnsw").recall(words[:40])
        except InvalidInput:
            assert not 1e-4 < size < 1e5
        else:
            assert found > 0.9


# Choices


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_small_vocabulary_is_searched_as_a_list(name: str) -> None:
    pytest.importorskip(LIBRARIES[name])
    keys, queries = world()
    searcher = searcher_of(name, keys, queries)
    assert searcher.options["index"] == "flat"
    assert recall(searcher, keys, queries) == 1.0


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_larger_one_gets_the_first_index_that_finds_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(LIBRARIES[name])
    monkeypatch.setattr(approximate, "SMALL", 100)
    keys, queries = world()
    searcher = searcher_of(name, keys, queries, recall=0.3)
    assert searcher.options["index"] == {"faiss": "ivf", "usearch": "hnsw"}[name]
    assert searcher.options["measured_recall"] >= 0.3


def test_where_clusters_do_not_find_enough_there_is_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    from entvec.search import faiss

    monkeypatch.setattr(approximate, "SMALL", 100)
    monkeypatch.setattr(faiss, "POINTS_A_CLUSTER", 8)
    rng = np.random.default_rng(0)
    keys = Keys(rng.normal(size=(2000, 24)).astype(np.float32), "float32", np.inf)  # no clusters at all
    searcher = searcher_of("faiss", keys, rng.normal(size=(200, 24)))
    assert searcher.options["index"] == "hnsw"


@pytest.mark.parametrize("better", FORMS)
def test_the_form_that_finds_more_is_chosen(better: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    keys, queries = world()

    def found(trial: Any, index: Any, fitted: Coordinates, effort: int) -> float:
        return 0.9 if fitted.form == better else 0.5

    monkeypatch.setattr(approximate.Trial, "found", found)
    assert searcher_of("faiss", keys, queries, index="ivf").options["form"] == better


def test_a_form_that_finds_enough_is_not_compared_with_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    tried = []

    def found(trial: Any, index: Any, fitted: Coordinates, effort: int) -> float:
        tried.append(fitted.form)
        return 0.99

    monkeypatch.setattr(approximate.Trial, "found", found)
    searcher_of("faiss", *world(), index="ivf")
    assert tried == ["euclidean"]


@pytest.mark.parametrize("kind", ["flat", "ivf"])
def test_the_same_seed_makes_the_same_index(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    for name, seed in {"one": 3, "two": 3}.items():
        searcher_of("faiss", *world(), index=kind, seed=seed).save(tmp_path / name)
    for file in (approximate.INDEX, approximate.COORDINATES):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"nprobe": 3}, "no option 'nprobe' of the backend faiss, expected index, form"),
        ({"index": "tree"}, "faiss has no index 'tree', expected one of flat, ivf, hnsw"),
        ({"form": "cosine"}, "no form 'cosine', expected 'euclidean' or 'inner product'"),
        ({"recall": 0}, "recall is 0, expected a number above 0"),
        ({"recall": float("nan")}, "recall is nan"),
        ({"recall": "0.9"}, "recall is '0.9'"),
        ({"candidates": 0}, "candidates is 0, expected a whole number"),
        ({"candidates": 1.5}, "candidates is 1.5"),
        ({"seed": -1}, "seed is -1, expected a whole number"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], text: str) -> None:
    pytest.importorskip("faiss")
    with pytest.raises(InvalidInput, match=text):
        searcher_of("faiss", *world(), **options)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no backend 'annoy', expected one of exact, faiss, usearch"):
        searcher_of("annoy", *world())
    with pytest.raises(InvalidInput, match="no backend 'annoy'"):
        load_saved(Path("nowhere"), "annoy", shape=(N, WIDTH))


@pytest.mark.parametrize("name", LIBRARIES)
def test_an_empty_vocabulary_is_refused(name: str) -> None:
    pytest.importorskip(LIBRARIES[name])
    keys, queries = world()
    with pytest.raises(InvalidInput, match="there are no keys"):
        searcher_of(name, Keys(keys.stored[:0], "float32", np.inf), queries)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_is_not_installed_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (name, LIBRARIES[name]):
        monkeypatch.setitem(sys.modules, module, None)
    extra = rf"pip install {name}(-cpu)? \(the extra entvec\[{name}\] has it too\)"
    with pytest.raises(MissingExtra, match=extra):
        searcher_of(name, *world())
    with pytest.raises(MissingExtra, match=extra):
        load_saved(Path("nowhere"), name, shape=(N, WIDTH))


# In a space


@pytest.fixture(scope="module")
def news() -> EntailmentSpace:
    vectors = google_news()
    return EntailmentSpace.from_vectors(Vectors(list(vectors.words[:1200]), vectors.matrix[:1200, :12]))


@pytest.fixture(scope="module", params=LIBRARIES)
def searched(request: pytest.FixtureRequest, news: EntailmentSpace) -> EntailmentSpace:
    """The same space with an approximate searcher."""
    pytest.importorskip(LIBRARIES[request.param])
    return news.with_backend(request.param, sides=["hyper", "hypo"], index="hnsw")


def test_a_space_with_a_searcher_finds_nearly_the_same_words(searched: EntailmentSpace, news: EntailmentSpace) -> None:
    name = searched.searchers["hyper"].name
    assert repr(searched).endswith(f"backward, {name})")
    words = list(news.vocabulary.words[1::10])
    for side in OTHER:
        assert searched.recall(words, side=side) >= 0.95
    exact, found = (each.hypernyms(words[:50], k=5) for each in (news, searched))
    same = exact.indices == found.indices
    assert same.mean() > 0.9
    np.testing.assert_array_equal(exact.scores[same], found.scores[same])


def test_a_search_among_some_words_stays_exact(searched: EntailmentSpace, news: EntailmentSpace) -> None:
    words = list(news.vocabulary.words[:40])
    one, two = (each.hypernyms(words, k=40, among=words).words for each in (news, searched))
    assert one == two


def test_a_searcher_is_saved_with_its_space(searched: EntailmentSpace, tmp_path: Path) -> None:
    searched.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    for side in OTHER:
        assert again.searchers[side].options == searched.searchers[side].options
    words = list(searched.vectors.words[:100])
    np.testing.assert_array_equal(again.hypernyms(words).indices, searched.hypernyms(words).indices)


def test_a_space_with_the_searcher_of_another_is_refused(searched: EntailmentSpace, tmp_path: Path) -> None:
    name = searched.searchers["hyper"].name
    fewer = Vectors(list(searched.vectors.words[:300]), searched.vectors.matrix[:300])
    EntailmentSpace.from_vectors(fewer).with_backend(name).save(tmp_path / "fewer")
    searched.save(tmp_path / "space")
    descriptions = [json.loads((tmp_path / folder / "config.json").read_text()) for folder in ("space", "fewer")]
    descriptions[0] |= {"engines": descriptions[1]["engines"], "entvec": "space 1"}
    del descriptions[0]["files"]  # as in the version without hashes
    (tmp_path / "space" / "config.json").write_text(json.dumps(descriptions[0]))
    shutil.rmtree(tmp_path / "space" / "engine-hyper")
    shutil.copytree(tmp_path / "fewer" / "engine-hyper", tmp_path / "space" / "engine-hyper")
    with pytest.raises(SpaceFileError, match=r"expected 1,200 keys of .*, found 300 of"):
        EntailmentSpace.load(tmp_path / "space")


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_word_of_the_toy_world_is_found(name: str) -> None:
    pytest.importorskip(LIBRARIES[name])
    toy = toy_world()
    exact = EntailmentSpace.from_vectors(Vectors(toy.words, toy.log_odds()), interpretation="log_odds")
    space = exact.with_backend(name, sides=["hyper", "hypo"])
    for ask in ("hypernyms", "hyponyms"):
        for specificity in (0, 1):
            one, two = (getattr(each, ask)(toy.words, specificity=specificity) for each in (exact, space))
            assert one.words == two.words
