"""Odd arguments, odd arrays, many threads and a fork: an answer, or an error that says what was expected."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.bundled import default_map, google_news
from entvec.errors import InvalidInput
from entvec.search.key_cache import FOLDER, KeyCache
from entvec.search.key_table import KeyTable
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

RNG = np.random.default_rng(0)
WORDS = [f"word_{i}" for i in range(60)]
MATRIX = RNG.normal(size=(len(WORDS), 6))
SPACE = EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX))


@pytest.mark.parametrize("k", [-1, 2.0, True, None, "3", np.float64(3)])
@pytest.mark.parametrize("verb", ["hypernyms", "hyponyms", "recall"])
def test_k_is_a_whole_number(verb: str, k: Any) -> None:
    with pytest.raises(InvalidInput, match=r"k is .*, expected a whole number, 0 or more"):
        getattr(SPACE, verb)("word_1", k)


@pytest.mark.parametrize("k", [0, 1, 59, 60, 1 << 31, 1 << 70, np.uint8(7)])
@pytest.mark.parametrize("group", [False, True])
def test_k_may_be_larger_than_the_vocabulary(k: int, group: bool) -> None:
    assert len(SPACE.hypernyms("word_1", k, group=group)) == min(k, 59)
    assert SPACE.hypernyms(["word_1", "word_2"], k, group=group).indices.shape[1] >= min(int(k), 59)


@pytest.mark.parametrize("value", [1e7, -1e300, float("nan"), float("inf"), 10**400, "1"])
def test_a_penalty_that_leaves_no_digits_of_the_score_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"specificity is .*, expected a number up to 1e\+06"):
        SPACE.hypernyms("word_1", specificity=value)
    found = SPACE.hypernyms("word_1", 5, specificity=1e6)
    np.testing.assert_allclose(found.scores, SPACE.score("word_1", found.words), atol=1e-6)


def test_complex_numbers_are_no_vectors() -> None:
    with pytest.raises(InvalidInput, match="neither words nor vectors"):
        SPACE.hypernyms(np.ones(6) * 1j)


def arrays(tmp_path: Path) -> dict[str, Any]:
    np.save(tmp_path / "mapped.npy", MATRIX)
    frozen = MATRIX.copy()
    frozen.flags.writeable = False
    return {
        "column by column": np.asfortranarray(MATRIX),
        "with gaps": np.repeat(MATRIX, 2, axis=1)[:, ::2],
        "backwards": MATRIX[::-1].copy()[::-1],
        "of the other byte order": MATRIX.astype(">f8"),
        "read-only": frozen,
        "memory-mapped": np.load(tmp_path / "mapped.npy", mmap_mode="r"),
        "lists": MATRIX.tolist(),
    }


def test_arrays_of_any_layout_have_the_same_answers(tmp_path: Path) -> None:
    expected = SPACE.hypernyms(WORDS, 5)
    scores = SPACE.score(WORDS[:30], WORDS[30:])
    for name, matrix in arrays(tmp_path).items():
        space = EntailmentSpace.from_vectors(Vectors(WORDS, matrix))
        np.testing.assert_array_equal(space.hypernyms(WORDS, 5).indices, expected.indices, err_msg=name)
        np.testing.assert_allclose(space.hypernyms(WORDS, 5).scores, expected.scores, rtol=1e-14, err_msg=name)
        by_vector = SPACE.hypernyms(matrix, 6, exclude_self=False)
        assert [row[0] for row in by_vector.words] == [
            row[0] for row in SPACE.hypernyms(WORDS, 6, exclude_self=False).words
        ]
        np.testing.assert_allclose(SPACE.score(matrix[:30], matrix[30:]), scores, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_vectors_of_16_bits_are_the_vectors_that_they_round_to(dtype: str) -> None:
    rounded = Vectors(WORDS, MATRIX).astype(dtype)
    again = Vectors(WORDS, rounded.matrix.astype(np.float64))
    here, there = (EntailmentSpace.from_vectors(each) for each in (rounded, again))
    np.testing.assert_array_equal(here.score(WORDS[:30], WORDS[30:]), there.score(WORDS[:30], WORDS[30:]))


@pytest.mark.parametrize("backend", ["exact", "scan", "faiss", "usearch", "device"])
def test_one_word_no_words_and_words_that_are_all_equal(backend: str) -> None:
    if backend in ("faiss", "usearch", "device"):
        pytest.importorskip({"device": "torch"}.get(backend, backend))
    options: Any = {"device": "cpu"} if backend == "device" else {}
    for matrix, found in ((np.ones((1, 6)), 0), (np.zeros((9, 6)), 3), (np.ones((9, 6)), 3)):
        space = EntailmentSpace.from_vectors(Vectors(WORDS[: len(matrix)], matrix)).with_backend(backend, **options)
        assert len(space.hypernyms("word_0", 3)) == found
    empty = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 6))))
    if backend in ("faiss", "usearch"):
        with pytest.raises(InvalidInput, match="there are no keys, so there is nothing to index; search exactly"):
            empty.with_backend(backend)
    else:
        assert len(empty.with_backend(backend, **options).hypernyms(np.ones(6), 3)) == 0


def test_threads_ask_the_same_space_while_others_change_copies_of_it() -> None:
    vectors = google_news().head(1500)
    words = list(vectors.words[:60])
    alone = EntailmentSpace.from_vectors(vectors, map=default_map())
    expected, scores = alone.hypernyms(words, 3), alone.score(words[:30], words[30:])
    halved = alone.with_specificity(0.5).hypernyms(words, 3)
    shared = EntailmentSpace.from_vectors(vectors, map=default_map())  # its keys are computed by whoever comes first
    start = threading.Barrier(6)

    def ask(i: int) -> None:
        start.wait(30)
        for _ in range(3):
            if i % 3 == 0:
                np.testing.assert_array_equal(shared.hypernyms(words, 3).indices, expected.indices)
            elif i % 3 == 1:
                np.testing.assert_array_equal(shared.score(words[:30], words[30:]), scores)
            else:
                np.testing.assert_array_equal(shared.with_specificity(0.5).hypernyms(words, 3).indices, halved.indices)
                assert shared.with_dtype("float64").hypernyms(words[0], 3).words == expected[0].words
            with pytest.raises(KeyError):
                shared.hypernyms("no such word")

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(ask, i) for i in range(6)]:
            done.result(120)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_space_that_was_used_answers_in_a_forked_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTVEC_THREADS", "2")
    space = EntailmentSpace.from_vectors(google_news().head(4000))
    words = list(space.vocabulary.words[:9])
    expected = space.hypernyms(words, 3).indices.tolist()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(space.hypernyms(words, 3).indices.tolist()))
    child.start()
    try:
        assert receiver.poll(60)
        assert receiver.recv() == expected
    finally:
        child.kill()
        child.join()


def test_no_writer_touches_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    mask = os.umask(0o077)
    os.umask(mask)
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask holds for all threads of the process"))
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    vectors = google_news().head(300)
    space = EntailmentSpace.from_vectors(vectors, map=default_map()).with_backend("faiss")
    space.save(tmp_path / "space")
    vectors.save(tmp_path / "vectors.safetensors")
    default_map().save(tmp_path / "map.safetensors")
    KeyTable(space.model, space.vectors, cache=KeyCache("some", "one"))["hyper"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 8
    assert {path.stat().st_mode & 0o777 for path in files} == {0o666 & ~mask}


def test_keys_of_another_space_with_the_same_words_are_not_taken_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    first = EntailmentSpace.from_vectors(Vectors(WORDS, MATRIX)).keys
    matrix = MATRIX.copy()
    matrix[17] *= -1  # none of the few words whose keys are compared
    second = EntailmentSpace.from_vectors(Vectors(WORDS, matrix)).keys
    tables = [
        KeyTable(each.model, each.vocabulary, cache=KeyCache("same name", each.fingerprint)) for each in (first, second)
    ]
    np.testing.assert_array_equal(tables[0]["hyper"].stored, first["hyper"].stored)
    np.testing.assert_array_equal(tables[1]["hyper"].stored, second["hyper"].stored)
    assert not isinstance(tables[1]["hyper"].stored, np.memmap)
