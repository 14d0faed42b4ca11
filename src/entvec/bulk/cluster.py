"""A Dask cluster that is there already: its workers compute the parts of a job."""

from __future__ import annotations

import os
import platform
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import metadata
from typing import Any

from entvec.bulk.execution import Executor
from entvec.bulk.jobs import VERSION, Job, Part, Partition
from entvec.bulk.worker import compute
from entvec.errors import ClusterError, MissingExtra
from entvec.runtime import THREADS, blas_threads

DEFAULT_PORT = 8786
SECONDS = 5
"""How long a scheduler may take to answer."""
PER_THREAD = 2
"""Partitions under way for each thread of a worker: one is computed while the next one is sent."""


def on_cluster(client: Any, job: Job, address: str) -> Executor:
    """Compute on the workers of a cluster, which may come and go."""

    def capacity() -> int:
        with _translated_errors(address):
            threads: dict[str, int] = client.nthreads()
        return PER_THREAD * max(1, sum(threads.values()))

    def submit(partition: Partition) -> Callable[[], Part]:
        with _translated_errors(address):
            return partial(_result, client.submit(_compute_in_one_thread, job, partition, pure=False), address)

    return Executor(capacity, submit)


def _result(future: Any, address: str) -> Part:
    with _translated_errors(address):
        part: Part = future.result()
        future.release()
    return part


@contextmanager
def _translated_errors(address: str) -> Iterator[None]:
    """Turn an error of Dask into one line that says what to do."""
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except ModuleNotFoundError as error:
        raise ClusterError(f"a worker of {address} has no {error.name}; {_install()}") from error
    except KilledWorker as error:
        raise ClusterError(
            f"{error.allowed_failures + 1} workers of {address} ended while they did one partition; if memory is "
            "short, fewer threads a worker need less"
        ) from error
    except (FutureCancelledError, CommClosedError) as error:
        raise ClusterError(f"the scheduler at {address} has gone; start it, and run the same again to go on") from error


def _compute_in_one_thread(job: Job, partition: Partition) -> Part:
    """Compute a part. A worker has as many threads as Dask gives it, each with a partition of its own."""
    os.environ.setdefault(THREADS, "1")
    if blas_threads() > 1:  # last digits would be others
        raise ClusterError(
            f"the BLAS of a worker on {platform.node()} has {blas_threads()} threads, expected one; start it with "
            "OMP_NUM_THREADS=1, as `dask worker` with a nanny does"
        )
    return compute(job, partition)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a cluster whose workers have this version of the package."""
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
    """Fail at once where nobody listens: a client of Dask would try for long."""
    from distributed.comm.addressing import get_address_host_port, normalize_address

    host, port = get_address_host_port(normalize_address(address))
    socket.create_connection((host, port or DEFAULT_PORT), timeout=SECONDS).close()


def check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with a worker that has another version of this package."""
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
