"""Executors: they compute the parts of a job, here in threads of this process, and give them back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol

from entvec.bulk.jobs import Part, Partition, Work


class Executor(Protocol):
    """Computes the parts of one job."""

    @property
    def capacity(self) -> int:
        """How many partitions must be under way so that no worker is idle."""
        ...

    def submit(self, partition: Partition) -> Callable[[], Part]:
        """Begin with a partition, and return a function that waits for its part."""
        ...


def parts_in_order(executor: Executor, partitions: Iterable[Partition]) -> Iterator[Part]:
    """Yield the part of each partition, in their order, with a bounded number under way."""
    waiting: deque[Callable[[], Part]] = deque()
    todo = iter(partitions)
    while True:
        for partition in todo:
            waiting.append(executor.submit(partition))
            if len(waiting) >= executor.capacity:
                break
        if not waiting:
            return
        yield waiting.popleft()()


class ThreadExecutor:
    """Computes parts in threads of this process, or has each thread ask a process."""

    def __init__(self, work: Work, threads: ThreadPoolExecutor, capacity: int) -> None:
        self.capacity = capacity
        self._work, self._threads = work, threads

    def submit(self, partition: Partition) -> Callable[[], Part]:
        """Begin as soon as a thread is free."""
        return self._threads.submit(self._work, partition).result


@contextmanager
def in_threads(work: Work, threads: int = 1) -> Iterator[Executor]:
    """Compute in this process; if something goes wrong, nobody waits for partitions that are under way."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="entvec-bulk")
    try:
        yield ThreadExecutor(work, pool, threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
