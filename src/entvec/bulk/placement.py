"""Where a job is computed: in this process, in worker processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from entvec.bulk.cluster import connected, on_cluster
from entvec.bulk.execution import Executor, in_threads
from entvec.bulk.jobs import Job, Work
from entvec.bulk.processes import in_processes
from entvec.errors import InvalidInput
from entvec.runtime import available_threads, blas_threads

WORTH_PROCESSES = 3
"""How many partitions it takes until more processes save more time than their start costs."""


@dataclass(frozen=True)
class Placement:
    """A number of processes of this machine, or the address of a cluster; one process if neither is given."""

    processes: int | None = None
    cluster: str | None = None
    client: Any = None
    """The client of the cluster, once it is connected."""

    def __post_init__(self) -> None:
        if self.processes is not None and self.cluster is not None:
            raise InvalidInput("processes and a cluster, expected one of them: a cluster has its own")
        if self.processes is not None and self.processes < 1:
            raise InvalidInput(f"processes is {self.processes}, expected 1 or more")

    def or_default(self, partitions: int) -> Placement:
        """Return one process for each processor if nothing was chosen and there are partitions for them."""
        if (self.processes, self.cluster) != (None, None) or partitions < WORTH_PROCESSES:
            return self
        return Placement(min(available_threads(), partitions))

    @property
    def several(self) -> bool:
        """True for several processes or a cluster."""
        return self.cluster is not None or (self.processes or 1) > 1

    @property
    def remote(self) -> bool:
        """True if other processes compute, so that the space must be in a folder.

        A product of matrices may have other last digits if the BLAS has several threads, so one that has is not used.
        """
        return self.several or blas_threads() > 1

    @contextmanager
    def connected(self) -> Iterator[Placement]:
        """Connect to the cluster, if there is one; one that cannot do a job is refused before anything is prepared."""
        if self.cluster is None:
            yield self
            return
        with connected(self.cluster) as client:
            yield replace(self, client=client)

    def executor(self, job: Job, work: Callable[[], Work] | None = None) -> AbstractContextManager[Executor]:
        """Return what computes the parts of a job; this process takes part if it can get ready for the `work`."""
        if self.cluster is not None:
            return nullcontext(on_cluster(self.client, job, self.cluster))
        here = None if work is None or blas_threads() > 1 else work()
        if here is not None and not self.several:
            return in_threads(here)
        return in_processes(job, self.processes or 1, here)
