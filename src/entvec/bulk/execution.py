"""Executors: they compute the parts of a job, here in threads of this process, and give them back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from entvec.bulk.jobs import Part, Partition, Work


class Executor(NamedTuple):
    """Computes the parts of one job."""

    capacity: Callable[[], int]
    """Returns how many partitions must be under way so that no worker is idle."""
    submit: Callable[[Partition], Callable[[], Part]]
    """Begins with a partition, and returns a function that waits for its part."""


def parts_in_order(executor: Executor, partitions: Iterable[Partition]) -> Iterator[Part]:
    """Yield the part of each partition, in their order, with a bounded number under way."""
    waiting: deque[Callable[[], Part]] = deque()
    todo = iter(partitions)
    while True:
        for partition in todo:
            waiting.append(executor.submit(partition))
            if len(waiting) >= executor.capacity():
                break
        if not waiting:
            return
        yield waiting.popleft()()


def of_threads(pool: ThreadPoolExecutor, work: Work, capacity: int) -> Executor:
    """Return an executor that runs `work` in the threads of a pool; `work` may pass a part on to another process."""
    return Executor(lambda: capacity, lambda partition: pool.submit(work, partition).result)


@contextmanager
def in_threads(work: Work, threads: int = 1) -> Iterator[Executor]:
    """Compute in this process; if something goes wrong, nobody waits for partitions that are under way."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="entvec-bulk")
    try:
        yield of_threads(pool, work, threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
