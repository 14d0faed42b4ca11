"""Where the blocks of a job are done: by the workers of a Dask cluster that is there already."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any

from entvec.bulk.executors import THREADS
from entvec.bulk.pieces import VERSION, Block, Job, Piece
from entvec.bulk.worker import made
from entvec.errors import ClusterError, MissingExtra

DEFAULT_PORT = 8786
SECONDS = 5
"""In which a scheduler answers, or never."""
A_THREAD = 2
"""Blocks under way for each thread of a worker: one is done while the next one is on its way."""


class Dask:
    """The workers of a cluster; more may come, and those that go cost the blocks they had."""

    def __init__(self, client: Any, job: Job, address: str) -> None:
        self._client, self._job, self._address = client, job, address

    @property
    def room(self) -> int:
        """As many as there are workers now."""
        with self._in_words():
            threads: dict[str, int] = self._client.nthreads()
        return A_THREAD * max(1, sum(threads.values()))

    def submit(self, block: Block) -> Any:
        """Begin when a worker is free."""
        with self._in_words():
            return self._client.submit(_made_in_one_thread, self._job, block, pure=False)

    def result(self, begun: Any) -> Piece:
        """Wait for it."""
        with self._in_words():
            piece: Piece = begun.result()
            begun.release()
        return piece

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """What becomes of a cluster on the way, as one line that says what to do."""
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        try:
            yield
        except ModuleNotFoundError as error:
            raise ClusterError(f"a worker of {self._address} has no {error.name}; {_install()}") from error
        except KilledWorker as error:
            raise ClusterError(
                f"{error.allowed_failures + 1} workers of {self._address} ended while they did one block; if memory is "
                "short, fewer threads a worker need less"
            ) from error
        except (FutureCancelledError, CommClosedError) as error:
            raise ClusterError(
                f"the scheduler at {self._address} has gone; start it, and run the same again to go on"
            ) from error


def _made_in_one_thread(job: Job, block: Block) -> Piece:
    """A worker has as many threads as Dask gives it, each with a block of its own."""
    os.environ.setdefault(THREADS, "1")
    return made(job, block)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of a cluster whose workers can do jobs."""
    try:
        from distributed import Client
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise MissingExtra("a cluster", needs="distributed", extra="cluster") from None
    try:
        _reach(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # what matters is checked below
            client: Any = Client(address, timeout=SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address}; expected where `dask scheduler` runs, as in tcp://HOST:8786"
        ) from error
    try:
        check_workers(client, address)
        yield client
    finally:
        client.close(timeout=SECONDS)


def _reach(address: str) -> None:
    """Fail at once where nobody listens: a client would try for long, and complain again when it is forgotten."""
    from distributed.comm.addressing import get_address_host_port, normalize_address

    host, port = get_address_host_port(normalize_address(address))
    socket.create_connection((host, port or DEFAULT_PORT), timeout=SECONDS).close()


def check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with one that has not this package."""
    versions = client.run(metadata.version, "entvec", on_error="return")
    if not versions:
        raise ClusterError(f"the cluster at {address} has no workers; start some with: dask worker {address}")
    for worker, version in versions.items():
        if isinstance(version, Exception):
            raise ClusterError(f"the worker {worker} has no entvec; {_install()}")
        if version != VERSION:
            raise ClusterError(f"the worker {worker} has entvec {version}, expected {VERSION}; {_install()}")


def _install() -> str:
    return f"install it where workers run: pip install 'entvec[cluster]=={VERSION}'"
