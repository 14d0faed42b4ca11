"""The contract suite of all backends in memory: each returns the result of a sort of all scores."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Side
from entvec.search.local import SEARCHERS, LocalBackend
from entvec.search.request import Request
from entvec.search.scan import ScanSearcher
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

BACKENDS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "exact": (None, {}),
    "scan": (None, {}),
    "faiss": ("faiss", {"index": "flat"}),
    "usearch": ("usearch", {"index": "flat"}),
    "device": ("torch", {"device": "cpu"}),
}
"""The library that each backend needs, and options with which it compares every key."""
BOTH: list[Side] = ["hyper", "hypo"]


def with_backend(space: EntailmentSpace, name: str) -> EntailmentSpace:
    library, options = BACKENDS[name]
    if library is not None:
        pytest.importorskip(library)
    return space.with_backend(name, sides=BOTH, **options)


def toys() -> EntailmentSpace:
    world = toy_world()
    return EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")


@pytest.fixture(scope="module", params=BACKENDS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def news() -> EntailmentSpace:
    vectors = google_news().head(400)
    return EntailmentSpace.from_vectors(Vectors(list(vectors), vectors.matrix[:, :20]))


@pytest.fixture(scope="module")
def searched(name: str, news: EntailmentSpace) -> EntailmentSpace:
    return with_backend(news, name)


def sorted_scores(space: EntailmentSpace, side: Side, words: list[str], specificity: float) -> Any:
    """Return the scores of all words less the hubness penalty, with each of these words as hypo or hyper."""
    everything = list(space.vocabulary.words)
    rows = np.arange(len(everything))
    penalty = specificity * space.backend.hubness(OTHER[side], rows)
    found = []
    for word in words:
        scores = space.score(word, everything) if side == "hypo" else space.score(everything, word)
        found.append(scores - penalty)
    return np.array(found)


def test_every_row_of_the_table_keeps_the_contract() -> None:
    assert {"exact", *SEARCHERS} == BACKENDS.keys()


@pytest.mark.parametrize("side", OTHER)
@pytest.mark.parametrize("specificity", [0.0, 0.7])
def test_the_best_words_are_those_of_a_sort(searched: EntailmentSpace, side: Side, specificity: float) -> None:
    words = list(searched.vocabulary.words[::40])
    ask = searched.hypernyms if side == "hypo" else searched.hyponyms
    found = ask(words, k=7, specificity=specificity, exclude_self=False)
    expected = np.sort(sorted_scores(searched, side, words, specificity), axis=1)[:, ::-1][:, :7]
    np.testing.assert_allclose(found.order, expected, rtol=1e-5, atol=1e-5)


def test_a_batch_has_the_answers_of_its_words(searched: EntailmentSpace) -> None:
    words = list(searched.vocabulary.words[:30])
    together = searched.hypernyms(words, k=5)
    for i, word in enumerate(words):
        alone = searched.hypernyms(word, k=5)
        assert alone.words == together[i].words
        np.testing.assert_allclose(alone.scores, together[i].scores, rtol=1e-9)


@pytest.mark.parametrize("k", [0, 1, 399, 400, 5000])
def test_any_number_of_words_may_be_asked_for(searched: EntailmentSpace, k: int) -> None:
    found = searched.hypernyms(["said", "time"], k=k, exclude_self=False)
    assert found.indices.shape == (2, min(k, 400))
    assert all(len(set(row)) == min(k, 400) for row in found.indices.tolist())


def test_no_queries_have_no_answers(searched: EntailmentSpace) -> None:
    assert len(searched.hypernyms([], k=3)) == 0


def test_a_search_among_some_words_is_exact(searched: EntailmentSpace, news: EntailmentSpace) -> None:
    words = list(news.vocabulary.words[:50])
    here, there = (each.hypernyms(words, k=50, among=words) for each in (news, searched))
    np.testing.assert_array_equal(here.indices, there.indices)
    np.testing.assert_array_equal(here.scores, there.scores)


def test_vectors_are_answered_like_words(searched: EntailmentSpace) -> None:
    row = searched.vocabulary.row("time")
    vector = searched.vocabulary.take(np.array([row])).matrix[0]
    by_word, by_vector = (searched.hypernyms(query, k=5, exclude_self=False) for query in ("time", vector))
    assert by_word.words == by_vector.words


def test_words_in_memory_have_no_columns_to_choose_by(searched: EntailmentSpace) -> None:
    with pytest.raises(InvalidInput, match="a condition is for a space in a database"):
        searched.hypernyms("time", where="rank < 10")


def test_other_probabilities_need_no_other_keys(searched: EntailmentSpace) -> None:
    halved = searched.with_specificity(0.35)
    assert halved.keys.computed is searched.keys.computed
    same = searched.hypernyms("time", k=5, specificity=0.35)
    assert halved.hypernyms("time", k=5).words == same.words


def test_a_space_is_saved_with_its_backend(name: str, searched: EntailmentSpace, tmp_path: Path) -> None:
    if name == "device":
        with pytest.raises(InvalidInput, match="not saved with a space"):
            searched.save(tmp_path / "space")
        return
    searched.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    assert [each.name for each in again.searchers.values()] == ([] if name == "exact" else [name] * 2)
    np.testing.assert_array_equal(again.hypernyms("time").scores, searched.hypernyms("time").scores)


def test_the_toy_world_is_searched_alike(name: str) -> None:
    exact, other = toys(), with_backend(toys(), name)
    for ask in ("hypernyms", "hyponyms"):
        for specificity in (0, 1):
            here, there = (getattr(each, ask)(toy_world().words, specificity=specificity) for each in (exact, other))
            np.testing.assert_allclose(here.order, there.order, atol=1e-6)  # cat and dog are equal but for rounding


def test_hubness_is_that_of_the_keys(searched: EntailmentSpace) -> None:
    backend, rows = searched.backend, np.array([3, 1])
    assert isinstance(backend, LocalBackend)
    for side in OTHER:
        np.testing.assert_array_equal(backend.hubness(side, rows), searched.keys[side].hubness(rows))


def test_a_request_may_be_cut(searched: EntailmentSpace) -> None:
    vectors = searched.vocabulary.take(np.arange(20)).matrix
    request = Request("hypo", vectors, 0.5)
    whole, part = searched.backend.search(request, 4), searched.backend.search(request.take(slice(5, 9)), 4)
    np.testing.assert_array_equal(whole.rows[5:9], part.rows)


def test_a_backend_is_added_by_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A new backend needs a module with `build` and `load`, and a row in the table."""
    module = ModuleType("toy_searcher")

    class Backwards(ScanSearcher):
        def search(self, request: Request, k: int) -> Any:
            found = super().search(request, len(self.table))
            return type(found)(found.rows[:, ::-1][:, :k], found.scores[:, ::-1][:, :k])

    module.build = lambda table, side, *, loud=False: Backwards(table, "worst first")  # type: ignore[attr-defined]
    module.load = lambda table, side, path, options: Backwards(table, "worst first")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toy_searcher", module)
    monkeypatch.setitem(SEARCHERS, "worst first", "toy_searcher")
    space = toys().with_backend("worst first", loud=True)
    assert repr(space).endswith("worst first)")
    best = toys().hypernyms("poodle", k=5, exclude_self=False).words
    assert space.hypernyms("poodle", k=6, exclude_self=False).words[-1] == best[0]
    space.save(tmp_path / "space")
    assert EntailmentSpace.load(tmp_path / "space").hypernyms("dog").words == space.hypernyms("dog").words
    with pytest.raises(InvalidInput, match="no option 'quiet' of the backend worst first, expected loud"):
        toys().with_backend("worst first", quiet=True)
