"""Where the blocks of a job are done: in this process, or in others of this machine. Pieces come in order."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Protocol, cast

from entvec.bulk.pieces import Block, Job, Piece, Work
from entvec.bulk.worker import receive, send
from entvec.errors import WorkerLost
from entvec.runtime import available_threads

ATTEMPTS = 3
"""How many processes may die of one block."""
PATIENCE = 10
"""Seconds in which a process that has nothing to do any more ends by itself."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
THREADS = "ENTVEC_THREADS"
START = "from entvec.bulk.worker import main; main()"


class Executor(Protocol):
    """Does blocks of one job."""

    @property
    def room(self) -> int:
        """How many blocks may be under way, so that none of the workers waits."""
        ...

    def submit(self, block: Block) -> Any:
        """Begin with a block."""
        ...

    def result(self, begun: Any) -> Piece:
        """Wait for the piece of a block."""
        ...


def pieces(executor: Executor, blocks: Iterable[Block]) -> Iterator[Piece]:
    """The pieces of these blocks, in their order, with a bounded number under way."""
    waiting: deque[Any] = deque()
    todo = iter(blocks)
    while True:
        for block in todo:
            waiting.append(executor.submit(block))
            if len(waiting) >= executor.room:
                break
        if not waiting:
            return
        yield executor.result(waiting.popleft())


class Here:
    """In this thread, one after the other."""

    room = 1

    def __init__(self, work: Work) -> None:
        self._work = work

    def submit(self, block: Block) -> Block:
        """Nothing happens before the piece is wanted."""
        return block

    def result(self, begun: Block) -> Piece:
        """Do it."""
        return self._work(begun)


class Threads:
    """In a few threads of this process: one block is encoded while others are searched for."""

    def __init__(self, work: Work, threads: ThreadPoolExecutor, room: int) -> None:
        self.room = room
        self._work, self._threads = work, threads

    def submit(self, block: Block) -> Future[Piece]:
        """Begin when a thread is free."""
        return self._threads.submit(self._work, block)

    def result(self, begun: Future[Piece]) -> Piece:
        """Wait for it."""
        return begun.result()


@contextmanager
def here(work: Work, threads: int = 1) -> Iterator[Executor]:
    """In this process; nobody waits for blocks that are under way when something goes wrong."""
    if threads == 1:
        yield Here(work)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="entvec-bulk")
    try:
        yield Threads(work, pool, threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def processes(job: Job, n: int, work: Work | None = None) -> Iterator[Executor]:
    """In n processes of this machine; this one is one of them if it has the work ready, and begins at once."""
    workers = _Workers(job, n, work)
    pool = ThreadPoolExecutor(n, thread_name_prefix="entvec-bulk")
    try:
        yield Threads(workers.made, pool, 2 * n)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        workers.close()
        raise
    pool.shutdown(wait=False, cancel_futures=True)
    workers.close()
    pool.shutdown()  # none of its threads has anything to wait for any more


def shared_threads(n: int) -> dict[str, str]:
    """What tells n processes that they share the processors."""
    return {**ONE_THREAD, THREADS: str(max(1, available_threads() // n))}


class _Workers:
    """Processes that are started when they are needed, each of which does one block at a time.

    One that dies costs its block, which another one does again. They are started as commands: `multiprocessing` would
    run the caller's script in each of them.
    """

    def __init__(self, job: Job, n: int, work: Work | None) -> None:
        self._job = job
        self._work = work
        self._working = threading.Lock()
        self._threads = shared_threads(n)
        self._idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        self._alive: set[_Process] = set()
        self._changing = threading.Lock()
        self._closed = False

    def made(self, block: Block) -> Piece:
        """The piece of a block, by whichever process is idle; for several threads."""
        if self._work is not None and self._working.acquire(blocking=False):
            try:
                return self._work(block)
            finally:
                self._working.release()
        code: int | None = None
        for _ in range(ATTEMPTS):
            process = self._taken()
            try:
                answer = process.ask(block)
            except (EOFError, OSError):
                code = self._ended(process)
                continue
            self._idle.put(process)
            if isinstance(answer, Exception):
                raise answer
            return cast("Piece", answer)
        raise WorkerLost(
            f"{ATTEMPTS} processes ended while they did one block, the last with the code {code}; if memory is short, "
            "fewer processes need less"
        )

    def _taken(self) -> _Process:
        with suppress(queue.Empty):
            return self._idle.get_nowait()
        with self._changing:
            if self._closed:
                raise CancelledError
            process = _Process(self._job, self._threads)
            self._alive.add(process)
            return process

    def _ended(self, process: _Process) -> int:
        with self._changing:
            self._alive.discard(process)
        return process.end()

    def close(self) -> None:
        """End all of them at once; what they were doing is not wanted any more."""
        with self._changing:
            self._closed = True
            for process in self._alive:
                process.kill()
        with suppress(queue.Empty):
            while True:
                self._ended(self._idle.get_nowait())


class _Process:
    """A command that does blocks."""

    def __init__(self, job: Job, threads: Mapping[str, str]) -> None:
        path = os.pathsep.join(filter(None, sys.path))  # where this process has found its packages
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            [sys.executable, "-P", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, **threads},
        )
        self._questions = cast("BinaryIO", self._process.stdin)
        self._answers = cast("BinaryIO", self._process.stdout)
        self._job: Job | None = job

    def ask(self, block: Block) -> Any:
        """What it makes of a block, or the error that it had."""
        for message in (self._job, block) if self._job is not None else (block,):
            send(self._questions, message)
        self._job = None
        return receive(self._answers)

    def kill(self) -> None:
        """Make it end; whoever waits for an answer gets none."""
        self._process.kill()

    def end(self) -> int:
        """Let it go, and give back what it held; the code that it ended with."""
        for pipe in (self._questions, self._answers):
            with suppress(OSError):  # what was still to be sent
                pipe.close()
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
