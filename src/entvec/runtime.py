"""Threads: how many this package uses, and in which pool. No other module decides this.

Work is cut into blocks for a pool with one thread per processor: NumPy releases Python's lock while it
computes. The BLAS behind NumPy has threads of its own. Their number is a setting of the whole process, and changing it
temporarily is not safe: if another thread saves and restores the setting meanwhile, as `threadpoolctl` does, the change
becomes permanent. So this package reads the setting and never changes it, except in a process of its own:
commands and workers call `dedicate_process`, which gives all processors to the pool.

In other processes `theory.product` multiplies matrices in the pool without waking the threads of the BLAS.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

Item = TypeVar("Item")
T = TypeVar("T")

POOL = "entvec-pool"
"""The prefix of the names of the threads."""

THREADS = "ENTVEC_THREADS"
"""The environment variable with the number of threads, for processes that share a machine."""
SINGLE_THREADED_BLAS = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The environment of a process whose BLAS has one thread from the start."""


def available_threads() -> int:
    """Return how many threads to use: the value of ENTVEC_THREADS, or as many as this process has processors."""
    wanted = os.environ.get(THREADS, "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[Item], T], items: Iterable[Item]) -> list[T]:
    """Return the results of `work` for each item, computed in the pool with the caller's NumPy error settings."""
    todo = list(items)
    workers = min(available_threads(), len(todo))
    if workers <= 1 or threading.current_thread().name.startswith(POOL):  # a thread of the pool must not wait for it
        return [work(item) for item in todo]
    contexts = [copy_context() for _ in todo]
    return list(_pool(workers).map(lambda context, item: context.run(work, item), contexts, todo))


def blocks(n: int, at_once: int) -> list[slice]:
    """Return slices of n rows, `at_once` in each.

    >>> blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + at_once, n)) for start in range(0, n, at_once)]


def blas_threads() -> int:
    """Return how many threads the BLAS currently uses for a matrix product."""
    return max((library.num_threads or 1 for library in _blas().lib_controllers), default=1)


def dedicate_process() -> None:
    """Limit the BLAS of this process to one thread for good, so that the pool has all processors.

    This is for programs that do nothing but use entvec. The pool is faster than the threads of the BLAS, because it
    also computes everything that is not a matrix product.
    """
    _blas().limit(limits=1)


def shared_environment(processes: int) -> dict[str, str]:
    """Return the environment variables for one of several worker processes that share this machine."""
    return {**SINGLE_THREADED_BLAS, THREADS: str(max(1, available_threads() // processes))}


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix=POOL)


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of the threads
