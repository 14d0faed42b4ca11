"""A process that does blocks of a job for another one: blocks come on its standard input, pieces go to its output."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from entvec.bulk.pieces import Block, Job, Piece, Work
from entvec.errors import EntvecError, InvalidInput

_opening = threading.Lock()


def made(job: Job, block: Block) -> Piece:
    """The piece of a block, in whatever process; what the job needs is opened once and kept."""
    with _opening:  # several threads of one process share it
        work = _opened(job)
    return work(block)


@lru_cache(maxsize=1)
def _opened(job: Job) -> Work:
    missing = next((path for path in job.needs if not Path(path).exists()), None)
    if missing is not None:
        raise InvalidInput(
            f"a worker on {os.uname().nodename if hasattr(os, 'uname') else 'another machine'} does not see {missing}; "
            "put the space, the table and the output where all workers can read them, under the same names"
        )
    return job.open()


def main() -> None:
    """Answer until the input ends, which it does too when the other process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other process, which ends this one
    source = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not get between
        asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        job = receive(source)
        threading.Thread(target=_listen, args=(source, asked), daemon=True).start()
        while True:
            try:
                send(answers, _answer(job, asked.get()))
            except BrokenPipeError:
                os._exit(0)


def _listen(source: BinaryIO, asked: queue.SimpleQueue[Any]) -> None:
    """Take in blocks while others are done, so that the end of the input ends the process at once."""
    while True:
        try:
            asked.put(receive(source))
        except EOFError:
            os._exit(0)


def _answer(job: Job, block: Block) -> Piece | Exception:
    try:
        return made(job, block)
    except Exception as error:  # noqa: BLE001 - the other process raises it
        if not isinstance(error, EntvecError):
            error.add_note(traceback.format_exc())
        return error


def send(file: BinaryIO, message: object) -> None:
    """Write a message to another process of ours."""
    pickle.dump(message, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()


def receive(file: BinaryIO) -> Any:
    """Read a message; EOFError if there will be none."""
    try:
        return pickle.load(file)  # noqa: S301 - both ends of the pipe are ours
    except pickle.UnpicklingError:  # cut off in the middle
        raise EOFError from None
