"""Threads: work is shared in order, and the BLAS of the process stays as its owner has set it."""

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from entvec import runtime
from entvec.bundled import google_news
from entvec.errors import WordNotFound
from entvec.runtime import available_threads, blas_threads, in_threads
from entvec.space import EntailmentSpace


@pytest.fixture
def two_blas_threads() -> Iterator[None]:
    """Whatever this machine has, and whatever came before."""
    with threadpool_limits(2, user_api="blas"):
        yield


def test_work_is_shared_in_order() -> None:
    assert in_threads(lambda item: item * item, range(50)) == [item * item for item in range(50)]
    assert in_threads(lambda item: item, []) == []
    assert in_threads(lambda item: threading.current_thread(), [1]) == [threading.main_thread()]


def test_work_of_a_thread_may_share_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTVEC_THREADS", "2")
    found = in_threads(lambda i: in_threads(lambda j: 10 * i + j, range(3)), range(4))
    assert found == [[10 * i + j for j in range(3)] for i in range(4)]


def test_an_exception_of_a_thread_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda item: 1 / (item - 3), range(8))


@pytest.mark.parametrize("setting", ["ignore", "raise"])
def test_the_error_settings_of_numpy_hold_in_the_threads(setting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(runtime.THREADS, "3")
    with np.errstate(over=setting):
        assert in_threads(lambda _: np.geterr()["over"], range(9)) == [setting] * 9
    assert set(in_threads(lambda _: np.geterr()["over"], range(9))) == {np.geterr()["over"]}


def test_as_many_threads_as_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= available_threads() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_threads() == 1


@pytest.mark.parametrize(("value", "threads"), [("3", 3), ("0", None), ("-1", None), ("many", None), ("", None)])
def test_a_variable_says_how_many_threads(value: str, threads: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(runtime.THREADS, raising=False)
    usual = available_threads()
    monkeypatch.setenv(runtime.THREADS, value)
    assert available_threads() == (threads or usual)


def test_workers_share_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(runtime.THREADS, "8")
    assert runtime.shared_environment(3)[runtime.THREADS] == "2"
    assert runtime.shared_environment(100)[runtime.THREADS] == "1"
    assert runtime.shared_environment(3)["OPENBLAS_NUM_THREADS"] == "1"


@pytest.fixture
def setters(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the threads that set the number of BLAS threads."""
    names: set[str] = set()

    def noting(set_num_threads: Callable[..., None]) -> Callable[..., None]:
        def noted(*args: Any) -> None:
            names.add(threading.current_thread().name)
            set_num_threads(*args)

        return noted

    for kind in {type(each) for each in ThreadpoolController().select(user_api="blas").lib_controllers}:
        monkeypatch.setattr(kind, "set_num_threads", noting(kind.set_num_threads))
    return names


def _interrupted(item: int) -> int:
    if item == 2:
        raise KeyboardInterrupt
    return item


def _failing(space: EntailmentSpace, words: list[str]) -> str:
    try:
        in_threads(lambda item: words[item] if item < 9 else space.hypernyms("no such word"), range(12))
    except WordNotFound as error:
        return str(error)
    return "no error"


QUESTIONS: list[Callable[[EntailmentSpace, list[str]], Any]] = [
    lambda space, words: space.hypernyms(words, k=3).indices,
    lambda space, words: space.with_dtype("float64").hypernyms(words[:9], k=3).indices,  # computes all keys
    lambda space, words: space.score(words, words[::-1]),
    _failing,
]


@pytest.mark.usefixtures("two_blas_threads")
def test_users_of_threadpoolctl_inside_and_outside_of_searches_find_the_blas_as_they_left_it(setters: set[str]) -> None:
    space = EntailmentSpace.from_vectors(google_news().head(3000))
    words = list(space.vocabulary.words[:300])
    stop, wrong, answers = threading.Event(), [], [0] * 8

    def search(number: int) -> None:
        ask = QUESTIONS[number % len(QUESTIONS)]
        first = ask(space, words)
        while not stop.is_set():
            if not np.array_equal(ask(space, words), first):
                wrong.append("another answer")
            answers[number] += 1

    searching = [threading.Thread(target=search, args=(number,)) for number in range(len(answers))]
    for thread in searching:
        thread.start()
    libraries = ThreadpoolController().select(user_api="blas")
    try:
        # The limit of a user begins and ends while searches begin and end in other threads, in any order.
        limits = cycle([1, 2])
        while min(answers) < 3 and not wrong:
            limit = next(limits)
            with threadpool_limits(limit, user_api="blas"):
                if {each["num_threads"] for each in libraries.info()} != {limit}:
                    wrong.append(f"a search has undone the limit {limit}")
            if blas_threads() != 2:
                wrong.append("a search has kept the limit")
            with suppress(KeyboardInterrupt), threadpool_limits(limit, user_api="blas"):
                in_threads(_interrupted, range(4))  # as if Ctrl-C came in the middle of a search
            if blas_threads() != 2:
                wrong.append("an interrupted search has kept the limit")
    finally:
        stop.set()
        for thread in searching:
            thread.join(timeout=60)
    assert not wrong
    assert blas_threads() == 2
    assert setters == {threading.main_thread().name}  # newer versions of OpenBLAS have a limit for each thread


def test_a_process_of_our_own_keeps_its_blas_to_one_thread() -> None:
    script = "import numpy; from entvec import runtime; runtime.dedicate_process(); print(runtime.blas_threads())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "1\n"


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(runtime.THREADS, "2")

    def work() -> Any:
        return in_threads(lambda item: item + 1, range(4))

    assert work() == [1, 2, 3, 4]  # the threads of this process are made
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(work()))
    process.start()
    try:
        assert receiver.poll(20)
        assert receiver.recv() == [1, 2, 3, 4]
    finally:
        process.terminate()
        process.join()
