"""Threads of the server: work in them can be stopped, and the end of the process does not wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class Stopped(Exception):
    """Work that was stopped before its end."""


class StopSignal:
    """Stops the work of a thread at its next checkpoint: on request, or when it takes too long.

    >>> signal = StopSignal(seconds=60)
    >>> signal.run(lambda: [checkpoint(), "done"])
    [None, 'done']
    >>> signal.stop()
    >>> signal.run(lambda: [checkpoint(), "done"])
    Traceback (most recent call last):
    ...
    entvec.explore.threads.Stopped: stopped on request

    Parameters
    ----------
    seconds
        The most that the work may take, from the time when it begins.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._stopped = False

    def stop(self) -> None:
        """Stop the work at its next checkpoint."""
        self._stopped = True

    def run(self, function: Callable[[], Result]) -> Result:
        """Do the work in this thread."""
        _current.signal, self._deadline = self, time.monotonic() + self.seconds
        try:
            return function()
        finally:
            _current.signal = None

    def check(self) -> None:
        """Raise Stopped if the work must end."""
        if self._stopped:
            raise Stopped("stopped on request")
        if time.monotonic() > self._deadline:
            raise Stopped(f"took longer than {self.seconds:g} seconds")


_current = threading.local()


def checkpoint(*_: object) -> None:
    """Stop the work of this thread if its signal says so; a progress callback for functions of the library."""
    signal: StopSignal | None = getattr(_current, "signal", None)
    if signal is not None:
        signal.check()


class DaemonExecutor(Executor):
    """Runs calls in a few threads, as a ThreadPoolExecutor does; but a process that ends does not wait for them.

    >>> with DaemonExecutor(2, "example") as executor:
    ...     list(executor.map(abs, [-1, -2]))
    [1, 2]
    """

    def __init__(self, n_threads: int, name: str) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name=f"{name}-{i}", daemon=True) for i in range(n_threads)]

    def submit(self, function: Callable[..., Result], /, *arguments: Any, **options: Any) -> Future[Result]:
        """Queue a call."""
        for thread in self._threads:
            if thread.ident is None:  # only one thread submits, that of the event loop
                thread.start()
        future: Future[Result] = Future()
        self._calls.put((future, partial(function, *arguments, **options)))
        return future

    def shutdown(self, *_: Any, **__: Any) -> None:
        """End the threads when they have done what is queued; do not wait for them."""
        for _thread in self._threads:
            self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            future, function = call
            if future.set_running_or_notify_cancel():
                try:
                    result = function()
                except BaseException as error:  # noqa: BLE001  # whoever waits for the result gets it
                    future.set_exception(error)
                else:
                    future.set_result(result)
