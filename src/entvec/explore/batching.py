"""Dynamic batching: requests that arrive while a batch is computed wait, and are then computed together.

A matrix product of 64 queries takes little longer than one of 1, because both read all keys from memory once. There is
no timer: a request that finds the server idle is computed at once, alone; under load the batches grow. What is computed
of a batch afterwards, one request at a time, would send the next requests one by one, and batches would stay small. So
a batch may wait for more requests as long as there is enough of that to do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")


class _Request(NamedTuple):
    items: Sequence[Any]
    results: asyncio.Future[list[Any]]


class DynamicBatcher(Generic[Item, Result]):
    """Computes the items of many requests with one call.

    >>> async def example():
    ...     with ThreadPoolExecutor(1) as executor:
    ...         doubles = DynamicBatcher(lambda group, items: [2 * item for item in items], executor, max_items=64)
    ...         return await asyncio.gather(doubles.submit(None, [1, 2]), doubles.submit(None, [2, 3]))
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> asyncio.run(example())
    [[2, 4], [4, 6]]

    Parameters
    ----------
    compute
        Called as `compute(group, items)`; the items are distinct. Returns one result for each item.
    executor
        Runs the calls.
    max_items
        Most items in one batch; a single request with more items is a batch of its own.
    waits
        Called with a group and how many of its items wait: whether they shall wait for more. It is asked again when
        there are more, and at each call of `wake`.
    """

    def __init__(
        self,
        compute: Callable[[Any, list[Item]], Sequence[Result]],
        executor: Executor,
        max_items: int,
        waits: Callable[[Any, int], bool] = lambda _, __: False,
    ) -> None:
        self._compute, self._executor, self._max_items, self._waits = compute, executor, max_items, waits
        self._waiting: dict[Hashable, deque[_Request]] = {}
        self._running: asyncio.Task[None] | None = None
        self.n_batches = 0
        """How often `compute` was called."""

    async def submit(self, group: Hashable, items: Sequence[Item]) -> list[Result]:
        """Return the results of these items, in their order. Only requests of the same group share a batch."""
        if not items:
            return []
        results: asyncio.Future[list[Result]] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(group, deque()).append(_Request(items, results))
        self.wake()
        return await results

    def wake(self) -> None:
        """Compute what waits, if nothing is computed now and it need not wait for more."""
        if self._running is None and self._next_group():
            self._running = asyncio.create_task(self._work())

    def _next_group(self) -> list[Hashable]:
        """Return the group that has waited longest, of those that need not wait for more; none if there is none."""
        sizes = ((group, sum(len(request.items) for request in queue)) for group, queue in self._waiting.items())
        return next(([group] for group, size in sizes if not self._waits(group, size)), [])

    async def _work(self) -> None:
        try:
            while found := self._next_group():
                await self._run(found[0], self._next_batch(found[0]))
        finally:
            self._running = None

    def _next_batch(self, group: Hashable) -> list[_Request]:
        """Take as many requests of this group as fit; those that remain queue up behind the other groups."""
        queue = self._waiting.pop(group)
        batch = [queue.popleft()]
        n = len(batch[0].items)
        while queue and n + len(queue[0].items) <= self._max_items:
            n += len(queue[0].items)
            batch.append(queue.popleft())
        if queue:
            self._waiting[group] = queue
        return batch

    async def _run(self, group: Hashable, batch: list[_Request]) -> None:
        batch = [request for request in batch if not request.results.cancelled()]
        distinct = list(dict.fromkeys(item for request in batch for item in request.items))
        if not distinct:
            return
        self.n_batches += 1
        loop = asyncio.get_running_loop()
        try:
            computed = await loop.run_in_executor(self._executor, self._compute, group, distinct)
            result = dict(zip(distinct, computed, strict=True))
        except Exception as error:  # noqa: BLE001  # the request that caused it gets the error, the others their results
            if len(batch) > 1:
                for request in batch:
                    await self._run(group, [request])
            elif not batch[0].results.cancelled():
                batch[0].results.set_exception(error)
            return
        for request in batch:
            if not request.results.cancelled():
                request.results.set_result([result[item] for item in request.items])
