"""Worker processes of this machine: commands that get partitions on their standard input and answer with parts.

The `multiprocessing` of Python would run the caller's script again in each process, unless it has a guard.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, cast

from entvec.bulk.execution import Executor, of_threads
from entvec.bulk.jobs import Job, Part, Partition, Work
from entvec.bulk.worker import receive, send
from entvec.errors import WorkerLost
from entvec.runtime import shared_environment

ATTEMPTS = 3
"""How many processes may die while they compute one partition."""
SECONDS = 10
"""How long a process that has nothing to do any more may take to end."""
START = "from entvec.bulk.worker import main; main()"


@contextmanager
def in_processes(job: Job, n: int, work: Work | None = None) -> Iterator[Executor]:
    """Compute in n processes; this one is one of them if it has the function that computes parts.

    A process that dies costs the partition that it had, which is computed again by a new one.
    """
    workers = [_Worker(job, n) for _ in range(n - (work is not None))]
    idle: queue.LifoQueue[Work] = queue.LifoQueue()
    for worker in workers:
        idle.put(worker)
    if work is not None:  # taken first, since this process has started already
        idle.put(work)

    def compute(partition: Partition) -> Part:
        taken = idle.get()
        try:
            return taken(partition)
        finally:
            idle.put(taken)

    pool = ThreadPoolExecutor(n, thread_name_prefix="entvec-bulk")
    finished = False
    try:
        yield of_threads(pool, compute, 2 * n)
        finished = True
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.kill()
        if finished:
            pool.shutdown()  # at once, since no thread has an answer to wait for
        with suppress(queue.Empty):
            while True:
                if isinstance(taken := idle.get_nowait(), _Worker):
                    taken.close()


class _Worker:
    """A process that is started when it is needed, and again if it has died."""

    def __init__(self, job: Job, n: int) -> None:
        self._job, self._environment = job, shared_environment(n)
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._killed = False

    def __call__(self, partition: Partition) -> Part:
        """Return the part of a partition, or raise the error that the process had."""
        code = 0
        for _ in range(ATTEMPTS):
            process = self._started()
            try:
                send(cast("Any", process.stdin), partition)
                answer = receive(cast("Any", process.stdout))
            except (EOFError, OSError):
                code = self.close()
                continue
            if isinstance(answer, Exception):
                raise answer
            return cast("Part", answer)
        raise WorkerLost(
            f"{ATTEMPTS} processes ended while they did one partition, the last with the code {code}; if memory is "
            "short, fewer processes need less"
        )

    def _started(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._killed:
                raise CancelledError
            if self._process is None:
                path = os.pathsep.join(filter(None, sys.path))  # where this process has found its packages
                self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                    [sys.executable, "-P", "-c", START],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for this process, which ends it
                    env={**os.environ, "PYTHONPATH": path, **self._environment},
                )
                with suppress(OSError):  # it has died already, which its answer will show
                    send(cast("Any", self._process.stdin), self._job)
            return self._process

    def kill(self) -> None:
        """End the process at once; a thread that waits for its answer gets an error."""
        with self._starting:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> int:
        """Close the pipes, and return the code with which the process has ended."""
        process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was still to be sent
                cast("Any", pipe).close()
        try:
            return process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
