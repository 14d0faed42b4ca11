"""Where a job is done: in this process, in others of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from entvec.bulk.cluster import Dask, connected
from entvec.bulk.executors import Executor, processes
from entvec.bulk.pieces import Job, Work
from entvec.errors import InvalidInput
from entvec.runtime import available_threads

WORTH_PROCESSES = 3
"""Blocks: fewer are done before other processes have begun."""


@dataclass(frozen=True)
class Where:
    """So many processes of this machine, or the cluster at an address; this process if neither is named."""

    processes: int | None = None
    cluster: str | None = None
    client: Any = None
    """Of the cluster, once it is reached."""

    def __post_init__(self) -> None:
        if self.processes is not None and self.cluster is not None:
            raise InvalidInput("processes and a cluster, expected one of them: a cluster has its own")
        if self.processes is not None and self.processes < 1:
            raise InvalidInput(f"processes is {self.processes}, expected 1 or more")

    def unless_told(self, blocks: int) -> Where:
        """Where it is; if nothing was said, one process for each processor as soon as there is work for them."""
        if (self.processes, self.cluster) != (None, None) or blocks < WORTH_PROCESSES:
            return self
        return Where(min(available_threads(), blocks))

    @property
    def elsewhere(self) -> bool:
        """Whether other processes do the job, which open its space from a folder."""
        return self.cluster is not None or (self.processes or 1) > 1

    @contextmanager
    def reached(self) -> Iterator[Where]:
        """The same, with a client of the cluster; one that cannot do a job is refused before anything is made ready."""
        if self.cluster is None:
            yield self
            return
        with connected(self.cluster) as client:
            yield replace(self, client=client)

    def executor(self, job: Job, work: Callable[[], Work] | None = None) -> AbstractContextManager[Executor]:
        """What does the blocks of a job elsewhere; of processes this may be one, if it can get ready for the work."""
        if self.cluster is not None:
            return nullcontext(Dask(self.client, job, self.cluster))
        return processes(job, self.processes or 1, None if work is None else work())
