"""The side of a worker: it opens a job and computes parts, for a cluster or for the process that started it."""

from __future__ import annotations

import os
import pickle
import platform
import queue
import sys
import threading
import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from entvec.bulk.jobs import Job, Part, Partition, Work
from entvec.errors import EntvecError, InvalidInput

_opening = threading.Lock()


def compute(job: Job, partition: Partition) -> Part:
    """Return the part of a partition; the job is opened once in each process."""
    with _opening:  # threads share it
        work = _opened(job)
    return work(partition)


@lru_cache(maxsize=1)
def _opened(job: Job) -> Work:
    missing = next((path for path in job.needs if not Path(path).exists()), None)
    if missing is not None:
        raise InvalidInput(
            f"a worker on {platform.node() or 'another machine'} does not see {missing}; "
            "put the space, the table and the output where all workers can read them, under the same names"
        )
    return job.open()


def main() -> None:
    """Answer until the input ends, which it also does when the process that started this one is killed."""
    source = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not get between the answers
        partitions: queue.SimpleQueue[Partition] = queue.SimpleQueue()
        job = receive(source)
        threading.Thread(target=_listen, args=(source, partitions), daemon=True).start()
        while True:
            try:
                send(answers, _answer(job, partitions.get()))
            except BrokenPipeError:
                os._exit(0)


def _listen(source: BinaryIO, partitions: queue.SimpleQueue[Partition]) -> None:
    """Read while parts are computed, so that the end of the input ends the process at once."""
    while True:
        try:
            partitions.put(receive(source))
        except EOFError:
            os._exit(0)


def _answer(job: Job, partition: Partition) -> Part | Exception:
    try:
        return compute(job, partition)
    except Exception as error:  # noqa: BLE001 - the other process raises it
        if not isinstance(error, EntvecError):
            error.add_note(traceback.format_exc())
        return error


def send(file: BinaryIO, message: object) -> None:
    """Write a message to the other process."""
    pickle.dump(message, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()


def receive(file: BinaryIO) -> Any:
    """Read a message; raise EOFError if there will be none."""
    try:
        return pickle.load(file)  # noqa: S301 - both ends of the pipe are ours
    except pickle.UnpicklingError:  # cut off in the middle
        raise EOFError from None
